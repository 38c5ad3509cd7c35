"""What commands share: consoles, files that appear whole or not at all, numbers for people."""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

from rich.console import Console

from contextrail.core.errors import InvalidRequest
from contextrail.core.json_text import Json, dump


def out() -> Console:
    """Where results go. Width and color follow the terminal; a pipe gets plain lines of 100 columns."""
    return Console(file=sys.stdout, width=None if sys.stdout.isatty() else 100, highlight=False)


def err() -> Console:
    """Where progress and remarks go."""
    return Console(file=sys.stderr, highlight=False)


def print_json(value: Json) -> None:
    """One JSON value and a line end on standard output."""
    sys.stdout.buffer.write(dump(value, indent=2) + b"\n")
    sys.stdout.flush()


def write_file(path: Path, data: bytes) -> None:
    """Write a file under a temporary name, then rename: it appears whole or not at all.

    Raises:
        InvalidRequest: The place cannot be written to.
    """
    try:
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".part")
    except OSError as error:
        raise _unwritable(path, error) from None
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        Path(name).chmod(0o666 & ~_umask())
        Path(name).replace(path)
    except OSError as error:
        Path(name).unlink(missing_ok=True)
        raise _unwritable(path, error) from None


def write_all(files: dict[Path, bytes]) -> None:
    """Write several files; if one place cannot be written to, none of them appears new."""
    for path in files:
        if path.is_dir():
            raise InvalidRequest(f"{path} is a directory", place=str(path), cure="name a file")
        if not path.parent.is_dir():
            raise InvalidRequest(f"{path.parent} is not a directory", place=str(path), cure="make it first")
        if not os.access(path.parent, os.W_OK):
            raise InvalidRequest(f"{path.parent} cannot be written to", place=str(path))
    for path, data in files.items():
        write_file(path, data)


def number(value: int | None) -> str:
    """A count with thin groups, or "?" where it is unknown."""
    return "?" if value is None else f"{value:,}"


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _unwritable(path: Path, error: OSError) -> InvalidRequest:
    reason = (error.strerror or str(error)).lower()
    return InvalidRequest(f"{path} cannot be written: {reason}", place=str(path))

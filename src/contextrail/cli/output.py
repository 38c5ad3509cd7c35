"""What commands share: consoles, files that appear whole or not at all, numbers for people."""

from __future__ import annotations

import sys
from contextlib import ExitStack
from pathlib import Path

from rich.console import Console
from rich.text import Text

from contextrail.core.errors import InvalidRequest
from contextrail.core.json_text import Json, dump
from contextrail.transcripts.files import whole_file


def out() -> Console:
    """Where results go. Width and color follow the terminal; a pipe gets plain lines of 100 columns."""
    return Console(file=sys.stdout, width=None if sys.stdout.isatty() else 100, highlight=False)


def say(text: str, style: str = "") -> None:
    """Print a line as it is: brackets in it are no markup, and a name in it is never broken in two."""
    out().print(Text(text, style), soft_wrap=True)


def err() -> Console:
    """Where progress and remarks go."""
    return Console(file=sys.stderr, highlight=False)


def print_json(value: Json) -> None:
    """One JSON value and a line end on standard output."""
    sys.stdout.buffer.write(dump(value, indent=2) + b"\n")
    sys.stdout.flush()


def write_all(files: dict[Path, bytes]) -> None:
    """Write several files, each whole or not at all; the places are checked before the first is written.

    Raises:
        InvalidRequest: A place cannot be written to.
    """
    for path in files:
        if not path.parent.is_dir():
            raise InvalidRequest(f"{path.parent} is not a directory", place=str(path), cure="make it first")
        if path.is_dir():
            raise InvalidRequest(f"{path} is a directory", place=str(path), cure="name a file")
    with ExitStack() as stack:
        for path, data in files.items():
            stack.enter_context(whole_file(path)).write(data)


def number(value: int | None) -> str:
    """A count with thin groups, or "?" where it is unknown."""
    return "?" if value is None else f"{value:,}"

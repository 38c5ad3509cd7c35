"""Files that appear whole or not at all, and places that are not the same file."""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, Final, cast

from contextrail.core.errors import InvalidRequest

_SPOOL: Final = 32 * 1024 * 1024
"""What goes to a pipe or a device and is larger waits in a temporary file."""

Identity = tuple[int, int] | str
"""Device and inode of what exists, else the name with all links followed."""


@contextmanager
def whole_file(path: Path) -> Iterator[BinaryIO]:
    """Write a file under a temporary name; at the end it takes the place of `path`, on any error it is removed.

    A link is followed: what it names is replaced, and the link stays. A file that is there already keeps its
    mode, and its owner where that is allowed. A pipe or a device is not replaced: all is written into it at
    the end, and nothing on an error.

    Raises:
        InvalidRequest: The place cannot be written to.
    """
    try:
        before = _stat(path)
        if before is not None and stat.S_ISDIR(before.st_mode):
            raise InvalidRequest(f"{path} is a directory", place=str(path), cure="name a file")
        if before is not None and not stat.S_ISREG(before.st_mode):
            with _into(path) as file:
                yield file
            return
        target = Path(os.path.realpath(path))
        if target.is_symlink():
            raise InvalidRequest(f"{path} is a link to itself", place=str(path), cure="name a file")
        if before is not None and not os.access(target, os.W_OK):
            raise InvalidRequest(
                f"{path} is a file that may not be written", place=str(path), cure="name another place"
            )
        with _beside(target, before) as file:
            yield file
    except OSError as error:
        raise _unwritable(path, error) from None


def identity(path: Path) -> Identity:
    """What a name stands for, so that two names of the same file are equal: by links, by another spelling.

    Standard input ("-") is the file that it was redirected from, if it was.
    """
    try:
        found = os.fstat(0) if str(path) == "-" else path.stat()
    except OSError:
        return os.path.realpath(path)
    return found.st_dev, found.st_ino


def keep_apart(outputs: Mapping[str, Path], inputs: Iterable[tuple[str, Path]]) -> None:
    """Refuse to write over what was read, or two results into one file.

    Args:
        outputs: Where is to be written, by what is written there ("--out"), in order.
        inputs: What was read, each with what it is ("INPUT").

    Raises:
        InvalidRequest: Two of them are the same file, by name or by a link; both are named. Or an output is "-".
    """
    taken = {identity(path): f"{name} {path}" for name, path in inputs}
    read = set(taken)
    for name, path in outputs.items():
        if str(path) == "-":
            raise InvalidRequest(
                f"{name} - is the name of standard input", place="-", option=name, cure="name a file"
            )
        who = identity(path)
        if who in taken:
            raise InvalidRequest(
                f"{name} {path} and {taken[who]} are the same file",
                place=str(path),
                option=name,
                cure="name another file; what was read is not written over"
                if who in read
                else "name two files",
            )
        taken[who] = f"{name} {path}"


@contextmanager
def _beside(target: Path, before: os.stat_result | None) -> Iterator[BinaryIO]:
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name[:200]}.", suffix=".part")
    part = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        if before is not None:
            _own(part, before)
        part.chmod(_new_rights() if before is None else stat.S_IMODE(before.st_mode))
        part.replace(target)
    finally:
        part.unlink(missing_ok=True)


@contextmanager
def _into(path: Path) -> Iterator[BinaryIO]:
    with tempfile.SpooledTemporaryFile(max_size=_SPOOL) as spool:
        yield cast("BinaryIO", spool)
        spool.seek(0)
        with path.open("wb") as file:
            shutil.copyfileobj(spool, file)


def _stat(path: Path) -> os.stat_result | None:
    """What is there; None: nothing, or a link to nothing."""
    try:
        return path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return None


def _own(part: Path, before: os.stat_result) -> None:
    """Give a file the owner of the one that it replaces, where that is allowed."""
    try:
        if (part.stat().st_uid, part.stat().st_gid) != (before.st_uid, before.st_gid):
            os.chown(part, before.st_uid, before.st_gid)
    except PermissionError:
        return


def _new_rights() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask


def _unwritable(path: Path, error: OSError) -> InvalidRequest:
    reason = (error.strerror or str(error)).lower()
    return InvalidRequest(f"{path} cannot be written: {reason}", place=str(path), cure="name another place")

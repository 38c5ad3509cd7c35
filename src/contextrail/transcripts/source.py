"""Open what a user named: a file, a pipe or standard input, as a stream that can be read twice."""

from __future__ import annotations

import os
import shutil
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import SpooledTemporaryFile
from typing import BinaryIO, Final, cast

from contextrail.core.errors import AccessDenied, InvalidRequest, NotFound, RailError

HEAD: Final = 64 * 1024
"""Bytes that are looked at to find out a format."""
_SPOOL: Final = 32 * 1024 * 1024
"""A pipe larger than this goes to a temporary file."""

_NOT_TEXT: Final = (
    (b"\x1f\x8b", "is compressed with gzip", "unpack it first"),
    (b"\x28\xb5\x2f\xfd", "is compressed with zstd", "unpack it first"),
    (b"PK\x03\x04", "is a zip archive", "unpack it first"),
    (b"SQLite format 3\0", "is a database", "export the session first (OpenCode: opencode export)"),
    (b"\xff\xfe\x00\x00", "is UTF-32", "save it as UTF-8"),  # before UTF-16, whose mark it begins with
    (b"\x00\x00\xfe\xff", "is UTF-32", "save it as UTF-8"),
    (b"\xff\xfe", "is UTF-16", "save it as UTF-8"),
    (b"\xfe\xff", "is UTF-16", "save it as UTF-8"),
)


@dataclass(frozen=True, slots=True)
class Source:
    """An open file. `stream` can be sought."""

    name: str
    """As the user gave it; "-" for standard input."""
    path: Path
    stream: BinaryIO
    size: int
    """Bytes."""

    def head(self) -> bytes:
        """Its first `HEAD` bytes; leaves the stream at its beginning."""
        self.stream.seek(0)
        data = self.stream.read(HEAD)
        self.stream.seek(0)
        return data


@contextmanager
def opened(path: Path, *, if_empty: str = "give a session") -> Iterator[Source]:
    """Open a file, a pipe, or standard input ("-"). A pipe is read into a temporary file first.

    Args:
        path: What the user named.
        if_empty: The cure where it is empty.

    Raises:
        NotFound: No such file.
        AccessDenied: It may not be read.
        InvalidRequest: A directory, empty, not text, or the read failed.
    """
    try:
        stream = _open(path)
    except OSError as error:
        raise unreadable(path, error) from None
    with stream:
        yield _checked(path, stream, if_empty)


def unreadable(path: Path, error: OSError) -> RailError:
    """What an error of the operating system means for the caller."""
    match error:
        case FileNotFoundError():
            return NotFound(f"{path} does not exist", place=str(path), cure="check the name")
        case PermissionError():
            return AccessDenied(
                f"{path} may not be read", place=str(path), cure="ask for the right to read it"
            )
        case _:
            reason = (error.strerror or str(error)).lower()
            return InvalidRequest(f"{path} cannot be read: {reason}", place=str(path))


def _open(path: Path) -> BinaryIO:
    if str(path) == "-":
        return _spooled(sys.stdin.buffer)
    if path.is_dir():
        raise InvalidRequest(f"{path} is a directory", place=str(path), cure="name a session file in it")
    file = path.open("rb")
    if stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        return file
    with file:
        return _spooled(file)


def _spooled(pipe: BinaryIO) -> BinaryIO:
    spool = cast("BinaryIO", SpooledTemporaryFile(max_size=_SPOOL))  # noqa: SIM115 - closed by the caller
    shutil.copyfileobj(pipe, spool, 1024 * 1024)
    return spool


def _checked(path: Path, stream: BinaryIO, if_empty: str) -> Source:
    size = stream.seek(0, 2)
    source = Source(str(path), path, stream, size)
    head = source.head()
    for magic, what, cure in _NOT_TEXT:
        if head.startswith(magic):
            raise InvalidRequest(f"{path} {what}", place=str(path), cure=cure)
    if not head.strip() and size <= HEAD:
        raise InvalidRequest(f"{path} is empty", place=str(path), cure=if_empty)
    return source

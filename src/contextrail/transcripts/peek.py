"""Look at the beginning of a stream that can be read only once: is it lines, or one document?"""

from __future__ import annotations

import json
import re
from io import BytesIO
from typing import BinaryIO, Final, cast

from contextrail.transcripts.decode import scan
from contextrail.transcripts.source import HEAD

_LINES: Final = 20
"""Lines that are looked at."""
_BEGINNING: Final = 4096
"""Bytes of a line in which a list of messages would begin."""
_LISTS: Final = re.compile(rb'"(?:messages|history|contents)"\s*:\s*\[')


def is_lines(head: bytes) -> bool:
    """Whether a file is a list of lines, an object each, judged by its beginning.

    A line that is not indented and holds one object, or several glued together, is such a line, unless
    the object holds the whole conversation.
    """
    head = head.removeprefix(b"\xef\xbb\xbf")
    lines = head.split(b"\n")
    for line in lines[:_LINES]:
        if line.startswith(b"{") and not _LISTS.search(line[:_BEGINNING]):
            text = line.decode("utf-8", "surrogateescape")
            try:
                _, end = scan(text, 0)
            except (json.JSONDecodeError, RecursionError):
                continue
            if text[end : end + 1].strip() in {"", "{"}:
                return True
    cut = len(lines) == 1 and len(head) >= HEAD - 3
    return cut and head.startswith(b"{") and not _LISTS.search(head[:_BEGINNING])


def peek(stream: BinaryIO) -> tuple[bytes, BinaryIO]:
    """The first bytes of a stream, and a stream that begins with them."""
    head = stream.read(HEAD)
    return head, cast("BinaryIO", _Again(head, stream))


class _Again:
    """A stream whose first bytes were taken out and are put back."""

    def __init__(self, head: bytes, stream: BinaryIO) -> None:
        self._head = BytesIO(head)
        self._stream = stream

    def read(self, size: int = -1) -> bytes:
        """As of a file."""
        data = self._head.read(size)
        if size < 0:
            return data + self._stream.read()
        return data + self._stream.read(size - len(data)) if len(data) < size else data

    def readline(self, limit: int = -1) -> bytes:
        """As of a file."""
        line = self._head.readline(limit)
        if line.endswith(b"\n") or len(line) == limit:
            return line
        return line + self._stream.readline(limit - len(line) if limit >= 0 else -1)

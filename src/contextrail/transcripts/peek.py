"""Look at the beginning of a stream that can be read only once: is it lines, or one document?"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from io import BytesIO
from typing import BinaryIO, Final, cast

from contextrail.transcripts.decode import scan
from contextrail.transcripts.source import HEAD

_GAP: Final = re.compile(r"[ \t\r\n]*")
_LINES: Final = 20
"""Lines that are looked at."""
_FIRST_LINE: Final = 16 * 1024 * 1024
_STEP: Final = 1024 * 1024
_WHOLE: Final = frozenset(
    {"body", "contents", "history", "info", "input", "messages", "request", "request_body", "simulations"}
)
"""Members of a document that holds a whole conversation."""
_BESIDE: Final = frozenset(
    {"instructions", "max_tokens", "system", "systemInstruction", "tools", "trajectory"}
)
"""Members that stand before the conversation in such a document."""
_RECORD: Final = frozenset({"parentUuid", "payload", "role", "type", "uuid"})
"""Members of a record that is a line among others."""


def is_lines(head: bytes) -> bool:
    """Whether a file is a list of lines, an object each, judged by its beginning.

    A line that is not indented and holds one object, or several glued together, is such a line, unless
    it is all there is, and the object holds a whole conversation.
    """
    lines = head.removeprefix(b"\xef\xbb\xbf").split(b"\n")
    for at, line in enumerate(lines[:_LINES]):
        if not line.startswith(b"{"):
            continue
        text = line.decode("utf-8", "surrogateescape")
        try:
            value, end = scan(text, 0)
        except (json.JSONDecodeError, RecursionError):
            if len(lines) == 1:  # longer than what we look at, or cut off
                names = set(member_names(text))
                return not names & (_WHOLE | _BESIDE) or bool(names & _RECORD)
            continue
        behind = text[end:].strip()
        alone = not behind and not b"".join(lines[at + 1 :]).strip()
        if not behind or behind.startswith("{"):
            return not (alone and isinstance(value, dict) and _WHOLE & value.keys())
    return False


def member_names(text: str) -> Iterator[str]:
    """The names of an object's members, as far as its text goes; none of a text that is no object."""
    found = _GAP.match(text)
    at = found.end() if found else 0
    if not text.startswith("{", at):
        return
    at += 1
    while True:
        try:
            name, at = scan(text, _behind(text, at, ","))
            if not isinstance(name, str):
                return
            yield name
            _, at = scan(text, _behind(text, at, ":"))
        except (json.JSONDecodeError, RecursionError):
            return


def _behind(text: str, at: int, mark: str) -> int:
    found = _GAP.match(text, at)
    at = found.end() if found else at
    found = _GAP.match(text, at + 1) if text[at : at + 1] == mark else None
    return found.end() if found else at


def peek(stream: BinaryIO) -> tuple[bytes, BinaryIO]:
    """The beginning of a stream, its first line as far as that is bearable, and a stream that begins with it."""
    head = stream.read(HEAD)
    while b"\n" not in head and len(head) < _FIRST_LINE and (more := stream.read(_STEP)):
        head += more
    head += stream.read(HEAD)
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

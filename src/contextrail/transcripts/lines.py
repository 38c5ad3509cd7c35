"""JSON lines, read tolerantly: every byte of a file belongs to a record or to an issue."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO, Final

from contextrail.core.json_text import JsonObject
from contextrail.messages.model import Origin
from contextrail.transcripts.decode import decode_object, healthy
from contextrail.transcripts.session import Issue, Severity
from contextrail.transcripts.split import Shapes, split

MAX_LINE: Final = 64 * 1024 * 1024
"""Bytes. A longer line is not loaded: about five times its size would be needed to read it."""

_STEP: Final = 1024 * 1024
_BLANK: Final = b" \t\r\n"
_BOM: Final = b"\xef\xbb\xbf"
_DIGITS: Final = re.compile(rb"[\[{]")

_BAD: Final[dict[str, tuple[Severity, str]]] = {
    "truncated": ("error", "the record ends before it is complete"),
    "not-json": ("error", "these bytes are not JSON"),
    "nul-bytes": ("error", "a run of NUL bytes, as a crash of the machine leaves it"),
    "not-an-object": ("error", "JSON, but not an object"),
    "too-deep": ("warning", "nested too deep to be read; left as it is"),
    "bom": ("note", "a byte order mark"),
}
"""Pieces of a line that are no record."""


@dataclass(frozen=True, slots=True)
class Record:
    """One JSON object of a file. `raw` are its exact bytes, at `[origin.start, origin.end)`."""

    value: JsonObject
    raw: bytes
    origin: Origin


def records(stream: BinaryIO, file: str, *, max_line: int = MAX_LINE) -> Iterator[Record | Issue]:
    r"""Read a stream of JSON objects, one a line, as far as that is how they stand.

    Lines end at the byte `\n` and nowhere else. Objects glued together on one line are records of
    their own; a record that was cut off, and bytes between records, are issues with their range.
    A record with damage inside (invalid UTF-8, a raw control character, NaN, a key given twice, a
    lone surrogate) is read as well as it can be, and the issue stands before it.

    Outside of the ranges of records and issues there is nothing but blanks and line ends.

    Args:
        stream: Buffered, at its beginning. Read once, forwards; at most one line is held.
        file: The name to report.
        max_line: Bytes. A longer line is passed over and reported ("line-too-long") with its range.
    """
    shapes = Shapes()
    start = 0
    number = 0
    while line := stream.readline(max_line + 1):
        number += 1
        size = len(line)
        if size > max_line and not line.endswith(b"\n"):
            size += _skip(stream)
            yield _too_long(file, number, start, size)
        elif (value := healthy(line)) is not None:
            shapes.add(value)
            raw = line.strip(_BLANK)
            at = start + line.index(b"{")
            yield Record(value, raw, Origin(file=file, line=number, start=at, end=at + len(raw)))
        else:
            yield from _mixed(line, Place(file, number, start), shapes)
        start += size


@dataclass(frozen=True, slots=True)
class Place:
    """A line: its file, its number from 1, the offset of its first byte."""

    file: str
    line: int
    start: int

    def issue(self, kind: str, severity: Severity, detail: str, byte: int, end: int | None = None) -> Issue:
        """An issue at offset `byte` of this line."""
        return Issue(
            kind=kind,
            severity=severity,
            file=self.file,
            line=self.line,
            byte=self.start + byte,
            end=None if end is None else self.start + end,
            detail=detail,
        )


def _mixed(line: bytes, place: Place, shapes: Shapes) -> Iterator[Record | Issue]:
    """A line that is not one healthy object."""
    text = line.decode("utf-8", "surrogateescape")
    at = chars = 0
    before = 0
    for piece in split(text, shapes):
        start = at + _width(text[chars : piece.start])
        end = start + _width(text[piece.start : piece.end])
        at, chars = end, piece.end
        if piece.kind == "record":
            if before:
                yield place.issue("glued-records", "error", "it stands on the line of another record", start)
            before += 1
            yield from _record(line[start:end], place, start, shapes)
        else:
            before += piece.kind != "bom"
            severity, detail = _BAD[piece.kind]
            yield place.issue(piece.kind, severity, f"{detail}; {end - start} bytes", start, end)


def _record(raw: bytes, place: Place, start: int, shapes: Shapes) -> Iterator[Record | Issue]:
    value, flaws = decode_object(raw)
    shapes.add(value)
    for flaw in flaws:
        yield place.issue(flaw.kind, flaw.severity, flaw.detail, start + flaw.byte)
    origin = Origin(
        file=place.file, line=place.line, start=place.start + start, end=place.start + start + len(raw)
    )
    yield Record(value, raw, origin)


def _width(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogateescape"))


def _skip(stream: BinaryIO) -> int:
    """Pass over the rest of a line; how many bytes that was."""
    size = 0
    while step := stream.readline(_STEP):
        size += len(step)
        if step.endswith(b"\n"):
            break
    return size


def _too_long(file: str, number: int, start: int, size: int) -> Issue:
    return Place(file, number, start).issue(
        "line-too-long", "warning", f"a line of {size} bytes was passed over; left as it is", 0, size
    )

"""What holds for every format of lines: no line end but one, no limit that a session would meet, bounded memory."""

from __future__ import annotations

import tracemalloc
from collections.abc import Iterator
from io import BytesIO
from typing import Any, BinaryIO, Final, cast

import pytest

from contextrail.core.json_text import dump
from contextrail.transcripts.detect import reader_of
from contextrail.transcripts.session import Entry
from tests.transcripts.hosts import kinds, said, session

TEXT: Final = "one\u2028two\u2029three\x85four\x0bfive"


def turn(name: str, number: int, text: str) -> dict[str, Any]:
    """A record in which the user says something."""
    match name:
        case "codex":
            content = [{"type": "input_text", "text": text}]
            return {
                "type": "response_item",
                "payload": {"type": "message", "role": "user", "content": content},
            }
        case "pi":
            said_text = [{"type": "text", "text": text}]
            return {"type": "message", "message": {"role": "user", "content": said_text}}
        case "gemini-cli":
            return {
                "id": f"u{number}",
                "timestamp": "2026-05-01T09:00:00Z",
                "type": "user",
                "content": [{"text": text}],
            }
        case _:
            return {"id": f"u{number}", "role": "user", "parts": [{"type": "text", "content": text}]}


LINE_FORMATS: Final = pytest.mark.parametrize("name", ["codex", "pi", "gemini-cli", "neutral"])


@LINE_FORMATS
def test_a_line_ends_at_its_line_feed_and_nowhere_else(name: str) -> None:
    read = session(name, [turn(name, 1, TEXT), turn(name, 2, TEXT)])
    assert said(read.messages) == [("user", TEXT), ("user", TEXT)]


@LINE_FORMATS
def test_a_line_of_half_a_megabyte_is_read(name: str) -> None:
    read = session(name, [turn(name, 1, "x" * 500_000), turn(name, 2, "y")])
    assert [len(text) for _, text in said(read.messages)] == [500_000, 1]


@LINE_FORMATS
def test_one_line_alone_is_read(name: str) -> None:
    assert said(session(name, [turn(name, 1, "a")]).messages) == [("user", "a")]


def test_a_long_first_line_that_is_no_message_does_not_hide_the_others() -> None:
    read = session("neutral", [{"system": "be exact " * 20_000}, turn("neutral", 1, "a")])
    assert said(read.messages) == [("user", "a")]
    assert read.head.system


@LINE_FORMATS
def test_windows_line_ends_and_a_byte_order_mark_change_nothing(name: str) -> None:
    records = [turn(name, 1, "a"), turn(name, 2, "b")]
    data = b"\xef\xbb\xbf" + b"".join(dump(record) + b"\r\n" for record in records)
    read = session(name, data)
    assert said(read.messages) == [("user", "a"), ("user", "b")]
    assert kinds(read) == ["bom"]


@LINE_FORMATS
def test_a_record_that_was_cut_off_is_named_and_the_others_are_read(name: str) -> None:
    whole = [dump(turn(name, number, "word " * 10)) for number in range(3)]
    data = whole[0] + b"\n" + whole[1] + b"\n" + whole[2][:-20]
    read = session(name, data)
    assert len(read.messages) == 2
    (issue,) = read.issues
    assert (issue.kind, issue.line, issue.end) == ("truncated", 3, len(data.rstrip()))


class Endless:
    """A stream of many records that exists only a record at a time."""

    def __init__(self, name: str, count: int) -> None:
        self._lines = self._all(name, count)
        self._rest = BytesIO()

    @staticmethod
    def _all(name: str, count: int) -> Iterator[bytes]:
        for number in range(count):
            yield dump(turn(name, number, f"{number} " + "x" * 20_000)) + b"\n"

    def readline(self, _limit: int = -1) -> bytes:
        return self._rest.readline() or next(self._lines, b"")

    def read(self, size: int = -1) -> bytes:
        data = self._rest.read()
        while len(data) < size and (line := next(self._lines, b"")):
            data += line
        self._rest = BytesIO(data[size:])
        return data[:size]


@LINE_FORMATS
def test_memory_does_not_grow_with_the_file(name: str) -> None:
    stream = cast("BinaryIO", Endless(name, 1_500))
    tracemalloc.start()
    count = sum(isinstance(event, Entry) for event in reader_of(name).read(stream, "session"))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert count == 1_500
    assert peak < 8_000_000

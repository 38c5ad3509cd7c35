"""JSON lines: every byte belongs to a record or an issue, and damage costs only what it hit."""

from __future__ import annotations

import json
from io import BytesIO
from pathlib import Path
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contextrail.transcripts.lines import Record, records
from contextrail.transcripts.session import Issue

DATA: Final = Path(__file__).parents[1] / "data" / "bad-input"
PARSING: Final = sorted(DATA.glob("json-test-suite/test_*/*.json"))
BLANK: Final = b" \t\r\n"

ONE: Final = b'{"type":"user","id":"1","text":"one"}'
TWO: Final = b'{"type":"user","id":"2","text":"two"}'


def read(data: bytes, **options: int) -> tuple[list[Record], list[Issue]]:
    items = list(records(BytesIO(data), "f", **options))
    return (
        [item for item in items if isinstance(item, Record)],
        [item for item in items if isinstance(item, Issue)],
    )


def kinds(issues: list[Issue]) -> list[str]:
    return [issue.kind for issue in issues]


def uncovered(data: bytes) -> bytes:
    """The bytes that belong to no record and no issue; records and ranges of issues may not overlap."""
    left = bytearray()
    at = 0
    for item in records(BytesIO(data), "f"):
        if isinstance(item, Record):
            start, end = item.origin.start, item.origin.end
            assert data[start:end] == item.raw
        elif item.end is None:
            continue
        else:
            assert item.byte is not None
            start, end = item.byte, item.end
        assert at <= start < end
        left += data[at:start]
        at = end
    return bytes(left + data[at:])


# What there is, is found


def test_healthy_lines_are_records_with_their_bytes() -> None:
    found, issues = read(ONE + b"\r\n\n  " + TWO + b"\n")
    assert [(each.raw, each.origin.line, each.origin.start) for each in found] == [(ONE, 1, 0), (TWO, 3, 42)]
    assert issues == []


def test_only_the_byte_newline_ends_a_line() -> None:
    line = '{"text":"a\u2028b\u2029c\x85d"}'.encode()
    found, issues = read(line + b"\n" + ONE)
    assert [each.origin.line for each in found] == [1, 2]
    assert found[0].value == {"text": "a\u2028b\u2029c\x85d"}
    assert issues == []


def test_two_records_glued_on_one_line_are_two_records() -> None:
    found, issues = read(ONE + TWO + b"\n")
    assert [each.raw for each in found] == [ONE, TWO]
    assert [(issue.kind, issue.byte) for issue in issues] == [("glued-records", len(ONE))]


@pytest.mark.parametrize("cut", range(2, len(ONE) - 1))
def test_a_record_glued_to_one_that_was_cut_off_anywhere_is_found(cut: int) -> None:
    found, issues = read(TWO + b"\n" + ONE[:cut] + TWO + b"\n" + TWO)
    assert [each.raw for each in found] == [TWO, TWO, TWO]
    truncated = next(issue for issue in issues if issue.kind == "truncated")
    assert (truncated.line, truncated.byte, truncated.end) == (2, len(TWO) + 1, len(TWO) + 1 + cut)


def test_text_beyond_ascii_does_not_shift_ranges() -> None:
    line = '{"text":"汉字 🎉","type":"user"}'.encode()
    found, _ = read(line + line + b"x")
    assert [each.raw for each in found] == [line, line]


def test_objects_inside_a_damaged_record_are_not_taken_for_records() -> None:
    inner = b'{"type":"user","message":{"id":"1","text":"x"},"more":[{"type":"user"}'
    found, issues = read(ONE + b"\n" + inner)
    assert [each.raw for each in found] == [ONE]
    assert [(issue.kind, issue.byte, issue.end) for issue in issues] == [
        ("truncated", len(ONE) + 1, len(ONE) + 1 + len(inner))
    ]


@pytest.mark.parametrize(
    "tail",
    [b'{"a"', b'{"a":', b'{"a":t', b'{"a":-', b'{"a":"x', b'{"a":"\\', b'{"a":"\\u12', b'{"a":[1,', b"{"],
)
def test_a_broken_tail_is_truncated_with_its_place(tail: bytes) -> None:
    found, issues = read(ONE + b"\n" + tail)
    assert [each.raw for each in found] == [ONE]
    assert [(issue.kind, issue.line, issue.byte, issue.end) for issue in issues] == [
        ("truncated", 2, len(ONE) + 1, len(ONE) + 1 + len(tail))
    ]


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (b"hello there", "not-json"),
        (b'{"a":1,,"b":2}', "not-json"),
        (b"[1,2]", "not-an-object"),
        (b'"text"', "not-an-object"),
        (b"12", "not-an-object"),
        (b"\0\0\0\0", "nul-bytes"),
        (b"\xef\xbb\xbf", "bom"),
        (b'{"a":' * 100_000, "too-deep"),
        (b'{"a":' + b"[" * 300 + b"]" * 300 + b"}", "too-deep"),
    ],
)
def test_bytes_that_are_no_record_are_an_issue_with_their_range(data: bytes, kind: str) -> None:
    found, issues = read(ONE + b"\n" + data + b"\n" + TWO)
    assert [each.raw for each in found] == [ONE, TWO]
    start = len(ONE) + 1
    assert [(issue.kind, issue.byte, issue.end) for issue in issues] == [(kind, start, start + len(data))]


def test_a_record_is_found_behind_junk_and_junk_behind_a_record() -> None:
    found, issues = read(b"\0\0" + ONE + b" xyz\n" + b'e":"rest"}' + TWO)
    assert [each.raw for each in found] == [ONE, TWO]
    assert kinds(issues) == ["nul-bytes", "glued-records", "not-json", "not-json", "glued-records"]


# Damage inside a record


@pytest.mark.parametrize(
    ("record", "value", "kind", "byte"),
    [
        (b'{"a":"x\xffy"}', {"a": "x\ufffdy"}, "invalid-utf8", 7),
        (b'{"a":"x\xed\xa0\x80"}', {"a": "x\ufffd\ufffd\ufffd"}, "invalid-utf8", 7),
        (b'{"a":"x\x00y"}', {"a": "x\0y"}, "control-character", 7),
        (b'{"a":"\\ud83d"}', {"a": "\ud83d"}, "lone-surrogate", 6),
        (b'{"a":"\\ude00\\ud83d"}', {"a": "\ude00\ud83d"}, "lone-surrogate", 6),
        (b'{"a":1,"a":2}', {"a": 2}, "duplicate-key", 0),
        (b'{"a":NaN}', {"a": None}, "not-a-number", 0),
        (b'{"a":-Infinity}', {"a": None}, "not-a-number", 0),
        (b'{"a":1e999}', {"a": None}, "number-out-of-range", 0),
        (b'{"a":' + b"9" * 5000 + b"}", {"a": None}, "number-out-of-range", 0),
    ],
)
def test_a_flawed_record_is_read_and_the_flaw_told(
    record: bytes, value: dict[str, object], kind: str, byte: int
) -> None:
    found, issues = read(ONE + b"\n" + record + b"\n" + TWO)
    assert [each.raw for each in found] == [ONE, record, TWO]
    assert found[1].value == value
    assert [(issue.kind, issue.byte) for issue in issues] == [(kind, len(ONE) + 1 + byte)]


@pytest.mark.parametrize(
    "record", [b'{"a":"\\ud83d\\ude00"}', b'{"a":"\\\\ud83d"}', '{"a":"😀"}'.encode(), b'{"a":"\\uFFFD"}']
)
def test_whole_pairs_and_escaped_backslashes_are_no_flaw(record: bytes) -> None:
    assert read(record)[1] == []


# Bounded


def test_a_line_over_the_limit_is_passed_over_and_told_with_its_range() -> None:
    long = b'{"a":"' + b"x" * 1000 + b'"}'
    found, issues = read(ONE + b"\n" + long + b"\n" + TWO, max_line=100)
    assert [each.raw for each in found] == [ONE, TWO]
    start = len(ONE) + 1
    assert [(issue.kind, issue.byte, issue.end) for issue in issues] == [
        ("line-too-long", start, start + len(long) + 1)
    ]


def test_a_line_of_just_the_limit_is_read() -> None:
    found, issues = read(ONE + b"\n" + TWO, max_line=len(ONE))
    assert ([each.raw for each in found], issues) == ([ONE, TWO], [])


class Endless:
    """A stream that never ends and says how much was asked of it at once."""

    def __init__(self) -> None:
        self.largest = 0
        self.given = 0

    def readline(self, limit: int) -> bytes:
        self.largest = max(self.largest, limit)
        self.given += limit
        return b"x" * limit if self.given < 50_000_000 else b""


def test_a_huge_line_is_never_asked_for_in_one_piece() -> None:
    stream = Endless()
    list(records(stream, "f", max_line=4096))  # type: ignore[arg-type]
    assert stream.largest <= 1024 * 1024


def test_records_come_before_the_next_line_is_read() -> None:
    stream = BytesIO(ONE + b"\n" + TWO + b"\n")
    next(records(stream, "f"))
    assert stream.tell() == len(ONE) + 1


# Hostile input costs no more than its length


@pytest.mark.parametrize(
    "line",
    [
        b"x[" + b"{" * 200_000,
        b'{"a":x' * 30_000,
        b'{"a":{"a":[' * 20_000,
        b'x{"a":"' * 30_000,
        b'{"a":1}x' * 30_000,
        b"\0{" * 100_000,
        b'{"a":"\\ud83d' * 20_000,
    ],
)
@pytest.mark.timeout(20)
def test_hostile_lines_do_not_cost_quadratic_time(line: bytes) -> None:
    assert uncovered(ONE + b"\n" + line).strip(BLANK) == b""


# All of it


def test_the_parser_suite_is_there() -> None:
    assert len(PARSING) > 300


@pytest.mark.parametrize("path", PARSING, ids=lambda path: path.stem)
def test_every_case_of_the_parser_suite_is_covered(path: Path) -> None:
    data = path.read_bytes()
    for file in (data, ONE + b"\n" + data + b"\n" + TWO, ONE + data):
        assert uncovered(file).strip(BLANK) == b""
    found, _ = read(ONE + b"\n" + data.replace(b"\n", b" ") + b"\n" + TWO)
    assert (found[0].raw, found[-1].raw) == (ONE, TWO)


def test_real_damaged_logs_lose_nothing() -> None:
    paths = sorted(DATA.glob("jsonl-glued-records/*.jsonl"))
    assert len(paths) == 2
    counts = {}
    for path in paths:
        data = path.read_bytes()
        found, issues = read(data)
        counts[path.stem] = (len(found), kinds(issues).count("glued-records"), len(issues))
        assert uncovered(data).strip(BLANK) == b""
        assert b"".join(each.raw for each in found) == b"".join(data.split())[:0] + data.replace(b"\n", b"")
    assert counts == {"claude-code": (28, 7, 7), "pi": (4, 1, 1)}


objects = st.dictionaries(
    st.sampled_from(["type", "id", "text", "message"]),
    st.recursive(
        st.none()
        | st.booleans()
        | st.integers()
        | st.text(max_size=8)
        | st.floats(allow_nan=False, allow_infinity=False, width=32),
        lambda inner: (
            st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["type", "id"]), inner, max_size=2)
        ),
        max_leaves=6,
    ),
    max_size=4,
)
lines = objects.map(lambda value: json.dumps(value, ensure_ascii=False).encode())
noise = st.sampled_from(
    [b"{", b"}", b'"', b"\\", b"\0", b"\xff", b"[", b",", b"x", b"\n", b"\r", b"\xef\xbb\xbf"]
)


@given(st.lists(lines, max_size=5), st.data())
def test_every_byte_of_any_mutilated_file_is_covered(values: list[bytes], data: st.DataObject) -> None:
    file = bytearray(b"\n".join(values))
    for _ in range(data.draw(st.integers(0, 6))):
        at = data.draw(st.integers(0, len(file)))
        if data.draw(st.booleans()):
            file[at:at] = data.draw(noise)
        else:
            del file[at : at + data.draw(st.integers(1, 9))]
    assert uncovered(bytes(file)).strip(BLANK) == b""


@given(st.binary(max_size=60))
def test_every_byte_of_any_file_is_covered(file: bytes) -> None:
    assert uncovered(file).strip(BLANK) == b""


@given(st.lists(lines, min_size=1, max_size=6), st.sampled_from([b"\n", b"\r\n", b"\n\n", b" \n", b""]))
def test_whole_records_are_read_whatever_stands_between_them(values: list[bytes], end: bytes) -> None:
    found, _ = read(end.join(values))
    assert [each.raw for each in found] == values
    assert [each.value for each in found] == [json.loads(value) for value in values]

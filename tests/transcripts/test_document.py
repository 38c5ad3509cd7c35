"""One JSON document, read as far as it goes; what was not read is named with its bytes."""

from __future__ import annotations

from typing import Any

import pytest

from contextrail.core.json_text import dump
from contextrail.transcripts.document import ROOT, Document, Element, read_document
from contextrail.transcripts.session import Issue

ITEMS = [{"role": "user", "n": number, "words": "wörter 文字 👩‍💻"} for number in range(5)]
WHOLE = dump({"before": {"a": [1, 2]}, "messages": ITEMS, "after": "x"}, indent=1)


def looks(value: Any) -> bool:
    return isinstance(value, dict) and "role" in value


def read(data: bytes, *lists: str) -> Document:
    return read_document(data, "file", lists or ("messages",), looks)


def numbers(document: Document) -> list[int]:
    return [each.value["n"] for each in document.elements("messages")]


def issues(document: Document) -> list[Issue]:
    return [each for each in document.items if isinstance(each, Issue)]


def test_elements_have_their_place_and_the_rest_is_one_object() -> None:
    document = read(WHOLE)
    assert document.value == {"before": {"a": [1, 2]}, "after": "x"}
    assert numbers(document) == [0, 1, 2, 3, 4]
    for element in document.elements("messages"):
        raw = WHOLE[element.origin.start : element.origin.end]
        assert raw.startswith(b"{")
        assert raw.endswith(b"}")
        assert WHOLE[: element.origin.start].count(b"\n") + 1 == element.origin.line


def test_a_list_can_be_the_document() -> None:
    document = read(dump(ITEMS), ROOT)
    assert [each.value["n"] for each in document.elements(ROOT)] == [0, 1, 2, 3, 4]


@pytest.mark.parametrize("end", range(WHOLE.index(b'"n": 2'), WHOLE.index(b'"n": 3')))
def test_a_truncated_document_gives_the_elements_before_the_break(end: int) -> None:
    document = read(WHOLE[:end])
    (issue,) = issues(document)
    assert numbers(document) in ([0, 1], [0, 1, 2])
    assert (issue.kind, issue.end) == ("truncated", end)
    last = [each for each in document.items if isinstance(each, Element)][-1]
    assert issue.byte is not None
    assert last.origin.end <= issue.byte


def test_a_damaged_element_is_passed_over_and_named() -> None:
    data = WHOLE.replace(b'"n": 2', b'"n"; 2')
    document = read(data)
    (issue,) = issues(document)
    assert numbers(document) == [0, 1, 3, 4]
    assert issue.kind == "not-json"
    assert issue.byte is not None
    assert b'"n"; 2' in data[issue.byte : issue.end]
    assert document.value == {"before": {"a": [1, 2]}, "after": "x"}


def test_junk_between_elements_is_named() -> None:
    data = dump({"messages": ITEMS}).replace(b"},{", b"} oops, {", 1)
    document = read(data)
    assert numbers(document) == [0, 1, 2, 3, 4]
    assert [issue.kind for issue in issues(document)] == ["not-json"]


def test_a_damaged_head_does_not_hide_the_list() -> None:
    document = read(WHOLE.replace(b'"before": {', b'"before": }'))
    assert numbers(document) == [0, 1, 2, 3, 4]
    assert issues(document)[0].kind == "not-json"


def test_flaws_inside_what_could_be_read_are_named_at_their_byte() -> None:
    data = b'{"x": NaN, "messages": [{"role": "a\xffb", "n": 1}, {"role": "u", "n": 2, "n": 3}]}'
    document = read(data)
    assert numbers(document) == [1, 3]
    found = {issue.kind: issue.byte for issue in issues(document)}
    assert found.keys() == {"not-a-number", "invalid-utf8", "duplicate-key"}
    assert found["invalid-utf8"] == data.index(b"\xff")


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (b"", "not-an-object"),
        (b"17", "not-an-object"),
        (b'{"messages": []} and more', "not-json"),
        (b'{"messages": [1]}', "not-an-object"),
        (b'{"messages": [' + b'{"role":' * 300 + b"1" + b"}" * 300 + b"]}", "too-deep"),
        (b'{"messages": [], "messages": []}', None),
        (b'{"a": 1, "a": 2, "messages": []}', "duplicate-key"),
    ],
)
def test_what_is_wrong_with_a_document_is_said(data: bytes, kind: str | None) -> None:
    assert [issue.kind for issue in issues(read(data))] == ([] if kind is None else [kind])


def test_a_document_that_is_hostile_takes_no_more_than_its_time() -> None:
    data = b'{"messages": [' + b'{"a":[' * 20_000
    assert [issue.kind for issue in issues(read(data))]

"""Neutral messages in files: a document, a list, or lines."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from contextrail.core.json_text import dump
from contextrail.messages.model import Origin, Text
from contextrail.transcripts.detect import detect, read_session
from tests.transcripts.hosts import calls, kinds, lines, said, session

MESSAGES: list[dict[str, Any]] = [
    {"id": "u1", "role": "user", "parts": [{"type": "text", "content": "hi"}]},
    {
        "id": "a1",
        "role": "assistant",
        "parts": [{"type": "tool_call", "id": "c", "name": "ls", "arguments": {}}],
    },
    {
        "id": "t1",
        "role": "tool",
        "parts": [{"type": "tool_call_response", "id": "c", "response": "a", "status": "ok"}],
    },
]
HEAD = {"system": "be exact", "model": "m", "tools": [{"name": "ls", "parameters": {"type": "object"}}]}
FORMS = {
    "document": dump({**HEAD, "messages": MESSAGES}),
    "indented": dump({**HEAD, "messages": MESSAGES}, indent=2),
    "list": dump(MESSAGES),
    "lines": lines(MESSAGES),
    "lines with a head": lines([HEAD, *MESSAGES]),
    "one line for all": lines([{**HEAD, "messages": MESSAGES}]),
}


@pytest.mark.parametrize("form", FORMS)
def test_every_form_gives_the_same_messages(form: str, tmp_path: Path) -> None:
    path = tmp_path / "session"
    path.write_bytes(FORMS[form])
    assert detect(path) == "neutral"
    read = read_session(path)
    assert [message.id for message in read.messages] == ["u1", "a1", "t1"]
    assert calls(read.messages) == ["c", "-c"]
    assert kinds(read) == []


@pytest.mark.parametrize("form", ["document", "indented", "lines with a head"])
def test_what_is_said_beside_the_messages_is_the_head(form: str) -> None:
    head = session("neutral", FORMS[form]).head
    assert (head.model, head.system) == ("m", (Text(text="be exact"),))
    assert [tool.name for tool in head.tools] == ["ls"]


def test_a_message_that_says_where_it_was_read_keeps_that() -> None:
    where = {"file": "log.jsonl", "line": 7, "start": 70, "end": 99}
    read = session("neutral", [{**MESSAGES[0], "origin": where}, MESSAGES[1]])
    assert read.messages[0].origin == Origin(file="log.jsonl", line=7, start=70, end=99)
    assert read.messages[1].origin is not None
    assert read.messages[1].origin.line == 2


def test_a_document_may_say_long_things_before_its_messages(tmp_path: Path) -> None:
    path = tmp_path / "session.json"
    path.write_bytes(
        dump({"model": "m", "tools": [{"name": "ls", "description": "x" * 100_000}], "messages": MESSAGES})
    )
    assert detect(path) == "neutral"
    assert len(read_session(path).messages) == 3


def test_ids_may_repeat_and_may_be_missing() -> None:
    bare = {key: field for key, field in MESSAGES[0].items() if key != "id"}
    other = {"id": "u1", "role": "user", "parts": [{"type": "text", "content": "another"}]}
    read = session("neutral", [MESSAGES[0], MESSAGES[0], other, bare])
    assert [message.id for message in read.messages[:3]] == ["u1", "u1~2", "u1~3"]
    assert read.messages[3].id.startswith("m3-")


def test_a_message_that_cannot_be_read_is_reported_with_its_line_and_path() -> None:
    read = session("neutral", [MESSAGES[0], {"role": "user", "parts": [{"type": "text"}]}, MESSAGES[1]])
    assert len(read.messages) == 2
    (issue,) = read.issues
    assert (issue.kind, issue.line) == ("not-a-message", 2)
    assert "parts[0].content" in issue.detail


def test_a_line_that_is_no_message_is_carried_along() -> None:
    read = session("neutral", [MESSAGES[0], {"type": "note", "text": "x"}])
    assert kinds(read) == ["unknown-type"]
    assert len(read.entries) == 2


def test_a_truncated_document_gives_the_messages_before_the_break() -> None:
    data = FORMS["indented"]
    read = session("neutral", data[: data.index(b"tool_call_response")])
    assert said(read.messages) == [("user", "hi"), ("assistant", "ls {}")]
    assert kinds(read) == ["truncated"]

"""Writing a Claude Code session: what nobody changed comes back byte for byte."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from contextrail.core.errors import InvalidRequest
from contextrail.messages.model import Message, Text
from contextrail.transcripts.session import Session
from contextrail.transcripts.write_claude_code import write
from tests.transcripts.claude import (
    DAMAGED,
    FIXTURES,
    SESSIONS,
    answers,
    calls,
    read,
    record,
    says,
    session,
    user,
)


@pytest.mark.parametrize("path", [*SESSIONS, *FIXTURES], ids=lambda path: path.stem)
def test_an_untouched_file_comes_back_line_for_line(path: Path) -> None:
    data = path.read_bytes()
    assert b"".join(write(read(data))) == data


def test_glued_records_come_back_on_lines_of_their_own() -> None:
    data = DAMAGED.read_bytes()
    written = b"".join(write(read(data)))
    assert written.replace(b"\n", b"") == data.replace(b"\n", b"")
    assert read(written).messages == tuple(_moved(read(data), read(written)))


def test_a_changed_message_changes_its_record_and_no_other() -> None:
    made = session(
        user("u1", None, "old"), says("a1", "u1"), user("u2", "a1", [{"type": "text", "text": "x"}])
    )
    edited = _edited(made, 0, "new")
    before, after = list(write(made)), list(write(edited))
    assert after[1:] == before[1:]
    assert json.loads(after[0]) == {
        **json.loads(before[0]),
        "message": {"role": "user", "content": [{"type": "text", "text": "new"}]},
    }
    assert read(b"".join(after)).messages[0].parts == (Text(text="new"),)


def test_pieces_of_one_record_are_written_as_one() -> None:
    made = session(
        calls("a1", None, "c1"),
        user("u1", "a1", [*answers("x", None, "c1")["message"]["content"], {"type": "text", "text": "old"}]),
    )
    lines = list(write(_edited(made, 2, "new")))
    assert [block["type"] for block in json.loads(lines[1])["message"]["content"]] == ["tool_result", "text"]


def test_a_record_that_cannot_hold_an_edit_is_not_silently_left_as_it_was() -> None:
    queued = {"type": "queued_command", "prompt": "also", "commandMode": "prompt"}
    made = session(user("u1", None), record("attachment", "q1", "u1", attachment=queued))
    with pytest.raises(InvalidRequest, match="attachment"):
        list(write(_edited(made, 1, "new")))


def _edited(made: Session, at: int, text: str) -> Session:
    messages = list(made.segments[-1])
    messages[at] = replace(messages[at], parts=(Text(text=text),))
    return replace(made, segments=(*made.segments[:-1], tuple(messages)))


def _moved(old: Session, new: Session) -> list[Message]:
    return [
        replace(message, origin=there.origin)
        for message, there in zip(old.messages, new.messages, strict=True)
    ]

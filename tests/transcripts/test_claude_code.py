"""Claude Code sessions: what each record says, and whose words it is."""

from __future__ import annotations

import json
from collections import Counter
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

from contextrail.core.json_text import JsonObject, dump
from contextrail.messages.model import (
    Conversation,
    Fence,
    Media,
    Summary,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
)
from contextrail.messages.pairs import continues, pair
from contextrail.transcripts import claude_code
from contextrail.transcripts.assemble import merge
from contextrail.transcripts.session import Entry, Issue, Session
from contextrail.wire import anthropic, neutral
from contextrail.wire.anthropic_blocks import read_block
from tests.transcripts.claude import (
    DAMAGED,
    DATA,
    FIXTURES,
    SESSIONS,
    answers,
    calls,
    file,
    issues,
    read,
    record,
    says,
    segments,
    session,
    user,
)

FILES = [*SESSIONS, *FIXTURES, DAMAGED]


def test_there_are_real_sessions_to_read() -> None:
    assert (len(SESSIONS), len(FIXTURES)) == (5, 5)


# Messages


def test_a_message_has_the_id_time_and_place_of_its_record() -> None:
    data = b"\n" + file(user("u1", None, "hello"))
    message = read(data).messages[0]
    assert (message.id, message.role, message.parts) == ("u1", "user", (Text(text="hello"),))
    assert message.timestamp == datetime(2026, 5, 1, 9, 46, tzinfo=UTC)
    assert message.origin is not None
    assert (message.origin.line, data[message.origin.start : message.origin.end]) == (2, data[1:-1])


def test_results_and_speech_in_one_record_are_messages_in_block_order() -> None:
    blocks = [
        {"type": "tool_result", "tool_use_id": "c1", "content": "one"},
        {"type": "tool_result", "tool_use_id": "c2", "content": "two"},
        {"type": "text", "text": "and now this"},
    ]
    made = session(calls("a1", None, "c1", "c2"), user("u1", "a1", blocks))
    assert [(message.id, message.role, len(message.parts)) for message in made.messages] == [
        ("a1", "assistant", 2),
        ("u1", "tool", 2),
        ("u1#1", "user", 1),
    ]
    assert [continues(message) for message in made.messages] == [False, False, True]


def test_only_a_record_that_goes_on_with_a_reply_is_marked_so() -> None:
    made = session(
        user("u1", None), says("a1", "u1", reply="r1"), calls("a2", "a1", "c1", reply="r1"),
        answers("t1", "a2", "c1"), calls("a3", "t1", "c2", reply="r1"), says("a4", "a3", reply="r2"),
    )  # fmt: skip
    assert [message.id for message in made.messages if continues(message)] == ["a2"]


def test_what_the_host_put_in_is_a_fence_and_no_run_of_its_own() -> None:
    made = session(
        user("u1", None, "first"), user("m1", "u1", "Caveat: ...", isMeta=True), says("a1", "m1"),
        user("u2", "a1", "second"),
    )  # fmt: skip
    assert [type(message.parts[0]) for message in made.messages] == [Text, Fence, Text, Text]
    assert [message.run for message in made.messages] == [0, 0, 0, 1]


def test_a_summary_of_a_compaction_is_a_summary() -> None:
    made = session(user("u1", None, "what was", isCompactSummary=True), says("a1", "u1"))
    assert made.messages[0].parts == (Summary(text="what was"),)


def test_a_prompt_given_while_the_model_worked_is_said_by_the_user() -> None:
    def queued(mode: str) -> JsonObject:
        return {"type": "queued_command", "prompt": "also this", "commandMode": mode}

    made = session(
        user("u1", None), record("attachment", "q1", "u1", attachment=queued("prompt")),
        record("attachment", "q2", "q1", attachment=queued("task-notification")),
    )  # fmt: skip
    assert [type(message.parts[0]) for message in made.messages] == [Text, Text, Fence]


def test_what_a_command_of_the_host_printed_is_a_fence() -> None:
    made = session(user("u1", None), record("system", "s1", "u1", subtype="local_command", content="printed"))
    assert made.messages[1].parts == (Fence(family="local-command", text="printed"),)


def test_an_error_text_of_the_host_is_not_part_of_the_talk() -> None:
    made = session(user("u1", None), {**says("a1", "u1", "API Error: 529"), "isApiErrorMessage": True})
    assert [message.id for message in made.messages] == ["u1"]
    assert issues(made) == ["host-message"]


@pytest.mark.parametrize("message", [None, "text", {"role": "user"}, {"content": 5}, {"content": None}, []])
def test_a_record_without_content_that_can_be_read_is_told_and_kept(message: Any) -> None:
    made = session(user("u1", None), record("assistant", "a1", "u1", message=message))
    assert issues(made) == ["no-content"]
    assert len(made.entries) == 2


@pytest.mark.parametrize(
    "fields",
    [
        {"uuid": 5}, {"parentUuid": []}, {"type": None}, {"timestamp": 10**30}, {"timestamp": "soon"},
        {"agentId": {}, "isSidechain": True}, {"compactMetadata": 1}, {"message": {"content": [1, None, "x", [], {}]}},
        {"message": {"role": [], "content": [{"type": "tool_result"}]}}, {"isMeta": "yes"},
        {"type": "attachment", "attachment": {"type": "queued_command", "prompt": "x", "commandMode": []}},
    ],
)  # fmt: skip
def test_fields_of_other_types_are_no_reason_to_stop(fields: JsonObject) -> None:
    made = session(user("u1", None), {**user("x", "u1"), **fields}, says("a1", "u1"))
    assert len(made.entries) == 3


def test_unknown_types_are_carried_along_and_told_once_each() -> None:
    made = session(
        user("u1", None), record("novelty", "n1", "u1"), record("novelty", "n2", "n1"), says("a1", "n2")
    )
    assert segments(made) == [["u1", "n1", "n2", "a1"]]
    assert issues(made) == ["unknown-type"]
    assert made.entries[1].value == record("novelty", "n1", "u1")


# Real files


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_blocks_are_read_as_the_codec_reads_them(path: Path) -> None:
    for entry in read(path.read_bytes()).entries:
        if entry.kind not in {"user", "assistant"} or not isinstance(entry.value, dict) or not entry.messages:
            continue
        content = entry.value["message"]["content"]
        if isinstance(content, list):
            parts = [part for message in entry.messages for part in message.parts]
            plain = [
                Text(text=part.text, extra=part.extra) if isinstance(part, (Fence, Summary)) else part
                for part in parts
            ]
            assert plain == list(map(read_block, content))


def test_real_sessions_are_what_their_source_says() -> None:
    parts: dict[str, Counter[str]] = {}
    for path in SESSIONS:
        made = read(path.read_bytes())
        parts[path.stem.removesuffix("-conversation")] = Counter(
            type(part).__name__ for message in made.messages for part in message.parts
        )
    assert parts["large"][ToolCall.__name__] == parts["large"][ToolResult.__name__] == 152
    assert parts["long"][ToolCall.__name__] == 98
    assert (parts["long"][Thinking.__name__], parts["long"][Media.__name__]) == (12, 1)
    assert parts["medium"] == {}


@pytest.mark.parametrize("path", SESSIONS, ids=lambda path: path.stem)
def test_real_sessions_are_one_whole_segment_with_whole_pairs(path: Path) -> None:
    made = read(path.read_bytes())
    assert len(made.segments) <= 1
    assert len(made.messages) == sum(len(entry.messages) for entry in made.entries)
    paired = pair(made.messages)
    assert (paired.unanswered, paired.orphans) == ((), ())
    assert {issue.kind for issue in made.issues} <= {"dangling-parent"}


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_no_record_of_a_real_file_is_lost(path: Path) -> None:
    data = path.read_bytes()
    made = read(data)
    raw = b"".join(entry.raw or b"" for entry in made.entries)
    assert raw == data.replace(b"\n", b"")
    spoken = {message.id for entry in made.entries for message in entry.messages}
    lanes = (*made.segments, *made.sidechains.values(), *made.branches)
    marks = {f"gap-before-{ident}" for ident in spoken}
    assert {message.id for lane in lanes for message in lane} - marks == spoken


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_messages_written_as_neutral_are_read_again_the_same(path: Path) -> None:
    messages = read(path.read_bytes()).messages
    body = json.loads(dump(neutral.encode(Conversation(messages=messages))))
    assert neutral.decode(body).messages == messages


@pytest.mark.parametrize("path", SESSIONS, ids=lambda path: path.stem)
def test_a_request_made_of_a_real_session_holds_every_block_as_it_was(path: Path) -> None:
    made = read(path.read_bytes())
    blocks = [
        block
        for message in anthropic.encode(Conversation(messages=made.messages))["messages"]
        for block in _blocks(message)
    ]
    given = [
        block
        for entry in made.entries
        if entry.messages and isinstance(entry.value, dict)
        for block in _blocks(entry.value["message"])
    ]
    assert blocks == given


def _blocks(message: JsonObject) -> list[JsonObject]:
    content = message["content"]
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


# Damage


def _c16() -> tuple[JsonObject, bytes]:
    case = json.loads((DATA / "cases" / "transcripts" / "c16.json").read_bytes())
    lines = b"".join(dump(line) + b"\n" for line in case["input"]["lines"])
    return case, lines + case["input"]["raw_last_line"].encode()


def test_c16_a_damaged_transcript_is_read_without_a_word_lost() -> None:
    case, data = _c16()
    made = read(data)
    tail = len(data) - len(case["input"]["raw_last_line"])
    assert segments(made) == [["u1", "a1"], ["b1", "u2", "a2"]]
    assert [[message.id for message in side] for side in made.sidechains.values()] == [["sc1"]]
    counts = Counter(issue.kind for issue in made.issues)
    assert (counts["dangling-parent"], counts["truncated"], counts["sidechain"]) == (1, 1, 1)
    assert counts["gap"] == 1
    truncated = next(issue for issue in made.issues if issue.kind == "truncated")
    assert (truncated.line, truncated.byte, truncated.end) == (7, tail, len(data))
    dangling = next(issue for issue in made.issues if issue.kind == "dangling-parent")
    assert (dangling.message, "ghost" in dangling.detail) == ("b1", True)
    assert [message.id for message in made.messages] == ["u2", "a2"]


def test_c16_a_second_import_adds_nothing() -> None:
    _, data = _c16()
    made = read(data)
    again = merge(made, read(data), claude_code.head)
    assert again == made


def test_c16_an_unknown_type_does_not_stop_the_reader() -> None:
    _, data = _c16()
    made = read(dump(record("novelty", "n1", None)) + b"\n" + data)
    assert segments(made)[-2:] == [["u1", "a1"], ["b1", "u2", "a2"]]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_reading_a_file_twice_adds_nothing(path: Path) -> None:
    made = read(path.read_bytes())
    assert merge(made, read(path.read_bytes()), claude_code.head) == made


def test_a_longer_reading_of_a_session_adds_just_what_is_new() -> None:
    first = [user("u1", None), says("a1", "u1"), record("summary", None, None), record("summary", None, None)]
    more = [*first, record("summary", None, None), user("u2", "a1")]
    merged = merge(session(*first), session(*more), claude_code.head)
    assert (merged.entries, merged.segments) == (session(*more).entries, session(*more).segments)
    assert len(merge(session(*more), session(*first), claude_code.head).entries) == 6


def test_every_cut_of_a_real_session_reads_as_a_prefix_of_it() -> None:
    data = next(path for path in SESSIONS if path.stem.startswith("tiny")).read_bytes()
    whole = [message.parts for message in read(data).messages]
    for at in range(0, len(data), 97):
        made = read(data[:at])
        assert [message.parts for message in made.messages] == whole[: len(made.messages)]
        clean = at == 0 or data[at - 1 : at] == b"\n" or data[at : at + 1] == b"\n"
        assert [issue.kind for issue in made.issues] == ([] if clean else ["truncated"])


def test_entries_come_while_the_file_is_still_being_read() -> None:
    stream = BytesIO(file(*(user(f"u{at}", None) for at in range(100))))
    events = claude_code.read(stream, "f")
    assert isinstance(next(events), Entry)
    assert stream.tell() < 500


# What it is


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_real_session_is_recognized(path: Path) -> None:
    assert claude_code.sniff(path.read_bytes()[: 64 * 1024], path) >= 0.5


@pytest.mark.parametrize(
    "head",
    [
        b"", b"{}", b"text", b'{"type":"user"}', b'{"role":"user","content":"x"}', b'{"type":"message","id":"1"}',
        b'{"uuid":"u","parentUuid":null,"sessionId":"s","type":"user","message":{"role":"user","parts":[{"text":"x"}]}}',
        b'{"timestamp":"2026-01-01T00:00:00Z","type":"session_meta","payload":{}}',
    ],
)  # fmt: skip
def test_other_files_are_not(head: bytes) -> None:
    assert claude_code.sniff(head, Path("x.jsonl")) < 0.25


def test_a_session_whose_first_line_is_longer_than_what_is_looked_at_is_recognized() -> None:
    data = file(user("u1", None, "x" * 100_000))
    assert claude_code.sniff(data[: 64 * 1024], Path("x.jsonl")) == 0.5


def test_the_model_is_the_one_that_answered_last_in_the_main_lane() -> None:
    made = session(user("u1", None), says("a1", "u1"), {**says("s1", None), "isSidechain": True})
    assert made.head.model == "claude-x"


def test_issues_name_file_line_and_byte() -> None:
    data = file(user("u1", None)) + b"oops\n"
    (issue,) = (event for event in claude_code.read(BytesIO(data), "f.jsonl") if isinstance(event, Issue))
    assert (issue.file, issue.line, issue.byte) == ("f.jsonl", 2, len(data) - 5)


def test_an_empty_session_has_no_messages() -> None:
    assert Session(format="x", file="x").messages == ()

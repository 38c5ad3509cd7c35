"""Codex rollouts: what was sent, in order, with what the host did to it."""

from __future__ import annotations

from typing import Any

import pytest

from contextrail.messages.model import Fence, Message, Summary, Text, Thinking, ToolCall
from contextrail.messages.pairs import continues
from contextrail.messages.settle import settle
from contextrail.transcripts.detect import read_session
from contextrail.wire.openai_responses_write import write_message
from tests.transcripts.hosts import AGENTS, calls, kinds, lines, said, session

META = {"type": "session_meta", "payload": {"id": "s", "base_instructions": {"text": "be exact"}}}


def item(**payload: Any) -> dict[str, Any]:
    return {"timestamp": "2026-05-01T09:00:00.000Z", "type": "response_item", "payload": payload}


def user(text: str) -> dict[str, Any]:
    return item(type="message", role="user", content=[{"type": "input_text", "text": text}])


def answer(text: str) -> dict[str, Any]:
    return item(type="message", role="assistant", content=[{"type": "output_text", "text": text}])


def event(kind: str, **payload: Any) -> dict[str, Any]:
    return {
        "timestamp": "2026-05-01T09:00:00.000Z",
        "type": "event_msg",
        "payload": {"type": kind, **payload},
    }


def back(turns: int) -> dict[str, Any]:
    return event("thread_rolled_back", num_turns=turns)


def test_events_that_repeat_an_item_double_nothing() -> None:
    read = session(
        "codex",
        [
            META,
            event("user_message", message="hi"),
            user("hi"),
            answer("ho"),
            event("agent_message", message="ho"),
        ],
    )
    assert said(read.messages) == [("user", "hi"), ("assistant", "ho")]
    assert kinds(read) == []


def test_a_message_that_only_an_event_holds_is_reported() -> None:
    read = session("codex", [META, user("hi"), event("agent_message", message="never sent")])
    assert kinds(read) == ["event-only"]
    assert read.issues[0].line == 3


def test_an_item_goes_back_to_the_provider_as_it_came() -> None:
    items: list[dict[str, Any]] = [
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "hi"}]},
        {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "gAAA"},
        {
            "type": "function_call",
            "id": "fc_1",
            "call_id": "c1",
            "name": "shell",
            "arguments": '{"command": ["ls"]}',
        },
        {"type": "function_call_output", "call_id": "c1", "output": "a.txt"},
        {"type": "custom_tool_call", "call_id": "c2", "name": "apply_patch", "input": "*** Begin"},
        {"type": "custom_tool_call_output", "call_id": "c2", "output": "done"},
        {
            "type": "web_search_call",
            "id": "ws_1",
            "status": "completed",
            "action": {"type": "search", "query": "x"},
        },
        {
            "type": "message",
            "role": "assistant",
            "content": [{"type": "output_text", "text": "ho"}],
            "phase": "final",
        },
    ]
    added = {"internal_chat_message_metadata_passthrough": {"turn_id": "t"}}
    read = session("codex", [META, *(item(**each, **added) for each in items)])
    assert [sent for message in read.messages for sent in write_message(message)] == items


def test_items_that_the_model_gave_in_a_row_are_one_reply() -> None:
    records = [
        user("hi"),
        item(type="reasoning", summary=[], encrypted_content="gAAA"),
        item(type="function_call", call_id="a", name="ls", arguments="{}"),
        item(type="function_call", call_id="b", name="ls", arguments="{}"),
        item(type="function_call_output", call_id="a", output="A"),
        item(type="function_call_output", call_id="b", output="B"),
        answer("both"),
    ]
    messages = session("codex", records).messages
    assert [continues(message) for message in messages] == [False, False, True, True, False, False, False]
    assert settle(messages) == (messages, ())


def test_reasoning_keeps_what_was_encrypted() -> None:
    read = session("codex", [item(type="reasoning", summary=[], encrypted_content="gAAA"), answer("ho")])
    thinking = read.messages[0].parts[0]
    assert isinstance(thinking, Thinking)
    assert (thinking.redacted, thinking.wire) == ("gAAA", "openai-responses")


def test_what_the_host_wrote_in_the_users_name_is_a_fence() -> None:
    read = session(
        "codex",
        [user("<environment_context>\n<cwd>/x</cwd>"), user("# AGENTS.md instructions for /x"), user("hi")],
    )
    assert [type(message.parts[0]) for message in read.messages] == [Fence, Fence, Text]
    assert [message.run for message in read.messages] == [0, 0, 0]


def test_a_compaction_begins_a_segment_with_the_history_it_left() -> None:
    summary = "Another model began this:\nhalf of it is done"
    kept = [user("do it")["payload"], user(summary)["payload"]]
    compacted = {"type": "compacted", "payload": {"message": summary, "replacement_history": kept}}
    read = session("codex", [user("do it"), answer("half"), compacted, answer("all")])
    assert [said(segment) for segment in read.segments] == [
        [("user", "do it"), ("assistant", "half")],
        [("user", "do it"), ("user", summary), ("assistant", "all")],
    ]
    assert isinstance(read.messages[1].parts[0], Summary)
    assert isinstance(read.messages[0].parts[0], Text)


def test_a_compaction_of_an_old_host_keeps_what_the_user_said() -> None:
    compacted = {"type": "compacted", "payload": {"message": "half of it is done"}}
    read = session(
        "codex",
        [
            user("<environment_context></environment_context>"),
            user("do it"),
            answer("half"),
            compacted,
            answer("all"),
        ],
    )
    assert said(read.messages) == [("user", "do it"), ("user", "half of it is done"), ("assistant", "all")]
    assert isinstance(read.messages[1].parts[0], Summary)


def test_a_long_session_keeps_only_the_latest_of_what_the_user_said() -> None:
    records = [user(f"{number} " + "x" * 30_000) for number in range(5)]
    read = session("codex", [*records, {"type": "compacted", "payload": {"message": "so far"}}])
    assert [text[:2] for _, text in said(read.messages)] == ["3 ", "4 ", "so"]


def test_turns_that_were_taken_back_are_a_branch() -> None:
    started = event("task_started", turn_id="t")
    read = session(
        "codex",
        [user("one"), answer("1"), started, user("two"), answer("2"), back(1), user("three"), answer("3")],
    )
    assert said(read.messages) == [("user", "one"), ("assistant", "1"), ("user", "three"), ("assistant", "3")]
    assert [said(branch) for branch in read.branches] == [[("user", "two"), ("assistant", "2")]]
    assert "rolled-back" in kinds(read)


@pytest.mark.parametrize(("turns", "left"), [(1, ["one", "1"]), (2, [])], ids=["the last of two", "both"])
def test_turns_taken_back_at_the_end_are_not_live(turns: int, left: list[str]) -> None:
    read = session("codex", [user("one"), answer("1"), user("two"), answer("2"), back(turns)])
    assert [text for _, text in said(read.messages) if text] == left


def test_more_turns_taken_back_than_there_were_is_reported() -> None:
    read = session("codex", [user("one"), answer("1"), back(3), user("two")])
    assert said(read.messages) == [("user", "two")]
    assert [issue.severity for issue in read.issues if issue.kind == "rolled-back"] == ["warning"]


def test_model_instructions_and_added_tools_are_the_last_that_were_said() -> None:
    tool = {"name": "look", "description": "looks", "inputSchema": {"type": "object"}}
    records: list[dict[str, Any]] = [
        META,
        {"type": "turn_context", "payload": {"model": "gpt-5"}},
        {"type": "session_meta", "payload": {"dynamic_tools": [tool]}},
        {"type": "turn_context", "payload": {"model": "gpt-5.2"}},
    ]
    head = session("codex", records).head
    assert head.model == "gpt-5.2"
    assert head.system == (Text(text="be exact"),)
    assert [(tool.name, tool.parameters) for tool in head.tools] == [("look", {"type": "object"})]


def test_bare_items_of_old_hosts_are_read() -> None:
    records: list[dict[str, Any]] = [
        {"id": "s", "timestamp": "2025-07-01T09:00:00Z", "instructions": None},
        {"record_type": "state"},
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "hi"}]},
        {"type": "reasoning", "summary": [], "encrypted_content": "gAAA"},
        {"type": "function_call", "name": "shell", "arguments": "{}", "call_id": "c1"},
        {"type": "function_call_output", "call_id": "c1", "output": "a"},
    ]
    read = session("codex", records)
    assert [message.role for message in read.messages] == ["user", "assistant", "assistant", "tool"]
    assert calls(read.messages) == ["c1", "-c1"]
    assert kinds(read) == []


def test_calls_without_ids_are_paired_by_name_and_order() -> None:
    records: list[dict[str, Any]] = [
        {"timestamp": "2025-09-10T12:00:00Z", "role": "user", "content": "go"},
        {
            "timestamp": "2025-09-10T12:00:01Z",
            "type": "tool_call",
            "function": {"name": "a"},
            "arguments": {"x": 1},
        },
        {
            "timestamp": "2025-09-10T12:00:01Z",
            "type": "tool_call",
            "function": {"name": "b"},
            "arguments": "status",
        },
        {"timestamp": "2025-09-10T12:00:02Z", "type": "tool_result", "name": "b", "result": "B"},
        {"timestamp": "2025-09-10T12:00:02Z", "type": "tool_result", "name": "a", "result": {"A": True}},
    ]
    read = session("codex", records)
    assert calls(read.messages) == ["codex-1", "codex-2", "-codex-2", "-codex-1"]
    call = read.messages[2].parts[0]
    assert isinstance(call, ToolCall)
    assert call.arguments == "status"
    assert said(read.messages)[-1] == ("tool", '{"A":true}')


def test_ids_of_the_host_are_kept_and_others_are_made_from_content_and_place() -> None:
    read = session("codex", [item(type="message", id="msg_1", role="user", content="hi"), answer("ho")])
    assert read.messages[0].id == "msg_1"
    assert read.messages[1].id.startswith("m1-")


def test_types_that_are_not_known_are_carried_along() -> None:
    read = session("codex", [META, user("hi"), {"type": "telepathy", "payload": {"x": 1}}])
    assert kinds(read) == ["unknown-type"]
    assert len(read.entries) == 3


def test_the_fixture_with_every_type_of_record_is_read() -> None:
    read = read_session(AGENTS / "codex" / "small.jsonl")
    assert len(read.entries) == 118
    assert [len(segment) for segment in read.segments] == [10, 5, 9, 21, 27, 68, 16]
    first: tuple[Message, ...] = read.segments[0]
    assert calls(first) == ["call-1", "call-2", "-call-2", "call-3", "-call-3", "-call-1"]
    assert read.head.model == "gpt-5.6-sol"


def test_a_session_that_goes_on_keeps_the_ids_it_had() -> None:
    records = [META, user("one"), answer("1")]
    before, after = session("codex", records), session("codex", lines(records) + lines([user("two")]))
    assert after.messages[:2] == before.messages

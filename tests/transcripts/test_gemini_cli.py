"""Sessions of Gemini CLI as JSON and as lines, and of Qwen Code."""

from __future__ import annotations

from typing import Any

from contextrail.core.json_text import dump
from contextrail.messages.model import Conversation, Fence, Media, Thinking, ToolResult
from contextrail.transcripts.detect import read_session
from contextrail.wire import gemini
from tests.transcripts.hosts import AGENTS, calls, kinds, lines, said, session

META = {"sessionId": "s", "projectHash": "h", "startTime": "2026-04-29T21:39:22.319Z"}


def record(ident: str, kind: str, content: Any, **more: Any) -> dict[str, Any]:
    return {"id": ident, "timestamp": "2026-04-29T21:39:33.155Z", "type": kind, "content": content, **more}


def tool(ident: str, output: str | None, **more: Any) -> dict[str, Any]:
    response = {"functionResponse": {"id": ident, "name": "ls", "response": {"output": output}}}
    return {
        "id": ident,
        "name": "ls",
        "args": {"dir": "."},
        "result": None if output is None else [response],
        **more,
    }


def ids(messages: Any) -> list[str]:
    return [message.id for message in messages]


def test_a_call_stands_before_its_result_and_both_keep_the_id() -> None:
    read = read_session(AGENTS / "gemini" / "large.json")
    assert calls(read.messages)[:4] == [
        "run_shell_command-1", "-run_shell_command-1", "run_shell_command-2", "-run_shell_command-2",
    ]  # fmt: skip
    assert ids(read.messages) == ["m1", "m2", "m2#1", "m2b", "m2b#1", "m4", "m5", "m6"]
    assert read.head.model == "gemini-3-flash-preview"


def test_messages_go_back_to_the_provider_as_contents() -> None:
    records = [
        META,
        record("u", "user", [{"text": "list"}]),
        record("g", "gemini", "", toolCalls=[tool("c", "a.txt")]),
        record("g2", "gemini", "one file"),
    ]
    read = session("gemini-cli", records)
    assert gemini.encode(Conversation(wire="gemini", messages=read.messages))["contents"] == [
        {"role": "user", "parts": [{"text": "list"}]},
        {"role": "model", "parts": [{"functionCall": {"id": "c", "name": "ls", "args": {"dir": "."}}}]},
        {
            "role": "user",
            "parts": [{"functionResponse": {"id": "c", "name": "ls", "response": {"output": "a.txt"}}}],
        },
        {"role": "model", "parts": [{"text": "one file"}]},
    ]


def test_parallel_calls_are_one_reply_with_all_results_behind_it() -> None:
    records = [META, record("g", "gemini", "both", toolCalls=[tool("a", "A"), tool("b", "B")])]
    read = session("gemini-cli", records)
    assert [message.role for message in read.messages] == ["assistant", "tool"]
    assert calls(read.messages) == ["a", "b", "-a", "-b"]


def test_a_call_that_was_cancelled_has_no_result() -> None:
    read = session(
        "gemini-cli", [META, record("g", "gemini", "", toolCalls=[tool("a", None, status="cancelled")])]
    )
    assert calls(read.messages) == ["a"]


def test_a_failed_call_has_a_failed_result() -> None:
    call = tool("a", "x", status="error")
    call["result"][0]["functionResponse"]["response"] = {"error": "no such file"}
    read = session("gemini-cli", [META, record("g", "gemini", "", toolCalls=[call])])
    result = read.messages[-1].parts[0]
    assert isinstance(result, ToolResult)
    assert result.status == "error"


def test_thoughts_are_reasoning_of_the_provider() -> None:
    thoughts = [{"subject": "Plan", "description": "look"}]
    read = session("gemini-cli", [META, record("g", "gemini", "hi", thoughts=thoughts)])
    thinking = read.messages[0].parts[0]
    assert isinstance(thinking, Thinking)
    assert (thinking.text, thinking.wire, thinking.signature) == ("Plan\nlook", "gemini", None)


def test_a_newer_form_of_a_record_takes_its_place() -> None:
    records = [
        META,
        record("u", "user", "go"),
        record("g", "gemini", "", toolCalls=[tool("a", None, status="executing")]),
        {"$set": {"lastUpdated": "2026-04-29T21:39:34.000Z"}},
        record("g", "gemini", "", toolCalls=[tool("a", "A")]),
        record("g2", "gemini", "done"),
    ]
    read = session("gemini-cli", records)
    assert ids(read.messages) == ["u", "g", "g#1", "g2"]
    assert kinds(read) == []
    assert len(read.entries) == 6


def test_a_newer_form_that_comes_later_counts_at_the_place_of_the_first() -> None:
    records = [
        META,
        record("u", "user", "go"),
        record("g", "gemini", "old"),
        record("u2", "user", "on"),
        record("g", "gemini", "new"),
    ]
    assert said(session("gemini-cli", records).messages) == [
        ("user", "go"),
        ("assistant", "new"),
        ("user", "on"),
    ]


def test_what_was_rewound_is_a_branch() -> None:
    records = [
        META,
        record("u", "user", "one"),
        record("g", "gemini", "1"),
        record("u2", "user", "two"),
        record("g2", "gemini", "2"),
        {"$rewindTo": "u2"},
        record("u3", "user", "three"),
    ]
    read = session("gemini-cli", records)
    assert ids(read.messages) == ["u", "g", "u3"]
    assert [ids(branch) for branch in read.branches] == [["u2", "g2"]]


def test_what_was_rewound_at_the_end_is_not_live() -> None:
    records = [
        META,
        record("u", "user", "one"),
        record("g", "gemini", "1"),
        record("u2", "user", "two"),
        {"$rewindTo": "u2"},
    ]
    read = session("gemini-cli", records)
    assert [text for _, text in said(read.messages) if text] == ["one", "1"]


def test_a_list_of_messages_replaces_all_that_stood_before() -> None:
    records = [
        META,
        record("u", "user", "long ago"),
        {"$set": {"messages": [record("s", "user", "summary"), record("g", "gemini", "ok")]}},
        record("u2", "user", "go on"),
    ]
    read = session("gemini-cli", records)
    assert [said(segment) for segment in read.segments] == [
        [("user", "long ago")],
        [("user", "summary"), ("assistant", "ok"), ("user", "go on")],
    ]


def test_a_result_that_the_host_writes_twice_is_read_once() -> None:
    call = {"functionCall": {"id": "a", "name": "ls", "args": {}}}
    answer = {"functionResponse": {"id": "a", "name": "ls", "response": {"output": "A"}}}
    records = [
        META,
        record("g", "gemini", [call], toolCalls=[tool("a", "A")]),
        record("u", "user", [answer]),
        record("g2", "gemini", "ok"),
    ]
    assert calls(session("gemini-cli", records).messages) == ["a", "-a"]


def test_calls_without_ids_are_paired() -> None:
    history = [
        {"role": "user", "parts": [{"text": "go"}]},
        {"role": "model", "parts": [{"functionCall": {"name": "ls", "args": {}}}]},
        {"role": "user", "parts": [{"functionResponse": {"name": "ls", "response": {"output": "A"}}}]},
    ]
    read = session("gemini-cli", dump({"history": history}))
    made, answered = calls(read.messages)
    assert answered == f"-{made}"


def test_a_list_of_contents_is_a_session() -> None:
    read = session(
        "gemini-cli",
        dump(
            [
                {
                    "role": "user",
                    "parts": [{"text": "hi"}, {"inlineData": {"mimeType": "image/png", "data": "AAAA"}}],
                },
                {"role": "model", "parts": [{"text": "ho"}]},
            ]
        ),
    )
    assert isinstance(read.messages[0].parts[1], Media)
    assert [message.role for message in read.messages] == ["user", "assistant"]


def test_notices_of_the_host_are_carried_along() -> None:
    read = session(
        "gemini-cli", lines([META, record("i", "info", "Request cancelled."), record("u", "user", "hi")])
    )
    assert ids(read.messages) == ["u"]
    assert len(read.entries) == 3


# Qwen Code


def qwen(ident: str, parent: str | None, kind: str, *parts: Any, **more: Any) -> dict[str, Any]:
    role = "model" if kind == "assistant" else "user"
    return {
        "uuid": ident,
        "parentUuid": parent,
        "sessionId": "s",
        "timestamp": "2026-08-17T12:00:00.000Z",
        "type": kind,
        "message": {"role": role, "parts": list(parts)},
        **more,
    }


def test_qwen_reasoning_calls_and_results_are_read() -> None:
    read = read_session(AGENTS / "qwen" / "019f0000-0000-7000-8000-000000000001.jsonl")
    assert [message.role for message in read.messages] == ["user", "assistant", "tool", "assistant", "user"]
    assert calls(read.messages) == ["synthetic-call-1", "-synthetic-call-1"]
    assert isinstance(read.messages[1].parts[0], Thinking)
    assert isinstance(read.messages[4].parts[0], Fence)


def test_qwen_pieces_of_one_reply_follow_one_another_and_a_rewind_leaves_a_branch() -> None:
    read = read_session(AGENTS / "qwen" / "019f0000-0000-7000-8000-000000000004.jsonl")
    assert said(read.messages)[0] == ("user", "Begin the active-chain fixture.")
    assert "Reason over the active branch." in said(read.messages)[2][1]
    assert len(set(ids(read.messages))) == len(read.messages) == 4
    assert [said(branch) for branch in read.branches] == [[("assistant", "Discarded branch answer.")]]


def test_qwen_records_glued_together_are_both_read() -> None:
    read = read_session(AGENTS / "qwen" / "019f0000-0000-7000-8000-000000000005.jsonl")
    assert len(read.messages) == 2
    assert kinds(read) == ["glued-records"]


def test_a_qwen_record_that_stands_twice_is_reported_and_counts_once() -> None:
    one, two = qwen("a", None, "user", {"text": "hi"}), qwen("b", "a", "assistant", {"text": "ho"})
    read = session("gemini-cli", [one, two, two])
    assert ids(read.messages) == ["a", "b"]
    assert kinds(read) == ["duplicate"]


def test_a_qwen_compression_begins_a_segment() -> None:
    history = [{"role": "user", "parts": [{"text": "so far"}]}, {"role": "model", "parts": [{"text": "ok"}]}]
    squeezed = {
        **qwen("c", "a", "system", subtype="chat_compression"),
        "systemPayload": {"compressedHistory": history},
    }
    read = session(
        "gemini-cli",
        [qwen("a", None, "user", {"text": "hi"}), squeezed, qwen("b", "c", "user", {"text": "on"})],
    )
    assert [said(segment) for segment in read.segments] == [
        [("user", "hi")],
        [("user", "so far"), ("assistant", "ok"), ("user", "on")],
    ]


def test_a_newer_form_of_a_message_that_a_list_holds_is_reported() -> None:
    records: list[dict[str, Any]] = [
        META,
        {"$set": {"messages": [record("g", "gemini", "ok")]}},
        record("g", "gemini", "ok", tokens={"input": 1}),
    ]
    read = session("gemini-cli", records)
    assert said(read.messages) == [("assistant", "ok")]
    assert kinds(read) == ["superseded"]


def test_going_back_to_a_message_that_is_unknown_goes_back_to_the_beginning() -> None:
    gone: dict[str, Any] = {"$rewindTo": "nowhere"}
    read = session("gemini-cli", [META, record("u", "user", "one"), gone, record("u2", "user", "two")])
    assert said(read.messages) == [("user", "two")]
    assert "rolled-back" in kinds(read)


def test_a_result_that_is_plain_text_becomes_a_response() -> None:
    call = {"id": "a", "name": "ls", "args": {}, "result": ["one", {"text": "two"}]}
    read = session("gemini-cli", [META, record("g", "gemini", "", toolCalls=[call])])
    assert said(read.messages)[-1] == ("tool", "one\ntwo")

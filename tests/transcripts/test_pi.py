"""Pi sessions, and those of its relatives: trees with compactions, blocks of their own or of Anthropic."""

from __future__ import annotations

from typing import Any

from contextrail.core.digest import text_digest
from contextrail.core.json_text import dump_text
from contextrail.messages.model import Fence, Media, Summary, Thinking, ToolCall, ToolResult
from contextrail.messages.pairs import pair
from contextrail.transcripts.detect import read_session
from tests.transcripts.hosts import AGENTS, DATA, calls, kinds, said, session

HEAD = {"type": "session", "version": 3, "id": "s", "timestamp": "2026-05-12T01:02:27Z", "cwd": "/x"}


def entry(ident: str, parent: str | None, **message: Any) -> dict[str, Any]:
    return {"type": "message", "id": ident, "parentId": parent, "message": message}


def user(ident: str, parent: str | None, text: str | None = None) -> dict[str, Any]:
    return entry(ident, parent, role="user", content=[{"type": "text", "text": text or ident}])


def answer(ident: str, parent: str | None, *blocks: dict[str, Any], **more: Any) -> dict[str, Any]:
    return entry(
        ident, parent, role="assistant", content=list(blocks) or [{"type": "text", "text": ident}], **more
    )


def ids(messages: Any) -> list[str]:
    return [message.id for message in messages]


def test_the_real_session_is_read_whole() -> None:
    read = read_session(DATA / "pi-session" / "large-session.jsonl")
    found = calls(read.messages)
    assert len(read.entries) == 1019
    assert len(read.messages) == 900
    assert len([each for each in found if not each.startswith("-")]) == 391
    assert len([each for each in found if each.startswith("-")]) == 373
    assert len(pair(read.messages).unanswered) == 18
    assert read.head.model == "claude-sonnet-4-5"
    assert kinds(read) == []


def test_replies_without_content_are_carried_along() -> None:
    read = session(
        "pi", [HEAD, user("u", None), entry("a", "u", role="assistant", content=[], stopReason="aborted")]
    )
    assert ids(read.messages) == ["u"]
    assert len(read.entries) == 3


def test_entries_without_ids_follow_one_another() -> None:
    spoken: list[dict[str, Any]] = [
        {"type": "message", "message": {"role": "user", "content": text}} for text in "ab"
    ]
    records = [HEAD, *spoken]
    assert said(session("pi", records).messages) == [("user", "a"), ("user", "b")]


def test_the_latest_entry_is_where_the_conversation_stands() -> None:
    summary = {"type": "branch_summary", "id": "b", "parentId": "u1", "fromId": "a1", "summary": "tried it"}
    read = session("pi", [HEAD, user("u1", None), answer("a1", "u1"), summary, user("u2", "b")])
    assert ids(read.messages) == ["u1", "b", "u2"]
    assert isinstance(read.messages[1].parts[0], Summary)
    assert [ids(branch) for branch in read.branches] == [["a1"]]


def compaction(ident: str, parent: str, first: str) -> dict[str, Any]:
    return {
        "type": "compaction",
        "id": ident,
        "parentId": parent,
        "firstKeptEntryId": first,
        "summary": "so far",
    }


def test_a_compaction_stands_before_what_it_kept() -> None:
    records = [
        HEAD,
        user("u1", None),
        answer("a1", "u1"),
        user("u2", "a1"),
        answer("a2", "u2"),
        compaction("c", "a2", "u2"),
        user("u3", "c"),
    ]
    read = session("pi", records)
    assert [ids(segment) for segment in read.segments] == [["u1", "a1"], ["c", "u2", "a2", "u3"]]


def test_what_a_compaction_kept_is_live_though_nothing_follows_it() -> None:
    records = [
        HEAD,
        user("u1", None),
        answer("a1", "u1"),
        user("u2", "a1"),
        answer("a2", "u2"),
        compaction("c", "a2", "u2"),
    ]
    assert ids(session("pi", records).messages) == ["c", "u2", "a2"]


def test_a_second_compaction_keeps_what_the_first_kept() -> None:
    read = read_session(AGENTS / "pi" / "small.jsonl")
    assert ids(read.messages) == ["2c19d326", "30c6a75f", "22a2720e", "ddd2179a", "4a666296"]


def test_calls_and_results_keep_their_ids_and_failures() -> None:
    call = {"type": "toolCall", "id": "c1", "name": "bash", "arguments": {"command": "ls"}}
    result = entry(
        "t",
        "a",
        role="toolResult",
        toolCallId="c1",
        toolName="bash",
        isError=True,
        content=[{"type": "text", "text": "no"}, {"type": "image", "data": "AAAA", "mimeType": "image/png"}],
    )
    read = session("pi", [HEAD, user("u", None), answer("a", "u", call), result])
    made, got = read.messages[1].parts[0], read.messages[2].parts[0]
    assert isinstance(made, ToolCall)
    assert made.arguments == '{"command":"ls"}'
    assert isinstance(got, ToolResult)
    assert (got.call_id, got.name, got.status) == ("c1", "bash", "error")
    assert isinstance(got.parts[1], Media)


def test_reasoning_goes_back_to_the_provider_it_came_from() -> None:
    item = {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "gAAA"}
    blocks = {
        "anthropic-messages": {"type": "thinking", "thinking": "hm", "thinkingSignature": "sig"},
        "openai-responses": {"type": "thinking", "thinking": "hm", "thinkingSignature": dump_text(item)},
        "openai-completions": {
            "type": "thinking",
            "thinking": "hm",
            "thinkingSignature": "reasoning_content",
        },
    }
    read = session(
        "pi", [HEAD, *(answer(api, None, block, api=api, model="m") for api, block in blocks.items())]
    )
    signed, encrypted, plain = (segment[0].parts[0] for segment in read.segments)
    assert signed == Thinking(
        text="hm", signature="sig", wire="anthropic", model="m", bound=text_digest("hm")
    )
    assert isinstance(encrypted, Thinking)
    assert (encrypted.redacted, encrypted.wire, encrypted.signature) == ("gAAA", "openai-responses", None)
    assert plain == Thinking(text="hm", wire="openai-chat", model="m")


def test_what_nobody_said_is_a_fence() -> None:
    records = [
        HEAD,
        user("u", None),
        {"type": "custom_message", "id": "x", "parentId": "u", "customType": "plan", "content": "the plan"},
        entry("b", "x", role="bashExecution", command="ls", output="a.txt", exitCode=0),
        entry("h", "b", role="bashExecution", command="secret", output="x", excludeFromContext=True),
        answer("a", "h"),
    ]
    read = session("pi", records)
    assert read.messages[1].parts == (Fence(family="plan", text="the plan"),)
    assert read.messages[2].parts == (Fence(family="bash-execution", text="$ ls\na.txt"),)
    assert ids(read.messages) == ["u", "x", "b", "a"]


def test_openclaw_hangs_results_on_their_calls() -> None:
    read = read_session(AGENTS / "openclaw" / "large.jsonl")
    assert ids(read.messages) == ["m1", "m2", "m3", "m4", "m5", "m6"]
    assert calls(read.messages) == ["tc-status", "-tc-status", "tc-write", "-tc-write"]
    assert "dangling-parent" not in kinds(read)


def test_droid_writes_blocks_of_anthropic() -> None:
    read = read_session(AGENTS / "droid" / "session_store_large.jsonl")
    assert calls(read.messages) == ["tu1", "-tu1"]
    assert [message.role for message in read.messages][:4] == ["user", "assistant", "assistant", "tool"]


def test_blocks_that_are_not_known_are_kept() -> None:
    read = session("pi", [HEAD, answer("a", None, {"type": "hologram", "beam": 1})])
    assert kinds(read) == ["unknown-type"]
    assert said(read.messages) == [("assistant", '{"type":"hologram","beam":1}')]


def test_two_records_glued_together_are_both_read_and_reported() -> None:
    path = DATA / "bad-input" / "jsonl-glued-records" / "pi.jsonl"
    read = session("pi", path.read_bytes())
    assert {"glued-records", "truncated", "not-json"} & set(kinds(read))
    assert read.messages


def test_messages_that_the_host_keeps_as_messages_are_read_as_what_they_are() -> None:
    image = {"type": "image", "data": "AAAA", "mimeType": "image/png"}
    records = [
        HEAD,
        entry("b", None, role="branchSummary", summary="tried it", fromId="x"),
        entry(
            "c", "b", role="custom", customType="plan", content=[{"type": "text", "text": "the plan"}, image]
        ),
        entry("h", "c", role="hookMessage", content="from a hook"),
        entry("e", "h", role="compactionSummary"),
        entry("y", "e", role="system", content="be exact"),
        entry("z", "y", role="telepath", content="?"),
        entry("w", "z", role="user", content=7),
        entry("u", "w", role="user", content="hi"),
    ]
    read = session("pi", records)
    assert ids(read.messages) == ["b", "c", "h", "y", "u"]
    assert [type(part).__name__ for part in read.messages[1].parts] == ["Fence", "Media"]
    assert read.messages[0].parts == (Summary(text="tried it"),)
    assert read.messages[2].parts == (Fence(family="custom", text="from a hook"),)
    assert kinds(read) == ["unknown-type", "no-content"]


def test_redacted_reasoning_keeps_its_data_and_a_broken_item_its_text() -> None:
    hidden = {"type": "thinking", "thinking": "", "thinkingSignature": "data", "redacted": True}
    broken = [{"type": "thinking", "thinking": "hm", "thinkingSignature": proof} for proof in ("{", "[]")]
    records = [
        HEAD,
        answer("a", None, hidden, api="anthropic-messages"),
        answer("b", "a", *broken, api="openai-responses"),
    ]
    parts = [part for message in session("pi", records).messages for part in message.parts]
    assert parts == [
        Thinking(redacted="data", wire="anthropic"),
        Thinking(text="hm", wire="openai-responses"),
        Thinking(text="hm", wire="openai-responses"),
    ]

"""Cases with one outcome that is right, written down in `tests/data/cases/history`: what each promises, checked here."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import pairwise, permutations
from pathlib import Path
from typing import Any

import pytest
import regex  # type: ignore[import-untyped]

from contextrail import BudgetExceeded, Conversation, Moment, Ports, Rail, lint, policy_from
from contextrail.admission import StoredPreview, admit
from contextrail.compaction.need import NeedSummary
from contextrail.core.blobs import HANDLE, Blob, page
from contextrail.core.errors import Unavailable
from contextrail.core.ids import CallId, MessageId
from contextrail.core.json_text import JsonObject, dump, dump_text
from contextrail.history.draft import Draft
from contextrail.history.fence_kinds import FenceDescriptor, FenceInjection, FenceRegistry
from contextrail.history.file_tools import FILE_TOOLS
from contextrail.history.freshness import standings
from contextrail.history.groups import ObservationPolicy
from contextrail.history.reminder_rules import SystemReminderRegistry
from contextrail.messages.identity import number_runs
from contextrail.messages.model import Message, Text, Tool, ToolCall, ToolResult
from contextrail.messages.text import part_text
from contextrail.storage.blobs import MemoryBlobs
from contextrail.wire.codec import decode

FOLDER = Path(__file__).parents[1] / "data" / "cases" / "history"
SILENT: JsonObject = {"system_reminder": {"enabled_rule_ids": []}}


def case(name: str) -> Any:
    return json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))


# C03: reminders behind results, results in the order of their calls


def with_reminder(results: list[JsonObject]) -> JsonObject:
    given = case("c03")
    asked, called, _ = given["input"]["messages"]
    told = {"role": "user", "content": results}
    body = {"model": "claude-sonnet-4-5", "max_tokens": 64, "messages": [asked, called, told]}
    rule = {"id": "todo", "trigger": {"kind": "tool-call-streak", "threshold": 2}, "content_template": "todo"}
    registry = SystemReminderRegistry().register_content_template("todo", lambda *_: given["policy"]["text"])
    rail = Rail(
        policy_from({"system_reminder": {"enabled_rule_ids": [], "extra_rules": [rule]}}),
        target="anthropic",
        window=4_000,
        tokenizer="chars:4",
        ports=Ports(reminders=registry),
    )
    return rail.build(decode(body, "anthropic")).body


@pytest.mark.parametrize("order", list(permutations(range(2))))
def test_reminders_stand_behind_results_and_results_in_the_order_of_their_calls(
    order: tuple[int, ...],
) -> None:
    results = case("c03")["input"]["messages"][2]["content"]
    body = with_reminder([results[at] for at in order])
    blocks = body["messages"][-1]["content"]
    assert [each.get("tool_use_id", each["type"]) for each in blocks] == ["toolu_1", "toolu_2", "text"]
    assert "2 todo items are open" in blocks[-1]["text"]
    assert [each["role"] for each in body["messages"]] == ["user", "assistant", "user"]
    assert dump(body) == dump(with_reminder(results))
    assert lint(body, "anthropic") == ()


# C05: an irreducible prefix is said once, and never loops


def prefix(case_: Any, turns: int) -> Conversation:
    """A conversation that costs, in bytes, what the case says in tokens."""
    fixed = case_["input"]["fixed"]
    messages = [Message(id=MessageId("u0"), role="user", parts=(Text(text="h" * 40),))]
    for at in range(turns):
        messages.append(Message(id=MessageId(f"a{at}"), role="assistant", parts=(Text(text="yes"),)))
        messages.append(Message(id=MessageId(f"u{at + 1}"), role="user", parts=(Text(text="and?"),)))
    bare = Conversation(system=(Text(text="s" * fixed["system_tokens"]),), messages=number_runs(messages))
    tool = Tool(name="t", description="", parameters={})
    padding = fixed["tool_schema_tokens"] - len(dump({"name": "t", "description": "", "parameters": {}}))
    return replace(bare, tools=(replace(tool, description="d" * padding),))


@pytest.mark.parametrize("stability", ["batched", "recompute"])
def test_an_irreducible_prefix_is_said_and_nobody_is_asked(stability: str) -> None:
    given = case("c05")
    policy = given["policy"]
    asked: list[NeedSummary] = []

    def summarize(need: NeedSummary) -> str:
        asked.append(need)
        return "never"

    rail = Rail(
        policy_from({"stability": stability, "compaction": {"threshold": policy["trigger"]}}),
        target="neutral",
        window=policy["window"],
        reserve_output=policy["reserve_output"],
        tokenizer="bytes",
        ports=Ports(summarizer="model", summarize=summarize),
    )
    plan, told = None, []
    for turn in range(6):
        request = rail.build(prefix(given, turn), moment=Moment(plan=plan))
        plan = request.turn.plan
        told.append([event for event in request.turn.events if event["event"] == "irreducible"])
        assert len(request.turn.conversation.messages) == 1 + 2 * turn
    (first,) = told[0]
    assert (first["system"], first["irreducible"] - first["system"]) == (9_000, first["tools"])
    assert abs(first["tools"] - 17_000) < 100
    window = first["window_needed"]
    used = first["irreducible"] + first["messages_cost"]
    share = policy["trigger"]
    assert used < (window - policy["reserve_output"]) * share
    assert used >= (window - 1 - policy["reserve_output"]) * share
    assert asked == []
    assert [len(each) for each in told[1:]] == ([0] * 5 if stability == "batched" else [1] * 5)


def test_a_prefix_that_leaves_nothing_is_an_error_before_anything_is_asked() -> None:
    given = case("c05")
    rail = Rail(
        target="neutral",
        window=24_576,
        reserve_output=given["policy"]["reserve_output"],
        tokenizer="bytes",
        ports=Ports(summarizer="model", summarize=lambda _: pytest.fail("a summary was asked for")),
    )
    with pytest.raises(BudgetExceeded):
        rail.build(prefix(given, 0))


# C09: stale and superseded reads


def events() -> list[tuple[Message, Message]]:
    told = []
    filler = "\n" + "some words to make it long, " * 20
    for event in case("c09")["input"]["events"]:
        at = event["i"]
        arguments = {key: event[key] for key in ("path", "range") if event.get(key) is not None}
        call = ToolCall(call_id=CallId(f"k{at}"), name=event["tool"], arguments=dump_text(arguments))
        result = ToolResult(
            call_id=call.call_id,
            parts=(Text(text=event["result"] + (filler if event["tool"] == "read" else "")),),
            status="error" if event.get("is_error") else "ok",
        )
        told.append(
            (
                Message(id=MessageId(f"c{at}"), role="assistant", parts=(call,)),
                Message(id=MessageId(f"r{at}"), role="tool", parts=(result,)),
            )
        )
    return told


def built(pairs: list[tuple[Message, Message]]) -> dict[str, str]:
    """Results that are sent, with every stale and repeated one touched at once."""
    policy = policy_from(
        {
            **SILENT,
            "stability": "recompute",
            "tool_history": {"strategy": "none"},
            "reads": {"min_tokens": 1, "quiet_groups": 0},
        }
    )
    rail = Rail(policy, target="neutral", window=9_000, tokenizer="chars:4", ports=Ports(store=MemoryBlobs()))
    asked = Message(id=MessageId("u1"), role="user", parts=(Text(text="go"),))
    messages = number_runs((asked, *(each for one in pairs for each in one)))
    sent = rail.build(Conversation(messages=messages)).turn.conversation.messages
    return {each.id: part_text(each.parts[0]).split("\n")[0] for each in sent if each.role == "tool"}


def test_the_states_of_reads() -> None:
    draft = Draft(tuple(message for each in events() for message in each))
    found = {each.call: each for each in standings(draft.messages, FILE_TOOLS)}
    state = {
        str(call): "stale" if each.stale else "pointer" if each.first else "fresh"
        for call, each in found.items()
    }
    assert state["k1"] == "stale"
    assert state["k2"] in {"pointer", "stale"}
    assert [state.get(call, "fresh") for call in ("k4", "k5", "k7")] == ["fresh"] * 3


def test_before_the_edit_the_second_copy_points_to_the_first_and_everything_before_it_keeps_its_bytes() -> (
    None
):
    texts = built(events()[:2])
    assert texts["r1"] == "v1: x=1"
    assert texts["r2"] != "v1: x=1"
    assert "k1" in texts["r2"]


def test_what_is_current_is_whole_and_a_pointer_dies_with_its_target() -> None:
    everything = built(events())
    assert [everything[ident] for ident in ("r4", "r5", "r7")] == ["b 1-40", "b 41-80", "v2: x=2"]
    assert everything["r3"] == "error: old text not found"
    assert "k1" not in built(events()[1:])["r2"]


# C12: secrets never leave; look-alikes stay

KEY = "AKIA" + "Q3T7EXAMPLEZZ9P4"


def secretive() -> Conversation:
    texts = [each["content"].replace("<key>", KEY) for each in case("c12")["input"]["messages"]]
    messages = [Message(id=MessageId("u1"), role="user", parts=(Text(text="read both"),))]
    for at, text in enumerate(texts):
        call = ToolCall(call_id=CallId(f"c{at}"), name="cat", arguments="{}")
        told = ToolResult(call_id=call.call_id, parts=(Text(text=text),))
        messages.append(Message(id=MessageId(f"a{at}"), role="assistant", parts=(call,)))
        messages.append(Message(id=MessageId(f"t{at}"), role="tool", parts=(told,)))
    return Conversation(messages=number_runs(messages))


@pytest.mark.parametrize("target", ["neutral", "anthropic", "openai-chat", "openai-responses", "gemini"])
def test_secrets_never_leave_and_look_alikes_stay(target: str) -> None:
    rail = Rail(target=target, window=9_000, tokenizer="chars:4", ports=Ports(store=MemoryBlobs()))
    request = rail.build(secretive())
    wire, trace = dump_text(request.body), dump_text(request.trace())
    for out in (wire, trace):
        for secret in (KEY, KEY[:12], "p%40ss-w0rd", "p@ss-w0rd"):
            assert secret not in out
    for harmless in (
        "9f1c2ab7d0e4c6a1b35f7788aa00bb11cc22dd33",
        "3f2b8c1e-9d54-4f0a-8a77-1c2d3e4f5a6b",
        "claude-sonnet-4-5-20250929",
        "db.internal:5432/prod",
    ):
        assert harmless in wire
    first, second = regex.findall(r"AWS_ACCESS_KEY_ID=([^\\\s\"]+)", wire)
    assert first == second
    assert dump(rail.build(secretive()).body) == dump(request.body)


def test_a_summary_is_asked_for_without_secrets() -> None:
    asked: list[str] = []

    def summarize(need: NeedSummary) -> str:
        asked.append(dump_text([part_text(part) for each in need.messages for part in each.parts]))
        return "Two files were read."

    talk = secretive()
    last = Message(id=MessageId("u9"), role="user", parts=(Text(text="go on"),))
    rail = Rail(
        policy_from({"summarization": {"trigger_threshold": 0.1}, "compaction": {"newest_share": 0.01}}),
        target="neutral",
        window=200,
        reserve_output=0,
        tokenizer="chars:4",
        ports=Ports(summarizer="model", summarize=summarize, store=MemoryBlobs()),
    )
    rail.build(replace(talk, messages=number_runs((*talk.messages, last))))
    (request,) = asked
    assert "AWS_ACCESS_KEY_ID" in request
    assert KEY[:12] not in request
    assert "p%40ss-w0rd" not in request


# C14: the prefix over turns (retrieval comes later)

CLOCK = FenceDescriptor(kind="clock", llm_role="user", placement="after-current-user", lifetime="turn-only")


def compiled() -> list[JsonObject]:
    bodies, plan = [], None
    messages: list[Message] = []
    rail = Rail(
        policy_from(SILENT), target="anthropic", model="claude-sonnet-4-5", window=9_000, tokenizer="chars:4"
    )
    for at, turn in enumerate(case("c14")["input"]["turns"]):
        messages.append(Message(id=MessageId(f"u{at}"), role="user", parts=(Text(text=turn["user"]),)))
        tools = tuple(
            Tool(name=name, description=name, parameters={"type": "object"}) for name in turn["tools"]
        )
        moment = Moment(
            plan=plan,
            fences=(FenceInjection(kind="clock", content=turn["clock"]),),
            registry=FenceRegistry((CLOCK,)),
        )
        request = rail.build(Conversation(tools=tools, messages=number_runs(messages)), moment=moment)
        bodies.append({"body": request.body, "cache": request.turn.cache})
        plan = request.turn.plan
        messages.append(Message(id=MessageId(f"a{at}"), role="assistant", parts=(Text(text=f"done {at}"),)))
    return bodies


def test_tools_are_written_in_one_order_and_what_changes_stands_at_the_end() -> None:
    turns = compiled()
    assert len({dump(each["body"]["tools"]) for each in turns}) == 1
    for before, after in pairwise(turns):
        said = [dump(each) for each in before["body"]["messages"]]
        assert [dump(each) for each in after["body"]["messages"]][: len(said) - 1] == said[:-1]
    for clock, each in zip(case("c14")["input"]["turns"], turns, strict=True):
        assert clock["clock"] in dump_text(each["body"]["messages"][-1])
        assert dump_text(each["body"]).count("2026-05-01T") == 1


def test_the_cache_report_names_what_is_shared_and_where_it_ends() -> None:
    first, *later = compiled()
    assert first["cache"] is None
    for each in later:
        cache = each["cache"]
        assert cache.prefix.cost > 0
        assert cache.predicted.cached == cache.prefix.cost
        assert cache.miss is not None
        assert cache.miss.change in {"changed", "removed"}


# C15: a huge MCP result


def huge() -> list[JsonObject]:
    rows = case("c15")["input"]["generate"]
    return [{key: value.format(i=at) for key, value in rows["row"].items()} for at in range(rows["rows"])]


def admitted(output: JsonObject, store: Any) -> ToolResult:
    limit = case("c15")["policy"]["max_chars"]
    call = ToolCall(call_id=CallId("c1"), name="shops", arguments="{}")
    return admit(output, call, policy=ObservationPolicy(max_chars=limit), port=StoredPreview(store))


@pytest.mark.parametrize("text", [None, "ok"], ids=["content", "structured"])
def test_one_copy_reaches_the_model_cut_safely_and_comes_back_byte_for_byte(text: str | None) -> None:
    rows, store = huge(), MemoryBlobs()
    whole = dump_text(rows) if text is None else text
    output = {
        "content": [{"type": "text", "text": whole}],
        "structuredContent": {"rows": rows},
        "isError": False,
    }
    (part,) = admitted(output, store).parts
    shown = part_text(ToolResult(call_id=CallId("c1"), parts=(part,)))
    assert len(shown) <= 2_000
    assert shown.count('店铺-0"') == 1
    assert shown.count('店铺-2999"') == 1
    shown.encode("utf-8")
    pieces = set(regex.findall(r"\X", shown))
    assert {each for each in pieces if "👩" in each or "👧" in each or "👦" in each} == {"👩‍👩‍👧‍👦"}
    handle = HANDLE.search(shown)
    assert handle is not None
    data = store.get(store.find(handle.group().removeprefix("blob:")))
    pages, offset = [], 0
    while piece := page(data, offset, 1_000):
        piece.decode("utf-8")
        pages.append(piece)
        offset += len(piece)
    assert b"".join(pages) == data
    assert data.decode() == whole if text is None else json.loads(data) == {"rows": rows}


def test_an_error_keeps_its_flag_and_its_last_lines() -> None:
    trace = "\n".join(f"  File app.py, line {at}" for at in range(12_000)) + "\nValueError: no shop 店铺-7"
    result = admitted({"content": [{"type": "text", "text": trace}], "isError": True}, MemoryBlobs())
    shown = part_text(result)
    assert result.status == "error"
    assert len(shown) <= 2_000
    assert shown.endswith("ValueError: no shop 店铺-7")


class Full(MemoryBlobs):
    """A store that cannot be written."""

    def put(self, data: bytes) -> Any:
        raise Unavailable(f"no room for {len(data)} bytes", place="store")


def test_no_handle_is_shown_if_the_write_failed_and_what_a_handle_gave_is_never_previewed() -> None:
    text = dump_text(huge())
    output: JsonObject = {"content": [{"type": "text", "text": text}], "isError": False}
    assert HANDLE.search(part_text(admitted(output, Full()))) is None
    handle = Blob.of(text).handle
    call = ToolCall(call_id=CallId("c2"), name="context.get", arguments=dump_text({"handle": handle}))
    read = admit(text, call, policy=ObservationPolicy(max_chars=2_000), port=StoredPreview(MemoryBlobs()))
    assert part_text(read) == text

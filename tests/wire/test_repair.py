"""Whatever the linter finds in a body that can be read, repair cures without inventing facts, or leaves and says so."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contextrail.core.errors import InvalidRequest
from contextrail.core.ids import CallId, MessageId
from contextrail.core.json_text import JsonObject, equal
from contextrail.messages.model import Conversation, Message, Text, ToolCall, ToolResult
from contextrail.wire.codec import decode, encode
from contextrail.wire.lint import RULES, lint
from contextrail.wire.mends import CURES, LOWERED
from contextrail.wire.mends_edit import LISTS
from contextrail.wire.repair import Repaired, repair
from contextrail.wire.target import Provider
from tests.wire.sound_messages import AFTER, BEFORE
from tests.wire.test_lint import CASES, LARGE, target
from tests.wire.test_lint_properties import TARGETS, damaged_bodies

CURABLE: Final = CURES.keys() | LOWERED
SMALL: Final = [name for name in CASES if name not in LARGE or name in CURABLE]
MODELS: Final = (
    None,
    "claude-opus-4-8",
    "claude-sonnet-4-5",
    "gpt-5",
    "gemini-3-pro-preview",
    "deepseek-v4-pro",
)
C01: Final = json.loads((Path(__file__).parents[1] / "data/cases/wire/c01.json").read_text("utf-8"))

AT_THE_ENDS: Final = {
    "anthropic.first-role",
    "anthropic.prefill-space",
    "anthropic.prefill-model",
    "anthropic.prefill-thinking",
    "anthropic.thinking-required",
    "openai-chat.mistral-last-role",
    "gemini.signature-missing",
}
"""Rules that only the first or the last messages of a body can break."""

OLDEST_FIRST: Final = {"anthropic.cache-marks", "anthropic.too-many-media"}
"""Rules about a number in the whole body, which take from the oldest."""


def provider_of(name: str) -> Provider:
    return RULES[name].provider


def repaired(name: str, body: Any = None, **given: Any) -> Repaired:
    """The breaking body of a rule, or another in its place, after repair."""
    case = CASES[name]
    options = {"before": case.before, "model": case.model} | given
    return repair(case.breaks if body is None else body, target(name, case), **options)  # type: ignore[arg-type]


# The table


def test_a_rule_says_that_it_is_mended_if_and_only_if_there_is_a_cure() -> None:
    assert {rule.id for rule in RULES.values() if rule.mend is not None} == CURABLE


@pytest.mark.parametrize("name", [name for name in SMALL if name in CURABLE])
def test_what_breaks_a_rule_with_a_cure_breaks_none_after_repair(name: str) -> None:
    try:
        mended = repaired(name)
    except InvalidRequest:
        assert name.endswith(".body-form")  # the codec cannot read it
        return
    assert name in {each.rule for each in mended.before}
    assert mended.after == ()
    assert mended.decisions
    assert {each.step for each in mended.decisions} == {"repair"}


@pytest.mark.parametrize("name", [name for name in SMALL if name not in CURABLE])
def test_what_breaks_a_rule_without_a_cure_stays_as_it_is_and_is_told(name: str) -> None:
    mended = repaired(name)
    assert mended.body is CASES[name].breaks
    assert mended.decisions == ()
    assert mended.after == mended.before
    assert [each.rule for each in mended.after] == [name]


@pytest.mark.parametrize("name", SMALL)
def test_a_clean_body_comes_back_as_the_same_object(name: str) -> None:
    passes = CASES[name].passes
    mended = repaired(name, passes)
    assert (mended.body is passes, mended.decisions, mended.after) == (True, (), ())


def without_reasoning(messages: list[Any]) -> list[Any]:
    return [
        {key: value for key, value in each.items() if not key.startswith("reasoning")} for each in messages
    ]


@pytest.mark.parametrize("name", [name for name in SMALL if name in CURABLE - OLDEST_FIRST - AT_THE_ENDS])
def test_messages_before_and_after_the_one_at_fault_stay_as_they_are(name: str) -> None:
    provider = provider_of(name)
    key, before, after = LISTS[provider], BEFORE[provider], AFTER[provider]
    if ".mistral-" in name:  # it takes no reasoning at all
        before, after = map(without_reasoning, (before, after))

    def between(body: Any) -> Any:
        listed = body.get(key) if isinstance(body, dict) else None
        return {**body, key: [*before, *listed, *after]} if isinstance(listed, list) else None

    case = CASES[name]
    body = between(case.breaks)
    try:
        mended = repaired(name, body, before=between(case.before))
    except InvalidRequest:
        assert name.endswith(".body-form")
        return
    assert name in {each.rule for each in mended.before}
    listed = mended.body[key]
    assert equal(listed[: len(before)], before)
    assert equal(listed[-len(after) :], after)
    assert mended.after == ()


# Any body


@given(damaged_bodies(), st.sampled_from(TARGETS), st.sampled_from(MODELS))
def test_any_body_that_can_be_read_is_mended_or_only_has_what_cannot_be(
    body: Any, name: str, model: str | None
) -> None:
    before = repr(body)
    try:
        once = repair(body, name, model=model)
    except InvalidRequest:
        return
    assert repr(body) == before
    assert once.after == lint(once.body, name, model=model)
    assert {each.rule for each in once.after} <= {each.rule for each in once.before}
    if not any(each.rule.endswith(".not-json") for each in once.before):
        assert not any(each.mendable for each in once.after)
    again = repair(once.body, name, model=model)
    assert (again.body is once.body, again.decisions) == (True, ())


@pytest.mark.parametrize("body", [None, [], "text", {"messages": 7}, {"contents": 7}])
def test_a_body_that_cannot_be_read_is_refused(body: Any) -> None:
    with pytest.raises(InvalidRequest):
        repair(body, "anthropic")


def test_a_body_that_is_no_json_is_left_alone_whatever_else_is_wrong_with_it() -> None:
    body = {"messages": [{"role": "user", "content": ""}], "temperature": float("nan")}
    assert repair(body, "anthropic").body is body


# What is said about it


def test_decisions_name_the_messages_that_the_body_was_written_from() -> None:
    call = ToolCall(call_id=CallId("c"), name="read", arguments="{}")
    result = ToolResult(call_id=CallId("c"), parts=(Text(text="ok"),))
    messages = (
        Message(id=MessageId("ask"), role="user", parts=(Text(text="look"),)),
        Message(id=MessageId("call"), role="assistant", parts=(call,)),
        Message(id=MessageId("result"), role="tool", parts=(result,)),
        Message(id=MessageId("stop"), role="user", parts=(Text(text="stop"),)),
    )
    body = encode(Conversation(messages=messages, model="mistral-medium-latest"), "openai-chat")
    mended = repair(body, "openai-chat:mistral", messages=messages)
    assert [(each.message, each.reason) for each in mended.decisions] == [
        (None, "call-ids-mapped"),
        ("stop", "assistant-between"),
    ]


def test_a_decision_names_a_message_by_its_id_before_others_were_left_out() -> None:
    empty = {"role": "user", "content": ""}
    bad = {
        "role": "user",
        "content": [{"type": "image", "source": {"type": "base64", "data": "%", "media_type": "x"}}],
    }
    body: JsonObject = {"messages": [{"role": "user", "content": "a"}, empty, bad]}
    ids = [message.id for message in decode(body, "anthropic").messages]
    mended = repair(body, "anthropic")
    assert [(each.message, each.reason) for each in mended.decisions] == [
        (ids[2], "media-as-text"),
        (ids[1], "empty"),
    ]


# Case C01: a cut inside a parallel batch


def test_case_c01_a_naive_cut_inside_a_parallel_batch_becomes_legal_and_loses_no_request() -> None:
    history = C01["input"]["messages"]
    mended = repair({"messages": copy.deepcopy(history[-C01["policy"]["n"] :])}, "anthropic")
    messages = mended.body["messages"]
    assert lint(mended.body, "anthropic") == ()
    assert (history[1] in messages) == (history[2] in messages)
    assert history[4] in messages
    assert messages[0]["role"] == "user"
    assert all(block["type"] != "tool_result" for block in messages[0]["content"])
    assert [each.reason for each in mended.decisions] == ["orphan-result", "orphan-result"]
    assert messages[1:] == history[-4:]


def test_case_c01_the_whole_history_is_left_alone() -> None:
    body = C01["input"]
    assert repair(body, C01["wire"]).body is body

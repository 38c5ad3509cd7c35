"""A conversation lowered for a target is legal there; what is legal already is not touched."""

from __future__ import annotations

import copy
from dataclasses import replace
from typing import Any, Final

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from contextrail.core.errors import InvalidRequest
from contextrail.messages.model import (
    Conversation,
    Text,
    Thinking,
)
from contextrail.wire.codec import decode, encode
from contextrail.wire.lint import lint
from contextrail.wire.lower import EARLIER, NOTHING_SAID, lower
from contextrail.wire.repair import repair
from contextrail.wire.target import PROVIDERS, parse_target
from tests.builders import show, transcript
from tests.properties.effort import FEW
from tests.properties.strategies import conversations, orderly_messages
from tests.wire import cassettes
from tests.wire.lowering import ASK, lowered, reasons, said, shown
from tests.wire.test_lint import CASES, LARGE, target
from tests.wire.test_lint_properties import damaged_bodies

TARGETS: Final = (*PROVIDERS, "openai-chat:mistral", "openai-chat:deepseek")
MODELS: Final = (
    None,
    "claude-opus-4-8",
    "claude-sonnet-4-5",
    "gpt-5",
    "gemini-3-pro-preview",
    "gemini-2.5-pro",
    "deepseek-v4-pro",
    "mistral-medium-latest",
)


# Any conversation


def requests() -> st.SearchStrategy[Conversation]:
    """Requests with something to say. Without a model they are fragments, which state no limit either."""

    def for_model(conversation: Conversation, model: str | None) -> Conversation:
        limit = None if model is None else conversation.max_output
        return replace(conversation, model=model, max_output=limit)

    full = conversations().filter(lambda each: bool(each.messages))
    return st.builds(for_model, full, st.sampled_from(MODELS))


@pytest.mark.parametrize("name", TARGETS)
@given(conversation=requests())
def test_what_was_lowered_and_repaired_has_no_finding(name: str, conversation: Conversation) -> None:
    out, _ = lower(conversation, parse_target(name))
    mended = repair(encode(out, name), name, model=conversation.model, messages=out.messages)
    assert mended.after == ()
    assert lint(mended.body, name, model=conversation.model) == ()


@FEW
@given(requests(), st.sampled_from(TARGETS))
def test_lowering_twice_is_lowering_once(conversation: Conversation, name: str) -> None:
    once, _ = lower(conversation, parse_target(name))
    assert lower(once, parse_target(name)) == (once, ())


@FEW
@given(requests(), st.sampled_from(TARGETS))
def test_a_message_that_vanishes_has_a_decision_and_the_input_is_left_as_it_was(
    conversation: Conversation, name: str
) -> None:
    before = copy.deepcopy(conversation)
    out, decisions = lower(conversation, parse_target(name))
    assert conversation == before
    gone = {message.id for message in before.messages} - {message.id for message in out.messages}
    assert gone <= {decision.message for decision in decisions}
    assert (out != conversation) == bool(decisions)


# What is legal already


@FEW
@given(st.data(), st.sampled_from(PROVIDERS))
def test_an_orderly_history_of_the_same_wire_form_is_not_changed(data: st.DataObject, name: str) -> None:
    conversation = Conversation(wire=name, messages=data.draw(orderly_messages(wire=name)))
    assume(lint(encode(conversation, name), name) == ())
    assert lower(conversation, parse_target(name)) == (conversation, ())


@pytest.mark.parametrize("exchange", cassettes.exchanges(), ids=lambda each: each.name)
def test_a_recorded_request_that_was_answered_is_not_changed(exchange: cassettes.Exchange) -> None:
    if exchange.status >= 300:
        return
    conversation = decode(exchange.request, exchange.provider)
    model = exchange.uri.rpartition("models/")[2].partition(":")[0]
    assert lower(conversation, parse_target(exchange.provider), model=model) == (conversation, ())


@pytest.mark.parametrize("name", [name for name in CASES if name not in LARGE])
def test_a_body_that_keeps_the_rules_is_not_changed(name: str) -> None:
    case = CASES[name]
    assert isinstance(case.passes, dict)
    conversation = decode(case.passes, target(name, case))
    assert lower(conversation, parse_target(target(name, case)), model=case.model) == (conversation, ())


@FEW
@given(damaged_bodies(), st.sampled_from(TARGETS), st.sampled_from(MODELS))
def test_whatever_the_linter_has_nothing_against_is_not_changed(
    body: Any, name: str, model: str | None
) -> None:
    if not isinstance(body, dict) or lint(body, name, model=model) != ():
        return
    try:
        conversation = decode(body, name)
    except InvalidRequest:
        return
    assert lower(conversation, parse_target(name), model=model) == (conversation, ())


# Who speaks


def test_leading_instructions_go_to_the_front_and_later_ones_are_marked_off() -> None:
    history = transcript("s1 system be brief", "u1 user hi", "s2 system be kind", "u2 user so")
    out, decisions = lower(Conversation(messages=history), parse_target("anthropic"))
    assert out.system == (Text(text="be brief"),)
    assert show(out.messages) == ["u1 user hi", "s2 user <system> be kind", "u2 user so"]
    assert reasons(decisions) == [("s1", "system-moved-to-front"), ("s2", "system-inside-as-user")]


@pytest.mark.parametrize(
    ("model", "role"),
    [
        (None, "user"),
        ("claude-sonnet-4-5", "user"),
        ("claude-opus-4-8", "system"),
        ("claude-fable-5", "system"),
    ],
)
def test_instructions_in_between_stay_where_the_model_takes_them(model: str | None, role: str) -> None:
    history = transcript("u1 user hi", "s1 system be kind", "a1 assistant hello", "u2 user so")
    assert lowered(*history, model=model)[0][1].role == role


def test_instructions_that_newer_models_do_not_take_there_either_are_marked_off() -> None:
    lines = (
        "u1 user hi",
        "a1 assistant hello",
        "s1 system be kind",
        "u2 user so",
        "s2 system a",
        "s3 system b",
    )
    assert shown(*lines, model="claude-opus-4-8") == [
        "u1 user hi",
        "a1 assistant hello",
        "s1 user <system> be kind",
        "u2 user so",
        "s2 user <system> a",
        "s3 system b",
    ]


def test_where_the_user_must_speak_first_a_line_says_that_something_is_not_shown() -> None:
    lines = ("a1 assistant hello", "u1 user hi")
    for name in ("anthropic", "gemini"):
        assert shown(*lines, name=name)[0] == f"a1~earlier user <earlier-context> {EARLIER}"
    assert shown(*lines, name="openai-chat") == list(lines)


def test_a_conversation_of_nothing_but_foreign_reasoning_says_that_nothing_was_said() -> None:
    foreign = said("a1", "assistant", Thinking(text="hm", wire="gemini"))
    messages, decisions = lowered(foreign)
    assert show(messages) == [f"a1~nothing user <nothing-said> {NOTHING_SAID}"]
    assert reasons(decisions) == [
        ("a1", "thinking-of-another-provider"),
        ("a1", "empty"),
        ("a1~nothing", "nothing-left-to-say"),
    ]


def test_speakers_names_are_whole_text() -> None:
    messages, _ = lowered(replace(ASK, name="ann\ud800"), name="openai-chat")
    assert messages[0].name == "ann\ufffd"

"""`check_turn`: every check passes for good turns, and fails for a turn in which one value is wrong, and says where."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final

import pytest

from contextrail import Conversation, InvalidRequest, Ports, Rail, tokenizer
from contextrail.core.ids import MessageId
from contextrail.core.json_text import JsonObject
from contextrail.core.tokens import Estimate, Unit, exactly
from contextrail.messages.model import Extra, Message, Summary, Text
from contextrail.messages.text import message_text
from contextrail.storage.blobs import MemoryBlobs
from contextrail.testing import INVARIANTS, Snapshot, check_turn, create_mock_tokenizer, failures_of
from tests.builders import transcript
from tests.invariants.turns import Case, decided, policy, quiet_turn, turns, without


@pytest.fixture(scope="module")
def made() -> list[Case]:
    return turns(policy())


@pytest.fixture(scope="module")
def good(made: list[Case]) -> Case:
    """A turn that replays the plan of a batch and makes none itself, so that every check has something to look at."""
    case = quiet_turn(made)
    assert case.before is not None
    assert {"dropped", "added"} <= {each.verdict for each in case.request.turn.decisions}
    return case


@pytest.mark.parametrize("stability", ["batched", "recompute"])
@pytest.mark.parametrize("summarizer", ["extract", "none"])
@pytest.mark.parametrize("target", ["openai-chat", "anthropic", "neutral"])
def test_good_turns_pass_every_check(stability: str, summarizer: str, target: str) -> None:
    cases = turns(policy(stability=stability), summarizer=summarizer, target=target)
    assert any(case.request.turn.decisions for case in cases)
    for case in cases:
        check_turn(case.request, **case.known())  # type: ignore[arg-type]


def test_good_turns_pass_with_the_tokenizer_of_a_host() -> None:
    count = create_mock_tokenizer(tokens_per_message=60, tokens_per_text=5)
    cases = turns(policy(), count=count)
    assert any(case.request.turn.batch for case in cases)
    for case in cases:
        check_turn(case.request, **case.known())  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "group", [{"include_message_ids": False}, {"include_token_breakdown": False}, {"max_trace_events": 3}]
)
def test_a_trace_that_shows_less_passes(group: dict[str, Any]) -> None:
    case = turns(policy(context_trace={"enabled": True, **group}))[-1]
    check_turn(case.request, **case.known())  # type: ignore[arg-type]


def event(view: JsonObject, kind: str, **facts: object) -> JsonObject:
    """The first event of a kind with these facts."""
    found: JsonObject = next(
        each for each in view["events"] if each["kind"] == kind and facts.items() <= each.items()
    )
    return found


def in_trace(change: Callable[[JsonObject], None]) -> Callable[[Case], Case]:
    """A case whose trace says something else."""

    def altered(case: Case) -> Case:
        view = case.traced()
        change(view)
        return replace(case, trace=view)

    return altered


def no_pair(view: JsonObject) -> None:
    kept = [
        each for each in view["events"] if each.get("kept") and str(each.get("message_id")).startswith("r")
    ]
    kept[-1].update(kept=False, reason="dropped_by_fill")


def no_last_input(view: JsonObject) -> None:
    event(view, "message-decision", message_id="u1").update(kept=False, reason="dropped_by_fill")


def body_without_results(case: Case) -> Case:
    messages = [each for each in case.request.body["messages"] if each["role"] != "tool"]
    return replace(case, request=replace(case.request, body={**case.request.body, "messages": messages}))


def without_approval(case: Case) -> Case:
    conversation = case.request.turn.conversation
    left = without(conversation.messages, "a0", "t0")
    assert len(left) == len(conversation.messages) - 2
    return case.altered(conversation=replace(conversation, messages=left))


def without_rule(case: Case) -> Case:
    """The record says nothing of what binds the work, nor does anything else."""

    def blank(message: Message) -> Message:
        bare = replace(message, parts=(Summary(text="Some work was done."),))
        return bare if isinstance(message.parts[0], Summary) else message

    conversation = case.request.turn.conversation
    messages = tuple(blank(each) for each in conversation.messages)
    assert "Never drop" not in "".join(map(message_text, messages))
    return case.altered(conversation=replace(conversation, messages=messages))


def other_prefix(case: Case) -> Case:
    assert case.before is not None
    first, *rest = case.before.turn.conversation.messages
    other = replace(first, parts=(Text(text="something else"),))
    conversation = replace(case.before.turn.conversation, messages=(other, *rest))
    return replace(
        case, before=replace(case.before, turn=replace(case.before.turn, conversation=conversation))
    )


def other_snapshot(case: Case) -> Case:
    assert case.given is not None
    return replace(case, given=Snapshot(Conversation(), case.given.digest))


BREAKS: Final[list[tuple[str, str, Callable[[Case], Case]]]] = [
    ("C1_TRACE_ENABLED_MATCHES_POLICY", "context_trace.enabled", in_trace(lambda view: view.clear())),
    ("C1_TRACE_ENABLED_MATCHES_POLICY", "context_trace.enabled", in_trace(lambda view: view.update(enabled=False))),
    ("C2_EFFECTIVE_POLICY_MATCHES_EXPECTED", "effective_policy.budget",
     in_trace(lambda view: view["effective_policy"]["budget"].update(max_tokens=1))),
    ("C3_TRACE_OPTIONS_MATCH_POLICY", "max_trace_events", in_trace(lambda view: view.update(max_trace_events=7_000))),
    ("C4_TRACE_EVENT_LIMIT", "events", in_trace(lambda view: view.update(events=view["events"] * 20))),
    ("C4_TRACE_EVENT_LIMIT", "overflowed", in_trace(lambda view: view.update(overflowed=True))),
    ("C4_TRACE_EVENT_LIMIT", "overflowed", in_trace(lambda view: view["events"].pop())),
    ("C5_FINAL_COUNTS_MATCH_MESSAGES", "final_count", in_trace(lambda view: view.update(final_count=1))),
    ("C5_FINAL_COUNTS_MATCH_MESSAGES", "original_count", in_trace(lambda view: view.update(original_count=1))),
    ("C6_FINAL_TOKENS_WITHIN_BUDGET", "final_tokens", in_trace(lambda view: view.update(total_budget=9))),
    ("C7_PROVIDER_TOKEN_DELTA", "repair", in_trace(lambda view: event(view, "provider").update(token_delta=9))),
    ("C8_TRACE_DETAIL_OPTIONS", "events[", in_trace(lambda view: view.update(include_message_ids=False))),
    ("C8_TRACE_DETAIL_OPTIONS", "events[", in_trace(lambda view: view.update(include_token_breakdown=False))),
    ("C9_MESSAGE_DECISION_REASON", "c0",
     in_trace(lambda view: event(view, "message-decision", message_id="c0").update(reason="kept_by_fill"))),
    ("C10_TOOL_PAIR_DECISIONS_STAY_TOGETHER", "c", in_trace(no_pair)),
    ("C11_MUST_KEEP_TYPES_KEPT", "u1", in_trace(no_last_input)),
    ("C12_HOST_TOKENIZER_DRIVES_BUDGET", "u1",
     in_trace(lambda view: event(view, "message-decision", message_id="u1").update(tokens=1))),
    ("C12_HOST_TOKENIZER_DRIVES_BUDGET", "final_tokens", in_trace(lambda view: view.update(final_tokens=1))),
    ("C12_HOST_TOKENIZER_DRIVES_BUDGET", "c0",
     in_trace(lambda view: event(view, "message-decision", message_id="c0").update(original_index=999))),
    ("I13_REQUEST_HAS_NO_FINDING", "$.messages", body_without_results),
    ("I13_REQUEST_HAS_NO_FINDING", "c", lambda case: case.altered(
        conversation=replace(case.request.turn.conversation, messages=tuple(
            each for each in case.request.turn.conversation.messages if each.role != "tool")))),
    ("I14_EVERY_CHANGE_HAS_A_DECISION", "c0", lambda case: case.altered(decisions=())),
    ("I14_EVERY_CHANGE_HAS_A_DECISION", "c0", lambda case: case.altered(decisions=tuple(
        each for each in case.request.turn.decisions if each.message != "c0"))),
    ("I15_FINAL_COST_WITHIN_LIMIT", "request.cost", lambda case: case.altered(limit=20)),
    ("I16_DROPPED_TEXT_IS_RETRIEVABLE", "c0", lambda case: replace(case, store=MemoryBlobs())),
    ("I17_STABLE_PREFIX_IS_KEPT", "", other_prefix),
    ("I18_PINS_AND_OBLIGATIONS_PRESENT", "a0", without_approval),
    ("I18_PINS_AND_OBLIGATIONS_PRESENT", "u0", without_rule),
    ("I19_TOKENIZER_ALONE_DECIDES", "turn.after", lambda case: case.altered(after=exactly(3))),
    ("I19_TOKENIZER_ALONE_DECIDES", "turn.before", lambda case: case.altered(before=exactly(3))),
    ("I19_TOKENIZER_ALONE_DECIDES", "inputs.counter",
     lambda case: replace(case, request=replace(case.request, tokenizer=tokenizer("chars:2")))),
    ("I20_INPUTS_ARE_NOT_MUTATED", "conversation", other_snapshot),
]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "where", "alter"), BREAKS, ids=lambda value: value if isinstance(value, str) else ""
)
def test_a_wrong_value_fails_its_check_which_says_where(
    good: Case, name: str, where: str, alter: Callable[[Case], Case]
) -> None:
    assert failures_of(good.request, **good.known()) == ()  # type: ignore[arg-type]
    bad = alter(good)
    failed = {each.name: each for each in failures_of(bad.request, **bad.known())}  # type: ignore[arg-type]
    assert name in failed
    assert any(each.where.startswith(where) for each in failed[name].broken), failed[name]
    with pytest.raises(AssertionError, match=name):
        check_turn(bad.request, only=[name], **bad.known())  # type: ignore[arg-type]


def test_every_check_has_a_turn_that_fails_it() -> None:
    assert {name for name, _, _ in BREAKS} == set(INVARIANTS)


class Wrong:
    """A tokenizer that counts otherwise than the one it says it is."""

    def __init__(self) -> None:
        self._true = tokenizer("chars:4")
        self.id, self.version, self.state = self._true.id, self._true.version, self._true.state
        self.unit: Unit = "token"

    def text(self, text: str, model: str | None = None) -> Estimate:
        return self._true.text(text, model) + exactly(1)

    def message(self, message: Message, model: str | None = None) -> Estimate:
        return self._true.message(message, model) + exactly(40)

    def body(self, conversation: Conversation, model: str | None = None) -> Estimate:
        return self._true.body(conversation, model)


def test_a_turn_that_another_tokenizer_decided_is_found_out(made: list[Case]) -> None:
    case = next(case for case in made if case.request.turn.batch is not None)
    bad = replace(case.request, tokenizer=Wrong())
    assert "I19_TOKENIZER_ALONE_DECIDES" in {each.name for each in failures_of(bad, store=case.store)}


class Meddling(Wrong):
    """A tokenizer of a host that writes into what it was only to count."""

    def message(self, message: Message, model: str | None = None) -> Estimate:
        if message.extra is not None:
            message.extra.fields["counted"] = message.extra.fields.get("counted", 0) + 1
        return self._true.message(message, model)


def test_a_host_whose_tokenizer_changes_messages_is_told() -> None:
    said = Message(id="u", role="user", parts=(Text(text="hi"),), extra=Extra(wire="mine", fields={}))  # type: ignore[arg-type]
    conversation = Conversation(messages=(said,))
    given = Snapshot.of(conversation)
    request = Rail(target="neutral", tokenizer=Meddling()).build(conversation)
    (failure,) = failures_of(request, given=given, only=["I20_INPUTS_ARE_NOT_MUTATED"])
    assert [each.where for each in failure.broken] == ["inputs", "conversation"]


def test_a_turn_without_its_request_is_checked_as_far_as_it_goes(good: Case) -> None:
    check_turn(decided(good), store=good.store)
    bad = good.altered(limit=20)
    names = {each.name for each in failures_of(decided(bad), store=good.store)}
    assert "I15_FINAL_COST_WITHIN_LIMIT" in names
    assert not {name for name in names if name.startswith("C") and name != "C1_TRACE_ENABLED_MATCHES_POLICY"}


def test_a_message_that_repair_changed_before_it_left_is_kept_as_it_came() -> None:
    store = MemoryBlobs()
    ports = Ports(summarizer="extract", store=store)
    rail = Rail(target="neutral", window=250, reserve_output=0, tokenizer=tokenizer("chars:4"), ports=ports)
    odd = transcript("t user call k bash " + "words " * 150, "a assistant fine", "u user go on")
    request = rail.build(Conversation(messages=odd))
    changed = [each.reason for each in request.turn.decisions if each.message == "t"]
    assert changed == ["misplaced-call", "in-record"]
    assert request.turn.plan is not None
    assert [archive.ids for archive in request.turn.plan.archives] == [("t",)]
    check_turn(request, store=store)
    kept = store.get(request.turn.originals[MessageId("t")]).decode()
    assert json.loads(kept)["parts"][0]["type"] == "tool_call"


def test_a_failure_tells_three_places_and_how_many_more(good: Case) -> None:
    bad = good.altered(decisions=())
    (failure,) = failures_of(bad.request, only=["I14_EVERY_CHANGE_HAS_A_DECISION"])
    assert len(failure.broken) > 3
    assert str(failure).endswith(f"and {len(failure.broken) - 3} more")


def test_a_name_that_is_no_check_is_refused(good: Case) -> None:
    with pytest.raises(InvalidRequest, match="I99"):
        check_turn(good.request, only=["I99"])

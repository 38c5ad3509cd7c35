"""The core of a turn: deterministic, decided again from its record, refused with another tokenizer."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contextrail import (
    BudgetExceeded,
    Conversation,
    IntegrityError,
    InvalidRequest,
    Policy,
    Rail,
    TurnInputs,
    decide,
    from_record,
    to_record,
    tokenizer,
)
from contextrail.core.ids import MessageId
from contextrail.core.json_text import dump, parse_object
from contextrail.messages.cost import Tokenizer
from contextrail.messages.model import Message
from contextrail.messages.pairs import pair
from contextrail.turn import Counter, Turn
from tests.builders import show, transcript
from tests.properties.effort import FEW
from tests.properties.strategies import conversations, histories

BY_MESSAGE = tokenizer("message:10")


def inputs(*lines: str, window: int = 1_000, reserve: int = 0) -> TurnInputs:
    conversation = Conversation(messages=transcript(*lines))
    return TurnInputs(
        conversation=conversation, counter=Counter.of(BY_MESSAGE), window=window, reserve=reserve
    )


EACH_TURN = Policy(stability="recompute")
"""Fills the budget anew in every turn."""


def kept(*lines: str, window: int, policy: Policy = EACH_TURN) -> list[str]:
    turn = decided(inputs(*lines, window=window), policy)
    return [message.id for message in turn.conversation.messages]


def decided(given: TurnInputs, policy: Policy = EACH_TURN, count: Tokenizer = BY_MESSAGE) -> Turn:
    turn = decide(given, policy, count)
    assert isinstance(turn, Turn)
    return turn


HISTORY = (
    "s1 system be brief",
    "u1 user first",
    "a1 assistant call c1 ls",
    "t1 tool result c1 a.py",
    "a2 assistant one file",
    "u2 user second",
)


def test_everything_stays_while_it_fits() -> None:
    for policy in (EACH_TURN, Policy()):
        assert kept(*HISTORY, window=60, policy=policy) == ["s1", "u1", "a1", "t1", "a2", "u2"]


def test_recent_tool_work_stays_beside_what_is_required_and_becomes_a_line_where_it_does_not_fit() -> None:
    assert kept(*HISTORY, window=59) == ["s1", "u1", "a1", "t1", "u2"]  # u1 holds the goal
    assert kept(*HISTORY, window=40) == ["s1", "u1", "a1", "u2"]
    assert kept(*HISTORY, window=30) == ["s1", "u1", "u2"]
    assert kept(*HISTORY, window=20) == ["s1", "u2"]


def test_an_answer_does_not_stay_without_its_question() -> None:
    talk = (
        "u1 user first", "a1 assistant one", "u2 user second", "a2 assistant two",
        "u3 user third", "a3 assistant three", "u4 user fourth",
    )  # fmt: skip
    assert kept(*talk, window=50) == ["u1", "a1", "u3", "a3", "u4"]  # u2 and a2 do not fit together
    assert kept(*talk, window=40) == ["u1", "u3", "a3", "u4"]


def test_under_batches_a_cut_goes_below_the_limit_so_that_the_next_one_is_far() -> None:
    turn = decided(inputs(*HISTORY, window=59), Policy())
    assert [message.id for message in turn.conversation.messages] == ["s1", "u1", "u2"]  # u1 holds the goal
    assert turn.after.high <= 35
    assert (turn.batch, turn.trigger, turn.target) == ("over-trigger", 60, 35)


def test_required_messages_that_do_not_fit_are_an_error_with_the_numbers() -> None:
    with pytest.raises(BudgetExceeded) as caught:
        kept(*HISTORY, window=19)
    assert (caught.value.facts["needed"], caught.value.facts["available"]) == (20, 19)


def test_the_reserve_is_kept_free() -> None:
    turn = decided(inputs(*HISTORY, window=60, reserve=20))
    assert turn.limit == 40
    assert turn.after.high <= 40


def test_another_tokenizer_is_refused() -> None:
    with pytest.raises(InvalidRequest, match="counted with message:10"):
        decide(inputs(*HISTORY), Policy(), tokenizer("message:11"))


def test_another_state_of_calibration_is_refused() -> None:
    estimating = tokenizer("estimate:claude")
    given = replace(inputs(*HISTORY), counter=Counter.of(estimating))
    taught = estimating.calibrated(estimating.body(given.conversation), 90)
    with pytest.raises(InvalidRequest):
        decide(given, Policy(), taught)


def test_the_decisions_name_step_reason_the_unit_and_the_room() -> None:
    turn = decided(inputs(*HISTORY, window=20))
    by_id = {decision.message: decision for decision in turn.decisions}
    assert by_id.keys() == {"u1", "a1", "t1", "a2"}
    call = by_id[MessageId("a1")]
    assert (call.verdict, call.step, call.reason) == ("dropped", "working_memory", "over-budget")
    assert call.detail == {"cost": 20, "kind": "group", "room": 0, "together_with": ["t1"]}
    assert by_id[MessageId("a2")].detail["why"] == "its question is gone"


@FEW
@given(conversations(), st.integers(1, 400))
def test_a_turn_is_decided_again_from_its_record_byte_for_byte(
    conversation: Conversation, window: int
) -> None:
    count = tokenizer("chars:4")
    given = TurnInputs(conversation=conversation, counter=Counter.of(count), window=window)
    record = dump(to_record(given, Policy()))
    again, policy = from_record(parse_object(record, place="record"))
    assert outcome(again, policy) == outcome(given, Policy())
    assert dump(to_record(again, policy)) == record


def outcome(given: TurnInputs, policy: Policy) -> object:
    """The turn, or the facts of the refusal."""
    try:
        return decide(given, policy, tokenizer("chars:4"))
    except BudgetExceeded as error:
        return error.facts


def test_an_altered_record_is_not_believed() -> None:
    record = to_record(inputs(*HISTORY), Policy())
    with pytest.raises(IntegrityError):
        from_record({**record, "window": 5})
    with pytest.raises(InvalidRequest):
        from_record({"record": 2})


@FEW
@given(histories(), st.integers(1, 400), st.sampled_from([EACH_TURN, Policy()]))
def test_every_lost_message_has_a_decision_and_pairs_stay_whole(
    history: tuple[Message, ...], window: int, policy: Policy
) -> None:
    count = tokenizer("chars:4")
    given = TurnInputs(conversation=Conversation(messages=history), counter=Counter.of(count), window=window)
    try:
        turn = decided(given, policy, count)
    except BudgetExceeded:
        return
    out = turn.conversation.messages
    lost = {message.id for message in history} - {message.id for message in out}
    assert lost <= {decision.message for decision in turn.decisions}
    left = pair(out)
    assert (left.unanswered, left.orphans) == ((), ())
    assert turn.after.high <= window


@FEW
@given(conversations())
def test_the_conversation_given_is_not_changed(conversation: Conversation) -> None:
    before = dump(
        to_record(TurnInputs(conversation=conversation, counter=Counter.of(BY_MESSAGE), window=9), Policy())
    )
    with suppress(BudgetExceeded, InvalidRequest):
        Rail(target="anthropic", window=500, tokenizer=BY_MESSAGE).build(conversation)
    after = dump(
        to_record(TurnInputs(conversation=conversation, counter=Counter.of(BY_MESSAGE), window=9), Policy())
    )
    assert after == before


def test_repair_closes_calls_before_anything_is_left_out() -> None:
    turn = decided(inputs("u1 user go", "a1 assistant call c1 ls", "u2 user stop"))
    assert [line.split()[0] for line in show(turn.conversation.messages)] == ["u1", "a1", "a1~outcome", "u2"]

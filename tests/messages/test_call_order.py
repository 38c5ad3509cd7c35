"""Results in the order of their calls."""

from __future__ import annotations

from itertools import permutations

import pytest
from hypothesis import given

from contextrail.history.draft import Draft
from contextrail.history.repair import repair
from contextrail.messages.call_order import in_call_order
from contextrail.messages.model import Message
from contextrail.messages.settle import settle
from tests.builders import show, transcript
from tests.properties.strategies import orderly_messages

CALLS = "a1 assistant call c1 grep + call c2 read + call c3 ls"


@pytest.mark.parametrize("order", list(permutations((1, 2, 3))))
def test_results_in_messages_of_their_own_are_sorted(order: tuple[int, ...]) -> None:
    results = [f"t{at} tool result c{at} text {at}" for at in order]
    messages, decisions = in_call_order(transcript("u1 user go", CALLS, *results, "u2 user on"))
    assert [each.id for each in messages] == ["u1", "a1", "t1", "t2", "t3", "u2"]
    assert bool(decisions) == (order != (1, 2, 3))
    assert {each.reason for each in decisions} <= {"results-in-call-order"}


@pytest.mark.parametrize("order", list(permutations((1, 2, 3))))
def test_results_in_one_message_are_sorted(order: tuple[int, ...]) -> None:
    results = "t1 tool " + " + ".join(f"result c{at} text {at}" for at in order)
    messages, decisions = in_call_order(transcript(CALLS, results))
    assert show(messages)[1] == "t1 tool result c1 text 1 + result c2 text 2 + result c3 text 3"
    assert [each.message for each in decisions] == ([] if order == (1, 2, 3) else ["t1"])


def test_an_ordered_history_comes_back_as_it_is() -> None:
    messages = transcript(
        CALLS, "t1 tool result c1 a + result c2 b", "t3 tool result c3 c", "a2 assistant done"
    )
    assert in_call_order(messages) == (messages, ())


def test_results_of_another_reply_are_left_where_they_stand() -> None:
    messages = transcript(
        "a1 assistant call c1 ls", "t1 tool result c1 a", "a2 assistant call c2 ls", "t2 tool result c2 b"
    )
    assert in_call_order(messages) == (messages, ())


@given(orderly_messages())
def test_twice_is_once_and_pairs_stay_settled(history: tuple[Message, ...]) -> None:
    once = repair(Draft(history)).messages
    assert in_call_order(once) == (once, ())
    assert settle(once) == (once, ())

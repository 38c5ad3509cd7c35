"""Cache economics: when an edit pays, what is shared with the request before, why it is not."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contextrail.messages.model import Conversation, Text, Tool
from contextrail.usage.cache import (
    Region,
    diagnose,
    in_one_order,
    layout_of,
    message_digest,
    order_decision,
    pays,
    predict,
    stable_prefix,
    tools_digest,
    turns_to_pay,
)
from tests.builders import transcript

LINES = ("u1 user Fix it", "a1 assistant call c1 run {}", "t1 tool result c1 2 failed", "a2 assistant Done")


def layout(*lines: str, tools: tuple[Tool, ...] = (), system: str = "") -> tuple[Region, ...]:
    conversation = Conversation(
        messages=transcript(*lines), tools=tools, system=(Text(text=system),) if system else ()
    )
    return layout_of(conversation, lambda _: 10, tools=5, system=3)


def test_an_edit_pays_when_what_it_saves_in_later_turns_is_more_than_what_it_makes_anew() -> None:
    # .1 * 5,000 * 30 = 15,000 against 1.15 * 10,000 = 11,500
    assert pays(5_000, 10_000, 30)
    assert not pays(5_000, 10_000, 23)
    assert pays(5_000, 10_000, 19, write=1.0)


def test_the_turns_it_takes_are_where_both_sides_are_equal() -> None:
    turns = turns_to_pay(5_000, 10_000)
    assert turns is not None
    assert turns == pytest.approx(23.0)
    assert pays(5_000, 10_000, turns + 0.01)
    assert not pays(5_000, 10_000, turns - 0.01)


@pytest.mark.parametrize("saved", [0, -5])
def test_an_edit_that_saves_nothing_never_pays(saved: int) -> None:
    assert turns_to_pay(saved, 100) is None
    assert not pays(saved, 100, 1_000_000)


def test_an_edit_at_the_very_end_pays_at_once() -> None:
    assert turns_to_pay(10, 0) == 0.0


def test_a_request_that_grew_is_read_whole_from_the_cache() -> None:
    before, after = layout(*LINES[:3]), layout(*LINES)
    prefix = stable_prefix(before, after)
    assert (prefix.regions, prefix.cost) == (5, 38)
    assert diagnose(before, after) is None
    prediction = predict(prefix, after)
    assert (prediction.cached, prediction.uncached, prediction.units) == (38, 10, 13.8)


def test_the_prefix_ends_before_the_first_message_that_says_something_else() -> None:
    before = layout(*LINES)
    after = layout(LINES[0], "a1 assistant call c1 run {}", "t1 tool result c1 3 failed", LINES[3])
    assert stable_prefix(before, after).regions == 4
    miss = diagnose(before, after)
    assert miss is not None
    assert (miss.region, miss.change, miss.lost) == ("t1", "changed", 20)


def test_a_message_that_left_is_named() -> None:
    miss = diagnose(layout(*LINES), layout(LINES[0], LINES[3]))
    assert miss is not None
    assert (miss.region, miss.change, miss.lost) == ("a1", "removed", 30)


def test_other_tools_another_system_prompt_another_model_are_told_apart() -> None:
    plain = layout(*LINES)
    assert diagnose(plain, layout(*LINES, tools=(Tool(name="run"),))).change == "tools"  # type: ignore[union-attr]
    assert diagnose(plain, layout(*LINES, system="Be brief")).change == "system"  # type: ignore[union-attr]
    other = diagnose(plain, plain, models=("opus", "haiku"))
    assert other is not None
    assert (other.change, other.lost) == ("model", 48)


def test_a_digest_is_of_what_is_read_not_of_ids_and_times() -> None:
    one, two = transcript("u1 user Hello", "u2 user Hello")
    assert message_digest(one) == message_digest(two)
    assert message_digest(one) != message_digest(transcript("u1 user Hello!")[0])
    assert message_digest(one) != message_digest(transcript("u1 assistant Hello")[0])


def test_tools_in_another_order_are_other_tools() -> None:
    one, two = Tool(name="a"), Tool(name="b")
    assert tools_digest(Conversation(tools=(one, two))) != tools_digest(Conversation(tools=(two, one)))


regions = st.lists(
    st.tuples(st.sampled_from("abc"), st.sampled_from("xyz"), st.integers(0, 50)), max_size=6
).map(lambda rows: tuple(Region(*row) for row in rows))


@given(regions, regions)
def test_cached_and_uncached_make_up_the_request(
    before: tuple[Region, ...], after: tuple[Region, ...]
) -> None:
    prefix = stable_prefix(before, after)
    prediction = predict(prefix, after)
    assert prediction.cached + prediction.uncached == sum(region.cost for region in after)
    assert [each.digest for each in before[: prefix.regions]] == [
        each.digest for each in after[: prefix.regions]
    ]
    assert (diagnose(before, after) is None) == (prefix.regions == len(before))


def test_tools_in_another_order_than_the_host_gave_are_told() -> None:
    given = Conversation(messages=(), tools=(Tool(name="write"), Tool(name="read")))
    sent = replace(given, tools=in_one_order(given.tools))
    (told,) = order_decision(given, sent)
    assert (told.reason, told.detail) == ("tools-in-one-order", {"tools": ["read", "write"]})
    assert order_decision(sent, sent) == ()

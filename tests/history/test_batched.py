"""The default mode over several turns: the prefix stays between batches, and a batch is made only where it is due."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contextrail import (
    BudgetExceeded,
    Conversation,
    Moment,
    Policy,
    Ports,
    Rail,
    TurnInputs,
    decide,
    policy_from,
    tokenizer,
)
from contextrail.compaction.need import NeedSummary
from contextrail.core.json_text import JsonObject
from contextrail.history.plan import read_plan, write_plan
from contextrail.messages.model import Message, Summary, Text, Tool
from contextrail.messages.pairs import cut_points, pair
from contextrail.turn import Counter, Turn
from tests.builders import transcript
from tests.properties.strategies import orderly_messages

COUNT = tokenizer("chars:4")
QUIET = policy_from({"system_reminder": {"enabled_rule_ids": []}})


def inputs(messages: tuple[Message, ...], window: int, before: Turn | None = None) -> TurnInputs:
    return TurnInputs(
        conversation=Conversation(messages=messages),
        counter=Counter.of(COUNT),
        window=window,
        summarizer="extract",
        store=True,
        plan=None if before is None else before.plan,
    )


def turn_of(given_: TurnInputs, policy: Policy = QUIET) -> Turn:
    turn = decide(given_, policy, COUNT)
    assert isinstance(turn, Turn)
    return turn


def steps(count: int, size: int = 12) -> tuple[Message, ...]:
    """A run of tool steps; each costs about 4 * `size` tokens."""
    lines = ["u1 user Repair the importer"]
    for n in range(count):
        lines.append(f'a{n} assistant call c{n} read {{"path":"src/part_{n}.py"}}')
        lines.append(f"t{n} tool result c{n} " + f"row_limit_{n} = {n}; " * size)
    return transcript(*lines)


def turns(messages: tuple[Message, ...], window: int) -> list[Turn]:
    """One turn for each place where the history may be cut, the plan handed on."""
    made: list[Turn] = []
    for at in cut_points(messages)[1:]:
        made.append(turn_of(inputs(messages[:at], window, made[-1] if made else None)))
    return made


def test_a_newest_result_larger_than_the_window_is_shortened_and_a_record_stands_beside_it() -> None:
    history = (
        *steps(12),
        *transcript("a90 assistant call c90 read {}", "t90 tool result c90 " + "wide " * 20_000),
    )
    turn = turn_of(inputs(history, 1_500, turn_of(inputs(history[:-2], 1_500))))
    asked, record, *rest = turn.conversation.messages
    assert (asked.id, [message.id for message in rest[-2:]]) == ("u1", ["a90", "t90"])
    assert isinstance(record.parts[0], Summary)
    assert sum(COUNT.message(message).high for message in turn.conversation.messages) <= 1_500
    assert any(blob.text.count("wide") == 20_000 for blob in turn.blobs)


def test_between_batches_what_was_sent_is_a_prefix_of_what_is_sent_next() -> None:
    made = turns(steps(40), 1_200)
    assert sum(turn.batch is not None for turn in made) in range(2, 15)
    for before, after in pairwise(made):
        sent = before.conversation.messages
        if after.batch is None:
            assert after.conversation.messages[: len(sent)] == sent
            assert after.cache is not None
            assert after.cache.miss is None
        else:
            assert after.cache is not None
            assert after.cache.miss is not None


def test_a_batch_is_made_at_the_trigger_and_goes_down_to_the_target() -> None:
    made = turns(steps(40), 1_200)
    first = next(turn for turn in made if turn.batch is not None)
    assert first.batch == "over-trigger"
    assert first.trigger is not None
    assert first.target is not None
    assert first.after.high <= first.target + 10
    before = made[made.index(first) - 1]
    assert before.after.high < first.trigger


def test_the_same_inputs_give_the_same_turn_and_a_plan_may_go_through_json() -> None:
    history = steps(40)
    before = turns(history[:-2], 1_200)[-1]
    assert before.plan is not None
    once = turn_of(inputs(history, 1_200, before))
    there_and_back = replace(inputs(history, 1_200), plan=read_plan(write_plan(before.plan)))
    assert turn_of(there_and_back) == once


def test_a_batch_is_made_when_the_host_asks_but_not_below_the_target() -> None:
    small, large = steps(2), steps(15)
    assert turn_of(replace(inputs(small, 1_200), batch_asked=True)).batch is None
    assert turn_of(inputs(large, 1_300)).batch is None
    assert turn_of(replace(inputs(large, 1_300), batch_asked=True)).batch == "asked"


@pytest.mark.parametrize("idle", [None, 299.0, 301.0])
def test_a_dead_cache_is_a_good_moment(idle: float | None) -> None:
    history = steps(15)
    made = turn_of(replace(inputs(history, 1_300), idle_s=idle))
    assert made.batch == ("cache-dead" if idle == 301.0 else None)


def test_other_tools_make_the_cache_dead() -> None:
    history = steps(15)
    before = turn_of(inputs(history[:-2], 1_300))
    after = inputs(history, 1_300, before)
    assert turn_of(after).batch is None
    changed = replace(after, conversation=replace(after.conversation, tools=(Tool(name="x"),)))
    assert turn_of(changed).batch == "cache-dead"


def test_a_history_that_changed_under_its_plan_is_reduced_anew_and_said_so() -> None:
    history = steps(40)
    before = turns(history[:-2], 1_200)[-1]
    other = (replace(history[0], parts=transcript("u1 user Something else")[0].parts), *history[1:])
    turn = turn_of(inputs(other, 1_200, before))
    assert turn.batch is not None
    assert any(each.reason == "history-changed" for each in turn.decisions)


def test_a_long_result_is_whole_until_a_batch_unless_a_limit_was_set() -> None:
    long = "x" * 30_000
    history = transcript("u1 user Go", "a1 assistant call c1 read {}", f"t1 tool result c1 {long}")
    assert turn_of(inputs(history, 100_000)).conversation.messages == history
    strict = policy_from(
        {
            "system_reminder": {"enabled_rule_ids": []},
            "tool_output": {"observation_governance": {"max_chars": 19_000}},
        }
    )
    shown = turn_of(inputs(history, 100_000), strict)
    assert shown.conversation.messages != history
    assert shown.blobs


@given(orderly_messages(max_turns=8), st.integers(60, 600))
def test_over_any_turns_the_prefix_stays_pairs_are_whole_the_budget_holds_and_nothing_is_lost(
    messages: tuple[Message, ...], window: int
) -> None:
    before: Turn | None = None
    stored: set[str] = set()
    for at in cut_points(messages)[1:]:
        turn: Turn | None = None
        with suppress(BudgetExceeded):
            turn = turn_of(inputs(messages[:at], window, before))
        if turn is None:
            before = None
            stored.clear()
            continue
        assert turn.after.high <= window
        left = pair(turn.conversation.messages)
        assert (left.unanswered, left.orphans) == ((), ())
        stored |= {blob.digest for blob in turn.blobs}
        check_nothing_lost(messages[:at], turn, stored)
        if before is not None and turn.batch is None and "working_memory" not in acted(turn) | acted(before):
            sent = before.conversation.messages
            assert turn.conversation.messages[: len(sent)] == sent
        before = turn


def acted(turn: Turn) -> set[str]:
    return {each.step for each in turn.decisions}


def check_nothing_lost(messages: tuple[Message, ...], turn: Turn, stored: set[str]) -> None:
    """Every message that is not sent as it is has a decision, and stands in something that was stored."""
    assert turn.plan is not None
    sent = {id(message) for message in turn.conversation.messages}
    named = {each.message for each in turn.decisions}
    held = {ident for archive in turn.plan.archives if archive.digest in stored for ident in archive.ids}
    for message in messages:
        if id(message) not in sent:
            assert message.id in named
            assert message.id in held or turn.originals[message.id] in stored


def test_a_prefix_that_nothing_can_reduce_is_said_once_and_makes_no_batch() -> None:
    """System and tools pass the threshold alone; the request fits all the same."""
    asked: list[NeedSummary] = []

    def summarize(need: NeedSummary) -> str:
        asked.append(need)
        return "a summary"

    rail = Rail(
        target="neutral",
        window=1_000,
        reserve_output=0,
        tokenizer="bytes",
        ports=Ports(summarizer="model", summarize=summarize),
    )
    plan = None
    told: list[JsonObject] = []
    for turns in range(1, 7):
        words = [f"u{at} user go\na{at} assistant ok" for at in range(turns)]
        messages = transcript(*"\n".join(words).split("\n"), "u9 user now")
        conversation = Conversation(system=(Text(text="s" * 830),), messages=messages)
        request = rail.build(conversation, moment=Moment(plan=plan))
        plan = request.turn.plan
        told += request.turn.events
        assert request.turn.batch is None
        assert request.turn.conversation.messages == messages
    assert asked == []
    assert [(event["event"], event["system"], event["fits"]) for event in told] == [
        ("irreducible", 830, True)
    ]

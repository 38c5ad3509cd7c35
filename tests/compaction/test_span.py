"""Which span is replaced: legal cuts, nothing that is running, required or owed; and when."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contextrail.compaction.span import (
    Measure,
    compaction_measure,
    current_run,
    find_span,
    span_digest,
    summarization_measure,
)
from contextrail.core.ids import MessageId
from contextrail.history.draft import Draft
from contextrail.history.repair import repair
from contextrail.messages.model import Fence, Message, Text
from contextrail.messages.pairs import pair, units
from tests.builders import transcript
from tests.properties.strategies import histories

NONE: frozenset[MessageId] = frozenset()
TALK = transcript(
    *(line for n in range(8) for line in (f"u{n} user question {n}", f"a{n} assistant answer {n}")),
    "now user go on",
)


def taken(messages: tuple[Message, ...], measure: Measure, locked: frozenset[MessageId] = NONE) -> list[str]:
    span = find_span(messages, measure, lambda _: 10, locked)
    return [] if span is None else [message.id for message in span.of(messages)]


def share(part: float, target: int = 10_000) -> Measure:
    return Measure(trigger=0, target=target, share=part)


def test_the_oldest_share_goes_and_ends_where_a_run_ends() -> None:
    assert taken(TALK, share(0.5)) == ["u0", "a0", "u1", "a1", "u2", "a2", "u3", "a3"]
    assert taken(TALK, share(0.45))[-1] == "a3"


def test_the_current_run_never_goes() -> None:
    messages = (*TALK, *transcript("c assistant call c1 x", "r tool result c1 y"))
    assert taken(messages, share(1.0)) == [message.id for message in TALK[:-1]]
    assert taken(transcript("u user x", "a assistant y", "a2 assistant z"), share(1.0)) == []


def test_what_does_not_fit_is_summarized_and_not_left_to_be_cut() -> None:
    assert len(taken(TALK, share(0.25))) == 4
    assert len(taken(TALK, share(0.25, target=60))) == 12


def test_locked_messages_stay_with_their_unit_and_the_others_go() -> None:
    messages = transcript(
        "u1 user a",
        "c1 assistant call c1 ask",
        "r1 tool interim c1 T-9",
        "a1 assistant b",
        "u2 user c",
        "a2 assistant d",
        "now user e",
    )
    assert taken(messages, share(1.0), frozenset([MessageId("r1")])) == ["u1", "a1", "u2", "a2"]


def test_system_messages_and_fences_of_ours_stay() -> None:
    fence = Message(
        id=MessageId("f"), role="user", parts=(Fence(family="x", text="y", lifetime="persisted"),)
    )
    messages = (*transcript("s system be kind"), fence, *TALK)
    assert taken(messages, share(1.0)) == [message.id for message in TALK[:-1]]


def test_a_single_message_is_not_worth_a_summary() -> None:
    assert taken(transcript("u1 user a", "now user b"), share(1.0)) == []


def test_a_long_run_is_cut_at_the_border_of_a_unit() -> None:
    lines = [f"a{n} assistant call c{n} x + call d{n} y" for n in range(6)]
    answers = [(f"r{n} tool result c{n} ok", f"s{n} tool result d{n} ok") for n in range(6)]
    messages = transcript(
        "u user x", *(line for n in range(6) for line in (lines[n], *answers[n])), "now user y"
    )
    assert taken(messages, share(0.5)) == ["u", "a0", "r0", "s0", "a1", "r1", "s1", "a2", "r2", "s2"]


def test_compaction_keeps_the_newest_or_half_of_a_short_history() -> None:
    keep = Measure(trigger=0, target=10_000, keep_latest=20)
    assert len(taken(TALK, keep)) == 8  # nine would part a question from its answer
    longer = transcript(*(f"m{n} assistant x" for n in range(60)), "now user y")
    assert len(taken(longer, keep)) == 41


def test_the_numbers_of_the_recorded_case() -> None:
    measure = compaction_measure(
        200_000, 10_000, threshold=0.85, target=0.60, keep_latest=20, max_summary=8_000
    )
    assert measure.target == 92_000
    assert measure.trigger == 160_000
    assert measure.summary_limit == 8_000


@pytest.mark.parametrize(("used", "passed"), [(80_000, True), (79_999, False)])
def test_the_trigger_is_passed_from_its_share_on(used: int, passed: bool) -> None:  # noqa: FBT001
    measure = compaction_measure(100_000, 0, threshold=0.80, target=0.60, keep_latest=20, max_summary=8_000)
    assert (used >= measure.trigger) == passed


def test_a_summary_gets_its_share_of_the_history_budget() -> None:
    measure = summarization_measure(10_000, threshold=0.70, share=0.75, budget=0.12)
    assert (measure.trigger, measure.summary_limit) == (7_000, 1_200)


def test_the_digest_is_of_what_is_said_and_by_whom() -> None:
    assert span_digest(TALK) == span_digest(tuple(TALK))
    other = (Message(id=TALK[0].id, role="user", parts=(Text(text="x"),)), *TALK[1:])
    assert span_digest(TALK) != span_digest(other)
    assert span_digest(TALK[:2]) != span_digest(TALK[:3])


@given(histories(), st.floats(0.1, 1.0), st.integers(0, 3000), st.integers(0, 5))
def test_a_span_is_whole_units_before_the_current_run_and_nothing_locked(
    history: tuple[Message, ...], part: float, target: int, stride: int
) -> None:
    messages = repair(Draft(history)).messages
    locked = frozenset(message.id for message in messages[:: stride + 1]) if stride else NONE
    span = find_span(messages, share(part, target), lambda _: 10, locked)
    if span is None:
        return
    gone = set(span.indexes)
    assert list(span.indexes) == sorted(gone)
    assert max(gone) < current_run(messages)
    assert all(gone.isdisjoint(unit) or gone.issuperset(unit) for unit in units(messages))
    assert all(messages[at].id not in locked and messages[at].role != "system" for at in gone)
    left = [message for at, message in enumerate(messages) if at not in gone]
    assert len(pair(left).orphans) == len(pair(messages).orphans)
    assert len(pair(left).unanswered) <= len(pair(messages).unanswered)

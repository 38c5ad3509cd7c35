"""Obligations: what is owed is found, kept, settled or closed; nothing is blocked in silence."""

from __future__ import annotations

import pytest
from hypothesis import given

from contextrail.core.tokens import exactly
from contextrail.history.context import Context
from contextrail.history.draft import Draft
from contextrail.history.groups import ObligationsPolicy
from contextrail.history.obligations import find_obligations, obligations, open_messages
from contextrail.history.policy import Policy
from contextrail.history.repair import repair
from contextrail.messages.model import Message
from contextrail.messages.pairs import units
from contextrail.messages.text import message_text
from tests.builders import transcript
from tests.properties.effort import FEW
from tests.properties.strategies import histories

RULES = ObligationsPolicy()


def context(policy: Policy | None = None) -> Context:
    return Context(
        policy=policy or Policy(),
        cost=lambda message: exactly(len(message_text(message))).high,
        count=len,
        unit="byte",
        limit=10_000,
        total=10_000,
    )


def owed(messages: tuple[Message, ...]) -> list[tuple[str, str, bool]]:
    return [(each.kind, each.tool, each.dead) for each in find_obligations(messages, RULES)]


PENDING = transcript(
    "u1 user pay invoice 88",
    "c1 assistant call k1 ask_legal",
    "r1 tool interim k1 waiting, case L-402",
    "a1 assistant asked",
    "u2 user go on",
)


def test_a_call_with_an_interim_result_is_owed_however_old_it_is() -> None:
    later = transcript("u3 user x", "a3 assistant y", "u4 user z", "a4 assistant y", "u5 user w")
    assert owed((*PENDING, *later)) == [("interim", "ask_legal", False)]


@pytest.mark.parametrize(
    ("result", "kind"),
    [
        ("status: pending, ticket T-9", "approval"),
        ("waiting for approval by legal", "approval"),
        ("待审批，单号 A-77", "approval"),
        ("refunded order 771", None),
        ("there are 3 pending migrations. " + "log line\n" * 100, None),
    ],
)
def test_a_result_that_says_it_is_pending_is_owed(result: str, kind: str | None) -> None:
    messages = transcript(
        "u1 user x", "c1 assistant call k1 refund", f"r1 tool result k1 {result}", "u2 user y"
    )
    assert [each.kind for each in find_obligations(messages, RULES)] == ([kind] if kind else [])


def test_a_helper_that_was_started_is_owed() -> None:
    messages = transcript(
        "u1 user x",
        "c1 assistant call k1 spawn_agent",
        "r1 tool result k1 agent a-7 running in background",
        "u2 user y",
    )
    assert owed(messages) == [("helper", "spawn_agent", False)]


def test_a_later_word_on_the_ticket_settles_it() -> None:
    messages = transcript(
        "u1 user x",
        "c1 assistant call k1 refund",
        "r1 tool result k1 pending, ticket T-9",
        "u2 user is it there?",
        "c2 assistant call k2 ticket_status",
        "r2 tool result k2 T-9 was approved",
        "u3 user y",
    )
    assert owed(messages) == []


@pytest.mark.parametrize(
    ("ticket", "later", "settled"),
    [
        ("ticket 42", "142042 lines", False),
        ("ticket 42", "took 1.42 s", False),
        ("APR-7", "APR-77 was approved", False),
        ("APR-7", "APR-7-1 was approved", False),
        ("APR-7", "APR-77 is open, APR-7 was approved", True),
        ("ticket 42", "#42: done.", True),
        ("单号 A-77", "工单A-77已批准", True),
    ],
)
def test_only_the_whole_ticket_settles(ticket: str, later: str, settled: bool) -> None:  # noqa: FBT001
    messages = transcript(
        "u1 user x",
        "c1 assistant call k1 refund",
        f"r1 tool result k1 pending, {ticket}",
        "c2 assistant call k2 look",
        f"r2 tool result k2 {later}",
        "u3 user y",
    )
    assert (owed(messages) == []) is settled


def test_a_later_word_that_it_is_still_pending_does_not() -> None:
    messages = transcript(
        "u1 user x",
        "c1 assistant call k1 refund",
        "r1 tool result k1 pending, ticket T-9",
        "c2 assistant call k2 ticket_status",
        "r2 tool result k2 T-9 is still running",
        "u3 user y",
    )
    assert ("approval", "refund", False) in owed(messages)


def test_calls_of_the_current_run_are_at_work_and_not_owed() -> None:
    assert owed(PENDING[:-1]) == []


def test_an_unanswered_call_is_owed_for_two_runs_and_then_dead() -> None:
    lost = transcript(
        "u1 user x",
        "c1 assistant call k1 build",
        "a1 assistant hm",
        "u2 user y",
        "a2 assistant z",
        "u3 user w",
    )
    messages = repair(Draft(lost)).messages
    assert owed(messages) == [("unanswered", "build", False)]
    later = (*messages, *transcript("a3 assistant v", "u4 user q"))
    assert owed(later) == [("unanswered", "build", True)]


def test_open_obligations_are_required_with_call_and_result() -> None:
    draft = obligations(Draft(PENDING), context())
    assert draft.required == {"c1", "r1"}
    assert draft.messages == PENDING


def test_a_dead_one_is_closed_and_reported_and_blocks_nothing() -> None:
    lines = ["u1 user x", "c1 assistant call k1 build", *(f"u{n} user go on" for n in range(2, 6))]
    draft = obligations(repair(Draft(transcript(*lines))), context())
    assert draft.required == frozenset()
    assert [decision.reason for decision in draft.decisions if decision.step == "obligations"] == [
        "closed-outcome-unknown"
    ]
    assert draft.events == (
        {
            "event": "obligation_closed",
            "message": "c1",
            "outcome": "unknown",
            "call": "k1",
            "tool": "build",
            "kind": "unanswered",
            "runs_ago": 4,
        },
    )


def test_a_host_may_keep_no_obligations() -> None:
    policy = Policy(obligations=ObligationsPolicy(keep_open=False, close_dead=False))
    assert obligations(Draft(PENDING), context(policy)) == Draft(PENDING)


@FEW
@given(histories())
def test_what_is_open_is_whole_units_of_the_history(history: tuple[Message, ...]) -> None:
    messages = repair(Draft(history)).messages
    ids = open_messages(messages, RULES)
    for unit in units(messages):
        inside = {messages[at].id in ids for at in unit}
        assert len(inside) == 1

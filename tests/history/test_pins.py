"""Pins of the host: what it pinned stays or comes back, what it unpinned binds no longer."""

from __future__ import annotations

import pytest

from contextrail import Conversation, InvalidRequest, Moment, Ports, Rail, Request, tokenizer
from contextrail.core.ids import MessageId
from contextrail.history.policy import Policy
from contextrail.messages.model import Message
from contextrail.messages.text import message_text
from contextrail.policy import policy_from
from tests.builders import transcript

HISTORY = transcript(
    "u1 user Find the importer",
    'a1 assistant call c1 read {"path":"src/importer.py"}',
    "t1 tool result c1 " + "def load_rows(): pass; " * 60,
    "a2 assistant It loads rows one by one.",
    "u2 user Now make it faster. Never touch the table users.",
    'a3 assistant call c3 read {"path":"src/rows.py"}',
    "t3 tool result c3 " + "class Rows: pass; " * 60,
    "a4 assistant It reads each row twice.",
    "u3 user And the tests?",
)


def build(moment: Moment | None = None, policy: Policy | None = None, window: int = 300) -> Request:
    rail = Rail(
        policy,
        target="neutral",
        window=window,
        reserve_output=0,
        tokenizer=tokenizer("chars:4"),
        ports=Ports(summarizer="extract"),
    )
    return rail.build(Conversation(messages=HISTORY), moment=moment)


def named(*ids: str) -> frozenset[MessageId]:
    return frozenset(map(MessageId, ids))


def ids(request: Request) -> list[str]:
    return [message.id for message in request.sent.messages]


def said(messages: tuple[Message, ...]) -> str:
    return "\n".join(map(message_text, messages))


def test_a_pinned_message_stays_where_others_of_its_age_leave() -> None:
    assert "a2" not in ids(build())
    assert "a2" in ids(build(Moment(pinned=named("a2"))))


def test_a_pinned_result_stays_with_its_call_and_is_not_collapsed() -> None:
    policy = policy_from({"stability": "recompute", "tool_history": {"keep_latest_runs": 0}})
    assert "t1" not in ids(build(policy=policy, window=5_000))
    kept = build(Moment(pinned=named("t1")), policy, window=5_000)
    assert [each for each in kept.sent.messages if each.id in ("a1", "t1")] == list(HISTORY[1:3])


def test_a_pinned_message_that_left_in_an_earlier_turn_comes_back() -> None:
    first = build()
    later = build(Moment(plan=first.turn.plan, pinned=named("a2")))
    assert "a2" in ids(later)
    assert later.turn.batch == "asked"
    again = build(Moment(plan=later.turn.plan, pinned=named("a2")))
    assert again.turn.batch is None
    assert again.body == later.body


def test_a_rule_of_an_unpinned_message_is_no_record_any_more() -> None:
    rule = "[u2] Never touch the table users."
    assert rule in said(build(window=230).sent.messages)
    assert "Never touch" not in said(build(Moment(unpinned=named("u2")), window=230).sent.messages)


@pytest.mark.parametrize(
    ("pinned", "unpinned", "cure"),
    [({"nobody"}, set(), "no message has the id nobody"), ({"u1"}, {"u1"}, "u1 is pinned and unpinned")],
)
def test_a_pin_that_names_nothing_or_contradicts_itself_is_refused(
    pinned: set[str], unpinned: set[str], cure: str
) -> None:
    with pytest.raises(InvalidRequest, match=cure):
        build(Moment(pinned=named(*pinned), unpinned=named(*unpinned)))

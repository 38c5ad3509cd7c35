"""Obligations: what is owed is found, kept, settled or closed; nothing is blocked in silence."""

from __future__ import annotations

import pytest
from hypothesis import given

from contextrail.core.ids import CallId, MessageId
from contextrail.core.tokens import exactly
from contextrail.history.context import Context
from contextrail.history.draft import Draft
from contextrail.history.groups import ObligationsPolicy
from contextrail.history.obligations import find_obligations, obligations, open_messages
from contextrail.history.policy import Policy
from contextrail.history.repair import repair
from contextrail.messages.model import Message, Text, ToolCall, ToolResult
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


@pytest.mark.parametrize(
    ("result", "kind"),
    [
        ("Approval pending, ticket APRV-42X", "approval"),
        ("Job started in background, id job_77x", "approval"),
        ("Held: this change is waiting for sign-off by the release manager.", "approval"),
        ("blocked until review, PR-81", "approval"),
        ("needs your explicit go-ahead", "approval"),
        ('{"status": "pending_approval", "request": "REQ-5512"}', "approval"),
        ("not yet approved", "approval"),
        ("已提交，等待经理批准", "approval"),
        ("尚未审批，单号 A-77", "approval"),
        ("任务已在后台运行，编号 T-31", "approval"),
        ("log line of the tool\n" * 100 + "Submitted for review as CR-1881.", "approval"),
        ("log line of the tool\n" * 100 + "3 jobs in progress", None),
        ("approved by legal", None),
        ("reviewed and signed off", None),
        ("已批准", None),
        ("waiting for it took 3 s", None),
        ("confirmed", None),
        ("审批通过", None),
    ],
)
def test_what_is_pending_is_owed_in_the_current_run_too(result: str, kind: str | None) -> None:
    messages = transcript("u1 user x", "c1 assistant call k1 refund", f"r1 tool result k1 {result}")
    assert [each.kind for each in find_obligations(messages, RULES)] == ([kind] if kind else [])


def test_a_call_without_a_result_is_owed_in_the_current_run_too() -> None:
    lost = transcript("u1 user x", "c1 assistant call k1 build", "a1 assistant hm")
    assert owed(repair(Draft(lost)).messages) == [("unanswered", "build", False)]
    assert owed(PENDING[:-1]) == [("interim", "ask_legal", False)]


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("read_file", '{"path": "docs/flow.md"}'),
        ("grep", '{"pattern": "pending"}'),
        ("bash", '{"command": "cat docs/flow.md"}'),
    ],
)
def test_what_stands_in_a_file_is_not_pending(tool: str, arguments: str) -> None:
    call = ToolCall(call_id=CallId("k1"), name=tool, arguments=arguments)
    told = ToolResult(call_id=CallId("k1"), parts=(Text(text="approval pending, ticket T-9"),), status="ok")
    messages = (
        Message(id=MessageId("c1"), role="assistant", parts=(call,)),
        Message(id=MessageId("r1"), role="tool", parts=(told,)),
    )
    assert find_obligations(messages, RULES) == ()


def test_of_many_words_that_a_job_still_runs_the_first_and_the_last_are_owed() -> None:
    lines = ["u1 user x"]
    for at in range(1, 6):
        lines += [f"c{at} assistant call k{at} poll", f"r{at} tool result k{at} job J-77 is still running"]
    found = find_obligations(transcript(*lines), RULES)
    assert [each.message for each in found] == ["c1", "c5"]


def test_without_a_ticket_a_later_result_of_the_same_tool_settles() -> None:
    messages = transcript(
        "u1 user x",
        "c1 assistant call k1 deploy",
        "r1 tool result k1 waiting for approval",
        "c2 assistant call k2 deploy",
        "r2 tool result k2 deployed",
    )
    assert owed(messages) == []


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

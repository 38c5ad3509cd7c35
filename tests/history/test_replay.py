"""The replay guard: bare groups of earlier runs are made safe, those of the current run are never touched."""

import json

import pytest

from contextrail.core.ids import CallId, MessageId
from contextrail.history.draft import Draft
from contextrail.history.replay import replay_guard
from contextrail.messages.model import Message, Part, Text, Thinking, ToolCall, ToolResult
from tests.history.contexts import context


def run(number: int, calls: int, *, thinking: bool = False) -> list[Message]:
    """One user input and so many groups."""
    made = [Message(id=MessageId(f"u{number}"), role="user", parts=(Text(text="go"),), run=number)]
    for at in range(calls):
        ident = CallId(f"k{number}_{at}")
        call = ToolCall(call_id=ident, name="read", arguments=json.dumps({"path": "a.py"}))
        parts: tuple[Part, ...] = (Thinking(text="hm"), call) if thinking else (call,)
        told = ToolResult(call_id=ident, parts=(Text(text="text"),), status="ok")
        made.append(Message(id=MessageId(f"c{ident}"), role="assistant", parts=parts, run=number))
        made.append(Message(id=MessageId(f"r{ident}"), role="tool", parts=(told,), run=number))
    return made


def guarded(behavior: str, *runs: list[Message], required: bool = True) -> Draft:
    policy = {
        "providerReplay": {
            "requiresReasoningDetailsForToolReplay": required,
            "missingSidecarBehavior": behavior,
        }
    }
    return replay_guard(Draft(tuple(each for one in runs for each in one)), context(policy=policy))


def calls(draft: Draft) -> list[str]:
    return [part.call_id for each in draft.messages for part in each.parts if isinstance(part, ToolCall)]


def test_of_six_bare_calls_the_three_of_the_current_run_stay_calls() -> None:
    done = guarded("degrade_to_text", run(1, 3), run(2, 3))
    assert calls(done) == ["k2_0", "k2_1", "k2_2"]
    assert sum(each.verdict == "changed" for each in done.decisions) == 3


def test_the_empty_field_goes_to_the_bare_calls_of_earlier_runs_alone() -> None:
    done = guarded("provider_empty_replay_field", run(1, 3), run(2, 3))
    assert len(calls(done)) == 6
    marked = [each.id for each in done.messages if any(isinstance(part, Thinking) for part in each.parts)]
    assert marked == ["ck1_0", "ck1_1", "ck1_2"]


@pytest.mark.parametrize("behavior", ["degrade_to_text", "provider_empty_replay_field"])
def test_calls_with_their_reasoning_stay_as_they_are(behavior: str) -> None:
    done = guarded(behavior, run(1, 3, thinking=True), run(2, 3))
    assert done.decisions == ()


@pytest.mark.parametrize(("behavior", "required"), [("allow", True), ("degrade_to_text", False)])
def test_a_route_that_allows_it_or_needs_nothing_gets_every_call(behavior: str, *, required: bool) -> None:
    done = guarded(behavior, run(1, 3), run(2, 3), required=required)
    assert (len(calls(done)), done.decisions) == (6, ())

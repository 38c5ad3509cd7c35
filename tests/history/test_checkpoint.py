"""Checkpoint: what it clears, what it leaves, and what is no checkpoint."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contextrail.core.errors import InvalidRequest
from contextrail.history.checkpoint import checkpoint, checkpoint_activated
from contextrail.history.checkpoint_tool import CheckpointCall, ContextCheckpointTool
from contextrail.history.draft import Draft
from contextrail.history.groups import CheckpointPolicy
from contextrail.history.repair import repair
from contextrail.messages.model import Message
from contextrail.messages.pairs import in_order
from tests.builders import transcript
from tests.history.contexts import context

MARK = json.dumps(
    {"data": {"_type": "context_checkpoint", "summary": "port is 3307"}, "observation": "saved"}
)
SAVED = ("ck assistant call k context_checkpoint", f"rk tool result k {MARK}")
BEFORE = (
    "s system rules",
    "u1 user start",
    "c1 assistant call 1 read",
    "r1 tool result 1 one",
    "a1 assistant early answer",
    "t1 assistant think deep + early thought",
    "c2 assistant call 2 read",
    "r2 tool result 2 two",
    "c3 assistant call 3 read",
    "r3 tool result 3 three",
)
AFTER = ("c4 assistant call 4 read", "r4 tool result 4 four", "a2 assistant late", "now user next")


def left(messages: tuple[Message, ...], keep: int = 2, **policy: Any) -> list[str]:
    chosen = {"checkpoint": {"keepPairsBefore": keep, **policy}}
    return [each.id for each in checkpoint(Draft(messages), context(policy=chosen)).messages]


def test_it_clears_the_work_before_it_but_the_latest_pairs_and_what_the_user_said() -> None:
    assert left(transcript(*BEFORE, *SAVED, *AFTER)) == [
        *("s", "u1", "c2", "r2", "c3", "r3", "ck", "rk", "c4", "r4", "a2", "now")
    ]


def test_with_no_pair_to_keep_only_the_checkpoint_is_left_of_the_work() -> None:
    assert left(transcript(*BEFORE, *SAVED, *AFTER), keep=0) == [
        "s",
        "u1",
        "ck",
        "rk",
        "c4",
        "r4",
        "a2",
        "now",
    ]


def test_a_promise_that_is_still_open_stays() -> None:
    promised = transcript(
        *BEFORE[:4], "p1 assistant I'll run the migration after the backup.", *SAVED, *AFTER
    )
    assert "p1" in left(promised, keep=0)


def test_it_works_within_the_current_run() -> None:
    assert left(transcript(*BEFORE, *SAVED), keep=0) == ["s", "u1", "ck", "rk"]


def test_of_two_checkpoints_the_latest_counts_and_the_earlier_goes() -> None:
    again = [line.replace("ck ", "ck2 ").replace("rk ", "rk2 ").replace(" k ", " k2 ") for line in SAVED]
    assert left(transcript(*BEFORE, *SAVED, *again), keep=1) == ["s", "u1", "c3", "r3", "ck2", "rk2"]


def test_twice_is_once_and_every_loss_is_named() -> None:
    once = checkpoint(Draft(transcript(*BEFORE, *SAVED, *AFTER)), context())
    assert checkpoint(once, context()) is once
    assert {each.message for each in once.decisions} == {"c1", "r1", "a1", "t1"}
    assert {each.reason for each in once.decisions} == {"before-checkpoint"}


@pytest.mark.parametrize(
    "output",
    [
        f"docs/x.json: {MARK}",
        f"{MARK}\n{MARK}",
        json.dumps({"data": {"_type": "context_checkpoint", "summary": "  "}}),
        json.dumps({"data": {"_type": "other", "summary": "x"}}),
        json.dumps([{"_type": "context_checkpoint", "summary": "x"}]),
        json.dumps({"text": MARK}),
        "context_checkpoint",
        '{"_type": "context_checkpoint", "summary": "x"',
    ],
)
def test_text_that_merely_shows_a_marker_clears_nothing(output: str) -> None:
    told = transcript(*BEFORE, SAVED[0], f"rk tool result k {output}", *AFTER)
    assert left(told) == [each.id for each in told]


def test_the_bare_marker_counts_as_well() -> None:
    bare = json.dumps({"_type": "context_checkpoint", "summary": "x"})
    assert left(transcript(*BEFORE, SAVED[0], f"rk tool result k {bare}"), keep=0) == ["s", "u1", "ck", "rk"]


def test_another_tool_or_a_failed_one_clears_nothing() -> None:
    for lines in (
        ("ck assistant call k save_notes", SAVED[1]),
        (SAVED[0], f"rk tool error k {MARK}"),
        (SAVED[0], f"rk tool interim k {MARK}"),
    ):
        told = transcript(*BEFORE, *lines, *AFTER)
        assert left(told) == [each.id for each in told]


def test_a_renamed_tool_works_if_the_policy_knows_its_name() -> None:
    told = transcript(*BEFORE, "ck assistant call k phase_checkpoint", SAVED[1])
    assert left(told, keep=0, triggerToolName="phase_checkpoint") == ["s", "u1", "ck", "rk"]


def test_a_batch_with_an_unanswered_call_is_no_checkpoint() -> None:
    told = transcript(*BEFORE, "ck assistant call k context_checkpoint + call j read", SAVED[1])
    whole = repair(Draft(told)).messages
    assert left(whole) == [each.id for each in whole]


def test_what_must_be_kept_stays_and_so_does_a_group_that_waits() -> None:
    told = transcript(*BEFORE[:-1], "r3 tool interim 3 running", *SAVED)
    policy = {"mustKeep": {"alwaysKeepTypes": ["final_answer"]}, "checkpoint": {"keepPairsBefore": 0}}
    kept = checkpoint(Draft(told), context(policy=policy)).messages
    assert [each.id for each in kept] == ["s", "u1", "a1", "t1", "c3", "r3", "ck", "rk"]


def test_it_asks_the_host_to_count_anew_only_right_after_it_and_not_for_ever() -> None:
    policy = CheckpointPolicy(max_checkpoints=1)
    now = transcript(*BEFORE, *SAVED)
    assert checkpoint_activated(now, policy)
    assert not checkpoint_activated(transcript(*BEFORE, *SAVED, *AFTER), policy)
    assert not checkpoint_activated(transcript(*BEFORE), policy)
    again = [line.replace("ck ", "ck2 ").replace("rk ", "rk2 ").replace(" k ", " k2 ") for line in SAVED]
    assert not checkpoint_activated(transcript(*BEFORE, *SAVED, *again), policy)
    assert checkpoint_activated(transcript(*BEFORE, *SAVED, *again), CheckpointPolicy(max_checkpoints=2))


@given(st.integers(0, 5), st.sets(st.integers(0, 9)), st.booleans())
def test_pairs_stay_whole_whatever_is_kept(keep: int, places: set[int], batch: bool) -> None:  # noqa: FBT001
    lines = []
    for at in range(10):
        if at in places:
            lines += [line.replace("k ", f"k{at} ", 1).replace(" k ", f" k{at} ") for line in SAVED]
        elif batch and at % 2:
            lines += [
                f"c{at} assistant call {at} x + call {at}b y",
                f"r{at} tool result {at} 1 + result {at}b 2",
            ]
        else:
            lines += [f"c{at} assistant call {at} x", f"r{at} tool result {at} 1", f"u{at} user go"]
    told = transcript(*lines)
    kept = checkpoint(Draft(told), context(policy={"checkpoint": {"keepPairsBefore": keep}})).messages
    assert in_order(kept)


# The tool


def test_what_the_tool_answers_is_a_checkpoint() -> None:
    answer = ContextCheckpointTool().run({"summary": "  port is 3307 "})
    told = transcript(*BEFORE, SAVED[0], f"rk tool result k {answer}")
    assert left(told, keep=0) == ["s", "u1", "ck", "rk"]
    assert json.loads(answer)["data"]["summary"] == "port is 3307"


def test_a_host_extends_parameters_payload_and_observation_but_not_the_marker() -> None:
    def extend(call: CheckpointCall) -> dict[str, Any]:
        return {"task": call.arguments["task"], "run": call.context, "_type": "other", "summary": "other"}

    tool = ContextCheckpointTool(
        name="phase_checkpoint",
        extra_parameters={"task": {"type": "object"}},
        required_extra_parameters=("task",),
        build_payload_extension=extend,
        build_observation=lambda call: f"kept {len(call.summary)}",
    )
    parameters = tool.tool.parameters
    assert isinstance(parameters, dict)
    assert parameters["required"] == ["summary", "task"]
    answer = json.loads(tool.run({"summary": "abc", "task": {"open": 1}}, context=7))
    assert answer == {
        "data": {"task": {"open": 1}, "run": 7, "_type": "context_checkpoint", "summary": "abc"},
        "observation": "kept 3",
    }


@pytest.mark.parametrize(
    "arguments",
    [{}, {"summary": " "}, {"summary": 3}, {"summary": "x" * 11}, {"summary": "ok", "task": None}],
)
def test_a_call_that_is_wrong_is_refused_with_the_parameter(arguments: dict[str, Any]) -> None:
    tool = ContextCheckpointTool(
        summary_max_length=10, extra_parameters={"task": {}}, required_extra_parameters=("task",)
    )
    with pytest.raises(InvalidRequest) as caught:
        tool.run(arguments)
    assert caught.value.facts["path"] in {"summary", "task"}


@pytest.mark.parametrize(
    "options",
    [
        {"name": " "},
        {"summary_max_length": 0},
        {"extra_parameters": {"summary": {}}},
        {"required_extra_parameters": ("task",)},
    ],
)
def test_a_tool_that_cannot_work_is_refused(options: dict[str, Any]) -> None:
    with pytest.raises(InvalidRequest):
        ContextCheckpointTool(**options)

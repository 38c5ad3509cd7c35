"""Reminders: which rules fire when, where they stand, and that nothing of them stays."""

from typing import Any

import pytest

from contextrail import Rail, policy_from
from contextrail.core.errors import InvalidRequest
from contextrail.history.context import Loop
from contextrail.history.draft import Draft
from contextrail.history.fences import fences
from contextrail.history.reminder_rules import SystemReminderRegistry
from contextrail.history.reminders import plan_reminder, reminders, tools_on
from contextrail.messages.model import Conversation, Fence, Message
from contextrail.messages.text import message_text
from contextrail.wire.codec import encode
from contextrail.wire.lint import lint
from contextrail.wire.lower import lower
from contextrail.wire.target import parse_target
from tests.builders import transcript
from tests.history.contexts import context


def calls(count: int) -> tuple[Message, ...]:
    lines = ["u user go"]
    for at in range(count):
        lines += [f"c{at} assistant call {at} step", f"r{at} tool result {at} done {at}"]
    return transcript(*lines)


def hits(messages: tuple[Message, ...] = (), policy: dict[str, Any] | None = None, **loop: Any) -> list[str]:
    ready = context(
        policy={"systemReminder": policy or {}}, loop=Loop(**loop) if loop else None, tools=("step",)
    )
    return list(plan_reminder(Draft(messages), ready).reminder_hits)


STREAK, HINT = "tool_call_streak_every_ten", "last_steps_hint"
REFLECT, WARN, FINAL = (
    "periodic_taskstate_reflection",
    "context_budget_warning",
    "max_steps_force_final_answer",
)


@pytest.mark.parametrize(("count", "fires"), [(0, False), (9, False), (10, True), (11, False), (20, True)])
def test_the_streak_fires_at_every_tenth_call(count: int, fires: bool) -> None:  # noqa: FBT001
    assert hits(calls(count)) == ([STREAK] if fires else [])


def test_the_streak_begins_anew_with_each_user_input() -> None:
    assert hits((*calls(10), *transcript("n user thanks"))) == []


@pytest.mark.parametrize(("threshold", "count", "fires"), [(3, 6, True), (3, 7, False), (0, 10, False)])
def test_the_streak_follows_its_threshold(threshold: int, count: int, fires: bool) -> None:  # noqa: FBT001
    assert (STREAK in hits(calls(count), {"thresholds": {"toolCallStreak": threshold}})) is fires


@pytest.mark.parametrize(
    ("loop", "policy", "fires"),
    [
        ({"step": 8, "max_steps": 10, "last_steps_hint_threshold": 2}, {}, True),
        ({"step": 7, "max_steps": 10, "last_steps_hint_threshold": 2}, {}, False),
        ({"step": 8, "max_steps": 10}, {}, False),
        ({"step": 8, "max_steps": 10}, {"lastStepsHintThreshold": 2}, True),
        ({"step": 8, "max_steps": 10, "last_steps_hint_threshold": 2}, {"lastStepsHintThreshold": 0}, False),
        ({"step": 8, "last_steps_hint_threshold": 2}, {}, False),
    ],
)
def test_an_absent_threshold_of_the_hint_means_what_the_loop_says(
    loop: dict[str, Any],
    policy: dict[str, Any],
    fires: bool,  # noqa: FBT001
) -> None:
    assert (HINT in hits(policy={"thresholds": policy}, **loop)) is fires


@pytest.mark.parametrize(("step", "fires"), [(0, False), (29, False), (30, True), (31, False), (60, True)])
def test_reflection_is_asked_for_every_thirty_steps(step: int, fires: bool) -> None:  # noqa: FBT001
    assert (REFLECT in hits(step=step)) is fires


@pytest.mark.parametrize(("step", "fires"), [(17, False), (18, True), (21, True), (22, False)])
def test_the_budget_warning_stands_for_four_steps_if_there_is_a_checkpoint_tool(
    step: int,
    fires: bool,  # noqa: FBT001
) -> None:
    tools = ("step", "context_checkpoint")
    assert (WARN in hits(step=step, max_steps=20, tools=tools)) is fires
    assert WARN not in hits(step=step, max_steps=20, tools=("step",))


def test_the_forced_final_answer_turns_tools_off_and_silences_the_rules_about_steps() -> None:
    loop: dict[str, Any] = {
        "step": 30,
        "max_steps": 33,
        "phase": "force_final_answer",
        "last_steps_hint_threshold": 5,
        "tools": ("context_checkpoint",),
    }
    assert hits(**loop) == [FINAL]
    assert not tools_on(Loop(**loop))
    assert tools_on(None)
    assert tools_on(Loop(step=1))


def test_rules_are_switched_by_id() -> None:
    assert hits(calls(10), {"disabledRuleIds": [STREAK]}) == []
    assert hits(calls(10), {"enabledRuleIds": []}) == []
    assert hits(calls(10), {"enabledRuleIds": [STREAK]}) == [STREAK]


# Rules of a host


def own(**more: Any) -> dict[str, Any]:
    rule = {
        "id": "mine",
        "trigger": {"kind": "tool-call-streak", "threshold": 1, "moduloStep": False},
        "contentTemplate": "say",
        "contentArgs": {"what": "hello"},
    }
    return {"systemReminder": {"extraRules": [{**rule, **more}]}}


def say(_: object, args: dict[str, Any]) -> str:
    return f"please {args['what']}"


REGISTRY = SystemReminderRegistry().register_content_template("say", say)


def test_a_host_adds_rules_by_name_and_they_follow_the_built_in_ones() -> None:
    ready = context(policy=own(), reminders=REGISTRY)
    planned = plan_reminder(Draft(calls(10)), ready)
    assert planned.reminder_hits == (STREAK, "mine")
    assert planned.reminder is not None
    assert "- please hello" in message_text(planned.reminder)


def test_a_host_adds_kinds_of_triggers() -> None:
    registry = REGISTRY.register_trigger_kind("always", lambda _, trigger: trigger.value == "yes")
    ready = context(policy=own(trigger={"kind": "always", "value": "yes"}), reminders=registry)
    assert plan_reminder(Draft(calls(0)), ready).reminder_hits == ("mine",)


@pytest.mark.parametrize(
    ("change", "path"),
    [({"trigger": {"kind": "nope"}}, "trigger.kind"), ({"contentTemplate": "nope"}, "content_template")],
)
def test_a_rule_that_names_what_nobody_registered_is_refused(change: dict[str, Any], path: str) -> None:
    with pytest.raises(InvalidRequest) as caught:
        plan_reminder(Draft(calls(0)), context(policy=own(**change), reminders=REGISTRY))
    assert str(caught.value.facts["path"]).endswith(f"extra_rules[0].{path}")


def test_a_rule_whose_code_fails_counts_as_not_fired_and_is_recorded() -> None:
    planned = plan_reminder(Draft(calls(1)), context(policy=own(contentArgs={}), reminders=REGISTRY))
    assert planned.reminder is None
    assert [(each.reason, each.detail) for each in planned.decisions] == [
        ("rule-failed", {"rule": "mine", "error": "KeyError"})
    ]


def test_a_rule_that_says_nothing_did_not_fire() -> None:
    registry = REGISTRY.register_content_template("say", lambda _, __: "  ")
    assert plan_reminder(Draft(calls(1)), context(policy=own(), reminders=registry)).reminder_hits == ()


def test_blank_names_are_refused() -> None:
    with pytest.raises(InvalidRequest):
        REGISTRY.register_trigger_kind(" ", lambda _, __: True)
    with pytest.raises(InvalidRequest):
        REGISTRY.register_content_template("", say)


# Where it stands


def reminded(messages: tuple[Message, ...]) -> Draft:
    return reminders(plan_reminder(Draft(messages), context()), context())


def test_it_is_last_behind_the_results_of_tools_and_marked_for_this_request_only() -> None:
    draft = reminded(calls(10))
    last = draft.messages[-1]
    assert draft.messages[:-1] == calls(10)
    assert message_text(last).startswith("<system-reminder>\n- ")
    assert message_text(last).endswith("\n</system-reminder>")
    assert isinstance(last.parts[0], Fence)
    assert last.parts[0].lifetime == "request"
    assert draft.decisions[-1].detail == {"rules": [STREAK]}


def test_the_next_request_does_not_have_it_any_more() -> None:
    draft = fences(Draft((*reminded(calls(10)).messages, *transcript("a assistant done"))), context())
    assert not any("system-reminder" in message_text(each) for each in draft.messages)
    assert [each.reason for each in draft.decisions] == ["request-over"]


def test_lines_are_indented_and_no_text_ends_the_reminder() -> None:
    registry = REGISTRY.register_content_template("say", lambda _, __: "one\ntwo </system-reminder> three")
    planned = plan_reminder(Draft(calls(1)), context(policy=own(), reminders=registry))
    assert planned.reminder is not None
    assert message_text(planned.reminder) == (
        "<system-reminder>\n- one\n  two &lt;/system-reminder> three\n</system-reminder>"
    )


@pytest.mark.parametrize("provider", ["anthropic", "openai-chat", "openai-responses", "gemini"])
def test_every_provider_takes_it_behind_the_results(provider: str) -> None:
    target = parse_target(provider)
    conversation = Conversation(model="m", messages=reminded(calls(10)).messages, max_output=100)
    body = encode(lower(conversation, target)[0], provider)
    assert [finding.rule for finding in lint(body, provider)] == []
    assert "<system-reminder>" in str(body)


def test_anthropic_reads_it_in_the_same_message_behind_the_results() -> None:
    conversation = Conversation(model="m", messages=reminded(calls(10)).messages, max_output=100)
    body = encode(lower(conversation, parse_target("anthropic"))[0], "anthropic")
    assert [block["type"] for block in body["messages"][-1]["content"]] == ["tool_result", "text"]


@pytest.mark.parametrize("stability", ["batched", "recompute"])
def test_a_reminder_takes_no_room_from_what_must_be_kept(stability: str) -> None:
    policy = policy_from({"stability": stability})
    said = Conversation(messages=(*calls(10), *transcript("a assistant done")))
    rail = Rail(policy, target="neutral", window=40, reserve_output=0, tokenizer="chars:4")
    small = rail.build(said)
    assert small.turn.reminder_hits == ()
    assert "reminder-without-room" in {each.reason for each in small.turn.decisions}
    large = Rail(policy, target="neutral", window=4_000, reserve_output=0, tokenizer="chars:4").build(said)
    assert large.turn.reminder_hits == (STREAK,)

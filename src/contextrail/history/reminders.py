"""Reminders: what the model is told at the very end of one request, and never again.

<system-reminder>
- one line for each rule that fired
</system-reminder>
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final, TypeVar

from contextrail.core.digest import text_digest
from contextrail.core.errors import BudgetExceeded, RailError, ToolHistoryOverflow
from contextrail.core.ids import MessageId
from contextrail.core.json_text import JsonObject
from contextrail.history.context import Context, Loop
from contextrail.history.draft import Draft
from contextrail.history.fence_text import REMINDER, harmless
from contextrail.history.groups import ReminderRule
from contextrail.history.reminder_rules import (
    FORCE_FINAL_ANSWER,
    ReminderState,
    SystemReminderRegistry,
    check_rules,
    rules,
)
from contextrail.messages.decision import Decision
from contextrail.messages.kinds import current_input
from contextrail.messages.model import Fence, Message, ToolCall

STEP: Final = "reminders"

Done = TypeVar("Done")


def plan_reminder(draft: Draft, context: Context) -> Draft:
    """Find out which rules fire, from the whole history; the message they make waits in the draft.

    It runs before anything is cut, so that its cost can be reserved and every call is counted.

    Raises:
        InvalidRequest: A rule names a trigger or a template that nobody registered.
    """
    policy = context.policy.system_reminder
    registry = context.reminders
    check_rules(policy, registry)
    state = state_of(draft.messages, context)
    said: list[str] = []
    hits: list[str] = []
    failed: list[Decision] = []
    for rule in rules(policy):
        text, fault = _says(rule, state, registry)
        if fault is not None:
            failed.append(fault)
        if text:
            said.append(text)
            hits.append(rule.id)
    draft = draft.noting(failed) if failed else draft
    reminder = _message(said, draft.messages) if said else None
    return replace(draft, reminder=reminder, reminder_hits=tuple(hits))


def with_room_for_it(draft: Draft, context: Context, run: Callable[[Draft, Context], Done]) -> Done:
    """Plan the reminder, then run with its cost kept free; without it where what must be kept needs that room too.

    Raises:
        BudgetExceeded: What is required does not fit even without a reminder.
    """
    draft = plan_reminder(draft, context)
    if draft.reminder is None:
        return run(draft, context)
    cost = context.cost(draft.reminder)
    try:
        return run(draft, replace(context, limit=context.limit - cost))
    except ToolHistoryOverflow:
        raise
    except BudgetExceeded:
        facts: JsonObject = {"rules": list(draft.reminder_hits), "cost": cost}
        left = Decision(
            message=None, verdict="dropped", step=STEP, reason="reminder-without-room", detail=facts
        )
        return run(replace(draft, reminder=None, reminder_hits=()).noting([left]), context)


def reminders(draft: Draft, context: Context) -> Draft:
    """Put the waiting reminder last, behind the results of tools."""
    if draft.reminder is None:
        return draft
    decision = Decision(
        message=draft.reminder.id,
        verdict="added",
        step=STEP,
        reason="rules-fired",
        detail={"rules": list(draft.reminder_hits)},
    )
    others = [message for message in draft.messages if message.id != draft.reminder.id]
    return draft.with_messages((*others, draft.reminder), [decision])


def tools_on(loop: Loop | None) -> bool:
    """Whether the model may call tools: not in the phase that forces the final answer."""
    return loop is None or loop.phase != FORCE_FINAL_ANSWER


def state_of(messages: Sequence[Message], context: Context) -> ReminderState:
    """What the rules look at.

    Args:
        messages: The whole history, before anything was cut.
        context: Its loop and tools; without a loop only calls are known.
    """
    loop = context.loop
    begun = current_input(messages)
    run = messages if begun is None else messages[begun:]
    calls = sum(isinstance(part, ToolCall) for message in run for part in message.parts)
    tool = context.policy.checkpoint.trigger_tool_name
    if loop is None:
        return ReminderState(tool_calls=calls, tools=context.tools, checkpoint_tool=tool)
    return ReminderState(
        step=loop.step,
        max_steps=loop.max_steps,
        phase=loop.phase,
        tools=context.tools if loop.tools is None else loop.tools,
        tool_calls=calls,
        checkpoint_tool=tool,
        last_steps_threshold=loop.last_steps_hint_threshold,
        final_step_policy=loop.final_step_policy,
        forced_tools=loop.final_step_forced_tools,
    )


def _says(
    rule: ReminderRule, state: ReminderState, registry: SystemReminderRegistry
) -> tuple[str, Decision | None]:
    """What a rule says, "" if it does not fire; a fault of the host's code counts as not fired, recorded."""
    try:
        if not registry.triggers[rule.trigger.kind](state, rule.trigger):
            return "", None
        text = registry.templates[rule.content_template](state, dict(rule.content_args))
    except RailError:
        raise
    except Exception as fault:  # noqa: BLE001 - a host's rule may not cost the request; the trace shows it
        facts: JsonObject = {"rule": rule.id, "error": type(fault).__name__}
        return "", Decision(message=None, verdict="kept", step=STEP, reason="rule-failed", detail=facts)
    return text.strip(), None


def _message(said: Sequence[str], messages: Sequence[Message]) -> Message:
    lines = [f"- {harmless(text, ()).replace(chr(10), chr(10) + '  ')}" for text in said]
    text = "\n".join([f"<{REMINDER}>", *lines, f"</{REMINDER}>"])
    begun = current_input(messages)
    turn = None if begun is None else messages[begun].id
    return Message(
        id=MessageId(f"reminder-{text_digest(text)[:12]}"),
        role="user",
        parts=(Fence(family=REMINDER, text=text, lifetime="request", turn=turn),),
        run=messages[-1].run if messages else 0,
    )

"""Reasoning retention: the latest thinking stays; what a provider needs back stays in any case."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from contextrail.core.ids import MessageId
from contextrail.history.context import Context
from contextrail.history.draft import Draft
from contextrail.history.interactions import current_start
from contextrail.messages.decision import Decision, Verdict
from contextrail.messages.model import Message, Thinking, ToolCall
from contextrail.messages.pairs import units

STEP: Final = "reasoning_retention"


def retention(draft: Draft, context: Context) -> Draft:
    """Keep the thinking of the latest `keep_latest_thoughts` messages that have any; drop older thinking whole.

    Not counted and never dropped: required messages, a provider's own thinking in the open tool loop (replies
    with calls after the last user input, and the reasoning that leans on them), and, where the route wants
    reasoning details back, thinking of any reply with calls.
    """
    bound = _bound(draft.messages, context) | draft.required
    thinking = [
        message.id
        for message in draft.messages
        if message.id not in bound and any(isinstance(part, Thinking) for part in message.parts)
    ]
    keep = context.policy.reasoning_retention.keep_latest_thoughts
    gone = frozenset(thinking[: max(0, len(thinking) - keep)])
    if not gone:
        return draft
    kept: list[Message] = []
    decisions: list[Decision] = []
    for message in draft.messages:
        if message.id not in gone:
            kept.append(message)
            continue
        rest = tuple(part for part in message.parts if not isinstance(part, Thinking))
        verdict: Verdict = "changed" if rest else "dropped"
        if rest:
            kept.append(replace(message, parts=rest))
        decisions.append(
            Decision(
                message=message.id,
                verdict=verdict,
                step=STEP,
                reason="older-thinking",
                detail={"keep_latest": keep},
            )
        )
    return draft.with_messages(kept, decisions)


def _bound(messages: Sequence[Message], context: Context) -> frozenset[MessageId]:
    """Messages whose thinking a provider wants unchanged beside their calls."""
    everywhere = context.policy.provider_replay.requires_reasoning_details_for_tool_replay is True
    start = 0 if everywhere else current_start(messages)
    found: set[MessageId] = set()
    for unit in units(messages):
        if unit.start < start:
            continue
        members = [messages[at] for at in unit]
        if any(isinstance(part, ToolCall) for member in members for part in member.parts):
            found.update(member.id for member in members if everywhere or _native(member))
    return frozenset(found)


def _native(message: Message) -> bool:
    """Whether its thinking came from a provider in that provider's form."""
    return any(
        isinstance(part, Thinking) and (part.wire or part.signature or part.redacted)
        for part in message.parts
    )

"""Checkpoint: a cut the agent asked for. What stood before it goes, but for a few pairs and what must stay.

The marker is the whole output of the checkpoint tool, never text that merely shows it:

    {"data": {"_type": "context_checkpoint", "summary": "..."}, "observation": "..."}

or the inner object alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from contextrail.core.errors import InvalidRequest
from contextrail.core.json_text import parse_object
from contextrail.history.context import Context
from contextrail.history.draft import Draft
from contextrail.history.groups import CheckpointPolicy
from contextrail.history.must_keep import required_ids
from contextrail.history.pins import records_of
from contextrail.messages.decision import Decision
from contextrail.messages.kinds import current_input, types_of
from contextrail.messages.model import Fence, Message, ToolCall, ToolResult
from contextrail.messages.pairs import units
from contextrail.messages.settle import UNKNOWN
from contextrail.messages.text import part_text

STEP: Final = "checkpoint"
MARKER: Final = "context_checkpoint"
"""Value of `_type`; the same whatever the tool is called."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Checkpoint:
    """A checkpoint that counts: every call of its reply was answered."""

    unit: range
    """Indexes of its messages."""
    summary: str


def checkpoint(draft: Draft, context: Context) -> Draft:
    """Drop what stands before the latest checkpoint. Twice is once.

    Stay: the checkpoint with its reply, the last `keep_pairs_before` tool groups before it, what must
    be kept, what the user said, fences, system messages, open promises, and groups that still wait for their result.
    """
    policy = context.policy.checkpoint
    found = checkpoints(draft.messages, policy.trigger_tool_name)
    if not found:
        return draft
    latest = found[-1]
    stay = required_ids(draft.messages, context) | draft.required
    stay |= {pin.message for pin in records_of(draft.messages, context) if pin.kind == "open"}
    earlier = [unit for unit in units(draft.messages) if unit.stop <= latest.unit.start]
    mine = {each.unit for each in found}
    pairs = [unit for unit in earlier if unit not in mine and complete([draft.messages[at] for at in unit])]
    kept_pairs = set(pairs[max(0, len(pairs) - policy.keep_pairs_before) :])
    cut = {
        at
        for unit in earlier
        if unit not in kept_pairs and not _waits([draft.messages[at] for at in unit])
        for at in unit
        if draft.messages[at].id not in stay and _may_go(draft.messages[at])
    }
    if not cut:
        return draft
    detail = {"checkpoint": draft.messages[latest.unit.start].id}
    decisions = [
        Decision(
            message=draft.messages[at].id,
            verdict="dropped",
            step=STEP,
            reason="before-checkpoint",
            detail=detail,
        )
        for at in sorted(cut)
    ]
    kept = [message for at, message in enumerate(draft.messages) if at not in cut]
    return draft.with_messages(kept, decisions)


def checkpoints(messages: Sequence[Message], tool_name: str) -> tuple[Checkpoint, ...]:
    """All checkpoints that count, in order: the tool's own output is a marker, and its group is complete."""
    if not any(
        isinstance(part, ToolCall) and part.name == tool_name
        for message in messages
        for part in message.parts
    ):
        return ()
    found: list[Checkpoint] = []
    for unit in units(messages):
        members = [messages[at] for at in unit]
        calls = {
            part.call_id
            for message in members
            for part in message.parts
            if isinstance(part, ToolCall) and part.name == tool_name
        }
        summaries = [
            summary
            for message in members
            for part in message.parts
            if isinstance(part, ToolResult)
            and part.call_id in calls
            and (summary := read_marker(part)) is not None
        ]
        if summaries and complete(members):
            found.append(Checkpoint(unit=unit, summary=summaries[-1]))
    return tuple(found)


def checkpoint_activated(messages: Sequence[Message], policy: CheckpointPolicy) -> bool:
    """Whether the newest tool group is a checkpoint that resets the host's count of steps.

    Args:
        messages: The whole history before any cut, with whole pairs.
        policy: The name of the tool, and how often a run may reset its count.
    """
    found = checkpoints(messages, policy.trigger_tool_name)
    if not found:
        return False
    groups = [unit for unit in units(messages) if any(messages[at].role == "tool" for at in unit)]
    if found[-1].unit != groups[-1]:
        return False
    begun = current_input(messages)
    in_run = [each for each in found if begun is None or each.unit.start > begun]
    return bool(in_run) and len(in_run) <= policy.max_checkpoints


def read_marker(result: ToolResult) -> str | None:
    """The summary of a checkpoint, if this successful result is its marker and nothing else."""
    if result.status != "ok" or len(result.parts) != 1:
        return None
    text = part_text(result.parts[0])
    if MARKER not in text or text.lstrip()[:1] != "{":
        return None
    try:
        value = parse_object(text, place="tool result")
    except InvalidRequest:
        return None
    for inner in (value.get("data"), value):
        match inner:
            case {"_type": "context_checkpoint", "summary": str(summary)} if summary.strip():
                return summary
    return None


def complete(members: Sequence[Message]) -> bool:
    """Whether these messages hold calls, and each was really answered."""
    calls = {part.call_id for each in members for part in each.parts if isinstance(part, ToolCall)}
    answered = {
        part.call_id
        for each in members
        for part in each.parts
        if isinstance(part, ToolResult) and part.status != "interim" and part_text(part) != UNKNOWN
    }
    return bool(calls) and calls <= answered


def _waits(members: Sequence[Message]) -> bool:
    """Whether a call among these has so far only a sign of life."""
    return any(
        isinstance(part, ToolResult) and part.status == "interim" for each in members for part in each.parts
    )


def _may_go(message: Message) -> bool:
    if message.role == "system":
        return "history_summary" in types_of(message)
    if message.role == "user":
        fenced = [part.family for part in message.parts if isinstance(part, Fence)]
        summed = "history_summary" in types_of(message)
        return (summed or "orphan-result" in fenced) and "user_input" not in types_of(message)
    return True

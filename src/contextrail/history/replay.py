"""The replay guard: earlier tool groups whose reasoning a route wants back, and that have none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from contextrail.core.blobs import Blob
from contextrail.history.context import Context
from contextrail.history.draft import Draft
from contextrail.history.interactions import current_start, interactions
from contextrail.history.shorten import shorten
from contextrail.messages.decision import Decision
from contextrail.messages.model import (
    EMPTY_REPLAY,
    Fence,
    Message,
    Part,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
)
from contextrail.messages.text import part_text

STEP: Final = "tool_replay"
FAMILY: Final = "tool-replay"
"""Family of the fence in which a group stands as text."""
MISSING: Final = "missing_required_reasoning_details"


def replay_guard(draft: Draft, context: Context) -> Draft:
    """Make bare groups of earlier runs safe to send, as the policy says; the current run is never touched.

    `degrade_to_text`: the group becomes text of the assistant, bounded by `max_output_summary_tokens`
    for each result. `provider_empty_replay_field`: the group stays, with an empty thinking part that the
    route's dialect writes as its empty field.
    """
    policy = context.policy.provider_replay
    behavior = policy.missing_sidecar_behavior or "allow"
    if not policy.requires_reasoning_details_for_tool_replay or behavior == "allow":
        return draft
    end = current_start(draft.messages)
    bare = [
        group.at
        for group in interactions(draft.messages[:end])
        if group.complete and not _has_reasoning(draft.messages[group.at.start : group.at.stop])
    ]
    for at in reversed(bare):
        group = draft.messages[at.start : at.stop]
        if behavior == "degrade_to_text":
            draft = _as_text(draft, at, group, context)
        else:
            draft = _marked(draft, at, group)
    return draft


def _has_reasoning(group: Sequence[Message]) -> bool:
    return any(isinstance(part, Thinking) for message in group for part in message.parts) or any(
        isinstance(part, ToolCall) and part.signature for message in group for part in message.parts
    )


def _as_text(draft: Draft, at: range, group: Sequence[Message], context: Context) -> Draft:
    anchor = next(message for message in group if any(isinstance(part, ToolCall) for part in message.parts))
    said: list[Part] = []
    lines: list[str] = []
    blobs: list[Blob] = []
    calls: list[str] = []
    limit = context.policy.tool_history.max_output_summary_tokens
    for message in group:
        for part in message.parts:
            if isinstance(part, ToolCall):
                calls.append(part.call_id)
                lines.append(f"[called {part.name} {part.arguments}]")
            elif isinstance(part, ToolResult):
                short, stored = shorten(part_text(part), limit, context)
                blobs.extend(stored)
                lines.append(f"[result of {part.call_id}, {part.status}]\n{short}")
            elif isinstance(part, (Text, Fence)):
                said.append(part)
    text = Fence(family=FAMILY, text="\n\n".join(lines))
    made = replace(anchor, parts=(*said, text), extra=None)
    decisions = [
        Decision(
            message=message.id,
            verdict="changed" if message.id == anchor.id else "dropped",
            step=STEP,
            reason="degraded-to-text",
            detail={"why": MISSING, "into": anchor.id, "calls": calls},
        )
        for message in group
    ]
    messages = (*draft.messages[: at.start], made, *draft.messages[at.stop :])
    return draft.storing(blobs).with_messages(messages, decisions)


def _marked(draft: Draft, at: range, group: Sequence[Message]) -> Draft:
    """The same group with an empty thinking part before its first call."""
    decisions: list[Decision] = []
    messages = list(draft.messages)
    for index, message in zip(at, group, strict=True):
        if any(isinstance(part, ToolCall) for part in message.parts):
            messages[index] = replace(message, parts=(Thinking(wire=EMPTY_REPLAY), *message.parts))
            decisions.append(
                Decision(
                    message=message.id,
                    verdict="changed",
                    step=STEP,
                    reason="empty-replay-field",
                    detail={"why": MISSING},
                )
            )
            break
    return draft.with_messages(messages, decisions)

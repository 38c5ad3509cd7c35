"""Clip old tool results: the first thing compaction does, with a mark that says how to see all of it again."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from contextrail.core.blobs import Blob
from contextrail.core.json_text import JsonObject
from contextrail.history.context import Context
from contextrail.history.draft import Draft
from contextrail.history.shorten import STUB_TOKENS, shorten
from contextrail.messages.decision import Decision
from contextrail.messages.model import Message, Part, Text, ToolResult
from contextrail.messages.text import part_text

STEP: Final = "clip"
MARK: Final = "[clipped to make room: read or run it again to see all of it]"
_SMALL: Final = 400
"""Characters: a mark in the place of a shorter result would save next to nothing."""


def clip_outputs(draft: Draft, context: Context, target: int) -> Draft:
    """Shorten tool results, from the newest back, once the newest of them have used up what is protected.

    Protected are min(`protect_output_tokens`, a quarter of the target). The results of the newest reply with calls
    are never touched: the model has not read them yet. Calls and pairs stay as they are; clipping twice is clipping
    once.

    Args:
        draft: Whole pairs.
        context: For counts, policy, and whether there is a store.
        target: What the messages should cost after compaction.

    Source: A3S Code, pruning of tool outputs; the rule for the newest reply is ours.
    """
    messages = list(draft.messages)
    unread = _unread(messages)
    left = min(context.policy.compaction.protect_output_tokens, target // 4)
    blobs: list[Blob] = []
    decisions: list[Decision] = []
    for at in range(len(messages) - 1, -1, -1):
        parts: list[Part] = []
        before = len(blobs)
        for part in messages[at].parts:
            if not isinstance(part, ToolResult):
                parts.append(part)
                continue
            text = part_text(part)
            cost = context.count(text)
            fits = cost <= left or at >= unread
            short, stored = (part, ()) if fits or _untouched(part, text) else _clipped(part, left, context)
            left = max(0, left - (cost if short is part else context.count(part_text(short))))
            parts.append(short)
            blobs.extend(stored)
        if any(new is not old for new, old in zip(parts, messages[at].parts, strict=True)):
            facts: JsonObject = {
                "characters": _size(messages[at]),
                "handles": [b.handle for b in blobs[before:]],
            }
            changed = replace(messages[at], parts=tuple(parts), extra=None)
            decisions.append(
                Decision(message=changed.id, verdict="changed", step=STEP, reason="old-output", detail=facts)
            )
            messages[at] = changed
    return draft.with_messages(messages, decisions[::-1]).storing(blobs) if decisions else draft


def _untouched(part: ToolResult, text: str) -> bool:
    """Small, still running, clipped already, or more than text."""
    return (
        len(text) <= _SMALL
        or part.status == "interim"
        or text.endswith(MARK)
        or not all(isinstance(each, Text) for each in part.parts)
    )


def _clipped(part: ToolResult, room: int, context: Context) -> tuple[ToolResult, tuple[Blob, ...]]:
    text = part_text(part)
    short, blobs = shorten(text, max(STUB_TOKENS, room - context.count(MARK)), context)
    if short == text:
        return part, ()
    return replace(part, parts=(Text(text=f"{short}\n{MARK}"),), extra=None), blobs


def _unread(messages: list[Message]) -> int:
    """Index of the newest assistant message: what stands behind it, the model has not answered yet."""
    return max((at for at, message in enumerate(messages) if message.role == "assistant"), default=0)


def _size(message: Message) -> int:
    return sum(len(part_text(part)) for part in message.parts if isinstance(part, ToolResult))

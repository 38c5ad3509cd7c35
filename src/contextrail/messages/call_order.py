"""Results in the order of their calls, whatever order they came in: a replay gives the same bytes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from contextrail.core.ids import CallId
from contextrail.messages.decision import Decision
from contextrail.messages.model import Message, ToolCall, ToolResult
from contextrail.messages.pairs import continues
from contextrail.messages.settle import STEP


def in_call_order(messages: Sequence[Message]) -> tuple[tuple[Message, ...], tuple[Decision, ...]]:
    """Put the results of each reply in the order of its calls.

    Args:
        messages: A settled history: results stand in tool messages behind the reply that called for them.

    Returns:
        The messages, and a decision for each that was changed or moved. For an ordered history: the same objects
        and no decision.
    """
    out = list(messages)
    decisions: list[Decision] = []
    for calls, start, stop in _replies(messages):
        before = out[start:stop]
        after = [_sorted_parts(message, calls) for message in before]
        if not any(map(continues, before)):
            after.sort(key=lambda message: _first(message, calls))
        decisions += [
            Decision(message=new.id, verdict="changed", step=STEP, reason="results-in-call-order")
            for old, new in zip(before, after, strict=True)
            if new is not old
        ]
        out[start:stop] = after
    return (tuple(out), tuple(decisions)) if decisions else (tuple(messages), ())


def _replies(messages: Sequence[Message]) -> Iterator[tuple[dict[CallId, int], int, int]]:
    """For each reply with several calls: their places, and where the tool messages behind it begin and end."""
    calls: dict[CallId, int] = {}
    at = 0
    while at < len(messages):
        message = messages[at]
        if message.role == "assistant":
            for part in message.parts:
                if isinstance(part, ToolCall):
                    calls.setdefault(part.call_id, len(calls))
            at += 1
            continue
        stop = at
        while stop < len(messages) and messages[stop].role == "tool":
            stop += 1
        if stop > at and len(calls) > 1:
            yield calls, at, stop
        calls = {}
        at = max(stop, at + 1)


def _sorted_parts(message: Message, calls: dict[CallId, int]) -> Message:
    """The message with its results in order; a message with something else in it stays as it is."""
    places = [calls.get(part.call_id, -1) for part in message.parts if isinstance(part, ToolResult)]
    if len(places) < len(message.parts) or places == sorted(places) or -1 in places:
        return message
    order = sorted(range(len(places)), key=places.__getitem__)
    return replace(message, parts=tuple(message.parts[at] for at in order))


def _first(message: Message, calls: dict[CallId, int]) -> int:
    return min(
        (calls.get(part.call_id, len(calls)) for part in message.parts if isinstance(part, ToolResult)),
        default=len(calls),
    )

"""Tool groups: a reply that calls tools, and its results; and the runs they stand in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from contextrail.messages.identity import is_user_input
from contextrail.messages.model import Message, ToolCall, ToolResult
from contextrail.messages.pairs import units


@dataclass(frozen=True, slots=True)
class Interaction:
    """One group: messages `[at.start, at.stop)` of a repaired history, a parallel batch with all its answers."""

    at: range
    run: int
    """User inputs before it."""
    tools: tuple[str, ...]
    """Names of the tools, in the order of the calls."""
    complete: bool
    """Whether each call has its final result."""


def interactions(
    messages: Sequence[Message], pieces: Sequence[range] | None = None
) -> tuple[Interaction, ...]:
    """The groups in order.

    Args:
        messages: A repaired history: every call is answered behind its reply.
        pieces: Its units, where they are known already.
    """
    found: list[Interaction] = []
    run = 0
    for unit in units(messages) if pieces is None else pieces:
        calls: list[ToolCall] = []
        answered: set[str] = set()
        for at in unit:
            run += is_user_input(messages[at])
            for part in messages[at].parts:
                if isinstance(part, ToolCall):
                    calls.append(part)
                elif isinstance(part, ToolResult) and part.status != "interim":
                    answered.add(part.call_id)
        if calls:
            names = tuple(call.name for call in calls)
            complete = all(call.call_id in answered for call in calls)
            found.append(Interaction(unit, run, names, complete))
    return tuple(found)


def current_start(messages: Sequence[Message]) -> int:
    """Where the current run begins: the index of the last user input; the length where there is none."""
    for at in range(len(messages) - 1, -1, -1):
        if is_user_input(messages[at]):
            return at
    return len(messages)


def calls_in(messages: Sequence[Message]) -> list[ToolCall]:
    """Every call of these messages, in order."""
    return [part for message in messages for part in message.parts if isinstance(part, ToolCall)]


def results_in(messages: Sequence[Message]) -> list[ToolResult]:
    """Every result of these messages, in order."""
    return [part for message in messages for part in message.parts if isinstance(part, ToolResult)]

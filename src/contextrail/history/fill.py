"""Fill: what must stay, then the newest whole units that still fit."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from contextrail.core.errors import BudgetExceeded
from contextrail.core.ids import MessageId
from contextrail.core.json_text import JsonObject
from contextrail.history.draft import Draft
from contextrail.messages.decision import Decision
from contextrail.messages.identity import is_user_input
from contextrail.messages.model import Message
from contextrail.messages.pairs import units

STEP = "fill"

Cost = Callable[[Message], int]


@dataclass(frozen=True, slots=True)
class Room:
    """How much the messages of one request may cost, and which of them are required."""

    limit: int
    unit: str
    always_keep: frozenset[str] = frozenset({"system", "user"})
    """"system": every system message; "user": the last thing the user said."""


def required(messages: Sequence[Message], always_keep: frozenset[str]) -> frozenset[MessageId]:
    """Ids of the messages that no budget may remove."""
    kept: set[MessageId] = set()
    if "system" in always_keep:
        kept |= {message.id for message in messages if message.role == "system"}
    if "user" in always_keep:
        last = next((message.id for message in reversed(messages) if is_user_input(message)), None)
        if last is not None:
            kept.add(last)
    return frozenset(kept)


def fill(draft: Draft, room: Room, cost: Cost) -> Draft:
    """Keep the required messages and the newest whole units that fit; skip, don't stop, at one too large.

    Args:
        draft: Messages with whole pairs.
        room: Limit for the sum of costs, and what is required.
        cost: Upper bound of what one message costs, in `room.unit`.

    Raises:
        BudgetExceeded: The required messages alone cost more than the limit.
    """
    groups = units(draft.messages)
    prices = [cost(message) for message in draft.messages]
    must = required(draft.messages, room.always_keep)
    sums = [sum(prices[group.start : group.stop]) for group in groups]
    free = room.limit
    taken: set[int] = set()
    for index, group in enumerate(groups):
        if any(draft.messages[at].id in must for at in group):
            taken.add(index)
            free -= sums[index]
    if free < 0:
        raise BudgetExceeded(
            "what must be kept does not fit",
            needed=room.limit - free,
            available=room.limit,
            unit=room.unit,
            messages=len(must),
            cure="raise the window, lower the reserve, or shorten the system prompt or the last user message",
        )
    for index in reversed(range(len(groups))):
        if index not in taken and sums[index] <= free:
            taken.add(index)
            free -= sums[index]
    if len(taken) == len(groups):
        return draft
    return _leave_out(draft, [group for index, group in enumerate(groups) if index not in taken], prices)


def _leave_out(draft: Draft, gone: Sequence[range], prices: Sequence[int]) -> Draft:
    left: set[int] = set()
    decisions: list[Decision] = []
    for group in gone:
        left.update(group)
        unit = [draft.messages[at].id for at in group]
        for place, at in enumerate(group):
            others = (unit[:place] + unit[place + 1 :])[:8] if len(unit) > 1 else []
            detail: JsonObject = {"cost": prices[at], "together_with": others}
            decisions.append(Decision(unit[place], "dropped", STEP, "over-budget", detail))
    kept = [message for at, message in enumerate(draft.messages) if at not in left]
    return draft.with_messages(kept, decisions)

"""Pins: what the host wants kept, or bound no longer, beside what the rules find."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from contextrail.compaction.goal import Pin, pins_of
from contextrail.core.errors import InvalidRequest
from contextrail.core.ids import MessageId
from contextrail.history.context import Context
from contextrail.messages.model import Message


def records_of(messages: Sequence[Message], context: Context) -> tuple[Pin, ...]:
    """Every pinned record of some messages, without those of messages that the host unpinned."""
    return tuple(pin for pin in pins_of(messages) if pin.message not in context.unpinned)


def check_pins(
    messages: Iterable[Message], pinned: frozenset[MessageId], unpinned: frozenset[MessageId]
) -> None:
    """Raise unless every pin names a message, and none is asked for both ways.

    Raises:
        InvalidRequest: With the first id that is wrong.
    """
    if not pinned and not unpinned:
        return
    both = sorted(pinned & unpinned)
    if both:
        raise InvalidRequest(f"message {both[0]} is pinned and unpinned", cure="ask for one of them")
    missing = sorted((pinned | unpinned) - {message.id for message in messages})
    if missing:
        raise InvalidRequest(
            f"no message has the id {missing[0]}, which is to be pinned or unpinned",
            id=missing[0],
            cure="take ids from the trace or from the conversation",
        )

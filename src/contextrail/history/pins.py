"""Pins: what the host wants kept, or bound no longer, beside what the rules find."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from contextrail.compaction.frame import records_of as records_in
from contextrail.compaction.goal import KINDS, Pin, pins_of
from contextrail.compaction.records import BINDING, Told
from contextrail.core.errors import InvalidRequest
from contextrail.core.ids import MessageId
from contextrail.history.context import Context
from contextrail.messages.decision import Decision
from contextrail.messages.model import Message
from contextrail.messages.text import message_text

NO_ROOM: Final = "record-without-room"


def records_of(messages: Sequence[Message], context: Context) -> tuple[Pin, ...]:
    """Every pinned record of some messages, without those of messages that the host unpinned."""
    found = context.memo.of(pins_of, messages, pins_of)
    return tuple(pin for pin in found if pin.message not in context.unpinned)


def binding_messages(messages: Sequence[Message], context: Context) -> dict[MessageId, tuple[str, ...]]:
    """Messages that hold the goal or what binds the work, what counts most first, and the pieces that do.

    First earlier records in which such things stand, of which no piece can be taken, then the goal, then constraints,
    acceptance and rules, the newest of each kind first.
    """
    found: dict[MessageId, list[str]] = {
        message.id: []
        for message in messages
        if any(kind in BINDING for kind, _, _ in records_in(message, KINDS))
    }
    pins = tuple(reversed(records_of(messages, context)))
    for kind in BINDING:
        for pin in pins:
            if pin.kind == kind:
                found.setdefault(pin.message, []).append(pin.text)
    return {ident: tuple(told) for ident, told in found.items()}


def lost_between(before: Sequence[Message], after: Sequence[Message], context: Context) -> list[Pin]:
    """The goal and what binds the work, as far as it went with messages that left, or out of messages that were cut."""
    old = {message.id: message for message in before}
    new = {message.id: message for message in after}
    gone = old.keys() - new.keys()
    if not gone and all(new[ident] is message for ident, message in old.items()):
        return []
    gone_with = gone.union(
        MessageId(source)
        for ident in gone
        for _, source, _ in records_in(old[ident], KINDS)
        if source not in old
    )
    cut = {
        ident: Told([message_text(new[ident])]) for ident in old.keys() - gone if new[ident] is not old[ident]
    }
    return [
        pin
        for pin in records_of(before, context)
        if pin.kind in BINDING
        and (pin.message in gone_with or (pin.message in cut and not cut[pin.message].holds(pin.text)))
    ]


def lost_in(decisions: Iterable[Decision]) -> frozenset[MessageId | None]:
    """Messages whose goal, or what binds the work in them, found no room, as some decisions have it."""
    return frozenset(each.message for each in decisions if each.reason == NO_ROOM)


def without_room(pins: Iterable[Pin], step: str) -> list[Decision]:
    """What is said of the goal, and of what binds the work, where there is no room for it."""
    return [
        Decision(
            message=pin.message,
            verdict="dropped",
            step=step,
            reason=NO_ROOM,
            detail={"kind": pin.kind, "characters": len(pin.text)},
        )
        for pin in pins
        if pin.kind in BINDING
    ]


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

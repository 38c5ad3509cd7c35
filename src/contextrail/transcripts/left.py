"""What a session holds and its request does not: told message by message, so that nothing is gone without a word."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Final, Literal

from contextrail.core.ids import MessageId
from contextrail.messages.model import Message
from contextrail.transcripts.session import Session, Start

Why = Literal["before-compaction", "before-new-beginning", "left-branch", "sidechain"]
"""The host put a summary in its place; another beginning follows; the way was taken back, or the record
written anew; it is a sub-agent's."""

_BEFORE: Final[dict[Start, Why]] = {
    "beginning": "before-new-beginning",
    "compaction": "before-compaction",
    "new-beginning": "before-new-beginning",
}

BEFORE: Final[frozenset[Why]] = frozenset(_BEFORE.values())
"""Why a message of a segment before the live one is left."""


@dataclass(frozen=True, slots=True)
class Left:
    """A message that is not in the live segment, and why."""

    message: Message
    """Its id is its own: where another message has the host's id, a suffix tells them apart."""
    why: Why
    lane: str | None = None
    """Name of the sidechain."""


def named_apart(messages: Iterable[Message]) -> tuple[Message, ...]:
    """The same messages; of several with one id, the first keeps it and the others get a suffix, `~2` and so on."""
    taken: dict[MessageId, Message] = {}
    for message in messages:
        apart = message if message.id not in taken else replace(message, id=_free(message.id, taken))
        taken[apart.id] = apart
    return tuple(taken.values())


def left_out(session: Session) -> tuple[Left, ...]:
    """All messages outside of the live segment: segments, branches, sidechains, each in its order.

    A copy of a message that was named already, or is live, under the same id is not named again.
    """
    taken = {message.id: message for message in session.messages}
    found: list[Left] = []
    for message, why, lane in _outside(session):
        known = taken.get(message.id)
        if known is not None and (known.role, known.parts) == (message.role, message.parts):
            continue
        apart = message if known is None else replace(message, id=_free(message.id, taken))
        taken[apart.id] = apart
        found.append(Left(apart, why, lane))
    return tuple(found)


def _outside(session: Session) -> Iterator[tuple[Message, Why, str | None]]:
    for nth, segment in enumerate(session.segments[:-1]):
        for message in segment:
            yield message, _BEFORE[session.segment_starts[nth + 1]], None
    for branch in session.branches:
        for message in branch:
            yield message, "left-branch", None
    for lane, side in session.sidechains.items():
        for message in side:
            yield message, "sidechain", lane


def _free(ident: MessageId, taken: dict[MessageId, Message]) -> MessageId:
    nth = 2
    while (free := MessageId(f"{ident}~{nth}")) in taken:
        nth += 1
    return free

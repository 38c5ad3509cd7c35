"""Which message of the conversation each message of a body is: the id that a decision names it by."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final

from contextrail.core.ids import MessageId
from contextrail.messages.model import Message, Opaque, Part, Text, Thinking, ToolCall, ToolResult

_POSITION: Final = re.compile(r"m(\d+)-[0-9a-f]{8}")
"""An id that a codec gave: the index of the wire message is in it; see `identity.content_id`."""

AHEAD: Final = 8
"""How many messages in a row may have been added or left out before a later one is taken for a new one."""


def renamed(decoded: Sequence[Message], known: Sequence[Message]) -> tuple[Message, ...]:
    """Messages read from a body, under the ids of those that the body was written from.

    Both are in the same order; some may have been joined, parted, added or left out on the way, and ids
    and texts may have changed. What matches nothing keeps the id of its own.
    """
    if len(decoded) == len(known):
        return tuple(
            message if message.id == other.id else replace(message, id=other.id)
            for message, other in zip(decoded, known, strict=True)
        )
    marks = [set(map(_mark, message.parts)) for message in known]
    used: dict[MessageId, int] = {}
    out: list[Message] = []
    start = 0
    for message in decoded:
        mine = set(map(_mark, message.parts))
        ahead = range(start, min(start + AHEAD, len(known)))
        found = next((at for at in ahead if mine & marks[at]), None)
        if found is None:
            out.append(message)
            continue
        start = found
        ident = known[found].id
        count = used[ident] = used.get(ident, 0) + 1
        out.append(replace(message, id=ident if count == 1 else MessageId(f"{ident}#{count}")))
    return tuple(out)


def by_place(decoded: Iterable[Message], named: Iterable[Message]) -> dict[int, MessageId]:
    """Index of each wire message to the id of the first message that was read from it.

    Args:
        decoded: As the codec read them.
        named: The same, renamed.
    """
    places: dict[int, MessageId] = {}
    for message, other in zip(decoded, named, strict=True):
        if (found := _POSITION.fullmatch(message.id)) is not None:
            places.setdefault(int(found[1]), other.id)
    return places


def _mark(part: Part) -> tuple[str, str]:
    """By what a part is known again."""
    match part:
        case ToolCall():
            return "call", part.name
        case ToolResult():
            return "result", "".join(each.text for each in part.parts if isinstance(each, Text))
        case Thinking():
            return "thinking", part.text or part.redacted or ""
        case Opaque():
            return "opaque", part.kind
        case _:
            return "text", getattr(part, "text", "") or getattr(part, "digest", "") or ""

"""Gaps: places of a conversation where records are missing, marked by a message of ours."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from typing import Final

from contextrail.core.ids import MessageId
from contextrail.messages.model import Fence, Message
from contextrail.messages.pairs import cut_points
from contextrail.transcripts.session import Entry, Issue

FAMILY: Final = "gap"
TEXT: Final = "[Gap: records of this conversation could not be read. They are missing here.]"
"""What the model reads in the place of what is missing."""
_HARMLESS: Final = frozenset({"bom"})
"""Bytes outside of records in which nothing can have been said."""


def torn(entries: Sequence[Entry], issues: Iterable[Issue]) -> frozenset[int]:
    """Indexes of entries before which bytes were lost, where only their order in the file links them.

    A record that names the one it follows is left out: if that one is there, nothing is missing.
    """
    lost: defaultdict[str, list[int]] = defaultdict(list)
    for issue in issues:
        if issue.byte is not None and issue.end is not None and issue.kind not in _HARMLESS:
            lost[issue.file].append(issue.byte)
    if not lost:
        return frozenset()
    found: set[int] = set()
    ends: dict[tuple[str, str], int] = {}
    """By file and lane: where the latest record that says something ends."""
    for at, entry in enumerate(entries):
        if entry.message is None:
            continue
        key = entry.origin.file, entry.lane
        before = ends.get(key)
        if before is not None and not entry.named:
            places = lost[entry.origin.file]
            if any(before <= place < entry.origin.start for place in places):
                found.add(at)
        ends[key] = max(before or 0, entry.origin.end)
    return frozenset(found)


def marked(messages: Sequence[Message], places: Collection[int]) -> tuple[Message, ...]:
    """Put a mark before the messages at some indexes; behind the results, where a call is open there."""
    if not places:
        return tuple(messages)
    cuts = cut_points(messages)
    marks = {next(cut for cut in cuts if cut >= place) for place in places}
    out: list[Message] = []
    for at in range(len(messages) + 1):
        if at in marks:
            out.append(_mark(messages, at))
        out.extend(messages[at : at + 1])
    return tuple(out)


def _mark(messages: Sequence[Message], at: int) -> Message:
    behind = at < len(messages)
    near = messages[at] if behind else messages[-1]
    origin = near.origin
    if origin is not None:
        edge = origin.start if behind else origin.end
        origin = replace(origin, start=edge, end=edge)
    return Message(
        id=MessageId(f"gap-{'before' if behind else 'after'}-{near.id}"),
        role="user",
        parts=(Fence(family=FAMILY, text=TEXT),),
        origin=origin,
    )

"""What to change in which record, so that a broken session is whole again. No bytes here."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

from contextrail.core.digest import text_digest
from contextrail.core.ids import MessageId
from contextrail.messages.model import ToolCall, ToolResult
from contextrail.messages.pairs import pair
from contextrail.transcripts.chains import Layout
from contextrail.transcripts.session import Entry


@dataclass(slots=True)
class Insert:
    """A record to be added that says of a call that its outcome is unknown."""

    id: MessageId
    parent: MessageId | None
    call: ToolCall


@dataclass(slots=True)
class Edit:
    """Changes at one record."""

    drop: bool = False
    """It stands in the file before, word for word."""
    gap: tuple[MessageId, MessageId] | None = None
    """A mark of a gap to be added before it: the mark's id, and the record that stands before the gap."""
    relink: bool = False
    """Its parent becomes `parent`."""
    parent: MessageId | None = None
    strays: set[int] = field(default_factory=set)
    """Which of its results (counted from 0) answer no call and become text."""
    after: list[Insert] = field(default_factory=list)


Edits = dict[int, Edit]
"""By the offset at which the record begins."""


def plan(entries: Sequence[Entry], layout: Layout, *, marks: bool) -> Edits:
    """Changes that make chains and pairs whole: for a whole session, none.

    Args:
        entries: Of the file; they may be thin.
        layout: How they hang together.
        marks: Whether the host's format has a record that can mark a gap. If not, a chain that is
            broken begins anew instead of being linked over a mark.
    """
    edits: defaultdict[int, Edit] = defaultdict(Edit)
    for at in layout.repeated:
        edits[entries[at].origin.start].drop = True
    _link_gaps(entries, layout, edits, marks=marks)
    for lane in (*layout.segments, *layout.sidechains.values()):
        _settle(entries, lane, edits)
    return dict(edits)


def new_id(ident: str, what: str) -> MessageId:
    """An id in the form of a UUID, the same each time it is made."""
    digest = text_digest(f"{ident} {what}")
    return MessageId(f"{digest[:8]}-{digest[8:12]}-8{digest[13:16]}-8{digest[17:20]}-{digest[20:32]}")


def _link_gaps(
    entries: Sequence[Entry], layout: Layout, edits: defaultdict[int, Edit], *, marks: bool
) -> None:
    by_id = {entry.id: entry for entry in entries if entry.id is not None}
    last_of: dict[int, int] = {}
    previous: tuple[int, ...] = ()
    for segment in layout.segments:
        if previous:
            last_of[segment[0]] = previous[-1]
        previous = segment
    for side in layout.sidechains.values():
        last_of.update(zip(side[1:], side, strict=False))
    last_of.update(layout.joined)
    for at in layout.broken:
        entry = entries[at]
        edit = edits[entry.origin.start]
        edit.relink = True
        before = entries[last_of[at]] if marks and at in last_of else None
        if entry.id is None or before is None or before.id is None or _follows(before, entry, by_id):
            continue
        edit.parent = new_id(entry.id, "gap")
        edit.gap = (edit.parent, before.id)


def _follows(entry: Entry, other: Entry, by_id: dict[MessageId, Entry]) -> bool:
    """Whether one record stands somewhere below the other."""
    seen: set[MessageId] = set()
    at: Entry | None = entry
    while at is not None and at.id is not None and at.id not in seen:
        if at is other:
            return True
        seen.add(at.id)
        at = by_id.get(at.parent) if at.parent is not None else None
    return False


def _settle(entries: Sequence[Entry], lane: Sequence[int], edits: defaultdict[int, Edit]) -> None:
    places = [(place, which) for place, at in enumerate(lane) for which, _ in enumerate(entries[at].messages)]
    messages = [entries[lane[place]].messages[which] for place, which in places]
    paired = pair(messages)
    calls: defaultdict[int, list[ToolCall]] = defaultdict(list)
    for at, index in paired.unanswered:
        part = messages[at].parts[index]
        assert isinstance(part, ToolCall)
        calls[places[at][0]].append(part)
    for place, unanswered in calls.items():
        _close(entries, lane, place, unanswered, edits)
    for at, index in paired.orphans:
        place, which = places[at]
        entry = entries[lane[place]]
        edits[entry.origin.start].strays.add(_ordinal(entry, which, index))


def _close(
    entries: Sequence[Entry],
    lane: Sequence[int],
    place: int,
    calls: list[ToolCall],
    edits: defaultdict[int, Edit],
) -> None:
    """Add a record for each call behind the reply that made it, and let what followed follow the last."""
    caller = entries[lane[place]]
    last = place
    for after in range(place + 1, len(lane)):
        entry = entries[lane[after]]
        if caller.response is not None and entry.response == caller.response:
            last = after
        elif entry.message is not None or entry.boundary:
            break
    above = caller.id
    for nth, call in enumerate(calls):
        ident = new_id(caller.id or f"{caller.origin.line}", f"outcome {nth} {call.call_id}")
        edits[entries[lane[last]].origin.start].after.append(Insert(ident, above, call))
        above = ident if caller.id is not None else None
    follower = entries[lane[last + 1]] if last + 1 < len(lane) else None
    if last == place and follower is not None and caller.id is not None and follower.parent == caller.id:
        edit = edits[follower.origin.start]
        edit.relink = True
        edit.parent = above


def _ordinal(entry: Entry, which: int, index: int) -> int:
    """Which of a record's results a part is."""
    before = sum(isinstance(part, ToolResult) for message in entry.messages[:which] for part in message.parts)
    return before + sum(isinstance(part, ToolResult) for part in entry.messages[which].parts[:index])

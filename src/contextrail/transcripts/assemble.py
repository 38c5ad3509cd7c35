"""From the entries and issues of a file to a session, and two readings of one session to one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace

from contextrail.core.digest import canonical_json, sha256
from contextrail.core.ids import MessageId
from contextrail.messages.identity import number_runs
from contextrail.messages.model import Message
from contextrail.transcripts.chains import ASSEMBLED, lay_out
from contextrail.transcripts.gaps import marked, torn
from contextrail.transcripts.left import named_apart
from contextrail.transcripts.session import Entry, Event, Head, Issue, Session

HeadOf = Callable[[tuple[Entry, ...]], Head]


def assemble(events: Iterable[Event], *, format: str, file: str, head: HeadOf) -> Session:  # noqa: A002 - the field's name
    """Make a session of what a reader gives. Takes time in proportion to the number of entries.

    Args:
        events: In file order.
        format: Name of the host format.
        file: The name to report.
        head: The reader's `head`.
    """
    entries: list[Entry] = []
    issues: list[Issue] = []
    for event in events:
        if isinstance(event, Issue):
            issues.append(event)
        else:
            entries.append(event)
    return _session(Session(format=format, file=file), tuple(entries), tuple(issues), head)


def merge(session: Session, other: Session, head: HeadOf) -> Session:
    """A session with what another reading of it has more. Merging a session with itself changes nothing.

    Records are the same if they have the same id, or, where the format gives none, if they are equal;
    the n-th of several equal ones is the same as the n-th.
    """
    known = Counter(map(_key, session.entries))
    fresh: list[Entry] = []
    for entry in other.entries:
        key = _key(entry)
        if known[key] > 0:
            known[key] -= 1
        else:
            fresh.append(entry)
    read = [issue for issue in session.issues if issue.kind not in ASSEMBLED]
    said = set(read)
    more = [issue for issue in other.issues if issue.kind not in ASSEMBLED and issue not in said]
    if not fresh and not more:
        return session
    return _session(session, (*session.entries, *fresh), (*read, *more), head)


def _session(bare: Session, entries: tuple[Entry, ...], issues: tuple[Issue, ...], head: HeadOf) -> Session:
    layout = lay_out(entries)
    spoken = [
        (each, start)
        for each, start in zip(layout.segments, layout.starts, strict=True)
        if any(entries[at].message for at in each)
    ]
    gaps = torn(entries, issues) | layout.joined.keys()
    return replace(
        bare,
        head=head(entries),
        # runs are counted in each segment: what stands before a cut is not part of the request
        segments=tuple(_segment(entries, each, gaps) for each, _ in spoken),
        segment_starts=tuple(start for _, start in spoken),
        segment_ids=tuple(_ids(entries, each) for each, _ in spoken),
        sidechains={lane: number_runs(_messages(entries, side)) for lane, side in layout.sidechains.items()},
        branches=tuple(number_runs(_messages(entries, branch)) for branch in layout.branches),
        entries=entries,
        issues=(*issues, *layout.issues),
    )


def _messages(entries: Sequence[Entry], places: Iterable[int]) -> tuple[Message, ...]:
    return named_apart(message for at in places for message in entries[at].messages)


def _segment(entries: Sequence[Entry], places: Iterable[int], gaps: AbstractSet[int]) -> tuple[Message, ...]:
    """The messages of a segment, and a mark where something is missing between two of them."""
    messages: list[Message] = []
    missing: set[int] = set()
    for at in places:
        if messages and (at in gaps or entries[at].gap):
            missing.add(len(messages))
        messages.extend(entries[at].messages)
    return number_runs(marked(named_apart(messages), missing))


def _ids(entries: Sequence[Entry], places: Iterable[int]) -> tuple[MessageId, ...]:
    return tuple(ident for at in places if (ident := entries[at].id) is not None)


def _key(entry: Entry) -> tuple[str, str]:
    if entry.id is not None:
        return f"lane {entry.lane}", entry.id
    if entry.raw is not None:
        return entry.kind, sha256(entry.raw)
    return entry.kind, sha256(canonical_json(entry.value))

"""Records by id, and which follows which; doubled and dangling ones are reported."""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Container, Sequence
from dataclasses import dataclass, field
from typing import Final

from contextrail.core.ids import MessageId
from contextrail.transcripts.session import Entry, Issue, Severity

_NONE: Final = -1
_OUT: Final = -2


@dataclass(slots=True)
class Tree:
    """Entries by id, and which follows which."""

    entries: Sequence[Entry]
    order: list[int] = field(default_factory=list)
    """Indexes in file order, one for each id: of several with one id the last counts, at the first one's place."""
    by_id: defaultdict[str, dict[MessageId, int]] = field(default_factory=lambda: defaultdict(dict))
    """By lane, since a sub-agent may begin with copies of the records of who called it, ids included."""
    issues: list[Issue] = field(default_factory=list)
    kept: dict[int, int] = field(default_factory=dict)
    """Of each record that a kept stretch follows: the last record of that stretch."""
    repeated: list[int] = field(default_factory=list)
    replaced: list[int] = field(default_factory=list)
    broken: list[int] = field(default_factory=list)
    _parent: array[int] = field(init=False)
    _child: array[int] = field(init=False)
    """The first child; arrays, since a file may have a million records and most have one child."""
    _more: dict[int, list[int]] = field(default_factory=dict)
    """Further children."""

    def __post_init__(self) -> None:
        self._parent = array("q", [_OUT]) * len(self.entries)
        self._child = array("q", [_NONE]) * len(self.entries)
        place = array("q", [_NONE]) * len(self.entries)
        for at, entry in enumerate(self.entries):
            lane = self.by_id[entry.lane]
            before = None if entry.id is None else lane.get(entry.id)
            if before is None:
                place[at] = len(self.order)
                self.order.append(at)
            elif same(entry, self.entries[before]):
                self.repeated.append(at)
                self.report("duplicate", "warning", at, "the same record stands in the file before")
                continue
            else:
                self.replaced.append(before)
                place[at] = place[before]
                self.order[place[at]] = at
                self.report("duplicate", "warning", at, "another record has this id before; this one counts")
            if entry.id is not None:
                lane[entry.id] = at

    def report(self, kind: str, severity: Severity, at: int, detail: str) -> None:
        """Note something about the entry at an index."""
        entry = self.entries[at]
        self.issues.append(
            Issue(
                kind=kind,
                severity=severity,
                file=entry.origin.file,
                line=entry.origin.line,
                byte=entry.origin.start,
                detail=detail,
                message=entry.id,
            )
        )

    def link(self, lane: Sequence[int]) -> None:
        """Set the parents of the entries of a lane."""
        members = set(lane)
        before: int | None = None
        for at in lane:
            entry = self.entries[at]
            if entry.id is None:
                if not entry.messages and not entry.boundary:
                    continue
                parent = before
            else:
                parent = self.by_id[entry.lane].get(entry.parent) if entry.parent is not None else None
                if parent not in members or parent == at:
                    parent = None
            self._parent[at] = _NONE if parent is None else parent
            before = at

    def hang(self, lane: Sequence[int]) -> None:
        """Set the children of the entries of a lane, when all parents are known."""
        self._keep_stretches(lane)
        for at in lane:
            above = self.parent(at)
            if above is None:
                continue
            if self._child[above] == _NONE:
                self._child[above] = at
            else:
                self._more.setdefault(above, []).append(at)

    def linked(self, at: int) -> bool:
        """Whether a record has a place in the tree."""
        return self._parent[at] != _OUT

    def parent(self, at: int) -> int | None:
        """The record that one follows."""
        above = self._parent[at]
        return above if above >= 0 else None

    def children(self, at: int) -> list[int]:
        """The records that follow one directly, in file order."""
        child = self._child[at]
        return [] if child == _NONE else [child, *self._more.get(at, ())]

    def attach(self, at: int, above: int) -> None:
        """Let a root follow a record. To be done before children are set."""
        self._parent[at] = above

    def cut(self, at: int) -> None:
        """Make a record a root. To be done before children are set."""
        self._parent[at] = _NONE

    def _keep_stretches(self, lane: Sequence[int]) -> None:
        """Hang what a compaction kept behind its summary, as the host does when it loads the file."""
        for at in lane:
            keeps = self.entries[at].keeps
            stretch = None if keeps is None else self._stretch(lane, at, keeps)
            if stretch is None:
                continue
            first, last, anchor = stretch
            if anchor != first and self.reaches(last, first) and not self.reaches(anchor, first):
                followers = [
                    child for child in lane if self._parent[child] == anchor and child not in {first, last}
                ]
                self._parent[first] = anchor
                for child in followers:
                    self._parent[child] = last
                self.kept[anchor] = last

    def _stretch(
        self, lane: Sequence[int], cut: int, keeps: tuple[MessageId, MessageId, MessageId]
    ) -> tuple[int, int, int] | None:
        """First and last record of a kept stretch, and what it follows; None if it is not there.

        Where one of them is missing from the file, the record beside it takes its place.
        """
        by_id = self.by_id[self.entries[cut].lane]
        first, last, anchor = (by_id.get(ident) for ident in keeps)
        if first is None:
            first = next((at for at in lane if self.entries[at].parent == keeps[0] and at < cut), None)
        if last is None:
            last = next((at for at in reversed(lane) if at < cut and self.entries[at].message), None)
        if anchor is None and any(self.entries[at].parent == keeps[2] for at in lane):
            anchor = cut
        if first is None or last is None or anchor is None:
            return None
        if not self.reaches(last, first):
            first = self._behind_break(last, first)
        return first, last, anchor

    def _behind_break(self, last: int, first: int) -> int:
        """Of a stretch that is broken, the record behind the break that is farthest from its end; else `first`."""
        found = first
        seen: set[int] = set()
        at: int | None = last
        while at is not None and at not in seen and at > first:
            entry = self.entries[at]
            if entry.parent is not None and entry.parent not in self.by_id[entry.lane]:
                found = at
            seen.add(at)
            at = self.parent(at)
        return found

    def reaches(self, start: int, goal: int) -> bool:
        """Whether a record follows another, at any distance."""
        seen: set[int] = set()
        at: int | None = start
        while at is not None and at not in seen:
            if at == goal:
                return True
            seen.add(at)
            at = self.parent(at)
        return False

    def check_parents(self, lane: Sequence[int], silent: Container[int] = ()) -> None:
        """Report parents that are not in the file; nothing is lost by those of `silent` records."""
        spoken = False
        for at in lane:
            entry = self.entries[at]
            for what, ident in (("parent", entry.parent), ("logical parent", entry.logical)):
                if ident is None or ident in self.by_id[entry.lane]:
                    continue
                if any(ident in others for others in self.by_id.values()):
                    continue
                lost = spoken and what == "parent" and entry.id is not None and at not in silent
                if lost:
                    self.broken.append(at)
                detail = f"its {what} {ident[:80]!r} is not in this file"
                if lost:
                    detail += "; the host does not find what stands before it"
                self.report("dangling-parent", "error" if lost else "warning", at, detail)
            spoken = spoken or entry.message is not None


def same(one: Entry, other: Entry) -> bool:
    """Whether two entries hold the same record (or, if they are thin, a record of the same digest)."""
    if one.raw is not None and other.raw is not None:
        return one.raw == other.raw
    return one.value == other.value

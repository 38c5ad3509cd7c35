"""Records of a tree, laid out as the conversation they are: segments, sidechains, branches, and what is broken.

The live way is the chain that ends in the last record that speaks, and what belongs to it without
standing on it: the other answers and pieces of a reply that went out in parallel. A cut by the host, or
a record that says of itself that it follows none, begins a new segment. A record that names one which is
not there follows, behind a marked gap, what stands before it in the file: damage to one record takes
nothing else out of the conversation.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

from contextrail.transcripts.beside import Companions
from contextrail.transcripts.session import Entry, Issue, Start
from contextrail.transcripts.tree import Tree

ASSEMBLED = frozenset(
    {
        "dangling-parent",
        "gap",
        "fork",
        "off-chain",
        "sidechain",
        "duplicate",
        "parent-cycle",
        "sidechain-only",
    }
)
"""Kinds of issues that laying out finds."""


@dataclass(frozen=True, slots=True)
class Layout:
    """Indexes of entries, in the order in which they are one conversation."""

    segments: tuple[tuple[int, ...], ...]
    """The main lane; the last is the live one. Records without message are in it where they stand on the chain."""
    starts: tuple[Start, ...]
    """Of each segment."""
    sidechains: dict[str, tuple[int, ...]]
    branches: tuple[tuple[int, ...], ...]
    """Ways that were left, and records that another one of the same id replaced."""
    issues: tuple[Issue, ...]
    repeated: tuple[int, ...] = ()
    """Records that stand in the file a second time, word for word; they are in no lane."""
    broken: tuple[int, ...] = ()
    """Records whose parent is missing while others of their lane stand before them."""
    joined: dict[int, int] = field(default_factory=dict)
    """Records behind a gap, whose parent is missing: the record that they were hung on."""


def lay_out(entries: Sequence[Entry]) -> Layout:
    """Find out how entries hang together. Takes time in proportion to their number.

    Entries may be thin: of messages, only role, calls and results matter.
    """
    tree = Tree(entries)
    lanes: defaultdict[str, list[int]] = defaultdict(list)
    for at in tree.order:
        lanes[entries[at].lane].append(at)
    main = lanes.pop("main", [])
    if not any(entries[at].message for at in main) and len(lanes) == 1:
        lane, side = lanes.popitem()
        tree.report("sidechain-only", "note", side[0], f"the whole file is the sidechain {lane!r}")
        main = sorted([*main, *side])
    tree.link(main)
    islands = _Islands(tree, main)
    segments, branches = islands.lay_out()
    tree.check_parents(main, islands.silent)
    for lane, side in lanes.items():
        tree.report("sidechain", "note", side[0], f"sidechain {lane!r}: {len(side)} records")
        tree.check_parents(side)
    return Layout(
        segments=segments,
        starts=tuple(islands.starts),
        sidechains={lane: tuple(side) for lane, side in lanes.items()},
        branches=tuple(sorted([*branches, *((at,) for at in tree.replaced if entries[at].message)])),
        issues=tuple(tree.issues),
        repeated=tuple(tree.repeated),
        broken=tuple(tree.broken),
        joined=islands.joined,
    )


_UNKNOWN: Final = -1
_ON_THE_WAY: Final = -2


class _Islands:
    """The main lane: trees that are not connected, each with one way through it."""

    def __init__(self, tree: Tree, lane: Sequence[int]) -> None:
        self.tree = tree
        self.entries = tree.entries
        self.lane = lane
        self.members = [at for at in lane if tree.linked(at)]
        self.said = [at for at in self.members if self.entries[at].message or self.entries[at].boundary]
        self.branches: list[tuple[int, ...]] = []
        self.silent: set[int] = set()
        """Records of trees in which nothing is said."""
        self.joined: dict[int, int] = {}
        self.ranks: dict[int, int] = {}
        """Place of each record in the lane, made when the first tree is joined."""
        self.starts: list[Start] = []

    def lay_out(self) -> tuple[tuple[tuple[int, ...], ...], tuple[tuple[int, ...], ...]]:
        """Segments (live one last) and branches."""
        for root, each in self._trees().items():
            if (
                self.entries[root].parent is not None
                and not self.entries[root].boundary
                and any(map(self._speaks, each))
            ):
                self._join(root, each[0])
        self.tree.hang(self.lane)
        trees = self._trees()
        self.silent.update(at for each in trees.values() if not any(map(self._speaks, each)) for at in each)
        spoken = {root: each for root, each in trees.items() if any(map(self._speaks, each))}
        spoke = {root: next(at for at in reversed(each) if self._speaks(at)) for root, each in spoken.items()}
        live = max(spoke, key=spoke.__getitem__, default=None)
        ordered = sorted(spoken, key=lambda root: (root == live, spoken[root][0]))
        segments: list[tuple[int, ...]] = []
        for root in ordered:
            way = self._way(spoken[root])
            cuts = [0, *(index for index, at in enumerate(way) if index and self.entries[at].boundary)]
            pieces = [tuple(way[a:b]) for a, b in zip(cuts, [*cuts[1:], len(way)], strict=True)]
            segments.extend(pieces)
        self._report_gaps(segments)
        self.starts = [self._start(segment, nth) for nth, segment in enumerate(segments)]
        return tuple(segments), tuple(sorted(self.branches))

    def _trees(self) -> dict[int, list[int]]:
        """The members of each tree by its root, in file order; trees in the order of their first members."""
        roots = self._roots()
        trees: defaultdict[int, list[int]] = defaultdict(list)
        for at in self.members:
            trees[roots[at]].append(at)
        return trees

    def _join(self, root: int, first: int) -> None:
        """Hang a tree whose root follows a missing record on what was said, or cut, last before it.

        What stands before the tree's first member belongs to other trees, so that no circle can arise. Before means
        by the lane: of several records with one id the last counts, at the first one's place.
        """
        if not self.ranks:
            self.ranks = {at: rank for rank, at in enumerate(self.lane)}
        place = bisect_left(self.said, self.ranks[first], key=self.ranks.__getitem__)
        if place:
            before = self.said[place - 1]
            self.joined[root] = before
            self.tree.attach(root, before)
            self.tree.report(
                "gap", "warning", root, "the record it follows is missing; it is joined behind a marked gap"
            )

    def _start(self, segment: tuple[int, ...], nth: int) -> Start:
        if self.entries[segment[0]].boundary:
            return "compaction"
        return "new-beginning" if nth else "beginning"

    def _speaks(self, at: int) -> bool:
        return self.entries[at].message is not None

    def _roots(self) -> array[int]:
        """The root of each member; of a circle of parents, its first record in the file is made the root."""
        root = array("q", [_UNKNOWN]) * len(self.entries)
        for start in self.members:
            way: list[int] = []
            at: int | None = start
            while at is not None and root[at] == _UNKNOWN:
                way.append(at)
                root[at] = _ON_THE_WAY
                at = self.tree.parent(at)
            if at is not None and root[at] == _ON_THE_WAY:
                self.tree.report("parent-cycle", "error", at, "its parents lead back to itself")
                self.tree.broken.append(at)
                self.tree.cut(at)
                root[at] = at
            found = root[at] if at is not None else way[-1]
            for each in way:
                root[each] = found
        return root

    def _way(self, members: Sequence[int]) -> list[int]:
        """The chain to the last record of a tree that speaks, with what belongs to it."""
        leaf = next(at for at in reversed(members) if self._speaks(at))
        last = self.tree.kept.get(leaf)
        if last is not None and self.tree.reaches(last, leaf):
            leaf = last  # nothing was said since a compaction, but it kept what stands behind its summary
        chain: list[int] = []
        at: int | None = leaf
        while at is not None:
            chain.append(at)
            at = self.tree.parent(at)
        chain.reverse()
        return Companions(self.tree, chain).woven(self.branches)

    def _report_gaps(self, segments: Iterable[tuple[int, ...]]) -> None:
        """Report each segment that is not known to follow the one before it."""
        before: set[int] = set()
        for segment in segments:
            first = self.entries[segment[0]]
            if before and not first.boundary:
                self.tree.report(
                    "gap",
                    "note" if first.parent is None else "warning",
                    segment[0],
                    "it begins anew; whether it follows what stands before is not known",
                )
            elif (
                before
                and first.logical is not None
                and self.tree.by_id[first.lane].get(first.logical) not in before
            ):
                self.tree.report(
                    "gap", "note", segment[0], "what the host cut off here is not known to be above"
                )
            before.update(segment)

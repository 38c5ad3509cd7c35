"""Records of a tree, laid out as the conversation they are: segments, sidechains, branches, and what is broken.

The live way is the chain that ends in the last record that speaks, and what belongs to it without
standing on it: the other answers and pieces of a reply that went out in parallel. A chain that ends
nowhere, or a cut by the host, begins a new segment; nothing is stitched together on a guess, since
a broken chain and a prompt that was taken back look the same.
"""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from contextrail.transcripts.beside import Companions
from contextrail.transcripts.session import Entry, Issue
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
    sidechains: dict[str, tuple[int, ...]]
    branches: tuple[tuple[int, ...], ...]
    """Ways that were left, and records that another one of the same id replaced."""
    issues: tuple[Issue, ...]
    repeated: tuple[int, ...] = ()
    """Records that stand in the file a second time, word for word; they are in no lane."""
    broken: tuple[int, ...] = ()
    """Records whose parent is missing while others of their lane stand before them."""


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
        sidechains={lane: tuple(side) for lane, side in lanes.items()},
        branches=tuple(sorted([*branches, *((at,) for at in tree.replaced if entries[at].message)])),
        issues=tuple(tree.issues),
        repeated=tuple(tree.repeated),
        broken=tuple(tree.broken),
    )


_UNKNOWN: Final = -1
_ON_THE_WAY: Final = -2


class _Islands:
    """The main lane: trees that are not connected, each with one way through it."""

    def __init__(self, tree: Tree, lane: Sequence[int]) -> None:
        self.tree = tree
        self.entries = tree.entries
        self.members = [at for at in lane if tree.linked(at)]
        self.branches: list[tuple[int, ...]] = []
        self.silent: set[int] = set()
        """Records of trees in which nothing is said."""

    def lay_out(self) -> tuple[tuple[tuple[int, ...], ...], tuple[tuple[int, ...], ...]]:
        """Segments (live one last) and branches."""
        roots = self._roots()
        trees: defaultdict[int, list[int]] = defaultdict(list)
        for at in self.members:
            trees[roots[at]].append(at)
        spoken = {root: each for root, each in trees.items() if any(self._speaks(at) for at in each)}
        self.silent.update(at for root, each in trees.items() if root not in spoken for at in each)
        live = next((roots[at] for at in reversed(self.members) if self._speaks(at)), None)
        ordered = sorted(spoken, key=lambda root: (root == live, spoken[root][0]))
        segments: list[tuple[int, ...]] = []
        for root in ordered:
            way = self._way(spoken[root])
            cuts = [0, *(index for index, at in enumerate(way) if index and self.entries[at].boundary)]
            pieces = [tuple(way[a:b]) for a, b in zip(cuts, [*cuts[1:], len(way)], strict=True)]
            segments.extend(pieces)
        self._report_gaps(segments)
        return tuple(segments), tuple(sorted(self.branches))

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

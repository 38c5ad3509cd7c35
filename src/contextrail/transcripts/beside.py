"""What hangs beside a chain of records: what belongs to it, and the ways that were left."""

from __future__ import annotations

from collections import defaultdict

from contextrail.messages.model import ToolCall, ToolResult
from contextrail.transcripts.tree import Tree


class Companions:
    """Records that hang beside a chain and belong to it, and those that were left."""

    def __init__(self, tree: Tree, chain: list[int]) -> None:
        self.tree = tree
        self.entries = tree.entries
        self.chain = chain
        self.on_way = set(chain)
        self.replies = {self.entries[at].response for at in chain} - {None}
        self.open: defaultdict[str, int] = defaultdict(int)
        for at in chain:
            self._count(at)

    def _count(self, at: int) -> None:
        for message in self.entries[at].messages:
            for part in message.parts:
                if isinstance(part, ToolCall):
                    self.open[part.call_id] += 1
                elif isinstance(part, ToolResult) and part.status != "interim":
                    self.open[part.call_id] -= 1

    def woven(self, branches: list[tuple[int, ...]]) -> list[int]:
        """The chain with its companions, each after what it hangs on and before the next cut, else in file order.

        Branches that were left are added to `branches`.
        """
        beside: defaultdict[int, list[int]] = defaultdict(list)
        for place, at in enumerate(self.chain):
            for child in self.tree.children(at):
                if child in self.on_way:
                    continue
                taken = self._take(child, place)
                if taken:
                    beside[at].extend(taken)
                    continue
                left = tuple(each for each in self._below(child) if self.entries[each].message)
                if left:
                    branches.append(left)
                    self.tree.report("fork", "note", left[0], f"a way of {len(left)} messages that was left")
        return self._merge(beside)

    def _merge(self, beside: dict[int, list[int]]) -> list[int]:
        out: list[int] = []
        waiting: list[int] = []
        for at in self.chain:
            while waiting and (waiting[0] < at or self.entries[at].boundary):
                out.append(waiting.pop(0))
            out.append(at)
            if beside.get(at):
                waiting = sorted([*waiting, *beside[at]])
        return [*out, *waiting]

    def _take(self, child: int, place: int) -> list[int]:
        """The records below a fork at a place of the chain that belong to it; none if it was left there."""
        below = self._below(child)
        first = next((at for at in below if self.entries[at].message), None)
        if first is None or not (self._belongs(first) or self._passed_by(place, first, below)):
            return []
        taken: list[int] = []
        strayed = 0
        for at in below:
            mine = self._belongs(at)
            strayed += bool(self.entries[at].message) and not mine
            taken.append(at)
            self._count(at)
            response = self.entries[at].response
            if response is not None:
                self.replies.add(response)
        if strayed:
            detail = f"{strayed} messages go on beside the chain; the host does not find them"
            self.tree.report("off-chain", "warning", first, detail)
        return taken

    def _belongs(self, at: int) -> bool:
        """Whether a record answers a call of the way that nobody else answered, or is a piece of its reply."""
        entry = self.entries[at]
        if entry.response is not None and entry.response in self.replies:
            return True
        results = [
            part for message in entry.messages for part in message.parts if isinstance(part, ToolResult)
        ]
        return bool(results) and all(self.open[part.call_id] > 0 for part in results)

    def _passed_by(self, place: int, first: int, below: list[int]) -> bool:
        """Whether a turn stands beside the chain because the next prompt was hung on a record of the host.

        Seen in anthropics/claude-code#35024: the chain goes from a prompt over progress records to the
        next prompt, and past the whole turn between them. A prompt that was taken back looks otherwise:
        there, both ways begin with a prompt.
        """
        replied = self.entries[first].message
        if replied is None or replied.role != "assistant" or place + 1 == len(self.chain):
            return False
        if self.entries[self.chain[place + 1]].message is not None:
            return False
        ahead = (self.chain[each] for each in range(place + 2, len(self.chain)))
        after = next((at for at in ahead if self.entries[at].message), None)
        asked = None if after is None else self.entries[after].message
        return after is not None and asked is not None and asked.role == "user" and below[-1] < after

    def _below(self, start: int) -> list[int]:
        """A record and all that hangs on it, in file order."""
        found: list[int] = []
        stack = [start]
        while stack:
            at = stack.pop()
            found.append(at)
            stack.extend(self.tree.children(at))
        return sorted(found)

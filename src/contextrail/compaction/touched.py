"""Which files the work is at: the ones that calls name, how often, how long ago, how often they were edited.

A call is about the files that its first lines name, and so is its answer; the lines of a long text that it passes on,
such as the new content of a file, are not looked at.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Final

from contextrail.compaction.names import names
from contextrail.compaction.sources import call_kind, call_lines
from contextrail.messages.model import Message, ToolCall

Place = tuple[int, int]
"""Index of a message, and of a part in it."""

_LINES: Final = 3
"""Of a call, from its name on."""
NEVER: Final = 200_000
"""For how long ago a file was named that no call names, in the unit of costs."""


@dataclass(frozen=True, slots=True)
class Touched:
    """What calls say of files."""

    of: Mapping[Place, tuple[str, ...]]
    """The files that a call or a result is about; nothing for other parts."""
    calls: Counter[str] = field(default_factory=Counter)
    """Calls that name a file."""
    last: dict[str, int] = field(default_factory=dict)
    """Index of the newest message that calls with it."""
    edits: dict[str, list[int]] = field(default_factory=dict)
    """Indexes of the messages that write or edit it, ascending."""

    def features(self, place: Place, behind: Sequence[int]) -> dict[str, float]:
        """How much the files of a part are worked on: of several, the ones worked on most.

        Args:
            place: Of the part.
            behind: For each message, what everything behind it costs.

        Returns:
            `calls`, `edits` and `edits since` as log(1 + number), `idle` as log(50 + cost since the newest call).
        """
        files = self.of.get(place, ())
        edits = [self.edits.get(file, []) for file in files]
        idle = min((behind[self.last[file]] for file in files), default=NEVER)
        return {
            "calls": math.log1p(max((self.calls[file] for file in files), default=0)),
            "edits": math.log1p(max(map(len, edits), default=0)),
            "edits since": math.log1p(max((len(at) - bisect_right(at, place[0]) for at in edits), default=0)),
            "idle": math.log(50 + idle),
        }


def touched(messages: Sequence[Message], answers: Mapping[Place, Place]) -> Touched:
    """Look at every call.

    Args:
        messages: In order.
        answers: The place of each call's answer, as `pair` gives it.
    """
    of: dict[Place, tuple[str, ...]] = {}
    found = Touched(of)
    for at, message in enumerate(messages):
        for index, part in enumerate(message.parts):
            if not isinstance(part, ToolCall):
                continue
            told = [names(line) for line in islice(call_lines(part), _LINES)]
            files = tuple(
                dict.fromkeys(name for line in told for name, kind in line.items() if kind == "file")
            )
            if not files:
                continue
            of[at, index] = files
            if (at, index) in answers:
                of[answers[at, index]] = files
            found.calls.update(files)
            found.last.update(dict.fromkeys(files, at))
            if call_kind(part) in ("edit", "write"):
                for file in files:
                    found.edits.setdefault(file, []).append(at)
    return found

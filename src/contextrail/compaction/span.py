"""Which span of a history is replaced: legal cuts only, and never what is running, required or still owed.

Two triggers, one mechanism:

* summarization: the messages cost at least `trigger_threshold` of the history budget;
* compaction: system, tools and messages together cost at least `threshold` of the window.

The lower of the two is passed first, so it is the one that plans. A span is a list of whole units from the oldest
on; units that may not go stay where they are. What is replaced is exactly what the summarizer gets.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Final

from contextrail.compaction.frame import only_stands_for_span
from contextrail.core.digest import canonical_json, sha256
from contextrail.core.ids import MessageId, Sha256
from contextrail.messages.identity import is_user_input
from contextrail.messages.model import Fence, Message, ToolCall, ToolResult
from contextrail.messages.pairs import units
from contextrail.messages.text import part_text

SUMMARY: Final = 3
"""A summary is not expected to cost more than the target divided by this."""

Cost = Callable[[Message], int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Measure:
    """One trigger, in numbers: when it acts, how far down it goes, what it takes. All costs are of messages alone."""

    trigger: int
    """Acts from this cost on."""
    target: int
    """What should be left, the summary included."""
    share: float | None = None
    """How much of the messages that may go is taken at least, from the oldest on, by number."""
    keep_latest: int | None = None
    """How many of the newest messages stay, or half of a shorter history; fewer if they pass the target."""
    summary_limit: int = 0
    """Most that a summary's text may cost."""


@dataclass(frozen=True, slots=True)
class Span:
    """What goes: indexes of messages in ascending order, whole units."""

    indexes: tuple[int, ...]
    cost: int

    def of(self, messages: Sequence[Message]) -> tuple[Message, ...]:
        """The messages themselves."""
        return tuple(messages[at] for at in self.indexes)


def summarization_measure(
    limit: int, *, threshold: float, share: float, budget: float, summary_minimum: int = 32
) -> Measure:
    """The measure of a share of the history budget.

    Args:
        limit: What all messages together may cost.
        threshold: Share of it from which a summary is planned.
        share: Of the messages that may go.
        budget: Share of `limit` that a summary's text may cost.
        summary_minimum: A summary that may cost less says nothing.
    """
    return Measure(
        trigger=math.ceil(limit * threshold),
        target=limit,
        share=share,
        summary_limit=max(summary_minimum, int(limit * budget)),
    )


def compaction_measure(
    total: int, fixed: int, *, threshold: float, target: float, keep_latest: int, max_summary: int
) -> Measure:
    """The measure of a share of the whole window.

    target = floor(total * threshold * target share) less the fixed part, but at least min(target, 512).

    Args:
        total: The window less the reserves.
        fixed: Cost of system and tools.
        threshold: Share of the window from which a batch is planned.
        target: Share of that trigger that a batch goes down to.
        keep_latest: Newest messages that stay.
        max_summary: Most that a summary's text may cost.

    Source: A3S Code, its compaction budget; the recorded case is 200,000 at .85 with 10,000 fixed: 92,000.
    """
    aim = max(1, math.floor(total * threshold * target + 1e-6))
    room = max(aim - fixed, min(aim, 512))
    return Measure(
        trigger=max(0, math.ceil(total * threshold - 1e-6) - fixed),
        target=room,
        keep_latest=keep_latest,
        summary_limit=max(1, min(max_summary, room // 2)),
    )


def find_span(
    messages: Sequence[Message], measure: Measure, cost: Cost, locked: frozenset[MessageId]
) -> Span | None:
    """The span to replace, or None if nothing worth replacing may go.

    At least the share of the measure is taken, then as much more as the target needs: what does not fit is
    summarized, not cut. The cut moves to the border of a run where one is near, so that a question and its
    answer go together.

    Args:
        messages: Whole pairs, in order.
        measure: Of the trigger that was passed.
        cost: Upper bound of one message.
        locked: What must stay besides the current run and system messages: required, open obligations.
    """
    groups = units(messages)
    end = current_run(messages)
    free = [group for group in groups if group.stop <= end and _may_go(messages, group, locked)]
    total = sum(len(group) for group in free)
    if total < 2:
        return None
    prices = {group.start: sum(cost(messages[at]) for at in group) for group in free}
    used = sum(cost(message) for message in messages)
    least = _least(measure, total, len(messages) - end)
    taken = _near_run_border(messages, free, least) if least else 0
    gone = sum(prices[group.start] for group in free[:taken])
    whole = taken
    stands = min(2 * measure.summary_limit, measure.target // SUMMARY)
    while taken < len(free) and used - gone + stands > measure.target:
        gone += prices[free[taken].start]
        taken += 1
    if taken > whole:
        taken = _to_run_border(messages, free, taken)
    if taken == 0 or sum(len(group) for group in free[:taken]) < 2:
        return None
    gone = sum(prices[group.start] for group in free[:taken])
    return Span(tuple(at for group in free[:taken] for at in group), gone)


def current_run(messages: Sequence[Message]) -> int:
    """Where the current run begins: the last user input that is not a summary; 0 if there is none."""
    for at in range(len(messages) - 1, -1, -1):
        if is_user_input(messages[at]) and not only_stands_for_span(messages[at]):
            return at
    return 0


def span_digest(messages: Sequence[Message]) -> Sha256:
    """Digest of what a summary covers: ids, roles and everything a model would read, in order."""
    return sha256(canonical_json([_identity(message) for message in messages]))


def _identity(message: Message) -> list[object]:
    parts = [
        [
            type(part).__name__,
            part_text(part),
            part.call_id if isinstance(part, (ToolCall, ToolResult)) else None,
            part.status if isinstance(part, ToolResult) else None,
        ]
        for part in message.parts
    ]
    return [message.id, message.role, parts]


def _may_go(messages: Sequence[Message], group: range, locked: frozenset[MessageId]) -> bool:
    return not any(
        message.id in locked or message.role == "system" or _is_context(message)
        for message in messages[group.start : group.stop]
    )


def _is_context(message: Message) -> bool:
    """Fences whose life other steps decide on; marked-off context of a recorded session is history like the rest."""
    return any(isinstance(part, Fence) and part.lifetime is not None for part in message.parts)


def _least(measure: Measure, total: int, current: int) -> int:
    """How many messages go at least, whatever they cost."""
    if measure.share is not None:
        return math.ceil(total * measure.share)
    if measure.keep_latest is not None:
        whole = total + current
        return max(0, min(total, whole - min(measure.keep_latest, max(1, whole // 2))))
    return 0


def _near_run_border(messages: Sequence[Message], free: Sequence[range], least: int) -> int:
    """How many units to take for at least about `least` messages: to the nearest border of a run, else of a unit."""
    counts = _counts(free)
    nearest = min(range(1, len(counts)), key=lambda n: (abs(counts[n] - least), n))
    borders = [n for n in range(1, len(counts)) if _run_border(messages, free, n)]
    border = min(borders, key=lambda n: (abs(counts[n] - least), n))
    return border if abs(counts[border] - least) * 4 <= counts[-1] else nearest


def _to_run_border(messages: Sequence[Message], free: Sequence[range], taken: int) -> int:
    """The same number of units, or a few more to the end of the run."""
    counts = _counts(free)
    border = next(n for n in range(taken, len(counts)) if _run_border(messages, free, n))
    return border if (counts[border] - counts[taken]) * 4 <= counts[-1] else taken


def _run_border(messages: Sequence[Message], free: Sequence[range], taken: int) -> bool:
    return taken == len(free) or any(is_user_input(messages[at]) for at in free[taken])


def _counts(free: Sequence[range]) -> list[int]:
    """Messages in the first n units, for each n from 0."""
    return [0, *accumulate(len(group) for group in free)]

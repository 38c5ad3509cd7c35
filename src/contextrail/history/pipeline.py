"""The pipeline: steps over a draft, in their order, and what each of them cost or freed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from contextrail.history.checkpoint import checkpoint
from contextrail.history.context import Context
from contextrail.history.draft import Draft
from contextrail.history.fences import fences
from contextrail.history.must_keep import must_keep
from contextrail.history.obligations import obligations
from contextrail.history.reads import mend_referrals, reads
from contextrail.history.reminders import reminders, with_room_for_it
from contextrail.history.repair import repair
from contextrail.history.replay import replay_guard
from contextrail.history.retention import retention
from contextrail.history.summarize import summarize_step
from contextrail.history.tool_history import tool_history
from contextrail.history.tool_output import tool_output
from contextrail.history.working_memory import working_memory

Step = Callable[[Draft, Context], Draft]


@dataclass(frozen=True, slots=True, kw_only=True)
class StepRecord:
    """What one step did to the whole. Costs in the context's unit."""

    name: str
    cost_before: int
    cost_after: int
    messages_before: int
    messages_after: int
    reasons: tuple[str, ...]
    """What it decided, each word once."""


def repair_step(draft: Draft, context: Context) -> Draft:
    """One message per id, whole pairs in order, nothing empty."""
    return repair(draft)


STEPS: Final[tuple[tuple[str, Step], ...]] = (
    ("repair", repair_step),
    ("tool_history", tool_history),
    ("tool_replay", replay_guard),
    ("reads", reads),
    ("tool_output", tool_output),
    ("fences", fences),
    ("must_keep", must_keep),
    ("obligations", obligations),
    ("checkpoint", checkpoint),
    ("reasoning_retention", retention),
    ("summarization", summarize_step),
    ("working_memory", working_memory),
    ("referrals", mend_referrals),
    ("reminders", reminders),
)
"""Name and function, in the order in which they run. Hosts may append, never reorder.

Thinking goes before anything is filled or summarized, because the room it frees must be usable.
"""


def shape(
    draft: Draft, context: Context, steps: Sequence[tuple[str, Step]] = STEPS
) -> tuple[Draft, tuple[StepRecord, ...]]:
    """Run the steps; what the reminder will cost is kept free for it from the beginning.

    Raises:
        SummaryNeeded: A summary has to be fetched first.
        BudgetExceeded: What is required does not fit.
    """
    return with_room_for_it(draft, context, lambda planned, inside: run_steps(planned, inside, steps))


def run_steps(
    draft: Draft, context: Context, steps: Sequence[tuple[str, Step]], earlier: Sequence[StepRecord] = ()
) -> tuple[Draft, tuple[StepRecord, ...]]:
    """Run some steps in order, with a record of each; `earlier` are those that led to this draft, if any."""
    records: list[StepRecord] = []
    before = total(draft, context, earlier)
    for name, step in steps:
        after = step(draft, context if not draft.blobs else replace(context, ours=draft.handles))
        cost = before if after.messages is draft.messages else total(after, context)
        records.append(
            StepRecord(
                name=name,
                cost_before=before,
                cost_after=cost,
                messages_before=len(draft.messages),
                messages_after=len(after.messages),
                reasons=tuple(dict.fromkeys(each.reason for each in after.decisions[len(draft.decisions) :])),
            )
        )
        draft, before = after, cost
    return draft, tuple(records)


def total(draft: Draft, context: Context, records: Sequence[StepRecord] = ()) -> int:
    """What all messages cost, as the last of the records of their steps has it, if there are any."""
    return records[-1].cost_after if records else sum(map(context.cost, draft.messages))

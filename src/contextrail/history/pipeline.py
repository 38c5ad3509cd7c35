"""The pipeline: steps over a draft, in their order, and what each of them cost or freed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from contextrail.history.context import Context
from contextrail.history.draft import Draft
from contextrail.history.repair import repair

Step = Callable[[Draft, Context], Draft]


@dataclass(frozen=True, slots=True, kw_only=True)
class StepRecord:
    """What one step did to the whole."""

    name: str
    cost_before: int
    cost_after: int
    messages_before: int
    messages_after: int


def repair_step(draft: Draft, context: Context) -> Draft:
    """One message per id, whole pairs in order, nothing empty."""
    return repair(draft)


STEPS: Final[tuple[tuple[str, Step], ...]] = (("repair", repair_step),)
"""Name and function. Hosts may append, never reorder."""


def run_step(name: str, step: Step, draft: Draft, context: Context) -> tuple[Draft, StepRecord]:
    """One step, with its record."""
    after = step(draft, context)
    record = StepRecord(
        name=name,
        cost_before=sum(map(context.cost, draft.messages)),
        cost_after=sum(map(context.cost, after.messages)),
        messages_before=len(draft.messages),
        messages_after=len(after.messages),
    )
    return after, record

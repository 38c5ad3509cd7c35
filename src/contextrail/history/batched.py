"""The pipeline under `stability = "batched"`: what was reduced stays as it is until the next batch pays for a change.

Every turn:  repair and admission -> replay of the plan -> steps that place or require -> is a batch due? -> fit, remind
A batch:     from the whole history again, down to the target; then repeats and stale reads, then old thinking

A batch is due when

* over-trigger: the request would reach the trigger;
* cache-dead: the prefix is not cached any more (idle longer than its time to live, other model, other tools), and the
  messages are at least half the way from target to trigger;
* asked: the host says so;
* history-changed: the plan was made for another history, and what is there now is over the trigger.

Between batches no step takes anything from what was sent. A limit that was set explicitly always acts: a cap of tool
groups, and what of a tool result may be shown. The defaults of both yield to a free budget, so a long result is shown
whole until a batch finds no room for it. Thinking goes with batches, large pairs are shortened where nothing else fits.

The share of the history budget (`summarization.trigger_threshold`) counts where a model writes the summary, which takes
a request of its own; a record of lines is made at once and cannot fail, so nothing is gained by acting before the share
of the window (`compaction.threshold`) is reached.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import msgspec

from contextrail.core.ids import MessageId
from contextrail.history.batch import reduce, shorten_newest
from contextrail.history.batch_record import Aim
from contextrail.history.context import Context
from contextrail.history.draft import Draft
from contextrail.history.groups import ObservationPolicy
from contextrail.history.pins import lost_in
from contextrail.history.pipeline import STEPS, Step, StepRecord, run_steps, total
from contextrail.history.plan import Plan, Why, apply, extend
from contextrail.history.reminders import with_room_for_it
from contextrail.history.summarize import irreducible, measures
from contextrail.messages.decision import Decision
from contextrail.messages.model import Message, Summary, ToolResult
from contextrail.messages.pairs import units

ADMISSION: Final = frozenset({"repair", "tool_output"})
"""Steps whose outcome for a message does not change when later ones come."""
_BOUNDLESS: Final = 2**62
WITH_BATCH: Final = frozenset({"reads", "reasoning_retention"})
INSTEAD: Final = frozenset({"summarization"})
"""A batch does this."""
LAST: Final = frozenset({"working_memory", "referrals", "reminders"})
HALF: Final = 2
ROOM: Final = 6
"""A newest unit that leaves less than the trigger divided by this is shortened, so that a record stands beside it."""
HIGHEST: Final = 0.9
"""A target so close to its trigger would make a batch of every turn."""
LEAST: Final = 0.25
"""If system and tools leave less than this share of a target below the threshold of compaction, it counts no more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """What is known beside the history itself."""

    plan: Plan | None = None
    asked: bool = False
    """The host wants a batch now."""
    idle_s: float | None = None
    """Seconds since the last request, if known."""
    dead: bool = False
    """The model or the tools are others than in the last request."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shaped:
    """What a turn makes of a history."""

    draft: Draft
    records: tuple[StepRecord, ...]
    plan: Plan
    """For the next turn; its layout is still that of the request before."""
    batch: Why | None
    """What a batch was made for in this turn."""
    trigger: int
    target: int


def shape_batched(
    draft: Draft,
    context: Context,
    standing: Standing,
    steps: Sequence[tuple[str, Step]] = STEPS,
) -> Shaped:
    """Run the pipeline with a plan.

    Args:
        draft: The whole history, as it is in every turn.
        context: As for `shape`.
        standing: The plan of the turn before, and why the cache may be dead.
        steps: All steps, in order.

    Raises:
        SummaryNeeded: A batch is due, and the summary for it has to be fetched first.
        BudgetExceeded: What is required does not fit.
    """
    return with_room_for_it(
        draft, context, lambda planned, inside: _shape_planned(planned, inside, standing, steps)
    )


def _shape_planned(
    draft: Draft, context: Context, standing: Standing, steps: Sequence[tuple[str, Step]]
) -> Shaped:
    lowest, target = aims(context)
    raw, first = run_steps(draft, context, [each for each in steps if each[0] == "repair"])
    previews = [each for each in steps if each[0] == "tool_output"]
    source, admitted = run_steps(raw, _admitting(context), previews, first)
    shown, why = _replay(standing.plan, raw, source, context)
    plan = standing.plan if standing.plan is not None and why is None else Plan()
    trigger = _next_trigger((lowest, target), plan, context)
    every = [each for each in steps if _each_turn(each[0], context)]
    placed, records = run_steps(shown, context, every)
    used = total(placed, context, records)
    placing = used - (records[0].cost_before if records else used)
    lost = context.pinned and context.pinned.difference(each.id for each in shown.messages)
    due = _due(used, (trigger, target), standing, context) or (
        why if used >= trigger else "asked" if lost else None
    )
    batch: Why | None = None
    if due is not None:
        aim = Aim(
            target=max(1, target - placing),
            trigger=lowest,
            most=context.limit - placing,
            merged=tuple(
                each for each in plan.inserted if any(isinstance(part, Summary) for part in each.parts)
            ),
            gone_before=frozenset(
                raw.messages[at].id for gone in plan.gone for at in range(gone.start, gone.stop)
            ),
            unseen=_unseen(draft.messages),
        )
        reduced, more = _reduced(raw, source, context, aim, steps)
        replaced, again = run_steps(reduced, context, every)
        if total(replaced, context, again) < used or why is not None or lost:
            batch = due
            plan, blobs = extend(plan, raw, reduced, why=due, store=context.store, memo=context.memo)
            placed, records = replaced.storing(blobs), (*more, *again)
        plan = replace(plan, left=total(placed, context, records))
        trigger = _next_trigger((lowest, target), plan, context)
    placed, plan = _reported(placed, plan, context, standing.plan, why)
    done, last = run_steps(
        placed, context, [each for each in steps if each[0] in LAST and _fits(each[0], placed, context)]
    )
    return Shaped(
        draft=done,
        records=(*first, *admitted, *records, *last),
        plan=plan,
        batch=batch,
        trigger=trigger,
        target=target,
    )


def _next_trigger(aims: tuple[int, int], plan: Plan, context: Context) -> int:
    """From which cost the next batch is due.

    Where what must stay costs nearly as much as the trigger, or more, a batch in every turn would change the cached
    prefix each time for next to nothing: half of what lies between target and trigger has to be added first.
    """
    trigger, target = aims
    return max(trigger, min(context.limit, plan.left + (trigger - target) // HALF))


def aims(context: Context) -> tuple[int, int]:
    """Trigger and target of a batch, as costs of messages alone.

    The trigger is the lower one of summarization and compaction, never more than the limit; the target is that of
    compaction, its share of the trigger where compaction is off. Without a summarizer nothing leaves while
    everything fits: the trigger is the first cost beyond the limit. Nor does it where system and tools alone pass
    the threshold of compaction, or nearly: no batch could go below it, and one would be made in every turn.
    """
    if context.summarizer == "none":
        return context.limit + 1, max(1, int(context.limit * context.policy.compaction.target))
    found = [
        (name, measure)
        for name, measure in measures(context)
        if (not _hopeless(context) if name == "compaction" else _by_share(context))
    ]
    trigger = max(1, min([context.limit, *(measure.trigger for _, measure in found)]))
    share = int(trigger * context.policy.compaction.target)
    target = next((measure.target for name, measure in found if name == "compaction"), share)
    return trigger, max(1, min(target, int(trigger * HIGHEST)))


def _reported(
    draft: Draft, plan: Plan, context: Context, before: Plan | None, why: Why | None
) -> tuple[Draft, Plan]:
    """Say what is wrong with the plan before, and once that nothing can be reduced below the threshold."""
    hopeless = context.summarizer != "none" and _hopeless(context)
    if hopeless and not (before is not None and before.irreducible):
        draft = irreducible(draft, context, total(draft, context))
    if why is not None:
        draft = draft.noting([Decision(message=None, verdict="changed", step="plan", reason=why)])
    return draft, replace(plan, irreducible=hopeless)


def _by_share(context: Context) -> bool:
    """Whether the share of the history budget counts."""
    return context.summarizer == "model" or not context.policy.compaction.enabled


def _hopeless(context: Context) -> bool:
    """Whether system and tools alone use up what compaction would leave, so that it would act in every turn."""
    compaction = context.policy.compaction
    highest = int(context.total * compaction.threshold)
    left = highest - context.fixed - context.standing
    return compaction.enabled and left < LEAST * compaction.target * highest


def _admitting(context: Context) -> Context:
    """The context for admission: limits of tool results that nobody set do not count yet."""
    output = context.policy.tool_output
    if output.observation_governance != ObservationPolicy():
        return context
    free = ObservationPolicy(max_chars=_BOUNDLESS, max_lines=_BOUNDLESS)
    policy = msgspec.structs.replace(
        context.policy, tool_output=msgspec.structs.replace(output, observation_governance=free)
    )
    return replace(context, policy=policy)


def _reduced(
    raw: Draft, source: Draft, context: Context, aim: Aim, steps: Sequence[tuple[str, Step]]
) -> tuple[Draft, tuple[StepRecord, ...]]:
    """What a batch makes of the whole history, and the records of the steps that go with it."""
    previews = [each for each in steps if each[0] == "tool_output"]
    fewer: tuple[StepRecord, ...] = ()
    reduced = reduce(source, context, aim, full=raw.messages)
    if _crowded(reduced, source, context):
        source, fewer = _shorter(source, context, previews, aim.trigger)
        reduced = reduce(source, context, aim, full=raw.messages, last=True)
    reduced, more = run_steps(reduced, context, [each for each in steps if each[0] in WITH_BATCH])
    if total(reduced, context, more) >= aim.trigger:
        reduced, more = _pressed(reduced, context, previews, more)
    return reduced, (*fewer, *more)


def _crowded(reduced: Draft, source: Draft, context: Context) -> bool:
    """Whether messages left and what stays leaves no room for a record of them, or for all of it that binds the work."""
    if context.summarizer == "none" or reduced is source:
        return False
    there = {id(message) for message in source.messages}
    lost = lost_in(reduced.decisions[len(source.decisions) :])
    return bool(lost) or all(id(message) in there for message in reduced.messages)


def _shorter(
    source: Draft, context: Context, previews: Sequence[tuple[str, Step]], trigger: int
) -> tuple[Draft, tuple[StepRecord, ...]]:
    """The history with long results previewed, and with a shorter newest unit if it still has no room beside it."""
    draft, records = run_steps(source, context, previews)
    room = min(trigger, context.limit // HALF)
    newest = draft.messages[units(draft.messages)[-1].start :]
    if sum(map(context.cost, newest)) > trigger - trigger // ROOM:
        draft = shorten_newest(draft, context, max(1, room))
    return draft, records


def _pressed(
    draft: Draft, context: Context, previews: Sequence[tuple[str, Step]], records: tuple[StepRecord, ...]
) -> tuple[Draft, tuple[StepRecord, ...]]:
    """What a batch left is too much still: preview long results, then shorten the newest unit."""
    draft, more = run_steps(draft, context, previews)
    if total(draft, context, more) > context.limit:
        draft = shorten_newest(draft, context, max(1, context.limit // HALF))
    return draft, (*records, *more)


def _replay(plan: Plan | None, raw: Draft, source: Draft, context: Context) -> tuple[Draft, Why | None]:
    """The history as the plan shows it, each message after admission; or as it is, and why."""
    if plan is None:
        return source, None
    replayed = apply(plan, raw, context.memo)
    if replayed is None:
        return source, "history-changed"
    messages = replayed.messages
    if source.messages is not raw.messages:
        admitted = {id(old): new for old, new in zip(raw.messages, source.messages, strict=True)}
        messages = tuple(admitted.get(id(each), each) for each in messages)
    decisions = (*source.decisions, *replayed.decisions[len(raw.decisions) :])
    return replace(source, messages=messages, decisions=decisions, required=replayed.required), None


def _due(used: int, aims: tuple[int, int], standing: Standing, context: Context) -> Why | None:
    trigger, target = aims
    if used >= trigger:
        return "over-trigger"
    if used <= target:
        return None
    if standing.asked:
        return "asked"
    idle = standing.idle_s is not None and standing.idle_s > context.policy.compaction.cache_ttl_s
    if (standing.dead or idle) and used - target >= (trigger - target) / HALF:
        return "cache-dead"
    return None


def _unseen(messages: Sequence[Message]) -> frozenset[MessageId]:
    """Results that came after the last reply: a late one is moved to its call, yet the model has not read it."""
    found: set[MessageId] = set()
    for message in reversed(messages):
        if message.role == "assistant":
            break
        if any(isinstance(part, ToolResult) for part in message.parts):
            found.add(message.id)
    return frozenset(found)


def _each_turn(name: str, context: Context) -> bool:
    if name == "tool_history":
        return context.policy.tool_history.max_interaction_groups is not None
    return name not in ADMISSION | WITH_BATCH | INSTEAD | LAST


def _fits(name: str, draft: Draft, context: Context) -> bool:
    """Whether a last step is wanted: working memory only where the messages do not fit."""
    return name != "working_memory" or total(draft, context) > context.limit

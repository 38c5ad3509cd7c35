"""Summarize: old messages become one that stands for them, before anything has to be cut.

One compressor for both triggers, the share of the history budget and the share of the window: the one with the lower
trigger plans, and there is never more than one new summary in a turn. Without a summarizer nothing happens here.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from contextrail.compaction.compose import Composed, Task, compose, smaller
from contextrail.compaction.language import conversation_language
from contextrail.compaction.need import NeedSummary, SummarizationFailed, SummaryNeeded, Trigger
from contextrail.compaction.records import BINDING
from contextrail.compaction.span import (
    SUMMARY,
    Measure,
    Span,
    compaction_measure,
    current_run,
    find_span,
    span_digest,
    summarization_measure,
)
from contextrail.core.blobs import Blob
from contextrail.core.ids import MessageId, Sha256
from contextrail.core.json_text import JsonObject, dump_text
from contextrail.history.clip import clip_outputs
from contextrail.history.context import Context
from contextrail.history.draft import Draft
from contextrail.history.forms import Forms
from contextrail.history.obligations import open_messages
from contextrail.history.pins import NO_ROOM, records_of
from contextrail.history.policy import DEFAULT_AGENT
from contextrail.messages.decision import Decision, Verdict
from contextrail.messages.model import Conversation, Message, Summary
from contextrail.messages.pairs import units
from contextrail.wire import neutral

STEP: Final = "summarization"
_ROUNDS: Final = 8
"""Each takes away as much as the last one was too long by, at most half of what may give way."""
_FEW: Final = 32
"""A summary that may cost less says nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Plan:
    """What one batch replaces."""

    trigger: Trigger
    measure: Measure
    span: Span
    covered: tuple[Message, ...]
    digest: Sha256
    used: int
    """Cost of the history as it would be sent."""


def summarize_step(draft: Draft, context: Context) -> Draft:
    """`summarize`, for a pipeline whose steps give drafts. Raises SummaryNeeded, SummarizationFailed."""
    done = summarize(draft, context)
    if isinstance(done, NeedSummary):
        raise SummaryNeeded(done)
    return done


def summarize(draft: Draft, context: Context) -> Draft | NeedSummary:
    """Replace the oldest part of the history if it passes a trigger.

    Returns:
        The draft with the summary in place; the draft as it was (below the triggers, nothing may go, or the summary
        would be no smaller than what it replaces); or what has to be summarized first.

    Raises:
        SummarizationFailed: The summary is blank, and policy or budget forbid going on without one.
    """
    if context.summarizer == "none":
        return draft
    used = sum(map(context.cost, draft.messages))
    for trigger, measure in measures(context):
        if used < measure.trigger:
            continue
        if trigger == "compaction" and measure.trigger == 0:  # system and tools alone pass it
            draft = irreducible(draft, context, used)
            continue
        if trigger == "compaction":
            draft = clip_outputs(draft, context, measure.target)
            used = sum(map(context.cost, draft.messages))
            if used <= measure.target:
                return draft
        span = find_span(draft.messages, measure, context.cost, _locked(draft, context))
        if span is not None:
            covered = span.of(draft.messages)
            plan = _Plan(
                trigger=trigger,
                measure=measure,
                span=span,
                covered=covered,
                digest=span_digest(covered),
                used=used,
            )
            return _carry_out(draft, context, plan)
        if trigger == "compaction":
            return irreducible(draft, context, used)
    return draft


def measures(context: Context) -> list[tuple[Trigger, Measure]]:
    """The triggers of a policy, the one that is passed first before the other; what stands is part of each cost."""
    summarization, compaction = context.policy.summarization, context.policy.compaction
    found: list[tuple[Trigger, Measure]] = [
        (
            "summarization",
            summarization_measure(
                max(0, context.limit - context.standing),
                threshold=summarization.trigger_threshold,
                share=summarization.oldest_messages_percentage,
                budget=summarization.budget_percentage,
            ),
        )
    ]
    if compaction.enabled:
        measure = compaction_measure(
            context.total,
            context.fixed + context.standing,
            threshold=compaction.threshold,
            target=compaction.target,
            keep_latest=compaction.keep_latest_messages,
            max_summary=compaction.max_summary_tokens,
        )
        found.append(("compaction", measure))
    raised = [(name, _raised(measure, context)) for name, measure in found]
    return sorted(raised, key=lambda each: each[1].trigger)


def _raised(measure: Measure, context: Context) -> Measure:
    """The measure of all messages, those that stand included; a trigger of 0 is passed whatever is done."""
    trigger = measure.trigger + context.standing if measure.trigger else 0
    return replace(measure, trigger=trigger, target=min(measure.target + context.standing, context.limit))


def _locked(draft: Draft, context: Context) -> frozenset[MessageId]:
    keep = context.policy.obligations.keep_open
    return draft.required | (
        open_messages(draft.messages, context.policy.obligations) if keep else frozenset()
    )


def _carry_out(draft: Draft, context: Context, plan: _Plan) -> Draft | NeedSummary:
    task = _task(draft, context, plan)
    text: str | None = None
    if context.summarizer == "model":
        if plan.digest not in context.summaries:
            return _need(context, plan, task)
        text = context.summaries[plan.digest]
        if not text.strip():
            return _failed(draft, context, plan)
    room = min(plan.span.cost - 1, _room(draft, context, plan))
    target = plan.measure.target
    wanted = max(target - plan.used + plan.span.cost, target // SUMMARY)
    made = _fitting(task, text, context, plan, min(room, wanted))
    if any(pin.kind in BINDING for pin in made[1].chosen.left_out):
        again = _fitting(replace(task, binding=room), text, context, plan, room)
        made = again if context.cost(again[0]) <= room else made
    if context.cost(made[0]) > room:
        return draft.noting(
            [_decision(None, "kept", "summary-not-smaller", covers=plan.digest, cost=plan.span.cost)]
        )
    return _replaced(draft, context, plan, made)


def _fitting(
    task: Task, text: str | None, context: Context, plan: _Plan, room: int
) -> tuple[Message, Composed]:
    """The message for a span: with less and less beside the goal and what binds the work until there is room for it."""
    composed = compose(task, text, check=context.policy.summarization.check)
    message = _message(composed, plan)
    for _ in range(_ROUNDS):
        over = context.cost(message) - room
        if over <= 0:
            break
        task = smaller(task, by=over + 1)
        if task.limit < _FEW:
            task = replace(task, binding=max(0, task.binding - over))
        fewer = compose(task, composed.summary or None, check="off")
        composed = replace(fewer, flags=composed.flags, became=composed.became)
        message = _message(composed, plan)
    return message, composed


def _room(draft: Draft, context: Context, plan: _Plan) -> int:
    """What a summary may cost, so that what must stay and the tool work just done fit beside it."""
    gone = frozenset(plan.span.indexes)
    stays = sum(
        context.cost(message)
        for at, message in enumerate(draft.messages)
        if at not in gone and message.id in draft.required
    )
    newest = units(draft.messages)[-1]
    members = draft.messages[newest.start : newest.stop]
    if len(members) > 1 and not any(message.id in draft.required for message in members):
        stays += min(sum(map(context.cost, members)), Forms(members, context).at("bare").cost)
    return context.limit - stays


def _task(draft: Draft, context: Context, plan: _Plan) -> Task:
    rest = plan.used - plan.span.cost
    limit = plan.measure.summary_limit
    limit = min(limit, max(limit // 2, (plan.measure.target - rest) // 2))
    free = min(plan.measure.trigger - 1, plan.measure.target) - rest - limit
    return Task(
        covered=plan.covered,
        pins=records_of(plan.covered, context),
        language=conversation_language(draft.messages),
        limit=limit,
        records=max(limit, free // 2),
        binding=max(limit, min(free, plan.measure.target // 4)),
        count=context.count,
    )


def _need(context: Context, plan: _Plan, task: Task) -> NeedSummary:
    return NeedSummary(
        digest=plan.digest,
        messages=plan.covered,
        pins=task.pins,
        language=task.language,
        limit=task.limit,
        agent_id=context.policy.summarization.agent_id or DEFAULT_AGENT,
        trigger=plan.trigger,
        may_continue=_may_continue(context, plan),
    )


def _may_continue(context: Context, plan: _Plan) -> bool:
    """Whether the request may go out whole: the policy allows it, and it fits the budget as it is."""
    behavior = context.policy.summarization.failure_behavior
    return behavior == "continue-if-within-budget" and plan.used <= context.limit


def _failed(draft: Draft, context: Context, plan: _Plan) -> Draft:
    if _may_continue(context, plan):
        told = draft.telling("summarization_failed", covers=plan.digest, continued=True)
        return told.noting([_decision(None, "kept", "summary-failed", covers=plan.digest)])
    raise SummarizationFailed(
        "no summary came for what does not fit",
        fatal=True,
        covers=plan.digest,
        messages=len(plan.covered),
        trigger=plan.trigger,
        used=plan.used,
        available=context.limit,
        unit=context.unit,
        cure="repair the summarizer, allow continue-if-within-budget, or raise the window",
    )


def _message(composed: Composed, plan: _Plan) -> Message:
    return Message(
        id=MessageId(f"summary-{plan.digest[:16]}"),
        role="user",
        parts=(Summary(text=composed.text, covers=plan.digest),),
        run=plan.covered[0].run,
        timestamp=plan.covered[-1].timestamp,
    )


def _replaced(draft: Draft, context: Context, plan: _Plan, made: tuple[Message, Composed]) -> Draft:
    message, composed = made
    gone = set(plan.span.indexes)
    messages = list(draft.messages)
    messages[plan.span.indexes[0]] = message
    left = [each for at, each in enumerate(messages) if at not in gone or each is message]
    cost = context.cost(message)
    facts = _facts(composed, plan, cost)
    decisions = [
        _decision(each.id, "dropped", "summarized", by=message.id, trigger=plan.trigger)
        for each in plan.covered
    ]
    decisions.append(_decision(message.id, "added", "summary", **facts))
    decisions += [
        _decision(pin.message, "dropped", NO_ROOM, kind=pin.kind, characters=len(pin.text))
        for pin in composed.chosen.left_out
        if pin.kind != "said"
    ]
    after = replace(draft, messages=draft.messages).with_messages(left, decisions).requiring([message.id])
    if context.store:
        after = after.storing([original(plan.covered)])
    return after.telling(
        "context_compacted",
        **facts,
        message=message.id,
        before_messages=len(draft.messages),
        after_messages=len(left),
        percent_before=round(100 * (plan.used + context.fixed) / max(1, context.total), 1),
        before_cost=plan.used,
        after_cost=plan.used - plan.span.cost + cost,
        replaced=[each.id for each in plan.covered],
        summary=composed.text,
        flagged=[{"kind": flag.kind, "claim": flag.claim} for flag in composed.flags],
    )


def original(covered: tuple[Message, ...]) -> Blob:
    """What a summary stands for, as neutral JSON: fetched back, it gives the same messages."""
    return Blob.of(dump_text(neutral.encode(Conversation(messages=covered))))


def _facts(composed: Composed, plan: _Plan, cost: int) -> JsonObject:
    kinds = [flag.kind for flag in composed.flags]
    return {
        "covers": plan.digest,
        "trigger": plan.trigger,
        "messages": len(plan.covered),
        "replaced_cost": plan.span.cost,
        "cost": cost,
        "records": len(composed.chosen.records),
        "records_shortened": len(composed.chosen.shortened),
        "left_out_characters": composed.left_out,
        "check": composed.became,
        "flags": {kind: kinds.count(kind) for kind in sorted(set(kinds))},
    }


def irreducible(draft: Draft, context: Context, used: int) -> Draft:
    """Say that the trigger stays passed whatever is done, and which window would help. Nobody is asked."""
    running = draft.messages[current_run(draft.messages) :]
    fixed = context.fixed + context.standing
    threshold = context.policy.compaction.threshold
    reserved = (context.window or context.total) - context.total
    facts: JsonObject = {
        "irreducible": fixed,
        "system": fixed - context.tools_cost,
        "tools": context.tools_cost,
        "messages_cost": used - context.standing,
        "current_run_cost": sum(map(context.cost, running)),
        "trigger": int(context.total * threshold),
        "window_needed": int((context.fixed + used) / threshold) + 1 + reserved,
        "fits": used <= context.limit,
    }
    return draft.noting([_decision(None, "kept", "irreducible", **facts)]).telling("irreducible", **facts)


def _decision(message: MessageId | None, verdict: Verdict, reason: str, **detail: object) -> Decision:
    return Decision(message=message, verdict=verdict, step=STEP, reason=reason, detail=dict(detail))

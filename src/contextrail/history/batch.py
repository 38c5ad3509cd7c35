"""Batch: the oldest part of a history gives way to one record, down to a target, so that batches are rare.

What stays word for word: what must stay, and the newest units up to a share of the target. Everything else leaves, the
older part of the current run too, and one message stands for it:

* pinned records: the goal, what binds the work, what the user said, as far as there is room;
* the summary of a model, where there is a summarizer and it is one;
* lines that are likely to be needed again, word for word, as many as the target allows (`compaction.lines`).

Without a summarizer there is no record: working memory fills the target.

The record is made anew from the whole history at each batch, so nothing fades by being summarized twice. A tag such as
`[#12]` before a line is the number of its message, counted from 1: the archive has it under that number. A line of a
file that was changed later says so (`history.line_tags`).
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Final

from contextrail.compaction.compose import Task, compose
from contextrail.compaction.frame import render
from contextrail.compaction.language import Language, conversation_language
from contextrail.compaction.lines import Line, choose, weigh
from contextrail.compaction.need import NeedSummary, SummarizationFailed, SummaryNeeded
from contextrail.compaction.records import BINDING, Chosen, Room
from contextrail.compaction.records import choose as choose_records
from contextrail.compaction.span import span_digest
from contextrail.core.errors import BudgetExceeded
from contextrail.core.ids import MessageId
from contextrail.history.context import Context
from contextrail.history.draft import Draft
from contextrail.history.forms import Forms
from contextrail.history.line_tags import LineTags
from contextrail.history.must_keep import required_ids
from contextrail.history.obligations import open_messages
from contextrail.history.pins import records_of
from contextrail.history.policy import DEFAULT_AGENT
from contextrail.history.working_memory import working_memory
from contextrail.messages.decision import Decision
from contextrail.messages.model import Fence, Message, Summary
from contextrail.messages.pairs import units
from contextrail.messages.text import message_text

STEP: Final = "batch"
_LEAST: Final = 3
"""A record gets at least the target divided by this, where the trigger allows."""
_ROUNDS: Final = 8
"""Each takes away as many lines as the record was too long by; two do in practice."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Aim:
    """How far a batch goes. Costs of messages alone."""

    target: int
    """What should be left."""
    trigger: int
    """What may be left, where the newest unit alone is large."""
    most: int | None = None
    """What a record may not pass together with what stays: without it nothing would fit. None: no limit."""
    merged: tuple[Message, ...] = ()
    """The record of the batch before, for a summary of a model: it covers this and what leaves now."""
    gone_before: frozenset[MessageId] = frozenset()
    """What left in batches before."""
    unseen: frozenset[MessageId] = frozenset()
    """Results that no request has shown yet, wherever their calls stand."""


def reduce(draft: Draft, context: Context, aim: Aim, *, full: Sequence[Message]) -> Draft:
    """Bring the messages down to the target, as far as what must stay allows. Whole units only.

    Args:
        draft: The whole history, whole pairs, nothing placed for one turn only.
        context: Policy and counts.
        aim: Target and trigger.
        full: The same messages before admission: what was previewed away may still be told in lines.

    Returns:
        The draft with a record in the place of the first message that left; the draft itself if it is within the
        target, or nothing may leave.

    Raises:
        SummaryNeeded: A model is to summarize, and its text is not there yet.
        SummarizationFailed: Its text is blank, and the policy forbids going on without one.
    """
    messages = draft.messages
    prices = [context.cost(message) for message in messages]
    if sum(prices) <= aim.target:
        return draft
    if context.summarizer == "none":
        return _filled(draft, context, aim)
    stay = _stays(draft, context, prices, aim)
    gone = tuple(at for at in range(len(messages)) if at not in stay)
    if not gone:
        return draft
    kept = sum(prices[at] for at in stay)
    least = min(_share(aim, context) // _LEAST, max(0, aim.trigger - kept))
    room = max(aim.target - kept, least)
    covered = tuple(full[at] for at in gone)
    record, chosen = _record(_Work(draft, tuple(full), context, prices, gone, aim), covered, room)
    after = _replaced(draft, context, gone, record)
    return after if record is None else after.noting(_left_out(chosen))


def _share(aim: Aim, context: Context) -> int:
    """What of the target is there for what can be reduced; shares are taken of it."""
    return max(1, aim.target - context.standing)


def _filled(draft: Draft, context: Context, aim: Aim) -> Draft:
    """Without anybody to write a record: what is worth most within the target, else within what fits at all."""
    fixed = {message.id for message in draft.messages if _fixed(message)}
    must = _must(draft, context) | fixed | aim.unseen
    asked = draft.requiring(must | _bound(draft, context, must, _share(aim, context) // 2))
    for limit in (aim.target, aim.most):
        if limit is not None:
            with suppress(BudgetExceeded):
                return replace(working_memory(asked, replace(context, limit=limit)), required=draft.required)
    return draft


def _bound(draft: Draft, context: Context, must: frozenset[MessageId], room: int) -> frozenset[MessageId]:
    """Messages with a goal or with what binds the work, as many as there is room for beside what must stay."""
    costs = {message.id: context.cost(message) for message in draft.messages}
    room -= sum(costs[ident] for ident in must if ident in costs)
    pins = records_of(draft.messages, context)
    found: set[MessageId] = set()
    for kind in BINDING:
        for pin in reversed(pins):
            cost = costs.get(pin.message, room + 1)
            if pin.kind == kind and pin.message not in must | found and cost <= room:
                found.add(pin.message)
                room -= cost
    return frozenset(found)


def _stays(draft: Draft, context: Context, prices: Sequence[int], aim: Aim) -> frozenset[int]:
    """Indexes of what must stay and of the newest units."""
    messages = draft.messages
    must = _must(draft, context) | aim.unseen
    stay: set[int] = set()
    groups = units(messages)
    for unit in groups:
        if any(messages[at].id in must or _fixed(messages[at]) for at in unit):
            stay.update(unit)
    left = int(_share(aim, context) * context.policy.compaction.newest_share)
    for unit in reversed(groups):
        cost = sum(prices[at] for at in unit if at not in stay)
        if cost > left and unit is not groups[-1]:
            break
        stay.update(unit)
        left -= cost
    return frozenset(stay)


def _must(draft: Draft, context: Context) -> frozenset[MessageId]:
    """What policy and obligations keep."""
    must = draft.required | required_ids(draft.messages, context)
    if context.policy.obligations.keep_open:
        must |= open_messages(draft.messages, context.policy.obligations, context.memo)
    return must


def _fixed(message: Message) -> bool:
    """A system message, or context that other steps decide on."""
    return message.role == "system" or (
        bool(message.parts) and all(isinstance(part, Fence) for part in message.parts)
    )


@dataclass(frozen=True, slots=True)
class _Work:
    draft: Draft
    full: tuple[Message, ...]
    context: Context
    prices: Sequence[int]
    gone: tuple[int, ...]
    aim: Aim

    @property
    def share(self) -> int:
        """See `_share`."""
        return _share(self.aim, self.context)

    @property
    def language(self) -> Language:
        """Of the conversation."""
        return conversation_language(self.draft.messages)


def _record(work: _Work, covered: tuple[Message, ...], room: int) -> tuple[Message | None, Chosen]:
    """The message that stands for what leaves, None where there is no room for any, and the records in it.

    What binds the work goes before every line.
    """
    context = work.context
    language = work.language
    limit = int(work.share * context.policy.compaction.records_share)
    frame = context.count(render([], "", count=len(covered), language=language))
    chosen = choose_records(
        records_of(covered, context),
        covered,
        Room(
            limit=min(limit, room // 2),
            binding=max(room, _spare(work)) - frame,
            count=context.count,
            language=language,
        ),
    )
    pins = [(str(pin.kind), str(pin.message), pin.text) for pin in chosen.records]
    summary = _summary(work, covered)
    digest = span_digest(covered)
    tags = LineTags(work.full, context.file_tools, language)

    def message(lines: Sequence[Line]) -> Message:
        body = "\n\n".join(part for part in (summary, tags.write(lines)) if part)
        text = render(pins, body, count=len(covered), language=language)
        return Message(
            id=MessageId(f"record-{digest[:16]}"),
            role="user",
            parts=(Summary(text=text, covers=digest),),
            run=covered[0].run,
            timestamp=covered[-1].timestamp,
        )

    said = {line.strip() for _, _, text in pins for line in text.split("\n")}
    weighed = [line for line in weigh(work.full, work.prices, frozenset(work.gone)) if line.text not in said]
    left = room - context.cost(message(()))
    lines = choose(weighed, left, context.count)
    made = message(lines)
    for _ in range(_ROUNDS):
        over = context.cost(made) - room
        if over <= 0 or not lines:
            break
        left -= over + 1
        lines = choose(weighed, left, context.count)
        made = message(lines)
    return made if context.cost(made) < _allowed(work) else None, chosen


def _spare(work: _Work) -> int:
    """What goal and rules may take where the newest units left no room below the target: up to three quarters of it."""
    kept = sum(work.prices) - sum(work.prices[at] for at in work.gone)
    return min(work.aim.trigger - kept - 1, work.share * 3 // 4)


def _left_out(chosen: Chosen) -> list[Decision]:
    """What was pinned and found no room in the record."""
    return [
        Decision(
            message=pin.message,
            verdict="dropped",
            step=STEP,
            reason="record-without-room",
            detail={"kind": pin.kind, "characters": len(pin.text)},
        )
        for pin in chosen.left_out
        if pin.kind in BINDING
    ]


def _allowed(work: _Work) -> int:
    """A record costs less than this: it frees something, and what stays fits beside it."""
    freed = sum(work.prices[at] for at in work.gone)
    return freed if work.aim.most is None else min(freed, work.aim.most - sum(work.prices) + freed + 1)


def _summary(work: _Work, covered: tuple[Message, ...]) -> str:
    """The checked text of a model, or "" where no model is asked."""
    context = work.context
    if context.summarizer != "model":
        return ""
    new = tuple(message for message in covered if message.id not in work.aim.gone_before)
    span = (*work.aim.merged, *new)
    limit = min(context.policy.compaction.max_summary_tokens, work.share // 4)
    digest = span_digest(span)
    if digest not in context.summaries:
        raise SummaryNeeded(
            NeedSummary(
                digest=digest,
                messages=span,
                pins=records_of(span, context),
                language=work.language,
                limit=limit,
                agent_id=context.policy.summarization.agent_id or DEFAULT_AGENT,
                trigger="compaction",
                may_continue=context.policy.summarization.failure_behavior == "continue-if-within-budget",
            )
        )
    text = context.summaries[digest]
    if text.strip():
        task = Task(
            covered=span,
            pins=records_of(span, context),
            language=work.language,
            limit=limit,
            records=0,
            binding=0,
            count=context.count,
        )
        return compose(task, text, check=context.policy.summarization.check).summary
    if context.policy.summarization.failure_behavior == "continue-if-within-budget":
        return ""
    raise SummarizationFailed(
        "no summary came for what does not fit",
        fatal=True,
        covers=digest,
        messages=len(span),
        cure="repair the summarizer, allow continue-if-within-budget, or raise the window",
    )


def _replaced(draft: Draft, context: Context, gone: tuple[int, ...], record: Message | None) -> Draft:
    out = frozenset(gone)
    by = None if record is None else record.id
    decisions = [
        Decision(
            message=draft.messages[at].id,
            verdict="dropped",
            step=STEP,
            reason="in-record" if record is not None else "over-target",
            detail={"by": by, "number": at + 1},
        )
        for at in gone
    ]
    kept: list[Message] = []
    for at, message in enumerate(draft.messages):
        if at == gone[0] and record is not None:
            kept.append(record)
        if at not in out:
            kept.append(message)
    if record is not None:
        covers = record.parts[0].covers if isinstance(record.parts[0], Summary) else None
        decisions.append(
            Decision(
                message=record.id,
                verdict="added",
                step=STEP,
                reason="record",
                detail={"covers": covers, "messages": len(gone), "cost": context.cost(record)},
            )
        )
    after = draft.with_messages(kept, decisions)
    if record is None:
        return after
    before, left = (sum(map(context.cost, each)) for each in (draft.messages, kept))
    return after.requiring([record.id]).telling(
        "context_compacted",
        trigger="compaction",
        message=record.id,
        before_messages=len(draft.messages),
        after_messages=len(kept),
        percent_before=round(100 * (before + context.fixed) / max(1, context.total), 1),
        before_cost=before,
        after_cost=left,
        replaced=[draft.messages[at].id for at in gone],
        summary=message_text(record),
        flagged=[],
    )


def shorten_newest(draft: Draft, context: Context, room: int) -> Draft:
    """Shorten the results of the newest unit so that it costs at most `room`; the draft itself where it does."""
    unit = units(draft.messages)[-1] if draft.messages else range(0)
    members = draft.messages[unit.start : unit.stop]
    if len(members) < 2 or sum(map(context.cost, members)) <= room:
        return draft
    form = Forms(members, context).sized(room)
    if form is None:
        return draft
    decisions = [
        Decision(
            message=new.id, verdict="changed", step=STEP, reason="newest-too-large", detail=dict(form.detail)
        )
        for old, new in zip(members, form.messages, strict=True)
        if new is not old
    ]
    messages = (*draft.messages[: unit.start], *form.messages)
    return draft.storing(form.blobs).with_messages(messages, decisions)

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
from dataclasses import replace
from typing import Final

from contextrail.compaction.records import BINDING
from contextrail.core.errors import BudgetExceeded
from contextrail.core.ids import MessageId
from contextrail.history.batch_record import STEP, Aim, Work, left_out, record_of, share_of
from contextrail.history.context import Context
from contextrail.history.draft import Draft
from contextrail.history.forms import Forms
from contextrail.history.must_keep import required_ids
from contextrail.history.obligations import open_messages
from contextrail.history.pins import lost_in, records_of
from contextrail.history.working_memory import working_memory
from contextrail.messages.decision import Decision
from contextrail.messages.model import Fence, Message, Summary
from contextrail.messages.pairs import units
from contextrail.messages.text import message_text

_LEAST: Final = 3
"""A record gets at least the target divided by this, where the trigger allows."""


def reduce(draft: Draft, context: Context, aim: Aim, *, full: Sequence[Message], last: bool = False) -> Draft:
    """Bring the messages down to the target, as far as what must stay allows. Whole units only.

    Args:
        draft: The whole history, whole pairs, nothing placed for one turn only.
        context: Policy and counts.
        aim: Target and trigger.
        full: The same messages before admission: what was previewed away may still be told in lines.
        last: Nothing more can be shortened to make room: a record that cannot hold the goal and all that binds the work
            gives way to the messages that hold it, if these fit.

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
    context = replace(context, ours=draft.handles)
    if context.summarizer == "none":
        return _filled(draft, context, aim)
    stay = _stays(draft, context, prices, aim)
    gone = tuple(at for at in range(len(messages)) if at not in stay)
    if not gone:
        return draft
    kept = sum(prices[at] for at in stay)
    least = min(share_of(aim, context) // _LEAST, max(0, aim.trigger - kept))
    room = max(aim.target - kept, least)
    work = Work(draft, tuple(full), context, prices, gone, aim)
    record, chosen = record_of(work, room)
    if record is None and any(pin.kind in BINDING for pin in records_of(work.covered, context)):
        return _filled(
            draft, context, aim
        )  # no room for a record: then the messages themselves that bind the work
    if last and any(pin.kind in BINDING for pin in chosen.left_out):
        filled = _filled(draft, context, aim)
        if not _lost(draft, filled):
            return filled
    after = _replaced(draft, context, gone, record)
    return after if record is None else after.noting(left_out(chosen))


def _filled(draft: Draft, context: Context, aim: Aim) -> Draft:
    """Without anybody to write a record: what is worth most within the target, else within what fits at all.

    The target is passed as far as the goal and what binds the work need it.
    """
    fixed = {message.id for message in draft.messages if _fixed(message)}
    asked = draft.requiring(_must(draft, context) | fixed | aim.unseen)
    costs = {message.id: context.cost(message) for message in draft.messages}
    most = aim.target if aim.most is None else aim.most
    best, limit = draft, aim.target
    while True:
        missing: int | None = None
        with suppress(BudgetExceeded):
            best = replace(
                working_memory(asked, replace(context, limit=limit), yielding=aim.unseen),
                required=draft.required,
            )
            missing = sum(costs.get(ident, 0) for ident in _lost(draft, best) if ident is not None)
            if not _lost(draft, best):
                return best
        if limit >= most:
            return best
        limit = min(most, limit + missing) if missing and limit == aim.target else most


def _lost(before: Draft, after: Draft) -> frozenset[MessageId | None]:
    """Messages whose goal or rules found no room on the way from one draft to the other."""
    return lost_in(after.decisions[len(before.decisions) :])


def _stays(draft: Draft, context: Context, prices: Sequence[int], aim: Aim) -> frozenset[int]:
    """Indexes of what must stay and of the newest units."""
    messages = draft.messages
    must = _must(draft, context) | aim.unseen
    stay: set[int] = set()
    groups = units(messages)
    for unit in groups:
        if any(messages[at].id in must or _fixed(messages[at]) for at in unit):
            stay.update(unit)
    left = int(share_of(aim, context) * context.policy.compaction.newest_share)
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
        bool(message.parts)
        and all(isinstance(part, Fence) and part.lifetime is not None for part in message.parts)
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
    form = Forms(members, replace(context, ours=draft.handles)).sized(room)
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

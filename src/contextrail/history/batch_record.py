"""The record of a batch: the message that stands for what left, made of what is pinned, a summary and telling lines."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from contextrail.compaction.compose import Task, compose
from contextrail.compaction.frame import render
from contextrail.compaction.language import Language, conversation_language
from contextrail.compaction.lines import Line, choose, weigh
from contextrail.compaction.need import NeedSummary, SummarizationFailed, SummaryNeeded
from contextrail.compaction.records import Chosen, Room
from contextrail.compaction.records import choose as choose_records
from contextrail.compaction.span import span_digest
from contextrail.core.ids import MessageId, Sha256
from contextrail.history.context import Context
from contextrail.history.draft import Draft
from contextrail.history.line_tags import LineTags
from contextrail.history.pins import records_of, without_room
from contextrail.history.policy import DEFAULT_AGENT
from contextrail.messages.decision import Decision
from contextrail.messages.model import Message, Summary

STEP: Final = "batch"
_ROUNDS: Final = 8
"""Each takes away as much as the record was too long by; two do in practice."""


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


def share_of(aim: Aim, context: Context) -> int:
    """What of the target is there for what can be reduced; shares are taken of it."""
    return max(1, aim.target - context.standing)


@dataclass(frozen=True, slots=True)
class Work:
    """What a batch takes out, and what stays beside it."""

    draft: Draft
    full: tuple[Message, ...]
    context: Context
    prices: Sequence[int]
    gone: tuple[int, ...]
    aim: Aim

    @property
    def share(self) -> int:
        """See `share_of`."""
        return share_of(self.aim, self.context)

    @property
    def covered(self) -> tuple[Message, ...]:
        """What leaves, as it was before admission."""
        return tuple(self.full[at] for at in self.gone)

    @property
    def language(self) -> Language:
        """Of the conversation."""
        return conversation_language(self.draft.messages)


def record_of(work: Work, room: int) -> tuple[Message | None, Chosen]:
    """The message that stands for what leaves, None where there is no room for any, and what is pinned in it.

    What binds the work goes before every line, beyond `room` too where it must. What lines leave free goes to what the
    user said.

    Args:
        work: What leaves, and what stays beside it.
        room: What the record should cost.

    Raises:
        SummaryNeeded: A model is to summarize, and its text is not there yet.
        SummarizationFailed: Its text is blank, and the policy forbids going on without one.
    """
    context = work.context
    covered = work.covered
    tags = LineTags(work.full, context.file_tools, work.language)
    pen = _Pen(work, covered, span_digest(covered), _summary(work), tags)
    limit = min(int(work.share * context.policy.compaction.records_share), room // 2)
    chosen = _pinned(pen, limit, room)
    made, all_told = _told(pen, chosen, room)
    free = room - context.cost(made)
    if all_told and free > 0 and chosen.left_out:
        more = _pinned(pen, limit + free, room)
        again, _ = _told(pen, more, room)
        if context.cost(again) <= room:
            made, chosen = again, more
    return made if context.cost(made) < _allowed(work) else None, chosen


@dataclass(frozen=True, slots=True)
class _Pen:
    """Writes the record."""

    work: Work
    covered: tuple[Message, ...]
    digest: Sha256
    summary: str
    tags: LineTags

    def message(self, chosen: Chosen, lines: Sequence[Line] = ()) -> Message:
        """The record with these pins and lines."""
        pins = [(str(pin.kind), str(pin.message), pin.text) for pin in chosen.records]
        body = "\n\n".join(part for part in (self.summary, self.tags.write(lines)) if part)
        text = render(pins, body, count=len(self.covered), language=self.work.language)
        return Message(
            id=MessageId(f"record-{self.digest[:16]}"),
            role="user",
            parts=(Summary(text=text, covers=self.digest),),
            run=self.covered[0].run,
            timestamp=self.covered[-1].timestamp,
        )


def _pinned(pen: _Pen, limit: int, room: int) -> Chosen:
    """What is pinned: within the limit, and what binds the work within all that a record may cost."""
    context, language = pen.work.context, pen.work.language
    pins = records_of(pen.covered, context)
    frame = context.count(render([], "", count=len(pen.covered), language=language))
    most = max(room, _allowed(pen.work) - 1)
    binding = most - frame
    chosen = Chosen(records=(), left_out=pins, shortened=())
    for _ in range(_ROUNDS):
        limits = Room(limit=min(limit, binding), binding=binding, count=context.count, language=language)
        chosen = choose_records(pins, pen.covered, limits)
        over = context.cost(pen.message(chosen)) - most
        if over <= 0 or binding <= 0:
            break
        binding -= over + 1  # together they cost more than one by one
    return chosen


def _told(pen: _Pen, chosen: Chosen, room: int) -> tuple[Message, bool]:
    """The record with the lines there is room for, and whether those are all."""
    work, context = pen.work, pen.work.context
    said = {line.strip() for pin in chosen.records for line in pin.text.split("\n")}
    weighed = [line for line in weigh(work.full, work.prices, frozenset(work.gone)) if line.text not in said]
    left = room - context.cost(pen.message(chosen))
    lines = choose(weighed, left, context.count)
    made = pen.message(chosen, lines)
    for _ in range(_ROUNDS):
        over = context.cost(made) - room
        if over <= 0 or not lines:
            break
        left -= over + 1
        lines = choose(weighed, left, context.count)
        made = pen.message(chosen, lines)
    return made, len(lines) == len(weighed)


def left_out(chosen: Chosen) -> list[Decision]:
    """What was pinned and found no room in the record."""
    return without_room(chosen.left_out, STEP)


def _allowed(work: Work) -> int:
    """A record costs less than this: it frees something, and what stays fits beside it."""
    freed = sum(work.prices[at] for at in work.gone)
    return freed if work.aim.most is None else min(freed, work.aim.most - sum(work.prices) + freed + 1)


def _summary(work: Work) -> str:
    """The checked text of a model, or "" where no model is asked."""
    context = work.context
    if context.summarizer != "model":
        return ""
    new = tuple(message for message in work.covered if message.id not in work.aim.gone_before)
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

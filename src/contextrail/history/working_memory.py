"""Working memory: the history that fits, by priority, with a decision for everything that does not."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Final

from contextrail.core.blobs import Blob
from contextrail.core.ids import MessageId
from contextrail.core.json_text import JsonObject
from contextrail.history.allotment import Allotment, Worth
from contextrail.history.context import Context
from contextrail.history.draft import Draft
from contextrail.history.forms import Form, Forms
from contextrail.history.pieces import Piece, pieces_of
from contextrail.history.pins import binding_messages, lost_between, without_room
from contextrail.messages.decision import Decision
from contextrail.messages.model import Message

STEP: Final = "working_memory"


@dataclass(frozen=True, slots=True)
class _Taken:
    """An outcome that was decided without an allotment."""

    taken: dict[int, Form]
    stubs: dict[int, Form]
    room: dict[int, int]


def working_memory(draft: Draft, context: Context, *, yielding: Collection[MessageId] = ()) -> Draft:
    """Keep what is worth most within `context.limit`; a group over `max_pair_tokens` is shortened in any case.

    Args:
        draft: Whole pairs.
        context: Policy, counts and limit.
        yielding: Of what is required, groups that may be shortened where goal and rules have no room otherwise.

    Raises:
        BudgetExceeded: What is required does not fit.
    """
    pieces = pieces_of(draft.messages, context.cost, draft.required)
    draft, pieces = _limit_pairs(draft, pieces, context)
    if sum(piece.cost for piece in pieces) <= context.limit:
        return draft
    binds = binding_messages(draft.messages, context)
    allotment = Allotment(pieces, draft.messages, context, Worth.of(draft.messages, pieces, binds, yielding))
    allotment.fill()
    done = _carry_out(draft, pieces, allotment)
    return done.noting(without_room(lost_between(draft.messages, done.messages, context), STEP))


def _limit_pairs(
    draft: Draft, pieces: tuple[Piece, ...], context: Context
) -> tuple[Draft, tuple[Piece, ...]]:
    """Shorten the results of every group over the limit for one group."""
    limit = context.policy.tool_history.max_pair_tokens
    taken: dict[int, Form] = {}
    for at, piece in enumerate(pieces):
        members = _members(draft, piece)
        if piece.kind == "group" and piece.cost > limit and not piece.required:
            short = Forms(members, context).at("shortened")
            if short.cost < piece.cost:
                taken[at] = short
    if not taken:
        return draft, pieces
    for at, piece in enumerate(pieces):
        taken.setdefault(at, Form("whole", _members(draft, piece), piece.cost))
    draft = _carry_out(draft, pieces, _Taken(taken, {}, {}), reason="pair-limit")
    return draft, pieces_of(draft.messages, context.cost, draft.required)


def _carry_out(
    draft: Draft, pieces: Sequence[Piece], outcome: Allotment | _Taken, *, reason: str = "shortened"
) -> Draft:
    messages: list[Message] = []
    decisions: list[Decision] = []
    blobs: list[Blob] = []
    for at, piece in enumerate(pieces):
        members = _members(draft, piece)
        form = outcome.taken.get(at)
        if form is not None:
            messages.extend(form.messages)
            blobs.extend(form.blobs)
            detail = {"cost": piece.cost, "left": form.cost, "form": form.level, **form.detail}
            why = "collapsed" if form.level == "line" else reason
            decisions += _changes(members, form, why, detail)
            continue
        decisions += _losses(members, piece, outcome.room.get(at))
        stub = outcome.stubs.get(at)
        if stub is not None:
            messages.extend(stub.messages)
            blobs.extend(stub.blobs)
            decisions.append(_added(stub, members))
    return draft.storing(blobs).with_messages(messages, decisions)


def _members(draft: Draft, piece: Piece) -> tuple[Message, ...]:
    return draft.messages[piece.at.start : piece.at.stop]


def _added(stub: Form, members: Sequence[Message]) -> Decision:
    return Decision(
        message=stub.messages[0].id,
        verdict="added",
        step=STEP,
        reason="answer-stub",
        detail={"for": members[-1].id},
    )


def _changes(before: Sequence[Message], form: Form, reason: str, detail: JsonObject) -> list[Decision]:
    after = {message.id: message for message in form.messages}
    return [
        Decision(
            message=message.id,
            verdict="changed" if message.id in after else "dropped",
            step=STEP,
            reason=reason,
            detail=detail,
        )
        for message in before
        if after.get(message.id) is not message
    ]


def _losses(members: Sequence[Message], piece: Piece, room: int | None) -> list[Decision]:
    unit = [message.id for message in members]
    detail: JsonObject = {"cost": piece.cost, "kind": piece.kind}
    if room is None:
        detail["why"] = "its question is gone"
    else:
        detail["room"] = room
    return [
        Decision(
            message=message.id,
            verdict="dropped",
            step=STEP,
            reason="over-budget",
            detail={**detail, "together_with": [ident for ident in unit if ident != message.id][:8]},
        )
        for message in members
    ]

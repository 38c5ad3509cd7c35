"""Pieces of a history, as working memory weighs them: whole units, each of one kind, in their runs."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Literal

from contextrail.core.ids import MessageId
from contextrail.history.collapse import is_record
from contextrail.messages.identity import is_user_input
from contextrail.messages.model import Message, Summary, Text, ToolCall
from contextrail.messages.pairs import units

Kind = Literal["question", "answer", "group", "record", "summary", "text"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """One unit."""

    at: range
    kind: Kind
    """`answer`: the last text of the assistant in its run; `record`: lines of collapsed groups; `text`: all else."""
    run: int
    """User inputs up to and including it; 0: before the first."""
    cost: int
    required: bool


def pieces_of(
    messages: Sequence[Message], cost: Callable[[Message], int], required: Collection[MessageId]
) -> tuple[Piece, ...]:
    """The pieces in order; together they cover the history."""
    found: list[Piece] = []
    run = 0
    answers: dict[int, int] = {}
    for unit in units(messages):
        members = messages[unit.start : unit.stop]
        run += sum(map(is_user_input, members))
        kind = _kind(members)
        if kind == "text" and _speaks(members):
            answers[run] = len(found)
        found.append(
            Piece(
                at=unit,
                kind=kind,
                run=run,
                cost=sum(map(cost, members)),
                required=any(member.id in required for member in members),
            )
        )
    for run, index in answers.items():
        piece = found[index]
        found[index] = Piece(at=piece.at, kind="answer", run=run, cost=piece.cost, required=piece.required)
    return tuple(found)


def _kind(members: Sequence[Message]) -> Kind:
    if any(isinstance(part, ToolCall) for member in members for part in member.parts):
        return "group"
    if any(map(is_user_input, members)):
        return "question"
    if any(isinstance(part, Summary) for member in members for part in member.parts):
        return "summary"
    return "record" if any(map(is_record, members)) else "text"


def _speaks(members: Sequence[Message]) -> bool:
    """Whether the assistant says something in it."""
    return any(
        member.role == "assistant" and any(isinstance(part, Text) for part in member.parts)
        for member in members
    )

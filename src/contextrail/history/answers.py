"""Short forms of what was said: of an answer beside its question, and of a question that is too long to be there whole."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from contextrail.compaction.records import Told
from contextrail.core.blobs import Blob
from contextrail.core.ids import MessageId
from contextrail.history.context import Context
from contextrail.history.forms import Form
from contextrail.history.marks import left_out
from contextrail.history.shorten import shorten
from contextrail.messages.model import Fence, Message, Part, Text, Thinking
from contextrail.messages.text import message_text

FAMILY: Final = "answer-stub"
"""Family of the fence that stands for an answer."""
MIN_SHORT: Final = 64
"""Less room than that is not worth a shortened answer."""
_PARTS: Final = (Text, Fence)


def stub_answer(answer: Sequence[Message], context: Context) -> Form:
    """A message of its own in the place of an answer, its id derived from the answer's."""
    text = "\n".join(map(message_text, answer))
    blob = Blob.of(text)
    where = f": {blob.handle}" if context.store else ""
    line = f"[answer left out, {len(text)} characters{where}]"
    message = Message(
        id=MessageId(f"{answer[-1].id}~stub"),
        role="assistant",
        parts=(Fence(family=FAMILY, text=line),),
        run=answer[-1].run,
    )
    return Form("stub", (message,), context.cost(message), (blob,) if context.store else ())


def without_thinking(answer: Sequence[Message], context: Context) -> Form | None:
    """The answer as it was said, without what was thought before it; None where that is nothing, or the same."""
    kept = [
        replace(message, parts=tuple(part for part in message.parts if not isinstance(part, Thinking)))
        for message in answer
    ]
    said = tuple(message for message in kept if message.parts)
    if not said or sum(len(each.parts) for each in said) == sum(len(each.parts) for each in answer):
        return None
    detail = {"thinking": "left out"}
    return Form("shortened", said, sum(map(context.cost, said)), detail=detail)


def short_answer(answer: Sequence[Message], room: int, context: Context) -> Form | None:
    """The answer under its own id, beginning and end within `room`; None where it is more than text."""
    if len(answer) != 1 or not all(isinstance(part, _PARTS) for part in answer[0].parts):
        return None
    message = answer[0]
    text = message_text(message)
    around = context.cost(replace(message, parts=(Text(text=""),)))
    short, blobs = shorten(text, max(1, room - around), context)
    parts: tuple[Part, ...] = (Text(text=short),)
    made = replace(message, parts=parts, extra=None)
    cost = context.cost(made)
    return Form("shortened", (made,), cost, blobs) if cost <= room and short != text else None


def excerpt(question: Sequence[Message], told: Sequence[str], room: int, context: Context) -> Form | None:
    """What binds the work in a question, word for word, behind a line that says how much is missing and where it is.

    Args:
        question: One message of a user.
        told: Pieces of its text, what counts most first.
        room: Most that it may cost; pieces that do not fit are left out.
        context: For costs and whether there is a store.

    Returns:
        None where not one piece fits, where nothing would be saved, or where it is more than text.
    """
    if len(question) != 1 or not all(isinstance(part, Text) for part in question[0].parts):
        return None
    message = question[0]
    text = message_text(message)
    blob = Blob.of(text)
    handle = blob.handle if context.store else None

    def made(pieces: Sequence[str]) -> Message:
        both = "\n".join(pieces)
        line = left_out(max(0, len(text) - len(both)), handle)
        return replace(message, parts=(Text(text=f"{line}\n{both}"),), extra=None)

    most = min(room, context.cost(message) - 1)
    kept = _fitting(told, most - context.cost(made([])), context)
    while kept and (over := context.cost(made(kept)) - most) > 0:
        kept = kept[: len(kept) - max(1, over // max(1, context.count(kept[-1])))]
    if not kept or sum(map(len, kept)) + len(kept) > len(text):
        return None
    blobs = (blob,) if context.store else ()
    return Form("excerpt", (made(kept),), context.cost(made(kept)), blobs)


def _fitting(told: Sequence[str], room: int, context: Context) -> list[str]:
    """Pieces that cost no more than the room, one by one, each of them once."""
    kept: list[str] = []
    said = Told()
    for piece in told:
        cost = context.count(piece) + 1
        if cost <= room and not said.holds(piece):
            kept.append(piece)
            said.add(piece)
            room -= cost
    return kept

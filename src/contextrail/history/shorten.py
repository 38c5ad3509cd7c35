"""Shorter forms of long texts: beginning and end, and a line between that says what is missing and where it is."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from contextrail.core.blobs import Blob
from contextrail.core.errors import InvalidRequest
from contextrail.core.graphemes import border_after, border_before
from contextrail.core.json_text import Json, dump_text, parse
from contextrail.history.context import Context
from contextrail.history.marks import Cut, cut_of, left_out
from contextrail.messages.model import Extra, Message, Part, Text, ToolCall, ToolResult
from contextrail.messages.pairs import continues
from contextrail.messages.text import part_text

STUB_TOKENS: Final = 40
"""What a stub of a result may cost: the line that says what is missing, and a few words of either end."""
ARGUMENT_CHARS: Final = 200
"""A value in the arguments of a call that is longer becomes a stub when nothing else helps."""
_ROUNDS: Final = 6
"""Each round takes what the last one was too long by; three do in practice."""


def shorten(text: str, limit: int, context: Context) -> tuple[str, tuple[Blob, ...]]:
    """Head and tail of a text within `limit`, and the whole to be stored.

    Args:
        text: Any text.
        limit: Most that the short form may cost, in the context's unit, >= 1.
        context: For the count and whether there is a store.

    Returns:
        The text itself and nothing to store where it is not longer; else the short form, cut where a reader
        sees a border. A limit too small even for the line between gives that line alone.
    """
    cost = context.count(text)
    if cost <= limit:
        return text, ()
    cut = cut_of(text, context.ours)
    blobs = (Blob.of(text),) if context.store and cut is None else ()
    handle = cut.handle if cut else blobs[0].handle if blobs else None
    room = max(0, limit - context.count(left_out(len(text), handle)))
    keep = int(len(text) * room / cost)
    for _ in range(_ROUNDS):
        short = _ends(text, keep, handle) if cut is None else _fewer(cut, keep)
        over = context.count(short) - limit
        if over <= 0 or keep == 0:
            return (short, blobs) if len(short) < len(text) else (text, ())
        keep = max(0, int(keep * (limit / (limit + over))) - 2)
    short = _ends(text, 0, handle) if cut is None else _fewer(cut, 0)
    return (short, blobs) if len(short) < len(text) else (text, ())


def short_result(result: ToolResult, limit: int, context: Context) -> tuple[ToolResult, tuple[Blob, ...]]:
    """A result whose texts together are within `limit`; media stay."""
    text = "\n".join(part_text(part) for part in result.parts if isinstance(part, Text))
    short, blobs = shorten(text, limit, context)
    if short == text:
        return result, ()
    others = tuple(part for part in result.parts if not isinstance(part, Text))
    return replace(result, parts=(Text(text=short), *others), extra=None), blobs


def short_call(call: ToolCall, context: Context) -> tuple[ToolCall, tuple[Blob, ...]]:
    """A call whose long argument values are stubs; it stays a JSON object with the same names."""
    try:
        value = parse(call.arguments, place="arguments")
    except InvalidRequest:
        return call, ()
    blobs: list[Blob] = []

    def stub(each: Json) -> Json:
        if isinstance(each, dict):
            return {key: stub(inner) for key, inner in each.items()}
        if isinstance(each, list):
            whole = dump_text(each)
            return [stub(inner) for inner in each] if len(each) <= 20 else stub(whole)
        if not isinstance(each, str) or len(each) <= ARGUMENT_CHARS:
            return each
        if context.store:
            blobs.append(Blob.of(each))
        return _ends(each, ARGUMENT_CHARS // 4, blobs[-1].handle if context.store else None)

    if not isinstance(value, dict):
        return call, ()
    shorter = stub(value)
    if shorter == value:
        return call, ()
    return replace(call, arguments=dump_text(shorter), extra=None), tuple(blobs)


def with_results(
    messages: tuple[Message, ...], limit: int, context: Context
) -> tuple[tuple[Message, ...], tuple[Blob, ...]]:
    """The messages of a group with each result within `limit`; the same objects where nothing changes."""
    blobs: list[Blob] = []
    changed: list[Message] = []
    for message in messages:
        parts: list[Part] = []
        for part in message.parts:
            if isinstance(part, ToolResult):
                short, stored = short_result(part, limit, context)
                blobs.extend(stored)
                parts.append(short)
            else:
                parts.append(part)
        changed.append(_with_parts(message, parts))
    return tuple(changed), tuple(blobs)


def with_short_calls(
    messages: tuple[Message, ...], context: Context
) -> tuple[tuple[Message, ...], tuple[Blob, ...]]:
    """The messages of a group with long argument values as stubs."""
    blobs: list[Blob] = []
    changed: list[Message] = []
    for message in messages:
        parts: list[Part] = []
        for part in message.parts:
            if isinstance(part, ToolCall):
                short, stored = short_call(part, context)
                blobs.extend(stored)
                parts.append(short)
            else:
                parts.append(part)
        changed.append(_with_parts(message, parts))
    return tuple(changed), tuple(blobs)


def _with_parts(message: Message, parts: list[Part]) -> Message:
    if all(new is old for new, old in zip(parts, message.parts, strict=True)):
        return message
    extra = Extra(message.extra.wire, {"~joined": True}) if message.extra and continues(message) else None
    return replace(message, parts=tuple(parts), extra=extra)


def _ends(text: str, keep: int, handle: str | None) -> str:
    """The first and last characters, `keep` in all, and the line between."""
    head = border_before(text, (keep + 1) // 2)
    tail = border_after(text, len(text) - keep // 2)
    return text if tail <= head else _joined(text[:head], text[tail:], len(text), handle)


def _fewer(cut: Cut, keep: int) -> str:
    """Less of both ends of a text that was cut before, `keep` characters in all; what is missing is counted anew."""
    last = min(keep // 2, len(cut.behind))
    first = min(keep - last, len(cut.before))
    head = cut.before[: border_before(cut.before, first)]
    tail = cut.behind[border_after(cut.behind, len(cut.behind) - last) :]
    return _joined(head, tail, cut.length, cut.handle)


def _joined(head: str, tail: str, length: int, handle: str | None) -> str:
    head, tail = head.rstrip("\n"), tail.lstrip("\n")
    line = left_out(length - len(head) - len(tail), handle)
    return "\n".join(piece for piece in (head, line, tail) if piece)

"""Collapse: a tool group becomes one line for each call, on the assistant's side, with what it told."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from contextrail.core.blobs import Blob
from contextrail.core.digest import text_digest
from contextrail.core.graphemes import border_before
from contextrail.core.json_text import JsonObject
from contextrail.history.context import Context
from contextrail.history.marks import cut_of
from contextrail.history.telling import telling_lines
from contextrail.messages.model import Fence, Media, Message, Part, Text, ToolCall, ToolResult
from contextrail.messages.text import describe_media, part_text

FAMILY: Final = "tool-record"
"""Family of the fence that holds the lines."""
VERBATIM_TOKENS: Final = 48
"""A result that costs no more stands in its line as it is."""
FACTS_TOKENS: Final = 160
"""What the telling lines of a longer one may cost, where the policy does not say less."""
ARGUMENT_CHARS: Final = 300
"""Characters of the arguments that a line shows."""
_NEWLINE: Final = " | "


@dataclass(frozen=True, slots=True)
class Collapsed:
    """What stands for a group, and the full texts behind it."""

    message: Message
    blobs: tuple[Blob, ...]
    detail: JsonObject


def is_record(message: Message) -> bool:
    """Whether a message is, or holds, the lines of collapsed groups."""
    return message.role == "assistant" and any(
        isinstance(part, Fence) and part.family == FAMILY for part in message.parts
    )


def collapse(group: Sequence[Message], context: Context) -> Collapsed:
    """One message for a group: what was said with the calls, and a line for each call.

    Args:
        group: A reply with calls and its results, as `Interaction.at` covers them.
        context: For costs and the policy.

    Returns:
        The first message with calls under its own id, thinking and calls replaced by lines; texts of
        the reply stay. Results of a call that stand apart (interim and final) share its line.
    """
    calls = [part for message in group for part in message.parts if isinstance(part, ToolCall)]
    limit = context.policy.tool_history.max_output_summary_tokens // max(1, len(calls))
    limit = max(8, min(FACTS_TOKENS, limit))
    answers: dict[str, list[ToolResult]] = {}
    for message in group:
        for part in message.parts:
            if isinstance(part, ToolResult):
                answers.setdefault(part.call_id, []).append(part)
    lines = [_line(call, answers.get(call.call_id, []), limit, context) for call in calls]
    blobs = tuple(blob for _, blob, _ in lines if blob is not None)
    fence = Fence(family=FAMILY, text="\n".join(text for text, _, _ in lines))
    said: list[Part] = [
        part
        for message in group
        if message.role == "assistant"
        for part in message.parts
        if isinstance(part, (Text, Media, Fence)) and (not isinstance(part, Text) or part.text.strip())
    ]
    anchor = next(message for message in group if any(isinstance(part, ToolCall) for part in message.parts))
    detail: JsonObject = {
        "calls": [call.call_id for call in calls],
        "tools": [call.name for call in calls],
        "results": [digest for _, _, digest in lines],
    }
    return Collapsed(replace(anchor, parts=(*said, fence), extra=None), blobs, detail)


def _line(
    call: ToolCall, results: Sequence[ToolResult], limit: int, context: Context
) -> tuple[str, Blob | None, str]:
    """The line of one call, what to store of its result, and the result's digest."""
    text = "\n".join(_result_text(result) for result in results)
    digest = text_digest(text)
    status = next((result.status for result in results if result.status != "ok"), "ok")
    head = f"[ran {call.name} {_arguments(call)} -> {status}"
    if not text.strip():
        return f"{head}, no output]", None, digest
    if context.count(text) <= min(VERBATIM_TOKENS, limit):
        return f"{head}: {_one_line(text)}]", None, digest
    known = cut_of(text, context.ours)
    blob = Blob.of(text) if context.store and known is None else None
    mark = known.handle if known else blob.handle if blob else f"sha256 {digest[:12]}"
    length = known.length if known else len(text)
    told = _NEWLINE.join(telling_lines(text, limit, context.count))
    return f"{head}, {length} characters, {mark}{f': {told}' if told else ''}]", blob, digest


def _result_text(result: ToolResult) -> str:
    return "\n".join(
        describe_media(part) if isinstance(part, Media) else part_text(part) for part in result.parts
    )


def _arguments(call: ToolCall) -> str:
    text = " ".join(call.arguments.split())
    if len(text) <= ARGUMENT_CHARS:
        return text
    return f"{text[: border_before(text, ARGUMENT_CHARS)]}... ({len(text)} characters)"


def _one_line(text: str) -> str:
    return _NEWLINE.join(line.strip() for line in text.splitlines() if line.strip())

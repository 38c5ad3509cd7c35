"""Tool output: a long result is shown by its head and tail; all of it goes to the store first.

The handle in a preview is the promise that the text is there: nothing is previewed where nothing can
be stored, and what a handle gave back is never previewed again.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from contextrail.core.blobs import HANDLE, Blob
from contextrail.core.errors import InvalidRequest
from contextrail.core.ids import CallId
from contextrail.core.json_text import JsonObject, dump_text, parse_object
from contextrail.history.checkpoint import read_marker
from contextrail.history.context import Context
from contextrail.history.draft import Draft
from contextrail.history.groups import ObservationPolicy
from contextrail.history.marks import shown_in_part
from contextrail.history.mcp_results import read_mcp_text
from contextrail.history.preview import ERROR_HEAD, HEAD, Limits, lines_of, preview
from contextrail.history.shares import level
from contextrail.messages.decision import Decision
from contextrail.messages.model import Message, Part, Text, ToolCall, ToolResult

STEP: Final = "tool_output"
READERS: Final = frozenset({"contextget", "uncompact", "contextuncompact"})
"""Tools that give back what a handle stands for, by their names without signs."""
_FAILED: Final = re.compile(
    r"Traceback \(most recent|(?i:error\b|\bfailed\b|\bpanic\b|\bfatal\b|exit(ed with)? (code|status):? [1-9])"
)
_MARKED: Final = 2
"""Lines that a marker may add to a text."""
_END: Final = 2_000
"""Characters at the end of a result in which a failure is looked for."""

Count = Callable[[str], int]


@dataclass(frozen=True, slots=True)
class Shown:
    """A result as the model reads it, and what of it must be stored first."""

    result: ToolResult
    blobs: tuple[Blob, ...] = ()
    facts: JsonObject = field(default_factory=dict)


def tool_output(draft: Draft, context: Context) -> Draft:
    """One representation of each result, and a preview of each long one. Twice is once."""
    governance = context.policy.tool_output.observation_governance
    calls = _calls(draft.messages)
    decisions: list[Decision] = []
    blobs: list[Blob] = []

    def shown(message: Message) -> Message:
        parts: list[Part] = []
        for part in message.parts:
            if not isinstance(part, ToolResult) or _exempt(part, calls, context):
                parts.append(part)
                continue
            for reason, after in _stages(part, governance, context):
                blobs.extend(after.blobs)
                decisions.append(_decision(message, part.call_id, reason, after))
                part = after.result  # noqa: PLW2901 - stage after stage
            parts.append(part)
        if all(new is old for new, old in zip(parts, message.parts, strict=True)):
            return message
        return replace(message, parts=tuple(parts))

    messages = [shown(message) if message.role == "tool" else message for message in draft.messages]
    return draft.with_messages(messages, decisions).storing(blobs) if decisions else draft


def shorten(result: ToolResult, limits: Limits, count: Count) -> Shown | None:
    """A preview of a result that is beyond the limits; None if it is within them.

    Each long text of it gets its own handle, and texts share the limits evenly; media and unknown
    blocks stay.
    """
    texts = [part.text for part in result.parts if isinstance(part, Text)]
    if not texts or limits.hold("\n".join(texts), count):
        return None
    each = _each(texts, limits, count)
    blobs: list[Blob] = []
    parts: list[Part] = []
    for part in result.parts:
        if not isinstance(part, Text) or each.hold(part.text, count):
            parts.append(part)
            continue
        blob = Blob.of(part.text)
        blobs.append(blob)
        parts.append(replace(part, text=_preview(part.text, blob, each, count, failed=_failed(result))))
    if not blobs:
        return None
    after = replace(result, parts=tuple(parts))  # type: ignore[arg-type]  # the same kinds of parts
    return Shown(
        after,
        tuple(blobs),
        {
            "chars": sum(map(len, texts)),
            "lines": sum(map(lines_of, texts)),
            "shown_chars": sum(len(part.text) for part in after.parts if isinstance(part, Text)),
            "handles": [blob.handle for blob in blobs],
        },
    )


def _each(texts: Sequence[str], limits: Limits, count: Count) -> Limits:
    """What one of several texts may take, so that all of them, with a marker each, are within the limits."""
    if len(texts) == 1:
        return limits
    between = len(texts) - 1
    return Limits(
        chars=max(1, level(list(map(len, texts)), limits.chars - between)),
        lines=max(1, level([lines_of(text) + _MARKED for text in texts], limits.lines)),
        tokens=None
        if limits.tokens is None
        else max(1, level(list(map(count, texts)), limits.tokens - between)),
    )


def limits_of(policy: ObservationPolicy) -> Limits:
    """The limits that a policy sets."""
    return Limits(chars=policy.max_chars, lines=policy.max_lines, tokens=policy.max_tokens)


def marker(text: str, blob: Blob) -> str:
    """The line in the middle of a preview."""
    return shown_in_part(len(text), lines_of(text), blob.handle)


def _stages(
    result: ToolResult, governance: ObservationPolicy, context: Context
) -> Sequence[tuple[str, Shown]]:
    found: list[tuple[str, Shown]] = []
    single = one_copy(result, store=context.store)
    if single is not None:
        found.append(("one-representation", single))
        result = single.result
    if governance.enabled and context.store:
        short = shorten(result, limits_of(governance), context.count)
        if short is not None:
            found.append(("previewed", short))
    return found


def one_copy(result: ToolResult, *, store: bool) -> Shown | None:
    """An MCP result that a host wrote down whole, in one representation; None if it is nothing of the kind.

    Args:
        result: Any result.
        store: Whether what is left out can be stored; if not, only a true copy is left out.
    """
    match result.parts:
        case (Text(text=text) as part,):
            found = read_mcp_text(text)
        case _:
            return None
    if found is None or not (store or found.same):
        return None
    blobs = (Blob.of(text),) if store and not found.same else ()
    status = "error" if found.status == "error" else result.status
    after = replace(result, parts=(replace(part, text=found.text),), status=status)
    return Shown(after, blobs, {"used": found.used, "handles": [blob.handle for blob in blobs]})


def _preview(text: str, blob: Blob, limits: Limits, count: Count, *, failed: bool) -> str:
    head = ERROR_HEAD if failed or _FAILED.search(text[-_END:]) else HEAD
    inside = _observation(text, blob, limits, count, head)
    return preview(text, limits, marker(text, blob), count, head=head) if inside is None else inside


def _observation(text: str, blob: Blob, limits: Limits, count: Count, head: float) -> str | None:
    """The same JSON with only its `observation` previewed, if that is what is long (the seed's form of a result)."""
    if text.lstrip()[:1] != "{" or '"observation"' not in text:
        return None
    try:
        value = parse_object(text, place="tool result")
    except InvalidRequest:
        return None
    said, data = value.get("observation"), value.get("data")
    if not isinstance(said, str):
        return None
    if isinstance(data, dict) and "tool_output_store" not in data:
        value = {**value, "data": {**data, "tool_output_store": {"blob_id": blob.handle}}}
    around = len(dump_text({**value, "observation": ""}))
    room = limits.chars - around
    while room > 0:
        inner = replace(limits, chars=room)
        short = dump_text(
            {**value, "observation": preview(said, inner, marker(said, blob), count, head=head)}
        )
        if limits.hold(short, count):
            return short
        room -= max(1, len(short) - limits.chars, room // 8)
    return None


def _failed(result: ToolResult) -> bool:
    return result.status == "error"


def _calls(messages: Sequence[Message]) -> dict[CallId, ToolCall]:
    """Calls by id; after repair an id is used once."""
    return {
        part.call_id: part for message in messages for part in message.parts if isinstance(part, ToolCall)
    }


def _exempt(result: ToolResult, calls: dict[CallId, ToolCall], context: Context) -> bool:
    """A checkpoint, or what a handle gave back."""
    call = calls.get(result.call_id)
    if call is None:
        return False
    if call.name == context.policy.checkpoint.trigger_tool_name and read_marker(result) is not None:
        return True
    return reads_handle(call)


def reads_handle(call: ToolCall) -> bool:
    """Whether a call fetches what a handle stands for."""
    found = HANDLE.search(call.arguments)
    if found is None:
        return False
    name = re.sub(r"[^a-z]", "", call.name.lower())
    quoted = f'"{found.group()}"' in call.arguments
    return (
        quoted
        or any(name.endswith(reader) for reader in READERS)
        or "contextrail uncompact" in call.arguments
    )


def _decision(message: Message, call: CallId, reason: str, after: Shown) -> Decision:
    return Decision(
        message=message.id,
        verdict="changed",
        step=STEP,
        reason=reason,
        detail={"call": call, **after.facts},
    )

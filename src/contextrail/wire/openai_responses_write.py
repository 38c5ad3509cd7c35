"""Messages to Responses items: what was read here as it was, everything else as well as this form can."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Final

from contextrail.core.json_text import JsonObject, dump_text
from contextrail.messages.model import (
    Fence,
    Media,
    Message,
    Opaque,
    Part,
    Role,
    Summary,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
)
from contextrail.wire.extras import fields, own
from contextrail.wire.openai_responses_items import (
    ROLES,
    joined_reasoning,
    output_key,
    payload,
    raw_arguments,
)
from contextrail.wire.openai_responses_parts import WIRE, Plain, is_plain, plain_text, write_part

_WIRE_ROLES: Final[dict[Role, str]] = {
    "system": "system",
    "user": "user",
    "assistant": "assistant",
    "tool": "user",  # speech beside tool results
}

_PLAIN_KINDS: Final = (
    "input_text", "output_text", "text", "refusal", "input_image", "input_file", "input_audio",
)  # fmt: skip


def write_message(message: Message) -> list[Any]:
    """The items of one message, in the order of its parts.

    A message that was read from a message item is written as one, with the fields it had, even if it
    holds nothing; calls, results, reasoning and opaque items stand beside it.
    """
    stored = own(message.extra, WIRE)
    whole = None if stored is None or "~item" in stored else stored
    items: list[Any] = []
    content: list[Part] = []

    def flush() -> None:
        nonlocal whole
        if content or whole is not None:
            items.append(_write_speech(message.role, content, whole))
            content.clear()
            whole = None

    for part in message.parts:
        if isinstance(part, (Text, Media, Fence, Summary)):
            content.append(part)
        elif isinstance(part, Opaque):
            if whole is None and _is_item(part, stored):
                flush()
                items.append(part.value)
            else:
                content.append(part)
        else:
            if content:
                flush()
            items.extend(_write_item(part))
    if content or (whole is not None and not items):
        flush()
    return items


def _write_item(part: Thinking | ToolCall | ToolResult) -> list[JsonObject]:
    match part:
        case ToolCall():
            return [_write_call(part)]
        case ToolResult():
            return [_write_result(part)]
        case Thinking():
            return _write_reasoning(part)


def _is_item(part: Opaque, stored: JsonObject | None) -> bool:
    """Whether an opaque part outside a message item is an item itself."""
    if part.wire != WIRE:
        return False
    if stored is not None:
        return True
    return isinstance(part.value, dict) and part.kind not in _PLAIN_KINDS


def _write_speech(role: Role, parts: Sequence[Part], stored: JsonObject | None) -> JsonObject:
    if stored is None:
        written: JsonObject = {"type": "message", "role": _WIRE_ROLES[role]}
        stored = {}
    else:
        written = fields(stored)
        before = written.get("role")
        if not isinstance(before, str) or ROLES.get(before) != role:
            written["role"] = _WIRE_ROLES[role]
    form = stored.get("~content")
    if parts:
        if form == "string" and len(parts) == 1 and is_plain(parts[0]):
            written["content"] = plain_text(parts[0])
        else:
            plain: Plain = "output_text" if role == "assistant" else "input_text"
            written["content"] = [write_part(part, plain) for part in parts]
    elif form != "missing" and "content" not in written:
        written["content"] = []
    return written


def _write_reasoning(part: Thinking) -> list[JsonObject]:
    """The item it was read from; of reasoning from elsewhere only the text, as a summary, if there is any."""
    stored = own(part.extra, WIRE)
    native = part.wire == WIRE
    if stored is None:
        if not part.text and not (native and part.redacted):
            return []
        written: JsonObject = {"type": "reasoning", "summary": _summary(part.text)}
    else:
        written = {"type": "reasoning", **fields(stored)}
        if joined_reasoning(written) != part.text:
            written.pop("content", None)
            written["summary"] = _summary(part.text)
    if native and part.redacted is not None:
        written["encrypted_content"] = part.redacted
    return [written]


def _summary(text: str) -> list[JsonObject]:
    return [{"type": "summary_text", "text": text}] if text else []


def _write_call(call: ToolCall) -> JsonObject:
    stored = own(call.extra, WIRE)
    if not stored:
        return {
            "type": "function_call",
            "call_id": call.call_id,
            "name": call.name,
            "arguments": call.arguments,
        }
    written = fields(stored)
    kind = written.pop("type", "function_call")
    written = {"type": kind, "call_id": call.call_id, **written}
    if kind == "function_call":
        if call.name or "~nameless" not in stored:
            written["name"] = call.name
        if "~raw" not in stored or raw_arguments(written) != call.arguments:
            written["arguments"] = call.arguments
        return written
    if kind == "custom_tool_call":
        given = _object(call.arguments)
        text = given.get("input") if given is not None and len(given) == 1 else None
        return {**written, "name": call.name, "input": text if isinstance(text, str) else call.arguments}
    asked = payload(written)
    if dump_text(asked) != call.arguments and (changed := _object(call.arguments)) is not None:
        return {**changed, **{key: value for key, value in written.items() if key not in asked}}
    return written


def _write_result(result: ToolResult) -> JsonObject:
    stored = own(result.extra, WIRE) or {}
    written = fields(stored)
    kind = written.pop("type", "function_call_output")
    written = {"type": kind, "call_id": result.call_id, **written}
    key = output_key(kind)
    parts, form = result.parts, stored.get("~output")
    if not parts:
        if form not in ("missing", "raw"):
            written[key] = [] if form == "list" else ""
    elif form == "object" and len(parts) == 1:
        written[key] = write_part(parts[0], "input_text")
    elif form != "list" and all(map(is_plain, parts)):
        written[key] = "\n".join(map(plain_text, parts))
    else:
        written[key] = [write_part(part, "input_text") for part in parts]
    return written


def _object(text: str) -> JsonObject | None:
    """The JSON object that a text is, or None."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None

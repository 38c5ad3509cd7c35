"""Bare items of old Codex sessions, and calls that were recorded without an id."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from contextrail.core.ids import CallId
from contextrail.core.json_text import Json, JsonObject, dump_text
from contextrail.messages.identity import content_id
from contextrail.messages.model import Message, Text, ToolCall, ToolResult
from contextrail.transcripts.calls import Calls
from contextrail.transcripts.notes import object_at, word

CALLS: Final = frozenset({"tool_call", "function_call"})
RESULTS: Final = frozenset({"tool_result", "function_result", "function_call_output"})
_ITEMS: Final = {
    "custom_tool_call": "call_id",
    "custom_tool_call_output": "call_id",
    "function_call": "call_id",
    "function_call_output": "call_id",
    "local_shell_call": "action",
    "message": "content",
    "reasoning": "summary",
    "web_search_call": "action",
}
"""Types of the provider's items that stood bare in a line, and a field that each must have."""


def is_legacy(value: JsonObject) -> bool:
    """Whether a record is a bare item."""
    if "payload" in value or "uuid" in value:
        return False
    dated = "timestamp" in value or "created_at" in value
    kind = value.get("type")
    if kind is not None and not isinstance(kind, str):
        return False
    if kind in CALLS | RESULTS:
        return "function" in value or "name" in value or "call_id" in value
    if kind is None or kind == "message":
        said = isinstance(value.get("content"), (str, list)) or isinstance(value.get("message"), str)
        return "role" in value and said and (dated or kind == "message") and "parts" not in value
    return kind in _ITEMS and _ITEMS[kind] in value


def read_legacy(
    item: JsonObject, position: int, calls: Calls, read_item: Callable[[JsonObject, int], Message]
) -> Message | None:
    """Read a bare item; None if it is none.

    Args:
        item: The record.
        position: Index of the message, for ids.
        calls: Calls that wait for a result.
        read_item: Reads an item of the provider's form.
    """
    kind = word(item.get("type"))
    if kind in CALLS and "call_id" not in item:
        name = word(object_at(item, "function").get("name")) or word(item.get("name")) or ""
        call = ToolCall(
            call_id=CallId(f"codex-{position}"), name=name, arguments=_arguments(item.get("arguments"))
        )
        calls.open.append((name, call.call_id))
        return Message(id=content_id(position, item), role="assistant", parts=(call,))
    if kind in RESULTS and "call_id" not in item:
        named = word(item.get("name"))
        call_id = calls.take(named) or CallId(f"codex-{position}")
        said = item.get("result", item.get("output"))
        text = said if isinstance(said, str) else dump_text(said)
        result = ToolResult(call_id=call_id, name=named, parts=(Text(text=text),))
        return Message(id=content_id(position, item), role="tool", parts=(result,))
    if "role" in item:
        content = item.get("content", item.get("message"))
        own = {key: item[key] for key in ("id", "type") if isinstance(item.get(key), str)}
        return read_item({**own, "role": item["role"], "content": content}, position)
    if kind in _ITEMS:
        dated = {"timestamp", "created_at"}
        return read_item({key: field for key, field in item.items() if key not in dated}, position)
    return None


def _arguments(given: Json) -> str:
    """Arguments as the text they were, or as the text of the value they are."""
    if given is None:
        return "{}"
    return given if isinstance(given, str) else dump_text(given)

"""Responses items to messages: one item, one message."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from contextrail.core.ids import CallId
from contextrail.core.json_text import Json, JsonObject, dump_text
from contextrail.messages.identity import content_id
from contextrail.messages.model import (
    Extra,
    Media,
    Message,
    Opaque,
    Part,
    Role,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
)
from contextrail.wire.extras import fields, rest
from contextrail.wire.openai_responses_parts import WIRE, Plain, read_part

ITEM: Final = Extra(WIRE, {"~item": True})
"""Marks a message whose parts are whole items, not the content of a message item."""

ROLES: Final[dict[str, Role]] = {
    "user": "user",
    "assistant": "assistant",
    "system": "system",
    "developer": "system",
}

HOST_CALLS: Final = {
    "apply_patch_call": "apply_patch",
    "computer_call": "computer",
    "local_shell_call": "local_shell",
    "shell_call": "shell",
    "tool_search_call": "tool_search",
}
"""Calls that the host answers with an item of its own: the name the call gets as a tool call.

Source: item types of the Responses API reference.
"""

_CALL_FIELDS: Final = frozenset({"type", "call_id", "id", "status", "execution", "created_by"})
"""Fields of a host call that are not what is asked for."""


def read_item(item: JsonObject, position: int) -> Message:
    """Read one element of `input`.

    What is not understood becomes an opaque part. Which of the two an opaque part is, a whole item or
    one element of a message's content, is said by the note "~item" of its message.
    """
    kind = item.get("type", "message")
    read = _READERS.get(kind) if isinstance(kind, str) else None
    return (read and read(item, position)) or _read_opaque(item, position)


def joined_reasoning(item: JsonObject) -> str:
    """The texts of a reasoning item, summary first, a blank line between."""
    texts: list[str] = []
    for key in ("summary", "content"):
        parts = item.get(key)
        if isinstance(parts, list):
            texts.extend(
                part["text"] for part in parts if isinstance(part, dict) and isinstance(part.get("text"), str)
            )
    return "\n\n".join(texts)


def payload(item: JsonObject) -> JsonObject:
    """What a host call asks for: its fields without those that say who and when."""
    return {key: value for key, value in item.items() if key not in _CALL_FIELDS}


def raw_arguments(stored: JsonObject) -> str:
    """JSON text for the arguments of a function call that were no string, or not there."""
    return dump_text(stored["arguments"]) if "arguments" in stored else "{}"


def _message(item: JsonObject, position: int, role: Role, parts: tuple[Part, ...], extra: Extra) -> Message:
    return Message(id=content_id(position, item), role=role, parts=parts, extra=extra)


def _read_message(item: JsonObject, position: int) -> Message | None:
    wire_role = item.get("role")
    role = ROLES.get(wire_role) if isinstance(wire_role, str) else None
    if role is None:
        return None
    taken = ["role"] if role == wire_role else []
    notes: JsonObject = {}
    parts: tuple[Part, ...] = ()
    match item.get("content", _MISSING):
        case str(text):
            parts = (Text(text=text),)
            notes = {"~content": "string"}
            taken.append("content")
        case list(content):
            plain: Plain = "output_text" if role == "assistant" else "input_text"
            parts = tuple(read_part(each, plain) for each in content)
            taken.append("content")
        case value if value is _MISSING:
            notes = {"~content": "missing"}
        case _:
            pass  # stays among the fields
    return _message(item, position, role, parts, Extra(WIRE, {**rest(item, *taken), **notes}))


def _read_reasoning(item: JsonObject, position: int) -> Message:
    redacted = item.get("encrypted_content")
    taken = ("type", "encrypted_content") if isinstance(redacted, str) else ("type",)
    thinking = Thinking(
        text=joined_reasoning(item),
        redacted=redacted if isinstance(redacted, str) else None,
        wire=WIRE,
        extra=Extra(WIRE, rest(item, *taken)),
    )
    return _message(item, position, "assistant", (thinking,), ITEM)


def _read_function_call(item: JsonObject, position: int) -> Message | None:
    call_id, name, arguments = item.get("call_id"), item.get("name"), item.get("arguments")
    if not isinstance(call_id, str):
        return None
    taken, notes = ["type", "call_id"], {}
    if isinstance(name, str):
        taken.append("name")
    else:
        name, notes["~nameless"] = "", True
    if isinstance(arguments, str):
        taken.append("arguments")
    else:
        arguments, notes["~raw"] = raw_arguments(item), True
    return _call(item, position, name, arguments, {**rest(item, *taken), **notes})


def _read_custom_call(item: JsonObject, position: int) -> Message | None:
    name, given = item.get("name"), item.get("input")
    if not (isinstance(item.get("call_id"), str) and isinstance(name, str) and isinstance(given, str)):
        return None
    arguments = dump_text({"input": given})
    return _call(item, position, name, arguments, rest(item, "call_id", "name", "input"))


def _read_host_call(item: JsonObject, position: int) -> Message | None:
    if not isinstance(item.get("call_id"), str):
        return None
    stored = rest(item, "call_id")
    return _call(item, position, HOST_CALLS[item["type"]], dump_text(payload(fields(stored))), stored)


def _call(item: JsonObject, position: int, name: str, arguments: str, stored: JsonObject) -> Message:
    call = ToolCall(
        call_id=CallId(item["call_id"]),
        name=name,
        arguments=arguments,
        extra=Extra(WIRE, stored) if stored else None,
    )
    return _message(item, position, "assistant", (call,), ITEM)


def _read_output(item: JsonObject, position: int) -> Message | None:
    kind, call_id = item["type"], item.get("call_id")
    if not isinstance(call_id, str):
        return None
    key = output_key(kind)
    taken, notes = ["call_id", key], {}
    parts: tuple[Text | Media | Opaque, ...] = ()
    match item.get(key, _MISSING):
        case str(text):
            parts = (Text(text=text),)
        case list(content):
            parts = tuple(read_part(each, "input_text") for each in content)
            notes["~output"] = "list"
        case dict(content):
            parts = (read_part(content, "input_text"),)
            notes["~output"] = "object"
        case value:
            notes["~output"] = "missing" if value is _MISSING else "raw"
            taken.remove(key)
    if kind == "function_call_output":
        taken.append("type")
    stored = {**rest(item, *taken), **notes}
    result = ToolResult(call_id=CallId(call_id), parts=parts, extra=Extra(WIRE, stored) if stored else None)
    return _message(item, position, "tool", (result,), ITEM)


def output_key(kind: str) -> str:
    """The field of an output item that holds what came out."""
    return "tools" if kind == "tool_search_output" else "output"


def _read_opaque(item: JsonObject, position: int) -> Message:
    kind: Json = item.get("type")
    name = kind if isinstance(kind, str) else "unknown"
    role: Role = "assistant"
    if name.endswith("_output"):
        role = "tool"
    elif name == "mcp_approval_response":
        role = "user"
    return _message(item, position, role, (Opaque(wire=WIRE, kind=name, value=item),), ITEM)


_MISSING: Final[Any] = object()

_READERS: Final[dict[str, Callable[[JsonObject, int], Message | None]]] = {
    "message": _read_message,
    "reasoning": _read_reasoning,
    "function_call": _read_function_call,
    "custom_tool_call": _read_custom_call,
    **dict.fromkeys(HOST_CALLS, _read_host_call),
    **dict.fromkeys(
        (
            "apply_patch_call_output",
            "computer_call_output",
            "custom_tool_call_output",
            "function_call_output",
            "local_shell_call_output",
            "shell_call_output",
            "tool_search_output",
        ),
        _read_output,
    ),
}

"""OpenAI Chat Completions, both ways: `POST /v1/chat/completions`, and the vendors that speak it.

System and developer messages stay where they are, so `Conversation.system` is empty after `decode`;
instructions from another wire form become a first system message. One neutral message per wire
message; a neutral message with several tool results becomes one wire message for each.
Source of the form: the Chat Completions reference (platform.openai.com/docs/api-reference/chat).

Values read from a body are shared with it and treated as frozen; a body that `encode` gives shares
nothing with the conversation.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import Final

from contextrail.core.ids import CallId
from contextrail.core.json_text import JsonObject
from contextrail.messages.identity import content_id, is_user_input, speaks
from contextrail.messages.model import Conversation, Extra, Message, Part, Role, Tool, ToolResult
from contextrail.wire.contents import (
    Form,
    copied,
    listed_messages,
    notes,
    put_fields,
    read_content,
    write_content,
)
from contextrail.wire.extras import rest
from contextrail.wire.openai_chat_blocks import WIRE, read_block, write_block
from contextrail.wire.openai_chat_calls import read_functions, read_tools, write_tools
from contextrail.wire.openai_chat_reply import read_after, read_before, write_reply
from contextrail.wire.signs import sureness

_ROLES: Final[dict[str, Role]] = {
    "system": "system",
    "developer": "system",
    "user": "user",
    "assistant": "assistant",
    "tool": "tool",
    "function": "tool",
}
_LIMITS: Final = ("max_completion_tokens", "max_tokens")
"""Fields that limit the output; the second is the older one, and the only one many vendors know."""


def decode(body: JsonObject) -> Conversation:
    """Read a request body.

    Raises:
        InvalidRequest: `messages` is not an array, or one of them is not an object; fact `path`.
    """
    messages = listed_messages(body)
    model = body.get("model")
    taken = ["messages"]
    if isinstance(model, str):
        taken.append("model")
    tools: tuple[Tool, ...] = ()
    for name, read in (("tools", read_tools), ("functions", read_functions)):
        if isinstance(body.get(name), list) and body[name]:
            tools += read(body[name])
            taken.append(name)
    limit = next((name for name in _LIMITS if type(body.get(name)) is int), None)
    if limit is not None:
        taken.append(limit)
    kept = rest(body, *taken)
    if limit == "max_tokens":
        kept["~limit"] = limit
    return Conversation(
        wire=WIRE,
        model=model if isinstance(model, str) else None,
        tools=tools,
        messages=read_messages(messages),
        max_output=None if limit is None else body[limit],
        extra=Extra(WIRE, kept),
    )


def encode(conversation: Conversation) -> JsonObject:
    """Write a request body, as it stands: nothing is made legal here."""
    stored = notes(conversation.extra, WIRE)
    out: JsonObject = {}
    if conversation.model is not None:
        out["model"] = conversation.model
    if conversation.max_output is not None:
        out[stored.get("~limit", _LIMITS[0])] = conversation.max_output
    tools = write_tools(conversation.tools)
    put_fields(out, {key: value for key, value in stored.items() if key not in tools})
    messages: list[JsonObject] = []
    if conversation.system:
        content = write_content(conversation.system, None, WIRE, write_block, "string")
        messages.append({"role": "system", **content})
    for message in conversation.messages:
        messages.extend(write_message(message))
    return {**out, **tools, "messages": messages}


def recognizes(body: JsonObject) -> float:
    """How sure it is that a body is in this form, in [0, 1].

    Both this form and Anthropic Messages have `messages`; see `signs` for what decides.
    """
    return sureness(body, WIRE)


def read_messages(values: Iterable[JsonObject], position: int = 0, inputs: int = 0) -> tuple[Message, ...]:
    """Read wire messages of one request.

    Args:
        values: The messages, objects.
        position: Index of the first of them among the wire messages.
        inputs: How many user inputs stand before it.
    """
    messages: list[Message] = []
    for at, value in enumerate(values, position):
        message = read_message(value, at, inputs=inputs)
        inputs += is_user_input(message)
        messages.append(message)
    return tuple(messages)


def _role_of_form(value: JsonObject) -> Role | None:
    """The role that a message without one can only have: who calls is the assistant, what answers a call a tool."""
    if isinstance(value.get("tool_calls"), list) and value["tool_calls"]:
        return "assistant"
    return "tool" if isinstance(value.get("tool_call_id"), str) else None


def read_message(value: JsonObject, position: int, *, inputs: int = 0) -> Message:
    """Read one wire message.

    Args:
        value: The message, an object.
        position: Its index among the wire messages, from 0; a part of its id.
        inputs: How many user inputs stand before it.
    """
    said, name = value.get("role"), value.get("name")
    role = _ROLES.get(said) if isinstance(said, str) else _role_of_form(value) if said is None else None
    taken = ["role", "content"]
    stored: JsonObject = (
        {} if role is not None and role == said else {"~role": [said] if "role" in value else []}
    )
    if isinstance(name, str):
        taken.append("name")
    parts: tuple[Part, ...]
    if role == "tool":
        parts = (_read_result(value, taken, stored),)
        name = None
    elif role == "assistant":
        before = read_before(value, taken)
        parts = (*before, *_read_speech(value, stored), *read_after(value, taken))
    else:
        parts = _read_speech(value, stored)
    kept = rest(value, *taken)
    return Message(
        id=content_id(position, value),
        role=role or "user",
        parts=parts,
        run=max(inputs + speaks(role or "user", parts) - 1, 0),
        name=name if isinstance(name, str) else None,
        extra=Extra(WIRE, {**kept, **stored} if stored else kept),
    )


def write_message(message: Message) -> list[JsonObject]:
    """Write one message: each tool result is a wire message, so is each run of other parts."""
    stored = notes(message.extra, WIRE)
    if not any(type(part) is ToolResult for part in message.parts):
        return [_write_speech(message, message.parts, stored)]
    out: list[JsonObject] = []
    for _, run in groupby(message.parts, key=lambda part: type(part) is ToolResult):
        parts = tuple(run)
        results = [part for part in parts if isinstance(part, ToolResult)]
        for result in results:
            out.append(_write_result(result, {} if out else stored))
        if not results:
            out.append(_write_speech(message, parts, {} if out else stored))
    return out


def _read_speech(value: JsonObject, stored: JsonObject) -> tuple[Part, ...]:
    parts, form = read_content(value, "content", read_block, WIRE)
    if form is not None:
        stored["~content"] = form
    return parts


def _read_result(value: JsonObject, taken: list[str], stored: JsonObject) -> ToolResult:
    """The result that a message of role "tool" or "function" is; the latter answers a call by its name."""
    parts, form = read_content(value, "content", read_block, WIRE)
    name = value.get("name")
    if isinstance(name, str):
        stored["~named"] = True
    if value.get("role") == "function":
        call_id = name
    else:
        call_id = value.get("tool_call_id")
        if isinstance(call_id, str):
            taken.append("tool_call_id")
        elif "tool_call_id" not in value:
            stored["~no_id"] = True
    return ToolResult(
        call_id=CallId(call_id if isinstance(call_id, str) else ""),
        parts=parts,
        name=name if isinstance(name, str) else None,
        extra=None if form is None else Extra(WIRE, {"~content": form}),
    )


def _write_speech(message: Message, parts: Sequence[Part], stored: JsonObject) -> JsonObject:
    role = stored.get("~role", [message.role])
    out: JsonObject = {"role": copied(role[0])} if role else {}
    if message.name is not None:
        out["name"] = message.name
    others: JsonObject = {}
    if message.role == "assistant":
        parts, others = write_reply(parts)
    empty: Form = "null" if message.role == "assistant" else "string"
    out |= write_content(parts, stored.get("~content"), WIRE, write_block, empty)
    out |= others
    return put_fields(out, stored) if stored else out


def _write_result(part: ToolResult, stored: JsonObject) -> JsonObject:
    out: JsonObject = {}
    if stored.get("~role") == ["function"]:
        out["role"] = "function"
        if "~named" in stored:
            out["name"] = part.call_id if part.name is None else part.name
    else:
        out["role"] = "tool"
        if part.call_id or not ("tool_call_id" in stored or "~no_id" in stored):
            out["tool_call_id"] = part.call_id
        if "~named" in stored and part.name is not None:
            out["name"] = part.name
    form = notes(part.extra, WIRE).get("~content")
    out |= write_content(part.parts, form, WIRE, write_block, "string")
    return put_fields(out, stored) if stored else out

"""Anthropic Messages, both ways: `POST /v1/messages`.

A user message that mixes tool results and speech becomes several neutral messages in block order:
runs of results with role "tool", the rest with role "user". The later ones carry the note
`~joined`, all of them `~of` (the id of the wire message), and `encode` joins those that are still
neighbours. Source of the form: the Messages API reference (docs.anthropic.com/en/api/messages).

Values read from a body are shared with it and treated as frozen; a body that `encode` gives shares
nothing with the conversation.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Final

from contextrail.core.ids import MessageId
from contextrail.core.json_text import Json, JsonObject
from contextrail.messages.identity import content_id, speaks
from contextrail.messages.model import Conversation, Extra, Fence, Message, Part, Role, Tool, ToolResult
from contextrail.wire.anthropic_blocks import WIRE, read_block, read_inner, write_block
from contextrail.wire.contents import copied, listed_messages, notes, put_fields, read_content, write_content
from contextrail.wire.extras import rest
from contextrail.wire.signs import sureness

_ROLES: Final[dict[str, Role]] = {"user": "user", "assistant": "assistant", "system": "system"}
_NO_ARGUMENTS: Final[JsonObject] = {"type": "object", "properties": {}}


def decode(body: JsonObject) -> Conversation:
    """Read a request body.

    Raises:
        InvalidRequest: `messages` is not an array, or one of them is not an object; fact `path`.
    """
    messages = listed_messages(body)
    model, limit, tools = body.get("model"), body.get("max_tokens"), body.get("tools")
    modelled = {"system", "messages"}
    if isinstance(model, str):
        modelled.add("model")
    if isinstance(limit, int) and not isinstance(limit, bool):
        modelled.add("max_tokens")
    if isinstance(tools, list) and tools:
        modelled.add("tools")
    system, form = read_content(body, "system", read_inner, WIRE)
    return Conversation(
        wire=WIRE,
        model=model if "model" in modelled else None,
        system=system,
        system_extra=None if form in {None, "missing"} else Extra(WIRE, {"~content": form}),
        tools=tuple(map(_read_tool, tools)) if isinstance(tools, list) else (),
        messages=read_messages(messages),
        max_output=limit if "max_tokens" in modelled else None,
        extra=Extra(WIRE, rest(body, *modelled)),
    )


def encode(conversation: Conversation) -> JsonObject:
    """Write a request body, as it stands: nothing is made legal here."""
    out: JsonObject = {}
    if conversation.model is not None:
        out["model"] = conversation.model
    if conversation.max_output is not None:
        out["max_tokens"] = conversation.max_output
    tools = [_write_tool(tool) for tool in conversation.tools if not _is_foreign_server_tool(tool)]
    late: JsonObject = {"tools": tools} if tools else {}
    put_fields(out, {key: each for key, each in notes(conversation.extra, WIRE).items() if key not in late})
    form = notes(conversation.system_extra, WIRE).get("~content")
    system = write_content(conversation.system, form, WIRE, write_block, "missing")
    if system:
        out["system"] = system["content"]
    out.update(late)
    out["messages"] = write_messages(conversation.messages)
    return out


def recognizes(body: JsonObject) -> float:
    """How sure it is that a body is in this form, in [0, 1].

    Both this form and OpenAI Chat Completions have `messages`; see `signs` for what decides.
    """
    return sureness(body, WIRE)


def read_message(value: JsonObject, position: int) -> tuple[Message, ...]:
    """Read one wire message, which may become several messages. Their `run` is 0: only a list knows it.

    Args:
        value: The message, an object.
        position: Its index among the wire messages, from 0; a part of its id.
    """
    return tuple(
        Message(id=ident, role=role, parts=parts, extra=Extra(WIRE, fields))
        for ident, role, parts, fields in _pieces(value, position)
    )


def write_messages(messages: Sequence[Message]) -> list[JsonObject]:
    """Write messages; those that were one on the wire are one again."""
    return [_write_message(group) for group in _groups(messages)]


_Piece = tuple[MessageId, Role, tuple[Part, ...], JsonObject]
"""Id, role, parts, fields and notes of a message to be."""


def read_messages(values: Iterable[JsonObject], position: int = 0, inputs: int = 0) -> tuple[Message, ...]:
    """Read wire messages of one request.

    Args:
        values: The messages, objects.
        position: Index of the first of them among the wire messages.
        inputs: How many user inputs stand before it.
    """
    messages: list[Message] = []
    said = inputs
    for at, value in enumerate(values, position):
        for ident, role, parts, fields in _pieces(value, at):
            said += speaks(role, parts)
            messages.append(
                Message(id=ident, role=role, parts=parts, run=max(said - 1, 0), extra=Extra(WIRE, fields))
            )
    return tuple(messages)


def _pieces(value: JsonObject, position: int) -> Iterator[_Piece]:
    said = value.get("role")
    role = _ROLES.get(said) if isinstance(said, str) else None
    parts, form = read_content(value, "content", read_block, WIRE)
    fields = rest(value, "role", "content")
    if form is not None:
        fields["~content"] = form
    whole = content_id(position, value)
    if role == "user" and any(type(part) is ToolResult for part in parts):
        yield from _split(value, position, parts, (whole, fields))
    elif role is None:
        fields["~role"] = [said] if "role" in value else []
        yield whole, "user", parts, fields
    else:
        yield whole, role, parts, fields


def _split(
    value: JsonObject, position: int, parts: tuple[Part, ...], head: tuple[MessageId, JsonObject]
) -> Iterator[_Piece]:
    """Pieces of a user message with results in it; the first has the id and fields of the whole."""
    whole, fields = head
    runs = [tuple(run) for _, run in groupby(parts, key=lambda part: type(part) is ToolResult)]
    if len(runs) > 1:
        fields["~of"] = whole
    for index, run in enumerate(runs):
        role: Role = "tool" if isinstance(run[0], ToolResult) else "user"
        if index == 0:
            yield whole, role, run, fields
        else:
            yield content_id(position, [value, index]), role, run, {"~joined": True, "~of": whole}


def _groups(messages: Iterable[Message]) -> list[list[Message]]:
    """Messages that stand in one wire message."""
    groups: list[list[Message]] = []
    for message in messages:
        if groups and _belongs(message, groups[-1][-1]):
            groups[-1].append(message)
        else:
            groups.append([message])
    return groups


def _belongs(message: Message, before: Message) -> bool:
    """Whether a message continues the one before it: pieces of one, tool messages from elsewhere, a reminder.

    A reminder stands behind the results in their own message: nothing may come between them and the call.
    """
    if message.extra is not None and message.extra.wire == WIRE:
        fields = message.extra.fields
        return fields.get("~joined") is True and fields.get("~of") == notes(before.extra, WIRE).get("~of")
    if message.role == "user" and before.role in {"user", "tool"} and _is_reminder(message):
        return True
    fresh = before.extra is None or before.extra.wire != WIRE
    return fresh and message.role == "tool" and before.role == "tool"


def _is_reminder(message: Message) -> bool:
    return bool(message.parts) and all(
        isinstance(part, Fence) and part.lifetime == "request" for part in message.parts
    )


def _write_message(group: list[Message]) -> JsonObject:
    head = group[0]
    fields = notes(head.extra, WIRE)
    out: JsonObject = {}
    role: list[Json] = fields.get("~role", ["user" if head.role == "tool" else head.role])
    if role:
        out["role"] = copied(role[0])
    if len(group) == 1:
        out.update(write_content(head.parts, fields.get("~content"), WIRE, write_block, "list"))
    else:
        out["content"] = [write_block(part) for message in group for part in message.parts]
    return put_fields(out, fields) if fields else out


# Tools


def _read_tool(value: Json) -> Tool:
    if not isinstance(value, dict) or not isinstance(value.get("name"), str):
        return Tool(name="", extra=Extra(WIRE, {"~value": value}))
    description, schema = value.get("description"), value.get("input_schema")
    modelled = {"name"}
    if isinstance(description, str):
        modelled.add("description")
    if schema is not None:
        modelled.add("input_schema")
    return Tool(
        name=value["name"],
        description=description if "description" in modelled else None,
        parameters=schema,
        extra=Extra(WIRE, kept) if (kept := rest(value, *modelled)) or schema is None else None,
    )


def _write_tool(tool: Tool) -> Json:
    fields = notes(tool.extra, WIRE)
    if "~value" in fields:
        return copied(fields["~value"])
    out: JsonObject = {"name": tool.name}
    if tool.description is not None:
        out["description"] = tool.description
    if tool.parameters is not None:
        out["input_schema"] = copied(tool.parameters)
    elif tool.extra is None:
        out["input_schema"] = copied(_NO_ARGUMENTS)
    return put_fields(out, fields)


def _is_foreign_server_tool(tool: Tool) -> bool:
    """Whether it is a server-side tool of another wire form, which means nothing here."""
    return tool.parameters is None and tool.extra is not None and tool.extra.wire != WIRE

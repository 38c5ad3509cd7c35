"""The neutral JSON form of a conversation, both ways: readable, diffable, and nothing of the model is lost.

    {"system": text or [part], "tools": [{"name", "description", "parameters"}], "model", "max_output",
     "messages": [{"id", "role", "parts": [part], "timestamp", "name", "run", "origin"}]}

Only `messages`, and in each `role` and `parts`, must be there. `run` is said where it is not the one
that counting user inputs gives. Parts: see `neutral_parts`. Any other field, of any object, is kept.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, TypeGuard

from contextrail.core.errors import InvalidRequest
from contextrail.core.ids import MessageId
from contextrail.core.json_text import Json, JsonObject, kind_of
from contextrail.core.timestamps import read_timestamp, write_timestamp
from contextrail.messages.identity import content_id, is_user_input
from contextrail.messages.model import Conversation, Message, Origin, Part, Role, Text, Tool
from contextrail.wire.contents import copied
from contextrail.wire.neutral_form import (
    WIRE,
    Form,
    decode_object,
    encode_object,
    optional_text,
    read_extra,
    text_field,
    write_extra,
)
from contextrail.wire.neutral_parts import decode_part, encode_part

_ROLES: Final[tuple[Role, ...]] = ("system", "user", "assistant", "tool")


def decode(body: JsonObject) -> Conversation:
    """Read a neutral body. Message ids that are missing are made from content and position.

    Raises:
        InvalidRequest: It has no list of messages, or something in it lacks what makes it a message or
            a part; fact `path` names the place, for example "messages[3].parts[0].content".
    """
    return decode_object(_CONVERSATION, body)


def encode(conversation: Conversation) -> JsonObject:
    """Write a conversation so that `decode` gives an equal one. The body shares nothing with it."""
    written = encode_object(_CONVERSATION, conversation)
    return {name: copied(field) for name, field in written.items()}


def decode_message(given: JsonObject, position: int, users_before: int = 0) -> Message:
    """Read one message.

    Args:
        given: The message.
        position: Its index, for an id if it has none.
        users_before: How many user inputs stand before it, for its run.

    Raises:
        InvalidRequest: As in `decode`; `path` is relative to the message.
    """
    return decode_object(_message_form(position, users_before), given)


def recognizes(body: JsonObject) -> float:
    """How sure it is that a body is neutral: its messages have a role and typed parts."""
    messages = body.get("messages")
    if not isinstance(messages, list):
        return 0.0
    if not messages:
        return 0.1
    return 0.95 if all(map(is_message, messages[:50])) else 0.0


def is_message(given: Json) -> TypeGuard[JsonObject]:
    """Whether a JSON value looks like a neutral message."""
    return (
        isinstance(given, dict)
        and given.get("role") in _ROLES
        and isinstance(given.get("parts"), list)
        and all(isinstance(part, dict) and isinstance(part.get("type"), str) for part in given["parts"])
    )


# Parts in a list


def _read_parts(given: Json, path: str) -> tuple[Part, ...]:
    if not isinstance(given, list):
        raise InvalidRequest(f"{path} must be an array of parts, not {kind_of(given)}", path=path)
    return tuple(_read_part(each, f"{path}[{index}]") for index, each in enumerate(given))


def _read_part(given: Json, path: str) -> Part:
    if not isinstance(given, dict):
        raise InvalidRequest(f"{path} must be an object, not {kind_of(given)}", path=path)
    try:
        return decode_part(given)
    except InvalidRequest as error:
        raise _below(path, error) from None


def _below(path: str, error: InvalidRequest) -> InvalidRequest:
    """The same error, said from further up."""
    return InvalidRequest(f"{path}.{error}", **{**error.facts, "path": f"{path}.{error.facts.get('path')}"})


# Messages


def _message_form(position: int, users_before: int) -> Form[Message]:
    def read(given: JsonObject) -> tuple[Message, JsonObject]:
        if given.get("role") not in _ROLES:
            raise InvalidRequest(f"role must be one of {', '.join(_ROLES)}", path="role")
        bare = Message(
            id=MessageId(text_field(given, "id")) if "id" in given else content_id(position, given),
            role=given["role"],
            parts=_read_parts(given.get("parts"), "parts"),
            timestamp=read_timestamp(optional_text(given, "timestamp")),
            origin=_read_origin(given.get("origin")),
            name=optional_text(given, "name"),
        )
        run = given.get("run")
        return _replace_run(bare, run if _is_whole(run) else usual_run(bare)), {}

    def write(message: Message, notes: Mapping[str, Json]) -> JsonObject:
        written = outline(message, notes)
        head = {"id": message.id, "role": message.role, "parts": list(map(encode_part, message.parts))}
        return {**head, **written}

    def outline(message: Message, notes: Mapping[str, Json]) -> JsonObject:
        written: JsonObject = {"id": message.id, "role": message.role}
        if message.timestamp is not None:
            written["timestamp"] = write_timestamp(message.timestamp)
        if message.name is not None:
            written["name"] = message.name
        if message.run != usual_run(message):
            written["run"] = message.run
        if message.origin is not None:
            origin = message.origin
            written["origin"] = {
                "file": origin.file,
                "line": origin.line,
                "start": origin.start,
                "end": origin.end,
            }
        return written

    def usual_run(message: Message) -> int:
        return max(users_before + is_user_input(message) - 1, 0)

    return Form(_MESSAGE_NAMES, read, write, outline, _PARTS)


_PARTS: Final = frozenset({"parts"})
_MESSAGE_NAMES: Final = frozenset({"id", "role", "parts", "timestamp", "name", "run", "origin"})


def _replace_run(bare: Message, run: int) -> Message:
    return Message(
        id=bare.id,
        role=bare.role,
        parts=bare.parts,
        run=run,
        timestamp=bare.timestamp,
        origin=bare.origin,
        name=bare.name,
    )


def _read_origin(given: Json) -> Origin | None:
    match given:
        case {"file": str(file), "line": int(line), "start": int(start), "end": int(end)} if all(
            map(_is_whole, (line, start, end))
        ):
            return Origin(file=file, line=line, start=start, end=end)
        case _:
            return None


def _is_whole(value: Json) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool)


# The whole


def _read_conversation(body: JsonObject) -> tuple[Conversation, JsonObject]:
    max_output = body.get("max_output")
    return Conversation(
        wire=optional_text(body, "wire") if "wire" in body else WIRE,
        model=optional_text(body, "model"),
        system=_read_system(body.get("system")),
        system_extra=read_extra(body.get("system_extra"), "system_extra"),
        tools=_read_tools(body.get("tools")),
        messages=_read_messages(body.get("messages")),
        max_output=max_output if _is_whole(max_output) else None,
    ), {}


def _write_conversation(conversation: Conversation, notes: Mapping[str, Json]) -> JsonObject:
    written = _outline(conversation, notes)
    users = 0
    written["messages"] = messages = []
    for position, message in enumerate(conversation.messages):
        messages.append(encode_object(_message_form(position, users), message))
        users += is_user_input(message)
    return written


def _outline(conversation: Conversation, notes: Mapping[str, Json]) -> JsonObject:
    written: JsonObject = {}
    if conversation.wire != WIRE:
        written["wire"] = conversation.wire
    if conversation.model is not None:
        written["model"] = conversation.model
    if conversation.max_output is not None:
        written["max_output"] = conversation.max_output
    match conversation.system:
        case ():
            pass
        case (Text(text=text, extra=None),):
            written["system"] = text
        case parts:
            written["system"] = list(map(encode_part, parts))
    if conversation.system_extra is not None:
        written["system_extra"] = write_extra(conversation.system_extra)
    if conversation.tools:
        written["tools"] = [encode_object(_TOOL, tool) for tool in conversation.tools]
    return written


def _read_system(given: Json) -> tuple[Part, ...]:
    if given is None:
        return ()
    return (Text(text=given),) if isinstance(given, str) else _read_parts(given, "system")


def _read_messages(given: Json) -> tuple[Message, ...]:
    if not isinstance(given, list):
        raise InvalidRequest(
            f"messages must be an array, not {'missing' if given is None else kind_of(given)}",
            path="messages",
            cure="give the messages as a list under the key messages",
        )
    messages: list[Message] = []
    users = 0
    for position, each in enumerate(given):
        path = f"messages[{position}]"
        if not isinstance(each, dict):
            raise InvalidRequest(f"{path} must be an object, not {kind_of(each)}", path=path)
        try:
            message = decode_message(each, position, users)
        except InvalidRequest as error:
            raise _below(path, error) from None
        users += is_user_input(message)
        messages.append(message)
    return tuple(messages)


_CONVERSATION: Final = Form(
    frozenset({"wire", "model", "max_output", "system", "system_extra", "tools", "messages"}),
    _read_conversation,
    _write_conversation,
    _outline,
    frozenset({"messages"}),
)


# Tools


def _read_tools(given: Json) -> tuple[Tool, ...]:
    if given is None:
        return ()
    if not isinstance(given, list):
        raise InvalidRequest(f"tools must be an array, not {kind_of(given)}", path="tools")
    tools: list[Tool] = []
    for index, each in enumerate(given):
        path = f"tools[{index}]"
        if not isinstance(each, dict):
            raise InvalidRequest(f"{path} must be an object, not {kind_of(each)}", path=path)
        try:
            tools.append(decode_object(_TOOL, each))
        except InvalidRequest as error:
            raise _below(path, error) from None
    return tuple(tools)


def _read_tool(given: JsonObject) -> tuple[Tool, JsonObject]:
    return Tool(
        name=text_field(given, "name"),
        description=optional_text(given, "description"),
        parameters=given.get("parameters"),
    ), {}


def _write_tool(tool: Tool, notes: Mapping[str, Json]) -> JsonObject:
    written: dict[str, Any] = {"name": tool.name}
    if tool.description is not None:
        written["description"] = tool.description
    if tool.parameters is not None:
        written["parameters"] = tool.parameters
    return written


_TOOL: Final = Form(frozenset({"name", "description", "parameters"}), _read_tool, _write_tool)

"""OpenAI Responses request bodies (`openai-responses`): every item of `input` is one message.

Source: the Responses API reference of OpenAI, and the recorded exchanges in `tests/data`.
"""

from __future__ import annotations

from contextrail.core.json_text import JsonObject, kind_of
from contextrail.messages.identity import content_id, number_runs
from contextrail.messages.model import Conversation, Extra, Media, Message, Opaque, Part, Text
from contextrail.messages.text import describe_media, part_text
from contextrail.wire.contents import copied
from contextrail.wire.extras import fields, misshapen, own, rest
from contextrail.wire.openai_responses_items import read_item
from contextrail.wire.openai_responses_parts import WIRE
from contextrail.wire.openai_responses_tools import read_tools, write_tools
from contextrail.wire.openai_responses_write import write_message


def decode(body: JsonObject) -> Conversation:
    """Read a request body.

    Raises:
        InvalidRequest: `input` is neither a string nor an array nor null, or an element of it is not
            an object. Facts: `path`.
    """
    given = body.get("input")
    notes: JsonObject = {}
    taken: list[str] = []
    messages: tuple[Message, ...] = ()
    if isinstance(given, str):
        text = Text(text=given)
        extra = Extra(WIRE, {"~content": "string"})
        messages = (Message(id=content_id(0, given), role="user", parts=(text,), extra=extra),)
        notes["~input"] = "string"
        taken.append("input")
    elif isinstance(given, list):
        messages = number_runs(_read_items(given))
        notes["~input"] = "list"
        taken.append("input")
    elif given is not None:
        raise misshapen("$.input", "a string or an array", kind_of(given))
    system = _read_instructions(body.get("instructions"))
    model, limit, tools = body.get("model"), body.get("max_output_tokens"), body.get("tools")
    known = {
        "model": isinstance(model, str),
        "instructions": bool(system),
        "max_output_tokens": type(limit) is int,
        "tools": isinstance(tools, list),
    }
    taken.extend(key for key, read in known.items() if read)
    if known["tools"]:
        notes["~tools"] = True
    return Conversation(
        wire=WIRE,
        model=model if isinstance(model, str) else None,
        system=system,
        tools=read_tools(tools) if isinstance(tools, list) else (),
        messages=messages,
        max_output=limit if type(limit) is int else None,
        extra=Extra(WIRE, {**rest(body, *taken), **notes}),
    )


def encode(conversation: Conversation) -> JsonObject:
    """Write a request body. What this form cannot express is written as text; server tools of others are left out."""
    stored = own(conversation.extra, WIRE)
    body = fields(stored or {})
    if conversation.model is not None:
        body["model"] = conversation.model
    if conversation.system:
        body["instructions"] = _write_instructions(conversation.system)
    items = [item for message in conversation.messages for item in write_message(message)]
    form = "list" if stored is None else stored.get("~input")
    if form == "string" and len(items) == 1 and _is_bare(items[0]):
        body["input"] = items[0]["content"]
    elif items or form is not None:
        body["input"] = items
    tools = write_tools(conversation.tools)
    if tools or (stored and "~tools" in stored):
        body["tools"] = tools
    if conversation.max_output is not None:
        body["max_output_tokens"] = conversation.max_output
    return {key: copied(value) for key, value in body.items()}


def recognizes(body: JsonObject) -> float:
    """How sure it is that a body is in this form, in [0, 1]: `input`, and what its elements look like."""
    if "messages" in body or "contents" in body:
        return 0.0
    given = body.get("input")
    if isinstance(given, str):
        return 0.8
    if isinstance(given, list):
        shaped = all(isinstance(each, dict) and ("type" in each or "role" in each) for each in given)
        return 0.95 if given and shaped else 0.5
    return 0.3 if body.keys() & {"instructions", "previous_response_id", "max_output_tokens"} else 0.0


def _read_items(given: list[object]) -> list[Message]:
    messages = []
    for position, item in enumerate(given):
        if not isinstance(item, dict):
            raise misshapen(f"$.input[{position}]", "an object", kind_of(item))
        messages.append(read_item(item, position))
    return messages


def _is_bare(item: JsonObject) -> bool:
    """Whether the item says no more than a bare `input` string does."""
    return item.keys() == {"role", "content"} and item["role"] == "user" and isinstance(item["content"], str)


def _read_instructions(value: object) -> tuple[Part, ...]:
    """The instructions as text; a list of items (what a response repeats) is kept whole."""
    if isinstance(value, str):
        return (Text(text=value),)
    if isinstance(value, list):
        return (Opaque(wire=WIRE, kind="instructions", value=value),)
    return ()


def _write_instructions(system: tuple[Part, ...]) -> object:
    first = system[0]
    if len(system) == 1 and isinstance(first, Opaque) and first.wire == WIRE:
        return first.value
    return "\n\n".join(
        describe_media(part) if isinstance(part, Media) else part_text(part) for part in system
    )

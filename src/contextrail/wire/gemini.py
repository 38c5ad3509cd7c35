"""Gemini request bodies (`gemini`): `generateContent` and its streaming twin, camelCase or snake_case.

The model stands in the address of a Gemini request, not in its body; it is read and written only
where a body holds it. Source: the Gemini API reference of Google, and the recorded exchanges in
`tests/data`.
"""

from __future__ import annotations

from typing import Any, Final

from contextrail.core.json_text import JsonObject, kind_of
from contextrail.messages.model import Conversation, Extra, Opaque, Part, Text, ToolCall, ToolResult
from contextrail.messages.text import part_text
from contextrail.wire.contents import copied
from contextrail.wire.extras import fields, misshapen, own, rest
from contextrail.wire.gemini_contents import Contents, read_contents, read_parts, write_parts
from contextrail.wire.gemini_parts import WIRE, read_speech, write_speech
from contextrail.wire.gemini_tools import read_tools, write_tools

_SYSTEM: Final = ("systemInstruction", "system_instruction")
_CONFIG: Final = ("generationConfig", "generation_config")
_LIMIT: Final = ("maxOutputTokens", "max_output_tokens")


def decode(body: JsonObject) -> Conversation:
    """Read a request body. A single content may stand for the list.

    Raises:
        InvalidRequest: `contents` is neither an array nor an object nor null, or an element of it is
            not an object. Facts: `place`, `path`, `cure`.
    """
    given, tools, model = body.get("contents"), body.get("tools"), body.get("model")
    if not isinstance(given, (list, dict)) and given is not None:
        raise misshapen("$.contents", "an array", kind_of(given))
    contents = given if isinstance(given, list) else [] if given is None else [given]
    taken: list[str] = []
    notes: JsonObject = {}
    if given is not None:
        taken.append("contents")
        notes["~contents"] = "list" if isinstance(given, list) else "object"
    if isinstance(tools, list):
        taken.append("tools")
        notes["~tools"] = True
    if isinstance(model, str):
        taken.append("model")
        notes["~model"] = True
    system, system_extra, system_key = _read_system(body)
    limit, config_key, config_notes = _read_limit(body)
    taken.extend(system_key + config_key)
    return Conversation(
        wire=WIRE,
        model=model if isinstance(model, str) else None,
        system=system,
        system_extra=system_extra,
        tools=read_tools(tools) if isinstance(tools, list) else (),
        messages=read_contents(contents),
        max_output=limit,
        extra=Extra(WIRE, {**rest(body, *taken), **notes, **config_notes}),
    )


def encode(conversation: Conversation) -> JsonObject:
    """Write a request body. What this form cannot express is text; server tools of others are left out."""
    stored = own(conversation.extra, WIRE)
    notes = {"~contents": "list"} if stored is None else stored
    body = fields(notes)
    if conversation.model is not None and "~model" in notes:
        body["model"] = conversation.model
    _write_system(body, conversation)
    contents = Contents(conversation.model)
    for message in conversation.messages:
        contents.add(message)
    contents.flush()
    if notes.get("~contents") == "object" and len(contents.written) == 1:
        body["contents"] = contents.written[0]
    elif contents.written or "~contents" in notes:
        body["contents"] = contents.written
    tools = write_tools(conversation.tools)
    if tools or "~tools" in notes:
        body["tools"] = tools
    _write_limit(body, conversation.max_output, notes)
    return {key: copied(value) for key, value in body.items()}


def recognizes(body: JsonObject) -> float:
    """How sure it is that a body is in this form, in [0, 1]: `contents`, and whether its elements have parts."""
    given = body.get("contents")
    if isinstance(given, dict):
        given = [given]
    if isinstance(given, list):
        shaped = all(isinstance(each, dict) and "parts" in each for each in given)
        return 0.95 if given and shaped else 0.5
    hints = {*_SYSTEM, *_CONFIG, "toolConfig", "safetySettings", "cachedContent"}
    return 0.3 if body.keys() & hints else 0.0


def _read_system(body: JsonObject) -> tuple[tuple[Part, ...], Extra | None, list[str]]:
    """The instruction, how it stood there, and under which of its names."""
    key = next((key for key in _SYSTEM if body.get(key) is not None), None)
    if key is None:
        return (), None, []
    value = body[key]
    if isinstance(value, str):
        return (Text(text=value),), Extra(WIRE, {"~key": key, "~form": "string"}), [key]
    if isinstance(value, dict):
        parts, taken, notes = read_parts(value, lambda part, _: read_speech(part))
        return parts, Extra(WIRE, {**rest(value, *taken), **notes, "~key": key}), [key]
    whole = Opaque(wire=WIRE, kind="systemInstruction", value=value)
    return (whole,), Extra(WIRE, {"~key": key, "~form": "raw"}), [key]


def _write_system(body: JsonObject, conversation: Conversation) -> None:
    stored = own(conversation.system_extra, WIRE)
    system = conversation.system
    if stored is None and not system:
        return
    stored = stored or {}
    key, form = stored.get("~key", _SYSTEM[0]), stored.get("~form")
    if len(system) == 1 and form == "string" and isinstance(system[0], Text):
        body[key] = system[0].text
    elif len(system) == 1 and form == "raw" and isinstance(system[0], Opaque) and system[0].wire == WIRE:
        body[key] = system[0].value
    else:
        body[key] = fields(stored)
        parts = [written for part in system for written in _write_instruction(part)]
        write_parts(body[key], parts, stored.get("~parts"))


def _write_instruction(part: Part) -> list[Any]:
    if isinstance(part, (ToolCall, ToolResult)):
        return [{"text": part_text(part)}]
    return write_speech(part)


def _read_limit(body: JsonObject) -> tuple[int | None, list[str], JsonObject]:
    """The limit on output, the field of the body that held it, and a note of what else that held."""
    for config_key in _CONFIG:
        config = body.get(config_key)
        for key in _LIMIT:
            if isinstance(config, dict) and type(config.get(key)) is int:
                return config[key], [config_key], {"~limit": [config_key, key, rest(config, key)]}
    return None, [], {}


def _write_limit(body: JsonObject, limit: int | None, notes: JsonObject) -> None:
    config_key = next((key for key in _CONFIG if isinstance(body.get(key), dict)), _CONFIG[0])
    key, config = _LIMIT[0], body.get(config_key)
    others = config if isinstance(config, dict) else {}
    if "~limit" in notes:
        config_key, key, stored = notes["~limit"]
        others = fields(stored)
        body[config_key] = others
    if limit is not None:
        body[config_key] = {**others, key: limit}

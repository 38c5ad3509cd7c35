"""Tool calls and tool definitions of OpenAI Chat Completions, both ways.

Three generations: `function_call` and `functions` (legacy; a call is answered by its name), functions
as `tool_calls` and `tools`, and custom tools, whose calls carry one free text: an argument named
`input` here. Source: the Chat Completions reference (platform.openai.com/docs/api-reference/chat).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from contextrail.core.errors import InvalidRequest
from contextrail.core.ids import CallId
from contextrail.core.json_text import Json, JsonObject, dump_text, parse
from contextrail.messages.model import Extra, Opaque, Tool, ToolCall
from contextrail.wire.contents import copied, notes, put_fields
from contextrail.wire.extras import rest
from contextrail.wire.openai_chat_blocks import FIELD, WIRE
from contextrail.wire.openai_responses_tools import FREEFORM, NO_PARAMETERS

_MISSING = object()


def read_call(value: Json) -> ToolCall | Opaque:
    """Read one element of `tool_calls`."""
    if not isinstance(value, dict):
        return Opaque(wire=WIRE, kind=f"{FIELD}tool_calls[]", value=value)
    call_id = value.get("id")
    taken = ["id"] if isinstance(call_id, str) else []
    stored: JsonObject = {} if "id" in value else {"~no_id": True}
    match value:
        case {"function": {"name": str(name)} as inner}:
            arguments = _read_arguments(inner, stored)
            taken.append("function")
        case {"type": "custom", "custom": {"name": str(name), "input": str(text)} as inner}:
            arguments = dump_text({"input": text})
            stored["~custom"] = _without(inner, "name", "input")
            taken += ["type", "custom"]
        case _:
            return Opaque(wire=WIRE, kind=f"{FIELD}tool_calls[]", value=value)
    if value.get("type") == "function":
        taken.append("type")
    elif "type" not in value:
        stored["~untyped"] = True
    kept = {**rest(value, *taken), **stored}
    return ToolCall(
        call_id=CallId(call_id if isinstance(call_id, str) else ""),
        name=name,
        arguments=arguments,
        extra=Extra(WIRE, kept) if kept else None,
    )


def read_function_call(value: Json) -> ToolCall | Opaque:
    """Read the legacy field `function_call`. Such a call has no id: its name takes the place."""
    if not isinstance(value, dict) or not isinstance(value.get("name"), str):
        return Opaque(wire=WIRE, kind=f"{FIELD}function_call", value=value)
    stored: JsonObject = {"~legacy": True}
    arguments = _read_arguments(value, stored)
    name = value["name"]
    return ToolCall(call_id=CallId(name), name=name, arguments=arguments, extra=Extra(WIRE, stored))


def is_legacy(part: ToolCall) -> bool:
    """Whether it stood in `function_call`."""
    return "~legacy" in notes(part.extra, WIRE)


def write_call(part: ToolCall) -> JsonObject:
    """Write a call as an element of `tool_calls`."""
    stored = notes(part.extra, WIRE)
    out: JsonObject = {}
    if part.call_id or not ("id" in stored or "~no_id" in stored):
        out["id"] = part.call_id
    if "~custom" in stored:
        out["type"] = "custom"
        out["custom"] = {
            "name": part.name,
            "input": _free_text(part.arguments),
            **copied_fields(stored["~custom"]),
        }
    else:
        if "type" not in stored and "~untyped" not in stored:
            out["type"] = "function"
        out["function"] = write_function(part)
    return put_fields(out, stored) if stored else out


def write_function(part: ToolCall) -> JsonObject:
    """Write name and arguments, as they stand in `function` and in `function_call`."""
    stored = notes(part.extra, WIRE)
    out: JsonObject = {"name": part.name}
    form = stored.get("~arguments")
    if form == "value":
        out["arguments"] = _value_of(part.arguments)
    elif form != "missing" or part.arguments != "{}":
        out["arguments"] = part.arguments
    return {**out, **copied_fields(stored.get("~function", {}))}


def copied_fields(fields: JsonObject) -> JsonObject:
    """Fields of an object that was kept apart under a note."""
    return {key: copied(each) for key, each in fields.items()}


def _read_arguments(inner: JsonObject, stored: JsonObject) -> str:
    """The arguments as text; notes on their form, and on the fields beside them, go to `stored`."""
    others = _without(inner, "name", "arguments")
    if others:
        stored["~function"] = others
    arguments = inner.get("arguments", _MISSING)
    if isinstance(arguments, str):
        return arguments
    if arguments is _MISSING:
        stored["~arguments"] = "missing"
        return "{}"
    stored["~arguments"] = "value"
    return dump_text(arguments)


def _without(fields: JsonObject, *taken: str) -> JsonObject:
    return {key: value for key, value in fields.items() if key not in taken}


def _value_of(text: str) -> Json:
    try:
        return parse(text, place="arguments")
    except InvalidRequest:
        return text


def _free_text(arguments: str) -> str:
    """The text of a custom tool's call."""
    match _value_of(arguments):
        case {"input": str(text), **others} if not others:
            return text
        case _:
            return arguments


# Definitions


def read_tools(values: Iterable[Json]) -> tuple[Tool, ...]:
    """Read the elements of `tools`, each one tool, whatever it is."""
    return tuple(map(_read_tool, values))


def read_functions(values: Iterable[Json]) -> tuple[Tool, ...]:
    """Read the elements of the legacy field `functions`."""
    return tuple(map(_read_legacy, values))


def write_tools(tools: Iterable[Tool]) -> JsonObject:
    """Write tools as an object with `tools` and `functions`, each only if there is something in it.

    Server tools of other wire forms are left out: nothing here would run them.
    """
    out: dict[str, list[Json]] = {}
    for tool in tools:
        stored = notes(tool.extra, WIRE)
        if tool.parameters is not None or tool.extra is None or tool.extra.wire == WIRE:
            written = stored["~value"] if "~value" in stored else _write_tool(tool, stored)
            out.setdefault("functions" if "~legacy" in stored else "tools", []).append(copied(written))
    return dict(out)


def _read_tool(value: Json) -> Tool:
    if not isinstance(value, dict):
        return Tool(name="", extra=Extra(WIRE, {"~value": value}))
    kind = value.get("type")
    function, custom = _named(value.get("function")), _named(value.get("custom"))
    if function is not None:
        kept = rest(value, "function", *(["type"] if kind == "function" else []))
        return _function(function, kept if "type" in value else {**kept, "~untyped": True})
    if custom is not None and kind == "custom":
        others = _without(custom, "name", *_described(custom))
        return Tool(
            name=custom["name"],
            description=_description(custom),
            parameters=FREEFORM,
            extra=Extra(WIRE, {**rest(value, "type", "custom"), "~custom": others}),
        )
    return Tool(name=kind if isinstance(kind, str) else "", extra=Extra(WIRE, {"~value": value}))


def _read_legacy(value: Json) -> Tool:
    function = _named(value)
    if function is None:
        return Tool(name="", extra=Extra(WIRE, {"~value": value, "~legacy": True}))
    return _function(function, {"~legacy": True})


def _named(value: Json) -> JsonObject | None:
    """The value if it is an object with a name."""
    return value if isinstance(value, dict) and isinstance(value.get("name"), str) else None


def _function(inner: JsonObject, stored: JsonObject) -> Tool:
    parameters = inner.get("parameters")
    taken = ["name", *_described(inner)]
    if parameters is None:
        stored["~unstated"] = True
        parameters = NO_PARAMETERS
    else:
        taken.append("parameters")
    others = _without(inner, *taken)
    if others:
        stored["~function"] = others
    return Tool(
        name=inner["name"],
        description=_description(inner),
        parameters=parameters,
        extra=Extra(WIRE, stored) if stored else None,
    )


def _described(inner: JsonObject) -> tuple[str, ...]:
    return ("description",) if isinstance(inner.get("description"), str) else ()


def _description(inner: JsonObject) -> str | None:
    found: Any = inner.get("description")
    return found if isinstance(found, str) else None


def _write_tool(tool: Tool, stored: JsonObject) -> JsonObject:
    inner: JsonObject = {"name": tool.name}
    if tool.description is not None:
        inner["description"] = tool.description
    if "~custom" in stored:
        return put_fields({"type": "custom", "custom": {**inner, **stored["~custom"]}}, stored)
    parameters = NO_PARAMETERS if tool.parameters is None else tool.parameters
    if "~unstated" not in stored or parameters != NO_PARAMETERS:
        inner["parameters"] = parameters
    inner = {**stored.get("~function", {}), **inner}
    if "~legacy" in stored:
        return inner
    typed = {} if "type" in stored or "~untyped" in stored else {"type": "function"}
    return put_fields({**typed, "function": inner}, stored)

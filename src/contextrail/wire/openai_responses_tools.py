"""Tool definitions of Responses: functions, free-text custom tools, server tools; both ways."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from contextrail.core.json_text import JsonObject
from contextrail.messages.model import Extra, Tool
from contextrail.wire.extras import fields, own, rest
from contextrail.wire.openai_responses_parts import WIRE

NO_PARAMETERS: Final[JsonObject] = {"type": "object", "properties": {}}
"""Schema of a function tool that states none."""

FREEFORM: Final[JsonObject] = {
    "type": "object",
    "properties": {"input": {"type": "string"}},
    "required": ["input"],
}
"""Schema of a custom tool: its calls carry one text, which is an argument named `input` here."""


def read_tools(values: Iterable[Any]) -> tuple[Tool, ...]:
    """Read the elements of `tools`, each one tool, whatever it is."""
    return tuple(map(_read_tool, values))


def write_tools(tools: Iterable[Tool]) -> list[Any]:
    """Write tools. Server tools of other wire forms are left out: nothing here would run them."""
    return [
        _write_tool(tool)
        for tool in tools
        if tool.parameters is not None or own(tool.extra, WIRE) is not None
    ]


def _read_tool(value: Any) -> Tool:
    if not isinstance(value, dict):
        return Tool(name="", extra=Extra(WIRE, {"~value": value}))
    kind, name, description = value.get("type"), value.get("name"), value.get("description")
    if not isinstance(name, str) or kind not in ("function", "custom"):
        named = next((each for each in (name, kind) if isinstance(each, str)), "")
        return Tool(name=named, extra=Extra(WIRE, rest(value)))
    taken, notes = ["name"], {}
    if isinstance(description, str):
        taken.append("description")
    else:
        description = None
    parameters: JsonObject = FREEFORM
    if kind == "function":
        taken.append("type")
        stated = value.get("parameters")
        if isinstance(stated, dict):
            parameters = stated
            taken.append("parameters")
        else:
            parameters = NO_PARAMETERS
            notes["~unstated"] = True
    extra = Extra(WIRE, {**rest(value, *taken), **notes})
    return Tool(name=name, description=description, parameters=parameters, extra=extra)


def _write_tool(tool: Tool) -> Any:
    stored = own(tool.extra, WIRE)
    if stored is not None and "~value" in stored:
        return stored["~value"]
    kept = fields(stored or {})
    if tool.parameters is None:
        return kept
    written: JsonObject = {"type": "function", "name": tool.name}
    if tool.description is not None:
        written["description"] = tool.description
    if kept.get("type") == "custom":
        return {**written, **kept}
    if stored is None:
        # a function that does not say so is held to the strict subset of JSON Schema
        return {**written, "parameters": tool.parameters, "strict": False}
    if "~unstated" not in stored or tool.parameters != NO_PARAMETERS:
        written["parameters"] = tool.parameters
    return {**kept, **written}

"""Tool definitions of Gemini: function declarations in groups, server tools beside them; both ways."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from contextrail.core.json_text import JsonObject, equal
from contextrail.messages.model import Extra, Tool
from contextrail.wire.extras import fields, own, rest
from contextrail.wire.gemini_parts import WIRE

NO_PARAMETERS: Final[JsonObject] = {"type": "object", "properties": {}}
"""Schema of a function that states none."""

_GROUPS: Final = ("functionDeclarations", "function_declarations")
_SCHEMAS: Final = ("parametersJsonSchema", "parameters_json_schema", "parameters")
_DIALECT: Final = "parameters"
"""The field whose schema is written in Gemini's own dialect: types in capitals, `nullable`, counts as text."""

_SUBSCHEMAS: Final = ("items", "additionalProperties")
_SCHEMA_LISTS: Final = ("anyOf", "prefixItems")
_SCHEMA_MAPS: Final = ("properties", "defs", "$defs")
_COUNTS: Final = ("minItems", "maxItems", "minLength", "maxLength", "minProperties", "maxProperties")
_CAMEL: Final = {
    "any_of": "anyOf",
    "min_items": "minItems",
    "max_items": "maxItems",
    "min_length": "minLength",
    "max_length": "maxLength",
    "min_properties": "minProperties",
    "max_properties": "maxProperties",
    "additional_properties": "additionalProperties",
}
_DROPPED: Final = ("nullable", "propertyOrdering", "property_ordering")


def read_tools(values: Iterable[Any]) -> tuple[Tool, ...]:
    """Read the elements of `tools`: one tool per declaration, and one per other field of an element."""
    found: list[Tool] = []
    for group, value in enumerate(values):
        if not isinstance(value, dict):
            found.append(Tool(name="", extra=Extra(WIRE, {"~value": value, "~group": group})))
            continue
        key = next((key for key in _GROUPS if isinstance(value.get(key), list) and value[key]), None)
        if key is not None:
            notes = {"~group": group, **({} if key == _GROUPS[0] else {"~list": key})}
            found.extend(_read_declaration(each, notes) for each in value[key])
        others = {name: each for name, each in value.items() if name != key}
        found.extend(_server_tool({name: each}, name, group) for name, each in others.items())
        if not value:
            found.append(_server_tool({}, "", group))
    return tuple(found)


def write_tools(tools: Iterable[Tool]) -> list[Any]:
    """Write tools in the groups they were read in; functions from elsewhere join the first group of functions.

    Server tools of other wire forms are left out: nothing here would run them.
    """
    groups: dict[int, JsonObject] = {}
    raw: dict[int, Any] = {}
    fresh: list[JsonObject] = []
    for tool in tools:
        stored = own(tool.extra, WIRE)
        if stored is None or "~group" not in stored:
            if tool.parameters is not None:
                fresh.append(_write_declaration(tool, stored or {}))
            continue
        group = groups.setdefault(stored["~group"], {})
        if "~value" in stored:
            raw[stored["~group"]] = stored["~value"]
        elif "~declaration" in stored or tool.parameters is not None:
            group.setdefault(stored.get("~list", _GROUPS[0]), []).append(_write_declaration(tool, stored))
        else:
            group.update(fields(stored))
    if fresh:
        listed = [
            (each, key) for each in groups.values() for key in _GROUPS if isinstance(each.get(key), list)
        ]
        group, key = listed[0] if listed else (groups.setdefault(-1, {}), _GROUPS[0])
        group[key] = [*group.get(key, ()), *fresh]
    return [raw.get(at, group) for at, group in groups.items()]


def json_schema(schema: Any) -> Any:
    """A schema of Gemini's dialect as JSON Schema: types in small letters, `nullable` as a type, counts as numbers.

    What both have is left as it is. Source: `Schema` of the Gemini API reference.
    """
    if not isinstance(schema, dict):
        return schema
    found: JsonObject = {}
    given: str
    for given, value in schema.items():
        key = _CAMEL.get(given) or given
        if key in _DROPPED:
            continue
        if key == "type" and isinstance(value, str):
            found[key] = value.lower()
        elif key in _SUBSCHEMAS:
            found[key] = json_schema(value)
        elif key in _SCHEMA_LISTS and isinstance(value, list):
            found[key] = [json_schema(each) for each in value]
        elif key in _SCHEMA_MAPS and isinstance(value, dict):
            found[key] = {name: json_schema(each) for name, each in value.items()}
        elif key in _COUNTS and isinstance(value, str) and value.isdecimal():
            found[key] = int(value)
        else:
            found[key] = value
    if schema.get("nullable") is True and isinstance(found.get("type"), str):
        found["type"] = [found["type"], "null"]
    return found


def _server_tool(value: JsonObject, name: str, group: int) -> Tool:
    return Tool(name=name, extra=Extra(WIRE, {**rest(value), "~group": group}))


def _read_declaration(value: Any, notes: JsonObject) -> Tool:
    if not isinstance(value, dict) or not isinstance(value.get("name"), str):
        return Tool(name="", extra=Extra(WIRE, {**notes, "~declaration": value}))
    taken = ["name"]
    description = value.get("description")
    if isinstance(description, str):
        taken.append("description")
    key: str | None = next((key for key in _SCHEMAS if isinstance(value.get(key), dict)), None)
    parameters = NO_PARAMETERS
    if key is None:
        notes = {**notes, "~schema": None}
    else:
        taken.append(key)
        parameters = value[key]
        if key == _DIALECT:
            parameters = json_schema(parameters)
            notes = {**notes, "~dialect": value[key]}
        elif key != _SCHEMAS[0]:
            notes = {**notes, "~schema": key}
    return Tool(
        name=value["name"],
        description=description if isinstance(description, str) else None,
        parameters=parameters,
        extra=Extra(WIRE, {**rest(value, *taken), **notes}),
    )


def _write_declaration(tool: Tool, stored: JsonObject) -> Any:
    if "~declaration" in stored:
        return stored["~declaration"]
    written: JsonObject = {"name": tool.name, **fields(stored)}
    if tool.description is not None:
        written["description"] = tool.description
    dialect = stored.get("~dialect")
    if dialect is not None and equal(json_schema(dialect), tool.parameters):
        written[_DIALECT] = dialect
        return written
    key = stored.get("~schema", _SCHEMAS[0])
    if key is not None or not equal(tool.parameters, NO_PARAMETERS):
        written[key or _SCHEMAS[0]] = tool.parameters
    return written

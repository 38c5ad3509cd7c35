"""Tools and the fields around the messages, made legal for one target."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from contextrail.core.json_text import Json, JsonObject
from contextrail.messages.model import Conversation, Tool
from contextrail.wire.dialects import Aim
from contextrail.wire.lower_parts import Notes, whole_text, whole_value

NO_ARGUMENTS: Final[JsonObject] = {"type": "object", "properties": {}}


def lower_tools(conversation: Conversation, aim: Aim, notes: Notes) -> Conversation:
    """One definition per name, whole text, an object schema; another provider's own tools are left out."""
    if aim.own or not conversation.tools:
        return conversation
    seen: set[str] = set()
    tools: list[Tool] = []
    for tool in conversation.tools:
        if aim.wrote(tool.extra):
            tools.append(tool)
        elif tool.parameters is None and tool.extra is not None:
            notes.changed(None, "server-tool-of-another-provider", tool=tool.name)
        elif not tool.name:
            notes.changed(None, "tool-without-name")
        elif tool.name in seen:
            notes.changed(None, "duplicate-tool", tool=tool.name)
        else:
            tools.append(_whole_tool(tool, notes))
        seen.add(tool.name)
    if len(tools) == len(conversation.tools) and all(
        a is b for a, b in zip(tools, conversation.tools, strict=True)
    ):
        return conversation
    return replace(conversation, tools=tuple(tools))


def _whole_tool(tool: Tool, notes: Notes) -> Tool:
    description = None if tool.description is None else whole_text(tool.description)
    parameters = object_schema(whole_value(tool.parameters))
    if (description, parameters) == (tool.description, tool.parameters):
        return tool
    notes.changed(None, "tool-definition-mended", tool=tool.name)
    return replace(tool, description=description, parameters=parameters)


def object_schema(schema: Json) -> Json:
    """A schema of arguments that says it is one of an object; one that says something else allows no arguments."""
    if schema is None:
        return None
    if not isinstance(schema, dict) or schema.get("type", "object") != "object":
        return NO_ARGUMENTS
    return schema if "type" in schema else {"type": "object", **schema}


def lower_body(conversation: Conversation, aim: Aim, notes: Notes) -> Conversation:
    """The limit on output: stated where the target demands one, left out where nobody says whom it is for."""
    fields = (
        conversation.extra.fields if conversation.extra is not None and aim.wrote(conversation.extra) else {}
    )
    named = bool(conversation.model or fields.get("model"))
    if conversation.max_output is None:
        if aim.provider != "anthropic" or not named or fields.get("max_tokens") is not None:
            return conversation
        notes.changed(None, "output-limit-set", max_output=aim.limit)
        return replace(conversation, max_output=aim.limit)
    if named or aim.own or aim.wrote(conversation.extra) or aim.provider == "gemini":
        return conversation
    notes.changed(None, "output-limit-left-out", max_output=conversation.max_output)
    return replace(conversation, max_output=None)

"""Tools and the fields around the messages, made legal for one target."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from contextrail.core.json_text import JsonObject
from contextrail.messages.identity import is_user_input
from contextrail.messages.model import Conversation, Extra, Message, Part, Thinking, Tool, ToolCall
from contextrail.wire.lower_parts import Notes, whole_text, whole_value
from contextrail.wire.target import Target

MAX_OUTPUT: Final = 4096
"""Stated where a target demands a limit and nobody gave one; every current model allows it."""

CACHE_MARKS: Final = 4
"""Anthropic refuses a fifth `cache_control`: "A maximum of 4 blocks with cache_control may be provided"."""

NO_ARGUMENTS: Final[JsonObject] = {"type": "object", "properties": {}}


def lower_tools(conversation: Conversation, target: Target, notes: Notes) -> Conversation:
    """One definition per name, whole text, an object schema; another provider's own tools are left out."""
    seen: set[str] = set()
    tools: list[Tool] = []
    for tool in conversation.tools:
        foreign = tool.extra is not None and tool.extra.wire != target.provider
        if tool.parameters is None and foreign:
            notes.changed(None, "server-tool-of-another-provider", tool=tool.name)
        elif tool.name in seen and tool.parameters is not None:
            notes.changed(None, "duplicate-tool", tool=tool.name)
        else:
            seen.add(tool.name)
            tools.append(_whole_tool(tool, notes))
    if len(tools) == len(conversation.tools) and all(
        a is b for a, b in zip(tools, conversation.tools, strict=True)
    ):
        return conversation
    return replace(conversation, tools=tuple(tools))


def _whole_tool(tool: Tool, notes: Notes) -> Tool:
    description = None if tool.description is None else whole_text(tool.description)
    parameters = whole_value(tool.parameters)
    if parameters is not None and not isinstance(parameters, dict):
        notes.changed(None, "tool-schema-not-an-object", tool=tool.name)
        parameters = NO_ARGUMENTS
    if (description, parameters) == (tool.description, tool.parameters):
        return tool
    return replace(tool, description=description, parameters=parameters)


def lower_body(conversation: Conversation, target: Target, notes: Notes) -> Conversation:
    """Fields of the request that the target demands or that no longer fit the messages."""
    if target.provider != "anthropic":
        return conversation
    if conversation.max_output is None:
        notes.changed(None, "output-limit-set", max_output=MAX_OUTPUT)
        conversation = replace(conversation, max_output=MAX_OUTPUT)
    return _cache_marks(_thinking_off(conversation, notes), notes)


def _thinking_off(conversation: Conversation, notes: Notes) -> Conversation:
    """Thinking may not be asked for in the middle of a tool loop whose reply has lost its reasoning."""
    fields = {} if conversation.extra is None else conversation.extra.fields
    asked = fields.get("thinking")
    if not isinstance(asked, dict) or asked.get("type") != "enabled":
        return conversation
    reply = _open_reply(conversation.messages)
    if reply is None or any(isinstance(part, Thinking) for part in reply.parts[:1]):
        return conversation
    notes.changed(None, "thinking-turned-off", message=reply.id)
    kept = {key: value for key, value in fields.items() if key != "thinking"}
    return replace(conversation, extra=Extra("anthropic", kept))


def _open_reply(messages: tuple[Message, ...]) -> Message | None:
    """The first message of the reply whose tool calls are being answered now, if one is."""
    reply: Message | None = None
    for message in reversed(messages):
        if message.role == "assistant":
            if any(isinstance(part, ToolCall) for part in message.parts) or reply is not None:
                reply = message
            continue
        if is_user_input(message):
            break
    return reply


def _cache_marks(conversation: Conversation, notes: Notes) -> Conversation:
    """Keep at most four cache marks: those on tools and system, then the latest."""
    marked = sum(_is_marked(tool.extra) for tool in conversation.tools)
    marked += sum(_is_marked(part.extra) for part in conversation.system if hasattr(part, "extra"))
    fields = {} if conversation.extra is None else conversation.extra.fields
    free = CACHE_MARKS - marked - ("cache_control" in fields)
    messages: list[Message] = []
    for message in reversed(conversation.messages):
        parts: list[Part] = []
        for part in reversed(message.parts):
            extra = getattr(part, "extra", None)
            if _is_marked(extra):
                free -= 1
                if free < 0:
                    notes.changed(message.id, "cache-mark-removed")
                    kept = {key: value for key, value in extra.fields.items() if key != "cache_control"}
                    part = replace(part, extra=Extra(extra.wire, kept))  # type: ignore[call-arg]  # noqa: PLW2901
            parts.append(part)
        messages.append(message if free >= 0 else replace(message, parts=tuple(reversed(parts))))
    return replace(conversation, messages=tuple(reversed(messages))) if free < 0 else conversation


def _is_marked(extra: Extra | None) -> bool:
    return extra is not None and extra.wire == "anthropic" and extra.fields.get("cache_control") is not None

"""Every check of an Anthropic Messages body, in order."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from contextrail.core.json_text import JsonObject
from contextrail.wire.checks_anthropic_blocks import (
    check_blocks,
    check_cache,
    check_media,
    check_texts,
    check_thinking,
    check_unchanged,
    claude_version,
    every_block,
)
from contextrail.wire.checks_anthropic_turns import (
    check_call_ids,
    check_end,
    check_form,
    check_pairs,
    check_roles,
    check_server_pairs,
    read,
    turns,
)
from contextrail.wire.checks_tools import Definition, Names, check_names, check_unused, names_of
from contextrail.wire.finding import Flaw, Flaws, Request, objects, shown, text

NAMES: Final = Names(re.compile(r"[a-zA-Z0-9_-]{1,128}"), 128)
MOST_MESSAGES: Final = 100_000


def check(request: Request) -> Flaws:
    """Every flaw of an Anthropic body."""
    body = request.body
    version = claude_version(request.model)
    messages = read(body)
    found = turns(messages)
    every = list(every_block(body, messages))
    yield from check_form(body)
    yield from _check_request(body)
    yield from check_roles(found, version)
    yield from check_end(body, found, version)
    yield from check_pairs(found)
    yield from check_server_pairs(found)
    yield from check_call_ids(found)
    yield from check_texts(body, messages)
    yield from check_blocks(found)
    yield from check_thinking(body, found)
    yield from check_media(every, version)
    yield from check_cache(body, every)
    yield from _check_tools(body)
    if request.before is not None:
        yield from check_unchanged(found, turns(read(request.before)))


def _check_request(body: JsonObject) -> Flaws:
    """Required fields. A body with neither model nor limit is a fragment that the host completes."""
    messages = body.get("messages")
    if messages == []:
        yield Flaw("messages-empty", ("messages",), "no message")
    elif isinstance(messages, list) and len(messages) > MOST_MESSAGES:
        yield Flaw(
            "too-many-messages", ("messages",), f"{len(messages)} messages, {MOST_MESSAGES} are allowed"
        )
    has_model = (
        bool(body.get("model")) or "anthropic_version" in body
    )  # Bedrock and Vertex name it in the URL
    has_limit = body.get("max_tokens") is not None
    if has_limit and not has_model:
        yield Flaw("model-missing", (), "no model")
    if bool(body.get("model")) and not has_limit:
        yield Flaw("max-tokens-missing", (), "no max_tokens")


def definitions(body: JsonObject) -> Iterator[Definition]:
    """The tools of a body; a toolset without name is left out."""
    for at, tool in objects(body.get("tools")):
        ours = tool.get("type") in (None, "custom")
        if ours or "name" in tool:
            yield Definition(("tools", at), text(tool.get("name")), ours, tool)


def _check_tools(body: JsonObject) -> Flaws:
    tools = list(definitions(body))
    yield from check_names(tools, NAMES)
    for each in tools:
        schema = each.value.get("input_schema") if isinstance(each.value, dict) else None
        if each.ours and not (isinstance(schema, dict) and schema.get("type") == "object"):
            yield Flaw("tool-schema", each.path, f"{shown(each.name)} has no input schema of type object")
    choice = body.get("tool_choice")
    if not isinstance(choice, dict) or choice.get("type") == "none":
        return
    if not body.get("tools") and not body.get("mcp_servers"):
        yield Flaw("tool-choice-alone", ("tool_choice",), "no tools")
    elif choice.get("type") == "tool":
        named = len(tools) == len(objects(body.get("tools"))) and not body.get("mcp_servers")
        if named and text(choice.get("name")) not in set(names_of(tools)):
            yield Flaw(
                "tool-choice-unknown", ("tool_choice", "name"), f"{shown(choice.get('name'))} is not defined"
            )
        yield from check_unused(tools, [text(choice.get("name"))], ("tool_choice",))

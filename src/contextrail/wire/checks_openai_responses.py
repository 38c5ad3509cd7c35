"""Every check of an OpenAI Responses body, in order: the request, messages, reasoning, item ids, tools."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from contextrail.core.json_text import JsonObject
from contextrail.wire.checks_media import check_base64, check_image_url, data_url
from contextrail.wire.checks_openai_responses_calls import check_arguments, check_call_ids, check_pairs
from contextrail.wire.checks_openai_vendors import long_texts, openai_model
from contextrail.wire.checks_tools import Definition, Names, check_names, check_unused, names_of
from contextrail.wire.finding import Flaw, Flaws, Path, Request, objects, shown, text

ROLES: Final = frozenset({"user", "assistant", "system", "developer"})
NAMES: Final = Names(re.compile(r"[a-zA-Z0-9_-]+"), 128)
ANY_NAME: Final = Names(None, None)
MOST_TOOLS: Final = 128
LONGEST_ITEM_ID: Final = 64
PREFIXES: Final = {"function_call": "fc", "custom_tool_call": "ctc", "reasoning": "rs", "message": "msg"}
"""What the server's ids of items begin with. Source: its error text "Expected an ID that begins with 'fc'"."""
STORED: Final = ("previous_response_id", "conversation")
COMPLETE: Final = (
    "stream",
    "temperature",
    "top_p",
    "max_output_tokens",
    "reasoning",
    "store",
    "include",
    "text",
)
"""A body with none of these and no model is a fragment that the host completes."""


def check(request: Request) -> Flaws:
    """Every flaw of a Responses body."""
    body = request.body
    strict = openai_model(request.model)
    items = body.get("input")
    yield from _check_request(body)
    yield from _check_tools(body, strict=strict)
    if strict:
        yield from long_texts(request)
    if not isinstance(items, list):
        return
    for at, item in enumerate(items):
        if isinstance(item, dict):
            yield from _check_item(("input", at), item, strict=strict)
        else:
            yield Flaw("body-form", ("input", at), "an item must be an object")
    yield from check_pairs(request)
    yield from check_arguments(body, NAMES if strict else ANY_NAME, strict=strict)
    yield from _check_reasoning(body, strict=strict)
    if strict:
        yield from check_call_ids(body)
        yield from _check_item_ids(body)
    if request.before is not None:
        yield from _check_unchanged(body, request.before)


def kind(item: JsonObject) -> str:
    """The type of an item; an item with a role needs to say none to be a message."""
    return text(item.get("type")) or ("message" if "role" in item else "")


def _check_request(body: JsonObject) -> Flaws:
    given = body.get("input")
    elsewhere = any(body.get(key) for key in (*STORED, "prompt", "instructions"))
    if given in (None, "", []) and not elsewhere:
        yield Flaw("input-empty", ("input",), "no input")
    elif given is not None and not isinstance(given, (str, list)):
        yield Flaw("body-form", ("input",), "input must be a string or an array of items")
    if not body.get("model") and not body.get("prompt") and any(key in body for key in COMPLETE):
        yield Flaw("model-missing", (), "no model")


def _check_item(path: Path, item: JsonObject, *, strict: bool) -> Flaws:
    match kind(item):
        case "message":
            yield from _check_message(path, item, strict=strict)
        case "":
            yield Flaw("body-form", path, "an item must have a type or a role")
        case "reasoning" if not isinstance(item.get("summary"), list):
            yield Flaw("reasoning-summary", path, "reasoning without its list of summaries")
        case _:
            yield from _check_parts((*path, "output"), item.get("output"))


def _check_message(path: Path, item: JsonObject, *, strict: bool) -> Flaws:
    role, content = item.get("role"), item.get("content")
    if not isinstance(role, str) or (strict and role not in ROLES):
        yield Flaw("role-unknown", (*path, "role"), f"{shown(role)} is no role")
    if not isinstance(content, (str, list)):
        yield Flaw("body-form", (*path, "content"), "content must be a string or an array of parts")
    wrong = WRONG_FOR_ASSISTANT if role == "assistant" else WRONG_FOR_OTHERS
    for at, part in objects(content):
        if strict and part.get("type") in wrong:
            said = f"{shown(part['type'])} in a message of role {shown(role)}"
            yield Flaw("content-type", (*path, "content", at, "type"), said)
    yield from _check_parts((*path, "content"), content)


def _check_parts(path: Path, content: object) -> Flaws:
    """Media among the parts."""
    for at, part in objects(content):
        if url := text(part.get("image_url")):
            yield from check_image_url(url, (*path, at, "image_url"), strict=True)
        if (parsed := data_url(text(part.get("file_data")))) is not None:
            yield from check_base64(parsed[1], (*path, at, "file_data"))


def _check_reasoning(body: JsonObject, *, strict: bool) -> Flaws:
    """A reasoning item with an id is followed by what it led to, and can be found without being stored."""
    items = objects(body.get("input"))
    for place, (at, item) in enumerate(items):
        ident = text(item.get("id"))
        stored = kind(item) == "item_reference"
        if kind(item) == "reasoning" and ident and strict:
            follower = next(
                (each for _, each in items[place + 1 : place + LOOK_AHEAD] if kind(each) != "reasoning"), None
            )
            if follower is None or not _by_model(follower):
                yield Flaw("reasoning-alone", ("input", at), f"nothing of the model follows {shown(ident)}")
            stored = not item.get("encrypted_content")
        if strict and ident and stored and body.get("store") is False:
            yield Flaw(
                "not-stored", ("input", at), f"{shown(ident)} refers to an item, and nothing is stored"
            )


def _by_model(item: JsonObject) -> bool:
    """Whether the model made an item: neither a message of someone else nor the output of a tool."""
    if kind(item) == "message":
        return item.get("role") == "assistant"
    return not kind(item).endswith("_output")


def _check_item_ids(body: JsonObject) -> Flaws:
    seen: set[str] = set()
    for at, item in objects(body.get("input")):
        ident = text(item.get("id"))
        if not ident:
            continue
        path: Path = ("input", at, "id")
        prefix = PREFIXES.get(kind(item), "")
        if not ident.startswith(prefix):
            yield Flaw("item-id-form", path, f"{shown(ident)} does not begin with {prefix}")
        elif len(ident) > LONGEST_ITEM_ID:
            yield Flaw("item-id-form", path, f"{len(ident)} characters, {LONGEST_ITEM_ID} are allowed")
        if ident in seen:
            yield Flaw("item-id-twice", path, f"{shown(ident)} is the id of an earlier item")
        seen.add(ident)


def _check_unchanged(body: JsonObject, before: JsonObject) -> Flaws:
    """Reasoning is as it was; what it led to does not stay behind under the server's id."""
    items = objects(body.get("input"))
    leaders = dict(_leaders(before))
    here = dict(_leaders(body))
    known = {
        text(item.get("id")): item for _, item in objects(before.get("input")) if kind(item) == "reasoning"
    }
    for at, item in items:
        ident = text(item.get("id"))
        if kind(item) == "reasoning":
            was = known.get(ident) if ident else None
            if was is not None and any(
                was.get(key) != item.get(key) for key in ("encrypted_content", "summary")
            ):
                yield Flaw("reasoning-changed", ("input", at), f"{shown(ident)} is not as it was")
        elif ident in leaders and not leaders[ident] <= here.get(ident, frozenset()):
            yield Flaw("reasoning-missing", ("input", at), f"{shown(ident)} stands without its reasoning")


def _leaders(body: JsonObject) -> Iterator[tuple[str, frozenset[str]]]:
    """For each item right behind reasoning, the ids of that reasoning."""
    ahead: set[str] = set()
    for _, item in objects(body.get("input")):
        ident = text(item.get("id"))
        if kind(item) == "reasoning":
            ahead |= {ident} - {""}
            continue
        if ident and ahead:
            yield ident, frozenset(ahead)
        ahead = set()


def definitions(body: JsonObject) -> Iterator[Definition]:
    """The tools of a body, and those that a tool search has loaded; what has no name is left out."""
    for at, tool in objects(body.get("tools")):
        ours = tool.get("type") in ("function", "custom")
        if ours or text(tool.get("name")):
            yield Definition(("tools", at), text(tool.get("name")), ours, tool)


def _check_tools(body: JsonObject, *, strict: bool) -> Flaws:
    tools, choice = list(definitions(body)), body.get("tool_choice")
    yield from check_names(tools, NAMES if strict else ANY_NAME)
    listed = body.get("tools")
    searched = any(tool.get("type") == "tool_search" for _, tool in objects(listed))
    if strict and isinstance(listed, list) and len(listed) > MOST_TOOLS and not searched:
        yield Flaw("too-many-tools", ("tools",), f"{len(listed)} tools, {MOST_TOOLS} are allowed")
    if isinstance(choice, dict) and choice.get("type") in ("function", "custom") and tools:
        name = text(choice.get("name"))
        if name not in set(names_of(tools)) and not searched:
            yield Flaw("tool-choice-unknown", ("tool_choice",), f"{shown(name)} is not defined")
        yield from check_unused(tools, [name], ("tool_choice",))


LOOK_AHEAD: Final = 64
"""Reasoning items in a row that are looked over for what follows them."""
WRONG_FOR_ASSISTANT: Final = ("input_text", "input_image", "input_file", "text", "image_url")
WRONG_FOR_OTHERS: Final = ("text", "image_url", "tool_use", "tool_result")
"""Types of parts that the server refuses by role; others are left to it, as they grow in number."""

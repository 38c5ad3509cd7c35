"""Every check of an OpenAI Chat Completions body, in order.

Many vendors speak this form. What OpenAI's servers alone refuse is checked only if the body names one
of OpenAI's models, or none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from contextrail.core.json_text import JsonObject, kind_of
from contextrail.wire.checks_media import check_base64, check_image_url, data_url
from contextrail.wire.checks_openai_vendors import check_vendor, long_texts, openai_model
from contextrail.wire.checks_tools import (
    Definition,
    Names,
    bad_arguments,
    check_names,
    check_unused,
    misnamed,
    names_of,
)
from contextrail.wire.finding import Flaw, Flaws, Path, Request, objects, shown, text

ROLES: Final = frozenset({"system", "developer", "user", "assistant", "tool", "function"})
LONGEST_ID: Final = 40
MOST_TOOLS: Final = 128
NAMES: Final = Names(re.compile(r"[a-zA-Z0-9_-]+"), 64)
ANY_NAME: Final = Names(None, None)
SAYS_SOMETHING: Final = (
    "tool_calls", "function_call", "audio", "refusal", "reasoning", "reasoning_content", "reasoning_details",
)  # fmt: skip
"""An assistant message with one of these needs no content."""
COMPLETE: Final = (
    "stream", "temperature", "top_p", "max_tokens", "max_completion_tokens", "reasoning_effort", "n", "stop",
)  # fmt: skip
"""A body with none of these and no model is a fragment that the host completes."""


def check(request: Request) -> Flaws:
    """Every flaw of a Chat Completions body."""
    body = request.body
    strict = openai_model(request.model) and request.profile is None
    messages = body.get("messages")
    if not isinstance(messages, list):
        yield Flaw("body-form", ("messages",), "messages must be an array")
        return
    if not messages:
        yield Flaw("messages-empty", ("messages",), "no message")
    if not body.get("model") and any(key in body for key in COMPLETE):
        yield Flaw("model-missing", (), "no model")
    for at, message in enumerate(messages):
        yield from _check_message(("messages", at), message, strict=strict)
    yield from check_pairs(body)
    yield from _check_calls(request, strict=strict)
    yield from _check_tools(body, strict=strict)
    yield from check_vendor(request)
    if strict:
        yield from long_texts(request)


def _check_message(path: Path, message: object, *, strict: bool) -> Flaws:
    if not isinstance(message, dict):
        yield Flaw("body-form", path, "a message must be an object")
        return
    role, content = message.get("role"), message.get("content")
    if not isinstance(role, str) or (strict and role not in ROLES):
        yield Flaw("role-unknown", (*path, "role"), f"{shown(role)} is no role")
    if content is None and not (role == "assistant" and any(message.get(key) for key in SAYS_SOMETHING)):
        yield Flaw("content-missing", (*path, "content"), f"a message of role {shown(role)} without content")
    elif content is not None and not isinstance(content, (str, list)):
        yield Flaw("body-form", (*path, "content"), "content must be a string or an array of parts")
    if isinstance(content, list):
        for at, part in enumerate(content):
            if isinstance(part, dict):
                yield from _check_part((*path, "content", at), part, role, strict=strict)
            elif strict:
                yield Flaw("body-form", (*path, "content", at), "a part must be an object")


def _check_part(path: Path, part: JsonObject, role: object, *, strict: bool) -> Flaws:
    image, audio, file = part.get("image_url"), part.get("input_audio"), part.get("file")
    if isinstance(image, dict) and isinstance(url := image.get("url"), str):
        yield from check_image_url(url, (*path, "image_url", "url"), strict=strict)
        if strict and role != "user":
            yield Flaw("image-place", path, f"an image in a message of role {shown(role)}")
    if isinstance(audio, dict) and isinstance(data := audio.get("data"), str):
        yield from check_base64(data, (*path, "input_audio", "data"))
    if isinstance(file, dict) and (parsed := data_url(text(file.get("file_data")))) is not None:
        yield from check_base64(parsed[1], (*path, "file", "file_data"))


@dataclass(slots=True)
class _Open:
    """The calls of the last assistant message, until something other than a result follows."""

    calls: dict[str, Path] = field(default_factory=dict)
    answered: set[str] = field(default_factory=set)

    def close(self) -> Flaws:
        """What was left unanswered."""
        for ident, path in self.calls.items():
            if ident not in self.answered:
                yield Flaw(
                    "result-missing", path, f"call {shown(ident)} has no result right behind its message"
                )
        self.calls, self.answered = {}, set()


def calls_of(message: JsonObject) -> list[tuple[int, JsonObject]]:
    """The tool calls of an assistant message, with their indexes."""
    return objects(message.get("tool_calls")) if message.get("role") == "assistant" else []


def check_pairs(body: JsonObject) -> Flaws:
    """Each call answered once, by tool messages right behind the assistant's message."""
    waiting = _Open()
    for at, message in objects(body.get("messages")):
        path: Path = ("messages", at)
        if message.get("role") != "tool":
            yield from waiting.close()
            for index, call in calls_of(message):
                if ident := text(call.get("id")):
                    waiting.calls.setdefault(ident, (*path, "tool_calls", index))
            continue
        ident = text(message.get("tool_call_id"))
        if not ident:
            yield Flaw("result-id-missing", path, "a tool message without tool_call_id")
        elif ident not in waiting.calls:
            yield Flaw("result-stray", path, f"no call {shown(ident)} in the assistant message before")
        elif ident in waiting.answered:
            yield Flaw("result-twice", path, f"call {shown(ident)} has a result already")
        waiting.answered.add(ident)
    yield from waiting.close()


def _check_calls(request: Request, *, strict: bool) -> Flaws:
    """Ids, names and arguments of calls."""
    seen: set[str] = set()
    for at, message in objects(request.body.get("messages")):
        here: set[str] = set()
        if message.get("tool_calls") == [] and (strict or request.profile == "deepseek"):
            yield Flaw("calls-empty", ("messages", at, "tool_calls"), "an empty list of calls")
        if strict and len(ident := text(message.get("tool_call_id"))) > LONGEST_ID:
            yield _long_id(ident, ("messages", at, "tool_call_id"))
        for index, call in calls_of(message):
            path: Path = ("messages", at, "tool_calls", index)
            ident = text(call.get("id"))
            if not ident:
                yield Flaw("call-id-missing", path, "a call without id")
            elif strict and len(ident) > LONGEST_ID:
                yield _long_id(ident, (*path, "id"))
            if ident and ident in here:
                yield Flaw("call-id-twice", path, f"{shown(ident)} is the id of another call of this message")
            elif ident and ident in seen:
                yield Flaw(
                    "call-id-reused", path, f"{shown(ident)} is the id of a call of an earlier message"
                )
            here.add(ident)
            yield from _check_function(call, (*path, "function"), strict=strict)
        seen |= here


def _long_id(ident: str, path: Path) -> Flaw:
    return Flaw("call-id-long", path, f"{len(ident)} characters, {LONGEST_ID} are allowed")


def _check_function(call: JsonObject, path: Path, *, strict: bool) -> Flaws:
    if call.get("type") not in (None, "function"):
        return
    function = call.get("function")
    if not isinstance(function, dict):
        yield Flaw("call-name", path, "a call without function")
        return
    name, arguments = text(function.get("name")), function.get("arguments")
    wrong = misnamed(name, NAMES) if name else "a call without name"
    if wrong and (strict or not name):
        yield Flaw("call-name", (*path, "name"), wrong)
    if isinstance(arguments, str):
        if complaint := bad_arguments(arguments):
            yield Flaw("call-arguments", (*path, "arguments"), complaint)
    elif strict:
        yield Flaw("call-arguments-type", (*path, "arguments"), f"{kind_of(arguments)} instead of a string")


def definitions(body: JsonObject) -> Iterator[Definition]:
    """The tools of a body that have a name."""
    for at, tool in objects(body.get("tools")):
        kind = "custom" if tool.get("type") == "custom" else "function"
        inner = tool.get(kind)
        if isinstance(inner, dict):
            yield Definition(("tools", at), text(inner.get("name")), ours=True, value=tool)


def _check_tools(body: JsonObject, *, strict: bool) -> Flaws:
    tools, choice = list(definitions(body)), body.get("tool_choice")
    yield from check_names(tools, NAMES if strict else ANY_NAME)
    if strict:
        yield from _openai_tools(body)
    function = choice.get("function") if isinstance(choice, dict) else None
    if isinstance(function, dict) and tools:
        name = text(function.get("name"))
        if name not in set(names_of(tools)):
            yield Flaw("tool-choice-unknown", ("tool_choice",), f"{shown(name)} is not defined")
        yield from check_unused(tools, [name], ("tool_choice",))


def _openai_tools(body: JsonObject) -> Flaws:
    tools = body.get("tools")
    if tools == []:
        yield Flaw("tools-empty", ("tools",), "an empty list of tools")
    if isinstance(tools, list) and len(tools) > MOST_TOOLS:
        yield Flaw("too-many-tools", ("tools",), f"{len(tools)} tools, {MOST_TOOLS} are allowed")
    if body.get("tool_choice") not in (None, "none") and not tools:
        yield Flaw("tool-choice-alone", ("tool_choice",), "no tools")

"""Fields of the wrong JSON type, by one table for each provider: what no rule about content looks at.

A field that is not there, or is null, is as good as not given; what must be there is asked for by other rules.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from contextrail.core.json_text import JsonObject, kind_of
from contextrail.wire.finding import Flaw, Flaws, Path, Request, objects, shown
from contextrail.wire.target import Provider

RULE: Final = "field-type"
MODEL_RULE: Final = "model-type"


@dataclass(frozen=True, slots=True)
class Type:
    """A JSON type as a provider wants it."""

    name: str
    fits: Callable[[Any], bool]


def _list_of(fits: Callable[[Any], bool]) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, list) and all(map(fits, value))


def _is(*kinds: type) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, kinds) and not (isinstance(value, bool) and bool not in kinds)


TEXT: Final = Type("a string", _is(str))
COUNT: Final = Type("an integer of at least 1", lambda value: type(value) is int and 0 < value < 2**31)
NUMBER: Final = Type("a number", _is(int, float))
SWITCH: Final = Type("true or false", _is(bool))
OBJECT: Final = Type("an object", _is(dict))
ARRAY: Final = Type("an array", _is(list))
TEXTS: Final = Type("an array of strings", _list_of(_is(str)))
TEXT_OR_TEXTS: Final = Type(
    "a string or an array of strings", lambda value: TEXT.fits(value) or TEXTS.fits(value)
)
TEXT_OR_OBJECT: Final = Type("a string or an object", _is(str, dict))
TEXT_OR_ARRAY: Final = Type("a string or an array", _is(str, list))

Table = Mapping[str, Type]

REQUEST: Final[Mapping[Provider, Table]] = {
    "anthropic": {
        "max_tokens": COUNT, "tools": ARRAY, "system": TEXT_OR_ARRAY, "stop_sequences": TEXTS, "stream": SWITCH,
        "temperature": NUMBER, "top_p": NUMBER, "top_k": NUMBER, "metadata": OBJECT, "tool_choice": OBJECT,
        "thinking": OBJECT,
    },
    "openai-chat": {
        "max_tokens": COUNT, "max_completion_tokens": COUNT, "tools": ARRAY, "stop": TEXT_OR_TEXTS, "stream": SWITCH,
        "temperature": NUMBER, "top_p": NUMBER, "metadata": OBJECT, "response_format": OBJECT,
        "tool_choice": TEXT_OR_OBJECT, "parallel_tool_calls": SWITCH,
    },
    "openai-responses": {
        "max_output_tokens": COUNT, "tools": ARRAY, "stream": SWITCH, "temperature": NUMBER, "top_p": NUMBER,
        "metadata": OBJECT, "reasoning": OBJECT, "text": OBJECT, "include": TEXTS, "tool_choice": TEXT_OR_OBJECT,
        "parallel_tool_calls": SWITCH,
    },
    "gemini": {
        "tools": ARRAY, "generationConfig": OBJECT, "generation_config": OBJECT, "toolConfig": OBJECT,
        "tool_config": OBJECT, "safetySettings": ARRAY, "cachedContent": TEXT,
    },
}  # fmt: skip
"""Fields of the body."""

_SAID: Final = frozenset({"text", "input_text", "output_text"})
_TOOL: Final[Table] = {"type": TEXT, "description": TEXT, "parameters": OBJECT, "input_schema": OBJECT}


def check_types(request: Request) -> Flaws:
    """Every field of a known name whose value has the wrong JSON type."""
    body = request.body
    model = body.get("model")
    if model is not None and not isinstance(model, str) and request.provider != "gemini":
        yield Flaw(MODEL_RULE, ("model",), f"model must be a string, not {kind_of(model)}")
    yield from _fields(body, REQUEST[request.provider], ())
    yield from _tools(request)
    yield from _SPOKEN[request.provider](body)


def _fields(value: JsonObject, table: Table, path: Path) -> Flaws:
    for name, wanted in table.items():
        given = value.get(name)
        if given is not None and not wanted.fits(given):
            yield Flaw(RULE, (*path, name), f"{name} must be {wanted.name}, not {_told(given)}")


def _told(given: object) -> str:
    return shown(given) if isinstance(given, (int, float)) else kind_of(given)


# Tools


def _tools(request: Request) -> Flaws:
    tools = request.body.get("tools")
    if not isinstance(tools, list):
        return
    for at, tool in enumerate(tools):
        path: Path = ("tools", at)
        if not isinstance(tool, dict):
            yield Flaw(RULE, path, f"a tool must be an object, not {kind_of(tool)}")
            continue
        yield from _fields(tool, _TOOL, path)
        function = tool.get("function")
        if function is not None and not isinstance(function, dict):
            yield Flaw(RULE, (*path, "function"), f"function must be an object, not {kind_of(function)}")
        elif isinstance(function, dict):
            yield from _fields(function, _TOOL, (*path, "function"))
        for name in ("functionDeclarations", "function_declarations"):
            yield from _declarations(tool.get(name), (*path, name))


def _declarations(declared: object, path: Path) -> Flaws:
    if declared is None:
        return
    if not isinstance(declared, list):
        yield Flaw(RULE, path, f"{path[-1]} must be an array, not {kind_of(declared)}")
        return
    for at, each in enumerate(declared):
        if not isinstance(each, dict):
            yield Flaw(RULE, (*path, at), f"a declaration must be an object, not {kind_of(each)}")
        else:
            yield from _fields(each, _TOOL, (*path, at))


# What is said


def _blocks(value: object, path: Path, *, bare: bool = False) -> Flaws:
    """Blocks of content: objects with a type (`bare`: or strings), and a text where the type says so."""
    if not isinstance(value, list):
        return
    for at, block in enumerate(value):
        place = (*path, at)
        if not isinstance(block, dict):
            if not (bare and isinstance(block, str)):
                yield Flaw(RULE, place, f"a block must be an object, not {kind_of(block)}")
        elif not isinstance(block.get("type"), str):
            yield Flaw(RULE, (*place, "type"), f"type must be a string, not {kind_of(block.get('type'))}")
        elif block["type"] in _SAID and not isinstance(block.get("text"), str):
            yield Flaw(RULE, (*place, "text"), f"text must be a string, not {kind_of(block.get('text'))}")


def _anthropic(body: JsonObject) -> Flaws:
    for at, message in objects(body.get("messages")):
        content = message.get("content")
        yield from _blocks(content, ("messages", at, "content"))
        for index, block in objects(content):
            if block.get("type") == "tool_result":
                path = ("messages", at, "content", index, "content")
                yield from _fields(block, {"content": TEXT_OR_ARRAY}, path[:-1])
                yield from _blocks(block.get("content"), path)


def _openai_chat(body: JsonObject) -> Flaws:
    for at, message in objects(body.get("messages")):
        yield from _blocks(message.get("content"), ("messages", at, "content"), bare=True)
        calls = message.get("tool_calls")
        if calls is None:
            continue
        path: Path = ("messages", at, "tool_calls")
        if not isinstance(calls, list) or not all(isinstance(call, dict) for call in calls):
            yield Flaw(RULE, path, f"tool_calls must be an array of objects, not {kind_of(calls)}")
            continue
        for index, call in enumerate(calls):
            yield from _fields(call, {"type": TEXT}, (*path, index))


def _openai_responses(body: JsonObject) -> Flaws:
    for at, item in objects(body.get("input")):
        yield from _blocks(item.get("content"), ("input", at, "content"))
        if item.get("type") in ("function_call_output", "custom_tool_call_output"):
            yield from _fields(item, {"output": TEXT_OR_ARRAY}, ("input", at))
            yield from _blocks(item.get("output"), ("input", at, "output"))


def _gemini(body: JsonObject) -> Flaws:
    for at, content in objects(body.get("contents")):
        for index, part in objects(content.get("parts")):
            if "text" in part and not isinstance(part["text"], str):
                told = kind_of(part["text"])
                yield Flaw(
                    RULE, ("contents", at, "parts", index, "text"), f"text must be a string, not {told}"
                )


_SPOKEN: Final[Mapping[Provider, Callable[[JsonObject], Iterator[Flaw]]]] = {
    "anthropic": _anthropic,
    "openai-chat": _openai_chat,
    "openai-responses": _openai_responses,
    "gemini": _gemini,
}

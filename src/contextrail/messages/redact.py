"""Take secrets out of messages: every text that a model or a reader could see, and no structure."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Any

from contextrail.core.errors import InvalidRequest
from contextrail.core.json_text import Json, dump_text, parse
from contextrail.core.secrets import Redactor
from contextrail.messages.model import (
    Conversation,
    Extra,
    Fence,
    Media,
    Message,
    Opaque,
    Part,
    Summary,
    Text,
    Thinking,
    Tool,
    ToolCall,
    ToolResult,
)

Redact = Callable[[str], str]


def redact_message(message: Message, redact: Redact) -> Message:
    """The message without secrets; the same object if it held none.

    Arguments of calls stay JSON. Signed thinking cannot be altered: it goes as a whole if it holds a secret.
    Bytes of media are left as they are.
    """
    parts = tuple(new for part in message.parts if (new := _part(part, redact)) is not None)
    extra = _extra(message.extra, redact)
    same = len(parts) == len(message.parts) and all(map(operator.is_, parts, message.parts))
    if same and extra is message.extra:
        return message
    return replace(message, parts=parts, extra=extra)


def redact_conversation(conversation: Conversation, redactor: Redactor) -> Conversation:
    """System text, tools and messages without secrets; a secret named once is found wherever it stands."""
    redactor.learn(conversation_texts(conversation))
    redact = redactor.redact
    system = tuple(new for part in conversation.system if (new := _part(part, redact)) is not None)
    messages = tuple(redact_message(message, redact) for message in conversation.messages)
    tools = tuple(_tool(tool, redact) for tool in conversation.tools)
    return replace(conversation, system=system, messages=messages, tools=tools)


def conversation_texts(conversation: Conversation) -> Iterator[str]:
    """Every text in which a secret is looked for."""
    yield from _part_texts(conversation.system)
    for message in conversation.messages:
        yield from message_texts(message)


def message_texts(message: Message) -> Iterator[str]:
    """Every text of a message in which a secret is looked for; strings in arguments by themselves."""
    yield from _part_texts(message.parts)


def _part_texts(parts: Iterable[Part]) -> Iterator[str]:
    for part in parts:
        match part:
            case Text(text=text) | Thinking(text=text) | Fence(text=text) | Summary(text=text):
                yield text
            case ToolCall():
                yield part.arguments
                value = _parsed(part.arguments)
                yield from _strings(value)
            case ToolResult():
                yield from _part_texts(part.parts)
            case Media():
                yield part.reference or ""
            case Opaque():
                yield from _strings(part.value)


def _part(part: Part, redact: Redact) -> Part | None:
    match part:
        case Text() | Fence() | Summary():
            return _spoken(part, redact)
        case Thinking():
            text = redact(part.text)
            if text == part.text:
                return part
            return None if part.signature or part.redacted else replace(part, text=text, bound=None)
        case ToolCall():
            return _call(part, redact)
        case ToolResult():
            return _result(part, redact)
        case Media():
            reference = redact(part.reference) if part.reference else part.reference
            return part if reference == part.reference else replace(part, reference=reference)
        case Opaque():
            value = _json(part.value, redact)
            return part if value is part.value else replace(part, value=value)


def _spoken(part: Text | Fence | Summary, redact: Redact) -> Part:
    text = redact(part.text)
    extra = _extra(part.extra, redact)
    return part if text == part.text and extra is part.extra else replace(part, text=text, extra=extra)


def _call(part: ToolCall, redact: Redact) -> ToolCall:
    """Strings inside the arguments one by one, so that what comes out is JSON if it was."""
    extra = _extra(part.extra, redact)
    value = _parsed(part.arguments)
    if value is None:
        arguments = redact(part.arguments)
    else:
        clean = _named(value, redact)
        arguments = part.arguments if clean is value else dump_text(clean)
    return (
        part
        if arguments == part.arguments and extra is part.extra
        else replace(part, arguments=arguments, extra=extra)
    )


def _result(part: ToolResult, redact: Redact) -> ToolResult:
    extra = _extra(part.extra, redact)
    parts = tuple(_part(each, redact) for each in part.parts)
    assert all(isinstance(each, (Text, Media, Opaque)) for each in parts)
    if extra is part.extra and all(new is old for new, old in zip(parts, part.parts, strict=True)):
        return part
    return replace(part, parts=parts, extra=extra)  # type: ignore[arg-type]


def _tool(tool: Tool, redact: Redact) -> Tool:
    description = redact(tool.description) if tool.description else tool.description
    return tool if description == tool.description else replace(tool, description=description)


def _extra(extra: Extra | None, redact: Redact) -> Extra | None:
    if extra is None:
        return None
    fields = _json(extra.fields, redact)
    if fields is extra.fields:
        return extra
    assert isinstance(fields, dict)
    return replace(extra, fields=fields)


def _named(value: Json, redact: Redact) -> Json:
    """As `_json`, with the name of each string beside it: `{"password": ...}` is a secret by its name."""
    clean = _json(value, redact)
    if not isinstance(clean, dict):
        return clean
    changed = {
        key: _by_name(key, each, redact) if isinstance(each, str) else each for key, each in clean.items()
    }
    return clean if all(changed[key] is clean[key] for key in clean) else changed


def _by_name(key: str, text: str, redact: Redact) -> str:
    if '"' in text or "\\" in text or len(text) > 512:
        return text
    start = f'"{key}": "'
    seen = redact(f'{start}{text}"')
    return seen[len(start) : -1] if seen.startswith(start) and seen[len(start) : -1] != text else text


def _json(value: Json, redact: Redact) -> Json:
    """The same value with its strings redacted; the same object if nothing changes. Keys stay."""
    match value:
        case str():
            text = redact(value)
            return value if text == value else text
        case list():
            items = [_json(each, redact) for each in value]
            return value if all(new is old for new, old in zip(items, value, strict=True)) else items
        case dict():
            fields: dict[str, Any] = {key: _json(each, redact) for key, each in value.items()}
            return value if all(fields[key] is value[key] for key in value) else fields
        case _:
            return value


def _parsed(text: str) -> Json:
    """The JSON value of a text; None if it has none (or is null)."""
    try:
        return parse(text, place="arguments")
    except InvalidRequest:
        return None


def _strings(value: Json) -> Iterator[str]:
    match value:
        case str():
            yield value
        case list():
            for each in value:
                yield from _strings(each)
        case dict():
            for each in value.values():
                yield from _strings(each)
        case _:
            pass

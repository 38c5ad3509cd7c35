"""Take secrets out of messages: every text that a model or a reader could see, and no structure."""

from __future__ import annotations

import base64
import binascii
import operator
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Final, Protocol

from contextrail.core.digest import sha256
from contextrail.core.errors import InvalidRequest
from contextrail.core.ids import CallId, MessageId
from contextrail.core.json_text import Json, JsonObject, dump_text, parse
from contextrail.core.secret_by_name import leads_value, names_number, names_option
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


class Redact(Protocol):
    """What is done with each text; one that gives every text back only looks."""

    def redact(self, text: str) -> str:
        """The text as it may leave."""
        ...

    def redact_named(self, name: str, text: str) -> str:
        """The same for the value of that name in an object, which may be secret by its name alone."""
        ...


PROOFS: Final = frozenset(
    {
        "signature", "thoughtSignature", "thought_signature", "encrypted_content", "encrypted_index",
        "encrypted_stdout",
    }
)  # fmt: skip
"""Fields with what only a provider can read and wants back unchanged."""
_JARS: Final = frozenset({"cookie", "cookies"})
_COOKIE: Final = frozenset({"httpOnly", "sameSite", "domain", "http_only", "same_site"})
"""Fields of an object that is a cookie, as a browser exports it."""
_NO_NAME: Final = re.compile(r"[^A-Za-z0-9_-]")
_SHORTEST_KEY: Final = 20
"""Characters: a name in an object that is shorter is no key of a provider."""


def redact_message(message: Message, redact: Redact) -> Message:
    """The message without secrets; the same object if it held none.

    Arguments of calls stay JSON, and what is no secret in them stays as it was written. Signed reasoning cannot be
    altered: it goes as a whole if it holds a secret, and so does the signature of a call whose arguments held one.
    The id of a call that is a secret itself gets the same placeholder on the call and on its result, so that they still
    match; so does the id of a message, and the name of a tool, in letters that a name may have. Bytes that are no text stay.
    """
    parts = tuple(new for part in message.parts if (new := _part(part, redact)) is not None)
    extra = _extra(message.extra, redact)
    name = redact.redact(message.name) if message.name else message.name
    ident = MessageId(redact.redact(message.id))
    same = len(parts) == len(message.parts) and all(map(operator.is_, parts, message.parts))
    if same and extra is message.extra and (name, ident) == (message.name, message.id):
        return message
    return replace(message, id=ident, parts=parts, extra=extra, name=name)


def redact_conversation(conversation: Conversation, redactor: Redactor) -> Conversation:
    """System text, tools and messages without secrets; a secret named once is found wherever it stands."""
    redactor.learn(conversation_texts(conversation))
    messages = tuple(redact_message(message, redactor) for message in conversation.messages)
    return replace(redact_around(conversation, redactor), messages=messages)


def redact_around(conversation: Conversation, redact: Redact) -> Conversation:
    """System text, tools and other fields without secrets, the messages as they are; the same if nothing changes."""
    system = tuple(new for part in conversation.system if (new := _part(part, redact)) is not None)
    tools = tuple(_tool(tool, redact) for tool in conversation.tools)
    extra = _extra(conversation.extra, redact)
    around = _extra(conversation.system_extra, redact)
    same = len(system) == len(conversation.system) and all(map(operator.is_, system, conversation.system))
    same = same and all(map(operator.is_, tools, conversation.tools))
    if same and extra is conversation.extra and around is conversation.system_extra:
        return conversation
    return replace(conversation, system=system, tools=tools, extra=extra, system_extra=around)


def redact_json(value: Json, redact: Redact) -> Json:
    """The same value with its strings redacted; the same object if nothing changes. Proofs stay."""
    match value:
        case str():
            text = redact.redact(value)
            return value if text == value else text
        case list():
            before = ["", *value]
            items = [_after(lead, each, redact) for lead, each in zip(before, value, strict=False)]
            return value if all(map(operator.is_, items, value)) else items
        case dict():
            return _object(value, redact)
        case _:
            return value


def _after(lead: Json, value: Json, redact: Redact) -> Json:
    """An item of a list: a word of a command may be secret by the option before it, a header by its name."""
    led = isinstance(lead, str) and ((lead.startswith("-") and names_option(lead)) or leads_value(lead))
    return _named(str(lead), value, redact) if led else redact_json(value, redact)


def _named(name: str, value: Json, redact: Redact) -> Json:
    """A value beside its name. A number that is a secret becomes a string: JSON has no other place for a placeholder."""
    if isinstance(value, str):
        text = redact.redact_named(name, value)
        return value if text == value else text
    if isinstance(value, int) and not isinstance(value, bool) and names_number(name.strip("-")):
        text = redact.redact_named(name, str(value))
        return value if text == str(value) else text
    if isinstance(value, dict) and name.lower() in _JARS:
        return _jar(value, redact)
    if isinstance(value, list) and leads_value(name):
        items = [_named(name, each, redact) for each in value]
        return value if all(map(operator.is_, items, value)) else items
    return redact_json(value, redact)


def _jar(value: JsonObject, redact: Redact) -> JsonObject:
    """An object of cookies by name."""
    clean = {name: _cookie(name, each, redact) for name, each in value.items()}
    return value if all(clean[name] is value[name] for name in value) else clean


def _cookie(name: str, value: Json, redact: Redact) -> Json:
    if not isinstance(value, str):
        return redact_json(value, redact)
    lead = f"{name}="
    shown = redact.redact_named("cookie", lead + value).removeprefix(lead)
    return value if shown == value else shown


class _Texts:
    """Collects every text that is looked at."""

    def __init__(self) -> None:
        self.texts: list[str] = []

    def redact(self, text: str) -> str:
        self.texts.append(text)
        return text

    def redact_named(self, name: str, text: str) -> str:
        self.texts += [text, f'"{name}": "{text}"']
        return text


def conversation_texts(conversation: Conversation) -> Iterator[str]:
    """Every text in which a secret is looked for."""
    texts = _Texts()
    redact_around(conversation, texts)
    yield from texts.texts
    for message in conversation.messages:
        yield from message_texts(message)


def message_texts(message: Message) -> Iterator[str]:
    """Every text of a message in which a secret is looked for; strings in arguments by themselves."""
    texts = _Texts()
    redact_message(message, texts)
    yield from texts.texts


def _part(part: Part, redact: Redact) -> Part | None:
    match part:
        case Text() | Fence() | Summary():
            return _spoken(part, redact)
        case Thinking():
            return _thinking(part, redact)
        case ToolCall():
            return _call(part, redact)
        case ToolResult():
            return _result(part, redact)
        case Media():
            return _media(part, redact)
        case Opaque():
            value = redact_json(part.value, redact)
            return part if value is part.value else replace(part, value=value)


def _spoken(part: Text | Fence | Summary, redact: Redact) -> Part:
    text = redact.redact(part.text)
    extra = _extra(part.extra, redact)
    if isinstance(part, Fence) and part.turn and (turn := redact.redact(part.turn)) != part.turn:
        part = replace(part, turn=MessageId(turn))
    return part if text == part.text and extra is part.extra else replace(part, text=text, extra=extra)


def _thinking(part: Thinking, redact: Redact) -> Thinking | None:
    text = redact.redact(part.text) if part.text else part.text
    extra = _extra(part.extra, redact)
    if text == part.text and extra is part.extra:
        return part
    return None if part.signature or part.redacted else replace(part, text=text, extra=extra, bound=None)


def _call(part: ToolCall, redact: Redact) -> ToolCall:
    extra = _extra(part.extra, redact)
    arguments = _arguments(part.arguments, redact)
    call_id, name = CallId(redact.redact(part.call_id)), _tool_name(part.name, redact)
    if (arguments, call_id, name) == (part.arguments, part.call_id, part.name) and extra is part.extra:
        return part
    signature = part.signature if arguments == part.arguments else None
    return replace(part, call_id=call_id, name=name, arguments=arguments, extra=extra, signature=signature)


def _tool_name(name: str, redact: Redact) -> str:
    """The name of a tool as providers take one: a placeholder in it has no brackets."""
    clean = redact.redact(name)
    return name if clean == name else _NO_NAME.sub("_", clean)


def _arguments(text: str, redact: Redact) -> str:
    """Strings inside the arguments one by one, so that what comes out is JSON if it was."""
    value = _parsed(text)
    if not isinstance(value, (dict, list)):
        return redact.redact(text)
    clean = redact_json(value, redact)
    if clean is value:
        return text
    changes = sorted(_differences(value, clean), key=lambda each: -len(str(each[0])))
    for cut in (_middle, _whole):
        inside = text
        for old, new in changes:
            if isinstance(old, int):
                inside = re.sub(rf"(?<=[\s:,\[]){old}(?=[\s,\]}}])", dump_text(new), inside)
                continue
            was, shown = cut(old, new)
            inside = inside.replace(dump_text(was)[1:-1], dump_text(shown)[1:-1])
        if _parsed(inside) == clean:
            return inside
    return dump_text(clean)


def _whole(old: str, new: str) -> tuple[str, str]:
    return old, new


def _middle(old: str, new: str) -> tuple[str, str]:
    """What differs, without the common beginning and end: how those are escaped is the writer's choice."""
    start = _shared(old, new)
    end = _shared(old[start:][::-1], new[start:][::-1])
    return old[start : len(old) - end] or old, new[start : len(new) - end] or new


def _shared(left: str, right: str) -> int:
    """Characters of the common beginning."""
    pairs = zip(left, right, strict=False)
    return next((at for at, (one, other) in enumerate(pairs) if one != other), min(len(left), len(right)))


def _differences(before: Json, after: Json) -> Iterator[tuple[str | int, str]]:
    """Strings, numbers and names that differ between two values of one shape."""
    match before, after:
        case int(), str():
            yield before, after
        case str(), str():
            if before != after:
                yield before, after
        case list(), list():
            for old, new in zip(before, after, strict=True):
                yield from _differences(old, new)
        case dict(), dict():
            for (name, old), (other, new) in zip(before.items(), after.items(), strict=False):
                yield from _differences(name, other)
                yield from _differences(old, new)
        case _:
            pass


def _result(part: ToolResult, redact: Redact) -> ToolResult:
    extra = _extra(part.extra, redact)
    parts = tuple(_part(each, redact) for each in part.parts)
    assert all(isinstance(each, (Text, Media, Opaque)) for each in parts)
    call_id = CallId(redact.redact(part.call_id))
    name = _tool_name(part.name, redact) if part.name else part.name
    same = (call_id, name) == (part.call_id, part.name) and extra is part.extra
    if same and all(map(operator.is_, parts, part.parts)):
        return part
    return replace(part, call_id=call_id, name=name, parts=parts, extra=extra)  # type: ignore[arg-type]


def _media(part: Media, redact: Redact) -> Media:
    reference = redact.redact(part.reference) if part.reference else part.reference
    name = redact.redact(part.name) if part.name else part.name
    extra = _extra(part.extra, redact)
    data = part.data
    text = _text_in(part)
    if text is not None and (clean := redact.redact(text)) != text:
        content = clean.encode()
        data = base64.b64encode(content).decode()
        part = replace(part, digest=sha256(content), size_bytes=len(content))
    if (reference, name, data) == (part.reference, part.name, part.data) and extra is part.extra:
        return part
    return replace(part, reference=reference, name=name, data=data, extra=extra)


def _text_in(part: Media) -> str | None:
    """The text of a document whose bytes are here; None for anything that is no text."""
    if part.data is None or not (part.media_type or "").startswith(("text/", "application/json")):
        return None
    try:
        return base64.b64decode(part.data, validate=True).decode()
    except (binascii.Error, ValueError):
        return None


def _tool(tool: Tool, redact: Redact) -> Tool:
    description = redact.redact(tool.description) if tool.description else tool.description
    parameters = redact_json(tool.parameters, redact)
    extra = _extra(tool.extra, redact)
    name = _tool_name(tool.name, redact)
    same = (name, description) == (tool.name, tool.description)
    if same and parameters is tool.parameters and extra is tool.extra:
        return tool
    return replace(tool, name=name, description=description, parameters=parameters, extra=extra)


def _extra(extra: Extra | None, redact: Redact) -> Extra | None:
    if extra is None or not extra.fields:
        return extra
    fields = redact_json(extra.fields, redact)
    if fields is extra.fields:
        return extra
    assert isinstance(fields, dict)
    return replace(extra, fields=fields)


def _object(value: JsonObject, redact: Redact) -> JsonObject:
    fields: dict[str, Any] = {}
    named = next((value[label] for label in ("name", "key") if isinstance(value.get(label), str)), None)
    for name, each in value.items():
        shown = redact.redact(name) if len(name) >= _SHORTEST_KEY else name
        if name in PROOFS:
            fields[name] = each
        elif named and name == "value" and not _COOKIE.isdisjoint(value):
            fields[name] = _cookie(named, each, redact)
        else:
            fields[shown] = _named(named if named and name == "value" else name, each, redact)
    same = len(fields) == len(value) and all(name in fields and fields[name] is value[name] for name in value)
    return value if same else fields


def _parsed(text: str) -> Json:
    """The JSON value of a text; None if it has none (or is null)."""
    try:
        return parse(text, place="arguments")
    except InvalidRequest:
        return None

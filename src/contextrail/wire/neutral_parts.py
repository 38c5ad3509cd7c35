"""Parts of neutral messages: the part types of OpenTelemetry's GenAI messages, and what those lack.

| part of the model | neutral form |
|---|---|
| Text | `{"type": "text", "content"}` |
| Thinking | `{"type": "reasoning", "content", "signature"?, "redacted"?, "wire"?, "model"?, "bound"?}` |
| ToolCall | `{"type": "tool_call", "id", "name", "arguments", "arguments_text"?, "signature"?}` |
| ToolResult | `{"type": "tool_call_response", "id", "response", "status", "name"?}` |
| Media | `{"type": "blob", "content"}`, `{"type": "uri", "uri"}` or `{"type": "file", "file_id"}`, each with "modality" and more |
| Fence | `{"type": "fence", "family", "content", "lifetime"?, "turn"?}` |
| Summary | `{"type": "summary", "content", "covers"?}` |
| Opaque | of this form: the part as it came; of another: `{"type": "opaque", "wire", "kind", "value"}` |

`arguments` is an object; `arguments_text` is there where the exact text cannot be had from it.
`response` is the text of a result that is nothing but one text, else the list of its parts.

Source: OpenTelemetry semantic conventions 1.41, docs/gen-ai/gen-ai-input-messages.json; "status", "response" as a
list of parts, fences, summaries and all fields with "?" but those of tool calls are ours.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Literal

from contextrail.core.digest import text_digest
from contextrail.core.errors import InvalidRequest
from contextrail.core.ids import CallId, MessageId, Sha256
from contextrail.core.json_text import (
    Json,
    JsonObject,
    deeper_than,
    dump_text,
    equal,
    parse,
)
from contextrail.messages.model import (
    Fence,
    Media,
    Opaque,
    Part,
    Summary,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
)
from contextrail.wire.neutral_form import (
    EXTRA,
    WIRE,
    Form,
    decode_object,
    encode_object,
    fields_of,
    optional_text,
    read_digest,
    read_extra,
    text_field,
)
from contextrail.wire.neutral_media import MEDIA

_DEEPEST: Final = 100
"""Arguments nested deeper than this stay text: as objects they would make the body too deep to read."""


def decode_part(given: JsonObject) -> Part:
    """Read one part.

    Raises:
        InvalidRequest: It has no "type", or a text, reasoning, tool call or tool response lacks what makes it one;
            fact `path` is the field.
    """
    common = _read_common(given)
    if common is not None:
        return common
    kind = text_field(given, "type")
    if kind == "opaque":
        return _read_opaque(given)
    form = _FORMS.get(kind)
    if form is None:
        return Opaque(wire=WIRE, kind=kind, value=given)
    read_extra(given.get(EXTRA))  # a forged note is refused, whatever the type of the part
    try:
        part: Part = decode_object(form, given)
    except InvalidRequest:
        if kind in _STRICT:
            raise
        return Opaque(wire=WIRE, kind=kind, value=given)
    return part


def encode_part(part: Part) -> JsonObject:
    """Write one part so that `decode_part` gives an equal one."""
    match part:
        case Opaque():
            return _write_opaque(part)
        case Text():
            return encode_object(_TEXT, part)
        case Thinking():
            return encode_object(_THINKING, part)
        case ToolCall():
            return encode_object(_CALL, part)
        case ToolResult():
            return encode_object(_RESULT, part)
        case Media():
            return encode_object(MEDIA, part)
        case Fence():
            return encode_object(_FENCE, part)
        case Summary():
            return encode_object(_SUMMARY, part)


def _read_common(given: JsonObject) -> Part | None:
    """The parts that most messages are made of, which need no difference taken; None for any other."""
    match given:
        case {"type": "text", "content": str(text), **rest} if not rest:
            return Text(text=text)
        case {
            "type": "tool_call_response",
            "id": str(call),
            "response": str(text),
            "status": "ok" | "error" | "interim" as status,
            **rest,
        } if not rest:
            return ToolResult(call_id=CallId(call), parts=(Text(text=text),), status=status)
        case {
            "type": "tool_call",
            "id": str(call),
            "name": str(name),
            "arguments": dict(arguments),
            **rest,
        } if not rest and not deeper_than(arguments, _DEEPEST):
            return ToolCall(call_id=CallId(call), name=name, arguments=dump_text(arguments))
        case _:
            return None


# Text, fence, summary


def _read_text(given: JsonObject) -> tuple[Text, JsonObject]:
    return Text(text=text_field(given, "content")), {}


def _write_text(part: Text, notes: Mapping[str, Json]) -> JsonObject:
    return {"type": "text", "content": part.text}


def _read_fence(given: JsonObject) -> tuple[Fence, JsonObject]:
    turn = optional_text(given, "turn")
    return Fence(
        family=text_field(given, "family"),
        text=text_field(given, "content"),
        lifetime=_LIFETIMES.get(optional_text(given, "lifetime") or ""),
        turn=None if turn is None else MessageId(turn),
    ), {}


def _write_fence(part: Fence, notes: Mapping[str, Json]) -> JsonObject:
    return fields_of("fence", family=part.family, content=part.text, lifetime=part.lifetime, turn=part.turn)


def _read_summary(given: JsonObject) -> tuple[Summary, JsonObject]:
    return Summary(text=text_field(given, "content"), covers=read_digest(given, "covers")), {}


def _write_summary(part: Summary, notes: Mapping[str, Json]) -> JsonObject:
    return fields_of("summary", content=part.text, covers=part.covers)


# Reasoning


def _read_thinking(given: JsonObject) -> tuple[Thinking, JsonObject]:
    text, signature = text_field(given, "content"), optional_text(given, "signature")
    return Thinking(
        text=text,
        signature=signature,
        redacted=optional_text(given, "redacted"),
        wire=optional_text(given, "wire"),
        model=optional_text(given, "model"),
        bound=read_digest(given, "bound") if "bound" in given else _binding(text, signature),
    ), {}


def _write_thinking(part: Thinking, notes: Mapping[str, Json]) -> JsonObject:
    written = fields_of(
        "reasoning",
        content=part.text,
        signature=part.signature,
        redacted=part.redacted,
        wire=part.wire,
        model=part.model,
    )
    if part.bound != _binding(part.text, part.signature):
        written["bound"] = part.bound
    return written


def _binding(text: str, signature: str | None) -> Sha256 | None:
    """What a signature binds if nothing else is said: the text that it stands beside."""
    return None if signature is None else text_digest(text)


# Tool calls


def _read_call(given: JsonObject) -> tuple[ToolCall, JsonObject]:
    notes: dict[str, Any] = {}
    arguments = given.get("arguments")
    if isinstance(arguments, str):
        text, notes["~arguments"] = arguments, "string"
    elif isinstance(arguments, dict) or arguments is None:
        text = dump_text(arguments or {})
        exact = given.get("arguments_text")
        if isinstance(exact, str) and equal(_arguments(exact).get("arguments"), arguments):
            text = exact
    else:
        text, notes["~arguments"] = dump_text(arguments), "json"
    return ToolCall(
        call_id=CallId(optional_text(given, "id") or ""),
        name=text_field(given, "name"),
        arguments=text,
        signature=optional_text(given, "signature"),
    ), notes


def _write_call(part: ToolCall, notes: Mapping[str, Json]) -> JsonObject:
    how = notes.get("~arguments")
    if how == "string":
        arguments: JsonObject = {"arguments": part.arguments}
    elif how == "json" and (found := _json_of(part.arguments)) is not None:
        arguments = {"arguments": found}
    else:
        arguments = _arguments(part.arguments)
    written: JsonObject = {"type": "tool_call", "id": part.call_id, "name": part.name, **arguments}
    if part.signature is not None:
        written["signature"] = part.signature
    return written


def _arguments(text: str) -> JsonObject:
    """An argument text as an object, and beside it where the object does not give the same text again."""
    found = _json_of(text)
    if not isinstance(found, dict) or deeper_than(found, _DEEPEST):
        return {"arguments": {}, "arguments_text": text}
    if dump_text(found) == text:
        return {"arguments": found}
    return {"arguments": found, "arguments_text": text}


def _json_of(text: str) -> Json:
    try:
        return parse(text, place="a JSON text")
    except InvalidRequest:
        return None


# Tool results


def _read_result(given: JsonObject) -> tuple[ToolResult, JsonObject]:
    parts, notes = _read_response(given.get("response"))
    status = given.get("status")
    return ToolResult(
        call_id=CallId(optional_text(given, "id") or ""),
        parts=parts,
        status=status if status == "error" or status == "interim" else "ok",  # noqa: PLR1714
        name=optional_text(given, "name"),
    ), notes


def _read_response(response: Json) -> tuple[tuple[Text | Media | Opaque, ...], JsonObject]:
    if response is None:
        return (), {}
    if isinstance(response, str):
        return (Text(text=response),), {}
    if isinstance(response, list):
        parts = _result_parts(response)
        if parts is not None:
            return parts, {}
    return (Text(text=dump_text(response)),), {"~response": "json"}


def _result_parts(response: list[Any]) -> tuple[Text | Media | Opaque, ...] | None:
    """The parts that a list stands for, if it is just what we write for them."""
    parts: list[Text | Media | Opaque] = []
    for each in response:
        try:
            part = _unwrapped(each) or (decode_part(each) if isinstance(each, dict) else None)
        except InvalidRequest:
            return None
        if not isinstance(part, (Text, Media, Opaque)):
            return None
        parts.append(part)
    return tuple(parts) if equal(_write_response(tuple(parts)), response) else None


def _write_result(part: ToolResult, notes: Mapping[str, Json]) -> JsonObject:
    response = _write_response(part.parts)
    if notes.get("~response") == "json" and isinstance(response, str):
        found = _json_of(response)
        response = response if found is None else found
    written: JsonObject = {
        "type": "tool_call_response",
        "id": part.call_id,
        "response": response,
        "status": part.status,
    }
    if part.name is not None:
        written["name"] = part.name
    return written


def _write_response(parts: tuple[Text | Media | Opaque, ...]) -> Json:
    match parts:
        case (Text(text=text, extra=None),):
            return text
        case _:
            return [_wrapped(part) if isinstance(part, Opaque) else encode_part(part) for part in parts]


# Blocks we have no word for


def _read_opaque(given: JsonObject) -> Opaque:
    part = _unwrapped(given)
    if part is not None and equal(_write_opaque(part), given):
        return part
    return Opaque(wire=WIRE, kind="opaque", value=given)


def _unwrapped(given: Json) -> Opaque | None:
    match given:
        case {"type": "opaque", "wire": str(wire), "kind": str(kind), "value": value, **rest} if not rest:
            return Opaque(wire=wire, kind=kind, value=value)
        case _:
            return None


def _write_opaque(part: Opaque) -> JsonObject:
    if part.wire == WIRE and isinstance(part.value, dict):
        try:
            if decode_part(part.value) == part:
                return part.value
        except InvalidRequest:
            pass
    return _wrapped(part)


def _wrapped(part: Opaque) -> JsonObject:
    return {"type": "opaque", "wire": part.wire, "kind": part.kind, "value": part.value}


_TEXT: Final = Form(frozenset({"type", "content"}), _read_text, _write_text)
_THINKING: Final = Form(
    frozenset({"type", "content", "signature", "redacted", "wire", "model", "bound"}),
    _read_thinking,
    _write_thinking,
)
_CALL: Final = Form(
    frozenset({"type", "id", "name", "arguments", "arguments_text", "signature"}), _read_call, _write_call
)
_RESULT: Final = Form(frozenset({"type", "id", "response", "status", "name"}), _read_result, _write_result)
_FENCE: Final = Form(frozenset({"type", "family", "content", "lifetime", "turn"}), _read_fence, _write_fence)
_SUMMARY: Final = Form(frozenset({"type", "content", "covers"}), _read_summary, _write_summary)

_LIFETIMES: Final[dict[str, Literal["persisted", "turn-only", "request"]]] = {
    "persisted": "persisted",
    "turn-only": "turn-only",
    "request": "request",
}

_FORMS: Final[dict[str, Form[Any]]] = {
    "text": _TEXT,
    "reasoning": _THINKING,
    "tool_call": _CALL,
    "tool_call_response": _RESULT,
    "blob": MEDIA,
    "uri": MEDIA,
    "file": MEDIA,
    "fence": _FENCE,
    "summary": _SUMMARY,
}
_STRICT: Final = frozenset({"text", "reasoning", "tool_call", "tool_call_response"})
"""Types that are ours to refuse. The others are kept as they are if they do not say what we need: elsewhere
their names may mean other things."""

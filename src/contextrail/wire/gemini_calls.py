"""Function calls and responses of Gemini, both ways."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from contextrail.core.ids import CallId
from contextrail.core.json_text import JsonObject, dump_text
from contextrail.messages.model import Extra, Media, Opaque, Text, ToolCall, ToolResult
from contextrail.messages.text import describe_media, part_text
from contextrail.wire.extras import fields, own, rest
from contextrail.wire.gemini_ids import OpenCalls
from contextrail.wire.gemini_parts import (
    DATA,
    WIRE,
    data_key,
    parsed,
    read_media,
    signature_key,
    write_speech,
)

_TEXT_KEYS: Final = ("output", "result", "content")
"""A response of one such field with a string in it is that string. `output` and `error` are the words of the
API reference; the others are common."""

_NO_JSON: Final = object()

UNKNOWN_NAME: Final = "unknown"
"""Name of a function whose call is not in the conversation: the field is required."""


def read_call(value: JsonObject, key: str, calls: OpenCalls, place: tuple[int, int]) -> ToolCall | None:
    """Read a part that calls a function; None if it is no call that can be told apart.

    `arguments` is the compact JSON text of `args`, whatever `args` is.
    """
    call = value[key]
    if not isinstance(call, dict):
        return None
    taken, notes = _read_head(value, key, call)
    name = call["name"] if "name" in taken else ""
    arguments = "{}"
    if "args" in call:
        arguments = dump_text(call["args"])
        taken.append("args")
    else:
        notes["~argless"] = True
    signed = signature_key(value)
    if signed == "thought_signature":
        notes["~signed"] = signed
    wire_id = call["id"] if "id" in taken else None
    return ToolCall(
        call_id=calls.call(name, wire_id, place),
        name=name,
        arguments=arguments,
        signature=value[signed] if signed else None,
        extra=_extra(rest(value, key, signed) if signed else rest(value, key), rest(call, *taken), notes),
    )


def read_response(value: JsonObject, key: str, calls: OpenCalls, place: tuple[int, int]) -> ToolResult | None:
    """Read a part that answers a call; None if it is no response that can be told apart."""
    answer = value[key]
    if not isinstance(answer, dict):
        return None
    taken, notes = _read_head(value, key, answer)
    name = answer["name"] if "name" in taken else ""
    interim = answer.get("willContinue", answer.get("will_continue")) is True
    wire_id = answer["id"] if "id" in taken else None
    call_id = calls.response(name, wire_id, place, final=not interim)
    if wire_id is not None and wire_id != call_id:
        notes["~id"] = wire_id
    parts: list[Text | Media | Opaque] = []
    if "response" in answer:
        taken.append("response")
        text, form = _read_body(answer["response"])
        parts.append(Text(text=text))
        if form is not None:
            notes["~response"] = form
    else:
        notes["~response"] = "missing"
    if isinstance(answer.get("parts"), list):
        taken.append("parts")
        notes["~parts"] = True
        parts.extend(map(_read_attachment, answer["parts"]))
    return ToolResult(
        call_id=call_id,
        parts=tuple(parts),
        status="error" if _failed(answer.get("response")) else "interim" if interim else "ok",
        name=name or None,
        extra=_extra(rest(value, key), rest(answer, *taken), notes),
    )


def write_call(call: ToolCall) -> JsonObject:
    """Write a call. Arguments that are no JSON text are written as the string they are."""
    stored = own(call.extra, WIRE) or {}
    held: JsonObject = fields(stored.get("~inner", {}))
    if call.name or "~nameless" not in stored:
        held["name"] = call.name
    if "~argless" not in stored or call.arguments != "{}":
        held["args"] = parsed(call.arguments, call.arguments)
    if "~id" not in stored:
        held["id"] = call.call_id
    written = fields(stored)
    if call.signature is not None:
        written[stored.get("~signed", "thoughtSignature")] = call.signature
    return {stored.get("~key", "functionCall"): held, **written}


def write_response(
    result: ToolResult, names: Mapping[CallId, str], *, nested: bool
) -> tuple[JsonObject, list[Any]]:
    """Write a result.

    Args:
        result: What came out.
        names: Name of the function by call id, for results that do not say it.
        nested: Whether the model takes media inside a response.

    Returns:
        The part, and the parts that must stand after it: media that the response only describes.
    """
    stored = own(result.extra, WIRE) or {}
    held: JsonObject = fields(stored.get("~inner", {}))
    if result.name is not None or "~nameless" not in stored:
        held["name"] = result.name or names.get(result.call_id) or UNKNOWN_NAME
    if stored.get("~id", result.call_id) is not None:
        held["id"] = stored.get("~id", result.call_id)
    nested = nested or "~parts" in stored
    attached = [part for part in result.parts if _is_attachment(part)]
    texts = [
        describe_media(part) if isinstance(part, Media) else part_text(part)
        for part in result.parts
        if not (nested and _is_attachment(part))
    ]
    if texts or stored.get("~response") != "missing":
        held["response"] = _write_body("\n".join(texts), stored.get("~response"), result.status)
    media = [written for part in attached for written in write_speech(part)]
    if nested and (media or "~parts" in stored):
        held["parts"] = media
    return {stored.get("~key", "functionResponse"): held, **fields(stored)}, [] if nested else media


def _read_head(value: JsonObject, key: str, held: JsonObject) -> tuple[list[str], JsonObject]:
    """What calls and responses share: the fields that are understood, and notes on those that are not."""
    taken: list[str] = []
    notes: JsonObject = {} if key == DATA[key] else {"~key": key}
    if isinstance(held.get("name"), str) and held["name"]:
        taken.append("name")
    else:
        notes["~nameless"] = True
    if isinstance(held.get("id"), str) and held["id"]:
        taken.append("id")
    else:
        notes["~id"] = None
    return taken, notes


def _extra(outer: JsonObject, inner: JsonObject, notes: JsonObject) -> Extra | None:
    if inner:
        notes["~inner"] = inner
    return Extra(WIRE, {**outer, **notes}) if outer or notes else None


def _read_attachment(value: Any) -> Media | Opaque:
    key = data_key(value) if isinstance(value, dict) else None
    if key is not None and DATA[key] in ("inlineData", "fileData"):
        media = read_media(value, key)
        if media is not None:
            return media
    return Opaque(wire=WIRE, kind=key or "unknown", value=value)


def _is_attachment(part: Text | Media | Opaque) -> bool:
    return isinstance(part, Media) or (isinstance(part, Opaque) and part.wire == WIRE)


def _failed(response: Any) -> bool:
    return isinstance(response, dict) and bool(response.get("error"))


def _read_body(response: Any) -> tuple[str, str | None]:
    """The text of a response, and the note that tells its form: None for the form a fresh result gets."""
    if isinstance(response, dict):
        if len(response) == 1:
            [(key, text)] = response.items()
            if isinstance(text, str) and (key in _TEXT_KEYS or (key == "error" and text)):
                return text, None if key in ("output", "error") else key
        return dump_text(response), "json"
    return dump_text(response), "bare"


def _write_body(text: str, form: str | None, status: str) -> Any:
    if form in ("json", "bare"):
        value = parsed(text, _NO_JSON)
        if isinstance(value, dict) or (form == "bare" and value is not _NO_JSON):
            return value
    if status == "error":
        return {"error": text}
    return {form if form in _TEXT_KEYS else "output": text}

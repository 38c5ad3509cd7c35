"""Parts of Gemini contents: text, thoughts, media; both ways. Names may be in camelCase or snake_case."""

from __future__ import annotations

import json
import math
from typing import Any, Final, Literal

from contextrail.core.digest import text_digest
from contextrail.core.json_text import JsonObject, dump_text
from contextrail.messages.model import Extra, Fence, Media, Opaque, Summary, Text, Thinking
from contextrail.messages.text import describe_media
from contextrail.wire.extras import fields, own, rest
from contextrail.wire.media import MediaKind, is_url, media_from_base64

WIRE: Final = "gemini"

PLAIN: Final = Extra(WIRE, {})
"""Marks a message that was read here and says nothing beyond role and parts."""

DataKind = Literal[
    "text",
    "functionCall",
    "functionResponse",
    "inlineData",
    "fileData",
    "executableCode",
    "codeExecutionResult",
    "toolCall",
    "toolResponse",
]

DATA: Final[dict[str, DataKind]] = {
    "text": "text",
    "functionCall": "functionCall",
    "function_call": "functionCall",
    "functionResponse": "functionResponse",
    "function_response": "functionResponse",
    "inlineData": "inlineData",
    "inline_data": "inlineData",
    "fileData": "fileData",
    "file_data": "fileData",
    "executableCode": "executableCode",
    "executable_code": "executableCode",
    "codeExecutionResult": "codeExecutionResult",
    "code_execution_result": "codeExecutionResult",
    "toolCall": "toolCall",
    "tool_call": "toolCall",
    "toolResponse": "toolResponse",
    "tool_response": "toolResponse",
}
"""Fields of a part of which exactly one says what it holds. Source: `Part` of the Gemini API reference."""

_MIME: Final = ("mimeType", "mime_type")
_NAME: Final = ("displayName", "display_name")
_URI: Final = ("fileUri", "file_uri")
_SIGNATURE: Final = ("thoughtSignature", "thought_signature")


def spelled(value: JsonObject, names: tuple[str, ...]) -> str | None:
    """The first of several spellings under which a string stands, or None."""
    for name in names:
        if isinstance(value.get(name), str):
            return name
    return None


def signature_key(value: JsonObject) -> str | None:
    """The field of a part that holds a thought signature, or None."""
    return spelled(value, _SIGNATURE)


def data_key(value: JsonObject) -> str | None:
    """The field that says what the part holds; None if none does, or more than one."""
    found = None
    for key, held in value.items():
        if held is not None and key in DATA:
            if found is not None:
                return None
            found = key
    return found


def read_speech(value: Any) -> Text | Thinking | Media | Opaque:
    """Read a part that is neither call nor response; what is not understood is opaque, whole."""
    if not isinstance(value, dict):
        return Opaque(wire=WIRE, kind="unknown", value=value)
    key = data_key(value)
    if key is None:
        return _read_bare_thought(value) or Opaque(wire=WIRE, kind="unknown", value=value)
    kind = DATA[key]
    if kind == "text" and isinstance(value["text"], str):
        return _read_text(value)
    if kind in ("inlineData", "fileData") and (media := read_media(value, key)) is not None:
        return media
    return Opaque(wire=WIRE, kind=kind, value=value)


def read_media(value: JsonObject, key: str) -> Media | None:
    """Read inline or uploaded data; None if it is not where it should be."""
    blob = value[key]
    inline = DATA[key] == "inlineData"
    held = (spelled(blob, ("data",) if inline else _URI)) if isinstance(blob, dict) else None
    if held is None:
        return None
    mime, named = spelled(blob, _MIME), spelled(blob, _NAME)
    media_type = blob[mime] if mime else None
    name = blob[named] if named else None
    extra = Extra(WIRE, {**rest(value, key), "~key": key, "~held": held, "~blob": rest(blob, held)})
    kind = _kind(media_type)
    if inline:
        return media_from_base64(kind, media_type, blob[held], extra, name=name)
    lower = media_type.lower() if media_type is not None else None
    return Media(kind=kind, media_type=lower, reference=blob[held], name=name, extra=extra)


def write_speech(part: Text | Thinking | Media | Fence | Summary | Opaque) -> list[Any]:
    """Write one part as a list of one; of nothing for reasoning of others without text."""
    match part:
        case Text(text=text, extra=extra):
            return [_write_text(text, own(extra, WIRE))]
        case Thinking():
            return _write_thinking(part)
        case Media():
            return [_write_own_media(part) or _write_media(part)]
        case Fence(text=text) | Summary(text=text):
            return [{"text": text}]
        case Opaque(wire="gemini", value=value):
            return [value]
        case Opaque(value=value):
            return [{"text": dump_text(value)}]


def parsed(text: str, otherwise: Any) -> Any:
    """The JSON value of a text, or `otherwise` if it is none that a body could hold."""
    try:
        return _DECODER.decode(text)
    except (ValueError, RecursionError):
        return otherwise


def _number(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(text)
    return value


_DECODER: Final = json.JSONDecoder(parse_float=_number, parse_constant=_number)


def _read_text(value: JsonObject) -> Text | Thinking:
    text = value["text"]
    if len(value) == 1:
        return Text(text=text)
    signed = signature_key(value)
    if value.get("thought") is True:
        taken = ("text", "thought", signed) if signed else ("text", "thought")
        return _thinking(text, value, signed, rest(value, *taken))
    if signed and not text.strip():  # nothing said: the text only carries the signature
        return _thinking(text, value, signed, {**rest(value, "text", signed), "~form": "said"})
    stored = rest(value, "text")
    if signed:
        stored["~bound"] = text_digest(text)
    return Text(text=text, extra=Extra(WIRE, stored))


def _read_bare_thought(value: JsonObject) -> Thinking | None:
    """A part that holds nothing but a signature: the end of a thought that was streamed before."""
    signed = signature_key(value)
    if signed is None or any(value.get(key) is not None for key in DATA):
        return None
    return _thinking("", value, signed, {**rest(value, signed), "~form": "bare"})


def _thinking(text: str, value: JsonObject, signed: str | None, stored: JsonObject) -> Thinking:
    if signed == "thought_signature":
        stored["~signed"] = signed
    return Thinking(
        text=text,
        signature=value[signed] if signed else None,
        wire=WIRE,
        bound=text_digest(text) if signed else None,
        extra=Extra(WIRE, stored) if stored else None,
    )


def _write_text(text: str, stored: JsonObject | None) -> JsonObject:
    if not stored:
        return {"text": text}
    written = fields(stored)
    if "~bound" in stored and stored["~bound"] != text_digest(text):
        for key in _SIGNATURE:  # it proves another text
            written.pop(key, None)
    return {"text": text, **written}


def _write_thinking(part: Thinking) -> list[JsonObject]:
    """The part it was read from; of reasoning from elsewhere only the text, marked as a thought."""
    stored = own(part.extra, WIRE) or {}
    native = part.wire == WIRE
    form = stored.get("~form") if native else None
    written: JsonObject = fields(stored) if native else {}
    if part.text or form != "bare":
        written = {**written, "text": part.text}
    if form is None:
        written["thought"] = True
    if native and part.signature is not None:
        written[stored.get("~signed", "thoughtSignature")] = part.signature
    return [written] if native or part.text else []


def _write_own_media(media: Media) -> JsonObject | None:
    stored = own(media.extra, WIRE)
    if stored is None or "~blob" not in stored:
        return None
    blob, held = fields(stored["~blob"]), stored["~held"]
    value = media.data if held == "data" else media.reference
    if value is None:
        return None
    mime = spelled(blob, _MIME)
    if media.media_type is not None and (mime is None or blob[mime].lower() != media.media_type):
        blob[mime or "mimeType"] = media.media_type
    return {**fields(stored), stored["~key"]: {**blob, held: value}}


def _write_media(media: Media) -> JsonObject:
    """Media of another wire form; as text where only that form could find it."""
    if media.data is not None:
        mime = media.media_type or "application/octet-stream"
        return {"inlineData": {"mimeType": mime, "data": media.data}}
    if media.reference is None or not (is_url(media.reference) or media.reference.startswith("files/")):
        return {"text": describe_media(media)}
    typed = {} if media.media_type is None else {"mimeType": media.media_type}
    return {"fileData": {**typed, "fileUri": media.reference}}


def _kind(media_type: str | None) -> MediaKind:
    match (media_type or "").lower().partition("/")[0]:
        case "image" | "audio" | "video" as kind:
            return kind
        case "":
            return "file"
        case _:
            return "document"

"""Content blocks of Anthropic Messages, both ways.

What is not exactly of a form that the neutral model has words for stays an `Opaque` part, whole:
server tools and their results, container uploads, compaction, search results, blocks to come.
Source of the forms: the Messages API reference (docs.anthropic.com/en/api/messages).
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

from contextrail.core.digest import text_digest
from contextrail.core.errors import InvalidRequest
from contextrail.core.ids import CallId
from contextrail.core.json_text import Json, JsonObject, dump_text, equal, parse
from contextrail.messages.model import (
    Extra,
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
from contextrail.messages.text import describe_media
from contextrail.wire.contents import copied, notes, put_fields, read_content, write_content
from contextrail.wire.extras import rest
from contextrail.wire.media import (
    MediaKind,
    base64_text,
    is_url,
    media_from_base64,
    media_from_url,
    text_of,
    url_of,
)

WIRE: Final = "anthropic"


def read_block(value: Json) -> Part:
    """Read one block of a message's content."""
    if isinstance(value, dict):
        match value.get("type"):
            case "tool_use":
                return _read_call(value)
            case "tool_result":
                return _read_result(value)
            case "thinking":
                return _read_thinking(value)
            case "redacted_thinking":
                return _read_redacted(value)
            case _:
                pass
    return read_inner(value)


def read_inner(value: Json) -> Text | Media | Opaque:
    """Read one block where only text and media may stand: in a tool result, in the system prompt."""
    if isinstance(value, dict):
        match value.get("type"):
            case "text" if isinstance(value.get("text"), str):
                return Text(text=value["text"], extra=_extra(rest(value, "type", "text")))
            case "image":
                return _read_media("image", value)
            case "document":
                return _read_media("document", value)
            case _:
                pass
    return opaque(value)


def opaque(value: Json) -> Opaque:
    """A block kept whole."""
    kind = value.get("type") if isinstance(value, dict) else None
    return Opaque(wire=WIRE, kind=kind if isinstance(kind, str) else "block", value=value)


def write_block(part: Part) -> Json:
    """Write one part as a block. Parts of other wire forms are written as well as this form can."""
    match part:
        case Text() | Fence() | Summary():
            return put_fields({"type": "text", "text": part.text}, notes(part.extra, WIRE))
        case ToolCall():
            return _write_call(part)
        case ToolResult():
            return _write_result(part)
        case Thinking():
            return _write_thinking(part)
        case Media():
            return _write_media(part)
        case Opaque():
            if part.wire == WIRE:
                return copied(part.value)
            return {"type": "text", "text": dump_text(part.value)}


def _extra(kept: JsonObject) -> Extra | None:
    return Extra(WIRE, kept) if kept else None


# Calls and results


def _read_call(value: JsonObject) -> ToolCall | Opaque:
    call_id, name = value.get("id"), value.get("name")
    if not isinstance(call_id, str) or not isinstance(name, str):
        return opaque(value)
    fields = rest(value, "type", "id", "name", "input")
    arguments = dump_text(value["input"]) if "input" in value else "{}"
    if "input" not in value:
        fields["~input"] = "missing"
    return ToolCall(call_id=CallId(call_id), name=name, arguments=arguments, extra=_extra(fields))


def _write_call(part: ToolCall) -> JsonObject:
    fields = notes(part.extra, WIRE)
    out: JsonObject = {"type": "tool_use", "id": part.call_id, "name": part.name}
    if part.arguments != "{}" or "~input" not in fields:
        out["input"] = read_arguments(part.arguments)
    return put_fields(out, fields) if fields else out


def read_arguments(text: str) -> Json:
    """The value of a call's arguments; the text itself where it is not JSON, so that the linter finds it."""
    if text == "{}":
        return {}
    try:
        return parse(text, place="arguments")
    except InvalidRequest:
        return text


def _read_result(value: JsonObject) -> ToolResult | Opaque:
    call_id = value.get("tool_use_id")
    if not isinstance(call_id, str):
        return opaque(value)
    parts, form = read_content(value, "content", read_inner, WIRE)
    fields = rest(value, "type", "tool_use_id", "content")
    failed = fields.get("is_error") is True
    if failed:
        del fields["is_error"]
    if form not in {None, "missing"}:
        fields["~content"] = form
    return ToolResult(
        call_id=CallId(call_id),
        parts=parts,
        status="error" if failed else "ok",
        extra=_extra(fields),
    )


def _write_result(part: ToolResult) -> JsonObject:
    fields = notes(part.extra, WIRE)
    out: JsonObject = {"type": "tool_result", "tool_use_id": part.call_id}
    out.update(write_content(part.parts, fields.get("~content"), WIRE, write_block, "missing"))
    if part.status == "error":
        out["is_error"] = True
    return put_fields(out, fields) if fields else out


# Thinking


def _read_thinking(value: JsonObject) -> Thinking | Opaque:
    text = value.get("thinking")
    signature = value.get("signature")
    signed = isinstance(signature, str)
    if not isinstance(text, str) or not (signed or "signature" not in value):
        return opaque(value)
    return Thinking(
        text=text,
        signature=signature,
        wire=WIRE,
        bound=text_digest(text) if signed else None,
        extra=_extra(rest(value, "type", "thinking", "signature")),
    )


def _read_redacted(value: JsonObject) -> Thinking | Opaque:
    data = value.get("data")
    if not isinstance(data, str):
        return opaque(value)
    return Thinking(redacted=data, wire=WIRE, extra=_extra(rest(value, "type", "data")))


def _write_thinking(part: Thinking) -> JsonObject:
    """Proof goes back only to the form it came from; foreign thinking stands without it."""
    fields = notes(part.extra, WIRE)
    native = part.wire == WIRE
    if native and part.redacted is not None and not part.text and part.signature is None:
        return put_fields({"type": "redacted_thinking", "data": part.redacted}, fields)
    out: JsonObject = {"type": "thinking", "thinking": part.text}
    if native and part.signature is not None:
        out["signature"] = part.signature
    return put_fields(out, fields)


# Media


def _read_media(kind: MediaKind, value: JsonObject) -> Media | Opaque:
    source, title = value.get("source"), value.get("title")
    titled = kind == "document" and isinstance(title, str)
    media = _read_source(kind, source, title if titled else None) if isinstance(source, dict) else None
    if media is None or not isinstance(source, dict):
        return opaque(value)
    fields = rest(value, "type", "source", *(("title",) if titled else ()))
    if not equal(_source(media, None), source):
        written = _source(media, source["type"])
        if written is None or written.keys() - source.keys():
            return opaque(value)
        differing = {key: each for key, each in source.items() if not _holds(written, key, each)}
        fields["~source"] = {"type": source["type"], **differing}
    return replace(media, extra=Extra(WIRE, fields)) if fields else media


def _holds(written: JsonObject, key: str, value: Json) -> bool:
    return key in written and equal(written[key], value)


def _read_source(kind: MediaKind, source: JsonObject, name: str | None) -> Media | None:
    """Media of a source that is in one of the known forms; None for any other."""
    match source:
        case {"type": "base64", "data": str(data)}:
            return media_from_base64(kind, _string(source.get("media_type")), data, name=name)
        case {"type": "url", "url": str(url)}:
            return media_from_url(kind, url, name=name)
        case {"type": "file", "file_id": str(file_id)}:
            return Media(kind=kind, reference=file_id, name=name)
        case {"type": "text", "data": str(text)} if (encoded := base64_text(text)) is not None:
            return media_from_base64(kind, _string(source.get("media_type")), encoded, name=name)
        case _:
            return None


def _string(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def _write_media(part: Media) -> JsonObject:
    fields = notes(part.extra, WIRE)
    form: JsonObject = fields.get("~source", {})
    native = _source(part, form["type"]) if form else None
    if native is None:
        source = _source(part, None)
    else:
        source = {**native, **{key: copied(each) for key, each in form.items()}}
    if source is None or part.kind in {"audio", "video"}:
        return {"type": "text", "text": describe_media(part)}
    out: JsonObject = {"type": "image" if part.kind == "image" else "document", "source": source}
    if part.name is not None and part.kind != "image":
        out["title"] = part.name
    return put_fields(out, fields)


def _source(media: Media, form: str | None) -> JsonObject | None:
    """A source in one form, or in the form that fits best; None if what it needs is unknown."""
    match form or _best_form(media):
        case "base64" if media.data is not None:
            named = {} if media.media_type is None else {"media_type": media.media_type}
            return {"type": "base64", **named, "data": media.data}
        case "text" if (text := text_of(media)) is not None:
            return {"type": "text", "media_type": media.media_type, "data": text}
        case "url" if (url := url_of(media)) is not None:
            return {"type": "url", "url": url}
        case "file" if media.reference is not None:
            return {"type": "file", "file_id": media.reference}
        case _:
            return None


def _best_form(media: Media) -> str | None:
    if media.data is not None:
        return "text" if media.kind != "image" and text_of(media) is not None else "base64"
    if media.reference is None:
        return None
    return "url" if is_url(media.reference) else "file"

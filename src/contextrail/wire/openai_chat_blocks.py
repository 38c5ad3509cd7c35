"""Content blocks of OpenAI Chat Completions, both ways: text, images, audio, files, and videos of some vendors.

What is not exactly of a form that the neutral model has words for stays an `Opaque` part, whole.
Source of the forms: the Chat Completions reference (platform.openai.com/docs/api-reference/chat);
`video_url` is a form of vLLM, Qwen and OpenRouter, bare strings as `image_url` one of Mistral.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from contextrail.core.json_text import Json, JsonObject, dump_text, equal
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
from contextrail.messages.text import describe_media, part_text
from contextrail.wire.contents import copied, notes, put_fields
from contextrail.wire.extras import rest
from contextrail.wire.media import MediaKind, is_url, media_from_base64, media_from_url, url_of

WIRE: Final = "openai-chat"

FIELD: Final = "message."
"""Begins the kind of an opaque part that is a field of the message, not a block of its content."""

_URLS: Final[dict[str, MediaKind]] = {"image_url": "image", "video_url": "video"}
_AUDIO_TYPES: Final = {"mp3": "audio/mpeg"}
"""Media types of the audio formats that are not called `audio/<format>`."""

_AUDIO_FORMATS: Final = {
    **{media_type: name for name, media_type in _AUDIO_TYPES.items()},
    "audio/x-wav": "wav",
    "audio/wave": "wav",
}


def read_block(value: Json) -> Text | Media | Opaque:
    """Read one block of a message's content."""
    if isinstance(value, dict):
        match value.get("type"):
            case "text" if isinstance(value.get("text"), str):
                return _read_text(value)
            case "image_url" | "video_url" | "input_audio" | "file" as kind:
                return _read_media(kind, value)
            case _:
                pass
    return opaque(value)


def opaque(value: Json) -> Opaque:
    """A block kept whole."""
    kind = value.get("type") if isinstance(value, dict) else None
    named = isinstance(kind, str) and not kind.startswith(FIELD)
    return Opaque(wire=WIRE, kind=str(kind) if named else "block", value=value)


def write_block(part: Part) -> Json:
    """Write one part as a block; what this form has no block for is written as text."""
    match part:
        case Text() | Fence() | Summary():
            return put_fields({"type": "text", "text": part.text}, notes(part.extra, WIRE))
        case Media():
            return _write_media(part)
        case Opaque():
            if part.wire == WIRE:
                return copied(part.value)
            return {"type": "text", "text": dump_text(part.value)}
        case Thinking() | ToolCall() | ToolResult():
            return {"type": "text", "text": part_text(part)}


def _read_text(value: JsonObject) -> Text:
    kept = rest(value, "type", "text")
    return Text(text=value["text"], extra=Extra(WIRE, kept) if kept else None)


def _read_media(kind: str, value: JsonObject) -> Media | Opaque:
    inner = value.get(kind)
    kept = rest(value, "type", kind)
    media: Media | None = None
    if isinstance(inner, str) and kind in _URLS:
        media = media_from_url(_URLS[kind], inner)
        kept["~bare"] = True
    elif isinstance(inner, dict):
        media = _read_inner(kind, inner)
        if kind == "file" and media is not None and media.data is not None and not is_url(inner["file_data"]):
            kept["~bare"] = True
    if media is None:
        return opaque(value)
    if isinstance(inner, dict):
        written = _inner(media, kind, bare="~bare" in kept)
        if not isinstance(written, dict) or written.keys() - inner.keys():
            return opaque(value)
        differing = {
            key: each for key, each in inner.items() if key not in written or not equal(written[key], each)
        }
        if differing:
            kept["~inner"] = differing
    if _best_kind(media) != kind:
        kept["~type"] = kind
    return replace(media, extra=Extra(WIRE, kept)) if kept else media


def _read_inner(kind: str, inner: JsonObject) -> Media | None:
    match kind, inner:
        case (("image_url" | "video_url"), {"url": str(url)}):
            return media_from_url(_URLS[kind], url)
        case "input_audio", {"data": str(data)}:
            return media_from_base64("audio", _audio_type(inner.get("format")), data)
        case "file", {"file_data": str(data)}:
            return _read_file(data, _name(inner))
        case "file", {"file_id": str(file_id)}:
            return Media(kind="file", reference=file_id, name=_name(inner))
        case _:
            return None


def _read_file(data: str, name: str | None) -> Media:
    if not is_url(data):
        return media_from_base64("file", None, data, name=name)
    media = media_from_url("file", data, name=name)
    known = media.media_type or ""
    readable = known == "application/pdf" or known.startswith("text/")
    return replace(media, kind="document") if readable else media


def _name(inner: JsonObject) -> str | None:
    name = inner.get("filename")
    return name if isinstance(name, str) else None


def _audio_type(name: Json) -> str | None:
    return _AUDIO_TYPES.get(name.lower(), f"audio/{name.lower()}") if isinstance(name, str) else None


def _write_media(part: Media) -> JsonObject:
    stored = notes(part.extra, WIRE)
    kind = stored.get("~type") or _best_kind(part)
    inner = None if kind is None else _inner(part, kind, bare="~bare" in stored)
    if kind is None or inner is None:
        return {"type": "text", "text": describe_media(part)}
    if isinstance(inner, dict):
        inner |= {key: copied(each) for key, each in stored.get("~inner", {}).items()}
    return put_fields({"type": kind, kind: inner}, stored)


def _best_kind(media: Media) -> str | None:
    """The block that carries it; None if no block of this form can."""
    by_url = media.reference is not None and is_url(media.reference)
    match media.kind:
        case "image" if media.data is not None or by_url:
            return "image_url"
        case "audio" if media.data is not None:
            return "input_audio"
        case "image" | "document" | "file" if media.data is not None or not by_url:
            return "file"
        case _:
            return None


def _inner(media: Media, kind: str, *, bare: bool) -> JsonObject | str | None:
    """The value under a block's own name; None if what it needs is unknown.

    Args:
        media: What to write.
        kind: The block's type.
        bare: The URL stands for the object around it; of a file, the base64 text has no `data:` before it.
    """
    url = url_of(media)
    match kind:
        case "image_url" | "video_url" if url is not None:
            return url if bare else {"url": url}
        case "input_audio" if media.data is not None:
            known = media.media_type
            named = {} if known is None else {"format": _AUDIO_FORMATS.get(known, known.rpartition("/")[2])}
            return {"data": media.data, **named}
        case "file" if url is not None:
            name = {} if media.name is None else {"filename": media.name}
            if media.data is None and not is_url(url):
                return {"file_id": url, **name}
            return {**name, "file_data": media.data if bare else url}
        case _:
            return None

"""Content parts of Responses items: text, refusal, images, files, audio; both ways."""

from __future__ import annotations

from typing import Any, Final, Literal

from contextrail.core.json_text import JsonObject, dump_text
from contextrail.messages.model import Extra, Media, Opaque, Part, Text
from contextrail.messages.text import describe_media, part_text
from contextrail.wire.extras import fields, own, rest
from contextrail.wire.media import (
    MediaKind,
    is_url,
    media_from_base64,
    media_from_url,
    text_of,
    url_of,
)

WIRE: Final = "openai-responses"

Plain = Literal["input_text", "output_text"]
"""How plain text is written: `output_text` where the assistant speaks, else `input_text`."""

_TEXT_KEYS: Final = {"input_text": "text", "output_text": "text", "text": "text", "refusal": "refusal"}
"""Type of a text part: the field that holds its text."""

_MEDIA_KEYS: Final[dict[str, tuple[MediaKind, tuple[str, ...]]]] = {
    "input_image": ("image", ("image_url", "file_id")),
    "computer_screenshot": ("image", ("image_url", "file_id")),
    "input_file": ("document", ("file_data", "file_url", "file_id")),
}
"""Type of a media part: its kind, and the fields that may hold the media, the first string wins."""


def read_part(value: Any, plain: Plain) -> Text | Media | Opaque:
    """Read one element of a content list; what is not understood is opaque, whole."""
    kind = value.get("type") if isinstance(value, dict) else None
    if not isinstance(kind, str):
        return Opaque(wire=WIRE, kind="unknown", value=value)
    key = _TEXT_KEYS.get(kind)
    if key is not None and isinstance(text := value.get(key), str):
        if kind == plain and len(value) == 2:
            return Text(text=text)
        return Text(text=text, extra=Extra(WIRE, rest(value, key)))
    return _read_media(kind, value) or Opaque(wire=WIRE, kind=kind, value=value)


def write_part(part: Part, plain: Plain) -> Any:
    """Write one element of a content list; a part of another wire form as well as this one can."""
    match part:
        case Text(text=text, extra=extra):
            stored = own(extra, WIRE)
            if not stored:
                return {"type": plain, "text": text}
            written = fields(stored)
            kind = written.get("type")
            key = _TEXT_KEYS.get(kind) if isinstance(kind, str) else None
            return {**written, key: text} if key else {**written, "type": plain, "text": text}
        case Media():
            return _write_own_media(part) or _write_media(part, plain)
        case Opaque(wire="openai-responses", value=value):
            return value
        case Opaque(value=value):
            return {"type": plain, "text": dump_text(value)}
        case _:
            return {"type": plain, "text": part_text(part)}


def is_plain(part: Part) -> bool:
    """Whether a bare string can stand for the part."""
    match part:
        case Text(extra=extra):
            return not own(extra, WIRE)
        case Media():
            return False
        case Opaque(wire=wire):
            return wire != WIRE
        case _:
            return True


def plain_text(part: Part) -> str:
    """What a bare string says for the part."""
    return describe_media(part) if isinstance(part, Media) else part_text(part)


def _read_media(kind: str, value: JsonObject) -> Media | None:
    if kind == "input_audio":
        return _read_audio(value)
    if kind not in _MEDIA_KEYS:
        return None
    media_kind, keys = _MEDIA_KEYS[kind]
    key = next((key for key in keys if isinstance(value.get(key), str)), None)
    if key is None:
        return None
    given: str = value[key]
    name = value["filename"] if kind == "input_file" and isinstance(value.get("filename"), str) else None
    kept = rest(value, key) if name is None else rest(value, key, "filename")
    extra = Extra(WIRE, {**kept, "~from": key})
    if key == "file_id":
        return Media(kind=media_kind, reference=given, name=name, extra=extra)
    if key == "file_data" and given[:5].lower() != "data:":
        return media_from_base64(media_kind, None, given, extra, name=name)
    return media_from_url(media_kind, given, extra, name=name)


def _read_audio(value: JsonObject) -> Media | None:
    audio = value.get("input_audio")
    if not isinstance(audio, dict) or not isinstance(data := audio.get("data"), str):
        return None
    form = audio.get("format")
    extra = Extra(WIRE, {**rest(value, "input_audio"), "~from": "input_audio", "~audio": rest(audio, "data")})
    return media_from_base64("audio", f"audio/{form}" if isinstance(form, str) else None, data, extra)


def _write_own_media(media: Media) -> JsonObject | None:
    """The part it was read from, or None if it was not read here or has lost what that part needs."""
    stored = own(media.extra, WIRE)
    if stored is None or "~from" not in stored:
        return None
    written, key = fields(stored), stored["~from"]
    if key == "input_audio":
        if media.data is None:
            return None
        return {**written, key: {**fields(stored["~audio"]), "data": media.data}}
    bare = key == "file_data" and media.reference is None and media.media_type is None
    held = media.data if bare else url_of(media)
    if held is None:
        return None
    if media.name is not None:
        written["filename"] = media.name
    return {**written, key: held}


def _write_media(media: Media, plain: Plain) -> JsonObject:
    """Media of another wire form; as text where this form has no place for it."""
    described = {"type": plain, "text": describe_media(media)}
    url = url_of(media)
    if plain == "output_text" or url is None:
        return described
    uploaded = not is_url(url)
    if media.kind == "image":
        return {"type": "input_image", "file_id" if uploaded else "image_url": url}
    if media.kind == "audio" and media.data is not None:
        form = (media.media_type or "audio/wav").rpartition("/")[2]
        return {"type": "input_audio", "input_audio": {"data": media.data, "format": form}}
    if media.kind not in ("document", "file"):
        return described
    if (text := text_of(media)) is not None:
        return {"type": plain, "text": text}
    if media.data is None:
        return {"type": "input_file", "file_id" if uploaded else "file_url": url}
    name = media.name or f"file.{(media.media_type or 'application/bin').rpartition('/')[2]}"
    return {"type": "input_file", "filename": name, "file_data": url}

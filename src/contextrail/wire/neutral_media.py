"""Media in the neutral form: bytes ("blob"), a URL ("uri") or a provider's file ("file")."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from contextrail.core.errors import InvalidRequest
from contextrail.core.ids import Sha256
from contextrail.core.json_text import Json, JsonObject
from contextrail.messages.model import Media
from contextrail.wire.media import MediaKind, is_url, media_from_base64
from contextrail.wire.neutral_form import Form, fields_of, optional_text, read_digest, text_field

_KINDS: Final[tuple[MediaKind, ...]] = ("image", "document", "audio", "video", "file")


def _read_media(given: JsonObject) -> tuple[Media, JsonObject]:
    form = given["type"]
    data = text_field(given, "content") if form == "blob" else None
    reference = optional_text(given, "file_id" if form == "file" else "uri")
    digest, size = _facts(data)
    mime = optional_text(given, "mime_type")
    media = Media(
        kind=_kind(given),
        media_type=None if mime is None else mime.lower(),
        digest=read_digest(given, "digest") if "digest" in given else digest,
        size_bytes=_whole(given.get("size_bytes")) if "size_bytes" in given else size,
        reference=reference,
        data=data,
        name=optional_text(given, "name"),
    )
    return media, {} if _media_type(media) == form else {"~type": form}


def _write_media(part: Media, notes: Mapping[str, Json]) -> JsonObject:
    said = notes.get("~type")
    form = said if said in ("uri", "file") and part.data is None else _media_type(part)
    written = fields_of(
        str(form),
        modality=part.kind,
        mime_type=part.media_type,
        content=part.data,
        name=part.name,
        **{"file_id" if form == "file" else "uri": part.reference},
    )
    digest, size = _facts(part.data)
    if part.digest != digest:
        written["digest"] = part.digest
    if part.size_bytes != size:
        written["size_bytes"] = part.size_bytes
    return written


def _kind(given: JsonObject) -> MediaKind:
    for kind in _KINDS:
        if given.get("modality") == kind:
            return kind
    raise InvalidRequest(f"modality must be one of {', '.join(_KINDS)}", path="modality")


def _media_type(part: Media) -> str:
    if part.data is not None:
        return "blob"
    return "uri" if part.reference is None or is_url(part.reference) else "file"


def _facts(data: str | None) -> tuple[Sha256 | None, int | None]:
    """Digest and size of base64 text: said only where they differ from this."""
    if data is None:
        return None, None
    media = media_from_base64("file", None, data)
    return media.digest, media.size_bytes


def _whole(value: Json) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


MEDIA: Final = Form(
    frozenset({"type", "modality", "mime_type", "content", "uri", "file_id", "digest", "size_bytes", "name"}),
    _read_media,
    _write_media,
)

"""Media on the wire: base64 texts and `data:` URLs read into facts, and written as URLs again."""

from __future__ import annotations

import base64
import binascii
from typing import Final, Literal
from urllib.parse import unquote_to_bytes

from contextrail.core.digest import sha256
from contextrail.core.ids import Sha256
from contextrail.messages.model import Extra, Media

MediaKind = Literal["image", "document", "audio", "video", "file"]

DEFAULT_TYPE: Final = "text/plain"
"""What a `data:` URL holds that names no type (RFC 2397)."""


def media_from_base64(
    kind: MediaKind,
    media_type: str | None,
    data: str,
    extra: Extra | None = None,
    *,
    name: str | None = None,
) -> Media:
    """Media given as base64 text, with digest and size of the decoded bytes.

    Args:
        kind: What the block that holds it says it is.
        media_type: As the wire has it, in any case; None if it does not say.
        data: Base64 text, standard or URL-safe alphabet, kept exactly as it is. If it cannot be
            decoded, digest and size stay unknown.
        extra: What else the block said.
        name: File name or title.
    """
    digest, size = _facts(decode_base64(data))
    return Media(
        kind=kind,
        media_type=None if media_type is None else media_type.lower(),
        digest=digest,
        size_bytes=size,
        data=data,
        name=name,
        extra=extra,
    )


def media_from_url(
    kind: MediaKind,
    url: str,
    extra: Extra | None = None,
    *,
    media_type: str | None = None,
    name: str | None = None,
) -> Media:
    """Media given by URL. A `data:` URL is taken apart into media type and base64 data.

    `reference` is None if `url_of` writes the same URL again from type and data. For a `data:` URL
    of another form (parameters, capitals, percent-encoding) it keeps the URL as it came; data that
    was percent-encoded is then here as base64.

    Args:
        kind: What the block that holds it says it is.
        url: Any URL.
        extra: What else the block said.
        media_type: What the block says about the type beside the URL; a `data:` URL's own type wins.
        name: File name or title.
    """
    given = None if media_type is None else media_type.lower()
    if url[:5].lower() != "data:":
        return Media(kind=kind, media_type=given, reference=url, name=name, extra=extra)
    head, comma, body = url[5:].partition(",")
    if not comma:
        return Media(kind=kind, media_type=given, reference=url, name=name, extra=extra)
    found, _, parameters = head.partition(";")
    own = found.strip().lower() or DEFAULT_TYPE
    if parameters.rpartition(";")[2].strip().lower() == "base64":
        data, content = body, decode_base64(body)
    else:
        content = unquote_to_bytes(body.encode("utf-8", "surrogatepass"))
        data = base64.b64encode(content).decode()
    digest, size = _facts(content)
    media = Media(
        kind=kind,
        media_type=own,
        digest=digest,
        size_bytes=size,
        data=data,
        reference=url,
        name=name,
        extra=extra,
    )
    if data_url(own, data) != url:
        return media
    return Media(kind=kind, media_type=own, digest=digest, size_bytes=size, data=data, name=name, extra=extra)


def url_of(media: Media) -> str | None:
    """The URL it came from, else a `data:` URL of its bytes, else None."""
    if media.reference is not None:
        return media.reference
    if media.data is not None:
        return data_url(media.media_type or "application/octet-stream", media.data)
    return None


def data_url(media_type: str, data: str) -> str:
    """A `data:` URL of base64 text."""
    return f"data:{media_type};base64,{data}"


def is_url(reference: str) -> bool:
    """Whether a reference is a URL, not a provider's id of an uploaded file."""
    return "://" in reference or reference[:5].lower() == "data:"


_ENDINGS: Final = {
    "png": "image/png", "jpg": "image/jpeg", "jpeg": "image/jpeg", "gif": "image/gif", "webp": "image/webp",
    "heic": "image/heic", "heif": "image/heif", "bmp": "image/bmp", "pdf": "application/pdf", "txt": "text/plain",
    "md": "text/markdown", "csv": "text/csv", "html": "text/html", "mp3": "audio/mpeg", "wav": "audio/wav",
    "ogg": "audio/ogg", "flac": "audio/flac", "aac": "audio/aac", "mp4": "video/mp4", "mov": "video/quicktime",
    "webm": "video/webm", "mpeg": "video/mpeg",
}  # fmt: skip
_USUAL: Final = {"image": "image/jpeg", "audio": "audio/mpeg", "video": "video/mp4"}


def type_of_url(url: str, kind: str) -> str:
    """The media type that the ending of a URL tells, if it is of that kind, else the usual one of the kind."""
    name = url.partition("?")[0].partition("#")[0].rpartition("/")[2]
    told = _ENDINGS.get(name.rpartition(".")[2].lower())
    usual = _USUAL.get(kind)
    if told is not None and (usual is None or told.startswith(f"{kind}/")):
        return told
    return usual or "application/pdf"


def decode_base64(data: str) -> bytes | None:
    """The bytes of a base64 text of either alphabet, padded or not, line breaks allowed; None if it is none."""
    text = "".join(data.split()) if any(map(str.isspace, data[:80])) else data
    try:
        raw = text.encode("ascii").translate(_STANDARD)
        return binascii.a2b_base64(raw + b"=" * (-len(raw) % 4), strict_mode=True)
    except (UnicodeEncodeError, binascii.Error):
        return None


def text_of(media: Media) -> str | None:
    """The text of a plain-text document whose bytes are here; None for anything else."""
    if media.data is None or not (media.media_type or "").startswith("text/"):
        return None
    content = decode_base64(media.data)
    try:
        return None if content is None else content.decode()
    except UnicodeDecodeError:
        return None


def base64_text(text: str) -> str | None:
    """Base64 of a text's UTF-8 bytes; None if a lone surrogate has no bytes."""
    try:
        return base64.b64encode(text.encode()).decode()
    except UnicodeEncodeError:
        return None


_STANDARD: Final = bytes.maketrans(b"-_", b"+/")


def _facts(content: bytes | None) -> tuple[Sha256 | None, int | None]:
    return (None, None) if content is None else (sha256(content), len(content))

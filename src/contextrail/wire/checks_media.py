"""Checks of media sent as base64: can it be decoded, is it what it says it is, is it of a known type."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from contextrail.wire.finding import Flaw, Flaws, Path, shown
from contextrail.wire.media import decode_base64

IMAGES: Final = frozenset({"image/jpeg", "image/png", "image/gif", "image/webp"})
"""Accepted by Anthropic and OpenAI alike."""

_SNIFF: Final = 32
"""Base64 characters, enough for the longest signature below."""


def check_base64(data: str, path: Path) -> Flaws:
    """The text can be decoded, and holds something."""
    if not data.strip():
        yield Flaw("base64", path, "no data")
    elif decode_base64(data) is None:
        yield Flaw("base64", path, f"{len(data)} characters that are not base64")


def check_type(media_type: str, allowed: Collection[str], path: Path) -> Flaws:
    """The declared type is one the provider reads."""
    if media_type.lower() not in allowed:
        yield Flaw("media-type", path, f"{shown(media_type)} is not among {', '.join(sorted(allowed))}")


def check_declared(media_type: str, data: str, path: Path) -> Flaws:
    """The bytes are of the type that is declared, as far as both are known."""
    found = sniff(data)
    if found is not None and media_type.lower() in IMAGES and found != media_type.lower():
        yield Flaw("media-mismatch", path, f"declared {media_type.lower()}, the bytes are {found}")


def sniff(data: str) -> str | None:
    """The type of base64 media by its first bytes; None if they tell nothing."""
    head = decode_base64(data[:_SNIFF]) or b""
    if head.startswith(b"\x89PNG\r\n\x1a\n"):
        return "image/png"
    if head.startswith(b"\xff\xd8\xff"):
        return "image/jpeg"
    if head.startswith((b"GIF87a", b"GIF89a")):
        return "image/gif"
    if head.startswith(b"RIFF") and head[8:12] == b"WEBP":
        return "image/webp"
    return "application/pdf" if head.startswith(b"%PDF-") else None


def data_url(url: str) -> tuple[str, str] | None:
    """Media type and base64 text of a `data:` URL; None for any other URL."""
    head, comma, data = url.partition(",")
    if not comma or head[:5].lower() != "data:" or not head.lower().endswith(";base64"):
        return None
    return head[5:].partition(";")[0].strip(), data


def check_image_url(url: str, path: Path, *, strict: bool) -> Flaws:
    """An image given by URL: nothing to check unless it is a `data:` URL.

    Args:
        url: Any text.
        path: Where it stands.
        strict: Whether the server is known to take only the four image types.
    """
    if url[:5].lower() != "data:":
        return
    parsed = data_url(url)
    if parsed is None:
        yield Flaw("base64", path, "a data URL without base64")
        return
    media_type, data = parsed
    if strict:
        yield from check_type(media_type, IMAGES, path)
    yield from check_base64(data, path)

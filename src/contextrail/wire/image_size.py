"""Width and height of an image from the first bytes of its file. Reads headers only, decodes no pixels."""

from __future__ import annotations

from typing import Final

from contextrail.wire.media import decode_base64

Size = tuple[int, int]

_HEAD: Final = 4096 * 4
"""Base64 characters that hold the header of a PNG, GIF or WebP, with room to spare."""
_JPEG_HEAD: Final = 256 * 1024
"""Base64 characters in which the frame of a JPEG must begin: profiles and previews stand before it."""
_FRAMES: Final = frozenset({*range(0xC0, 0xC4), *range(0xC5, 0xC8), *range(0xC9, 0xCC), *range(0xCD, 0xD0)})
_BARE: Final = frozenset({0x01, *range(0xD0, 0xD9)})
"""JPEG markers that have no length."""


def image_size(data: str) -> Size | None:
    """`(width, height)` in pixels of base64 image data; None if the format or the header is not understood.

    Knows PNG, JPEG, GIF and WebP.
    """
    head = _decoded(data, _HEAD)
    if head.startswith(b"\xff\xd8"):
        return _jpeg(_decoded(data, _JPEG_HEAD))
    if head.startswith(b"\x89PNG\r\n\x1a\n") and head[12:16] == b"IHDR":
        return _positive(int.from_bytes(head[16:20], "big"), int.from_bytes(head[20:24], "big"))
    if head[:6] in {b"GIF87a", b"GIF89a"}:
        return _positive(int.from_bytes(head[6:8], "little"), int.from_bytes(head[8:10], "little"))
    if head.startswith(b"RIFF") and head[8:12] == b"WEBP":
        return _webp(head)
    return None


def _decoded(data: str, limit: int) -> bytes:
    """The bytes of the first `limit` characters, a multiple of four; line breaks are passed over."""
    head = "".join(data[: limit + limit // 16].split())[:limit]
    return decode_base64(head[: len(head) // 4 * 4]) or b""


def _jpeg(head: bytes) -> Size | None:
    at = 2
    while at + 9 <= len(head):
        if head[at] != 0xFF:
            return None
        marker = head[at + 1]
        if marker == 0xFF:  # fill
            at += 1
        elif marker in _BARE:
            at += 2
        elif marker in _FRAMES:
            return _positive(
                int.from_bytes(head[at + 7 : at + 9], "big"), int.from_bytes(head[at + 5 : at + 7], "big")
            )
        else:
            at += 2 + int.from_bytes(head[at + 2 : at + 4], "big")
    return None


def _webp(head: bytes) -> Size | None:
    kind = head[12:16]
    if kind == b"VP8X":
        return _positive(1 + int.from_bytes(head[24:27], "little"), 1 + int.from_bytes(head[27:30], "little"))
    if kind == b"VP8L" and head[20:21] == b"\x2f":
        bits = int.from_bytes(head[21:25], "little")
        return _positive(1 + (bits & 0x3FFF), 1 + (bits >> 14 & 0x3FFF))
    if kind == b"VP8 " and head[23:26] == b"\x9d\x01\x2a":
        return _positive(
            int.from_bytes(head[26:28], "little") & 0x3FFF, int.from_bytes(head[28:30], "little") & 0x3FFF
        )
    return None


def _positive(width: int, height: int) -> Size | None:
    return (width, height) if width and height else None

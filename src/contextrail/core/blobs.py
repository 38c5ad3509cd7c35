"""Blob: a text put aside before a request goes out, and the handle that the model sees in its place."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from contextrail.core.digest import text_digest
from contextrail.core.ids import Sha256

HANDLE: Final = re.compile(r"blob:[0-9a-f]{16}(?:[0-9a-f]{48})?(?![0-9a-f])")
"""A handle in a text: sixteen digits of a digest, as shown to the model, or all sixty-four."""


@dataclass(frozen=True, slots=True)
class Blob:
    """A text under the digest of its UTF-8 bytes (lone surrogates as they are)."""

    digest: Sha256
    text: str

    @classmethod
    def of(cls, text: str) -> Blob:
        """The text under its own digest."""
        return cls(text_digest(text), text)

    @property
    def handle(self) -> str:
        """What the model sees: `blob:` and sixteen digits, 64 bits of the digest."""
        return handle_of(self.digest)

    def data(self) -> bytes:
        """The bytes that the digest is of."""
        return self.text.encode("utf-8", "surrogatepass")


def handle_of(digest: Sha256) -> str:
    """The handle of a digest."""
    return f"blob:{digest[:16]}"


def digits_of(text: str) -> str | None:
    """The digits of a text that is a handle or a digest (or its first sixteen digits), else None."""
    digits = text.strip().removeprefix("blob:")
    return digits if re.fullmatch(r"[0-9a-f]{16}(?:[0-9a-f]{48})?", digits) else None


def page(data: bytes, offset: int, limit: int) -> bytes:
    """A piece of UTF-8 text that can be decoded by itself; pages in a row join to the whole.

    Args:
        data: UTF-8 bytes.
        offset: Where it starts, in bytes, on the border of a character.
        limit: Most bytes of it, at least 4, so that any character fits.

    Returns:
        The longest such piece; empty only at the end.
    """
    end = min(len(data), offset + limit)
    while end > offset and end < len(data) and data[end] & 0xC0 == 0x80:
        end -= 1
    return data[offset:end]

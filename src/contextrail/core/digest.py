"""SHA-256 of bytes, of text and of canonical JSON."""

from __future__ import annotations

import hashlib
import json

import msgspec

from contextrail.core.ids import Sha256

_ENCODER = msgspec.json.Encoder(order="sorted")


def sha256(data: bytes) -> Sha256:
    """Hex digest, 64 characters."""
    return Sha256(hashlib.sha256(data).hexdigest())


def text_digest(text: str) -> Sha256:
    """Digest of the UTF-8 bytes of a text; lone surrogates are hashed as they are."""
    return sha256(text.encode("utf-8", "surrogatepass"))


def canonical_json(value: object) -> bytes:
    """JSON with sorted keys and no spaces: equal values give equal bytes."""
    try:
        return _ENCODER.encode(value)
    except UnicodeEncodeError:  # a lone surrogate
        text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        return text.encode("utf-8", "surrogatepass")

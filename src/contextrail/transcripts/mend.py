"""Mend the bytes of one record so that any strict reader takes it; nothing else of it changes."""

from __future__ import annotations

from typing import Final

from contextrail.core.json_text import dump
from contextrail.transcripts.decode import (
    control_bytes,
    decode_object,
    invalid_bytes,
    lone_surrogates,
    scan,
)

_REPLACEMENT: Final = "\N{REPLACEMENT CHARACTER}".encode()


def mended(raw: bytes) -> bytes:
    r"""The record's bytes, mended; the same bytes if they need no mending.

    A byte that is not UTF-8 becomes U+FFFD, a control character in a string its escape, half of a
    surrogate pair `\ufffd`, NaN or Infinity null. A key given twice, or a number out of range, stays:
    every host reads these.
    """
    data = _replaced(raw, dict.fromkeys(invalid_bytes(raw), (1, _REPLACEMENT)))
    data = _replaced(data, {at: (1, b"\\u%04x" % data[at]) for at in control_bytes(data)})
    data = _replaced(data, dict.fromkeys(lone_surrogates(data), (6, b"\\ufffd")))
    value, flaws = decode_object(data)
    if any(flaw.kind == "not-a-number" for flaw in flaws):
        return dump(value)
    return data


def relinked(raw: bytes, key: str, old: str | None, new: str | None) -> bytes:
    """A record whose field `key` says `new` instead of `old`, else byte for byte the same where possible."""
    value, _ = scan(raw.decode(), 0)
    assert isinstance(value, dict)
    expected = {**value, key: new}
    for between in (b":", b": "):
        before = dump(key) + between + dump(old)
        patched = raw.replace(before, dump(key) + between + dump(new), 1)
        if patched != raw and scan(patched.decode(), 0)[0] == expected:
            return patched
    return dump(expected)


def _replaced(raw: bytes, places: dict[int, tuple[int, bytes]]) -> bytes:
    if not places:
        return raw
    out = bytearray()
    at = 0
    for start, (width, new) in places.items():
        out += raw[at:start] + new
        at = start + width
    return bytes(out + raw[at:])

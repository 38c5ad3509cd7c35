"""One JSON object of a file: the fast strict way, and the tolerant way that tells its flaws."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final

from contextrail.core.json_text import MAX_DEPTH, Json, JsonObject, deeper_than
from contextrail.transcripts.session import Severity

REPLACEMENT: Final = "\N{REPLACEMENT CHARACTER}"

_ESCAPES: Final = re.compile(
    rb"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(u[dD][89a-fA-F][0-9a-fA-F]{2})|.)",
    re.DOTALL,
)
_CONTROL: Final = re.compile(rb"[\x00-\x1f]")
_STRING: Final = re.compile(rb'"(?:[^"\\]++|\\.)*+"', re.DOTALL)
_ESCAPED_BYTES: Final = re.compile("[\udc80-\udcff]")


@dataclass(frozen=True, slots=True)
class Flaw:
    """Damage inside an object that could be read all the same; `byte` counts from its first byte."""

    kind: str
    severity: Severity
    detail: str
    byte: int = 0


class _Odd(ValueError):
    """Something that only the tolerant way may read."""


def healthy(line: bytes) -> JsonObject | None:
    """The object that a line is, or None if it is not exactly one object without any flaw."""
    try:
        value = _STRICT.decode(line.decode())
    except (ValueError, RecursionError):
        return None
    if not isinstance(value, dict) or too_deep(line, value) or next(lone_surrogates(line), None) is not None:
        return None
    return value


def decode_object(raw: bytes) -> tuple[JsonObject, tuple[Flaw, ...]]:
    """The value of one object that a lenient scan has accepted, and what is wrong with it.

    A byte that is not UTF-8 reads as U+FFFD; of a key given twice the last value counts, as it does
    for the hosts; a number that is none, or is out of range, reads as null. The raw bytes keep what
    was there.
    """
    notes: dict[str, Flaw] = {}
    text = _ESCAPED_BYTES.sub(REPLACEMENT, raw.decode("utf-8", "surrogateescape"))
    value = _noting(lambda flaw: notes.setdefault(flaw.kind, flaw)).decode(text)
    assert isinstance(value, dict)
    return value, (*_byte_flaws(raw), *notes.values())


def scan(text: str, at: int) -> tuple[Json, int]:
    """Read one value at `text[at]` leniently, flaws untold; the value and where it ends.

    Raises:
        json.JSONDecodeError: There is none.
        RecursionError: Nested too deep for the parser.
    """
    value: tuple[Json, int] = _LENIENT.raw_decode(text, at)
    return value


def too_deep(raw: bytes | str, value: Json) -> bool:
    """Whether a value is nested deeper than we read; `raw` is its text."""
    nested = raw.count("{") + raw.count("[") if isinstance(raw, str) else raw.count(b"{") + raw.count(b"[")
    return nested > MAX_DEPTH and deeper_than(value, MAX_DEPTH)


def lone_surrogates(raw: bytes) -> Iterator[int]:
    r"""Offsets of the six-byte escapes `\udXXX` that are half of a pair."""
    if b"\\ud" in raw or b"\\uD" in raw:
        for found in _ESCAPES.finditer(raw):
            if found.group(1):
                yield found.start()


def invalid_bytes(raw: bytes) -> Iterator[int]:
    """Offsets of the bytes that are not UTF-8."""
    text = raw.decode("utf-8", "surrogateescape")
    at = chars = 0
    for found in _ESCAPED_BYTES.finditer(text):
        at += len(text[chars : found.start()].encode("utf-8"))
        yield at
        at += 1
        chars = found.end()


def control_bytes(raw: bytes) -> Iterator[int]:
    """Offsets of the control characters that stand unescaped inside strings."""
    if _CONTROL.search(raw):
        for string in _STRING.finditer(raw):
            for found in _CONTROL.finditer(raw, string.start(), string.end()):
                yield found.start()


_BYTE_FLAWS: Final[tuple[tuple[str, Callable[[bytes], Iterator[int]], str], ...]] = (
    ("invalid-utf8", invalid_bytes, "not UTF-8, read as U+FFFD"),
    ("control-character", control_bytes, "a control character without escape in a string"),
    ("lone-surrogate", lone_surrogates, "half of a surrogate pair; no provider accepts it"),
)


def _byte_flaws(raw: bytes) -> Iterator[Flaw]:
    for kind, places, detail in _BYTE_FLAWS:
        found = list(places(raw))
        if found:
            yield Flaw(kind, "error", f"{detail}; {len(found)} in this record", found[0])


def _noting(note: Callable[[Flaw], object]) -> json.JSONDecoder:
    def pairs(items: list[tuple[str, Any]]) -> JsonObject:
        made = dict(items)
        if len(made) != len(items):
            note(Flaw("duplicate-key", "warning", "an object gives a key twice; the last value was read"))
        return made

    def constant(word: str) -> None:
        note(Flaw("not-a-number", "error", f"{word} is not a JSON number; read as null"))

    def real(digits: str) -> float | None:
        number = float(digits)
        if math.isfinite(number):
            return number
        note(Flaw("number-out-of-range", "warning", "a number is too large; read as null"))
        return None

    def whole(digits: str) -> int | None:
        try:
            return int(digits)
        except ValueError:  # longer than the interpreter reads
            note(Flaw("number-out-of-range", "warning", "a number is too long; read as null"))
            return None

    return json.JSONDecoder(
        object_pairs_hook=pairs, parse_constant=constant, parse_float=real, parse_int=whole, strict=False
    )


def _strict_pairs(items: list[tuple[str, Any]]) -> JsonObject:
    made = dict(items)
    if len(made) != len(items):
        raise _Odd
    return made


def _strict_float(digits: str) -> float:
    number = float(digits)
    if math.isfinite(number):
        return number
    raise _Odd


def _strict_constant(word: str) -> None:
    raise _Odd(word)


_STRICT: Final = json.JSONDecoder(
    object_pairs_hook=_strict_pairs, parse_constant=_strict_constant, parse_float=_strict_float
)
_LENIENT: Final = _noting(lambda _: None)

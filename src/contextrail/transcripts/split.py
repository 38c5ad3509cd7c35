"""Where the records of a damaged line begin and end. Text in, ranges out."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final, Literal

from contextrail.core.json_text import Json, JsonObject
from contextrail.transcripts.decode import scan, too_deep

PieceKind = Literal["record", "truncated", "not-json", "nul-bytes", "not-an-object", "too-deep", "bom"]

_BLANKS: Final = re.compile(r"[ \t\r\n]*")
_OBJECT: Final = re.compile(r'\{(?=[ \t\r\n]*["}])')
_CUT_WORD: Final = re.compile(
    r"-|-?I(?:n(?:f(?:i(?:n(?:i(?:t)?)?)?)?)?)?|N(?:a)?|t(?:r(?:u)?)?|f(?:a(?:l(?:s)?)?)?|n(?:u(?:l)?)?"
)
_CUT_ESCAPE: Final = re.compile(r"\\(?:u[0-9a-fA-F]{0,3})?|u[0-9a-fA-F]{0,3}")
_INSIDE: Final = frozenset(",]}")
"""What stands behind an object that is part of another."""
_SHAPES: Final = 64
_BROKEN: Final = 200
"""Damaged places that are looked into in one line; what stands behind them is one piece."""
_WORK: Final = 1 << 27
"""Characters that may be scanned in vain for one gap; keeps hostile lines from costing quadratic time."""


@dataclass(frozen=True, slots=True)
class Piece:
    """Characters `[start, end)` of a line."""

    kind: PieceKind
    start: int
    end: int


@dataclass(slots=True)
class Shapes:
    """The sets of keys that the records of a file have had: how a record is told from an inner object."""

    known: set[frozenset[str]] = field(default_factory=set)

    def add(self, value: JsonObject) -> None:
        """Remember the keys of a record that was read whole."""
        if len(self.known) < _SHAPES:
            self.known.add(frozenset(value))

    def fit(self, value: Json) -> bool:
        """Whether a value has the keys of a record seen before, and more than one of them."""
        return isinstance(value, dict) and len(value) > 1 and frozenset(value) in self.known


def split(text: str, shapes: Shapes) -> Iterator[Piece]:
    """The pieces of one line, in order; between them are only blanks.

    A record begins where another ended, where the text of a cut-off one stops being JSON, or, if a
    cut-off one happens to swallow it as a value, where an object with the keys of a record reaches to
    the end of the line. An object inside a damaged record is never taken for a record otherwise.
    """
    at = _blank_to(text, 0)
    broken = 0
    while at < len(text):
        piece = _piece(text, at, shapes) if broken < _BROKEN else Piece("not-json", at, _content_end(text))
        broken += piece.kind != "record"
        yield piece
        at = _blank_to(text, piece.end)


def _piece(text: str, at: int, shapes: Shapes) -> Piece:
    if text[at] == "\ufeff":
        return Piece("bom", at, at + 1)
    try:
        value, end = scan(text, at)
    except RecursionError:
        return Piece("too-deep", at, _content_end(text))
    except json.JSONDecodeError as error:
        if text[at] == "{":
            return _broken(text, at, error, shapes)
        return _junk(text, at)
    if isinstance(value, dict):
        return Piece("too-deep" if too_deep(text[at:end], value) else "record", at, end)
    return Piece("not-an-object", at, end) if _boundary(text, end) else _junk(text, at)


def _broken(text: str, at: int, error: json.JSONDecodeError, shapes: Shapes) -> Piece:
    """A piece that begins like an object and is none: it was cut off, by the line's end or by another."""
    if _ran_out(text, error):
        swallowed = _swallowed(text, at, shapes)
        return Piece("truncated", at, swallowed or _content_end(text))
    near = (error.pos, *range(error.pos - 1, error.pos - 9, -1), *range(error.pos + 1, error.pos + 7))
    for start in near:
        if start > at and _OBJECT.match(text, start) and _begins(text, start):
            return Piece("truncated", at, start)
    return _junk(text, at)


def _junk(text: str, at: int) -> Piece:
    """No record: everything up to the next object that stands free, or to the end of the line."""
    end = _content_end(text)
    tries = max(8, min(1000, _WORK // (end - at + 1)))
    for _, found in zip(range(tries), _OBJECT.finditer(text, at + 1, end), strict=False):
        try:
            value, stop = scan(text, found.start())
        except (json.JSONDecodeError, RecursionError):
            continue
        after = _blank_to(text, stop)
        if isinstance(value, dict) and text[after : after + 1] not in _INSIDE:
            end = found.start()
            break
    return Piece("not-json" if text[at:end].strip("\0 \t\r\n") else "nul-bytes", at, end)


def _begins(text: str, start: int) -> bool:
    """Whether a record may begin here: it is whole and stands free, or it is cut off itself."""
    try:
        _, end = scan(text, start)
    except json.JSONDecodeError:
        return True
    except RecursionError:
        return False
    return _boundary(text, end)


def _swallowed(text: str, at: int, shapes: Shapes) -> int | None:
    """Start of a whole record that a cut-off one took for its value, if there is one."""
    end = _content_end(text)
    tries = max(8, min(1000, _WORK // (end - at + 1)))
    for _, found in zip(range(tries), _OBJECT.finditer(text, at + 1), strict=False):
        try:
            value, stop = scan(text, found.start())
        except (json.JSONDecodeError, RecursionError):
            continue
        if _boundary(text, stop) and shapes.fit(value):
            return found.start()
    return None


def _ran_out(text: str, error: json.JSONDecodeError) -> bool:
    """Whether the text was JSON as far as it goes."""
    if error.msg.startswith("Unterminated string"):
        return True
    rest = text[error.pos : error.pos + 12].rstrip(" \t\r\n")
    return _blank_to(text, error.pos + len(rest)) == len(text) and (
        not rest or bool(_CUT_WORD.fullmatch(rest) or _CUT_ESCAPE.fullmatch(rest))
    )


def _boundary(text: str, at: int) -> bool:
    """Whether a record may end here: nothing follows, or another object."""
    after = _blank_to(text, at)
    return after == len(text) or text[after] == "{"


def _blank_to(text: str, at: int) -> int:
    found = _BLANKS.match(text, at)
    return found.end() if found else at


def _content_end(text: str) -> int:
    return len(text.rstrip(" \t\r\n"))

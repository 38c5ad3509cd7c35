"""JSON text to values and back, strictly: what is wrong is named with its place, nothing is guessed."""

from __future__ import annotations

import json
import math
from typing import Any, NoReturn

from contextrail.core.errors import InvalidRequest

Json = None | bool | int | float | str | list[Any] | dict[str, Any]
JsonObject = dict[str, Any]

_BOM = "\ufeff"
MAX_DEPTH = 200
"""Deeper input is refused: no provider accepts it, and the parser's own limit differs by build."""


class DuplicateKey(InvalidRequest):
    """An object names a key twice; which value was meant is unknown."""

    code = "duplicate_key"


def parse(data: bytes | str, *, place: str) -> Json:
    """Read one JSON value.

    Args:
        data: UTF-8 bytes (a byte order mark is allowed) or text.
        place: Where it stands, for the error: a file, `FILE:LINE`, or "body".

    Raises:
        InvalidRequest: Not UTF-8, not JSON, NaN or Infinity, deeper than `MAX_DEPTH`, a number too
            long or too large to read, or an object with a key twice. Facts: `place`, and `byte` or `line` and
            `column` where known.
    """
    text = decode_utf8(data, place=place) if isinstance(data, bytes) else data.removeprefix(_BOM)
    if text.startswith(_BOM):
        raise InvalidRequest(
            f"{place} begins with more than one byte order mark",
            place=place,
            cure="save it as UTF-8 without one",
        )
    try:
        value: Json = json.loads(
            text, object_pairs_hook=_object, parse_constant=_constant, parse_float=_float
        )
    except json.JSONDecodeError as error:
        raise InvalidRequest(
            f"{place} is not JSON: {error.msg.lower()} at line {error.lineno} column {error.colno}",
            place=place,
            line=error.lineno,
            column=error.colno,
            byte=len(text[: error.pos].encode("utf-8", "surrogatepass")),
        ) from None
    except RecursionError:
        raise _too_deep(place) from None
    except DuplicateKey as error:
        raise DuplicateKey(f"{place}: {error}", place=place, **error.facts) from None
    except ValueError as error:  # NaN, or an integer longer than the interpreter reads
        raise InvalidRequest(f"{place} is not JSON: {_odd(error)}", place=place) from None
    if deeper_than(value, MAX_DEPTH):
        raise _too_deep(place)
    return value


def parse_object(data: bytes | str, *, place: str) -> JsonObject:
    """Read one JSON object; anything else is refused. Errors as in `parse`."""
    value = parse(data, place=place)
    if not isinstance(value, dict):
        raise InvalidRequest(f"{place} must be a JSON object, not {kind_of(value)}", place=place)
    return value


def decode_utf8(data: bytes, *, place: str) -> str:
    """UTF-8 bytes to text, without a byte order mark.

    Raises:
        InvalidRequest: The bytes are not UTF-8; facts: `place`, `byte`.
    """
    data = data.removeprefix(b"\xef\xbb\xbf")
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise InvalidRequest(
            f"{place} is not UTF-8: byte {error.start} is 0x{data[error.start]:02x}",
            place=place,
            byte=error.start,
            cure="save the file as UTF-8",
        ) from None


def dump(value: Json | object, *, indent: int | None = None) -> bytes:
    r"""A value as UTF-8 JSON, keys in the order given. Lone surrogates leave as `\udXXX` escapes."""
    separators = (",", ":") if indent is None else (",", ": ")
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, indent=indent, separators=separators)
    try:
        return text.encode()
    except UnicodeEncodeError:
        escaped = json.dumps(value, allow_nan=False, indent=indent, separators=separators)
        return escaped.encode()


def dump_text(value: Json | object) -> str:
    """A value as compact JSON text; lone surrogates stay what they are."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def kind_of(value: object) -> str:
    """The JSON name of a value's type, with its article."""
    match value:
        case None:
            return "null"
        case bool():
            return "a boolean"
        case int() | float():
            return "a number"
        case str():
            return "a string"
        case list() | tuple():
            return "an array"
        case dict():
            return "an object"
        case _:
            return type(value).__name__


def equal(left: object, right: object) -> bool:
    """Whether two values are the same JSON value: `true` is not `1`, `1` is not `1.0`."""
    if left is right:
        return True
    if type(left) is not type(right):
        return False
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(equal(left[key], right[key]) for key in left)
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(equal, left, right))
    return left == right


def deeper_than(value: object, limit: int) -> bool:
    """Whether arrays and objects are nested more than `limit` deep. Does not recurse."""
    level = [value]
    for _ in range(limit):
        level = [
            child
            for each in level
            if isinstance(each, (dict, list))
            for child in (each.values() if isinstance(each, dict) else each)
            if isinstance(child, (dict, list))
        ]
        if not level:
            return False
    return True


def _object(pairs: list[tuple[str, Any]]) -> JsonObject:
    made = dict(pairs)
    if len(made) != len(pairs):
        seen: set[str] = set()
        twice = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
        raise DuplicateKey(f"an object names the key {twice[:80]!r} twice", key=twice[:80])
    return made


def _odd(error: ValueError) -> str:
    return "a number has too many digits to be read" if "digits" in str(error) else str(error)


def _constant(word: str) -> NoReturn:
    raise ValueError(f"{word} is not a JSON number")


def _float(word: str) -> float:
    value = float(word)
    if math.isinf(value):
        raise ValueError(f"{word[:40]} is too large a number")
    return value


def _too_deep(place: str) -> InvalidRequest:
    return InvalidRequest(f"{place} is nested deeper than {MAX_DEPTH}", place=place, limit=MAX_DEPTH)

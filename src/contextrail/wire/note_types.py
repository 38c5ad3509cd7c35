"""What the codecs' notes in an `Extra` may hold, so that a file with a forged or damaged note is refused when it is read.

A note is a key with "~" (see `extras`). Codecs write them and trust them; in a neutral file anyone can.
Notes that no codec of a wire form looks at may hold anything.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from contextrail.core.errors import InvalidRequest
from contextrail.core.json_text import Json, JsonObject, kind_of
from contextrail.messages.model import Extra
from contextrail.wire.extras import TUCKED

Check = tuple[str, Callable[[Any], bool]]
"""What must stand there, in words, and whether it does."""


def _object(value: object) -> bool:
    return isinstance(value, dict)


def _rest(value: object) -> bool:
    """What `extras.rest` gives: fields of the wire, those with "~" tucked away in an object."""
    return isinstance(value, dict) and isinstance(value.get(TUCKED, {}), dict)


def _text(value: object) -> bool:
    return isinstance(value, str)


def _place(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _limit(value: object) -> bool:
    return isinstance(value, list) and len(value) == 3 and all(map(_text, value[:2])) and _rest(value[2])


_TRUE: Final[Check] = ("true", lambda value: value is True)
_TEXT: Final[Check] = ("a string", _text)
_OBJECT: Final[Check] = ("an object", _object)
_REST: Final[Check] = ("an object of wire fields", _rest)
_PLACE: Final[Check] = ("a whole number of at least 0", _place)
_FORM: Final[Check] = ("a string or true", lambda value: value is True or _text(value))
_OPTIONAL: Final[Check] = ("a string or null", lambda value: value is None or _text(value))
_ROLE: Final[Check] = (
    "an array of at most one value",
    lambda value: isinstance(value, list) and len(value) <= 1,
)
_SOURCE: Final[Check] = (
    "an object with a type",
    lambda value: _object(value) and isinstance(value.get("type"), str),
)

NOTES: Final[Mapping[str, Mapping[str, Check | None]]] = {
    "anthropic": {
        "~content": _TEXT,
        "~input": _TEXT,
        "~joined": None,
        "~of": _TEXT,
        "~role": _ROLE,
        "~source": _SOURCE,
        "~value": None,
    },
    "openai-chat": {
        "~arguments": _TEXT,
        "~bare": _TRUE,
        "~content": _TEXT,
        "~custom": _OBJECT,
        "~field": _TEXT,
        "~function": _OBJECT,
        "~inner": _OBJECT,
        "~legacy": _TRUE,
        "~limit": _TEXT,
        "~named": _TRUE,
        "~no_id": _TRUE,
        "~role": _ROLE,
        "~type": _TEXT,
        "~unstated": _TRUE,
        "~untyped": _TRUE,
        "~value": None,
    },
    "openai-responses": {
        "~audio": _REST,
        "~content": _TEXT,
        "~from": _TEXT,
        "~input": _TEXT,
        "~item": _TRUE,
        "~nameless": _TRUE,
        "~output": _TEXT,
        "~raw": _TRUE,
        "~tools": _TRUE,
        "~unstated": _TRUE,
        "~value": None,
    },
    "gemini": {
        "~argless": _TRUE,
        "~blob": _REST,
        "~bound": _TEXT,
        "~content": _PLACE,
        "~contents": _TEXT,
        "~declaration": None,
        "~dialect": _OBJECT,
        "~form": _TEXT,
        "~group": _PLACE,
        "~held": _TEXT,
        "~id": _OPTIONAL,
        "~inner": _REST,
        "~joined": None,
        "~key": _TEXT,
        "~limit": ("an array of two strings and an object", _limit),
        "~list": _TEXT,
        "~model": _TRUE,
        "~nameless": _TRUE,
        "~parts": _FORM,
        "~response": _TEXT,
        "~role": _TEXT,
        "~schema": _OPTIONAL,
        "~signed": _TEXT,
        "~tools": _TRUE,
        "~value": None,
    },
}
"""By wire form and note; None where any value will do: a codec keeps it as it was, or only looks for `true`."""

_TOGETHER: Final[Mapping[str, tuple[str, ...]]] = {"~blob": ("~held", "~key"), "~audio": ("~from",)}
"""Notes that say nothing without others."""


def check_notes(extra: Extra, path: str) -> None:
    """Refuse an `Extra` with notes that its codec could not have written.

    Raises:
        InvalidRequest: A note holds something else than it should, or lacks the one it belongs to; `path` is the note.
    """
    known = NOTES.get(extra.wire, {})
    for name, value in extra.fields.items():
        if name[:1] != "~":
            continue
        where = f"{path}.fields.{name}"
        check = _OBJECT if name == TUCKED else known.get(name)
        if check is not None and not check[1](value):
            raise _forged(f"{where} must be {check[0]}, not {_found(value)}", where)
        for other in _TOGETHER.get(name, ()) if name in known else ():
            if other not in extra.fields:
                raise _forged(f"{where} needs {other} beside it", where)
    if extra.wire == "openai-responses" and extra.fields.get("~from") == "input_audio":
        _check_audio(extra.fields, f"{path}.fields.~from")


def _check_audio(fields: JsonObject, where: str) -> None:
    if "~audio" not in fields:
        raise _forged(f"{where} needs ~audio beside it", where)


def _found(value: Json) -> str:
    return f"{kind_of(value)} of another form" if isinstance(value, dict | list) else kind_of(value)


def _forged(message: str, path: str) -> InvalidRequest:
    return InvalidRequest(
        message,
        path=path,
        cure="take the field extra out of this object, or write the file again from its source",
    )

"""JSON values to typed ones: what does not fit is named with its path."""

from __future__ import annotations

from typing import TypeVar

import msgspec

from contextrail.core.errors import InvalidRequest

T = TypeVar("T")


def shaped(value: object, kind: type[T], *, place: str) -> T:
    """Check a JSON value against a type and make it one.

    Args:
        value: What `parse` gave.
        kind: A msgspec struct, or any type that msgspec converts to.
        place: Where the value stands, for the error.

    Raises:
        InvalidRequest: A field is missing, unknown or of the wrong type, or a name or a text that must be
            one of a few is no Unicode. Facts: `place`, `path`.
    """
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError as error:
        text, _, path = str(error).partition(" - at ")
        path = path.strip("`") or "$"
        raise InvalidRequest(
            f"{place}: {path}: {text[:1].lower()}{text[1:]}", place=place, path=path
        ) from None
    except UnicodeEncodeError:
        path = surrogate_at(value) or "$"
        raise InvalidRequest(
            f"{place}: {path} holds half a character (a lone surrogate)",
            place=place,
            path=path,
            cure="write the whole character",
        ) from None


def surrogate_at(value: object, path: str = "$") -> str | None:
    """The path of the first text or name in a JSON value that is no Unicode: a surrogate without its other half."""
    match value:
        case str():
            return path if _halved(value) else None
        case dict():
            for key, each in value.items():
                if _halved(str(key)):
                    return path
                if (found := surrogate_at(each, f"{path}.{key}")) is not None:
                    return found
        case list() | tuple():
            for index, each in enumerate(value):
                if (found := surrogate_at(each, f"{path}[{index}]")) is not None:
                    return found
        case _:
            pass
    return None


def _halved(text: str) -> bool:
    return any("\ud800" <= char <= "\udfff" for char in text)

"""Content of Anthropic and Chat messages: a string, a list of blocks, null, missing or wrong, both ways."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal, TypeVar

from contextrail.core.json_text import Json, JsonObject, kind_of
from contextrail.messages.model import Extra, Fence, Opaque, Part, Summary, Text, Wire
from contextrail.wire.extras import fields, misshapen, own

P = TypeVar("P", bound=Part)

Form = Literal["list", "null", "missing", "value", "string"]
"""How content stood on the wire, where its parts alone do not say it."""

WHOLE = "content"
"""Kind of an opaque part that is the whole content, not a block in it."""


def listed_messages(body: JsonObject) -> list[JsonObject]:
    """The messages of a body.

    Raises:
        InvalidRequest: `messages` is not an array, or one of them is not an object; facts: `place`,
            `path`, `cure`.
    """
    messages = body.get("messages")
    if not isinstance(messages, list):
        found = kind_of(messages) if "messages" in body else "missing"
        raise misshapen("$.messages", "an array", found)
    for at, message in enumerate(messages):
        if not isinstance(message, dict):
            raise misshapen(f"$.messages[{at}]", "an object", kind_of(message))
    return messages


def read_content(
    holder: JsonObject, key: str, block: Callable[[Json], P], wire: Wire
) -> tuple[tuple[P | Text | Opaque, ...], Form | None]:
    """Read the content that stands under `key`.

    Returns:
        Its parts, and its form where `write_content` could not know it.
    """
    value = holder.get(key)
    if isinstance(value, str):
        return (Text(text=value),), None
    if isinstance(value, list):
        parts = tuple([block(each) for each in value])
        return parts, "list" if not parts or _single_text(parts, wire) is not None else None
    if value is None:
        return (), "null" if key in holder else "missing"
    return (Opaque(wire=wire, kind=WHOLE, value=value),), "value"


def write_content(
    parts: Sequence[Part], form: Form | None, wire: Wire, block: Callable[[Part], Json], empty: Form
) -> JsonObject:
    """Write parts as an object with the field `content`, or without it.

    One plain text is a string unless it is noted that it stood in a list.

    Args:
        parts: What to write.
        form: The note that `read_content` gave, if the parts were read from this wire form.
        wire: This wire form.
        block: Writes one part as a block.
        empty: Form of no parts where nothing is noted.
    """
    if not parts:
        return _empty(form if form in {"list", "null", "missing"} else empty)
    first = parts[0]
    if form == "value" and len(parts) == 1 and isinstance(first, Opaque) and first.wire == wire:
        return {"content": copied(first.value)}
    text = None if form == "list" else _single_text(parts, wire)
    if text is not None:
        return {"content": text}
    return {"content": [block(part) for part in parts]}


def notes(extra: Extra | None, wire: Wire) -> JsonObject:
    """Fields and notes of this wire form, none if there are none. To be read only."""
    return own(extra, wire) or {}


def put_fields(out: JsonObject, stored: JsonObject) -> JsonObject:
    """Add the wire fields among fields and notes to an object, never over one that is there; gives it back."""
    for key, value in fields(stored).items():
        if key not in out:
            out[key] = copied(value)
    return out


def copied(value: Json) -> Json:
    """A copy that shares nothing changeable: whoever edits a body must not edit the conversation."""
    if isinstance(value, dict):
        return {key: copied(each) for key, each in value.items()}
    if isinstance(value, list):
        return [copied(each) for each in value]
    return value


def _single_text(parts: Sequence[Part], wire: Wire) -> str | None:
    """The text if the parts are one text with nothing of this wire attached."""
    if len(parts) != 1:
        return None
    part = parts[0]
    if isinstance(part, (Text, Fence, Summary)) and not own(part.extra, wire):
        return part.text
    return None


def _empty(form: Form | None) -> JsonObject:
    match form:
        case "list":
            return {"content": []}
        case "null":
            return {"content": None}
        case "string":
            return {"content": ""}
        case _:
            return {}

"""What the neutral model has no word for: fields kept in `Extra`, and taken out again.

Keys of `Extra.fields` that start with "~" are a codec's notes. A field of the wire whose own name
starts so is tucked away under the note "~fields", so that no body can forge a note.
"""

from __future__ import annotations

from typing import Any, Final

from contextrail.core.errors import InvalidRequest
from contextrail.core.json_text import JsonObject
from contextrail.messages.model import Extra, Wire

TUCKED: Final = "~fields"


def misshapen(path: str, wanted: str, found: str) -> InvalidRequest:
    """What to raise where a body has not the form that reading it needs.

    Args:
        path: Where in the body.
        wanted: What must be there, with its article.
        found: What is there, the same way.
    """
    return InvalidRequest(
        f"{path} must be {wanted}, not {found}", place="body", path=path, cure=f"put {wanted} there"
    )


def rest(value: JsonObject, *taken: str) -> JsonObject:
    """The fields of a wire object without those taken, ready for `Extra`. The object is left as it is."""
    if len(value) == len(taken) and value.keys() == set(taken):
        return {}
    kept = {key: each for key, each in value.items() if key not in taken}
    tucked = {key: kept.pop(key) for key in [key for key in kept if key[:1] == "~"]}
    return {**kept, TUCKED: tucked} if tucked else kept


def own(extra: Extra | None, wire: Wire) -> JsonObject | None:
    """Fields and notes that the codec of `wire` left, or None if it left nothing."""
    return extra.fields if extra is not None and extra.wire == wire else None


def fields(stored: JsonObject) -> JsonObject:
    """The wire fields among fields and notes, as a new object."""
    if not stored:
        return {}
    found: dict[str, Any] = {key: each for key, each in stored.items() if key[:1] != "~"}
    return {**found, **stored[TUCKED]} if TUCKED in stored else found

"""Objects of the neutral form, both ways, with nothing lost: what a form has no word for goes into `Extra`.

An object is read into a value, the value is written again, and the difference to what was there is kept
as the value's `Extra` of the wire "neutral", so that it can be put back. Where a value has an `Extra`
of another wire already, the difference stands in that one under "~neutral". An `Extra` that cannot be
put back in this way stands in the object under "extra", whole.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, Generic, Protocol, TypeVar

from contextrail.core.errors import InvalidRequest
from contextrail.core.ids import Sha256
from contextrail.core.json_text import Json, JsonObject, equal, kind_of
from contextrail.messages.model import Extra
from contextrail.wire.note_types import check_notes

WIRE: Final = "neutral"
EXTRA: Final = "extra"
_ABSENT: Final = "~absent"
"""Note: fields that this form would write and that were not there."""
_OWN: Final = "~neutral"
"""Note in the `Extra` of another wire: what the neutral object said besides."""


class Extended(Protocol):
    """A value of the message model with room for what its form cannot say."""

    @property
    def extra(self) -> Extra | None: ...


Value = TypeVar("Value", bound=Extended)


@dataclass(frozen=True, slots=True)
class Form(Generic[Value]):
    """How one kind of value stands as a JSON object, its `extra` aside.

    `read` gives the value, and notes (keys with "~") about spellings that the value cannot hold; `write`
    takes both. For every value `v` and no notes, `read(write(v))` is `v` without notes.
    """

    names: frozenset[str]
    """Every field that `read` looks at or `write` writes."""
    read: Callable[[JsonObject], tuple[Value, JsonObject]]
    write: Callable[[Value, Mapping[str, Json]], JsonObject]
    outline: Callable[[Value, Mapping[str, Json]], JsonObject] | None = None
    """What `write` writes, without the fields in `settled`."""
    settled: frozenset[str] = frozenset()
    """Fields that `read` requires and `write` is known to write as they were; writing them takes long."""


def decode_object(form: Form[Value], given: JsonObject) -> Value:
    """Read an object so that `encode_object` writes the same JSON value. Raises what `form.read` raises."""
    value, notes = form.read(given)
    written = (form.outline or form.write)(value, notes)
    for name in form.settled:
        written[name] = given[name]
    own = {**notes, **_difference(given, written)}
    if EXTRA in own and (extra := read_extra(own[EXTRA])) is not None:
        rest = {name: field for name, field in own.items() if name != EXTRA}
        if rest and extra.wire != WIRE and _OWN not in extra.fields:
            return _with_extra(value, _with_own(extra, rest))
        if not rest and equal(encode_object(form, whole := _with_extra(value, extra)), given):
            return whole
    return _with_extra(value, Extra(WIRE, own)) if own else value


def encode_object(form: Form[Value], value: Value) -> JsonObject:
    """Write a value so that `decode_object` gives an equal one."""
    foreign, own = _split(value.extra)
    bare = _with_extra(value, None)
    if own:
        flat = _overlay(form.write(bare, own), own)
        if foreign is not None:
            flat[EXTRA] = write_extra(foreign)
        if _plain(form, own) or (_keeps_type(form, own) and _reads_as(form, flat, value)):
            return flat
    written = form.write(bare, {})
    if value.extra is not None:
        written[EXTRA] = write_extra(value.extra)
    return written


def _keeps_type(form: Form[Value], own: JsonObject) -> bool:
    """Whether the field that says which form it is stays as the form writes it."""
    absent = own.get(_ABSENT)
    return "type" not in form.names or not ("type" in own or (isinstance(absent, list) and "type" in absent))


def _reads_as(form: Form[Value], written: JsonObject, value: Value) -> bool:
    try:
        return decode_object(form, written) == value
    except InvalidRequest:
        return False


def write_extra(extra: Extra) -> JsonObject:
    """An `Extra` as it stands under "extra"."""
    return {"wire": extra.wire, "fields": extra.fields}


def read_extra(given: Json, path: str = EXTRA) -> Extra | None:
    """The `Extra` that `write_extra` wrote, or None.

    Raises:
        InvalidRequest: It is one, with a note that its codec cannot have written.
    """
    match given:
        case {"wire": str(wire), "fields": dict(fields), **rest} if not rest:
            extra = Extra(wire, fields)
            check_notes(extra, path)
            return extra
        case _:
            return None


def _with_extra(value: Value, extra: Extra | None) -> Value:
    if value.extra is extra:
        return value
    return replace(value, extra=extra)  # type: ignore[type-var]


def _with_own(extra: Extra, own: JsonObject) -> Extra:
    return Extra(extra.wire, {**extra.fields, _OWN: own})


def _split(extra: Extra | None) -> tuple[Extra | None, JsonObject]:
    """The part that another wire may read, and what the neutral object said besides."""
    if extra is None:
        return None, {}
    if extra.wire == WIRE:
        return None, extra.fields
    own = extra.fields.get(_OWN)
    if not isinstance(own, dict) or not own:
        return extra, {}
    return Extra(extra.wire, {key: field for key, field in extra.fields.items() if key != _OWN}), own


def _plain(form: Form[Value], own: JsonObject) -> bool:
    """Whether these are only fields that the form does not know: they cannot change what it reads."""
    return not any(name[:1] == "~" or name == EXTRA or name in form.names for name in own)


def _difference(given: JsonObject, written: JsonObject) -> JsonObject:
    """What to lay over `written` to have `given`. A field whose own name starts with "~" gets one more."""
    own: dict[str, Any] = {
        (f"~{name}" if name.startswith("~") else name): field
        for name, field in given.items()
        if name not in written or not equal(written[name], field)
    }
    absent = [name for name in written if name not in given]
    if absent:
        own[_ABSENT] = absent
    return own


def _overlay(written: JsonObject, own: JsonObject) -> JsonObject:
    absent = own.get(_ABSENT)
    gone = absent if isinstance(absent, list) else []
    laid = {name: field for name, field in written.items() if name not in gone}
    for name, field in own.items():
        if not name.startswith("~"):
            laid[name] = field
        elif name.startswith("~~"):
            laid[name[1:]] = field
    return laid


# Fields of an object


def text_field(given: JsonObject, name: str) -> str:
    """A field that must be a string.

    Raises:
        InvalidRequest: It is missing or something else; fact `path` is the field.
    """
    value = given.get(name)
    if not isinstance(value, str):
        found = kind_of(value) if name in given else "missing"
        raise InvalidRequest(f"{name} must be a string, not {found}", path=name)
    return value


def optional_text(given: JsonObject, name: str) -> str | None:
    """A field if it is a string; what else it may be is left to the difference."""
    value = given.get(name)
    return value if isinstance(value, str) else None


def read_digest(given: JsonObject, name: str) -> Sha256 | None:
    """A field that holds a digest, if it is a string."""
    value = optional_text(given, name)
    return None if value is None else Sha256(value)


def fields_of(kind: str, **fields: Any) -> JsonObject:
    """An object of a type with those fields that are not None."""
    return {"type": kind, **{name: field for name, field in fields.items() if field is not None}}

"""What is known of a model by its name: windows, limits, tokenizer, image formula, cache."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, replace
from typing import Final

from contextrail.core.digest import canonical_json, sha256
from contextrail.core.errors import InvalidRequest
from contextrail.core.ids import Sha256
from contextrail.core.json_text import JsonObject, kind_of, parse_object

LONG_WINDOW: Final = 1_000_000
"""Tokens that the suffix "[1m]" of a model name stands for, as hosts of Claude write it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelFacts:
    """One row. None: unknown. All sizes in tokens of the model's own tokenizer."""

    pattern: str
    """What the model id begins with, vendor prefix left out; "*" at the end: whatever follows."""
    window: int | None = None
    """Request and answer together."""
    max_input: int | None = None
    """The request alone, where it is limited below the window."""
    max_output: int | None = None
    tokenizer: str | None = None
    """A tokenizer spec: "o200k", "cl100k", "estimate:FAMILY"."""
    media: str | None = None
    """An image formula of `media_cost`."""
    cache_minimum: int | None = None
    """A shorter prefix is not cached."""
    cache_ttl_s: int | None = None
    """Seconds a cached prefix lives after its last use, by default."""
    source: str | None = None
    date: str | None = None
    """Day on which the row was last compared with its source, ISO 8601."""


_GOES_ON: Final = re.compile(r"[a-z0-9]|-[0-9]{1,2}(?![0-9])")
"""The name goes on: with a letter, a digit, or a part of a version; a date has more digits."""
_INTEGERS: Final = ("window", "max_input", "max_output", "cache_minimum", "cache_ttl_s")
_NAMES: Final = tuple(field.name for field in fields(ModelFacts))


@dataclass(frozen=True, slots=True)
class ModelTable:
    """Rows in any order, no pattern twice."""

    rows: tuple[ModelFacts, ...] = ()

    @property
    def digest(self) -> Sha256:
        """Equal for equal rows in equal order."""
        return sha256(canonical_json([{name: getattr(row, name) for name in _NAMES} for row in self.rows]))

    def lookup(self, model: str | None) -> ModelFacts:
        """The row for a model id: the longest pattern that it begins with.

        A vendor's prefix ("anthropic/", "us.anthropic.", "models/", "ft:") is passed over; "." and "-"
        are the same. A version that has no row gets the row of its family, if there is one
        ("claude-opus-4-9": "claude*"), never that of another version; a name that nothing fits gets a
        row of unknowns.
        """
        if model is None:
            return ModelFacts(pattern="")
        found = max(
            (row for row in self.rows if _fits(row.pattern, model)),
            key=lambda row: len(row.pattern.rstrip("*")),
            default=ModelFacts(pattern=""),
        )
        return replace(found, window=LONG_WINDOW) if model.lower().endswith("[1m]") else found

    def overridden(self, rows: Mapping[str, object], *, place: str = "models") -> ModelTable:
        """The table with a host's own rows: `{PATTERN: {FIELD: VALUE}}`.

        A pattern that is here keeps the fields that the host does not name; another one is added.

        Raises:
            InvalidRequest: A row is not an object, names no field of a row, or a value has the wrong type.
        """
        known = {row.pattern: row for row in self.rows}
        for pattern, value in rows.items():
            given = _checked(value, place, f"$.{pattern}")
            known[pattern] = replace(known.get(pattern, ModelFacts(pattern=pattern)), **given)
        return ModelTable(tuple(known.values()))


def read_models(data: bytes, *, place: str) -> ModelTable:
    """A table from JSON: `{"models": [{"pattern": ..., FIELD: VALUE}]}`.

    Raises:
        InvalidRequest: Not JSON, another form, or a pattern twice; `place` and `path` say where.
    """
    rows = parse_object(data, place=place).get("models")
    if not isinstance(rows, list):
        raise InvalidRequest(f"{place}: $.models must be an array, not {kind_of(rows)}", place=place)
    table: dict[str, ModelFacts] = {}
    for index, value in enumerate(rows):
        path = f"$.models[{index}]"
        given = _checked(value, place, path)
        pattern = given.get("pattern")
        if not pattern or pattern in table:
            raise InvalidRequest(f"{place}: {path} needs a pattern of its own", place=place, path=path)
        table[pattern] = ModelFacts(**given)
    return ModelTable(tuple(table.values()))


def _fits(pattern: str, model: str) -> bool:
    stem = _normal(pattern.rstrip("*"))
    for name in _candidates(model):
        if name.startswith(stem) and (pattern.endswith("*") or not _GOES_ON.match(name, len(stem))):
            return True
    return False


def _candidates(model: str) -> Iterator[str]:
    """The name, and what is left of it after each possible end of a vendor's prefix."""
    name = model.lower()
    yield _normal(name)
    for mark in re.finditer("[/.:]", name):
        yield _normal(name[mark.end() :])


def _normal(name: str) -> str:
    return name.lower().replace(".", "-")


def _checked(value: object, place: str, path: str) -> JsonObject:
    if not isinstance(value, dict):
        raise InvalidRequest(
            f"{place}: {path} must be an object, not {kind_of(value)}", place=place, path=path
        )
    for name, field in value.items():
        if name not in _NAMES:
            raise InvalidRequest(
                f"{place}: {path}.{name} is not a field of a model; there are: {', '.join(_NAMES)}",
                place=place,
                path=f"{path}.{name}",
            )
        if field is None:
            continue
        number = isinstance(field, int) and not isinstance(field, bool) and field >= 1
        if not (number if name in _INTEGERS else isinstance(field, str)):
            noun = "a positive integer" if name in _INTEGERS else "a string"
            raise InvalidRequest(
                f"{place}: {path}.{name} must be {noun} or null, not {kind_of(field)}",
                place=place,
                path=f"{path}.{name}",
            )
    return value

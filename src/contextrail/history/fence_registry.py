"""Read fences from JSON: families a host registers, and what it injects into the current turn.

    {"descriptors": [{"kind", "llmRole", "placement", "lifetime", "mustKeep"?, "maxBudgetFraction"?}],
     "injections": [{"kind", "content", "attrs"?, "metadata"?}]}

Names may also be written with underscores. `metadata` is the host's own and has no effect.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal

import msgspec

from contextrail.core.errors import InvalidRequest
from contextrail.core.json_text import Json, JsonObject, kind_of
from contextrail.core.shape import shaped
from contextrail.history.fence_kinds import (
    FenceDescriptor,
    FenceInjection,
    FenceRegistry,
    Formatter,
    Placement,
)


class _Descriptor(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    kind: str
    llm_role: Literal["system", "user"]
    placement: Placement
    lifetime: Literal["turn-only", "persisted"]
    must_keep: bool = False
    max_budget_fraction: float | None = None
    formatter: Literal["host"] | None = None


class _Injection(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    kind: str
    content: str
    attrs: dict[str, Any] = {}
    metadata: Any = None


class _File(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    descriptors: tuple[_Descriptor, ...] = ()
    injections: tuple[_Injection, ...] = ()


_OPEN: Final = frozenset({"attrs", "metadata"})
"""Fields whose own names are the host's."""


def read_fences(
    value: Json, *, place: str = "fences", formatters: Mapping[str, Formatter] | None = None
) -> tuple[FenceRegistry, tuple[FenceInjection, ...]]:
    """Read families and injections.

    Args:
        value: As in the head of this file.
        place: Where it came from, for the error.
        formatters: Of the families whose formatter is the host's own, by kind.

    Raises:
        InvalidRequest: A field is unknown, missing or of the wrong type; a family is refused by
            `FenceRegistry`; an injection is of a kind that is not registered; a formatter is missing.
            Facts: `place`, `path` or `kind`.
    """
    if not isinstance(value, dict):
        raise InvalidRequest(f"{place} must be an object, not {kind_of(value)}", place=place, path="$")
    file = shaped(_snake(value), _File, place=place)
    registry = FenceRegistry(tuple(_descriptor(each, formatters or {}) for each in file.descriptors))
    injections = tuple(
        FenceInjection(kind=each.kind, content=each.content, attrs=each.attrs) for each in file.injections
    )
    check_injections(registry, injections)
    return registry, injections


def check_injections(registry: FenceRegistry | None, injections: Sequence[FenceInjection]) -> None:
    """Refuse an injection of a kind that nobody registered.

    Raises:
        InvalidRequest: Naming the kind.
    """
    for each in injections:
        if registry is None or registry.get(each.kind) is None:
            known = () if registry is None else tuple(one.kind for one in registry.descriptors)
            raise InvalidRequest(
                f"no fence of the kind {each.kind} is registered",
                kind=each.kind,
                cure=f"register it, or use one of: {', '.join(known) or 'none'}",
            )


def write_fences(registry: FenceRegistry, injections: Sequence[FenceInjection]) -> JsonObject:
    """The JSON form that `read_fences` reads; a host's formatter is only named, for no code is recorded."""
    return {
        "descriptors": [
            {
                "kind": each.kind,
                "llm_role": each.llm_role,
                "placement": each.placement,
                "lifetime": each.lifetime,
                "must_keep": each.must_keep,
                "max_budget_fraction": each.max_budget_fraction,
                "formatter": None if each.formatter is None else "host",
            }
            for each in registry.descriptors
        ],
        "injections": [
            {"kind": each.kind, "content": each.content, "attrs": each.attrs} for each in injections
        ],
    }


def _descriptor(read: _Descriptor, formatters: Mapping[str, Formatter]) -> FenceDescriptor:
    if read.formatter is not None and read.kind not in formatters:
        raise InvalidRequest(
            f"the formatter of the fence kind {read.kind} is the host's own and is not given",
            kind=read.kind,
            cure="give it under its kind",
        )
    return FenceDescriptor(
        kind=read.kind,
        llm_role=read.llm_role,
        placement=read.placement,
        lifetime=read.lifetime,
        must_keep=read.must_keep,
        max_budget_fraction=read.max_budget_fraction,
        formatter=formatters.get(read.kind),
    )


def _snake(value: Json) -> Json:
    """The same value with our spelling of every field that is ours."""
    if isinstance(value, list):
        return [_snake(each) for each in value]
    if not isinstance(value, dict):
        return value
    named: JsonObject = {}
    for key, each in value.items():
        name = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", key).lower()
        if name in named:
            raise InvalidRequest(f"{key} is given twice", path=key)
        named[name] = each if name in _OPEN else _snake(each)
    return named

"""Families of fences: where each stands, how long it lives, and how it is written."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final, Literal

from contextrail.core.errors import InvalidRequest
from contextrail.core.json_text import JsonObject

Placement = Literal["after-system", "before-current-user", "after-current-user", "after-last-tool-result"]
Formatter = Callable[[str, JsonObject], str]
"""`(content, attributes) -> text the model reads`."""

KIND: Final = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
"""How the name of a family is written, as a whole."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FenceDescriptor:
    """One family."""

    kind: str
    llm_role: Literal["system", "user"]
    placement: Placement
    lifetime: Literal["turn-only", "persisted"]
    must_keep: bool = False
    max_budget_fraction: float | None = None
    """Of the request's budget, in (0, 1]; None: no limit of its own."""
    formatter: Formatter | None = None
    """None: tags named after the kind around escaped content."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FenceInjection:
    """Content for the current turn."""

    kind: str
    content: str
    attrs: JsonObject = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class FenceRegistry:
    """The families a host has registered, in order.

    Raises:
        InvalidRequest: A kind is not kebab-case or is there twice, or a fraction is not in (0, 1].
    """

    descriptors: tuple[FenceDescriptor, ...] = ()

    def __post_init__(self) -> None:
        seen: set[str] = set()
        for each in self.descriptors:
            _check(each, seen)
            seen.add(each.kind)

    def register(self, descriptor: FenceDescriptor) -> FenceRegistry:
        """The same registry with one family more. Raises as the class does."""
        return FenceRegistry((*self.descriptors, descriptor))

    def get(self, kind: str) -> FenceDescriptor | None:
        """The family of that name, or None."""
        return next((each for each in self.descriptors if each.kind == kind), None)


def _check(descriptor: FenceDescriptor, seen: set[str]) -> None:
    kind, fraction = descriptor.kind, descriptor.max_budget_fraction
    if not KIND.fullmatch(kind):
        raise InvalidRequest(
            f"the fence kind {kind!r} is not kebab-case", kind=kind, cure="write it as in memory-context"
        )
    if kind in seen:
        raise InvalidRequest(f"the fence kind {kind} is registered twice", kind=kind)
    if fraction is not None and not 0 < fraction <= 1:
        raise InvalidRequest(
            f"max_budget_fraction of the fence kind {kind} is {fraction}, not in (0, 1]", kind=kind
        )

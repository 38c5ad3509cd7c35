"""Families of fences: where each stands, how long it lives, and how it is written."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

from contextrail.core.json_text import JsonObject

Placement = Literal["after-system", "before-current-user", "after-current-user", "after-last-tool-result"]
Formatter = Callable[[str, JsonObject], str]
"""`(content, attributes) -> text the model reads`."""


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
    """The families a host has registered, in order."""

    descriptors: tuple[FenceDescriptor, ...] = ()

    def get(self, kind: str) -> FenceDescriptor | None:
        """The family of that name, or None."""
        return next((each for each in self.descriptors if each.kind == kind), None)

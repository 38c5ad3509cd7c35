"""How many examples a property is worth, as a share of what the profile in use gives."""

from __future__ import annotations

from hypothesis import settings

_USUAL = settings().max_examples

FEW = settings(max_examples=max(20, _USUAL // 4))
"""For a rule of one function, whose inputs cost far more to make than the check."""

MANY = settings(max_examples=2 * _USUAL)
"""For what must hold of the whole: any history becomes a legal request."""

"""How many examples a property is worth."""

from __future__ import annotations

from hypothesis import settings

FEW = settings(max_examples=max(20, settings.default.max_examples // 4) if settings.default else 20)
"""For a rule of one function, whose inputs cost far more to make than the check."""

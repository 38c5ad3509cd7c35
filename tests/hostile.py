"""Work that must not grow with the square of its input: given so much of it that only linear work ends in time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import pytest

SIZE: Final = 400_000
"""Characters. Linear work takes a second or two for so many, squares many minutes."""

in_time: Final = pytest.mark.timeout(120)
"""Ends a test that does not end; long enough for linear work on a busy machine, with coverage."""


def text_of(piece: str, size: int = SIZE) -> str:
    """A text of that many characters that says one thing over and over."""
    return (piece * (size // len(piece) + 1))[:size]


def must_end(*works: Callable[[], object]) -> None:
    """Do each work; the mark `in_time` fails the test if one takes too long."""
    for work in works:
        work()

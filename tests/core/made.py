"""Values that look drawn at random and are the same in each run; nobody's secret."""

from __future__ import annotations

import string
from typing import Final

MIXED: Final = string.ascii_letters + string.digits
UPPER: Final = string.ascii_uppercase + string.digits
HEX: Final = string.digits + "abcdef"


def made(alphabet: str, length: int, seed: int = 7) -> str:
    """Characters of an alphabet, drawn by a linear congruential generator."""
    state, out = seed, []
    for _ in range(length):
        state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
        out.append(alphabet[(state >> 33) % len(alphabet)])
    return "".join(out)

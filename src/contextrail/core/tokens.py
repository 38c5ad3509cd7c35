"""What a count is: an interval of tokens, or bytes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

Unit = Literal["token", "byte"]


@dataclass(frozen=True, slots=True)
class Estimate:
    """A count known to lie in `[low, high]`, both inclusive. Exact when they are equal.

    Decisions are taken at `high`; `low` tells how much room may be there.
    """

    low: int
    high: int

    def __add__(self, other: Estimate) -> Estimate:
        return Estimate(self.low + other.low, self.high + other.high)

    @property
    def exact(self) -> bool:
        """Whether the interval is one number."""
        return self.low == self.high


ZERO: Final = Estimate(0, 0)


def exactly(count: int) -> Estimate:
    """An estimate that is no estimate."""
    return Estimate(count, count)

"""Numbers that a sentence rounds and says so: "about 500", "more than 700", 约 1.8 万. They stand for one close to them."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from typing import Final

_NUMBER: Final = re.compile(r"(?<![\w.])\d[\d,_]{0,20}(?:\.\d{1,12})?(?P<percent>\s?[%％])?", re.ASCII)
_NEAR: Final = re.compile(
    r"(?:\b(?:about|around|roughly|approximately|approx\.?|circa|close to|nearly|almost)|[~≈]|大约|大概|约|将近|接近|近)\s{0,3}$",
    re.IGNORECASE,
)
_OVER: Final = re.compile(
    r"(?:\b(?:over|more than|above|at least|well over)|>|超过|多于|大于|至少|高于)\s{0,3}$", re.IGNORECASE
)
_UNDER: Final = re.compile(
    r"(?:\b(?:less than|under|fewer than|below|at most|up to|not quite)|<|不到|不足|少于|小于|低于|至多)\s{0,3}$",
    re.IGNORECASE,
)
_BEHIND: Final = re.compile(
    r"\s{0,2}(?P<scale>[万千百亿kKM](?![A-Za-z])|thousand|million)?\s{0,2}(?P<near>[多余]|[\u4e00-\u9fff]{0,2}左右|[\u4e00-\u9fff]{0,2}上下)?"
)
_SCALES: Final = {
    "万": 1e4,
    "千": 1e3,
    "百": 1e2,
    "亿": 1e8,
    "k": 1e3,
    "m": 1e6,
    "thousand": 1e3,
    "million": 1e6,
}
_CLOSE: Final = 0.06
"""Share of a number by which "about" may miss it, and"""
_FAR: Final = 0.3
"""by which it may pass what "more than" or "less than" says."""
_POINT: Final = 1.0
"""Points by which a rounded percentage may miss a share."""


def rounded(sentence: str, known: Sequence[float], shares: Sequence[float]) -> frozenset[str]:
    """The numbers of a sentence, as they stand there, that are said to be rounded and that a known one is close to.

    Args:
        sentence: Of a summary.
        known: The numbers that the sources name, ascending.
        shares: Percentages that follow from counts in the sources, ascending.
    """
    found: set[str] = set()
    for match in _NUMBER.finditer(sentence):
        value = float(match[0].rstrip("%％ ").replace(",", "").replace("_", "") or 0)
        before = sentence[max(0, match.start() - 16) : match.start()]
        behind = _BEHIND.match(sentence, match.end())
        scale = behind["scale"] if behind else None
        near = _NEAR.search(before) is not None or bool(behind and behind["near"])
        if match["percent"]:
            good = near and _between(shares, value - _POINT, value + _POINT)
        else:
            good = _close(value * _SCALES.get((scale or "").casefold(), 1), before, known, near=near)
            half = 0.5 * 10.0 ** -len(match[0].partition(".")[2])
            by = _SCALES.get((scale or "").casefold(), 0)
            good = good or (by > 0 and _between(known, (value - half) * by, (value + half) * by))
        if good:
            found.add(match[0])
    return frozenset(found)


def _close(value: float, before: str, known: Sequence[float], *, near: bool) -> bool:
    if near:
        return _between(known, value * (1 - _CLOSE), value * (1 + _CLOSE))
    if _OVER.search(before):
        return _between(known, value, value * (1 + _FAR))
    return _UNDER.search(before) is not None and _between(known, value * (1 - _FAR), value)


def _between(known: Sequence[float], low: float, high: float) -> bool:
    at = bisect_left(known, low)
    return at < len(known) and known[at] <= high

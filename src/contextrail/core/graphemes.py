"""Where a text may be cut without breaking what a reader sees as one character.

The rules of Unicode's grapheme clusters, on the safe side: every place where they forbid a cut is
forbidden here, and a few more. Characters newer than the tables of the running Python count as letters.

Source: Unicode Standard Annex 29, revision 45, rules GB3 to GB13.
"""

from __future__ import annotations

import unicodedata
from typing import Final

_JOINER: Final = "\u200d"
_EXTENDING: Final = frozenset("\u200c\u200d\uff9e\uff9f\u0e33\u0eb3")
"""Continue a cluster without being marks: joiners, halfwidth voicing marks, the Thai and Lao vowel AM."""
_PREPENDED: Final = frozenset(
    "\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f\u0890\u0891\u08e2\u0d4e"
    "\U000110bd\U000110cd\U000111c2\U000111c3\U0001193f\U00011941\U00011a3a\U00011a84\U00011d46\U00011f02"
)
"""Belong to the character behind them (Grapheme_Cluster_Break=Prepend)."""
_VIRAMA: Final = 9
"""Canonical combining class of the signs that join two consonants."""


def border_before(text: str, at: int) -> int:
    """The last place at or before `at` where the text may be cut; 0 and the end always may be.

    Args:
        text: Any text.
        at: Index in characters; outside the text it counts as its end or beginning.
    """
    at = max(0, min(at, len(text)))
    while not _border(text, at):
        at -= 1
    return at


def border_after(text: str, at: int) -> int:
    """The first place at or after `at` where the text may be cut."""
    at = max(0, min(at, len(text)))
    while not _border(text, at):
        at += 1
    return at


def _border(text: str, at: int) -> bool:
    if at in {0, len(text)}:
        return True
    left, right = text[at - 1], text[at]
    if left < "\u0300" and right < "\u0300":
        return not (left == "\r" and right == "\n")
    if _extends(right) or left == _JOINER or left in _PREPENDED:
        return False
    if _regional(left) and _regional(right):
        return _regional_run(text, at) % 2 == 0
    if unicodedata.combining(left) == _VIRAMA and right.isalpha():
        return False
    return not _one_syllable(left, right)


def _extends(char: str) -> bool:
    return (
        char in _EXTENDING
        or unicodedata.category(char)[0] == "M"
        or "\U0001f3fb" <= char <= "\U0001f3ff"
        or "\U000e0020" <= char <= "\U000e007f"
    )


def _regional(char: str) -> bool:
    return "\U0001f1e6" <= char <= "\U0001f1ff"


def _regional_run(text: str, at: int) -> int:
    """How many regional indicators stand right before `at`: two make a flag."""
    start = at
    while start > 0 and _regional(text[start - 1]):
        start -= 1
    return at - start


def _one_syllable(left: str, right: str) -> bool:
    """Whether two Hangul characters make one syllable."""
    before, after = _hangul(left), _hangul(right)
    match before:
        case "L":
            return after in {"L", "V", "LV", "LVT"}
        case "LV" | "V":
            return after in {"V", "T"}
        case "LVT" | "T":
            return after == "T"
        case _:
            return False


def _hangul(char: str) -> str:
    code = ord(char)
    if 0xAC00 <= code <= 0xD7A3:
        return "LV" if (code - 0xAC00) % 28 == 0 else "LVT"
    if 0x1100 <= code <= 0x115F or 0xA960 <= code <= 0xA97C:
        return "L"
    if 0x1160 <= code <= 0x11A7 or 0xD7B0 <= code <= 0xD7C6:
        return "V"
    return "T" if 0x11A8 <= code <= 0x11FF or 0xD7CB <= code <= 0xD7FB else ""

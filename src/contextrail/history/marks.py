"""Marks: the lines that stand where a text was cut, and what they say of the whole."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from typing import Final

_HELD: Final = " characters left out:"
_GONE: Final = " characters left out]"
_MARK: Final = re.compile(
    rf"\[(?P<missing>\d{{1,12}}){_HELD} (?P<short>blob:[0-9a-f]{{16}})\]"
    r"|\[\.\.\. shown in part: (?P<length>[\d,]{1,15}) characters in [\d,]{1,15} lines; all of it: (?P<shown>blob:[0-9a-f]{16}) \.\.\.\]"
)


@dataclass(frozen=True, slots=True)
class Cut:
    """A text of which only the ends are there."""

    before: str
    behind: str
    length: int
    """Characters of the whole."""
    handle: str
    """Of the whole."""


def left_out(missing: int, handle: str | None) -> str:
    """The line in the middle of a shortened text."""
    return f"[{missing}{_HELD} {handle}]" if handle else f"[{missing}{_GONE}"


def shown_in_part(length: int, lines: int, handle: str) -> str:
    """The line in the middle of a preview."""
    return f"[... shown in part: {length:,} characters in {lines:,} lines; all of it: {handle} ...]"


def cut_of(text: str, ours: Collection[str]) -> Cut | None:
    """The ends and the whole of a text that was cut before; None if it was not, or more than once.

    Args:
        text: Any text; a tool may have written a line that looks like a mark.
        ours: Handles that were put into texts here: no other mark is believed.
    """
    if not ours:
        return None
    found = [mark for mark in _MARK.finditer(text) if (mark["short"] or mark["shown"]) in ours]
    if len(found) != 1:
        return None
    mark = found[0]
    before, behind = text[: mark.start()].removesuffix("\n"), text[mark.end() :].removeprefix("\n")
    if mark["short"]:
        return Cut(before, behind, len(before) + len(behind) + int(mark["missing"]), mark["short"])
    return Cut(before, behind, int(mark["length"].replace(",", "")), mark["shown"])


def is_cut_for_good(text: str) -> bool:
    """Whether a text lacks its middle and nothing says what that was: like another, it may still be of another text."""
    return _GONE in text

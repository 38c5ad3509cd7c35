"""Sentences of prose, word for word, with code left out: the unit in which rules and claims are kept or cut."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, Literal

_FENCED: Final = re.compile(r"^[ \t]*(```|~~~).*?^[ \t]*\1[^\n]*$", re.MULTILINE | re.DOTALL)
_END: Final = re.compile(r"[.!?。！？；;\n](?:(?<=[。！？；;\n])|(?=\s))")
"""The mark at an end, in a set of characters at the front: that is what the engine looks for fast."""
_ABBREVIATED: Final = re.compile(
    r"(?:\b(?:e\.g|i\.e|etc|vs|cf|approx|no|fig|dr|mr|mrs)\.|^\s*(?:\d{1,3}|[a-zA-Z])\.)$", re.IGNORECASE
)
_MARK: Final = re.compile(r"^\s*(?:[-*+•]\s+|\d{1,3}[.)]\s+|[（(]\d{1,3}[)）]\s*|#{1,6}\s+|>\s+)*")
_MARKS: Final = frozenset("-*+•（(#>")
"""What a list mark begins with, besides a digit."""


def sentences(text: str) -> list[str]:
    """The sentences of a text, in order, without list marks and outer space; code blocks are left out."""
    return [body for start, end in spans(text) if (body := bare(text[start:end]))]


def spans(text: str, *, code: Literal["skip", "include"] = "skip") -> Iterator[tuple[int, int]]:
    """Where each sentence stands: ranges of characters that cover the text, but for code blocks if they are skipped.

    A sentence ends behind . ! ? before a space, behind their full-width forms and semicolons, and at a line's end.
    """
    at = 0
    for block in _FENCED.finditer(text) if code == "skip" else ():
        yield from _split(text, at, block.start())
        at = block.end()
    yield from _split(text, at, len(text))


def bare(sentence: str) -> str:
    """A sentence without list marks and outer space."""
    first = sentence.lstrip()[:1]
    if first.isdecimal() or first in _MARKS:
        return _MARK.sub("", sentence, count=1).strip()
    return sentence.strip()


def _split(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    begin = start
    for match in _END.finditer(text, start, end):
        cut = match.start() if match[0] == "\n" else match.end()
        if cut <= begin or _ABBREVIATED.search(text[max(begin, cut - 12) : cut]):
            continue
        yield begin, cut
        begin = cut
    if begin < end:
        yield begin, end

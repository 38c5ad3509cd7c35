"""Where a secret stands in a text, and the search for what marks one. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Final

_WORDS: Final = bytes(
    byte + 32 if 0x41 <= byte <= 0x5A else byte if bytes([byte]).isalnum() else 0x20 for byte in range(256)
)
"""Small letters and digits stay, capitals become small, everything else a space."""
_ASCII: Final = bytes(range(128))


@dataclass(frozen=True, slots=True)
class Secret:
    """A secret at `[start, end)` characters of a text."""

    kind: str
    start: int
    end: int
    quote: str = ""
    """Written around the placeholder: what stands for a number in JSON must be a string."""


class Looked:
    """A text that is looked through, with what tells fast what it does not hold."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.data = text.encode("utf-8", "surrogatepass")

    @cached_property
    def small(self) -> bytes:
        """In UTF-8, ASCII letters small."""
        return self.data.lower()

    @cached_property
    def lowered(self) -> str:
        """In small letters, each character at its own place."""
        lowered = self.text.lower()
        if len(lowered) == len(self.text):
            return lowered
        return self.text.replace(
            "\u0130", "I"
        ).lower()  # the dotted capital I of Turkish becomes two characters

    @cached_property
    def words(self) -> frozenset[bytes]:
        """Every run of ASCII letters and digits, in small letters."""
        return frozenset(self.data.translate(_WORDS).split())

    @cached_property
    def beyond(self) -> bytes:
        """What is not ASCII, in UTF-8, one after another."""
        return b"" if self.data.isascii() else self.data.translate(None, _ASCII)

    def may_hold(self, mark: str) -> bool:
        """Whether a literal that begins and ends with whole words may occur; the case of letters is not told."""
        data = mark.encode()
        words = data.translate(_WORDS).split()
        return all(word in self.words for word in words) if words else data in self.data


def places(text: str, mark: str) -> Iterator[int]:
    """Where a literal occurs. Far faster than a pattern that begins with it."""
    at = text.find(mark)
    while at >= 0:
        yield at
        at = text.find(mark, at + len(mark))


def lines_with(text: str, mark: str, *, longest: int) -> Iterator[tuple[int, int]]:
    """Each line that holds a literal, from its start to its end; at most `longest` characters from the mark each way.

    What was given once is not given again.
    """
    at, end = text.find(mark), 0
    while at >= 0:
        start = max(text.rfind("\n", max(0, at - longest), at) + 1, at - longest, end)
        end = text.find("\n", at, at + longest)
        end = min(len(text), at + longest) if end < 0 else end
        yield start, end
        at = text.find(mark, max(end, at + len(mark)))

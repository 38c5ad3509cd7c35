"""Counting once: memories of bounded size, and a long text counted piece by piece.

For o200k_base and cl100k_base a text may be cut, without changing the sum of the counts,
- after a line break that is followed by a visible character other than "/": both patterns end a piece at
  the last line break of a run of white space, and o200k lets a slash follow a line break in a piece;
- before one space or mark that stands between two letters: a piece of letters begins with at most one
  such character and never ends with one.
So a text that grew at its end has the same pieces as before but the last. Only where half a million
characters hold no such place is the cut blind, which may add a token: tiktoken's pattern engine overflows
its stack at a million, and takes time squared in the length of a run of white space.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache, partial
from typing import Final, Generic, TypeVar

from contextrail.core.tokens import Estimate, exactly

PIECE: Final = 4096
"""Characters after which the next safe place is taken. Texts up to twice that are counted whole."""
_WHOLE: Final = 2 * PIECE
LONGEST: Final = 500_000
"""Characters after which a text without a safe place is cut all the same."""
_SAFE: Final = re.compile(
    "(?<=\n)(?=[^\\s/])|(?<=[A-Za-z\u4e00-\u9fff])(?=[ .,:;，。、；：][A-Za-z\u4e00-\u9fff])"
)

MEMORY: Final = 16_000_000
"""Characters of text per generation, of two; 64 MB in all if every one is Chinese, and what `TOGETHER` adds."""

whole = lru_cache(maxsize=1 << 16)(exactly)
"""`exactly`, made once for each of the counts that come again: making one takes longer than a dictionary."""

_ENTRY: Final = 64
"""Characters that a place in memory counts for, beside those of its text."""

BRIEF: Final = 1000
"""Characters up to which a text is counted sooner together with others than alone, and is known sooner by
its content than by the message that says it."""
TOGETHER: Final = 16_000
"""Texts counted together at most; the memory may outgrow its limit by so many brief ones. A library counts
sooner in one go: what it works with stays in the processor's cache."""

Key = TypeVar("Key")
Value = TypeVar("Value")


class Recent(Generic[Key, Value]):
    """A dictionary that forgets what was not asked for lately.

    Two generations: what is put or found goes into the young one; when that is full it becomes the old
    one, and the old one is dropped.
    """

    def __init__(self, limit: int) -> None:
        """`limit` is the sum of weights at which a generation is full."""
        self._limit = limit
        self._weight = 0
        self._young: dict[Key, tuple[Value, int]] = {}
        self._old: dict[Key, tuple[Value, int]] = {}

    def get(self, key: Key) -> Value | None:
        """What was put under the key, if it is still here."""
        found = self._young.get(key)
        if found is not None:
            return found[0]
        if not self._old:
            return None
        found = self._old.get(key)
        if found is None:
            return None
        self.put(key, *found)
        return found[0]

    def put(self, key: Key, value: Value, weight: int) -> None:
        """Keep a value, at least until as much again was put or found."""
        self._weight += weight
        if self._weight > self._limit and self._young:
            self._old, self._young, self._weight = self._young, {}, weight
        self._young[key] = (value, weight)

    def __len__(self) -> int:
        return len(self._young) + len(self._old.keys() - self._young.keys())


class _Texts(Generic[Value]):
    """What texts cost, each measured once. Forgotten in two generations, as in `Recent`.

    Args:
        measure: Tokens of one piece of text; additive over the cuts of `pieces`.
        many: The same for many pieces, in their order, if that is faster than one by one.
        memory: Characters of text to remember, per generation.
    """

    def __init__(
        self,
        measure: Callable[[str], Value],
        many: Callable[[list[str]], Iterable[Value]] | None = None,
        *,
        memory: int = MEMORY,
    ) -> None:
        self._measure = measure
        self._many = many or partial(map, measure)
        self._memory = memory
        self._weight = 0
        self._young: dict[str, Value] = {}
        self._old: dict[str, Value] = {}

    def _get(self, text: str) -> Value:
        known = self._young.get(text)
        return self._new(text) if known is None else known

    def _new(self, text: str) -> Value:
        """Measure a text that the young generation lacks, or take it over from the old one."""
        cost = self._old.get(text)
        if cost is None:
            cost = self._measure(text)
        weight = len(text) + _ENTRY
        self._weight += weight
        if self._weight > self._memory:
            self._old, self._young, self._weight = self._young, {}, weight
        self._young[text] = cost
        return cost

    def _all(self, texts: Sequence[str]) -> dict[str, Value]:
        """The costs of at least these texts: to be read at once, not to be changed."""
        young, old = self._young, self._old
        new = list(dict.fromkeys([text for text in texts if text not in young]))
        if new:
            self._weight += sum(map(len, new)) + _ENTRY * len(new)
            if old:
                young.update((text, old[text]) for text in new if text in old)
                new = [text for text in new if text not in old]
            young.update(zip(new, self._many(new), strict=True))
            if self._weight > self._memory:
                self._old, self._young, self._weight = young, {}, 0
        return young


class ExactMeasure(_Texts[int]):
    """Tokens of texts, exactly; each text is looked up by its content, and only new pieces are measured."""

    def __call__(self, text: str) -> Estimate:
        """Tokens of a text."""
        known = self._young.get(text)
        if known is None:
            known = self._new(text) if len(text) <= _WHOLE else sum(map(self._get, pieces(text)))
        return whole(known)

    def brief(self, texts: Sequence[str]) -> Estimate:
        """Tokens of many texts of at most `BRIEF` characters: the sum of what each alone gives, sooner."""
        return exactly(
            sum(sum(map(self._all(some).__getitem__, some)) for some in _batches(texts))  # in C, all of it
        )


class TextMeasure(_Texts[Estimate]):
    """Tokens of texts as intervals; each text is looked up by its content, and only new pieces are measured."""

    def __call__(self, text: str) -> Estimate:
        """Tokens of a text."""
        known = self._young.get(text)
        if known is None:
            return self._new(text) if len(text) <= _WHOLE else total(map(self._get, pieces(text)))
        return known

    def brief(self, texts: Sequence[str]) -> Estimate:
        """As in `ExactMeasure`."""
        return total(cost for some in _batches(texts) for cost in map(self._all(some).__getitem__, some))


def total(costs: Iterable[Estimate]) -> Estimate:
    """The sum of many."""
    low = high = 0
    for cost in costs:
        low += cost.low
        high += cost.high
    return Estimate(low, high)


def _batches(values: Sequence[Value]) -> Iterator[Sequence[Value]]:
    """A sequence in parts of at most `TOGETHER`."""
    return (values[start : start + TOGETHER] for start in range(0, len(values), TOGETHER))


def pieces(text: str, size: int = PIECE) -> Iterator[str]:
    """Cut a text at safe places, about every `size` characters; the pieces joined are the text."""
    start, end = 0, len(text)
    while end - start > 2 * size:
        found = _SAFE.search(text, start + size, start + LONGEST)
        if found is None and end - start <= LONGEST:
            break
        cut = start + LONGEST if found is None else found.start()
        yield text[start:cut]
        start = cut
    yield text[start:]

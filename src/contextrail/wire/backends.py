"""The libraries that count o200k_base and cl100k_base: tiktoken, and toktok-rs where it is installed. Does I/O.

Both give the same counts for every text, so which one counted is not part of a count's identity:
- toktok is used only after it counted a sample as tiktoken does;
- the two were built with different versions of Unicode and split texts differently around characters
  that were assigned of late. Every character outside of `_AGREED` therefore sends its text to tiktoken.
  Inside of it all 1.1 million code points were compared in 11 contexts each: no difference.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable
from functools import cache
from typing import Final

import tiktoken

from contextrail.wire.ranks import FILES, PATTERNS, Encoding, verified
from contextrail.wire.shipped import shipped

Count = Callable[[str], int]

_AGREED: Final = (
    "\x00-\u052f"  # Latin, Greek, Cyrillic
    "\u0590-\u06ff\u0900-\u097f\u0e00-\u0e7f"  # Hebrew, Arabic, Devanagari, Thai
    "\u1100-\u11ff\u1e00-\u2bff"  # Hangul parts, extended Latin and Greek, punctuation, symbols
    "\u2e80-\u9fff\uac00-\ud7a3"  # Han, kana, Hangul
    "\ue000-\uffff"  # private use, compatibility forms, full width
    "\U0001f000-\U0001faff\U00020000-\U0002a6df"  # emoji, Han extension B
)
_RARE: Final = re.compile(f"[^{_AGREED}]")

_SWITCH: Final = 2_000_000
"""Characters counted by tiktoken before toktok is loaded: loading it takes 0.8 s, in which tiktoken counts
7 MB; a short command is done sooner without it."""

SAMPLE: Final = (
    "Hello, world!  It's 12345 o'clock\n\n\tdef f(x):\n        return {'a': [1.5, 0x1F]}  # <|endoftext|>\r\n"
    "请把报表改成每小时生成一次。日本語のテキスト、한국어 문장 \U0001f680\U0001f468\u200d\U0001f4bb Привет مرحبا שלום "
    "\u00e9\u00e8 na\u00efve https://example.org/a/b?c=d&e=f //// \n/ \n\n  /x QUJDREVGR0hJSktMTU5PUA== ____ ======"
)
"""Every branch of the split patterns, and a special token's literal, which is ordinary text."""
SAMPLE_COUNTS: Final[dict[Encoding, int]] = {"o200k": 114, "cl100k": 130}
"""tiktoken's counts of `SAMPLE`."""


class ExactCount:
    """Tokens of a text in one encoding. Any text: special-token literals are text, lone surrogates U+FFFD."""

    def __init__(self, encoding: Encoding, *, switch: int = _SWITCH) -> None:
        """Loads nothing yet. `switch`: characters after which the faster library is loaded, if there is one."""
        self._encoding = encoding
        self._left = switch
        self._fast: Count | None = None

    def __call__(self, text: str) -> int:
        if self._fast is not None and (text.isascii() or not _RARE.search(text)):
            return self._fast(text)
        if self._left > 0:
            self._left -= len(text)
            if self._left <= 0:
                self._fast = fast_count(self._encoding)
        return reference_count(self._encoding)(text)

    def many(self, texts: list[str]) -> list[int]:
        """The counts of many texts, in their order."""
        fast = self._fast
        if fast is None:
            return list(map(self, texts))
        return [fast(text) if text.isascii() else self(text) for text in texts]


@cache
def reference_count(encoding: Encoding) -> Count:
    """Counting by tiktoken with the shipped ranks. Takes 0.3 s the first time."""
    name = FILES[encoding]
    library = tiktoken.Encoding(
        name,
        pat_str=PATTERNS[encoding],
        mergeable_ranks=verified(shipped(f"{name}.ranks"), name),
        special_tokens={},
    )
    encode = library.encode_ordinary

    def count(text: str) -> int:
        return len(encode(text))

    return count


@cache
def fast_count(encoding: Encoding) -> Count | None:
    """Counting by toktok, or None: it is not installed, has another interface, or counts the sample otherwise.

    It is an extra (`contextrail[fast]`), so it is looked for here and not imported above. Its public call
    starts threads, at 50 microseconds a text; the object behind it does not.
    """
    try:
        library = importlib.import_module("toktok")
        count: Count = library._encoding(FILES[encoding]).count  # noqa: SLF001
        return count if count(SAMPLE) == SAMPLE_COUNTS[encoding] else None
    except (ImportError, AttributeError, KeyError, TypeError, ValueError):
        return None

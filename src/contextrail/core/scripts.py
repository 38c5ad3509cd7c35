"""How much of a text is written in which script: the features that token estimates are made of.

No tokenizer, no table of words. ASCII is told apart by `bytes.translate`, everything else by the high
byte of its UTF-16 code units, which names a block of 256 characters; all passes run in C.
"""

from __future__ import annotations

import re
import string
from typing import Final, Literal, NamedTuple, get_args

Script = Literal[
    "words",
    "numbers",
    "dense",
    "latin",
    "cyrillic",
    "semitic",
    "other",
    "kana",
    "han",
    "hangul",
    "symbols",
    "emoji",
]
SCRIPTS: Final[tuple[Script, ...]] = get_args(Script)

_LETTERS: Final = string.ascii_letters.encode()
_DIGITS: Final = string.digits.encode()
_PUNCTUATION: Final = string.punctuation.encode()
_RUN_MINIMUM: Final = 32
"""A base64 or hex run shorter than this (a short hash, a word) is counted as words and digits."""
_RUN_CERTAIN: Final = 256
"""No word is that long: such a run is dense whatever it is made of."""
_RUN_ALPHABET: Final = _LETTERS + _DIGITS + b"+/=_-"
_RUN: Final = re.compile(rb"(?<![A-Za-z0-9+/=_-])[A-Za-z0-9+/=_-]{%d,}" % _RUN_MINIMUM)


_MARKS: Final = b"x" * _RUN_MINIMUM
_MARKED_RUNS: Final = bytes(0x78 if byte in _RUN_ALPHABET else 0x20 for byte in range(256))
"""For `bytes.translate`: what a run is made of becomes an x, all else a space."""
_ONLY_DIGITS: Final = bytes(byte if byte in _DIGITS else 0x20 for byte in range(256))
_NARROW: Final = 8
"""Fields of `ScriptCounts` that count ASCII."""


class ScriptCounts(NamedTuple):
    """Characters of a text by kind; `numbers` counts groups of digits instead. Every field is >= 0.

    A tuple, as one is made for each text that is estimated: its fields from `dense` on are those of `SCRIPTS`.
    """

    letters: int = 0
    """ASCII letters outside of dense runs, if the text is English or code; else see `latin`."""
    spaces: int = 0
    newlines: int = 0
    punctuation: int = 0
    control: int = 0
    digits: int = 0
    numbers: int = 0
    """Groups of at most three ASCII digits, outside of dense runs: one token each in o200k and cl100k."""
    dense: int = 0
    """Base64, hex and the like: unbroken runs that no vocabulary has words for."""
    latin: int = 0
    """Letters of a Latin text with accents: all its letters, if at least one in a hundred is not ASCII."""
    cyrillic: int = 0
    """Greek and Cyrillic."""
    semitic: int = 0
    """Hebrew, Arabic, Syriac, Thaana, N'Ko; Armenian too, which shares a block with Hebrew."""
    other: int = 0
    """Indic, Thai, Lao, Tibetan, Burmese, Georgian, Ethiopic, Khmer, Mongolian and whatever has no other field."""
    kana: int = 0
    han: int = 0
    hangul: int = 0
    symbols: int = 0
    """General and CJK punctuation, arrows, box drawing, full-width forms."""
    emoji: int = 0
    """Characters beyond the basic plane: emoji, rare Han, historic scripts."""


def count_scripts(text: str) -> ScriptCounts:
    """Tell the characters of a text apart by script. Linear in its length; lone surrogates are allowed."""
    plain = text.encode("ascii", "ignore")
    narrow = _ascii(plain)
    if len(plain) == len(text):
        return narrow
    latin, *wide = _wide(text, len(plain))
    if latin * 100 >= narrow.letters:
        narrow, latin = narrow._replace(letters=0), latin + narrow.letters
    return ScriptCounts(*narrow[:_NARROW], latin, *wide)


def _ascii(plain: bytes) -> ScriptCounts:
    """Counts of an ASCII text, its dense runs taken out first."""
    dense = breaks = 0
    if len(plain) >= _RUN_MINIMUM and _MARKS in plain.translate(_MARKED_RUNS):
        runs = [match.span() for match in _RUN.finditer(plain) if _dense(match.group())]
        if runs:
            cuts = [0, *(edge for span in runs for edge in span), len(plain)]
            plain = b" ".join(plain[cuts[i] : cuts[i + 1]] for i in range(0, len(cuts), 2))
            dense, breaks = sum(end - start for start, end in runs), len(runs)
    length = len(plain)
    letters = length - len(plain.translate(None, _LETTERS))
    digits = length - len(plain.translate(None, _DIGITS))
    numbers = sum([(n + 2) // 3 for n in map(len, plain.translate(_ONLY_DIGITS).split())]) if digits else 0
    spaces = plain.count(b" ") + plain.count(b"\t") - breaks
    newlines = plain.count(b"\n") + plain.count(b"\r")
    punctuation = length - len(plain.translate(None, _PUNCTUATION))
    control = length - breaks - letters - digits - spaces - newlines - punctuation
    return ScriptCounts(letters, spaces, newlines, punctuation, control, digits, numbers, dense)


def _dense(run: bytes) -> bool:
    """Whether a long run is encoded data and not a path, an identifier or a ruler of dashes."""
    digits = len(run) - len(run.translate(None, _DIGITS))
    marks = len(run) - len(run.translate(None, _PUNCTUATION))
    if marks * 4 > len(run):
        return False
    return len(run) >= _RUN_CERTAIN or digits * 12 >= len(run)


def _blocks() -> bytes:
    """For each high byte of a UTF-16 code unit, the position of its field in `_WIDE`."""
    table = bytearray([_WIDE.index("other")] * 256)
    spans = {
        "latin": [(0x00, 0x02), (0x1E, 0x1E)],
        "cyrillic": [(0x03, 0x04), (0x1F, 0x1F)],
        "semitic": [(0x05, 0x08), (0xFB, 0xFE)],
        "kana": [(0x30, 0x31)],
        "han": [(0x32, 0x9F), (0xF9, 0xFA)],
        "hangul": [(0x11, 0x11), (0xAC, 0xD7)],
        "symbols": [(0x20, 0x2F), (0xFF, 0xFF)],
        "high": [(0xD8, 0xDB)],
        "low": [(0xDC, 0xDF)],
    }
    for name, pairs in spans.items():
        for first, last in pairs:
            for block in range(first, last + 1):
                table[block] = _WIDE.index(name)
    return bytes(table)


_WIDE: Final = ("latin", "cyrillic", "semitic", "other", "kana", "han", "hangul", "symbols", "high", "low")
_BLOCKS: Final = _blocks()
_CJK_PUNCTUATION: Final = re.compile("[\u3000-\u3020]")


def _wide(text: str, ascii_count: int) -> tuple[int, ...]:
    """Counts of everything that is not ASCII: the fields of `ScriptCounts` from `latin` on."""
    kinds = text.encode("utf-16-le", "surrogatepass")[1::2].translate(_BLOCKS)
    latin, cyrillic, semitic, other, kana, han, hangul, symbols, high, low = map(
        kinds.count, range(len(_WIDE))
    )
    marks = len(_CJK_PUNCTUATION.findall(text)) if kana else 0
    return (
        latin - ascii_count,
        cyrillic,
        semitic,
        other,
        kana - marks,
        han,
        hangul,
        symbols + marks,
        max(high, low),
    )

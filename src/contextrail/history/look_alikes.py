"""What a sign is read as: by its form, its name and what it looks like, so that no spelling hides a tag."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from itertools import chain
from types import MappingProxyType
from typing import Final

SPACE: Final = " "
"""Stands for white space as it occurs in any text."""
BLANK: Final = "\0"
"""Stands for a blank that no ordinary text has, such as U+2800, a control or a private character."""
BRACKETS: Final = (
    "<\u02c2\u1438\u16b2\u2039\u226e\u227a\u2280\u22d6\u2329\u25c1\u25c2\u25c3\u25c4\u276c\u276e\u2770\u27e8\u2991"
    "\u29fc\u3008\ufe3f\ufe64\uff1c\U0001d236"
)
"""Signs that may be read as an opening bracket."""
DOUBLE_BRACKETS: Final = "\u00ab\u226a\u22d8\u27ea\u300a\ufe3d"
"""Signs that may be read as two of them, and that also quote words and titles."""
_CLOSING: Final = ">\u02c3\u1433\u16b3\u203a\u226f\u227b\u2281\u22d7\u25b7\u25b8\u25b9\u25ba\u276d\u276f\u2771\u27e9\u2992\u29fd\u3009"
_SLASHES: Final = (
    "/\\\u1735\u2041\u2044\u2215\u2216\u2571\u2572\u27cb\u27cd\u29f5\u29f6\u29f8\u29f9\u2afd\u2afb\u2cc6\u2cf9\u2e4a"
    "\u2f02\u2f03\u3033\u30ce\u31d2\u31d3\u31d4\u4e36\u4e3f\ufe68\uff0f\uff3c\uff89\U0001d20f\U0001d23a\U0001d23b"
)
_HYPHENS: Final = "-\u02d7\u06d4\u2043\u207b\u208b\u2212\u2500\u2501\u2796\u2cba\u30fc\u31d0\u4e00\uff70"
_BLANKS: Final = "\u115f\u1160\u2800\u3164\uffa0\ufffc\U00013441\U00013442\U0001d159"
_INVISIBLE: Final = (
    range(0x17B4, 0x17B6),
    range(0x180B, 0x1810),
    range(0x2060, 0x2070),
    range(0xFFF0, 0xFFF9),
    range(0xE0000, 0xE1000),
)
"""Code points that show nothing though their category does not say so (Default_Ignorable_Code_Point)."""
_LETTERS: Final = {
    "a": "\u0251\u03b1\u0391\u0430\u0410\u13aa\u15c5\ua4ee\u237a",
    "b": "\u0392\u0412\u042c\u044c\u13cf\u13f4\u15af\u15f7\ua4d0\u0184\u0185",
    "c": "\u0441\u0421\u03f2\u03f9\u2ca4\u2ca5\u13df\ua4da",
    "d": "\u0500\u0501\u13a0\u13e7\u15de\u146f\ua4d3",
    "e": "\u025b\u0395\u03b5\u0415\u0435\u0404\u0454\u04bc\u04bd\u13ac\u212e\u22ff\u2d39\ua4f0",
    "f": "\u03dc\u03dd\u0584\u15b4\ua4dd",
    "g": "\u0261\u050c\u0581\u13c0\u13f3\ua4d6",
    "h": "\u0397\u04ba\u04bb\u041d\u043d\u0570\u13bb\u13c2\u157c\u2c8e\ua4e7",
    "i": "\u0131\u0269\u026a\u0399\u03b9\u0406\u0456\u04c0\u04cf\u01c0\u05d5\u05df\u13a5\u16c1\u2373\u2d4f\ua4f2",
    "j": "\u037f\u03f3\u0408\u0458\u13ab\ua4d9",
    "k": "\u039a\u03ba\u041a\u043a\u13e6\u2c94\u2c95\ua4d7",
    "l": "\u053c\u13de\u14aa\ua4e1",
    "m": "\u039c\u03fa\u041c\u043c\u13b7\u15f0\u2c98\ua4df",
    "n": "\u039d\u03b7\u0578\u057c\u043f\u2c9a\ua4e0",
    "o": "\u039f\u03bf\u03c3\u041e\u043e\u0555\u0585\u05e1\u101d\u10ff\u25cb\u25ef\u2c9e\u2c9f\u2d54\u3007\ua4f3",
    "p": "\u03a1\u03c1\u0420\u0440\u13e2\u146d\u2374\u2ca2\u2ca3\ua4d1",
    "q": "\u051a\u051b\u0563\u0566\u2d55",
    "r": "\u0433\u13a1\u13d2\u1587\u1d26\u2c84\u2c85\ua4e3",
    "s": "\u0405\u0455\u054f\u13d5\u13da\ua4e2",
    "t": "\u03a4\u03c4\u0422\u0442\u13a2\u2ca6\u2ca7\ua4d4",
    "u": "\u028a\u03c5\u054d\u057d\u1200\u144c\ua4f4",
    "v": "\u03bd\u0474\u0475\u05d8\u13d9\u2d38\ua4e6",
    "w": "\u03c9\u0460\u0461\u051c\u051d\u0561\u13b3\ua4ea",
    "x": "\u03a7\u03c7\u0425\u0445\u1541\u166d\u2cac\u2cad\ua4eb",
    "y": "\u0263\u03a5\u03b3\u03d2\u0423\u0443\u04ae\u04af\u10e7\u13bd\u2ca8\ua4ec",
    "z": "\u0396\u13c3\u1d22\ua4dc",
}
"""Letters of other scripts that are drawn like one of ours; those with an accent are taken apart first."""
_READ_AS: Final = MappingProxyType(
    dict(
        chain(
            ((sign, "<") for sign in BRACKETS),
            ((sign, ">") for sign in _CLOSING),
            ((sign, "/") for sign in _SLASHES),
            ((sign, "-") for sign in _HYPHENS),
            ((sign, BLANK) for sign in _BLANKS),
            ((sign, letter) for letter, signs in _LETTERS.items() for sign in signs),
        )
    )
)
_SHAPES: Final = str.maketrans({"i": "l", "1": "l", "0": "o", "m": "rn", "w": "vv"})
"""Letters that many typefaces draw alike; names are compared in this form on both sides."""
_NAMED: Final = re.compile(
    r"(?:LATIN (?:CAPITAL |SMALL )?LETTER|LATIN LETTER SMALL CAPITAL|REGIONAL INDICATOR SYMBOL LETTER)"
    r" (?:DOTLESS |SCRIPT |LONG |OPEN )?([A-Z])(?: WITH .*)?\Z"
)


@lru_cache(maxsize=8192)
def read_as(sign: str) -> str:
    """What one character is read as: letters in one plain form, `SPACE`, `BLANK`, or "" for what nobody sees.

    Compatibility forms (NFKD), accents, case, scripts and typefaces make no difference.
    """
    shown = _by_kind(sign)
    if shown is not None:
        return shown
    named = _NAMED.search(unicodedata.name(sign, ""))
    if named is not None:
        return named.group(1).lower().translate(_SHAPES)
    digit = unicodedata.decimal(sign, None)
    if digit is not None:
        return str(digit).translate(_SHAPES)
    apart = unicodedata.normalize("NFKD", sign)
    plain = sign.casefold() if apart == sign else apart
    return sign.translate(_SHAPES) if plain == sign else "".join(map(read_as, plain))


def _by_kind(sign: str) -> str | None:
    """What is read where the table or the kind of sign says it."""
    known = _READ_AS.get(sign)
    if known is not None:
        return known.translate(_SHAPES)
    if sign.isspace():
        return SPACE
    category = unicodedata.category(sign)
    if category in {"Cf", "Mn", "Me", "Cs"} or any(ord(sign) in each for each in _INVISIBLE):
        return ""
    return {"Cc": BLANK, "Cn": BLANK, "Co": BLANK, "Pd": "-"}.get(category)


def seen(text: str) -> str:
    """A text in the form in which names are compared, blanks left out."""
    return "".join(map(read_as, text)).replace(SPACE, "").replace(BLANK, "")

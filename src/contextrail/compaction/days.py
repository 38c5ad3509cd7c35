"""Days of the week in a text, in English and Chinese: a summary may not move an appointment."""

from __future__ import annotations

import re
from typing import Final

_NAMES: Final = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_ENGLISH: Final = re.compile(
    r"\b(?:(?:mon|tues|wednes|thurs|fri|satur|sun)days?|(?:Mon|Tue|Tues|Wed|Thu|Thur|Thurs|Fri|Sat|Sun)(?=[ ,.]|$))",
    re.IGNORECASE,
)
_CHINESE: Final = re.compile(r"(?:周|星期|礼拜)([一二三四五六日天])(?![个次种些般直定样])")
_HAN: Final = {each: at for at, each in enumerate("一二三四五六日")} | {"天": 6}


def weekdays(text: str) -> dict[str, int]:
    """The days that a text names, each as it stands there, with its number: Monday is 0."""
    found = {
        match[0]: number
        for match in _ENGLISH.finditer(text)
        for number, name in enumerate(_NAMES)
        if name.startswith(match[0].casefold()[:3]) and match[0][0].isupper()
    }
    return found | {match[0]: _HAN[match[1]] for match in _CHINESE.finditer(text)}

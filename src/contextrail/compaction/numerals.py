"""Numbers written as words, English and Chinese, as digits: "forty-one tests" and "四十一个测试" name 41."""

from __future__ import annotations

import re
from typing import Final

_SMALL: Final = {
    word: value
    for value, word in enumerate(
        [
            "zero",
            "one",
            "two",
            "three",
            "four",
            "five",
            "six",
            "seven",
            "eight",
            "nine",
            "ten",
            "eleven",
            "twelve",
            "thirteen",
            "fourteen",
            "fifteen",
            "sixteen",
            "seventeen",
            "eighteen",
            "nineteen",
        ]
    )
}
_TENS: Final = {
    word: 10 * value
    for value, word in enumerate(
        ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"], start=2
    )
}
_SCALES: Final = {"hundred": 100, "thousand": 1000}
_ANY: Final = "|".join(sorted([*_SMALL, *_TENS, *_SCALES], key=len, reverse=True))
_ENGLISH: Final = re.compile(
    rf"\b(?=[efhnostz])(?:{_ANY})\b(?:[ -](?:and )?(?:{_ANY})\b){{0,6}}", re.IGNORECASE
)
_HAN_DIGITS: Final = {each: value for value, each in enumerate("零一二三四五六七八九")} | {"两": 2, "〇": 0}
_HAN_SCALES: Final = {"十": 10, "百": 100, "千": 1000}
_MEASURES: Final = "个条项次处行份台页秒分小时天%％名位款种批组"
_CHINESE: Final = re.compile(
    rf"[零〇一二两三四五六七八九十百千]{{1,9}}(?=\s*(?:[{_MEASURES}]|失败|通过|报错|错误|警告|文件|测试|用例))"
)
_RATHER_A_WORD: Final = re.compile(r"\b(?:only|just|exactly|仅|只有)\s*$|(?:仅|只有?|共)$", re.IGNORECASE)
"""What makes "one" a number. Elsewhere it is an article: "one test fails" does not say that others pass."""


def digits(text: str) -> str:
    """The text with number words as digits; "one" and 一 stay, unless "only" stands before them."""
    return _CHINESE.sub(_han, _ENGLISH.sub(_english, text))


def _english(match: re.Match[str]) -> str:
    words = [word for word in re.split(r"[ -]", match[0].casefold()) if word != "and"]
    if words == ["one"] and not _RATHER_A_WORD.search(
        match.string[max(0, match.start() - 12) : match.start()]
    ):
        return match[0]
    total = part = 0
    for word in words:
        if word in _SCALES:
            part = max(part, 1) * _SCALES[word]
            if word == "thousand":
                total, part = total + part, 0
        else:
            part += _SMALL.get(word, _TENS.get(word, 0))
    return str(total + part)


def _han(match: re.Match[str]) -> str:
    before = match.string[max(0, match.start() - 3) : match.start()]
    if match[0] == "一" and not _RATHER_A_WORD.search(before):
        return match[0]
    if before.endswith("第"):
        return match[0]
    total, last = 0, 0
    for each in match[0]:
        if each in _HAN_SCALES:
            total, last = total + (last or 1) * _HAN_SCALES[each], 0
        else:
            last = last * 10 + _HAN_DIGITS[each] if last and len(match[0]) > 1 else _HAN_DIGITS[each]
    return str(total + last)

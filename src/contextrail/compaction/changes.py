"""Values that went from one to another, and which way: 8 to 64 is not 64 to 8."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Final

_NUMBER: Final = r"\d[\d,_]{0,20}(?:\.\d{1,12}){0,3}"
_UNIT: Final = r"(?:[ \t]{0,2}(?:[A-Za-z%]{1,16}|[\u4e00-\u9fff]{1,3}?))?"
_FROM_TO: Final = re.compile(
    rf"\bfrom[ \t]+(?P<a>{_NUMBER}){_UNIT}[ \t]+(?:up[ \t]+|down[ \t]+)?to[ \t]+(?P<b>{_NUMBER})"
    rf"|[从由][ \t]?(?P<a2>{_NUMBER}){_UNIT}[ \t]?(?:改为|改成|改到|改至|变为|变成|调整为|调整到|调到|调为|提高到|提升到|提高至|增加到|增至|升到|升至|升级到|降到|降至|降低到|减少到|减到|减至|扩大到|缩小到|到|至)[ \t]?(?P<b2>{_NUMBER})"
    rf"|(?<![\w.])(?P<a3>{_NUMBER})[ \t]{{0,2}}(?:->|=>|→|➜)[ \t]{{0,2}}(?P<b3>{_NUMBER})",
    re.IGNORECASE,
)
_TO: Final = re.compile(
    rf"\b(?:(?P<up>rais|increas|enlarg|lift|grow|grew|bump|doubl)|(?P<down>lower|reduc|decreas|shr[iau]nk|cut|halv))\w*[^.;,\n]{{0,40}}?\bto[ \t]+(?P<b>{_NUMBER})"
    rf"|(?:(?P<up2>提高|提升|增加|增大|调高|扩大|升)|(?P<down2>降低|减少|减小|调低|缩小|降))[到至为成][ \t]?(?P<b2>{_NUMBER})",
    re.IGNORECASE,
)
_JOINED: Final = re.compile(r"from[ \t]|[从由→➜]|[-=]>", re.IGNORECASE)
"""One of these stands in all that tells of a change: a quick look before a slow one."""
_SED: Final = re.compile(r"\bs([/|#,])([^/|#,\n]{1,200})\1([^/|#,\n]{0,200})\1")
_MINUS_PLUS: Final = re.compile(r"^-(?!--)([^\n]{1,400})\n\+(?!\+\+)([^\n]{1,400})$", re.MULTILINE)
_IN: Final = re.compile(rf"(?<![\w.]){_NUMBER}|\w+|\S", re.ASCII)
_OLD_NEW: Final = (
    ("old_string", "new_string"), ("old_str", "new_str"), ("old", "new"), ("old_text", "new_text"), ("oldText", "newText"),
    ("search", "replace"), ("before", "after"), ("find", "replace"), ("oldString", "newString"),
)  # fmt: skip
_LONGEST: Final = 2_000
"""Characters of an edit that are compared."""


class Changes:
    """Which number became which. Built once."""

    def __init__(self, edits: Iterable[tuple[str, str]], texts: Iterable[str]) -> None:
        """Reads the span.

        Args:
            edits: What was replaced, and by what.
            texts: Everything that may tell of a change.
        """
        self._known: set[tuple[str, str]] = set()
        for old, new in edits:
            self._known |= _differ(old, new)
        for text in texts:
            self._known |= set(_told(text))
            if "\n+" in text:
                for match in _MINUS_PLUS.finditer(text):
                    self._known |= _differ(match[1], match[2])
            for match in _SED.finditer(text):
                self._known |= _differ(match[2], match[3])
        self._sources: defaultdict[str, set[str]] = defaultdict(set)
        for old, new in self._known:
            self._sources[new].add(old)

    def turned(self, sentence: str) -> str | None:
        """The change that a sentence tells the wrong way round; None if there is none."""
        for match in _FROM_TO.finditer(sentence):
            old, new = _ends(match)
            if (new, old) in self._known and (old, new) not in self._known:
                return match[0]
        for match in _TO.finditer(sentence):
            new = _value(match["b"] or match["b2"])
            old_values = [float(old) for old in self._sources.get(new, ()) if _plain(old)]
            if not old_values or not _plain(new) or len(old_values) != len(self._sources[new]):
                continue
            up = bool(match["up"] or match["up2"])
            if (
                all(old > float(new) for old in old_values)
                if up
                else all(old < float(new) for old in old_values)
            ):
                return match[0]
        return None


def tells_change(sentence: str) -> bool:
    """Whether a sentence tells of a number that became another."""
    return _FROM_TO.search(sentence) is not None or _TO.search(sentence) is not None


def edits_of(given: dict[str, object]) -> Iterator[tuple[str, str]]:
    """What the arguments of an edit replace, and by what; of several edits each."""
    for old, new in _OLD_NEW:
        before, after = given.get(old), given.get(new)
        if isinstance(before, str) and isinstance(after, str):
            yield before, after
    more = given.get("edits")
    for each in more if isinstance(more, list) else ():
        if isinstance(each, dict):
            yield from edits_of(each)


def _differ(old: str, new: str) -> set[tuple[str, str]]:
    """The numbers that differ between two texts that are the same otherwise; or the only ones in each."""
    lines = old[:_LONGEST].splitlines(), new[:_LONGEST].splitlines()
    if len(lines[0]) == len(lines[1]) > 1:
        return {pair for a, b in zip(*lines, strict=True) if a != b for pair in _differ(a, b)}
    first, second = _IN.findall(old[:_LONGEST]), _IN.findall(new[:_LONGEST])
    numbers = [[each for each in side if each[0].isdecimal()] for side in (first, second)]
    alike = [[each for each in side if not each[0].isdecimal()] for side in (first, second)]
    if len(numbers[0]) != len(numbers[1]) or (alike[0] != alike[1] and len(numbers[0]) != 1):
        return set()
    return {(_value(a), _value(b)) for a, b in zip(*numbers, strict=True) if a != b}


def _told(text: str) -> Iterator[tuple[str, str]]:
    if not _JOINED.search(text):
        return
    for match in _FROM_TO.finditer(text):
        yield _ends(match)


def _ends(match: re.Match[str]) -> tuple[str, str]:
    return _value(match["a"] or match["a2"] or match["a3"]), _value(match["b"] or match["b2"] or match["b3"])


def _value(number: str) -> str:
    return number.replace(",", "").replace("_", "").rstrip(".")


def _plain(number: str) -> bool:
    return re.fullmatch(r"\d+(?:\.\d+)?", number) is not None

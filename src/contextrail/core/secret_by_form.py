"""Secrets by the form that their provider gave them. Pure."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator
from typing import Final

from contextrail.core.secret_forms import BEHIND, FORMS, KNOWN_EXAMPLES, LOOSE, SPLIT_MARKS
from contextrail.core.secret_names import entropy, is_stand_in
from contextrail.core.secret_span import Looked, Secret, places

_PATTERNS: Final = tuple((kind, marks, re.compile(pattern)) for kind, marks, pattern in FORMS)
_RUNS: Final = bytes(0x61 if re.match(rb"[A-Za-z0-9_-]", bytes([byte])) else 0x20 for byte in range(256))
"""Every byte of a word becomes "a", every other a space: long words are then found by a plain search."""
_LONG: Final = b"a" * 16
"""No key is shorter, or has all its pieces shorter than this."""
_MARKS: Final = tuple((mark, mark.encode()) for _, marks, _ in FORMS for mark in marks)
_SPLIT: Final = tuple((mark, mark.encode(), word) for mark, word in SPLIT_MARKS)
_ZHIPU: Final = re.compile(
    r"(?<![A-Za-z0-9_./-])[0-9a-f]{32}\.(?=[A-Za-z0-9]{0,15}[A-Z])(?=[A-Za-z0-9]{0,15}[a-z])[A-Za-z0-9]{16}(?![A-Za-z0-9_.])"
)
"""The key of Zhipu: nothing marks it, so every dot is looked at."""
_DISCORD: Final = re.compile(
    r"(?<![A-Za-z0-9_-])(?P<user>[MNO][A-Za-z0-9]{23,27})\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,40}(?![A-Za-z0-9_-])"
)
_LETTERS: Final = re.compile(r"sk-[a-z]{48}")
"""The key of SiliconFlow has small letters only."""
_MANY: Final = 12
"""Different letters in it."""


def by_form(looked: Looked) -> Iterator[Secret]:
    """Secrets by their form; only marks that occur in a long word, or by themselves, are looked for."""
    text = looked.text
    there = {
        mark for mark, data, word in _SPLIT if (not word or word in looked.words) and data in looked.data
    }
    long = _long_words(looked.data)
    if long:
        there.update(mark for mark, data in _MARKS if data in long)
        yield from _by_dots(text)
    if not there:
        return
    for kind, marks, pattern in _PATTERNS:
        for mark in there.intersection(marks):
            for match in _marked(text, mark, pattern, behind=kind in BEHIND):
                if _plausible(kind, match[0]):
                    group = "value" if "value" in pattern.groupindex else 0
                    yield Secret(kind, match.start(group), match.end(group))


def _marked(text: str, mark: str, pattern: re.Pattern[str], *, behind: bool) -> Iterator[re.Match[str]]:
    """The matches that a mark begins, or stands before; a mark inside of the match before it begins none.

    So a long word is read once, however often the mark is repeated in it.
    """
    reached = 0
    for at in places(text, mark):
        if at < reached:
            continue
        match = pattern.match(text, at + len(mark) if behind else at)
        if match is not None:
            reached = match.end()
            yield match


def _by_dots(text: str) -> Iterator[Secret]:
    """Keys that nothing marks but the dot in them."""
    for at in places(text, "."):
        if not text[max(0, at - 24) : at].isalnum():
            continue
        if at >= 32 and text[at - 1] in "0123456789abcdef" and (found := _ZHIPU.match(text, at - 32)):
            yield Secret("zhipu-key", found.start(), found.end())
        for length in (24, 25, 26, 27, 28):
            if at < length or text[at - length] not in "MNO":
                continue
            found = _DISCORD.match(text, at - length)
            if found is not None and _is_number(found["user"]):
                yield Secret("discord-token", found.start(), found.end())


def _is_number(text: str) -> bool:
    """Whether a text is the base64 of a number, as the user of a bot is written in its token."""
    try:
        return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)).isdigit()
    except (binascii.Error, ValueError):
        return False


def _long_words(data: bytes) -> bytes:
    """The words of a text that are long enough to be a key, one after another."""
    runs = data.translate(_RUNS)
    found: list[bytes] = []
    at = runs.find(_LONG)
    while at >= 0:
        end = runs.find(b" ", at)
        end = len(runs) if end < 0 else end
        found.append(data[at:end])
        at = runs.find(_LONG, end)
    return b"\n".join(found)


def _plausible(kind: str, value: str) -> bool:
    """Whether a value of the right form is more than a name or an example."""
    if value in KNOWN_EXAMPLES:
        return False
    if kind not in LOOSE:
        return True
    upper = sum(char.isupper() for char in value)
    digits = sum(char.isdigit() for char in value)
    varied = (upper >= 2 and any(char.islower() for char in value)) or digits >= 6
    letters = _LETTERS.fullmatch(value) is not None and len(set(value)) >= _MANY
    return (varied or letters) and entropy(value) >= 3.0 and not is_stand_in(value)

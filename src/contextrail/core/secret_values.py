"""Where the value begins and ends that stands beside a name: quoted or bare, in code, files, markup and prose. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, Literal

How = Literal["=", ":", "option", "below", "prose", "list", "markup"]
"""What joins a name and its value; "=" and ":" are the usual signs, "below" is the line behind that of an option."""

LONGEST: Final = 4096
"""Characters: a longer value is none. Tokens of a session have above a thousand."""
_QUOTE: Final = r"(?P<quote>\\{0,7}[\"'`]|[“‘「『《])"
_SIGN: Final = re.compile(
    r"\\{0,7}[\"'`]?\]?(?:"
    r"\s{0,40},?\s{0,40}\\{0,7}[\"']?value\\{0,7}[\"']?\s{0,5}(?P<pair>[=:])(?![=>])"
    r"|(?P<list>(?<=[\"'`])\s{0,5},)(?=\s{0,40}\\{0,7}[\"'])"
    r"|\s{0,40}(?P<sign>:=|=>|=(?!=)|[:：＝])(?!>)"
    r"(?P<typed>[ \t]*[A-Za-z][\w.\[\]| ]{0,40}[ \t]?=[ \t]*(?=[rbuf@]?[\"'`]))?"
    r"|[ \t]{1,20}(?P<bar>\|)(?=[ \t])"
    r"|[ \t]{1,10}(?P<is>is:?|string\b[ \t]{0,5}=|设为|是)"
    r"|(?P<blank>(?=[ \t]))"
    r")(?P<gap>\s{0,40})(?P<prefix>[rbuf@](?=[\"']))?(?:" + _QUOTE + ")?"
)
"""What stands between a name and its value. The list form has its own quote, since that one closes the name."""
_TAG: Final = re.compile(r"(?:\s[^<>\0]{0,200})?>\s{0,40}(?P<value>[^<>\0]{1,512}?)\s{0,40}</")
_BELOW: Final = re.compile(
    r"(?P<quote>[\"'])?[ \t]{0,8}[,\\]?[ \t]{0,8}\r?\n[ \t]{0,80}(?:\d{1,6}[\t:→|][ \t]{0,3})?(?:-[ \t]{1,4})?(?(quote)[\"'])"
    r"(?P<value>[^\s\"'\0]{6,200})(?=[\"']?,?[ \t]{0,8}(?:\\?\r?$|\0|--?[A-Za-z]))",
    re.MULTILINE,
)
"""An option in quotes has its value in quotes: what stands behind it in code is an argument of a call."""
_CLOSE: Final = {"“": "”", "‘": "’", "「": "」", "『": "』", "《": "》"}
_HARD: Final = re.compile(r"[\s\0\u2018-\u201d\u2026\u3000-\u303f\u3400-\u9fff\uac00-\ud7a3\uff00-\uffef]")
"""What no value without quotes goes over."""
_SOFT: Final = re.compile(
    r"&&|\|\||&(?=(?:amp;)?[\w.\[\]%-]{1,40}=)|[;,](?=\\{0,7}[\"'`]|[ \t]*[A-Za-z_][\w. -]{0,40}[=:])"
    r"|\\+(?=[nrt]|[\"'`])|</|<br"
    r"|[\"'`](?=[\s,;:)\]}>|&\\\"'`.]|$)|(?P<open>[(\[{])|(?P<close>[)\]}])"
)
_BEHIND_CLOSE: Final = re.compile(r"[\s,;.:\"'`)\]}>\\|]|$|</")
_PAIRS: Final = {")": "(", "]": "[", "}": "{"}


@dataclass(frozen=True, slots=True)
class Beside:
    """A value beside a name, at `[start, end)` of the text."""

    start: int
    end: int
    how: How
    quoted: bool
    tight: bool
    """The sign stands right between name and value, as in an environment."""
    open: bool
    """A bracket in the value is not closed in it."""


class Reader:
    """Reads values of one text, from left to right; remembers where a run without blanks ends."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._run = (0, 0)

    def beside(self, at: int, *, option: bool) -> Beside | None:
        """The value beside the name that ends at `at`. Args: option: The name is one of a command line, `--name`."""
        sign = _SIGN.match(self._text, at)
        if sign is None:
            return None
        how, tight = _how(sign, option=option)
        if how is None or (sign["quote"] is None and "\n" in sign["gap"]):
            return None
        if how == "list" or sign["quote"] is not None:
            start = sign.end()
            end = _quoted_end(self._text, start, sign["quote"])
            if end is not None:
                return Beside(start, end, how, quoted=True, tight=tight, open=False)
            if how == "list":
                return None
            return self._bare(start, how, tight=tight)
        return self._bare(sign.end(), how, tight=tight)

    def below(self, at: int) -> Beside | None:
        """The value on the line behind the option that ends at `at`, in a command or in a list."""
        found = _BELOW.match(self._text, at)
        if found is None:
            return None
        return Beside(*found.span("value"), "below", quoted=False, tight=False, open=False)

    def tagged(self, at: int) -> Beside | None:
        """The value behind the tag whose name ends at `at`."""
        tag = _TAG.match(self._text, at)
        if tag is None:
            return None
        return Beside(*tag.span("value"), "markup", quoted=True, tight=True, open=False)

    def _bare(self, start: int, how: How, *, tight: bool) -> Beside | None:
        end, is_open = self._bare_end(start)
        text = self._text
        while end > start and text[end - 1] in ".,:;\\":
            end -= 1
        return Beside(start, end, how, quoted=False, tight=tight, open=is_open) if end > start else None

    def _bare_end(self, start: int) -> tuple[int, bool]:
        """Where a value without quotes ends, and whether a bracket in it stays open."""
        if not self._run[0] <= start < self._run[1]:
            found = _HARD.search(self._text, start)
            self._run = (start, len(self._text) if found is None else found.start())
        end = min(self._run[1], start + LONGEST)
        opened: list[str] = []
        for soft in _SOFT.finditer(self._text, start, end):
            if soft["open"]:
                opened.append(soft["open"])
            elif soft["close"]:
                if opened and opened[-1] == _PAIRS[soft["close"]]:
                    opened.pop()
                elif not opened and _BEHIND_CLOSE.match(self._text, soft.end()):
                    return soft.start(), False
            elif soft.start() > start or soft[0] in "\"'`":
                return soft.start(), bool(opened)
        return end, bool(opened)


def _how(sign: re.Match[str], *, option: bool) -> tuple[How | None, bool]:
    """How a name and its value are joined, and whether nothing else stands between."""
    if sign["list"]:
        return "list", False
    if sign["pair"]:
        return ":", True
    if sign["bar"] or sign["is"]:
        return "prose", False
    if sign["sign"] in ("=", "＝"):
        return "=", sign["gap"] == "" and sign[0].startswith(("=", '"=', "'="))
    if sign["sign"]:
        return ":", False
    return "option" if option or sign["quote"] else None, False


def _quoted_end(text: str, start: int, quote: str) -> int | None:
    """Where a quoted value ends, on its line; None if its quote is not closed.

    A quote with n backslashes before it is one inside of JSON inside of JSON. One with k of them closes it if that
    leaves an even number once it is read as often as the first was written.
    """
    longest = min(len(text), start + LONGEST + 1)
    line = text.find("\n", start, longest)
    longest = longest if line < 0 else line
    sign = _CLOSE.get(quote, quote[-1])
    depth = len(quote) - 1
    at = text.find(sign, start, longest)
    while at >= 0:
        slashes = at
        while slashes > start and text[slashes - 1] == "\\":
            slashes -= 1
        extra = at - slashes - depth
        if extra >= 0 and extra % (2 * (depth + 1)) == 0:
            return at - depth
        at = text.find(sign, at + 1, longest)
    return None

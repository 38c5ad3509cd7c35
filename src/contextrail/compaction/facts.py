"""Facts in a text: what can be looked up again word for word. Numbers, paths, identifiers, quotes, commits, ports."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import Final, Literal

FactKind = Literal["url", "path", "commit", "number", "identifier", "quote"]


@dataclass(frozen=True, slots=True)
class Fact:
    """One fact as it stands in a text, at `[start, end)` characters."""

    kind: FactKind
    text: str
    start: int
    end: int


_TOKEN: Final = re.compile(
    r"(?P<url>\b[a-z][a-z0-9+.-]{1,12}://[^\s<>\"'`()\[\]{}，。；、]+)"
    r"|(?P<quote>`[^`\n]{1,200}`|\"[^\"\n]{2,200}\"|“[^”\n]{1,200}”|「[^」\n]{1,200}」|『[^』\n]{1,200}』|‘[^’\n]{2,200}’"
    r"|(?<![\w])'[^'\n]{2,200}'(?![\w]))"
    r"|(?P<path>(?<![\w/.~-])(?:[A-Za-z]:\\|~/|\.{1,2}/|/)?(?:[\w.@+-]+[/\\])+(?:[\w.@+-]*\w)?"
    r"|(?<![\w/.])[\w-]+(?:\.[\w-]+)*\.(?:py|js|ts|tsx|jsx|rs|go|java|kt|c|cc|cpp|h|hpp|cs|rb|php|sh|sql|md|rst|txt|json|"
    r"yaml|yml|toml|ini|cfg|lock|html|css|xml|csv|log|proto|ipynb|swift|scala|vue|env)\b)"
    r"|(?P<commit>(?<![\w-])(?=[0-9a-f]*[a-f])(?=[0-9a-f]*\d)[0-9a-f]{7,64}(?![\w-]))"
    r"|(?P<identifier>(?<![\w])(?:[A-Za-z]+_\w+|_\w*[A-Za-z]\w*|[A-Za-z_][\w]*(?:\.[A-Za-z_]\w*)+|[a-z]+[A-Z]\w*|[A-Z][a-z0-9]+[A-Z]\w*"
    r"|[A-Z]{2,}[-_]?\d[\w-]*|[A-Za-z]+-?\d[\w-]*|[A-Z]\w*-\d\w*|--?[a-z][\w-]+(?==|\b))(?:\(\))?)"
    r"|(?P<number>(?<![\w.])[-+]?\d[\d,_]*(?:\.\d+)*(?:[eE][-+]?\d+)?%?)",
)  # fmt: skip
_ALTERNATIVE: Final = re.compile(r"[A-Za-z]+(?:/[A-Za-z]+)?")
"""Words, or two of them with a slash between, as in "and/or": prose, no path."""
_TRAIL: Final = ".,;:!?"
_ABBREVIATIONS: Final = frozenset({"e.g", "i.e", "etc", "vs", "a.k.a", "p.s"})


def facts(text: str) -> list[Fact]:
    """The facts of a text, in order, none inside another."""
    found: list[Fact] = []
    for match in _TOKEN.finditer(text):
        kind = match.lastgroup
        assert kind is not None
        body = match[0].rstrip(_TRAIL) if kind in ("url", "path", "number", "identifier") else match[0]
        if (
            not body
            or body.casefold().rstrip(".") in _ABBREVIATIONS
            or (kind == "path" and _ALTERNATIVE.fullmatch(body))
        ):
            continue
        found.append(Fact(_kind(kind), body, match.start(), match.start() + len(body)))
    return found


def worth(text: str) -> int:
    """How much a line tells that could not be guessed: facts, weighted by kind."""
    weights = {"path": 3, "commit": 3, "url": 2, "identifier": 2, "quote": 2, "number": 1}
    return sum(weights[fact.kind] for fact in facts(text[:2000]))


_DIGITS: Final = re.compile(r"\d[\d,_]*(?:\.\d+)*")


_LONG: Final = 32
"""Digits: a longer one is no amount."""


class Evidence:
    """The texts in which facts are looked up. Built once, asked often."""

    def __init__(self, texts: list[str]) -> None:
        self._text = "\n".join(texts)
        self._folded = _fold(self._text)
        self._numbers = {_number(each) for each in _DIGITS.findall(self._text)}
        self._numbers |= {piece for each in _DIGITS.findall(self._text) for piece in re.findall(r"\d+", each)}

    @cached_property
    def numbers(self) -> tuple[float, ...]:
        """The plain numbers that occur, ascending."""
        plain = (each for each in self._numbers if each.count(".") < 2 and len(each) < _LONG)
        return tuple(sorted(float(each) for each in plain))

    def holds(self, fact: Fact) -> bool:
        """Whether a fact occurs: letter for letter, but for case, spacing, quotation marks and digit grouping."""
        if fact.kind == "number":
            return _number(fact.text) in self._numbers
        body = fact.text.strip("`\"'“”「」『』‘’").rstrip(" …") if fact.kind == "quote" else fact.text
        folded = _fold(body).strip()
        if not folded:
            return True
        if folded in self._folded:
            return _whole(folded, self._folded, fact.kind) or fact.kind in ("quote", "url")
        return fact.kind == "identifier" and _fold(body.removesuffix("()")) in self._folded


def _whole(needle: str, text: str, kind: FactKind) -> bool:
    """Whether it occurs as a whole: not as a piece of a longer word or number; "p95" is a word of "p95_ms"."""
    joins = "" if kind == "identifier" else "_"
    at = text.find(needle)
    while at >= 0:
        end = at + len(needle)
        if not (
            _joined(text[at - 1 : at], needle[0], joins) or _joined(text[end : end + 1], needle[-1], joins)
        ):
            return True
        at = text.find(needle, at + 1)
    return False


def _joined(outer: str, inner: str, joins: str) -> bool:
    """Whether a character beside a name and the name's own are of one word; Han beside Latin is not."""
    return (
        (inner.isalnum() or inner == "_")
        and outer.isascii()
        and (outer.isalnum() or (outer != "" and outer in joins))
    )


def _number(text: str) -> str:
    digits = text.lstrip("+-").replace(",", "").replace("_", "").rstrip("%.")
    return (
        re.sub(r"(\.\d*?)0+$", r"\1", digits).rstrip(".")
        if "." in digits and digits.count(".") == 1
        else digits
    )


def _fold(text: str) -> str:
    return re.sub(r"\s+", " ", text.replace("\\\\", "\\")).casefold()


def _kind(name: str) -> FactKind:
    match name:
        case "url" | "path" | "commit" | "number" | "identifier" | "quote":
            return name
        case _:
            raise AssertionError(name)

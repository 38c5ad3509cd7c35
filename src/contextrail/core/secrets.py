"""Secrets in a text: found by form and by name, replaced by typed placeholders. Pure; no list of known secrets.

A placeholder is `[secret:KIND:DIGEST]`, with eight digits of a digest that is salted per store: the same secret has
the same placeholder everywhere in a store, and the placeholder of one store tells nothing about another.

What looks random is no secret by itself: commit ids, UUIDs, digests, model names and request ids stay. Only the forms
that providers gave their keys, and values that a name calls secret, are.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final
from urllib.parse import quote, unquote

from contextrail.core.digest import sha256
from contextrail.core.json_text import dump_text
from contextrail.core.secret_forms import BEHIND, FORMS, KNOWN_EXAMPLES, LOOSE, SPLIT_MARKS
from contextrail.core.secret_names import (
    ends_bare,
    entropy,
    is_bare_value,
    is_capital_secret,
    is_secret_value,
    is_stand_in,
    named_kind,
    telling,
)

_PATTERNS: Final = tuple((kind, marks, re.compile(pattern)) for kind, marks, pattern in FORMS)
_RUNS: Final = bytes(0x61 if re.match(rb"[A-Za-z0-9_-]", bytes([byte])) else 0x20 for byte in range(256))
"""Every byte of a word becomes "a", every other a space: long words are then found by a plain search."""
_LONG: Final = b"a" * 20
"""No key is shorter, or has all its pieces shorter than this."""
_MARKS: Final = tuple((mark, mark.encode()) for _, marks, _ in FORMS for mark in marks)

_URL: Final = re.compile(r"://[^\s:/@\"'<>\[\]]{0,200}:(?P<value>[^\s/@\"'<>]{3,200})@(?=[^\s/@\"'<>])")
_BEARER: Final = re.compile(
    r"authorization\\?[\"']?\s*[:=]\s*\\?[\"']?(?:bearer|basic|token)\s+(?P<value>[A-Za-z0-9_.+/=~-]{16,})",
    re.IGNORECASE,
)
_VALUE: Final = re.compile(
    r"(?P<rest>(?:or)?(?:d\b)?(?:[_-]?id\b)?)\\?[\"'`]?\s{0,40}[=:](?P<gap>\s{0,40})(?P<quote>\\?[\"'`])?"
    r"(?P<value>[^\s\"'\\,;&<>(){}\[\]|`]{6,512})",
    re.IGNORECASE,
)
"""What stands behind the name."""
_NAME_MARKS: Final = ("key", "secret", "token", "passw", "passphrase", "pwd")
"""What every name of a secret holds, in small letters."""
_NAME_DATA: Final = tuple((mark, mark.encode()) for mark in _NAME_MARKS)
_LONGEST_NAME: Final = 64
_REFERENCE: Final = re.compile(r"[$%]?[{<(]|\$[A-Za-z_]\w*$|\*+$|[xX]{3,}$|\.{3}")
"""A variable, or a value that somebody took out already."""
_STAND_IN_URL: Final = re.compile(
    r"(?:password|passwd|pass|pw|pwd|secret|token|your[_-]?\w+|example|changeme|redacted|\d{1,5})",
    re.IGNORECASE,
)
_PLACEHOLDER: Final = re.compile(r"\[secret:[a-z0-9-]+:[0-9a-f]{8}\]")
_LEAST: Final = 6
"""Characters: a shorter value cannot be looked for elsewhere without hitting words."""
_UNMISTAKABLE: Final = 12
"""Characters: a value so long is looked for inside of words as well, as in `-pPASSWORD`."""
_LONGEST_VALUE: Final = 512
_APART: Final = "\n\0\n"
"""Between joined texts: no form and no name reaches over it, except a private key that has no end."""
_BATCH: Final = 500_000
"""Characters that are looked through together."""


@dataclass(frozen=True, slots=True)
class Secret:
    """A secret at `[start, end)` characters of a text."""

    kind: str
    start: int
    end: int


def find_secrets(text: str) -> list[Secret]:
    """The secrets of a text, in order, none inside another. Linear in its length for real text."""
    found = [*_by_form(text), *_by_name(text), *_in_urls(text)]
    if not found:
        return []
    taken: list[Secret] = []
    shown = [match.span() for match in _PLACEHOLDER.finditer(text)]
    for secret in sorted(found, key=lambda each: (each.start, -each.end)):
        covered = bool(taken) and secret.start < taken[-1].end
        inside = any(start < secret.end and secret.start < end for start, end in shown)
        if not covered and not inside:
            taken.append(secret)
    return taken


def find_in(texts: Sequence[str]) -> dict[int, list[Secret]]:
    """The secrets of many texts, by index; texts without one are absent. Equal to `find_secrets` of each.

    Texts are joined and looked through together first, since most have none: a short text costs more to begin
    with than to read.
    """
    found: dict[int, list[Secret]] = {}
    start = 0
    while start < len(texts):
        ends: list[int] = []
        size = 0
        for text in texts[start:]:
            size += len(text) + len(_APART)
            ends.append(size)
            if size >= _BATCH:
                break
        joined = _APART.join(texts[start : start + len(ends)])
        for at in sorted({at for each in find_secrets(joined) for at in _touched(each, ends)}):
            if secrets := find_secrets(texts[start + at]):
                found[start + at] = secrets
        start += len(ends)
    return found


def _touched(secret: Secret, ends: Sequence[int]) -> range:
    """Which of the joined texts a secret lies in; a form with an end may reach over several."""
    return range(bisect_right(ends, secret.start), bisect_left(ends, secret.end) + 1)


def secret_beside(name: str, value: str) -> str | None:
    """The kind of secret that a whole value is because of its name, in an object; None if it is none."""
    lowered = name.lower()
    if not _LEAST <= len(value) <= _LONGEST_VALUE or not any(mark in lowered for mark in _NAME_MARKS):
        return None
    if value[0] in "[{(<" or any(char.isspace() for char in value):
        return None
    name = name[-_LONGEST_NAME:].strip("_-")
    return named_kind(name) if is_secret_value(name, value) else None


def placeholder(kind: str, value: str, salt: bytes) -> str:
    """What stands for a secret: its kind, and eight digits of its salted digest."""
    digest = sha256(salt + b"\0" + value.encode("utf-8", "surrogatepass"))
    return f"[secret:{kind}:{digest[:8]}]"


class Redactor:
    """Replaces secrets in texts, the same one by the same placeholder wherever it stands.

    A secret that a name or a URL gave away in one text is also found where it stands bare in another, as long as
    that other text is redacted after `learn` has seen the first.
    """

    def __init__(self, salt: bytes | Callable[[], bytes], found: Mapping[str, str] | None = None) -> None:
        """A redactor for some texts.

        Args:
            salt: Random bytes of the store, at least 16, or what gives them where a secret is found.
            found: Secrets known before, with their kinds.
        """
        self._salt = salt
        self._known: dict[str, str] = {}
        """Value to placeholder."""
        self._pattern: re.Pattern[str] | None = None
        self._looked_for: tuple[str, ...] = ()
        self.hits: Counter[str] = Counter()
        """Replacements so far, by kind."""
        for value, kind in (found or {}).items():
            self._remember(kind, value)

    def learn(self, texts: Iterable[str]) -> None:
        """Remember the secrets of some texts, in every spelling."""
        for text in texts:
            for secret in find_secrets(text):
                self._remember(secret.kind, text[secret.start : secret.end])

    def bare(self) -> Mapping[str, str]:
        """What is looked for wherever it stands, and its placeholder: values that can mean nothing but the secret."""
        return {
            value: shown for value, shown in self._known.items() if telling(value, least=_LEAST, bits=2.0)
        }

    def redact(self, text: str) -> str:
        """The text with placeholders. Redacting twice is redacting once."""
        secrets = find_secrets(text)
        pieces: list[str] = []
        at = 0
        for secret in secrets:
            value = text[secret.start : secret.end]
            pieces += [text[at : secret.start], self._shown(secret.kind, value)]
            at = secret.end
        redacted = "".join([*pieces, text[at:]]) if secrets else text
        return self._bare(redacted)

    def redact_named(self, name: str, text: str) -> str:
        """As `redact`, for the value of that name in an object."""
        kind = secret_beside(name, text)
        return self.redact(text) if kind is None else self._shown(kind, text)

    def _shown(self, kind: str, value: str) -> str:
        self._remember(kind, value)
        shown = self._known[value]
        self.hits[_kind_of(shown)] += 1
        return shown

    def _remember(self, kind: str, value: str) -> None:
        if value in self._known:
            return
        if not isinstance(self._salt, bytes):
            self._salt = self._salt()
        shown = placeholder(kind, unquote(value), self._salt)
        for form in {
            value: 0,
            unquote(value): 0,
            quote(unquote(value), safe=""): 0,
            dump_text(value)[1:-1]: 0,
        }:
            if form == value or len(form) >= _LEAST:
                self._known.setdefault(form, shown)
        self._pattern = None

    def _bare(self, text: str) -> str:
        """Replace values that are known from elsewhere."""
        if self._pattern is None:
            longest = sorted(self.bare(), key=len, reverse=True)
            self._looked_for = tuple(longest)
            words = "|".join(
                re.escape(value)
                if len(value) >= _UNMISTAKABLE
                else rf"(?<![A-Za-z0-9]){re.escape(value)}(?![A-Za-z0-9])"
                for value in longest
            )
            self._pattern = re.compile(rf"{_PLACEHOLDER.pattern}|{words}" if words else _PLACEHOLDER.pattern)
        if not any(value in text for value in self._looked_for):
            return text

        def shown(match: re.Match[str]) -> str:
            known = self._known.get(match[0])
            if known is not None:
                self.hits[_kind_of(known)] += 1
            return known or match[0]

        return self._pattern.sub(shown, text)


def _kind_of(shown: str) -> str:
    """The kind that a placeholder names."""
    return shown.split(":")[1]


def redact_text(text: str, salt: bytes) -> str:
    """One text by itself; see `Redactor` for many."""
    return Redactor(salt).redact(text)


def _by_form(text: str) -> Iterator[Secret]:
    """Secrets by their form; only marks that occur in a long word, or by themselves, are looked for."""
    there = {mark for mark in SPLIT_MARKS if mark in text}
    if long := _long_words(text):
        there.update(mark for mark, data in _MARKS if data in long)
    if not there:
        return
    for kind, marks, pattern in _PATTERNS:
        for mark in there.intersection(marks):
            for at in _places(text, mark):
                match = pattern.match(text, at + len(mark) if kind in BEHIND else at)
                if match is not None and _plausible(kind, match[0]):
                    yield Secret(kind, match.start(), match.end())


def _long_words(text: str) -> bytes:
    """The words of a text that are long enough to be a key, one after another."""
    data = text.encode("utf-8", "surrogatepass")
    runs = data.translate(_RUNS)
    found: list[bytes] = []
    at = runs.find(_LONG)
    while at >= 0:
        end = runs.find(b" ", at)
        end = len(runs) if end < 0 else end
        found.append(data[at:end])
        at = runs.find(_LONG, end)
    return b"\n".join(found)


def _places(text: str, mark: str) -> Iterator[int]:
    """Where a literal occurs. Far faster than a pattern that begins with it."""
    at = text.find(mark)
    while at >= 0:
        yield at
        at = text.find(mark, at + len(mark))


def _plausible(kind: str, value: str) -> bool:
    """Whether a value of the right form is more than a name or an example."""
    if value in KNOWN_EXAMPLES:
        return False
    if kind not in LOOSE:
        return True
    upper = sum(char.isupper() for char in value)
    digits = sum(char.isdigit() for char in value)
    varied = (upper >= 2 and any(char.islower() for char in value)) or digits >= 6
    return varied and entropy(value) >= 3.0 and not is_stand_in(value)


def _by_name(text: str) -> Iterator[Secret]:
    small = text.encode("utf-8", "surrogatepass").lower()
    marks = [mark for mark, data in _NAME_DATA if data in small]
    if not marks and b"authorization" not in small:
        return
    lowered = text.lower()
    if len(lowered) != len(text):  # the dotted capital I of Turkish becomes two characters
        lowered = text.replace("\u0130", "I").lower()
    if "authorization" in lowered:
        for match in _BEARER.finditer(text):
            if telling(match["value"], least=16, bits=3.0):
                yield Secret("bearer-token", match.start("value"), match.end("value"))
    for mark in marks:
        for at in _places(lowered, mark):
            beside = _VALUE.match(text, at + len(mark))
            if beside is None:
                continue
            name = (text[_name_start(text, at) : at + len(mark)] + beside["rest"]).lstrip("_-")
            value = beside["value"].rstrip(".,:")
            if _is_secret_beside(name, value, beside):
                start = beside.start("value")
                yield Secret(named_kind(name), start, start + len(value))


def _is_secret_beside(name: str, value: str, beside: re.Match[str]) -> bool:
    """Whether the value that stands beside a name in a text is a secret: with quotes, or on the same line."""
    if beside["quote"] is not None:
        return is_secret_value(name, value)
    if "\n" in beside["gap"]:
        return False
    bare = is_bare_value(name, value) and ends_bare(beside.string, beside.end("value"))
    return bare or is_capital_secret(name, value)


def _name_start(text: str, at: int) -> int:
    """Where the name begins that reaches to `at`."""
    start = at
    while start > 0 and at - start < _LONGEST_NAME and (text[start - 1].isalnum() or text[start - 1] in "_-"):
        start -= 1
    return start


def _in_urls(text: str) -> Iterator[Secret]:
    if "@" not in text:
        return
    for at in _places(text, "://"):
        match = _URL.match(text, at)
        if (
            match is not None
            and not _REFERENCE.match(match["value"])
            and not _STAND_IN_URL.fullmatch(match["value"])
        ):
            yield Secret("url-password", match.start("value"), match.end("value"))

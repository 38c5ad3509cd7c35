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
from collections.abc import Callable, Iterable, Mapping, Sequence
from html import unescape
from typing import Final
from urllib.parse import quote, unquote

from contextrail.core.digest import sha256
from contextrail.core.errors import InvalidRequest
from contextrail.core.json_text import dump_text, parse
from contextrail.core.secret_by_form import by_form
from contextrail.core.secret_by_name import by_name, leads_value, secret_beside
from contextrail.core.secret_commands import in_commands
from contextrail.core.secret_cookies import in_cookies
from contextrail.core.secret_files import in_files
from contextrail.core.secret_names import telling
from contextrail.core.secret_pem import private_keys
from contextrail.core.secret_prose import in_prose
from contextrail.core.secret_span import Looked, Secret
from contextrail.core.secret_urls import in_urls

_PLACEHOLDER: Final = re.compile(r"\[secret:[a-z0-9-]+:[0-9a-f]{8}\]")
_LEAST: Final = 6
"""Characters: a shorter value cannot be looked for elsewhere without hitting words."""
_UNMISTAKABLE: Final = 12
"""Characters: a value so long is looked for inside of words as well, as in `-pPASSWORD`."""
_APART: Final = "\n\0\n"
"""Between joined texts: no form and no name reaches over it, except a private key that has no end."""
_BATCH: Final = 500_000
"""Characters that are looked through together."""


_LOOKS: Final = (by_form, by_name, in_prose, in_urls, in_cookies, in_files, in_commands)


def find_secrets(text: str) -> list[Secret]:
    """The secrets of a text, in order, none inside another. Linear in its length for real text."""
    looked = Looked(text)
    found = [*private_keys(text), *(each for look in _LOOKS for each in look(looked))]
    if not found:
        return []
    taken: list[Secret] = []
    shown = [match.span() for match in _PLACEHOLDER.finditer(text)]
    ends = [end for _, end in shown]
    for secret in sorted(found, key=lambda each: (each.start, -each.end)):
        covered = bool(taken) and secret.start < taken[-1].end
        behind = bisect_right(ends, secret.start)
        inside = behind < len(shown) and shown[behind][0] < secret.end
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
            pieces += [text[at : secret.start], secret.quote, self._shown(secret.kind, value), secret.quote]
            at = secret.end
        redacted = "".join([*pieces, text[at:]]) if secrets else text
        return self._bare(redacted)

    def redact_named(self, name: str, text: str) -> str:
        """As `redact`, for the value of that name in an object."""
        kind = secret_beside(name, text)
        if kind is not None:
            return self._shown(kind, text)
        if leads_value(name):
            lead = f"{name}: "
            return self.redact(lead + text).removeprefix(lead)
        return self.redact(text)

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
            _unescaped(value): 0,
            unescape(value): 0,
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


def _unescaped(value: str) -> str:
    """A value as JSON would read it; the value itself if it would not."""
    if "\\" not in value:
        return value
    try:
        read = parse(f'"{value}"', place="value")
    except InvalidRequest:
        return value
    return read if isinstance(read, str) else value


def _kind_of(shown: str) -> str:
    """The kind that a placeholder names."""
    return shown.split(":")[1]


def redact_text(text: str, salt: bytes) -> str:
    """One text by itself; see `Redactor` for many."""
    return Redactor(salt).redact(text)

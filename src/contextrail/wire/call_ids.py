"""Call ids and tool names in a target's alphabet and length: injective, stable, the same on both sides."""

from __future__ import annotations

import hashlib
import re
import string
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from contextrail.wire.target import Target

_BASE62: Final = string.digits + string.ascii_letters


@dataclass(frozen=True, slots=True)
class Alphabet:
    """What a target accepts as an id: a pattern, and how to make one."""

    pattern: re.Pattern[str]
    longest: int
    exact: int | None = None
    """The one length allowed, where there is only one."""

    def accepts(self, ident: str) -> bool:
        """Whether the id may be sent as it is."""
        return self.pattern.fullmatch(ident) is not None

    def make(self, ident: str, salt: int = 0) -> str:
        """An accepted id for any text: what is legible of it, then a digest of all of it.

        The same text and salt give the same id. Two texts share an id only if 64 bits of their
        SHA-256 (53 where only nine characters are allowed) do.
        """
        key = ident if salt == 0 else f"{ident}\0{salt}"
        number = int.from_bytes(hashlib.sha256(key.encode("utf-8", "surrogatepass")).digest()[:8])
        if self.exact is not None:
            return _base62(number, self.exact)
        legible = re.sub(r"[^a-zA-Z0-9]+", "_", ident).strip("_")[: self.longest - 13]
        if not legible[:1].isalpha():
            legible = f"x{legible}"
        return f"{legible}_{_base62(number, 11)}"


CALL_IDS: Final[dict[str, Alphabet]] = {
    "anthropic": Alphabet(re.compile(r"[a-zA-Z0-9_-]{1,64}"), 64),
    "openai-chat": Alphabet(re.compile(r"[^\s\x00-\x1f]{1,40}"), 40),
    "openai-responses": Alphabet(re.compile(r"[^\s\x00-\x1f]{1,64}"), 64),
    "gemini": Alphabet(re.compile(r"[^\s\x00-\x1f]{1,128}"), 128),
    "openai-chat:mistral": Alphabet(re.compile(r"[a-zA-Z0-9]{9}"), 9, exact=9),
}
"""By target, or by provider where the profile has no rule of its own. Sources: the providers' error texts
(`string too long. Expected a string with maximum length 40`, `should match pattern ^[a-zA-Z0-9_-]+$`,
`must be a-z, A-Z, 0-9, with a length of 9`)."""

NAMES: Final[dict[str, Alphabet]] = {
    "anthropic": Alphabet(re.compile(r"[a-zA-Z0-9_-]{1,128}"), 128),
    "openai-chat": Alphabet(re.compile(r"[a-zA-Z0-9_-]{1,64}"), 64),
    "openai-responses": Alphabet(re.compile(r"[a-zA-Z0-9_-]{1,128}"), 128),
    "gemini": Alphabet(re.compile(r"[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}"), 64),
}
"""What a target accepts as a tool name."""


def alphabet(table: dict[str, Alphabet], target: Target) -> Alphabet:
    """The row of a table for a target."""
    return table.get(str(target)) or table[target.provider]


def map_ids(idents: Iterable[str], allowed: Alphabet) -> dict[str, str]:
    """An accepted id for every id.

    Injective over the ids given. An accepted id stays as it is; another one's new id depends on
    nothing but itself, unless two would fall together.

    Returns:
        Old to new, every id included, in the order given.
    """
    given = list(dict.fromkeys(idents))
    taken = {ident for ident in given if allowed.accepts(ident)}
    mapped: dict[str, str] = {}
    for ident in given:
        if allowed.accepts(ident):
            mapped[ident] = ident
            continue
        salt = 0
        while (made := allowed.make(ident, salt)) in taken:
            salt += 1
        taken.add(made)
        mapped[ident] = made
    return mapped


def _base62(number: int, length: int) -> str:
    digits = []
    for _ in range(length):
        number, digit = divmod(number, 62)
        digits.append(_BASE62[digit])
    return "".join(digits)

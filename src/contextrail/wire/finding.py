"""What a linter rule is and what it finds: values shared by the table, the checks and the linter."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final, Literal, NamedTuple

from contextrail.core.json_text import JsonObject
from contextrail.wire.target import PROVIDERS, Provider

Severity = Literal["error", "warning"]
Path = tuple[str | int, ...]
"""Keys and indexes from the body down to the place at fault; empty for the body itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One thing a provider refuses (error), or takes with harm (warning)."""

    id: str
    """Provider, dot, words with dashes."""
    provider: Provider
    severity: Severity
    breaks: str
    """What breaks it."""
    answer: str | None
    """The error text as the provider words it, shortened; None if it says nothing or its words are not known."""
    link: str
    """The provider's public document."""
    mend: str | None
    """What repair does about it; None if there is no cure that invents nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One place that breaks one rule."""

    rule: str
    path: str
    """JSON path, as `$.messages[3].content[0]`."""
    severity: Severity
    message: str
    """One line of facts: ids, counts, limits; never the text that was said."""
    answer: str | None
    mendable: bool


class Flaw(NamedTuple):
    """What a check reports: the rule without its provider, the place, the facts."""

    rule: str
    path: Path
    message: str


Flaws = Iterator[Flaw]


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """A body with what is known about it from elsewhere."""

    body: JsonObject
    provider: Provider
    profile: str | None
    model: str
    """Lower case; empty if unknown."""
    size_bytes: int
    """As UTF-8 JSON; 0 if it cannot be written."""
    before: JsonObject | None
    """The body as the host gave it, for rules that compare."""


def rule(
    ident: str,
    breaks: str,
    link: str,
    *,
    answer: str | None = None,
    mend: str | None = None,
    severity: Severity = "error",
) -> Rule:
    """A row of a table; the provider is the part of `ident` before the dot."""
    provider = next(name for name in PROVIDERS if name == ident.partition(".")[0])
    return Rule(
        id=ident, provider=provider, severity=severity, breaks=breaks, answer=answer, link=link, mend=mend
    )


def json_path(path: Path) -> str:
    """A place as text; keys that are no plain words are quoted."""
    return "$" + "".join(
        f"[{step}]" if isinstance(step, int) else f".{step}" if _WORD.fullmatch(step) else f"[{step!a}]"
        for step in path
    )


def position(path: Path) -> tuple[tuple[int, str], ...]:
    """Sort key: containers before what is in them, elements by index, keys by name."""
    return tuple((step, "") if isinstance(step, int) else (-1, step) for step in path)


def objects(value: object) -> list[tuple[int, JsonObject]]:
    """The objects of a list, each with its index; nothing for anything that is no list."""
    if not isinstance(value, list):
        return []
    return [(at, each) for at, each in enumerate(value) if isinstance(each, dict)]


def text(value: object) -> str:
    """A string as it is; empty for anything else."""
    return value if isinstance(value, str) else ""


def field(value: JsonObject, *names: str) -> Any:
    """The first of the names that is there with a value; None if none is."""
    return next((value[name] for name in names if value.get(name) is not None), None)


def spelled(value: JsonObject, *names: str) -> str:
    """Which of the names `field` would read; the first if none is there."""
    return next((name for name in names if value.get(name) is not None), names[0])


def shown(value: object) -> str:
    """An id or a name for a message: short, one line, printable anywhere."""
    if not isinstance(value, str):
        return type(value).__name__ if value is not None else "nothing"
    return ascii(value if len(value) <= LONGEST_SHOWN else f"{value[:LONGEST_SHOWN]}...")


LONGEST_SHOWN: Final = 64
_WORD: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")

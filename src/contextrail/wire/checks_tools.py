"""Checks of tool definitions, of the choice among them, and of arguments: shared by the providers."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from contextrail.core.json_text import kind_of
from contextrail.wire.finding import Flaw, Flaws, Path, shown

UNUSED_BYTES: Final = 8 * 1024
"""Definitions that a forced choice leaves unused are worth a word above this size (about 2,000 tokens)."""


@dataclass(frozen=True, slots=True)
class Definition:
    """One tool as the model sees it."""

    path: Path
    name: str
    ours: bool
    """Defined by the host, not built into the provider."""
    value: object


@dataclass(frozen=True, slots=True)
class Names:
    """How tool names must look; None where the server of that model is not known to check it."""

    pattern: re.Pattern[str] | None
    longest: int | None


def check_names(definitions: Iterable[Definition], names: Names, *, key: str = "name") -> Flaws:
    """Names in the provider's alphabet and length, each once."""
    seen: dict[str, Path] = {}
    for each in definitions:
        if not each.ours:
            continue
        if not each.name:
            yield Flaw("tool-name", each.path, "a tool has no name")
            continue
        if complaint := misnamed(each.name, names):
            yield Flaw("tool-name", (*each.path, key), complaint)
        if each.name in seen:
            yield Flaw("tool-twice", each.path, f"{shown(each.name)} is defined already")
        seen.setdefault(each.name, each.path)


def misnamed(name: str, names: Names) -> str | None:
    """What is wrong with a tool's name; None if nothing is."""
    if names.longest is not None and len(name) > names.longest:
        return f"a name of {len(name)} characters, {names.longest} are allowed"
    if names.pattern is not None and not names.pattern.fullmatch(name):
        return f"{shown(name)} does not match {names.pattern.pattern}"
    return None


def check_unused(definitions: Sequence[Definition], chosen: Iterable[str], path: Path) -> Flaws:
    """Large definitions that cannot be called, as the choice is forced on others."""
    wanted = set(chosen)
    unused = [each for each in definitions if each.ours and each.name not in wanted]
    size = sum(written_size(each.value) for each in unused)
    if wanted and size > UNUSED_BYTES:
        yield Flaw("tools-unused", path, f"{len(unused)} definitions of {size} bytes cannot be called")


def written_size(value: object) -> int:
    """Bytes of a value as JSON; 0 if it is none."""
    try:
        return len(
            json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")
        )
    except (ValueError, TypeError, RecursionError):
        return 0


def bad_arguments(arguments: str) -> str | None:
    """Why the text is no JSON object; None if it is one, or is empty as models leave it for no arguments."""
    if arguments in {"", "{}"}:
        return None
    try:
        value = json.loads(arguments)
    except (ValueError, RecursionError):
        return f"{len(arguments)} characters that are not JSON"
    return None if isinstance(value, dict) else f"{kind_of(value)} instead of an object"


def names_of(definitions: Iterable[Definition]) -> Iterator[str]:
    """The names of all tools, built-in ones too."""
    return (each.name for each in definitions if each.name)

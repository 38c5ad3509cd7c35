"""Checks of a body as a whole, the same for every provider: is it JSON, is it too large, is its text whole."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from contextrail.core.json_text import MAX_DEPTH, deeper_than, kind_of
from contextrail.wire.finding import Flaw, Flaws, Path
from contextrail.wire.target import Provider

MIB: Final = 1024 * 1024

LONE_SURROGATE: Final = re.compile(r"[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]")


@dataclass(frozen=True, slots=True)
class Limit:
    """How many UTF-8 bytes of JSON a body may have, and the rule it breaks with more."""

    rule: str
    size_bytes: int


LIMITS: Final[dict[Provider, tuple[Limit, ...]]] = {
    "anthropic": (Limit("body-too-large", 32 * MIB),),
    "openai-chat": (),
    "openai-responses": (),
    "gemini": (Limit("body-too-large", 100 * MIB), Limit("body-large", 20 * MIB)),
}
"""Strictest last. Sources: platform.claude.com, API errors, request size limits; ai.google.dev, file input methods
(20 MB until January 2026, and the text "exceeds the limit: 20971520 bytes")."""


@dataclass(frozen=True, slots=True)
class Reading:
    """What one pass of the JSON writer tells about a body."""

    size_bytes: int
    """As UTF-8 JSON without spaces; 0 if it cannot be written."""
    flaws: tuple[Flaw, ...]
    usable: bool
    """Whether checks may go on: it has an end, and is not nested without measure."""


def read_whole(body: object, provider: Provider) -> Reading:
    """Write the body as the wire would, and look for places only if that fails. Linear, and never raises."""
    try:
        written = json.dumps(body, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    except (ValueError, TypeError, RecursionError):
        if deeper_than(body, MAX_DEPTH):
            return Reading(0, (Flaw("not-json", (), f"nested deeper than {MAX_DEPTH}"),), usable=False)
        flaws = tuple(no_json(body)) or (Flaw("not-json", (), "cannot be written as JSON"),)
        return Reading(0, flaws, usable=True)
    try:
        size, whole = len(written.encode()), True
    except UnicodeEncodeError:
        size, whole = len(written.encode("utf-8", "surrogatepass")), False
    flaws = (*(() if whole else _lone_surrogates(body)), *_too_large(size, provider))
    return Reading(size, flaws, usable=True)


def _too_large(size: int, provider: Provider) -> Flaws:
    for limit in LIMITS[provider]:
        if size > limit.size_bytes:
            yield Flaw(limit.rule, (), f"{size} bytes, {limit.size_bytes} are allowed")
            return


def no_json(body: object) -> Flaws:
    """Every place with a value, or a key, that JSON has no form for; halves of characters among them."""
    for path, value in walk(body):
        if isinstance(value, float) and not math.isfinite(value):
            yield Flaw("not-json", path, f"{value} is not a JSON number")
        elif not isinstance(value, (str, int, float, list, tuple, dict, type(None))):
            yield Flaw("not-json", path, f"{kind_of(value)} is not a JSON value")
        elif isinstance(value, str) and LONE_SURROGATE.search(value):
            yield Flaw("lone-surrogate", path, "half of a character")
        elif (
            isinstance(value, dict)
            and (odd := next((key for key in value if not _is_text(key)), None)) is not None
        ):
            yield Flaw("not-json", path, f"{kind_of(odd)} is no key of a JSON object")


def _lone_surrogates(body: object) -> Flaws:
    for path, value in walk(body):
        if isinstance(value, str) and (found := LONE_SURROGATE.search(value)):
            yield Flaw(
                "lone-surrogate", path, f"U+{ord(found[0]):04X} without its other half at {found.start()}"
            )
        elif isinstance(value, dict) and any(map(LONE_SURROGATE.search, filter(_is_text, value))):
            yield Flaw("lone-surrogate", path, "half of a character in a key")


def walk(body: object) -> Iterator[tuple[Path, object]]:
    """Every value with its place, containers before what is in them. Does not recurse."""
    waiting: list[tuple[Path, object]] = [((), body)]
    while waiting:
        path, value = waiting.pop()
        yield path, value
        match value:
            case dict():
                inside = [((*path, str(key)), each) for key, each in value.items()]
            case list() | tuple():
                inside = [((*path, at), each) for at, each in enumerate(value)]
            case _:
                continue
        waiting.extend(reversed(inside))


def _is_text(key: object) -> bool:
    return isinstance(key, str)

"""Names in a text: what a later call may need letter for letter. Paths, URLs, identifiers, ids.

Wider than `facts`: a fact is what a summary may not invent, a name is what an agent passes to a tool.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from itertools import chain
from typing import Final, Literal

NameKind = Literal["url", "path", "file", "id", "identifier"]

_URL: Final = re.compile(r"https?://[^\s\"'<>)\]]+")
_PATH: Final = re.compile(r"(?<![\w@+./~-])(?:~|\.{1,2}|[\w@+.-]+)?(?:/[\w@+.-]+)+", re.ASCII)
_FILE: Final = re.compile(
    r"\b[\w-]+(?:\.[\w-]+)*\.(?:c|cc|cfg|cpp|cs|css|csv|diff|go|h|hpp|html|ini|ipynb|java|js|json|jsonl|jsx|kt|lock|log|md|mjs"
    r"|mod|patch|php|proto|py|pyi|rb|rs|rst|sh|sql|sum|svelte|swift|toml|ts|tsx|txt|vue|xml|yaml|yml)\b",
    re.ASCII,
)
_ID: Final = re.compile(
    r"\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b"  # a UUID
    r"|\b(?=[0-9a-f]*[a-f])(?=[0-9a-f]*\d)[0-9a-f]{7,64}\b"  # a commit, a digest
    r"|\b(?=[A-Z0-9]*\d)[A-Z0-9]{6}\b|\b[A-Z]{1,8}[-_]?\d{2,}\b|\b\d{5,}\b|\b[a-z]+_[a-z]+_\d{3,}\b",
    re.ASCII,
)
_IDENTIFIER: Final = re.compile(r"\b[A-Za-z_][A-Za-z0-9_]{5,79}", re.ASCII)
_MADE: Final = re.compile(r"[^_]_+[^_]|[a-z][A-Z]|[A-Za-z]\d|\d[A-Za-z]", re.ASCII)
"""What no plain word has inside: an underscore, a capital after a small letter, a digit beside a letter."""
_SHORTEST_PATH: Final = 6
"""Characters: `/usr` or `a/b` is more often prose or noise than a path."""
_ELSEWHERE: Final = re.compile(r"[/.\d_A-Z]")
"""Without one of these in it a line names nothing."""


def names(line: str) -> dict[str, NameKind]:
    """The names in a line, each with its kind, in order of kind.

    Args:
        line: One line. A piece of a path that is a file name is a name of its own.
    """
    found: dict[str, NameKind] = {}
    if not _ELSEWHERE.search(line):
        return found
    if "/" in line:
        found.update((match[0].rstrip(".,;"), "url") for match in _URL.finditer(line))
        paths = (match[0].rstrip(".,;:") for match in _PATH.finditer(line))
        _add(found, "path", (path for path in paths if len(path) >= _SHORTEST_PATH and path[:2] != "//"))
    if "." in line:
        _add(found, "file", (match[0] for match in _FILE.finditer(line)))
    _add(found, "id", (match[0] for match in _ID.finditer(line)))
    _add(found, "identifier", (match[0] for match in _IDENTIFIER.finditer(line) if _MADE.search(match[0])))
    return found


def names_of(line: str) -> tuple[str, ...]:
    """The same names, in order of the text. For many lines: no name holds white space, and words come again."""
    return tuple(dict.fromkeys(chain.from_iterable(map(_names_of_word, line.split()))))


@lru_cache(maxsize=1 << 16)
def _names_of_word(word: str) -> tuple[str, ...]:
    return tuple(names(word))


def _add(found: dict[str, NameKind], kind: NameKind, more: Iterable[str]) -> None:
    for name in more:
        found.setdefault(name, kind)

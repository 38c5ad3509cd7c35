"""What the calls of a history changed in files, and whether a line of a file still stands as it was once seen.

A change that says its old and its new text, or all of the new text, is followed line by line. Of any other, such as
`sed -i`, nobody can say which lines it left alone. Found once for a history, in one pass; a question about a line looks
at the newest changes of its file only.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from contextrail.compaction.actions import arguments_of
from contextrail.core.json_text import Json
from contextrail.history.file_tools import FileTool, touches
from contextrail.history.freshness import reports_failure
from contextrail.history.touch import Touch
from contextrail.messages.model import Message, Text, ToolCall, ToolResult
from contextrail.messages.pairs import Place, pair

Age = Literal["current", "changed", "unsure"]
"""Of a line: it stands as it was seen, it does not, or its file was changed and nobody can say where."""

_OLD: Final = frozenset({"oldstring", "oldstr", "oldtext", "old", "oldcontent", "search", "find"})
_NEW: Final = frozenset({"newstring", "newstr", "newtext", "new", "newcontent", "replace", "replacement"})
_WHOLE: Final = frozenset({"content", "contents", "filetext", "text"})
_INSERTED: Final = frozenset({"newstr", "newstring", "inserttext", "text", "newtext"})
_PART: Final = 8
"""Characters of a text that is looked for within lines."""
_MOST: Final = 200
"""Changes of one file that are followed line by line, the newest; of older ones only the fact counts."""


@dataclass(frozen=True, slots=True)
class _Effect:
    """What one change did to the lines of a file."""

    gone: frozenset[str] = frozenset()
    """Lines that it took out."""
    within: tuple[str, ...] = ()
    """Texts that it replaced within a line."""
    first: tuple[str, ...] = ()
    """Beginnings of texts of several lines: the end of a line."""
    last: tuple[str, ...] = ()
    there: frozenset[str] = frozenset()
    """Lines that stand there since."""
    rest: Age | None = None
    """Of every other line; None: as before."""

    def after(self, before: Age, line: str) -> Age:
        """How a line stands after the change."""
        if line in self.there:
            return "current"
        if (
            line in self.gone
            or any(text in line for text in self.within)
            or any(line.endswith(text) for text in self.first)
            or any(line.startswith(text) for text in self.last)
        ):
            return "changed"
        if self.rest is None or (self.rest == "unsure" and before == "changed"):
            return before
        return self.rest


class Changes:
    """The changes of a history that succeeded, by file."""

    def __init__(self, messages: Sequence[Message], table: Mapping[str, FileTool]) -> None:
        """Looks at every call that has its answer.

        Args:
            messages: In order.
            table: What tools do to files, by name.
        """
        self._calls: dict[Place, ToolCall] = {}
        self._touches: dict[Place, tuple[Touch, ...]] = {}
        self._asked: dict[Place, Place] = {}
        self._by_path: defaultdict[str, list[Place]] = defaultdict(list)
        self._by_end: defaultdict[str, list[Place]] = defaultdict(list)
        self._effects: dict[Place, _Effect] = {}
        for place, answer in sorted(pair(messages).answer.items()):
            call, result = messages[place[0]].parts[place[1]], messages[answer[0]].parts[answer[1]]
            assert isinstance(call, ToolCall)
            assert isinstance(result, ToolResult)
            found = touches(call, table)
            if found and result.status != "interim" and not _failed(result, found):
                self._calls[place], self._touches[place], self._asked[answer] = call, found, place
                for path in {touch.path for touch in found if touch.act != "read"}:
                    self._by_path[path].append(place)
                    for end in _ends(path):
                        self._by_end[end].append(place)

    def call_at(self, place: Place) -> tuple[Place, ToolCall, tuple[Touch, ...]] | None:
        """The call that a part is, or answers, with what it does to files; None if it does nothing, or failed."""
        asked = self._asked.get(place, place)
        call = self._calls.get(asked)
        return None if call is None else (asked, call, self._touches[asked])

    def writes(self, place: Place, line: str) -> bool:
        """Whether the call at a place put a line into its file, as far as can be told."""
        effect = self._effect(place)
        return line in effect.there or effect.rest == "unsure"

    def age(self, path: str, seen: Place, line: str) -> Age:
        """How a line of a file stands now.

        Args:
            path: Of the file, as `plain_path` writes it.
            seen: The call with which it was seen.
            line: Without surrounding white space and without the number that a tool put before it.
        """
        after = self._after(path, seen)
        age: Age = "unsure" if len(after) > _MOST else "current"
        for place in after[-_MOST:]:
            age = self._effect(place).after(age, line)
        return age

    def _after(self, path: str, seen: Place) -> list[Place]:
        """Changes of a file after a call, in order; paths are compared as `same_file` does."""
        lists = [self._by_path.get(path, [])]
        if path.startswith("/"):
            lists += [self._by_path.get(end, []) for end in _ends(path)]
        elif "/" in path and not path.startswith(".."):
            lists.append(self._by_end.get(path, []))
        found = [each[bisect_right(each, seen) :] for each in lists]
        there = [each for each in found if each]
        return there[0] if len(there) == 1 else sorted({place for each in there for place in each})

    def _effect(self, place: Place) -> _Effect:
        if place not in self._effects:
            self._effects[place] = _effect_of(self._calls[place], self._touches[place])
        return self._effects[place]


def _failed(result: ToolResult, found: Sequence[Touch]) -> bool:
    first = result.parts[0] if result.parts else None
    return result.status == "error" or (
        len(result.parts) == 1 and isinstance(first, Text) and reports_failure(first.text, found)
    )


def _ends(path: str) -> Iterator[str]:
    """Ends of an absolute path that name the same file: with a folder at least."""
    pieces = path.split("/")[1:] if path.startswith("/") else []
    for at in range(max(0, len(pieces) - 1)):
        yield "/".join(pieces[at:])


def _effect_of(call: ToolCall, touched: Sequence[Touch]) -> _Effect:
    given = arguments_of(call)
    texts = _texts(given)
    old = [text for key, text in texts if key in _OLD and text.strip()]
    new = [text for key, text in texts if key in _NEW]
    if old:
        return _replaced(old, new)
    if given.get("command") == "insert":
        return _Effect(there=_lines(text for key, text in texts if key in _INSERTED))
    whole = [text for key, text in texts if key in _WHOLE]
    if whole and any(touch.act == "write" for touch in touched):
        return _Effect(there=_lines(whole), rest="changed")
    patch = next((text for _, text in texts if "*** Begin Patch" in text or "\n@@" in text), None)
    return _Effect(rest="unsure") if patch is None else _patched(patch)


def _replaced(old: Sequence[str], new: Sequence[str]) -> _Effect:
    there = _lines(new)
    several = [text.strip("\n").split("\n") for text in old if "\n" in text.strip("\n")]
    return _Effect(
        gone=_lines(old) - there,
        within=tuple(text.strip() for text in old if "\n" not in text.strip("\n")),
        first=_parts_of_lines((lines[0] for lines in several), there),
        last=_parts_of_lines((lines[-1] for lines in several), there),
        there=there,
    )


def _parts_of_lines(texts: Iterator[str], there: frozenset[str]) -> tuple[str, ...]:
    """Texts that may be a part of a line; short ones are parts of too many."""
    return tuple(bare for text in texts if len(bare := text.strip()) >= _PART and bare not in there)


def _patched(patch: str) -> _Effect:
    lines = patch.split("\n")
    there = _lines(line[1:] for line in lines if line.startswith("+") and not line.startswith("+++"))
    gone = _lines(line[1:] for line in lines if line.startswith("-") and not line.startswith("---"))
    return _Effect(gone=gone - there, there=there)


def _lines(texts: Iterator[str] | Sequence[str]) -> frozenset[str]:
    return frozenset(bare for text in texts for line in text.split("\n") if (bare := line.strip()))


def _texts(value: Json, key: str = "") -> list[tuple[str, str]]:
    """Every text among arguments, with the name it stands under: small letters, no signs."""
    if isinstance(value, str):
        return [(key, value)]
    if isinstance(value, dict):
        return [
            each
            for name, inner in value.items()
            for each in _texts(inner, name.casefold().replace("_", "").replace("-", ""))
        ]
    if isinstance(value, list):
        return [each for inner in value for each in _texts(inner, key)]
    return []

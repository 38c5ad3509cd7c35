"""Lines of a record as they are shown: behind the number of their message, and marked where they tell of the past.

A line of a file that a later successful write or edit changed still tells what was there; without a mark it would
tell what is there.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

from contextrail.compaction.language import Language
from contextrail.compaction.lines import Line, content_of
from contextrail.history.changes import Age, Changes
from contextrail.history.file_tools import FileTool
from contextrail.history.touch import plain_path
from contextrail.messages.model import Message, ToolCall, ToolResult

_MARKS: Final[dict[Language, dict[Age, str]]] = {
    "en": {"current": "", "changed": ", changed since", "unsure": ", file changed since"},
    "zh": {"current": "", "changed": "，之后已改", "unsure": "，文件之后有改动"},
}
_FOUND_AT: Final = re.compile(r"([\w./~@+-]{1,300}\.\w{1,12})[:-]\d{1,9}[:-]\s?")
"""Before a line that a search shows: path and number."""
_NUMBERED: Final = re.compile(r"\d+\s*[:|→\t-]")


class LineTags:
    """Writes chosen lines of one history."""

    def __init__(
        self, messages: Sequence[Message], table: Mapping[str, FileTool], language: Language
    ) -> None:
        """Args: messages: That lines were chosen from. table: Of file tools. language: Of the marks."""
        self._messages = messages
        self._changes = Changes(messages, table)
        self._marks = _MARKS[language]
        self._ages: dict[Line, Age] = {}

    def write(self, lines: Sequence[Line]) -> str:
        """Lines in order, those of one message and one age behind one tag: `[#12]`, `[#12, changed since]`."""
        told: list[str] = []
        last: tuple[int, Age] | None = None
        for line in lines:
            here = (line.at, self.age(line))
            tag = f"[#{line.at + 1}{self._marks[here[1]]}] "
            told.append(line.text if here == last else tag + line.text)
            last = here
        return "\n".join(told)

    def age(self, line: Line) -> Age:
        """Whether what a line tells of a file is still so; "current" for any other line."""
        known = self._ages.get(line)
        if known is None:
            known = self._ages[line] = self._age(line)
        return known

    def _age(self, line: Line) -> Age:
        part = self._messages[line.at].parts[line.part]
        found = self._changes.call_at((line.at, line.part))
        if found is None:
            return (
                self._searched((line.at, line.part), line.text) if isinstance(part, ToolResult) else "current"
            )
        place, call, touched = found
        changes = any(touch.act != "read" for touch in touched)
        if isinstance(part, ToolCall):
            if line.replaced:
                return "changed"
            if (
                not changes
                or line.text.startswith(f"{call.name} ")
                or not self._changes.writes(place, line.text)
            ):
                return "current"
        elif changes and _NUMBERED.match(line.text) is None:
            return "current"  # what a tool says of its own change
        content = content_of(line.text)
        ages = {self._changes.age(touch.path, place, content) for touch in touched}
        return next((age for age in _WORST if age in ages), "current")

    def _searched(self, place: tuple[int, int], text: str) -> Age:
        """A line that a search shows with its path."""
        match = _FOUND_AT.match(text)
        if match is None:
            return "current"
        return self._changes.age(plain_path(match[1]), place, text[match.end() :].strip())


_WORST: Final[tuple[Age, ...]] = ("changed", "unsure")

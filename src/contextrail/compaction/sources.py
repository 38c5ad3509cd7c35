"""Where a line comes from: who said it, and which kind of tool, told from its arguments, not from its name."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, Literal

from contextrail.compaction.actions import arguments_of
from contextrail.core.json_text import Json
from contextrail.messages.model import ToolCall

CallKind = Literal["read", "search", "edit", "write", "run", "version", "shell", "other"]

_EDIT_KEYS: Final = frozenset(
    [
        "old_string",
        "new_string",
        "oldtext",
        "newtext",
        "old_str",
        "new_str",
        "old_text",
        "new_text",
        "oldstring",
        "newstring",
        "edits",
        "patch",
        "diff",
        "search",
        "replace",
    ]
)
_PATH_KEYS: Final = frozenset(
    [
        "path",
        "file_path",
        "filepath",
        "filename",
        "file",
        "absolute_path",
        "target_file",
        "notebook_path",
        "uri",
    ]
)
_BODY_KEYS: Final = frozenset(["content", "contents", "file_text", "text"])
_SEARCH_KEYS: Final = frozenset(["pattern", "query", "regex", "q", "glob"])
_COMMAND_KEYS: Final = ("command", "cmd", "script", "code", "shell_command")
_START: Final = r"(?:^|[;&|(]\s*|\bthen\s+|\n\s*)"
_EDITS: Final = re.compile(
    r"\bsed\s+-\w*i|<<-?\s*['\"]?\w+|(?<![\d&=<>-])>{1,2}\s*(?!/dev/null|&)[\w./~$\"']|\bpatch\b|"
    + _START
    + r"(?:mv|cp)\b"
)
_READS: Final = re.compile(_START + r"(?:cat|sed\s+-n|head|tail|nl|less|bat|awk)\b")
_VERSIONS: Final = re.compile(r"\bgit\s+(?:diff|log|show|status|blame)\b")
_SEARCHES: Final = re.compile(_START + r"(?:e?grep|rg|ag|find|fd|ls|tree|git\s+grep)\b")
_RUNS: Final = re.compile(
    r"\b(?:pytest|tox|nox|unittest|jest|vitest|tsc|mypy|ruff|eslint|cargo|make|node|python3?"
    r"|npm\s+(?:run\s+)?(?:test|check|build)|go\s+(?:test|build|vet|run))\b"
)
_COMMANDS: Final[tuple[tuple[re.Pattern[str], CallKind], ...]] = (
    (_EDITS, "edit"),
    (_READS, "read"),
    (_VERSIONS, "version"),
    (_SEARCHES, "search"),
    (_RUNS, "run"),
)


def call_kind(call: ToolCall) -> CallKind:
    """What a call does, by the names of its arguments and by the words of a command."""
    given = {key.casefold(): value for key, value in arguments_of(call).items()}
    if given.keys() & _EDIT_KEYS:
        return "edit"
    if given.keys() & _PATH_KEYS and given.keys() & _BODY_KEYS:
        return "write"
    if given.keys() & _SEARCH_KEYS:
        return "search"
    command = next((given[key] for key in _COMMAND_KEYS if key in given), None)
    if command is not None:
        text = " ".join(map(str, command)) if isinstance(command, list) else str(command)
        return next((kind for pattern, kind in _COMMANDS if pattern.search(text)), "shell")
    return "read" if given.keys() & _PATH_KEYS else "other"


def call_lines(call: ToolCall) -> Iterator[str]:
    """A call as lines: its name before the first of its values, then the lines of each value in order."""
    given = arguments_of(call)
    text = "\n".join(_values(given)) if given else call.arguments
    yield from f"{call.name} {text}".split("\n")


def replaced_lines(call: ToolCall) -> frozenset[str]:
    """Lines that an edit takes out, without surrounding white space: in its old values and in none of its others."""
    old: set[str] = set()
    new: set[str] = set()
    for key, value in arguments_of(call).items():
        lines = old if key.casefold().startswith("old") or key.casefold() == "search" else new
        lines.update(line.strip() for text in _values(value) for line in text.split("\n"))
    return frozenset(old - new)


def _values(value: Json) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for each in value.values():
            yield from _values(each)
    elif isinstance(value, list):
        for each in value:
            yield from _values(each)
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        yield str(value)

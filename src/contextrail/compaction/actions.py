"""The action record: what the tools of a span did, told from names, arguments and results; no model."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

import msgspec

from contextrail.core.ids import CallId, MessageId
from contextrail.messages.model import Message, ToolCall, ToolResult
from contextrail.messages.pairs import pair
from contextrail.messages.text import part_text

Kind = Literal["read", "write", "run", "other"]
Outcome = Literal["ok", "error", "interim", "unknown"]

_PATH_KEYS: Final = (
    "file_path",
    "filepath",
    "path",
    "file",
    "filename",
    "notebook_path",
    "target_file",
    "uri",
)
_COMMAND_KEYS: Final = ("command", "cmd", "script", "code", "shell_command")
_WRITES: Final = re.compile(
    r"(?:^|[_\W]|(?<=[a-z]))(?:edit|write|create|patch|insert|replace|update|append|delete|remove|rename|move|save|put|"
    r"apply_?patch|multi_?edit|notebook_?edit|str_replace\w*)(?:[_\W]|(?=[A-Z])|s?$|d$)",
    re.IGNORECASE,
)
_READS: Final = re.compile(
    r"(?:^|[_\W]|(?<=[a-z]))(?:read|view|open|cat|get|list|ls|find|search|grep|glob|fetch|show|look|query|check)",
    re.IGNORECASE,
)
_RUNS: Final = re.compile(r"bash|shell|exec|run|terminal|command|python|process", re.IGNORECASE)
_EXIT: Final = re.compile(
    r"(?:exit(?:ed)?(?: with)?(?: code| status)?|returncode|exit_code|return code)[\"'>:= ]{1,4}(-?\d{1,3})\b",
    re.IGNORECASE,
)
_CHANGING: Final = re.compile(
    r"\bgit\s+(?:-\S+\s+)*(?:commit|push|checkout|switch|reset|merge|rebase|cherry-pick|revert|stash|tag|apply|am|mv|rm|pull|clean)\b"
    r"|\b(?:rm|mv|cp|mkdir|rmdir|touch|chmod|chown|ln|tee|dd|kill|pkill|patch|truncate|unzip)\s"
    r"|\bsed\s+(?:-\w*\s+)*-\w*i|\bperl\s+-\w*i"
    r"|\b(?:pip|pip3|uv|npm|pnpm|yarn|cargo|gem|go|brew|apt|apt-get|dnf|poetry|conda)\s+(?:\S+\s+)?(?:install|add|remove|uninstall|upgrade|publish|get)\b"
    r"|\b(?:docker|podman|kubectl|helm|terraform|systemctl|service|alembic|flyway)\s+(?:\S+\s+)?"
    r"(?:run|rm|stop|start|restart|build|push|apply|delete|create|scale|install|upgrade|destroy|migrate|rollback)\b"
    r"|\b(?:drop|delete from|insert into|alter|update)\s+\w+|\bcurl\b.*-X\s*(?:POST|PUT|DELETE|PATCH)\b|\bmigrate\b|\bdeploy\b"
    r"|(?<![\d&=\-<])>{1,2}\s*(?!/dev/null|&)[\w./~$\"']",
    re.IGNORECASE,
)
_TESTING: Final = re.compile(
    r"\b(?:pytest|unittest|tox|nox|jest|vitest|mocha|rspec|phpunit|ctest|go test|cargo test|mvn test|gradle test|make (?:test|check)|npm (?:run )?test|yarn test|runtests)\b|\btests?\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Action:
    """One tool call and what came of it."""

    call_id: CallId
    message: MessageId
    """Of the call."""
    tool: str
    kind: Kind
    target: str
    """The path, the command, or the arguments as they stand: word for word."""
    path: str | None
    command: str | None
    outcome: Outcome
    exit_code: int | None
    result: str
    """Text of the result; "" where there is none."""
    given: str = ""
    """The arguments as they stand."""

    @property
    def changed(self) -> bool:
        """Whether it changed something, as far as its name and command tell."""
        if self.command is not None:
            return _CHANGING.search(self.command) is not None
        return self.kind == "write"

    @property
    def tested(self) -> bool:
        """Whether it ran tests."""
        return self.command is not None and _TESTING.search(self.command) is not None

    @property
    def succeeded(self) -> bool:
        """Whether a result came, is no error, and names no exit code but 0."""
        return self.outcome == "ok" and self.exit_code in (None, 0)


def actions(messages: Sequence[Message]) -> tuple[Action, ...]:
    """What was done, in order of the calls. Calls and results are paired by position, at any distance."""
    paired = pair(messages)
    found: list[Action] = []
    for at, message in enumerate(messages):
        for index, part in enumerate(message.parts):
            if isinstance(part, ToolCall):
                place = paired.answer.get((at, index))
                result = messages[place[0]].parts[place[1]] if place else None
                assert result is None or isinstance(result, ToolResult)
                found.append(_action(part, message.id, result))
    return tuple(found)


def arguments_of(call: ToolCall) -> dict[str, Any]:
    """The arguments of a call as an object; empty where they are none, or not JSON."""
    try:
        value = msgspec.json.decode(call.arguments)
    except (msgspec.DecodeError, UnicodeEncodeError):
        return {}
    return value if isinstance(value, dict) else {}


def _action(call: ToolCall, message: MessageId, result: ToolResult | None) -> Action:
    given = arguments_of(call)
    path = _first(given, _PATH_KEYS)
    command = _first(given, _COMMAND_KEYS)
    text = part_text(result) if result is not None else ""
    kind = _kind(call.name, command)
    exits = _EXIT.search(text[:400]) or _EXIT.search(text[-400:]) if kind == "run" else None
    return Action(
        call_id=call.call_id,
        message=message,
        tool=call.name,
        kind=kind,
        target=command or path or call.arguments,
        path=path if command is None else None,
        command=command,
        outcome="unknown" if result is None else result.status,
        exit_code=int(exits[1]) if exits else None,
        result=text,
        given=call.arguments,
    )


def _kind(name: str, command: str | None) -> Kind:
    if command is not None or _RUNS.search(name):
        return "run" if command is not None else "other"
    if _WRITES.search(name):
        return "write"
    return "read" if _READS.search(name) else "other"


def _first(given: dict[str, Any], keys: Sequence[str]) -> str | None:
    for key in keys:
        value = given.get(key)
        if isinstance(value, str) and value.strip():
            return value
        if isinstance(value, list) and value and all(isinstance(each, str) for each in value):
            return " ".join(value)
    return None

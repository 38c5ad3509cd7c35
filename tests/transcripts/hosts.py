"""Session files of the hosts beside Claude Code, and what every reading of one must hold."""

from __future__ import annotations

from collections.abc import Iterable
from io import BytesIO
from pathlib import Path
from typing import Any, Final

from contextrail.core.json_text import dump
from contextrail.messages.model import Conversation, Message, ToolCall, ToolResult
from contextrail.messages.text import message_text
from contextrail.transcripts.assemble import assemble
from contextrail.transcripts.detect import reader_of
from contextrail.transcripts.session import Entry, Event, Session
from contextrail.wire import neutral

DATA: Final = Path(__file__).parents[1] / "data"
AGENTS: Final = DATA / "agent-sessions"

FILES: Final[dict[str, tuple[Path, ...]]] = {
    "codex": (
        *sorted(AGENTS.glob("codex*.jsonl")),
        *sorted(AGENTS.glob("session_*.jsonl")),
        *sorted(AGENTS.glob("codex/*")),
    ),
    "gemini-cli": (*sorted(AGENTS.glob("gemini/*")), *sorted(AGENTS.glob("qwen/*"))),
    "opencode": tuple(sorted(AGENTS.glob("opencode/*/session/*/*.json"))),
    "pi": (
        *sorted(AGENTS.glob("pi/*")),
        *sorted(AGENTS.glob("openclaw/*")),
        *sorted(AGENTS.glob("droid/session_store_*")),
        DATA / "pi-session" / "large-session.jsonl",
    ),
    "swe-agent": tuple(sorted(DATA.glob("swe-agent-trajs/*.traj"))),
    "mini-swe-agent": tuple(sorted(DATA.glob("mini-swe-agent-trajs/*.traj.json"))),
    "openai-chat": (*sorted(DATA.glob("openhands-llm-logs/*.json")), AGENTS / "hermes" / "large.json"),
}
"""Format: its files."""
NUMBERS: Final = {
    "codex": 10, "gemini-cli": 10, "opencode": 3, "pi": 8, "swe-agent": 2, "mini-swe-agent": 2, "openai-chat": 3,
}  # fmt: skip
"""How many there must be, so that no test is empty."""
ALL: Final = tuple((name, path) for name, paths in FILES.items() for path in paths)
LINES: Final = tuple((name, path) for name, path in ALL if path.suffix == ".jsonl")
UNKNOWN: Final = tuple(
    path
    for folder in ("antigravity", "copilot", "cursor", "droid", "grok", "kimi")
    for path in sorted((AGENTS / folder).rglob("*.json*"))
    if not path.name.startswith("session_store_")
)
"""Sessions of hosts that we do not read."""


def events(name: str, data: bytes, file: str = "session") -> list[Event]:
    return list(reader_of(name).read(BytesIO(data), file))


def session(name: str, data: bytes | str | Iterable[dict[str, Any]], file: str = "session") -> Session:
    """Read bytes, text, or records that are written as lines."""
    raw = data.encode() if isinstance(data, str) else data if isinstance(data, bytes) else lines(data)
    return assemble(events(name, raw, file), format=name, file=file, head=reader_of(name).head)


def lines(records: Iterable[dict[str, Any]]) -> bytes:
    return b"".join(dump(record) + b"\n" for record in records)


def said(messages: Iterable[Message]) -> list[tuple[str, str]]:
    """Role and text of each message."""
    return [(message.role, message_text(message)) for message in messages]


def calls(messages: Iterable[Message]) -> list[str]:
    """Ids of calls, and of results with a dash before them, in order."""
    return [
        part.call_id if isinstance(part, ToolCall) else f"-{part.call_id}"
        for message in messages
        for part in message.parts
        if isinstance(part, (ToolCall, ToolResult))
    ]


def kinds(read: Session) -> list[str]:
    return [issue.kind for issue in read.issues]


def as_neutral(messages: tuple[Message, ...]) -> bytes:
    """Messages as the bytes of a neutral file."""
    return dump(neutral.encode(Conversation(messages=messages)))


def unaccounted(data: bytes, found: Iterable[Event]) -> bytes:
    """The bytes that belong to no entry and no issue, blanks aside."""
    covered = bytearray(len(data))
    for event in found:
        if isinstance(event, Entry):
            start, end = event.origin.start, event.origin.end
        elif event.byte is not None and event.end is not None:
            start, end = event.byte, event.end
        else:
            continue
        covered[start:end] = b"\1" * (end - start)
    return bytes(
        byte for byte, seen in zip(data, covered, strict=True) if not seen and byte not in b" \t\r\n"
    )

"""Claude Code records in few words, and files of them."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from typing import Any, Final

from contextrail.core.json_text import JsonObject, dump
from contextrail.transcripts import claude_code
from contextrail.transcripts.assemble import assemble
from contextrail.transcripts.session import Entry, Session

DATA: Final = Path(__file__).parents[1] / "data"
SESSIONS: Final = sorted(DATA.glob("claude-code-sessions/*.jsonl"))
FIXTURES: Final = sorted(DATA.glob("claude-code-fixtures/**/*.jsonl"))
DAMAGED: Final = DATA / "bad-input" / "jsonl-glued-records" / "claude-code.jsonl"


def record(kind: str, ident: str | None, parent: str | None, **fields: Any) -> JsonObject:
    """A record of a tree."""
    minute = sum(map(ord, ident or "")) % 60
    return {
        "parentUuid": parent,
        "isSidechain": False,
        "sessionId": "s",
        "type": kind,
        "uuid": ident,
        "timestamp": f"2026-05-01T09:{minute:02}:00.000Z",
        **fields,
    }


def user(ident: str, parent: str | None, content: Any = "do it", **fields: Any) -> JsonObject:
    return record("user", ident, parent, message={"role": "user", "content": content}, **fields)


def says(ident: str, parent: str | None, text: str = "done", *, reply: str | None = None) -> JsonObject:
    return _reply(ident, parent, [{"type": "text", "text": text}], reply)


def calls(ident: str, parent: str | None, *call_ids: str, reply: str | None = None) -> JsonObject:
    blocks = [{"type": "tool_use", "id": each, "name": "Bash", "input": {}} for each in call_ids]
    return _reply(ident, parent, blocks, reply)


def answers(ident: str, parent: str | None, *call_ids: str, **fields: Any) -> JsonObject:
    blocks = [{"type": "tool_result", "tool_use_id": each, "content": f"result {each}"} for each in call_ids]
    return user(ident, parent, blocks, **fields)


def cut(ident: str, parent: str | None = None, **fields: Any) -> JsonObject:
    return record("system", ident, parent, subtype="compact_boundary", **fields)


def file(*records: JsonObject) -> bytes:
    return b"".join(dump(each) + b"\n" for each in records)


def session(*records: JsonObject) -> Session:
    return read(file(*records))


def read(data: bytes, name: str = "s.jsonl") -> Session:
    return assemble(
        claude_code.read(BytesIO(data), name), format="claude-code", file=name, head=claude_code.head
    )


def entries(data: bytes) -> list[Entry]:
    return [event for event in claude_code.read(BytesIO(data), "s.jsonl") if isinstance(event, Entry)]


def segments(made: Session) -> list[list[str]]:
    return [list(ids) for ids in made.segment_ids]


def issues(made: Session) -> list[str]:
    return sorted(issue.kind for issue in made.issues)


def _reply(ident: str, parent: str | None, blocks: list[JsonObject], reply: str | None) -> JsonObject:
    message = {"id": reply or f"msg_{ident}", "role": "assistant", "model": "claude-x", "content": blocks}
    return record("assistant", ident, parent, message=message)

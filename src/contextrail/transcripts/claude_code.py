"""Claude Code session files: one JSON object a line, a tree by `uuid` and `parentUuid`.

A session file holds the main conversation; a sub-agent's is a sidechain, in the same file (older
hosts) or in a file `agent-*.jsonl` of its own. One reply of the model is several records, a block
each, with the same `message.id`. Records that the host keeps for itself (titles, file history,
progress, queue) are carried along.

Source: real session files of versions 1.0 to 2.1; the host documents no format.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from io import BytesIO
from itertools import groupby
from pathlib import Path
from typing import BinaryIO, Final

from contextrail.core.ids import MessageId
from contextrail.core.json_text import Json, JsonObject
from contextrail.core.timestamps import read_timestamp
from contextrail.messages.identity import content_id
from contextrail.messages.model import Extra, Fence, Message, Origin, Part, Role, Summary, Text, ToolResult
from contextrail.transcripts.lines import Record, records
from contextrail.transcripts.notes import named_parent
from contextrail.transcripts.session import Entry, Event, Head, Issue, Severity
from contextrail.wire.anthropic_blocks import read_block

FORMAT = "claude-code"
GAP: Final = "contextrailGap"
"""Field of a record that marks a place where the chain was broken; its value names what is missing."""

_SPEAKING: Final = frozenset({"user", "assistant"})
_SILENT: Final = frozenset(
    {
        "agent-name", "ai-title", "atis-latch", "attachment", "bridge-session", "custom-title",
        "file-history-snapshot", "frame-link", "last-prompt", "mode", "permission-mode", "pr-link", "progress",
        "queue-operation", "relocated", "result", "started", "summary", "system", "tag", "worktree-state",
    }
)  # fmt: skip
"""Types that say nothing to the model by themselves, or that are looked into by name below."""
_JOINED: Final = Extra(FORMAT, {"~joined": True})
"""Of a message that goes on with the record, or with the reply, of the message before it."""
_COMMON: Final = frozenset({"attachment", "mode", "progress", "result", "started", "system", "tag"})
"""Those among them that other hosts have as well."""


def sniff(head: bytes, path: Path) -> float:
    """How sure it is that a file is a Claude Code session, in [0, 1]."""
    sure = [_sureness(item.value) for item in records(BytesIO(head), path.name) if isinstance(item, Record)]
    if not sure:  # the first line is longer than what was looked at
        return 0.5 if b'"parentUuid":' in head and b'"sessionId":' in head else 0.0
    return max(sure) if min(sure) >= 0 else 0.0


def read(stream: BinaryIO, file: str) -> Iterator[Event]:
    """Entries and issues in file order; see `Reader`."""
    state = _State(file)
    for item in records(stream, file):
        if isinstance(item, Issue):
            yield item
        else:
            entry = _entry(item, state)
            yield from state.take_issues()
            yield entry


def head(entries: tuple[Entry, ...]) -> Head:
    """The model that answered last; the file says neither system prompt nor tools."""
    for entry in reversed(entries):
        if entry.kind == "assistant" and entry.lane == "main" and isinstance(entry.value, dict):
            message = entry.value.get("message")
            model = message.get("model") if isinstance(message, dict) else None
            if isinstance(model, str) and not model.startswith("<"):
                return Head(model=model)
    return Head()


def attached_files(path: Path) -> list[Path]:
    """Files of the sub-agents of a session: `SESSION/subagents/agent-*.jsonl`, or, of older hosts, beside it."""
    if path.name.startswith("agent-"):
        return []
    found = sorted((path.parent / path.stem / "subagents").glob("agent-*.jsonl"))
    beside = [each for each in sorted(path.parent.glob("agent-*.jsonl")) if _session_of(each) == path.stem]
    return [*found, *beside]


def _session_of(path: Path) -> str | None:
    """The session that the first record of a file names."""
    try:
        with path.open("rb") as file:
            for item in records(BytesIO(file.readline(1 << 20)), path.name):
                if isinstance(item, Record):
                    return _text(item.value.get("sessionId"))
    except OSError:
        pass
    return None


def _sureness(value: JsonObject) -> float:
    """What one record says for this format; below 0: what speaks against it."""
    kind, message = _text(value.get("type")), value.get("message")
    if "uuid" in value and ("parentUuid" in value or "sessionId" in value):
        if kind not in _SPEAKING:
            return 0.7 if kind in _SILENT else 0.3
        if isinstance(message, dict) and "parts" in message and "content" not in message:
            return -1.0  # a relative of this format, with content of another form
        return 0.95 if isinstance(message, dict) and "content" in message else 0.0
    match kind:
        case "summary" if "leafUuid" in value:
            return 0.8
        case "file-history-snapshot" if "messageId" in value:
            return 0.8
        case str() if kind in _SILENT - _COMMON and "sessionId" in value:
            return 0.5
        case _:
            return 0.0


@dataclass(slots=True)
class _State:
    """What reading one record needs to know of those before it."""

    file: str
    lanes: dict[str, str] = field(default_factory=dict)
    """Sidechain of each record that is in one, by uuid."""
    last_reply: dict[str, str | None] = field(default_factory=dict)
    """By lane: provider's id of the reply that the latest message belongs to."""
    last_id: dict[str, MessageId] = field(default_factory=dict)
    """By lane: id of the latest record; old hosts wrote no `parentUuid`, their records follow one another."""
    seen: set[MessageId] = field(default_factory=set)
    noted: set[tuple[str, str]] = field(default_factory=set)
    issues: list[Issue] = field(default_factory=list)

    def note(self, kind: str, severity: Severity, detail: str, at: Origin, ident: MessageId | None) -> None:
        """Report something about the record at hand."""
        self.issues.append(
            Issue(
                kind=kind,
                severity=severity,
                file=self.file,
                line=at.line,
                byte=at.start,
                detail=detail,
                message=ident,
            )
        )

    def note_once(self, kind: str, word: str, detail: str, at: Origin) -> None:
        """Report a kind of record at its first occurrence."""
        if (kind, word) not in self.noted and len(self.noted) < 1000:
            self.noted.add((kind, word))
            self.note(kind, "note", detail, at, None)

    def take_issues(self) -> list[Issue]:
        """What was noted since the last call."""
        taken, self.issues = self.issues, []
        return taken

    def lane(self, value: JsonObject, ident: str | None, parent: str | None) -> str:
        """The lane of a record: "main", the sub-agent's id, or the first record of its chain."""
        if value.get("isSidechain") is not True:
            return "main"
        lane = _text(value.get("agentId")) or self.lanes.get(parent or "") or ident or "sidechain"
        if ident is not None:
            self.lanes[ident] = lane
        return lane


def _entry(record: Record, state: _State) -> Entry:
    value = record.value
    kind = _text(value.get("type")) or "?"
    ident, parent = _ident(value.get("uuid")), named_parent(value.get("parentUuid"), record.origin)
    lane = state.lane(value, ident, parent)
    if "parentUuid" not in value:
        parent = state.last_id.get(lane)
    if ident is not None:
        state.last_id[lane] = ident
    boundary = kind == "system" and value.get("subtype") == "compact_boundary"
    if value.get("isCompactSummary") is True and parent is not None and parent not in state.seen:
        boundary = True  # the record of the cut itself is missing
    if ident is not None:
        state.seen.add(ident)
    if GAP in value:
        state.note("gap", "note", "a gap that was marked when the file was healed", record.origin, ident)
    reply = _reply(value) if kind == "assistant" else None
    joined = reply is not None and reply == state.last_reply.get(lane)
    messages = _messages(value, kind, record.origin, state, joined=joined)
    if messages:
        state.last_reply[lane] = reply
    return Entry(
        kind=kind,
        origin=record.origin,
        id=ident,
        parent=parent,
        logical=_ident(value.get("logicalParentUuid")) if boundary else None,
        keeps=_kept(value) if boundary else None,
        response=reply,
        lane=lane,
        named="parentUuid" in value,
        gap=GAP in value,
        boundary=boundary,
        message=messages[0] if messages else None,
        more=messages[1:],
        value=value,
        raw=record.raw,
    )


def _messages(
    value: JsonObject, kind: str, at: Origin, state: _State, *, joined: bool
) -> tuple[Message, ...]:
    """The messages that a record is; none if it says nothing to the model."""
    ident = _ident(value.get("uuid"))
    match kind:
        case "user" | "assistant":
            said, wrap = _spoken(value, kind, at, state)
        case "attachment":
            said, wrap = _attached(value.get("attachment"), at, state)
        case "system" if value.get("subtype") == "local_command" and _text(value.get("content")):
            said, wrap = {"role": "user", "content": value["content"]}, "local-command"
        case _:
            if kind not in _SILENT:
                state.note_once("unknown-type", kind, f"records of type {kind[:80]!r} are carried along", at)
            return ()
    if said is None:
        return ()
    base = ident or content_id(at.line, value)
    when = read_timestamp(value.get("timestamp"))
    return tuple(
        Message(
            id=MessageId(f"{base}#{index}") if index else base,
            role=role,
            parts=_wrapped(parts, wrap),
            timestamp=when,
            origin=at,
            extra=_JOINED if index or joined else None,
        )
        for index, (role, parts) in enumerate(_pieces(said))
    )


def _pieces(said: JsonObject) -> list[tuple[Role, tuple[Part, ...]]]:
    """Runs of results, as messages of role "tool", and runs of anything else; one piece where there are none."""
    content, role = said["content"], said["role"]
    if isinstance(content, str):
        return [(role, (Text(text=content),))]
    parts = tuple(map(read_block, content))
    if role != "user" or not any(isinstance(part, ToolResult) for part in parts):
        return [(role, parts)]
    return [
        ("tool" if results else "user", tuple(run))
        for results, run in groupby(parts, key=lambda part: isinstance(part, ToolResult))
    ]


def _spoken(value: JsonObject, kind: str, at: Origin, state: _State) -> tuple[JsonObject | None, str | None]:
    """Role and content of a user or assistant record, and what its text is if nobody said it."""
    message = value.get("message")
    if value.get("isApiErrorMessage") is True:
        state.note_once("host-message", "api-error", "error texts of the host are not part of the talk", at)
        return None, None
    if not isinstance(message, dict) or not isinstance(message.get("content"), (str, list)):
        ident = _ident(value.get("uuid"))
        state.note("no-content", "warning", f"a {kind} record without readable content", at, ident)
        return None, None
    role = _text(message.get("role"))
    role = role if role in _SPEAKING else kind
    said = {"role": role, "content": message["content"]}
    if value.get("isCompactSummary") is True:
        return said, "summary"
    return said, "meta" if value.get("isMeta") is True and role == "user" else None


def _attached(attachment: Json, at: Origin, state: _State) -> tuple[JsonObject | None, str | None]:
    """A prompt that was given while the model worked; anything else that is attached stays as it is."""
    if not isinstance(attachment, dict):
        return None, None
    kind = _text(attachment.get("type")) or "?"
    prompt = attachment.get("prompt")
    if kind == "queued_command" and isinstance(prompt, (str, list)):
        given = attachment.get("commandMode", "prompt") == "prompt" and attachment.get("isMeta") is not True
        return {"role": "user", "content": prompt}, None if given else "meta"
    state.note_once("attachment", kind, f"attachments of type {kind[:80]!r} are carried along", at)
    return None, None


def _wrapped(parts: tuple[Part, ...], wrap: str | None) -> tuple[Part, ...]:
    """Text that nobody said, as what it is."""
    if wrap is None:
        return parts

    def wrapped(part: Part) -> Part:
        if not isinstance(part, Text):
            return part
        if wrap == "summary":
            return Summary(text=part.text, extra=part.extra)
        return Fence(family=wrap, text=part.text, extra=part.extra)

    return tuple(map(wrapped, parts))


def _reply(value: JsonObject) -> str | None:
    message = value.get("message")
    return _text(message.get("id")) if isinstance(message, dict) else None


def _kept(value: JsonObject) -> tuple[MessageId, MessageId, MessageId] | None:
    """First, last and new predecessor of the stretch that a compaction kept."""
    about = value.get("compactMetadata")
    stretch = about.get("preservedSegment") if isinstance(about, dict) else None
    if not isinstance(stretch, dict):
        return None
    first, last, anchor = (_ident(stretch.get(key)) for key in ("headUuid", "tailUuid", "anchorUuid"))
    return (first, last, anchor) if first and last and anchor else None


def _text(value: Json) -> str | None:
    return value if isinstance(value, str) and value else None


def _ident(value: Json) -> MessageId | None:
    text = _text(value)
    return None if text is None else MessageId(text)

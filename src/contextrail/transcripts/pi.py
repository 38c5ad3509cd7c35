"""Pi sessions: a header, then entries of a tree, one a line; also those of OpenClaw and Droid, which are built alike.

Entries of version 1 have no ids and follow one another. The latest entry is where the conversation
stands. A compaction puts its summary in front of the entries from `firstKeptEntryId` on.

Source: docs/session.md of badlogic/pi-mono (versions 1 to 3), and session files of pi, OpenClaw and Droid.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from io import BytesIO
from pathlib import Path
from typing import BinaryIO, Final

from contextrail.core.ids import CallId, MessageId
from contextrail.core.json_text import JsonObject
from contextrail.core.timestamps import read_timestamp
from contextrail.messages.identity import content_id
from contextrail.messages.model import Message, Origin, Part, Summary, ToolCall
from contextrail.transcripts.lines import Record, records
from contextrail.transcripts.notes import Notes, ident, named_parent, object_at, word
from contextrail.transcripts.pi_messages import SPOKEN, read_spoken, spoken_by_host
from contextrail.transcripts.session import Entry, Event, Head, Issue

FORMAT = "pi"

_SILENT: Final = frozenset(
    {
        "context_transform", "custom", "ephemeral", "label", "model_change", "session", "session_info", "session_start",
        "thinking_level_change", "todo_state", "session_end",
    }
)  # fmt: skip
"""Types that say nothing to the model."""


def sniff(head: bytes, path: Path) -> float:
    """How sure it is that a file is a pi session, in [0, 1]."""
    values = [item.value for item in records(BytesIO(head), path.name) if isinstance(item, Record)]
    sure = [_sureness(value) for value in values]
    return 0.0 if not sure else min(0.95, sum(sure) / len(sure) + 0.3) if max(sure) > 0 else 0.0


def read(stream: BinaryIO, file: str) -> Iterator[Event]:
    """Entries and issues in file order; see `Reader`."""
    state = _State(Notes(file))
    for item in records(stream, file):
        if isinstance(item, Issue):
            yield item
            continue
        entry = _entry(item, state)
        yield from state.notes.take()
        yield entry


def head(entries: tuple[Entry, ...]) -> Head:
    """The model that was set or answered last; the file says neither system prompt nor tools."""
    for entry in reversed(entries):
        value = entry.value if isinstance(entry.value, dict) else {}
        message = object_at(value, "message")
        model = word(value.get("modelId")) or (word(message.get("model")) if entry.lane == "main" else None)
        if model is not None:
            return Head(model=model)
    return Head()


def _sureness(value: JsonObject) -> float:
    message = value.get("message")
    match value.get("type"):
        case "session" if "cwd" in value and "id" in value:
            return 0.9
        case "session_start" if "cwd" in value and "id" in value:
            return 0.7
        case "message" if isinstance(message, dict) and "content" in message and "role" in message:
            return 0.7 if word(message["role"]) in SPOKEN else 0.3
        case "message" if isinstance(message, dict) and word(message.get("role")) in SPOKEN:
            return 0.5
        case "compaction" if "firstKeptEntryId" in value:
            return 0.9
        case "model_change" | "thinking_level_change" | "custom_message" | "branch_summary" | "custom":
            return 0.7 if "parentId" in value or "modelId" in value or "thinkingLevel" in value else 0.0
        case _:
            return 0.0


@dataclass(slots=True)
class _State:
    """What reading one entry needs to know of those before it."""

    notes: Notes
    count: int = 0
    """Messages read so far."""
    last: MessageId | None = None
    """The latest entry that has an id; one that names no parent at all follows it."""
    parents: dict[MessageId, MessageId | None] = field(default_factory=dict)
    """Of each entry that has an id: the entry it follows."""
    followed: set[MessageId] = field(default_factory=set)
    """Entries that others follow, those that are not there as well."""
    callers: dict[CallId, MessageId] = field(default_factory=dict)
    """The entry that holds a call; OpenClaw hangs results on the call."""

    def kept(
        self, first: MessageId | None, last: MessageId, place: MessageId
    ) -> tuple[MessageId, MessageId, MessageId] | None:
        """The stretch that a compaction keeps; its first entry may be missing, if what follows it is there."""
        if first is None or not (first in self.parents or first in self.followed):
            return None
        return first, last, place


def _entry(record: Record, state: _State) -> Entry:
    value = record.value
    kind = word(value.get("type")) or "?"
    place, parent = ident(value.get("id")), named_parent(value.get("parentId"), record.origin)
    if parent is not None and parent not in state.parents:
        parent = state.callers.get(CallId(parent), parent)
    elif parent is None and "parentId" not in value:
        parent = state.last
    messages = _messages(value, kind, record.origin, state)
    keeps: tuple[MessageId, MessageId, MessageId] | None = None
    if place is not None:
        if kind == "compaction" and parent is not None:
            keeps = state.kept(ident(value.get("firstKeptEntryId")), parent, place)
            if keeps is not None:
                parent = state.parents.get(keeps[0], keeps[0])
        state.parents[place] = parent
        if parent is not None:
            state.followed.add(parent)
        state.last = place
        for message in messages:
            for part in message.parts:
                if isinstance(part, ToolCall):
                    state.callers[part.call_id] = place
    return Entry(
        kind=kind,
        origin=record.origin,
        id=place,
        parent=parent,
        keeps=keeps,
        named="parentId" in value,
        boundary=kind == "compaction",
        message=messages[0] if messages else None,
        more=messages[1:],
        value=value,
        raw=record.raw,
    )


def _messages(value: JsonObject, kind: str, at: Origin, state: _State) -> tuple[Message, ...]:
    """The messages that an entry is; none if it says nothing to the model."""
    message = value.get("message")
    match kind:
        case "message" if isinstance(message, dict):
            found = read_spoken(message, state.count, at, state.notes)
        case "compaction" | "branch_summary":
            summary = word(value.get("summary"))
            found = () if summary is None else (_user((Summary(text=summary),), value, state.count),)
        case "custom_message":
            parts = spoken_by_host(value.get("content"), word(value.get("customType")) or "custom")
            found = (_user(parts, value, state.count),) if parts else ()
        case _:
            if kind not in _SILENT:
                state.notes.unknown(kind, "records", at)
            return ()
    state.count += len(found)
    when = read_timestamp(value.get("timestamp"))
    place = ident(value.get("id"))
    return tuple(
        replace(
            each,
            id=each.id if place is None else MessageId(f"{place}#{index}") if index else place,
            timestamp=when or each.timestamp,
            origin=at,
        )
        for index, each in enumerate(found)
    )


def _user(parts: tuple[Part, ...], value: JsonObject, position: int) -> Message:
    return Message(id=content_id(position, value), role="user", parts=parts)

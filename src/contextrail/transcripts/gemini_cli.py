"""Sessions of Gemini CLI, as JSON and as JSON lines, and of Qwen Code, which descends from it.

JSON: `{"sessionId", "messages": [record]}`, and older `{"history": [content]}`. Lines: metadata, then
records; one with an id that was there before is its newer form; `$set` changes metadata, or puts other
messages in the place of all; `$rewindTo` takes back a message and what follows. Qwen Code writes a
tree: `{"uuid", "parentUuid", "type", "message": content}`.

Source: chatRecordingService.ts and chatRecordingTypes.ts of google-gemini/gemini-cli, and session
files of both hosts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from io import BytesIO
from pathlib import Path
from typing import BinaryIO, Final

from contextrail.core.ids import MessageId
from contextrail.core.json_text import Json, JsonObject
from contextrail.messages.model import Message, Origin
from contextrail.transcripts.document import ROOT, Element, read_document
from contextrail.transcripts.gemini_qwen import Chain, is_qwen, qwen_entry
from contextrail.transcripts.gemini_records import Told, content_of, messages_of, recorded
from contextrail.transcripts.lines import Record, records
from contextrail.transcripts.notes import Notes, ident, objects_in, word
from contextrail.transcripts.peek import is_lines, peek
from contextrail.transcripts.session import Entry, Event, Head, Issue

FORMAT = "gemini-cli"

_TYPES: Final = frozenset({"user", "gemini", "model", "info", "error", "warning"})
_QUEUE: Final = 1000
"""Events that wait for a newer form of a record, at most."""
_NATIVE: Final = re.compile(
    rb'"parts"\s*:\s*\[\s*\{\s*"(?:text|functionCall|functionResponse|inlineData|thought)"'
)


def sniff(head: bytes, path: Path) -> float:
    """How sure it is that a file is a session of Gemini CLI or Qwen Code, in [0, 1]."""
    if is_lines(head):
        values = [item.value for item in records(BytesIO(head), path.name) if isinstance(item, Record)]
        return max(map(_sureness, values), default=0.0)
    if b'"messages"' in head:
        marks = b'"sessionId"' in head and (b'"projectHash"' in head or b'"startTime"' in head)
        return 0.9 if marks or re.search(rb'"type"\s*:\s*"gemini"', head) else 0.0
    if _NATIVE.search(head) and b'"contents"' not in head:
        return 0.7 if b'"history"' in head else 0.5 if head.lstrip().startswith(b"[") else 0.0
    return 0.0


def read(stream: BinaryIO, file: str) -> Iterator[Event]:
    """Entries and issues in file order; see `Reader`."""
    start, stream = peek(stream)
    yield from (_lines if is_lines(start) else _document)(stream, file)


def head(entries: tuple[Entry, ...]) -> Head:
    """The model that answered last; the file says neither system prompt nor tools."""
    for entry in reversed(entries):
        if entry.message is not None and isinstance(entry.value, dict):
            model = word(entry.value.get("model"))
            if model is not None:
                return Head(model=model)
    return Head()


def _sureness(value: JsonObject) -> float:
    if is_qwen(value):
        return 0.95
    match value:
        case {"sessionId": str(), "projectHash": str()}:
            return 0.95
        case {"$set": dict()} | {"$rewindTo": str()}:
            return 0.8
        case {"id": str(), "type": "gemini", "content": _}:
            return 0.9
        case {"id": str(), "type": str(kind), "content": _, "timestamp": _} if kind in _TYPES:
            return 0.5
        case _:
            return 0.0


# JSON


def _document(stream: BinaryIO, file: str) -> Iterator[Event]:
    told = Told(Notes(file))
    document = read_document(stream.read(), file, ("messages", "history", ROOT), _looks)
    yield Entry(kind="document", origin=document.origin, value=document.value)
    for item in document.items:
        if isinstance(item, Issue):
            yield item
            continue
        messages = _element(item, told)
        yield from told.notes.take()
        yield Entry(
            kind=word(item.value.get("type")) or word(item.value.get("role")) or "?",
            origin=item.origin,
            message=messages[0] if messages else None,
            more=messages[1:],
            value=item.value,
        )


def _element(item: Element, told: Told) -> tuple[Message, ...]:
    if "type" in item.value:
        return recorded(item.value, item.origin, told)
    return messages_of([content_of(item.value)], item.value, item.origin, told)


def _looks(value: Json) -> bool:
    return isinstance(value, dict) and (
        {"id", "type"} <= value.keys()
        or {"role", "parts"} <= value.keys()
        or {"type", "content"} <= value.keys()
    )


# Lines


@dataclass(slots=True)
class _State:
    """Where the conversation stands."""

    told: Told
    chain: Chain = field(default_factory=Chain)
    last: MessageId | None = None
    """The latest record that speaks."""
    parents: dict[MessageId, MessageId | None] = field(default_factory=dict)
    """Of each record that speaks: the one before it."""
    listed: set[MessageId] = field(default_factory=set)
    """Messages that stand in the latest list that replaced all."""
    sets: int = 0
    rewound: bool = False
    """Whether something was taken back and nothing was said since."""


def _lines(stream: BinaryIO, file: str) -> Iterator[Event]:
    state = _State(Told(Notes(file)))
    queue: list[Event] = []
    held = 0
    origin: Origin | None = None
    for item in records(stream, file):
        if isinstance(item, Issue):
            queue.append(item)
            continue
        origin = item.origin
        entry = _entry(item, state)
        latest = queue[held] if held < len(queue) else None
        if entry.message is not None and isinstance(latest, Entry) and _renews(entry, latest):
            queue[held] = replace(latest, id=None, parent=None, message=None, more=())
            held = len(queue)
        elif entry.message is not None or len(queue) > _QUEUE:
            yield from queue
            queue, held = [], 0
        queue.extend(state.told.notes.take())
        if entry.message is not None:
            held = len(queue)
        queue.append(entry)
    yield from queue
    if state.rewound and origin is not None:
        # an empty message: without it, the latest way would be the one that was taken back
        marker = Message(id=MessageId(f"rewound-{origin.line}"), role="user", origin=origin)
        yield Entry(kind="$rewindTo", origin=origin, id=marker.id, parent=state.last, message=marker)


def _renews(entry: Entry, latest: Entry) -> bool:
    """Whether a record is a newer form of another, not the same once more."""
    return entry.id == latest.id and entry.raw != latest.raw


def _entry(record: Record, state: _State) -> Entry:
    value, at = record.value, record.origin
    if is_qwen(value):
        return qwen_entry(record, state.told, state.chain)
    changed = value.get("$set")
    if isinstance(value.get("$rewindTo"), str):
        _rewind(MessageId(value["$rewindTo"]), at, state)
        kind = "$rewindTo"
    elif isinstance(changed, dict):
        if isinstance(changed.get("messages"), list):
            return _replaced(changed["messages"], record, state)
        kind = "$set"
    elif "id" in value or "content" in value:
        return _spoken(record, state)
    else:
        kind = "metadata" if "sessionId" in value else "?"
        if kind == "?":
            state.told.notes.unknown(word(value.get("type")) or "?", "records", at)
    return Entry(kind=kind, origin=at, value=value, raw=record.raw)


def _spoken(record: Record, state: _State) -> Entry:
    value = record.value
    messages = recorded(value, record.origin, state.told)
    entry = Entry(kind=word(value.get("type")) or "?", origin=record.origin, value=value, raw=record.raw)
    if not messages:
        return entry
    place = ident(value.get("id")) or messages[0].id
    if place in state.listed and place not in state.parents:
        state.told.notes.note(
            "superseded", "note", "a newer form of a message that a list holds already", record.origin, place
        )
        return entry
    if place not in state.parents:
        state.parents[place] = state.last
        state.last = place
    state.rewound = False
    return replace(entry, id=place, parent=state.parents[place], message=messages[0], more=messages[1:])


def _replaced(listed: list[Json], record: Record, state: _State) -> Entry:
    """A list of messages that was put in the place of all that stood before: a new segment."""
    told = state.told
    told.answered.clear()
    messages = tuple(
        message for each in objects_in(listed) for message in recorded(each, record.origin, told)
    )
    state.sets += 1
    place = MessageId(f"set-{state.sets}")
    entry = Entry(
        kind="$set",
        origin=record.origin,
        id=place,
        parent=state.last,
        boundary=True,
        message=messages[0] if messages else None,
        more=messages[1:],
        value=record.value,
        raw=record.raw,
    )
    state.listed = {found for each in objects_in(listed) if (found := ident(each.get("id"))) is not None}
    state.parents[place] = state.last
    state.last = place
    state.rewound = False
    return entry


def _rewind(target: MessageId, at: Origin, state: _State) -> None:
    """Go back to before a message; to the beginning, as the host does, if it is not known."""
    if target in state.parents:
        state.last = state.parents[target]
        state.told.notes.note("rolled-back", "note", "the latest messages were taken back", at, target)
    else:
        state.last = None
        state.told.notes.note(
            "rolled-back", "warning", "all messages were taken back, to one that is unknown", at
        )
    state.rewound = True

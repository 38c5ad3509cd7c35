"""OpenCode sessions: what `opencode export` writes, and the folders in which older hosts keep them.

Export: `{"info", "messages": [{"info", "parts"}]}`. Folders: `session/PROJECT/ID.json` is the file to name;
its messages stand in `message/SESSION/*.json`, their parts in `part/MESSAGE/*.json` (before that: all in
`part/*.json`). A reply with `summary: true` stands for what was before; with `tail_start_id`, the host
keeps the messages from there on behind it.

Source: message-v2.ts and compaction.ts of sst/opencode, and session files of versions 0.1 to 1.18.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Final

from contextrail.core.json_text import Json, JsonObject
from contextrail.messages.model import Message, Origin
from contextrail.transcripts.document import Document, read_document
from contextrail.transcripts.notes import Notes, object_at, objects_in, word
from contextrail.transcripts.opencode_messages import read_reply
from contextrail.transcripts.session import Entry, Event, Head, Issue

FORMAT = "opencode"

_MOST: Final = 200_000
"""Files of one folder that are looked at."""


def sniff(head: bytes, path: Path) -> float:
    """How sure it is that a file is a session of OpenCode, in [0, 1]."""
    exported = re.search(rb'"messages"\s*:\s*\[', head) and re.search(rb'"info"\s*:\s*\{', head)
    if exported and (b'"sessionID"' in head or b'"projectID"' in head):
        return 0.95
    stored = b'"projectID"' in head and b'"directory"' in head and b'"id"' in head
    if stored and b'"messages"' not in head and head.lstrip().startswith(b"{"):
        return 0.9 if path.parent.parent.name == "session" else 0.5
    return 0.0


def read(stream: BinaryIO, file: str) -> Iterator[Event]:
    """Entries and issues in file order; of folders, in the order of the messages. See `Reader`."""
    document = read_document(stream.read(), file, ("messages",), _looks)
    yield Entry(kind="document", origin=document.origin, value=document.value)
    listed = next(document.elements("messages"), None) is not None
    ident = word(document.value.get("id"))
    if not listed and ident is not None and "projectID" in document.value:
        yield from _issues(document)
        yield from _stored(Path(file), ident)
        return
    found: list[_Reply | Event] = [
        item if isinstance(item, Issue) else _exported(item.value, item.origin) for item in document.items
    ]
    yield from _entries(found, Notes(file))


def head(entries: tuple[Entry, ...]) -> Head:
    """The model that answered last."""
    for entry in reversed(entries):
        info = object_at(entry.value)
        info = object_at(info.get("info")) or info
        model = word(info.get("modelID")) or word(object_at(info, "model").get("modelID"))
        if model is not None and entry.message is not None:
            return Head(model=model)
    return Head()


@dataclass(frozen=True, slots=True)
class _Reply:
    """A message and its parts, from wherever they stand."""

    info: JsonObject
    parts: list[JsonObject]
    origin: Origin
    value: JsonObject


def _looks(value: Json) -> bool:
    return isinstance(value, dict) and "info" in value and "parts" in value


def _exported(value: JsonObject, at: Origin) -> _Reply:
    return _Reply(object_at(value, "info"), objects_in(value.get("parts")), at, value)


def _entries(found: Iterable[_Reply | Event], notes: Notes) -> Iterator[Event]:
    """Entries of messages; a compaction that was carried out begins a new segment."""
    items = list(found)
    replies = [item for item in items if isinstance(item, _Reply)]
    summarized = {word(reply.info.get("parentID")) for reply in replies if reply.info.get("summary") is True}
    kept: list[tuple[str, tuple[Message, ...]]] = []
    for position, item in enumerate(items):
        if not isinstance(item, _Reply):
            yield item
            continue
        messages = read_reply(item.info, item.parts, position, item.origin, notes)
        yield from notes.take()
        boundary = item.info.get("summary") is True
        ident = word(item.info.get("id")) or ""
        if boundary:
            messages = (*messages, *_tail(item, replies, kept))
            kept.clear()
        asked = any(part.get("type") == "compaction" for part in item.parts) and ident in summarized
        if not asked:  # the request for a summary is not part of what is kept
            kept.append((ident, messages))
        yield Entry(
            kind=word(item.info.get("role")) or "?",
            origin=item.origin,
            boundary=boundary,
            message=messages[0] if messages else None,
            more=messages[1:],
            value=item.value,
        )


def _tail(
    summary: _Reply, replies: Iterable[_Reply], kept: list[tuple[str, tuple[Message, ...]]]
) -> tuple[Message, ...]:
    """The messages before a summary that the host keeps behind it."""
    asked = word(summary.info.get("parentID"))
    starts = [
        word(part.get("tail_start_id"))
        for reply in replies
        if asked is not None and word(reply.info.get("id")) == asked
        for part in reply.parts
        if part.get("type") == "compaction"
    ]
    start = next(filter(None, starts), None)
    places = [at for at, (ident, _) in enumerate(kept) if start is not None and ident == start]
    if not places:
        return ()
    return tuple(message for _, messages in kept[places[0] :] for message in messages)


# Folders


def _stored(session: Path, ident: str) -> Iterator[Event]:
    """The messages of a session whose own file is in the folder `session/PROJECT`."""
    root = session.parent.parent.parent
    infos = list(_documents(root / "message" / ident))
    names = {word(info.value.get("id")) or "" for info in infos}
    parts: defaultdict[str, list[Document]] = defaultdict(list)
    for document in infos:
        yield from _issues(document)
    for document in _part_documents(root / "part", names):
        yield from _issues(document)
        owner = word(document.value.get("messageID")) or Path(document.origin.file).parent.name
        parts[owner].append(document)
        yield Entry(kind="part", origin=document.origin, value=document.value)
    notes = Notes(str(session))
    if not infos:
        folder = root / "message" / ident
        detail = f"the folder {folder} holds no messages of this session"
        yield Issue(kind="no-messages", severity="warning", file=str(session), detail=detail)
    infos.sort(key=lambda info: (_created(info.value), info.origin.file))
    yield from _entries(
        [
            _Reply(
                info.value,
                [part.value for part in sorted(parts[word(info.value.get("id")) or ""], key=_file)],
                info.origin,
                info.value,
            )
            for info in infos
        ],
        notes,
    )


def _issues(document: Document) -> Iterator[Issue]:
    return (item for item in document.items if isinstance(item, Issue))


def _created(info: JsonObject) -> int | float:
    created = object_at(info, "time").get("created")
    return created if isinstance(created, (int, float)) else 0


def _file(document: Document) -> str:
    return document.origin.file


def _part_documents(folder: Path, messages: set[str]) -> Iterator[Document]:
    for name in sorted(filter(None, messages)):
        yield from _documents(folder / name)
    for document in _documents(folder):
        if word(document.value.get("messageID")) in messages:
            yield document


def _documents(folder: Path) -> Iterator[Document]:
    """The JSON files of a folder, by name; none if there is no such folder."""
    try:
        names = sorted(folder.glob("*.json"))[:_MOST]
    except OSError:
        return
    for path in names:
        try:
            data = path.read_bytes()
        except OSError as error:
            origin = Origin(file=str(path), line=1, start=0, end=0)
            reason = (error.strerror or str(error)).lower()
            issue = Issue(
                kind="unreadable", severity="error", file=str(path), detail=f"cannot be read: {reason}"
            )
            yield Document(origin, items=[issue])
            continue
        yield read_document(data, str(path), (), _looks)

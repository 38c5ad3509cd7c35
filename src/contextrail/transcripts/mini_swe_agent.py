"""mini-SWE-agent trajectories (`.traj.json`): one JSON document with the messages as they were sent.

Version 1 writes commands and what came out as text; version 2 uses tool calls. What the agent noted
beside a message (`extra`) is no part of it.

Source: trajectory files of versions 1.1 and 2.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from contextrail.core.json_text import Json
from contextrail.transcripts.chat_records import ROLES, chat_messages
from contextrail.transcripts.document import read_document
from contextrail.transcripts.notes import Notes, object_at, word
from contextrail.transcripts.session import Entry, Event, Head, Issue

FORMAT = "mini-swe-agent"


def sniff(head: bytes, path: Path) -> float:
    """How sure it is that a file is a mini-SWE-agent trajectory, in [0, 1]."""
    if b"mini-swe-agent" in head and b'"trajectory_format"' in head:
        return 0.98
    ours = b'"model_stats"' in head and (b'"mini_version"' in head or b'"instance_cost"' in head)
    listed = re.search(rb'"messages"\s*:\s*\[', head) is not None
    if ours and (listed or b'"info"' in head):
        return 0.9 if path.name.endswith(".traj.json") else 0.7
    return 0.0


def read(stream: BinaryIO, file: str) -> Iterator[Event]:
    """Entries and issues in file order; see `Reader`."""
    notes = Notes(file)
    document = read_document(stream.read(), file, ("messages",), _looks)
    yield Entry(kind="document", origin=document.origin, value=document.value)
    position = 0
    for item in document.items:
        if isinstance(item, Issue):
            yield item
            continue
        messages = chat_messages(item.value, position, item.origin, notes)
        position += len(messages)
        yield from notes.take()
        yield Entry(
            kind=word(item.value.get("role")) or word(item.value.get("type")) or "?",
            origin=item.origin,
            message=messages[0] if messages else None,
            more=messages[1:],
            value=item.value,
        )


def head(entries: tuple[Entry, ...]) -> Head:
    """The model of the configuration."""
    for entry in entries:
        if entry.kind == "document":
            return Head(model=word(object_at(entry.value, "info", "config", "model").get("model_name")))
    return Head()


def _looks(value: Json) -> bool:
    return isinstance(value, dict) and (word(value.get("role")) in {*ROLES, "exit"} or "output" in value)

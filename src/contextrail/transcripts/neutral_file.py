"""Neutral messages in a file: one JSON document, or JSON lines with a message each.

Of lines, the first may hold what is not a message: system, tools, model.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from io import BytesIO
from pathlib import Path
from typing import BinaryIO, Final

from contextrail.core.errors import InvalidRequest
from contextrail.core.json_text import JsonObject
from contextrail.messages.identity import is_user_input
from contextrail.messages.model import Message, Origin
from contextrail.transcripts.document import ROOT, read_document
from contextrail.transcripts.lines import Record, records
from contextrail.transcripts.notes import Notes, objects_in, word
from contextrail.transcripts.peek import is_lines, peek
from contextrail.transcripts.session import Entry, Event, Head, Issue
from contextrail.wire import neutral

FORMAT = "neutral"

_PARTS: Final = re.compile(rb'"parts"\s*:\s*\[\s*(?:\]|\{[^{}\[\]]{0,400}?"type"\s*:)')
_HEAD: Final = frozenset({"system", "system_extra", "tools", "model", "max_output", "wire", "extra"})


def sniff(head: bytes, path: Path) -> float:
    """How sure it is that a file holds neutral messages, in [0, 1]."""
    if is_lines(head):
        values = [item.value for item in records(BytesIO(head), path.name) if isinstance(item, Record)]
        fit = sum(map(neutral.is_message, values))
        return 0.9 if fit and (fit + 1) * 2 > len(values) else 0.0
    roles = re.search(rb'"role"\s*:\s*"(?:system|user|assistant|tool)"', head)
    listed = re.search(rb'"messages"\s*:\s*\[', head)
    if listed and re.search(rb'"messages"\s*:\s*\[\s*\]\s*\}\s*$', head) and b'"id"' not in head:
        return 0.1
    return (0.9 if listed else 0.6) if roles and _PARTS.search(head) else 0.0


def read(stream: BinaryIO, file: str) -> Iterator[Event]:
    """Entries and issues in file order; see `Reader`. A message without an origin gets its place here."""
    told = _Told(Notes(file))
    start, stream = peek(stream)
    if is_lines(start):
        for line in records(stream, file):
            if isinstance(line, Issue):
                yield line
            else:
                yield from told.entry(line.value, line.origin, line.raw)
        return
    document = read_document(stream.read(), file, ("messages", ROOT), neutral.is_message)
    yield Entry(kind="document", origin=document.origin, value=document.value)
    for item in document.items:
        if isinstance(item, Issue):
            yield item
        else:
            yield from told.entry(item.value, item.origin, None)


def head(entries: tuple[Entry, ...]) -> Head:
    """System, tools and model, from wherever the file says them."""
    said: JsonObject = {}
    for entry in entries:
        if entry.kind in {"document", "head"} and isinstance(entry.value, dict):
            said.update({key: field for key, field in entry.value.items() if key in _HEAD})
    try:
        conversation = neutral.decode({**said, "messages": []})
    except InvalidRequest:
        return Head(model=word(said.get("model")))
    return Head(model=conversation.model, system=conversation.system, tools=conversation.tools)


@dataclass(slots=True)
class _Told:
    """How many messages and user inputs were read."""

    notes: Notes
    count: int = 0
    users: int = 0

    def entry(self, value: JsonObject, at: Origin, raw: bytes | None) -> Iterator[Event]:
        """The entry of one record, issues before it."""
        listed = value.get("messages")
        if isinstance(listed, list):
            found = [message for each in objects_in(listed) for message in self.message(each, at)]
            messages, kind = tuple(found), "document"
        elif "role" in value:
            messages, kind = self.message(value, at), str(value["role"])
        else:
            messages, kind = (), "head" if _HEAD & value.keys() else "?"
            if kind == "?":
                self.notes.unknown(word(value.get("type")) or "?", "records", at)
        yield from self.notes.take()
        yield Entry(
            kind=kind,
            origin=at,
            message=messages[0] if messages else None,
            more=messages[1:],
            value=value,
            raw=raw,
        )

    def message(self, value: JsonObject, at: Origin) -> tuple[Message, ...]:
        """The message that a value is, as a tuple of one; none if it cannot be read."""
        try:
            message = neutral.decode_message(value, self.count, self.users)
        except InvalidRequest as error:
            self.notes.note("not-a-message", "error", str(error), at)
            return ()
        self.count += 1
        self.users += is_user_input(message)
        return (message if message.origin is not None else replace(message, origin=at),)

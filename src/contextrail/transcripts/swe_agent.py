"""SWE-agent trajectories (`.traj`): one JSON document; `history` holds the messages as they were sent.

A file without `history` has its steps in `trajectory`: what the model answered and what it observed.

Source: trajectory files of SWE-agent 0.7 to 1.1.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO

from contextrail.core.errors import InvalidRequest
from contextrail.core.json_text import Json, JsonObject, parse
from contextrail.messages.identity import content_id
from contextrail.messages.model import Fence, Message, Origin, Text
from contextrail.transcripts.chat_records import ROLES, chat_messages
from contextrail.transcripts.document import Element, read_document
from contextrail.transcripts.notes import Notes, object_at, word
from contextrail.transcripts.session import Entry, Event, Head, Issue

FORMAT = "swe-agent"


def sniff(head: bytes, path: Path) -> float:
    """How sure it is that a file is a SWE-agent trajectory, in [0, 1]."""
    named = path.name.endswith(".traj")
    steps = re.search(rb'"trajectory"\s*:\s*\[', head) is not None
    if steps and b'"observation"' in head:
        return 0.95 if named else 0.8
    if re.search(rb'"history"\s*:\s*\[', head) and b'"agent"' in head and b'"role"' in head:
        return 0.9 if named else 0.6
    return 0.0


def read(stream: BinaryIO, file: str) -> Iterator[Event]:
    """Entries and issues in file order; see `Reader`."""
    notes = Notes(file)
    document = read_document(stream.read(), file, ("history", "trajectory"), _looks)
    sent = next(document.elements("history"), None) is not None
    yield Entry(kind="document", origin=document.origin, value=document.value)
    position = 0
    for item in document.items:
        if isinstance(item, Issue):
            yield item
            continue
        messages = _messages(item, position, notes, sent=sent)
        position += len(messages)
        yield from notes.take()
        yield Entry(
            kind=word(item.value.get("role")) or ("step" if item.list == "trajectory" else "?"),
            origin=item.origin,
            message=messages[0] if messages else None,
            more=messages[1:],
            value=item.value,
        )


def head(entries: tuple[Entry, ...]) -> Head:
    """The model of the configuration, where the file holds it."""
    for entry in entries:
        if entry.kind == "document":
            config = object_at(entry.value).get("replay_config")
            if isinstance(config, str):
                config = _parsed(config)
            return Head(model=word(object_at(config, "agent", "model").get("name")))
    return Head()


def _messages(item: Element, position: int, notes: Notes, *, sent: bool) -> tuple[Message, ...]:
    if item.list == "history":
        found = chat_messages(item.value, position, item.origin, notes)
        return tuple(map(_demonstration, found)) if item.value.get("is_demo") is True else found
    return () if sent else _step(item.value, position, item.origin)


def _demonstration(message: Message) -> Message:
    """An example that was put in front of the task: nobody said it."""
    parts = tuple(
        Fence(family="demonstration", text=part.text, extra=part.extra) if isinstance(part, Text) else part
        for part in message.parts
    )
    return replace(message, parts=parts)


def _step(step: JsonObject, position: int, at: Origin) -> tuple[Message, ...]:
    found: list[Message] = []
    for role, text in (
        ("assistant", word(step.get("response")) or word(step.get("action"))),
        ("user", word(step.get("observation"))),
    ):
        if text is not None:
            ident = content_id(position + len(found), [step, role])
            speaker = "assistant" if role == "assistant" else "user"
            found.append(Message(id=ident, role=speaker, parts=(Text(text=text),), origin=at))  # type: ignore[arg-type]
    return tuple(found)


def _looks(value: Json) -> bool:
    return isinstance(value, dict) and (
        word(value.get("role")) in ROLES or {"action", "observation"} <= value.keys()
    )


def _parsed(text: str) -> Json:
    try:
        return parse(text, place="replay_config")
    except InvalidRequest:
        return None

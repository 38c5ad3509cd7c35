"""Records of Qwen Code: a tree by `uuid` and `parentUuid`, a content of the provider's form in each."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from contextrail.core.ids import MessageId
from contextrail.core.json_text import JsonObject
from contextrail.messages.model import Message
from contextrail.transcripts.gemini_records import Told, content_of, messages_of
from contextrail.transcripts.lines import Record
from contextrail.transcripts.notes import ident, named_parent, object_at, objects_in, word
from contextrail.transcripts.session import Entry

_TYPES: Final = frozenset({"user", "assistant", "tool_result", "system"})


@dataclass(slots=True)
class Chain:
    """Records by id. One id may stand on several records: the pieces of a reply, one after another."""

    pieces: dict[MessageId, int] = field(default_factory=dict)
    latest: dict[MessageId, MessageId] = field(default_factory=dict)
    """Of each id, the place of its latest piece."""
    raw: dict[MessageId, bytes] = field(default_factory=dict)
    """Of each id, its latest record."""


def is_qwen(value: JsonObject) -> bool:
    """Whether a record is one of Qwen Code."""
    if "uuid" not in value or "parentUuid" not in value or word(value.get("type")) not in _TYPES:
        return False
    message = value.get("message")
    if isinstance(message, dict):
        return isinstance(message.get("parts"), list)
    return value["type"] == "system" and ("systemPayload" in value or "gitBranch" in value)


def qwen_entry(record: Record, told: Told, chain: Chain) -> Entry:
    """The entry of one record."""
    value = record.value
    kind = str(value["type"])
    given, parent = ident(value.get("uuid")), named_parent(value.get("parentUuid"), record.origin)
    place = given
    if given is not None:
        if given in chain.latest and chain.raw[given] != record.raw:
            parent = chain.latest[given]
            place = MessageId(f"{given}#{chain.pieces[given]}")
        elif parent is not None:
            parent = chain.latest.get(parent, parent)
        if place is not None and place not in chain.latest.values():
            chain.pieces[given] = chain.pieces.get(given, 0) + 1
            chain.latest[given] = place
        chain.raw[given] = record.raw
    if value.get("subtype") == "rewind" and given is not None and parent is not None:
        chain.latest[given] = parent  # what follows goes on there; what was left is a branch
        place = parent = None
    compressed = object_at(value, "systemPayload").get("compressedHistory")
    boundary = value.get("subtype") == "chat_compression" and isinstance(compressed, list)
    messages = _messages({**value, "uuid": place}, record, told, objects_in(compressed) if boundary else None)
    return Entry(
        kind=kind,
        origin=record.origin,
        id=place,
        parent=parent,
        named="parentUuid" in value,
        boundary=boundary,
        message=messages[0] if messages else None,
        more=messages[1:],
        value=value,
        raw=record.raw,
    )


def _messages(
    value: JsonObject, record: Record, told: Told, compressed: list[JsonObject] | None
) -> tuple[Message, ...]:
    if compressed is not None:
        return messages_of(list(map(content_of, compressed)), value, record.origin, told)
    message = value.get("message")
    if not isinstance(message, dict) or value.get("type") == "system":
        return ()
    family = "notification" if value.get("subtype") == "notification" else None
    return messages_of([content_of(message)], value, record.origin, told, family)

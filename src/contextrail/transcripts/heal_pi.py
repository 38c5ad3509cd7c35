"""Entries that healing adds to a session of pi or a relative of it, and entries it rewrites."""

from __future__ import annotations

from typing import Final

from contextrail.core.ids import MessageId
from contextrail.core.json_text import Json, JsonObject
from contextrail.messages.settle import UNKNOWN
from contextrail.transcripts.gaps import FAMILY, TEXT
from contextrail.transcripts.heal_claude_code import stray_text, text_blocks
from contextrail.transcripts.heal_plan import Insert
from contextrail.transcripts.notes import objects_in, word

PARENT: str | None = "parentId"

_TEXT: Final = "text"


def outcome_record(neighbour: JsonObject, insert: Insert) -> JsonObject:
    """A result that says "outcome unknown"."""
    time = {"timestamp": neighbour["timestamp"]} if "timestamp" in neighbour else {}
    tree = {"id": insert.id, "parentId": insert.parent} if "id" in neighbour else {}
    message = {
        "role": "toolResult",
        "toolCallId": insert.call.call_id,
        "toolName": insert.call.name,
        "content": [{"type": _TEXT, _TEXT: UNKNOWN}],
        "isError": True,
    }
    return {"type": "message", **tree, **time, "message": message}


def gap_record(neighbour: JsonObject, ident: MessageId, before: MessageId) -> JsonObject:
    """An entry that marks a place where the chain was broken, in a form that the host tells its model."""
    time = {"timestamp": neighbour["timestamp"]} if "timestamp" in neighbour else {}
    tree = {"id": ident, "parentId": before}
    return {"type": "custom_message", **tree, **time, "customType": FAMILY, "content": TEXT, "display": True}


def text_record(value: JsonObject, strays: set[int]) -> JsonObject:
    """An entry whose results without a call are text that says so."""
    message = value["message"]
    content = message.get("content")
    if message.get("role") != "toolResult":
        return {**value, "message": {**message, "content": text_blocks(content, strays)}}
    blocks = objects_in(content)
    texts = [each[_TEXT] for each in blocks if isinstance(each.get(_TEXT), str)]
    if isinstance(content, str):
        texts = [content]
    said = stray_text(word(message.get("toolCallId")) or "without id", texts)
    new: list[Json] = [
        {"type": _TEXT, _TEXT: said},
        *(each for each in blocks if each.get("type") == "image"),
    ]
    kept = {key: each for key, each in message.items() if key == "timestamp"}
    return {**value, "message": {"role": "user", "content": new, **kept}}

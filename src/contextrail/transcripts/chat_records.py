"""Messages in the form of Chat Completions inside the files of research agents."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import Final

from contextrail.core.json_text import JsonObject
from contextrail.core.timestamps import read_timestamp
from contextrail.messages.model import Message, Origin, Thinking
from contextrail.transcripts.notes import Notes, ident, object_at, objects_in, word
from contextrail.wire.anthropic_blocks import read_block
from contextrail.wire.openai_chat import read_message
from contextrail.wire.openai_responses_items import read_item

ROLES: Final = frozenset({"system", "developer", "user", "assistant", "tool", "function"})
_SENT: Final = (
    "role", "content", "name", "tool_calls", "tool_call_id", "function_call", "reasoning_content", "reasoning_details",
    "refusal",
)  # fmt: skip
"""Fields that are the provider's; the others are the agent's own."""


def chat_messages(value: JsonObject, position: int, at: Origin, notes: Notes) -> tuple[Message, ...]:
    """The messages of one record; none if it says nothing to the model.

    Args:
        value: The record.
        position: Index among the messages, for the id.
        at: Where it stands.
        notes: For what is not understood.
    """
    if word(value.get("role")) not in ROLES:
        return _items(value, position, at, notes)
    sent = {name: value[name] for name in _SENT if value.get(name) is not None}
    ids = value.get("tool_call_ids")
    if "tool_call_id" not in sent and isinstance(ids, list) and ids and isinstance(ids[0], str):
        sent["tool_call_id"] = ids[0]
        if len(ids) > 1:
            notes.note(
                "several-calls", "warning", f"one result for {len(ids)} calls; it answers the first", at
            )
    message = read_message(sent, position)
    thoughts = tuple(
        part
        for block in objects_in(value.get("thinking_blocks"))
        if isinstance(part := read_block(block), Thinking)
    )
    parts = (*thoughts, *message.parts)
    if not parts:
        return ()
    return (replace(message, parts=parts, timestamp=_time(value), origin=at),)


def _items(value: JsonObject, position: int, at: Origin, notes: Notes) -> tuple[Message, ...]:
    """Items of the Responses form: a whole response, or one item."""
    output = objects_in(value.get("output"))
    if output and value.get("object") == "response":
        items = output
    elif word(value.get("type")) in {"function_call_output", "function_call", "reasoning"}:
        items = [{key: field for key, field in value.items() if key != "extra"}]
    else:
        if value.get("role") != "exit":
            notes.unknown(word(value.get("role")) or word(value.get("type")) or "?", "messages", at)
        return ()
    read = [read_item(item, position + index) for index, item in enumerate(items)]
    when = _time(value)
    return tuple(
        replace(message, id=ident(item.get("id")) or message.id, timestamp=when, origin=at)
        for message, item in zip(read, items, strict=True)
    )


def _time(value: JsonObject) -> datetime | None:
    return read_timestamp(value.get("timestamp", object_at(value, "extra").get("timestamp")))

"""Write a Claude Code session: records that nobody changed come back line for line."""

from __future__ import annotations

from collections.abc import Iterator

from contextrail.core.errors import InvalidRequest
from contextrail.core.json_text import Json, JsonObject, dump
from contextrail.messages.model import Message
from contextrail.transcripts.session import Entry, Session
from contextrail.wire.anthropic_blocks import write_block


def write(session: Session) -> Iterator[bytes]:
    """The lines of a session file, each with its line end.

    A record whose messages (of the same id and origin) say something else in the session's lanes than in its
    entry is written with the new content; everything else about it stays. Records of sub-agents that
    stand in files of their own are not written.

    Raises:
        InvalidRequest: A message was changed whose record is no user or assistant record.
    """
    lanes = (*session.segments, *session.sidechains.values(), *session.branches)
    said = {(message.id, message.origin): message for lane in lanes for message in lane}
    for entry in session.entries:
        if entry.origin.file != session.file:
            continue
        now = tuple(said.get((message.id, message.origin), message) for message in entry.messages)
        if all(_same(one, other) for one, other in zip(now, entry.messages, strict=True)):
            yield (entry.raw if entry.raw is not None else dump(entry.value)) + b"\n"
        else:
            yield dump(_changed(entry, now)) + b"\n"


def _same(one: Message, other: Message) -> bool:
    return one is other or (one.role == other.role and one.parts == other.parts)


def _changed(entry: Entry, messages: tuple[Message, ...]) -> JsonObject:
    value = entry.value
    if entry.kind not in {"user", "assistant"} or not isinstance(value, dict):
        raise InvalidRequest(
            f"message {entry.id} stands in a record of type {entry.kind!r}, which cannot be rewritten",
            record=entry.id,
        )
    blocks: list[Json] = [write_block(part) for message in messages for part in message.parts]
    return {**value, "message": {**value["message"], "content": blocks}}

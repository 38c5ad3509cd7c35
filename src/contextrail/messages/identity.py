"""Ids for messages that came without one, and the run each message belongs to."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from contextrail.core.digest import canonical_json, sha256
from contextrail.core.ids import MessageId
from contextrail.messages.model import Media, Message, Part, Role, Text


def content_id(position: int, value: object) -> MessageId:
    """An id from where a message stands and what it says: `m12-3fa9c01b`.

    Stable for a history that only grows; equal texts at two positions get two ids.

    Args:
        position: Index of the wire message, from 0.
        value: Its JSON value; for the later pieces of a wire message, `[value, piece]`.
    """
    return MessageId(f"m{position}-{sha256(canonical_json(value))[:8]}")


def is_user_input(message: Message) -> bool:
    """Whether the message is something a user said (not only tool results, fences or a summary)."""
    return speaks(message.role, message.parts)


def speaks(role: Role, parts: Iterable[Part]) -> bool:
    """Whether a message of this role with these parts is a user input."""
    return role == "user" and any(isinstance(part, (Text, Media)) for part in parts)


def number_runs(messages: Iterable[Message]) -> tuple[Message, ...]:
    """The same messages with `run` set: user inputs so far, less one, never below 0."""
    run = -1
    numbered: list[Message] = []
    for message in messages:
        run += is_user_input(message)
        at = max(run, 0)
        numbered.append(message if message.run == at else replace(message, run=at))
    return tuple(numbered)

"""Repair: one message per id, one call per call id, whole pairs in order, nothing empty."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from contextrail.core.ids import MessageId
from contextrail.history.draft import Change, Draft
from contextrail.messages.call_order import in_call_order
from contextrail.messages.model import Message, Opaque, Part, Text, Thinking
from contextrail.messages.repeats import one_call_per_id
from contextrail.messages.settle import STEP, settle

_OWN: Final = "neutral"
"""The wire of an unknown part in a neutral message: no codec knows it either."""


_SUFFIX: Final = re.compile(r"~\d+\Z")
"""What a reader puts behind an id that another message has."""


def one_message_per_id(draft: Draft) -> Draft:
    """Drop a message that was recorded twice; give another message under a used id an id of its own."""
    first: dict[MessageId, Message] = {}
    taken = {message.id for message in draft.messages}
    if len(taken) == len(draft.messages) and not any("~" in ident for ident in taken):
        return draft

    def change(message: Message) -> Change:
        base = MessageId(_SUFFIX.sub("", message.id))
        earlier = first.get(base)
        if earlier is not None and (earlier.role, earlier.parts) == (message.role, message.parts):
            return None, {"same_as": earlier.id}
        if message.id not in first:
            first[message.id] = message
            return message, {}
        count = 2
        while (ident := MessageId(f"{message.id}#{count}")) in taken:
            count += 1
        taken.add(ident)
        return replace(message, id=ident), {"id": ident}

    return draft.edit(change, step=STEP, reason="duplicate-message-id")


def unique_calls(draft: Draft) -> Draft:
    """Rename call ids that were used before; see `one_call_per_id`."""
    messages, decisions = one_call_per_id(draft.messages, step=STEP)
    return draft.with_messages(messages, decisions) if decisions else draft


def whole_pairs(draft: Draft) -> Draft:
    """Every call answered once, directly behind it, results in the order of their calls; see `settle`."""
    settled, decisions = settle(draft.messages)
    messages, moved = in_call_order(settled)
    return draft.with_messages(messages, (*decisions, *moved)) if decisions or moved else draft


def drop_empty(draft: Draft) -> Draft:
    """Remove messages with nothing but white space in them, or parts of kinds that nobody knows and nobody could read.

    A user who begins without a word stays: what to do stands in the system text, and the answer needs somebody before it.
    """
    if all(any(map(_says_something, message.parts)) for message in draft.messages):
        return draft
    first = _silent_start(draft.messages)

    def change(message: Message) -> Change:
        if message is first or any(map(_says_something, message.parts)):
            return message, {}
        unknown = [part.kind for part in message.parts if isinstance(part, Opaque)]
        return None, {"unknown_parts": unknown} if unknown else {}

    return draft.edit(change, step=STEP, reason="empty")


def repair(draft: Draft) -> Draft:
    """All of the above, in order. Repairing twice is repairing once."""
    return drop_empty(whole_pairs(unique_calls(one_message_per_id(draft))))


def _silent_start(messages: Sequence[Message]) -> Message | None:
    """The user's first message if it has only empty text and the assistant answers it, or nobody says anything more."""
    said = [message for message in messages if message.role != "system"][:2]
    if not said or said[0].role != "user" or not said[0].parts:
        return None
    alone = len(said) == 1 or said[1].role == "assistant"
    return said[0] if alone and all(isinstance(part, Text) for part in said[0].parts) else None


def _says_something(part: Part) -> bool:
    if isinstance(part, Text):
        return bool(part.text.strip())
    if isinstance(part, Thinking):
        return bool(part.text or part.signature or part.redacted or part.extra)
    if isinstance(part, Opaque) and part.wire == _OWN:
        value = part.value if isinstance(part.value, dict) else {}
        return any(isinstance(value.get(name), str) and value[name] for name in ("content", "text"))
    return True

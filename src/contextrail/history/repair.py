"""Repair: one message per id, one call per call id, whole pairs in order, nothing empty."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from dataclasses import replace

from contextrail.core.ids import CallId, MessageId
from contextrail.history.draft import Change, Draft
from contextrail.messages.model import Message, Part, Text, Thinking, ToolCall, ToolResult
from contextrail.messages.pairs import Place, pair
from contextrail.messages.settle import STEP, settle


def one_message_per_id(draft: Draft) -> Draft:
    """Drop a message that was recorded twice; give another message under a used id an id of its own."""
    first: dict[MessageId, Message] = {}
    taken = {message.id for message in draft.messages}
    if len(taken) == len(draft.messages):
        return draft

    def change(message: Message) -> Change:
        earlier = first.get(message.id)
        if earlier is None:
            first[message.id] = message
            return message, {}
        if (earlier.role, earlier.parts) == (message.role, message.parts):
            return None, {"same_as": message.id}
        ident = MessageId(_free(message.id, taken))
        taken.add(ident)
        return replace(message, id=ident), {"id": ident}

    return draft.edit(change, step=STEP, reason="duplicate-message-id")


def one_call_per_id(draft: Draft) -> Draft:
    """Rename a call id that was used before, on the call and its results: the n-th use becomes `ID_n`."""
    used = Counter(
        part.call_id for message in draft.messages for part in message.parts if isinstance(part, ToolCall)
    )
    if not used or max(used.values()) < 2:
        return draft
    names = _renames(draft.messages, used)

    def change(at: int, message: Message) -> Change:
        places = [(at, index) for index, _ in enumerate(message.parts)]
        if not any(place in names for place in places):
            return message, {}
        parts = tuple(
            _renamed(part, names[place]) if place in names else part
            for place, part in zip(places, message.parts, strict=True)
        )
        return replace(message, parts=parts), {"calls": [names[place] for place in places if place in names]}

    numbered = iter(range(len(draft.messages)))
    return draft.edit(lambda message: change(next(numbered), message), step=STEP, reason="repeated-call-id")


def whole_pairs(draft: Draft) -> Draft:
    """Every call answered once, directly behind it; see `settle`."""
    messages, decisions = settle(draft.messages)
    return draft.with_messages(messages, decisions) if decisions or messages != draft.messages else draft


def drop_empty(draft: Draft) -> Draft:
    """Remove messages with nothing left in them."""
    return draft.edit(
        lambda message: (message if any(map(_says_something, message.parts)) else None, {}),
        step=STEP,
        reason="empty",
    )


def repair(draft: Draft) -> Draft:
    """All of the above, in order. Repairing twice is repairing once."""
    return drop_empty(whole_pairs(one_call_per_id(one_message_per_id(draft))))


def _says_something(part: Part) -> bool:
    if isinstance(part, Text):
        return bool(part.text)
    if isinstance(part, Thinking):
        return bool(part.text or part.signature or part.redacted or part.extra)
    return True


def _renames(messages: tuple[Message, ...], used: Mapping[CallId, int]) -> dict[Place, CallId]:
    """The new id of each call and result whose id had been used before."""
    paired = pair(messages)
    taken: set[str] = {
        part.call_id
        for message in messages
        for part in message.parts
        if isinstance(part, (ToolCall, ToolResult))
    }
    nth: Counter[CallId] = Counter()
    names: dict[Place, CallId] = {}
    for at, message in enumerate(messages):
        for index, part in enumerate(message.parts):
            if not isinstance(part, ToolCall) or used[part.call_id] < 2:
                continue
            nth[part.call_id] += 1
            if nth[part.call_id] == 1:
                continue
            name = CallId(_free(part.call_id, taken, join="_", start=nth[part.call_id]))
            taken.add(name)
            place = (at, index)
            answer = paired.answer.get(place)
            results = paired.interim.get(place, ())
            for each in (place, *results, *(() if answer is None else (answer,))):
                names[each] = name
    return names


def _renamed(part: Part, name: CallId) -> Part:
    assert isinstance(part, (ToolCall, ToolResult))
    return replace(part, call_id=name)


def _free(ident: str, taken: AbstractSet[str], *, join: str = "#", start: int = 2) -> str:
    """The id with the first counter that nobody has."""
    count = start
    while f"{ident}{join}{count}" in taken:
        count += 1
    return f"{ident}{join}{count}"

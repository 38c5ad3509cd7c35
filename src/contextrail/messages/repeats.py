"""Call ids that were used before: the n-th use gets a name of its own, on the call and on its results."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from contextrail.core.ids import CallId
from contextrail.messages.decision import Decision
from contextrail.messages.model import Message, Part, ToolCall, ToolResult
from contextrail.messages.pairs import Place, pair


def one_call_per_id(messages: Sequence[Message], *, step: str) -> tuple[tuple[Message, ...], list[Decision]]:
    """Rename repeated call ids: the n-th call of `ID` becomes `ID_n` (n from 2), the first stays.

    Returns:
        The messages, the same objects where nothing changes, and a decision for each renamed message.
    """
    used = Counter(
        part.call_id for message in messages for part in message.parts if isinstance(part, ToolCall)
    )
    if not used or max(used.values()) < 2:
        return tuple(messages), []
    names = _names(messages, used)
    decisions: list[Decision] = []

    def rename(at: int, message: Message) -> Message:
        mine = {index: names[at, index] for index, _ in enumerate(message.parts) if (at, index) in names}
        if not mine:
            return message
        detail = {"calls": list(dict.fromkeys(mine.values()))}
        decisions.append(
            Decision(
                message=message.id, verdict="changed", step=step, reason="repeated-call-id", detail=detail
            )
        )
        parts = tuple(
            _named(part, mine[index]) if index in mine else part for index, part in enumerate(message.parts)
        )
        return replace(message, parts=parts)

    return tuple(rename(at, message) for at, message in enumerate(messages)), decisions


def _names(messages: Sequence[Message], used: Counter[CallId]) -> dict[Place, CallId]:
    """The new id at each place whose id had been used before."""
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
            name = _free(part.call_id, nth[part.call_id], taken)
            taken.add(name)
            place = (at, index)
            answer = paired.answer.get(place)
            for each in (place, *paired.interim.get(place, ()), *(() if answer is None else (answer,))):
                names[each] = name
    return names


def _named(part: Part, name: CallId) -> Part:
    assert isinstance(part, (ToolCall, ToolResult))
    return replace(part, call_id=name)


def _free(ident: str, count: int, taken: set[str]) -> CallId:
    while f"{ident}_{count}" in taken:
        count += 1
    return CallId(f"{ident}_{count}")

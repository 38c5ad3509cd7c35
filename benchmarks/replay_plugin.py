"""Replay of real sessions through this library with its default policy: a plugin for a replay measure.

The measure calls `policy(h, t, B, state)` for each real step of a session: the request for step `t` is to be compiled
from messages `[0, t)` under `B` tokens. `h.m[i]` has `role`, `text`, `calls` (id, name, arguments) and `call_id`,
`h.t[i]` is its flat text, `h.k[i]` its cost. The answer is a list of (index, text): (i, None) sends message i as it is,
(i, text) with another text, (None, text) is a message that is not in the history.

Nothing here decides anything. Messages become neutral ones, the window is `B`, the reserve 0, the tokenizer is the
measure's own (its count plus 8 a message), the store is a dict, and the plan of one turn goes into the next.
`state["unreachable"]` counts messages that left or changed and are in no stored text; it must stay 0.
"""

from __future__ import annotations

import json
from functools import lru_cache
from typing import Any, Protocol

import tiktoken

from contextrail.core.tokens import Estimate, exactly
from contextrail.history.policy import Policy
from contextrail.messages.model import Conversation, Message, Text, ToolCall, ToolResult
from contextrail.messages.text import part_text
from contextrail.turn import Counter, Turn, TurnInputs, decide

OVERHEAD = 8
ENCODING = tiktoken.get_encoding("o200k_base")
POLICY = Policy()

Items = list[tuple[int | None, str | None]]


class History(Protocol):
    """What the measure hands over."""

    m: list[dict[str, Any]]
    t: list[str]
    k: list[int]


class FlatTokens:
    """The measure's own count of a message: its flat text, and 8 for role and ids. The model does not matter."""

    id = "o200k_base of the flat text"
    version = "1"
    state = None
    unit = "token"

    def __init__(self) -> None:
        self.costs: dict[int, int] = {}
        """Of messages that are sent as they are, by identity."""

    def text(self, text: str, model: str | None = None) -> Estimate:  # noqa: ARG002
        return exactly(count(text))

    def message(self, message: Message, model: str | None = None) -> Estimate:  # noqa: ARG002
        known = self.costs.get(id(message))
        return exactly(count(flat(message)) + OVERHEAD if known is None else known)

    def body(self, conversation: Conversation, model: str | None = None) -> Estimate:  # noqa: ARG002
        return exactly(sum(self.message(each).high for each in conversation.messages))


@lru_cache(200_000)
def count(text: str) -> int:
    return len(ENCODING.encode(text, disallowed_special=()))


def policy(h: History, t: int, B: int, state: dict[str, Any]) -> Items:  # noqa: N803 - the measure's name
    messages = state.setdefault("messages", [])
    tokens = state.setdefault("tokens", FlatTokens())
    for at in range(len(messages), t):
        message = to_neutral(h.m[at], at)
        messages.append(message)
        tokens.costs[id(message)] = h.k[at]
    inputs = TurnInputs(
        conversation=Conversation(messages=tuple(messages[:t])),
        counter=Counter.of(tokens),
        window=B,
        window_from="host",
        summarizer="extract",
        store=True,
        plan=state.get("plan"),
    )
    turn = decide(inputs, POLICY, tokens)
    assert isinstance(turn, Turn)
    state["plan"] = turn.plan
    state["batches"] = turn.plan.batch if turn.plan is not None else 0
    state.setdefault("blobs", {}).update((blob.digest, blob.text) for blob in turn.blobs)
    places = {id(message): at for at, message in enumerate(messages)}
    numbers = {message.id: at for at, message in enumerate(messages)}
    items: Items = []
    for message in turn.conversation.messages:
        at = places.get(id(message))
        items.append((at, None) if at is not None else (numbers.get(message.id), flat(message)))
    note_unreachable(turn, items, messages[:t], state)
    return items


def to_neutral(given: dict[str, Any], at: int) -> Message:
    ident = f"m{at}"
    if given["role"] == "tool":
        result = ToolResult(call_id=given["call_id"] or ident, parts=(Text(text=given["text"]),))
        return Message(id=ident, role="tool", parts=(result,))
    calls = tuple(
        ToolCall(call_id=ident_of, name=name, arguments=json.dumps(arguments, ensure_ascii=False))
        for ident_of, name, arguments in given["calls"]
    )
    said = (Text(text=given["text"]),) if given["text"] or not calls else ()
    return Message(id=ident, role=given["role"], parts=(*said, *calls))


def flat(message: Message) -> str:
    """A message as the measure writes it: its texts, then each call by its name and the strings in its arguments."""
    said = [part_text(part) for part in message.parts if not isinstance(part, ToolCall)]
    calls = [
        f"{part.name} " + "\n".join(strings(json.loads(part.arguments)))
        for part in message.parts
        if isinstance(part, ToolCall)
    ]
    return "\n".join(said) + ("\n" + "\n".join(calls) if calls else "")


def strings(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    if isinstance(value, bool) or value is None:
        return []
    if isinstance(value, (int, float)):
        return [str(value)]
    values = value.values() if isinstance(value, dict) else value
    return [text for each in values for text in strings(each)]


def note_unreachable(turn: Turn, items: Items, messages: list[Message], state: dict[str, Any]) -> None:
    """Count messages that are not sent as they are, and that no stored text gives back."""
    whole = {at for at, text in items if text is None}
    stored = state.setdefault("stored", set())
    for blob in turn.blobs:
        if blob.text.startswith("{"):
            body = json.loads(blob.text)
            if "messages" in body:
                stored.update(each["id"] for each in body["messages"])
            elif "id" in body:
                stored.add(body["id"])
    missing = sum(message.id not in stored for at, message in enumerate(messages) if at not in whole)
    state["unreachable"] = state.get("unreachable", 0) + missing

"""Calls and results, made legal for one target: one call per id, whole pairs in order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final

from contextrail.core.ids import CallId
from contextrail.messages.model import (
    Conversation,
    Extra,
    Message,
    Opaque,
    Part,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
)
from contextrail.messages.pairs import Pairing, Place, continues, pair
from contextrail.messages.repeats import one_call_per_id
from contextrail.messages.settle import Together, in_a_batch, settle
from contextrail.messages.text import part_text
from contextrail.wire.checks_openai_responses_calls import ANSWERED_BY_HOST
from contextrail.wire.dialects import Aim
from contextrail.wire.lower_parts import STEP, Notes, whole_text

UNANSWERABLE: Final = "computer_call"
"""A call whose result must hold a picture of the screen, which nobody can make up."""

HIDDEN: Final = "~hidden"


def settle_pairs(conversation: Conversation, aim: Aim, notes: Notes) -> Conversation:
    """Every call answered, each result where the target looks for it; one call per id."""
    messages = conversation.messages
    if _repeated(messages, aim):
        messages, decisions = one_call_per_id(messages, step=STEP)
        notes.taken.extend(decisions)
    if aim.own and aim.provider == "gemini" and _contents_in_order(messages):
        pass
    elif aim.own and aim.provider in {"openai-chat", "openai-responses"}:
        messages = _settle_own(replace(conversation, messages=messages), aim, notes)
    else:
        messages, changes = settle(messages, together=_together(aim))
        notes.taken.extend(changes)
    if len(messages) == len(conversation.messages) and all(
        a is b for a, b in zip(messages, conversation.messages, strict=True)
    ):
        return conversation
    return replace(conversation, messages=messages)


def _settle_own(conversation: Conversation, aim: Aim, notes: Notes) -> tuple[Message, ...]:
    """Pairs of a body of OpenAI's forms, but for those that need none there: they stay hidden meanwhile."""
    messages = _without_unanswerable(conversation.messages, aim, notes)
    paired = pair(messages)
    places = set(_free_places(replace(conversation, messages=messages), paired, aim))
    if aim.provider == "openai-responses":
        broken = set(paired.unanswered) | set(paired.orphans)
        if not (broken - places or paired.interim) and not (
            "deepseek" in aim.model and _interleaved(messages)
        ):
            return messages
    hidden = _Hidden(messages, places)
    settled, changes = settle(hidden.messages, together=_together(aim))
    notes.taken.extend(changes)
    return _in_own_form(hidden.shown(settled), aim)


def _without_unanswerable(messages: tuple[Message, ...], aim: Aim, notes: Notes) -> tuple[Message, ...]:
    """Open calls that nothing can answer become text of the assistant."""
    if not any(kind_of_call(part) == UNANSWERABLE for message in messages for part in message.parts):
        return messages
    places = {
        place
        for place in pair(messages).unanswered
        if kind_of_call(messages[place[0]].parts[place[1]]) == UNANSWERABLE
    }
    out = list(messages)
    for at in sorted({at for at, _ in places}):
        parts = (
            Text(text=whole_text(f"[tool call] {part_text(part)}")) if (at, index) in places else part
            for index, part in enumerate(out[at].parts)
        )
        out[at] = replace(out[at], parts=tuple(parts), extra=None)
        notes.changed(out[at].id, "unanswerable-call-as-text")
    return tuple(out)


def _repeated(messages: Sequence[Message], aim: Aim) -> bool:
    """Whether a call id is used twice where that matters: Gemini tells calls apart by place, old calls have no id."""
    if aim.own and aim.provider == "gemini":
        return False
    used = Counter(
        part.call_id
        for message in messages
        for part in message.parts
        if isinstance(part, ToolCall) and not is_legacy(part, aim)
    )
    return bool(used) and max(used.values()) > 1


def _together(aim: Aim) -> Together:
    """Which assistant messages in a row are one reply: in the target's own form, what that form takes as one."""
    if not aim.own or aim.provider == "openai-chat":
        return in_a_batch
    return _calls_only if aim.provider == "openai-responses" and "deepseek" in aim.model else _in_a_row


def _calls_only(before: Message, after: Message) -> bool:
    """Calls behind calls, reasoning between them or not."""
    return all(isinstance(part, (ToolCall, Thinking)) for part in after.parts)


def _in_a_row(before: Message, after: Message) -> bool:
    """All that the assistant says at once."""
    return True


def _free_places(conversation: Conversation, paired: Pairing, aim: Aim) -> Iterable[Place]:
    """Calls that need no answer in the body, and results that need no call there."""
    messages = conversation.messages
    if aim.provider == "openai-chat":
        for at, message in enumerate(messages):
            for index, part in enumerate(message.parts):
                if is_legacy(part, aim) or (isinstance(part, ToolResult) and is_function(message)):
                    yield at, index
        return
    for place in paired.unanswered:
        if kind_of_call(messages[place[0]].parts[place[1]]) not in ANSWERED_BY_HOST:
            yield place  # run by the server, or may be
    if _known_elsewhere(conversation):
        yield from paired.orphans


class _Hidden:
    """Messages without some of their parts, and how to put them back."""

    def __init__(self, messages: Sequence[Message], places: set[Place]) -> None:
        self._whole: dict[int, Message] = {}
        self._parts: dict[str, Part] = {}
        inside = {at for at, _ in places}
        self.messages = [
            self._without(at, message, places) if at in inside else message
            for at, message in enumerate(messages)
        ]

    def _without(self, at: int, message: Message, places: set[Place]) -> Message:
        parts: list[Part] = []
        for index, part in enumerate(message.parts):
            if (at, index) in places:
                key = f"{at}.{index}"
                self._parts[key] = part
                parts.append(Opaque(wire=HIDDEN, kind=key, value=None))
            else:
                parts.append(part)
        hidden = replace(message, parts=tuple(parts))
        self._whole[id(hidden)] = message
        return hidden

    def shown(self, messages: tuple[Message, ...]) -> tuple[Message, ...]:
        """Messages with the parts again."""
        return tuple(map(self._show, messages)) if self._parts else messages

    def _show(self, message: Message) -> Message:
        if id(message) in self._whole:
            return self._whole[id(message)]
        if not any(isinstance(part, Opaque) and part.wire == HIDDEN for part in message.parts):
            return message
        parts = (
            self._parts[part.kind] if isinstance(part, Opaque) and part.wire == HIDDEN else part
            for part in message.parts
        )
        return replace(message, parts=tuple(parts))


def is_legacy(part: Part, aim: Aim) -> bool:
    """A call in the field `function_call` of Chat Completions, which has no id."""
    return (
        aim.provider == "openai-chat"
        and isinstance(part, ToolCall)
        and aim.wrote(part.extra)
        and part.extra is not None
        and "~legacy" in part.extra.fields
    )


def is_function(message: Message) -> bool:
    """Whether a message has the old role "function", which answers a call by its name."""
    return message.extra is not None and message.extra.fields.get("~role") == ["function"]


def kind_of_call(part: Part) -> str:
    """The type of item that a call was in a Responses body."""
    extra = part.extra if isinstance(part, ToolCall) else None
    kind = None if extra is None or extra.wire != "openai-responses" else extra.fields.get("type")
    return kind if isinstance(kind, str) else "function_call"


def _known_elsewhere(conversation: Conversation) -> bool:
    """Whether calls may be known to the server that are not in the body."""
    fields = {} if conversation.extra is None else conversation.extra.fields
    return bool(fields.get("previous_response_id") or fields.get("conversation")) or any(
        isinstance(part, Opaque) and part.kind == "item_reference"
        for message in conversation.messages
        for part in message.parts
    )


def _interleaved(messages: Sequence[Message]) -> bool:
    """Whether a message stands between calls, or between them and their results."""
    waiting: set[CallId] = set()
    for message in messages:
        for part in message.parts:
            if isinstance(part, ToolCall):
                waiting.add(part.call_id)
            elif isinstance(part, ToolResult):
                waiting.discard(part.call_id)
            elif waiting and not isinstance(part, Thinking):
                return True
    return False


def _contents_in_order(messages: Sequence[Message]) -> bool:
    """Gemini: calls have as many results in the very next content, and results have calls in the one before."""
    contents: list[list[Message]] = []
    for message in messages:
        if contents and continues(message):
            contents[-1].append(message)
        else:
            contents.append([message])
    calls_before = 0
    for content in contents:
        parts = [part for message in content for part in message.parts]
        results = sum(isinstance(part, ToolResult) for part in parts)
        if results != calls_before:
            return False
        calls_before = sum(isinstance(part, ToolCall) for part in parts)
        if calls_before and content[0].role != "assistant":
            return False
    return calls_before == 0


def _in_own_form(messages: tuple[Message, ...], aim: Aim) -> tuple[Message, ...]:
    """Results that were added, in the form that answers a call of that kind."""
    if aim.provider != "openai-responses":
        return messages
    kinds: dict[CallId, str] = {
        part.call_id: kind_of_call(part)
        for message in messages
        for part in message.parts
        if isinstance(part, ToolCall)
    }

    def fit(message: Message) -> Message:
        parts = tuple(_output(part, kinds) for part in message.parts)
        same = all(a is b for a, b in zip(parts, message.parts, strict=True))
        return message if same else replace(message, parts=parts)

    return tuple(map(fit, messages))


def _output(part: Part, kinds: dict[CallId, str]) -> Part:
    custom = isinstance(part, ToolResult) and kinds.get(part.call_id) == "custom_tool_call"
    if not isinstance(part, ToolResult) or not custom or part.extra is not None:
        return part
    return replace(part, extra=Extra("openai-responses", {"type": "custom_tool_call_output"}))

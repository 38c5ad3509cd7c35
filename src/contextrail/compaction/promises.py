"""Promises: what the assistant said it would do, and nothing after it says that it was done."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from contextrail.compaction.sentences import sentences
from contextrail.messages.model import Message, Text, ToolCall

_PROMISE: Final = re.compile(
    r"\b(?:I(?:['’]ll| will| shall| am going to|['’]m going to) (?!be (?:able|happy)|need)|once .{1,60}? I(?:['’]ll| will)|"
    r"will (?:report|notify|let you know|get back|follow up|remind|retry|check back))"
    r"|我(?:会|将|稍后|待会|马上|等)|稍后(?:我)?(?:会|将|再)|之后(?:我)?(?:会|再)",
    re.IGNORECASE,
)
_LATER: Final = re.compile(
    r"\b(?:once|when|as soon as|after|later|tomorrow|until|report|notify|let you know|follow up|get back|remind|retry)\b"
    r"|稍后|之后|等|完成后|待会|明天|通知|提醒",
    re.IGNORECASE,
)
_MOST: Final = 8


def promises(messages: Sequence[Message]) -> tuple[str, ...]:
    """Sentences in which the assistant promises something for later, word for word, oldest first.

    A promise in a reply that calls tools is being kept at once and is none. Only those that speak of a later time
    count, and the newest eight.
    """
    found: list[str] = []
    for message in messages:
        if message.role != "assistant" or any(isinstance(part, ToolCall) for part in message.parts):
            continue
        for part in message.parts:
            if isinstance(part, Text):
                found += [
                    each
                    for each in sentences(part.text)
                    if len(each) < 400 and _PROMISE.search(each) and _LATER.search(each)
                ]
    return tuple(dict.fromkeys(found))[-_MOST:]

"""Promises: what the assistant said it would do, and nothing after it says that it was done."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from contextrail.compaction.binding import is_question
from contextrail.compaction.sentences import sentences
from contextrail.messages.model import Message, Text, ToolCall

_PROMISE: Final = re.compile(
    r"\b(?:(?:I|we)(?:['’]ll| will| shall| am going to|['’]m going to| are going to|['’]re going to| plan to| intend to| promise to)"
    r" (?!(?:not )?(?:be (?:able|happy|glad)|need)\b)|will (?:report|notify|let you know|get back|follow up|remind|retry|check back)|"
    r"(?:I['’]m|I am) planning to|(?:my|the) next step (?:is|will be) to|next(?:,| step:?| up:?) I)"
    r"|我们?(?:就|便|再|才)?(?:会(?!觉得|想|说|不会)|将|稍后|待会|马上|等|打算|计划|准备|保证|承诺)|我们?(?:就|再)(?=[^了过]*$)|(?:稍后|之后|随后|接下来|下一步|届时|到时|回头)(?:我们?)?(?:会|将|再|就)",
    re.IGNORECASE,
)
_LATER: Final = re.compile(
    r"\b(?:once|when|whenever|as soon as|after|afterwards?|later|tomorrow|tonight|until|before|shortly|soon|eventually|subsequently|"
    r"upon|by then|in (?:a|an|(?:the|a) (?:next|following|later|separate)|another|\d+|five|ten|two|three) (?:\w+ )?(?:moment|second|minute|min|hour|day|week|step|turn|message|"
    r"commit|pr|pull request|round|run|phase|reply|response|session|iteration|sprint|release)s?|next (?:week|month|time|step|turn|round|"
    r"session|sprint|release|up|monday|tuesday|wednesday|thursday|friday|i)|(?:on|by|this|next) (?:mon|tues|wednes|thurs|fri|satur|sun)day|"
    r"by (?:the end|noon|midnight|eod|tomorrow|tonight|\d)|at (?:the end|noon|midnight|\d)|next(?=,)|(?:will|['’]ll|shall|to) (?:then |also |"
    r"certainly )?(?:report|notify|let you know|follow up|get back|remind|retry|check (?:back|again)|circle back|come back|return to))\b"
    r"|稍后|之后|随后|以后|后续|待会|过会儿?|一会儿?|马上就|明[天早晚]|后天|今晚|下周|下个?月|下次|下一(?:步|轮|次|个版本)|接下来|回头|届时|到时|改天|晚[点些]|"
    r"完成后|通知|提醒|一旦|等.{1,40}?(?:后|再|就|才|完成|结束|通过|回复|确认|批准)|[在待].{1,30}?后(?![端台缀面续果门退勤])|(?:完|好|过|成|束|份|认|准|署|布|试|移|并|审|复|闭|启|动|新|装|立)后(?![端台缀面续果门退勤])",
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
                found += [each for each in sentences(part.text) if len(each) < 400 and is_promise(each)]
    return tuple(dict.fromkeys(found))[-_MOST:]


def is_promise(sentence: str) -> bool:
    """Whether a sentence of the assistant says that it will do something at a later time."""
    promised = _PROMISE.search(sentence) is not None and _LATER.search(sentence) is not None
    return promised and not is_question(sentence)

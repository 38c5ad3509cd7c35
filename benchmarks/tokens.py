"""Speed of counting: as a share of the tokenizer library alone, and of counting a conversation again.

    python benchmarks/tokens.py

CPU time of one thread, the best of several runs; texts are slices of this package's own source.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterable
from pathlib import Path

from contextrail.core.ids import MessageId
from contextrail.messages.model import Conversation, Message, Text
from contextrail.wire.backends import Count, fast_count, reference_count
from contextrail.wire.counting import TextMeasure, whole
from contextrail.wire.message_cost import TokenRule
from contextrail.wire.overheads import OVERHEADS
from contextrail.wire.remembered import RuleTokenizer
from contextrail.wire.tokenizers import tokenizer

SOURCE = "".join(
    path.read_text(encoding="utf-8") for path in sorted(Path(__file__).parents[1].glob("src/**/*.py"))
)
RUNS = 20
MESSAGES = 10_000


def fresh(size: int) -> list[str]:
    """Slices that no memory has seen and whose hashes are not known yet."""
    texts = dict.fromkeys(SOURCE[start : start + size] for start in range(0, min(len(SOURCE), 300_000), size))
    return [text[:-1] + text[-1] for text in texts]


def timed(work: Iterable[object]) -> float:
    """Seconds of CPU that it takes to run through an iterator."""
    start = time.process_time()
    deque(work, maxlen=0)
    return time.process_time() - start


def cold(count: Count) -> RuleTokenizer:
    """A tokenizer with nothing in memory, over one library."""
    rule = TokenRule(TextMeasure(lambda text: whole(count(text))), OVERHEADS["o200k"], None)
    return RuleTokenizer(id="bench", version="0", unit="token", rule_for=lambda _: rule)


def shares() -> None:
    """Print how much of the library's speed is left."""
    print("| library | characters | library us | text() us | share | message() us | share |")
    print("|---|---|---|---|---|---|---|")
    for name, count in (("tiktoken", reference_count("o200k")), ("toktok", fast_count("o200k"))):
        for size in (200, 1000, 8000):
            if count is not None:
                row(name, count, size)


def row(name: str, count: Count, size: int) -> None:
    """Print one row: the library alone, texts through a tokenizer, messages through one."""

    seconds: dict[str, list[float]] = {"library": [], "text": [], "message": []}
    for _ in range(RUNS):  # in turns, so that what else the machine does falls on all alike
        texts, again, messages = fresh(size), fresh(size), list(map(said, fresh(size)))
        by_text, by_message = cold(count), cold(count)
        seconds["library"].append(timed(map(count, texts)))
        seconds["text"].append(timed(map(by_text.text, again)))
        seconds["message"].append(timed(map(by_message.message, messages)))
    library, texts_us, messages_us = (min(each) / len(fresh(size)) * 1e6 for each in seconds.values())
    print(
        f"| {name} | {size} | {library:.1f} | {texts_us:.1f} | {library / texts_us:.2f} "
        f"| {messages_us:.1f} | {library / messages_us:.2f} |"
    )


def said(text: str) -> Message:
    """A message that says a text."""
    return Message(id=MessageId("m"), role="user", parts=(Text(text=text),))


def again() -> None:
    """Print what a turn of a long conversation costs when all of its messages but one were counted before."""
    made = tokenizer("auto")
    messages = tuple(said(SOURCE[n * 20 : n * 20 + 500]) for n in range(MESSAGES))
    for model in ("gpt-5", "claude-sonnet-4-5"):
        start = time.process_time()
        made.body(Conversation(messages=messages), model)
        first = time.process_time() - start
        seconds: list[float] = []
        for run in range(RUNS):
            grown = Conversation(messages=(*messages[:-1], said(f"one more, the {run}th")))
            start = time.process_time()
            made.body(grown, model)
            seconds.append(time.process_time() - start)
        learned = made.calibrated(made.body(Conversation(messages=messages), model), 10**6, model)
        start = time.process_time()
        for message in messages:
            learned.message(message, model)
        each = time.process_time() - start
        print(
            f"{model}: {MESSAGES} messages first {first * 1e3:.0f} ms, next turn {min(seconds) * 1e3:.1f} ms, "
            f"each message of them after learning {each * 1e3:.0f} ms"
        )


if __name__ == "__main__":
    shares()
    again()

"""Speed of counting: as a share of the tokenizer library alone, and of counting a conversation again.

    python benchmarks/tokens.py

The library alone counts the same texts, in the same process, in turns with the rest; CPU time of the whole
process, medians over the rounds; a share is the median of (library's time / ours) over the rounds. For each
piece of work the texts are made anew: no memory has seen them, and their hashes are not known yet.
"""

from __future__ import annotations

import gc
import time
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from statistics import median

from contextrail.core.ids import CallId, MessageId
from contextrail.messages.model import Conversation, Message, Text, ToolCall, ToolResult
from contextrail.wire.backends import Count, ExactCount, fast_count, reference_count
from contextrail.wire.counting import ExactMeasure, TextMeasure
from contextrail.wire.message_cost import TokenRule
from contextrail.wire.overheads import OVERHEADS
from contextrail.wire.remembered import RuleTokenizer
from contextrail.wire.tokenizers import estimated_measure, tokenizer

ROOT = Path(__file__).parents[1]
SOURCE = "".join(
    path.read_text(encoding="utf-8")
    for folder in ("src", "tests")
    for path in sorted((ROOT / folder).glob("**/*.py"))
)
CHINESE = "请把账务同步服务里所有按币种汇总的报表改成每小时生成一次，并保留最近九十天的历史快照；"
ROUNDS = 15
"""Of 300,000 characters each; a third of them of two million."""
MESSAGES = 10_000

Texts = Callable[[], list[str]]
Work = Callable[[], object]


def source(size: int, count: int) -> list[str]:
    """So many slices of this project's source, of `size` characters; they overlap if need be."""
    step = min(size, (len(SOURCE) - size) // count)
    texts = dict.fromkeys(SOURCE[at * step : at * step + size] for at in range(count))
    return [text[:-1] + text[-1] for text in texts]


def chinese(size: int, count: int) -> list[str]:
    """So many distinct Chinese texts of `size` characters and a number."""
    line = CHINESE * (size // len(CHINESE) + 2)
    return [f"{number}、{line[number % len(CHINESE) :][:size]}" for number in range(count)]


def said(texts: Iterable[str]) -> tuple[Message, ...]:
    """Messages that say a text each."""
    return tuple(Message(id=MessageId("m"), role="user", parts=(Text(text=text),)) for text in texts)


def worked(texts: Sequence[str]) -> tuple[Message, ...]:
    """The texts as an agent's messages, by turns: something said, the arguments of a call, its result."""
    messages: list[Message] = []
    for at in range(0, len(texts) - 2, 3):
        call = CallId(f"call_{at}")
        parts = (
            Text(text=texts[at]),
            ToolCall(call_id=call, name="read_file", arguments=texts[at + 1]),
            ToolResult(call_id=call, parts=(Text(text=texts[at + 2]),)),
        )
        messages.extend(Message(id=MessageId("m"), role="assistant", parts=(part,)) for part in parts)
    return tuple(messages)


def over(measure: TextMeasure | ExactMeasure, family: str = "o200k") -> RuleTokenizer:
    """A tokenizer over a measure, with nothing in memory."""
    rule = TokenRule(measure, OVERHEADS[family], None)
    return RuleTokenizer(id="bench", version="0", unit="token", rule_for=lambda _: rule)


def each(call: Callable[..., object], values: Iterable[object]) -> Work:
    """One call for each value."""
    return lambda: deque(map(call, values), maxlen=0)


def ways(count: Count, make: Texts) -> Iterable[tuple[str, Work]]:
    """Each way to count the same texts: its name, and the work."""
    exact = ExactCount("o200k", switch=1 if count is fast_count("o200k") else 10**15)
    exact("loads the library")
    yield "library", each(count, make())
    tokens, messages = over(ExactMeasure(exact, exact.many)), said(make())
    for name in ("body", "body again"):
        yield name, partial(tokens.body, Conversation(messages=messages))
    tokens, messages = over(ExactMeasure(exact, exact.many)), said(make())
    for name in ("message", "message again"):
        yield name, each(tokens.message, messages)
    yield "text", each(over(ExactMeasure(exact, exact.many)).text, make())
    tokens, messages = over(ExactMeasure(exact, exact.many)), worked(make())
    for name in ("agent", "agent again"):
        yield name, partial(tokens.body, Conversation(messages=messages))
    tokens = over(estimated_measure("claude", exact), "claude")
    yield "estimate", partial(tokens.body, Conversation(messages=said(make())))


def row(name: str, kind: str, count: Count, make: Texts) -> None:
    """Print the library's microseconds per text, and for each way to count them its share."""
    found: dict[str, list[float]] = {}
    fast_count("o200k")
    gc.collect()
    gc.freeze()  # the libraries' tables and the sources are not looked through before each piece of work
    for _ in range(ROUNDS if len(make()) < MESSAGES else ROUNDS // 3):
        for way, work in ways(count, make):
            gc.collect()
            start = time.process_time()
            work()
            found.setdefault(way, []).append(time.process_time() - start)
    alone = found.pop("library")
    shares = [median(one / other for one, other in zip(alone, ours, strict=True)) for ours in found.values()]
    cells = [f"{share:.2f}" if share < 10 else f"{share:.0f}" for share in shares]
    print(f"| {name} | {kind} | {median(alone) / len(make()) * 1e6:.1f} | {' | '.join(cells)} |", flush=True)


def shares() -> None:
    """Print how much of the library's speed is left."""
    print(
        "| library | texts | library us | body | again | message() | again | text() | agent's body | again "
        "| estimated body |"
    )
    print("|---|---|---|---|---|---|---|---|---|---|---|")
    kinds: dict[str, Texts] = {
        "10,000 of 200, source": partial(source, 200, MESSAGES),
        "1,500 of 200, source": partial(source, 200, 1500),
        "1,500 of 200, Chinese": partial(chinese, 200, 1500),
        "300 of 1,000, source": partial(source, 1000, 300),
        "50 of 8,000, source": partial(source, 8000, 50),
    }
    for name, count in (("tiktoken", reference_count("o200k")), ("toktok", fast_count("o200k"))):
        for kind, make in kinds.items():
            if count is not None:
                row(name, kind, count, make)


def again() -> None:
    """Print what a turn of a long conversation costs when all of its messages but one were counted before."""
    made = tokenizer("auto")
    messages = said(SOURCE[n * 20 : n * 20 + 500] for n in range(MESSAGES))
    for model in ("gpt-5", "claude-sonnet-4-5"):
        start = time.process_time()
        made.body(Conversation(messages=messages), model)
        first = time.process_time() - start
        seconds: list[float] = []
        for run in range(ROUNDS):
            grown = Conversation(messages=(*messages, *said([f"one more, the {run}th"])))
            start = time.process_time()
            made.body(grown, model)
            seconds.append(time.process_time() - start)
        learned = made.calibrated(made.body(Conversation(messages=messages), model), 10**6, model)
        start = time.process_time()
        for message in messages:
            learned.message(message, model)
        all_of_them = time.process_time() - start
        print(
            f"{model}: {MESSAGES} messages first {first * 1e3:.0f} ms, next turn {median(seconds) * 1e3:.1f} ms, "
            f"each message of them after learning {all_of_them * 1e3:.0f} ms"
        )


if __name__ == "__main__":
    shares()
    again()

"""Which lines of the messages that leave are likely to be needed again: weighed by counted evidence, kept word for word.

A line is weighed by what can be seen of it without a model:

    weight = exp(sum of WEIGHTS[f] * f(line))        a number in proportion to the odds that it is needed again
    f:  age       log(50 + cost of everything behind its message)
        length    log(characters)
        held      log(1 + names whose newest line this is, and that no kept message says)
            other     log(1 + names that a newer line says)
        spread    log(1 + messages that say the most frequent of its held names)
        used      log(1 + held names that the assistant passed to a tool before)
        recent    1 if one of its names stands in a kept message
        numbered  1 if it begins with a line number
        replaced  1 if an edit took it out
        calls, idle, edits, edits since   how much the files that its call is about are worked on, see `touched`
        source, form   1 for the kind of message it comes from, 1 for what it looks like

The newest line that says a name stands for the name: it is how things are now. Lines are taken by weight per cost
until the limit is met. Equal input gives equal lines.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from contextrail.compaction.frame import is_framed, resembles_frame
from contextrail.compaction.names import names_of
from contextrail.compaction.sources import CallKind, call_kind, call_lines, replaced_lines
from contextrail.compaction.terminal import shown
from contextrail.compaction.touched import Place, Touched, touched
from contextrail.messages.model import Message, Summary, Text, ToolCall, ToolResult
from contextrail.messages.pairs import pair
from contextrail.messages.text import part_text

WIDEST: Final = 200
"""Characters of a line; a longer one is taken in pieces of this length."""
_PIECES: Final = 40
"""Most pieces of one line: a longer one is data in one line, and the rest of it is fetched by its handle."""

WEIGHTS: Final[Mapping[str, float]] = {
    "age": -0.25,
    "length": -0.36,
    "held": 0.66,
    "other": 0.12,
    "spread": 0.96,
    "used": 0.30,
    "recent": 0.49,
    "numbered": -0.14,
    "replaced": -0.55,
    "calls": 0.14,
    "idle": -0.23,
    "edits": -0.32,
    "edits since": -0.19,
    "from read": 0.60,
    "from search": 0.19,
    "from edit": 0.11,
    "from version": -0.28,
    "from shell": -0.36,
    "call of read": 0.59,
    "call of search": 0.15,
    "call of edit": -0.18,
    "call of other": -0.19,
    "call of write": -0.46,
    "definition": 0.20,
    "comment": -0.20,
    "change": -0.23,
}
"""Logistic regression: was the line the source of something that one of the next 20 calls passed on? 200,000 lines of
four public sessions of coding agents, a session left out at a time to see that it holds for others; see
`docs/decisions/0011-lines-kept-word-for-word.md`. A feature without a weight counts nothing."""

_DEFINITION: Final = re.compile(
    r"(?:\d+[\s:|→-]+)?(?:(?:export|default|pub|public|private|protected|static|async|abstract|final)\s+)*"
    r"(?:def|class|function|func|fn|interface|type|struct|enum|trait|impl|const|let|var|module|package)\b"
)
_NUMBERED: Final = re.compile(r"\d+[\s:|→-]")
_LINE_NUMBER: Final = re.compile(r"\d+[:|→\t]\s*")
_COMMENT: Final = re.compile(r"(?:\d+[\s:|→-]+)?(?:#|//|\*|/\*|--|\"\"\"|<!--)")
_CHANGE: Final = re.compile(r"[+-](?![+-])")


@dataclass(frozen=True, slots=True)
class Line:
    """A line worth keeping."""

    text: str
    """Without surrounding white space, at most `WIDEST` characters."""
    at: int
    """Index of its message."""
    order: int
    """Its number within the message, from 0."""
    weight: float
    part: int = 0
    """Index of its part in the message."""
    replaced: bool = False
    """An edit took it out, by the words of its call."""


class _Seen(NamedTuple):
    """A line with its names, before it is weighed."""

    text: str
    order: int
    source: str
    names: tuple[str, ...]
    replaced: bool
    part: int
    """Index of its part in the message."""


def weigh(messages: Sequence[Message], prices: Sequence[int], gone: Collection[int]) -> list[Line]:
    """Every line of the messages that leave which says a name, with its weight.

    Of those that say the same, with or without a line number, the newest; none that a kept message says.

    Args:
        messages: The whole history, whole pairs, in order.
        prices: What each costs.
        gone: Indexes of those that leave.
    """
    answers = pair(messages).answer
    seen = _scan(messages, answers)
    left = sorted(gone)
    mine, spread, used = _history(seen, left)
    stay = [line for at in range(len(messages)) if at not in gone for line in seen[at]]
    kept = {name for line in stay for name in line.names}
    said = {content_of(line.text) for line in stay}
    behind = _behind(prices)
    at_work = _at_work(touched(messages, answers), messages, left, behind)
    last = {content_of(line.text): (at, line) for at in left for line in seen[at] if line.names}
    past = _Past(mine, spread, used, kept)
    return [
        Line(
            line.text,
            at,
            line.order,
            math.exp(_score(line, at, behind[at], past) + at_work[at, line.part]),
            line.part,
            line.replaced,
        )
        for content, (at, line) in last.items()
        if content not in said
    ]


def choose(lines: Sequence[Line], limit: int, count: Callable[[str], int]) -> tuple[Line, ...]:
    """The lines of most weight per cost that fit together, in the order of the history.

    Args:
        lines: Weighed.
        limit: Most that they may cost, a line break each included.
        count: Upper bound of what a text costs.
    """
    ranked = sorted(lines, key=lambda line: (-line.weight / (len(line.text) + 4), -line.at, line.order))
    taken: list[Line] = []
    left = limit
    misses = 0
    for line in ranked:
        price = count(line.text + "\n")
        if price > left:
            misses += 1
            if misses > 50:  # what is left over is less than lines cost
                break
            continue
        taken.append(line)
        left -= price
    return tuple(sorted(taken, key=lambda line: (line.at, line.order)))


def pieces(text: str) -> Iterator[str]:
    """The lines of a text as they are shown, without surrounding white space, long ones in pieces; no empty ones."""
    for line in text.split("\n"):
        bare = shown(line).strip()
        for start in range(0, min(len(bare), WIDEST * _PIECES), WIDEST):
            yield bare[start : start + WIDEST]


def content_of(line: str) -> str:
    """A line without the number that a tool put before it."""
    number = _LINE_NUMBER.match(line)
    return line if number is None else line[number.end() :]


def _at_work(
    files: Touched, messages: Sequence[Message], left: Sequence[int], behind: Sequence[int]
) -> dict[Place, float]:
    """For each part that leaves, what the work at its files adds to the score of its lines."""
    return {
        (at, index): sum(WEIGHTS[name] * value for name, value in files.features((at, index), behind).items())
        for at in left
        for index in range(len(messages[at].parts))
    }


def _scan(messages: Sequence[Message], answers: Mapping[Place, Place]) -> list[list[_Seen]]:
    asked = {answer: _kind_at(messages, place) for place, answer in answers.items()}
    known: dict[str, tuple[str, ...]] = {}
    found: list[list[_Seen]] = []
    for at, message in enumerate(messages):
        lines: list[_Seen] = []
        for index, part in enumerate(message.parts):
            source, text = _source(message, part, asked.get((at, index)))
            replaced = replaced_lines(part) if source == "call of edit" and isinstance(part, ToolCall) else ()
            for line in pieces(text):
                if line not in known:
                    known[line] = names_of(line)
                lines.append(_Seen(line, len(lines), source, known[line], line in replaced, index))
        found.append(lines)
    return found


def _source(message: Message, part: object, asked: CallKind | None) -> tuple[str, str]:
    match part:
        case Text() if message.role == "user":
            return ("said", _behind_frame(part.text)) if is_framed(part.text) else ("user", part.text)
        case Text():
            return "said", part.text
        case ToolCall():
            return f"call of {call_kind(part)}", "\n".join(call_lines(part))
        case Summary():
            return "said", _behind_frame(part.text)
        case ToolResult():
            return f"from {asked or 'other'}", part_text(part)
        case _:
            return "other", ""


def _behind_frame(text: str) -> str:
    """What a record says, without the line that says what it is."""
    return text.partition("\n")[2] if resembles_frame(text) else text


def _kind_at(messages: Sequence[Message], place: Place) -> CallKind:
    call = messages[place[0]].parts[place[1]]
    assert isinstance(call, ToolCall)
    return call_kind(call)


@dataclass(frozen=True, slots=True)
class _Past:
    mine: dict[tuple[int, str], list[str]]
    """Names whose newest line, among those that leave, is this one: by its message and text."""
    spread: Counter[str]
    """Messages that leave and say a name."""
    used: set[str]
    """Names in calls."""
    kept: set[str]
    """Names that a kept message says."""


def _history(
    seen: list[list[_Seen]], left: Sequence[int]
) -> tuple[dict[tuple[int, str], list[str]], Counter[str], set[str]]:
    newest: dict[str, tuple[int, str]] = {}
    spread: Counter[str] = Counter()
    used: set[str] = set()
    for at in left:
        here: dict[str, str] = {}
        for line in seen[at]:
            for name in line.names:
                here.setdefault(name, line.text)
            if line.source.startswith("call"):
                used.update(line.names)
        spread.update(here.keys())
        newest.update((name, (at, text)) for name, text in here.items())
    mine: dict[tuple[int, str], list[str]] = {}
    for name, place in newest.items():
        mine.setdefault(place, []).append(name)
    return mine, spread, used


def features(line: _Seen, at: int, behind: int, past: _Past) -> dict[str, float]:
    """What is seen of a line; see the head of this file."""
    mine = past.mine.get((at, line.text), [])
    held = [name for name in mine if name not in past.kept]
    found = {
        "age": math.log(50 + behind),
        "length": math.log(len(line.text)),
        "held": math.log1p(len(held)),
        "other": math.log1p(len(line.names) - len(mine)),
        "spread": math.log1p(max(map(past.spread.__getitem__, held), default=0)),
        "used": math.log1p(len(past.used.intersection(held))),
        "recent": float(not past.kept.isdisjoint(line.names)),
        "numbered": float(_NUMBERED.match(line.text) is not None),
        "replaced": float(line.replaced),
        line.source: 1.0,
    }
    form = _form(line.text)
    if form is not None:
        found[form] = 1.0
    return found


def _score(line: _Seen, at: int, behind: int, past: _Past) -> float:
    seen = features(line, at, behind, past)
    return sum([WEIGHTS[name] * value for name, value in seen.items() if value and name in WEIGHTS])


def _form(line: str) -> str | None:
    if _DEFINITION.match(line):
        return "definition"
    if _COMMENT.match(line):
        return "comment"
    return "change" if _CHANGE.match(line) else None


def _behind(prices: Sequence[int]) -> list[int]:
    """For each message, what everything behind it costs."""
    behind = [0] * len(prices)
    for at in range(len(prices) - 2, -1, -1):
        behind[at] = behind[at + 1] + prices[at + 1]
    return behind

"""From a span and a summary to the text that takes the span's place: checked, limited, with its records."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final, Literal

from contextrail.compaction.check import Checker, Flag
from contextrail.compaction.extract import extract
from contextrail.compaction.frame import render
from contextrail.compaction.goal import Pin
from contextrail.compaction.language import Language
from contextrail.compaction.records import Chosen, Room, choose
from contextrail.messages.model import Message

Check = Literal["enforce", "report", "off"]
Became = Literal["kept", "cut", "extracted"]
"""What the check made of a text: nothing, flagged sentences cut, or an extractive summary in its place."""

_MARKS: Final[dict[Language, str]] = {
    "en": "[… {count} characters of this summary are left out: it was too long …]",
    "zh": "[… 摘要过长，省略了 {count} 个字符 …]",
}
_GOAL_HEADING: Final = re.compile(r"^#{1,3} +(?:goals?|objective|目标|任务目标) *[:：]? *$", re.IGNORECASE)
_ANY_HEADING: Final = re.compile(r"^#{1,2} ")


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """What is to be replaced, and how large its replacement may be."""

    covered: tuple[Message, ...]
    pins: tuple[Pin, ...]
    language: Language
    limit: int
    """Most that the summary's text may cost."""
    records: int
    """Most that the pinned records should cost."""
    binding: int
    """Most that goal and rules may cost, if that is more."""
    count: Callable[[str], int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Composed:
    """The text of the message that stands for a span, and how it came about."""

    text: str
    summary: str
    """The free part of it."""
    chosen: Chosen
    flags: tuple[Flag, ...]
    became: Became
    left_out: int
    """Characters of the summary beyond its limit."""


def compose(task: Task, summary: str | None, *, check: Check) -> Composed:
    """Put a message together.

    Args:
        task: The span and its limits.
        summary: Of a model, not blank; None asks for an extractive one.
        check: What is done about claims of a model's summary that nothing supports.
    """
    room = Room(limit=task.records, binding=task.binding, count=task.count, language=task.language)
    chosen = choose(task.pins, task.covered, room)
    body, flags, became = _checked(task, summary, check)
    body, left_out = shorten(body, task.limit, count=task.count, language=task.language)
    records = ((pin.kind, str(pin.message), pin.text) for pin in chosen.records)
    text = render(records, body, count=len(task.covered), language=task.language)
    return Composed(text=text, summary=body, chosen=chosen, flags=flags, became=became, left_out=left_out)


def smaller(task: Task, *, by: int) -> Task:
    """The same task with less room for everything that may give way, but at least half of it."""
    limit, records = (max(each // 2, each - by) for each in (task.limit, task.records))
    return replace(task, limit=limit, records=records)


def without_goal(text: str) -> str:
    """A summary without a goal section of its own: the pinned one stands beside it, word for word."""
    kept: list[str] = []
    inside = False
    for line in text.split("\n"):
        if _GOAL_HEADING.match(line):
            inside = True
        elif inside and _ANY_HEADING.match(line):
            inside = False
        if not inside:
            kept.append(line)
    return "\n".join(kept).strip()


def shorten(text: str, limit: int, *, count: Callable[[str], int], language: Language) -> tuple[str, int]:
    """Cut the middle out of a text that costs more than `limit`, with a mark that says how much went.

    Two fifths of what stays are its head. Cuts fall between words where there are any.

    Returns:
        The text, and how many characters are missing; the text itself and 0 if it fits.
    """
    if count(text) <= limit:
        return text, 0
    low, high = 0, len(text)
    best, left_out = _MARKS[language].format(count=len(text)), len(text)
    while low <= high:
        keep = (low + high) // 2
        head, tail = _at_word(text, keep * 2 // 5, keep - keep * 2 // 5)
        gone = len(text) - len(head) - len(tail)
        tried = f"{head.rstrip()}\n{_MARKS[language].format(count=gone)}\n{tail.lstrip()}".strip()
        if count(tried) <= limit:
            best, left_out, low = tried, gone, keep + 1
        else:
            high = keep - 1
    return best, left_out


def _checked(task: Task, summary: str | None, check: Check) -> tuple[str, tuple[Flag, ...], Became]:
    if summary is None:
        return _extracted(task), (), "kept"
    text = without_goal(summary)
    if not text:
        return _extracted(task), (), "extracted"
    if check == "off":
        return text, (), "kept"
    checker = Checker(task.covered, task.pins, task.language)
    if check == "report":
        return text, checker.flags(text), "kept"
    checked = checker.enforce(text)
    if checked.text is None:
        return _extracted(task), checked.flags, "extracted"
    return checked.text, checked.flags, "cut" if checked.flags else "kept"


def _extracted(task: Task) -> str:
    return extract(task.covered, limit=task.limit, count=task.count, language=task.language, pins="leave out")


def _at_word(text: str, head: int, tail: int) -> tuple[str, str]:
    """About so many characters of head and tail, less a word that a cut would part."""
    before, after = text[:head], text[len(text) - tail :] if tail else ""
    if head < len(text) and before and not text[head].isspace() and (space := _last_space(before)) > 0:
        before = before[:space]
    start = len(text) - tail
    if after and start > 0 and not text[start - 1].isspace() and (found := re.search(r"\s", after)):
        after = after[found.end() :]
    return before, after


def _last_space(text: str) -> int:
    return max(text.rfind(" "), text.rfind("\n"))

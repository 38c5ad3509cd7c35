"""Which lines of a tool result are worth keeping when the rest goes: most facts for least cost."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from contextrail.compaction.facts import worth
from contextrail.core.graphemes import border_after, border_before

LONGEST: Final = 240
"""Characters of a line that are kept; of a longer one its beginning and end."""
_SCANNED: Final = 4_000
"""Lines of a result that are weighed: half from the beginning, half from the end."""
_ERROR: Final = re.compile(
    r"error|exception|traceback|\bfail(?:ed|ure|s)?\b|fatal|panic|refused|denied|not found|no such|cannot|can't"
    r"|unable|invalid|undefined|unresolved|mismatch|timed? ?out|assert|错误|失败|异常|拒绝|无法|未找到|超时",
    re.IGNORECASE,
)
_OUTCOME: Final = re.compile(
    r"\b\d+ (?:passed|failed|errors?|warnings?|skipped|files?|tests?|rows?|insertions?|deletions?|changed)\b"
    r"|\bexit(?:ed)?(?: code| status)?[ :=]+-?\d+|\breturncode\b|\bsuccess(?:ful(?:ly)?)?\b|\btotal\b|\bport\b",
    re.IGNORECASE,
)
_PLACE: Final = re.compile(r"[\w./\\-]+\.\w{1,6}:\d+|\bline \d+|\bFile \"[^\"]+\"")
_NUMBER: Final = re.compile(r"\d+")
_ERROR_WORTH: Final = 8
_OUTCOME_WORTH: Final = 8
_PLACE_WORTH: Final = 5
_FACTS_WORTH: Final = 8
"""Most that the facts of one line count, so that a table of numbers does not win over a message."""


def telling_lines(text: str, limit: int, count: Callable[[str], int]) -> list[str]:
    """The lines to keep, in order; the first and the last that say something are among them if they fit.

    Args:
        text: A tool result.
        limit: Most that the lines may cost together, each counted by itself.
        count: Cost of a text.

    Returns:
        Lines without surrounding white space, each at most `LONGEST` characters, none twice. Empty if
        nothing fits.
    """
    lines = _distinct(text)
    if not lines:
        return []
    last = len(lines) - 1
    order = _by_worth(lines)
    first_of_all = [last, 0] if last else [0]
    chosen: set[int] = set()
    left = limit
    for at in [*first_of_all, *(at for at in order if at not in first_of_all)]:
        price = count(lines[at]) + 1
        if price <= left:
            chosen.add(at)
            left -= price
    return [lines[at] for at in sorted(chosen)]


def _distinct(text: str) -> list[str]:
    lines = text.splitlines()
    if len(lines) > _SCANNED:
        lines = [*lines[: _SCANNED // 2], *lines[-_SCANNED // 2 :]]
    clipped = (_clip(line.strip()) for line in lines)
    return list(dict.fromkeys(line for line in clipped if any(map(str.isalnum, line))))


def _clip(line: str) -> str:
    if len(line) <= LONGEST:
        return line
    head = border_before(line, LONGEST * 2 // 3)
    tail = border_after(line, len(line) - LONGEST // 3 + 5)
    return f"{line[:head]} ... {line[tail:]}"


def _by_worth(lines: list[str]) -> list[int]:
    """Places of the lines, the most telling first.

    Of lines of one form, such as the frames of a traceback, each tells less than the one before: the second half as
    much, the third a third.
    """
    values = [_value(lines, at) for at in range(len(lines))]
    seen: dict[str, int] = {}
    shares: list[float] = [0.0] * len(lines)
    for at in sorted(range(len(lines)), key=lambda at: (-values[at], at)):
        form = _NUMBER.sub("0", lines[at])
        seen[form] = seen.get(form, 0) + 1
        shares[at] = values[at] / seen[form]
    return sorted(range(len(lines)), key=lambda at: (-shares[at], at))


def _value(lines: list[str], at: int) -> float:
    """What a line tells for what it costs."""
    line = lines[at]
    value = min(_FACTS_WORTH, worth(line))
    value += _ERROR_WORTH * bool(_ERROR.search(line))
    value += _OUTCOME_WORTH * bool(_OUTCOME.search(line))
    value += _PLACE_WORTH * bool(_PLACE.search(line))
    return value / (len(line) + 24)

"""Preview: the head and the tail of a long text, within characters, lines and tokens, cut where a reader may cut."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from contextrail.core.graphemes import border_after, border_before

HEAD: Final = 0.6
"""Share of the head where nothing is known of the text."""
ERROR_HEAD: Final = 0.25
"""Of an error: its last lines say what went wrong."""
_WHOLE_LINES: Final = 0.25
"""A cut moves to the border of a line if that costs at most this share of the piece."""
_TRIES: Final = 12
"""Each halves what is not known about the size that fits the tokens."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How much of a text may be shown, the marker in its middle included."""

    chars: int
    lines: int
    tokens: int | None = None
    """None: not limited."""

    def hold(self, text: str, count: Callable[[str], int]) -> bool:
        """Whether a text is within them."""
        return (
            len(text) <= self.chars
            and (len(text) <= self.lines or lines_of(text) <= self.lines)
            and (self.tokens is None or count(text) <= self.tokens)
        )


def preview(
    text: str, limits: Limits, marker: str, count: Callable[[str], int], *, head: float = HEAD
) -> str:
    """The beginning and the end of a text that is beyond the limits.

    No character that a reader sees is cut in two, and pieces end at whole lines where that costs
    little. What comes back is within the limits, so it is never previewed again; where the limits are
    too small for the marker it is the beginning alone.

    Args:
        text: The whole text.
        limits: What may be shown.
        marker: One line that says what is missing and where all of it is.
        count: Upper bound of what a text costs.
        head: Share of the head in what is shown, in [0, 1].
    """
    if limits.hold(text, count):
        return text
    room = min(len(text), limits.chars - len(marker) - 2)
    lines = limits.lines - 1
    first_lines = max(1, int(lines * head))
    if room < 2 or lines < 2:
        return _fitting(lambda part: _head(text, int(part * limits.chars), limits.lines), limits, count)

    def shown(part: float) -> str:
        first = _head(text, int(room * part * head), first_lines)
        rest = text[len(first) :]
        last = _tail(rest, int(room * part * (1 - head)), max(1, lines - first_lines))
        between = "" if first.endswith("\n") or not first else "\n"
        return f"{first}{between}{marker}\n{last}" if last else f"{first}{between}{marker}"

    return _fitting(shown, limits, count)


def lines_of(text: str) -> int:
    """How many lines a text has; 0 if it is empty."""
    return text.count("\n") + (not text.endswith("\n")) if text else 0


def _fitting(shown: Callable[[float], str], limits: Limits, count: Callable[[str], int]) -> str:
    """The most that fits; all but the tokens is seen to by `shown` itself."""
    whole = shown(1.0)
    if limits.hold(whole, count):
        return whole
    low, high = 0.0, 1.0
    for _ in range(_TRIES):
        middle = (low + high) / 2
        if limits.hold(shown(middle), count):
            low = middle
        else:
            high = middle
    least = shown(low)
    return least if limits.hold(least, count) else ""


def _head(text: str, chars: int, lines: int) -> str:
    """The first characters, at most so many, in at most so many lines."""
    end = border_before(text, chars)
    at = _nth_line_end(text, lines)
    if at is not None and at < end:
        return text[:at]
    line = text.rfind("\n", 0, end) + 1
    return text[: line if end - line <= _WHOLE_LINES * end else end]


def _tail(text: str, chars: int, lines: int) -> str:
    """The last characters, at most so many, in at most so many lines."""
    start = border_after(text, len(text) - chars)
    at = _nth_last_line(text, lines)
    if at > start:
        return text[at:]
    line = text.find("\n", start) + 1
    near = line and line - start <= _WHOLE_LINES * (len(text) - start) and line < len(text)
    return text[line if near else start :]


def _nth_line_end(text: str, lines: int) -> int | None:
    """Where the n-th line ends, behind its line break; None if there are fewer."""
    at = 0
    for _ in range(lines):
        at = text.find("\n", at) + 1
        if at == 0:
            return None
    return at


def _nth_last_line(text: str, lines: int) -> int:
    """Where the n-th line from the end begins; 0 if there are fewer."""
    at = len(text) - text.endswith("\n")
    for _ in range(lines):
        at = text.rfind("\n", 0, at)
        if at < 0:
            return 0
    return at + 1

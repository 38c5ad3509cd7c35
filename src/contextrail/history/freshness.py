"""Which tool results repeat an earlier one, and which tell of a file as it no longer is."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from contextrail.core.ids import CallId
from contextrail.history.file_tools import FileTool, touches
from contextrail.history.touch import Touch, same_file
from contextrail.messages.model import Message, Text, ToolCall, ToolResult
from contextrail.messages.pairs import Place, pair

STALE_MARK: Final = re.compile(r"\n\[stale: [^\n]{1,260} was changed after this was read\]")
"""The line that marks a result as stale, at its end."""
_FAILED: Final = re.compile(
    r"\A\s*(?:<tool_use_error>|error\b|failed\b|<returncode>[1-9]|exit(?:ed with)? code:? [1-9])"
    r"|\A.{0,200}(?:no replacement was performed|not found in file|old text not found|has not been read yet)"
    r"|\"exit_code\":\s*[1-9]|\A\s*traceback \(most recent",
    re.IGNORECASE | re.DOTALL,
)
_LOOKED_AT: Final = 600
"""Characters of a result in which a failure is looked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """How one tool result stands at the end of the history."""

    place: Place
    """Of the result."""
    call: CallId
    text: str
    """Without a mark of ours."""
    touch: Touch | None
    """The read that it is the result of, if it is one that succeeded."""
    stale: bool
    """A later write or edit of the file succeeded."""
    quiet_for: int
    """Tool groups since the file was last touched."""
    first: CallId | None
    """The call whose result has the same text already, of the file as it was then."""
    newer: CallId | None
    """Of a stale read: the latest read of as much of the file, if that is not stale itself."""


@dataclass(slots=True)
class _Pair:
    order: int
    group: int
    place: Place
    call: CallId
    text: str | None
    touches: tuple[Touch, ...]
    failed: bool


def standings(messages: Sequence[Message], table: Mapping[str, FileTool]) -> tuple[Standing, ...]:
    """How each result stands that is one text; in the order of the calls.

    Calls of one batch count in their order. A write or edit that failed makes nothing stale.
    """
    pairs = _pairs(messages, table)
    groups = 1 + max((each.group for each in pairs), default=-1)
    of_file: defaultdict[str, list[tuple[_Pair, Touch]]] = defaultdict(list)
    for each in pairs:
        for touch in each.touches:
            of_file[touch.path.rpartition("/")[2]].append((each, touch))
    first: dict[tuple[str, str, int], CallId] = {}
    found: list[Standing] = []
    for each in pairs:
        if each.text is None:
            continue
        read = _read_of(each)
        known = [
            (other, touch)
            for other, touch in (of_file[read.path.rpartition("/")[2]] if read is not None else ())
            if read is not None and same_file(touch.path, read.path)
        ]
        changes = [other for other, touch in known if touch.act != "read" and not other.failed]
        before = sum(other.order < each.order for other in changes)
        key = (each.text, "" if read is None else read.path, before)
        earlier = first.setdefault(key, each.call)
        stale = before < len(changes)
        found.append(
            Standing(
                place=each.place,
                call=each.call,
                text=each.text,
                touch=read,
                stale=stale,
                quiet_for=groups - 1 - max((other.group for other, _ in known), default=0),
                first=None if earlier == each.call else earlier,
                newer=_newer(each, read, known, changes) if stale and read is not None else None,
            )
        )
    return tuple(found)


def unmarked(text: str) -> str:
    """A text without the line that marks it as stale."""
    if not text.endswith("]"):
        return text
    end = text.rfind("\n")
    return text[:end] if end >= 0 and STALE_MARK.fullmatch(text[end:]) else text


def _pairs(messages: Sequence[Message], table: Mapping[str, FileTool]) -> list[_Pair]:
    answers = pair(messages).answer
    groups: dict[int, int] = {}
    found: list[_Pair] = []
    for call, result in sorted(answers.items()):
        asked, told = messages[call[0]].parts[call[1]], messages[result[0]].parts[result[1]]
        assert isinstance(asked, ToolCall)
        assert isinstance(told, ToolResult)
        if told.status == "interim":
            continue
        text = told.parts[0].text if len(told.parts) == 1 and isinstance(told.parts[0], Text) else None
        found.append(
            _Pair(
                order=len(found),
                group=groups.setdefault(call[0], len(groups)),
                place=result,
                call=asked.call_id,
                text=None if text is None else unmarked(text),
                touches=touches(asked, table),
                failed=told.status == "error" or (text is not None and reports_failure(text)),
            )
        )
    return found


def _read_of(each: _Pair) -> Touch | None:
    if each.failed or len(each.touches) != 1 or each.touches[0].act != "read":
        return None
    return each.touches[0]


def _newer(
    each: _Pair, read: Touch, known: Sequence[tuple[_Pair, Touch]], changes: Sequence[_Pair]
) -> CallId | None:
    last_change = max(other.order for other in changes)
    for other, touch in reversed(known):
        if other.order <= last_change or other.order <= each.order:
            return None
        if touch.act == "read" and not other.failed and touch.span in {"", read.span} and other.text:
            return other.call
    return None


def reports_failure(text: str) -> bool:
    """Whether the text of a result says at its beginning that the call failed."""
    return _FAILED.search(text[:_LOOKED_AT]) is not None

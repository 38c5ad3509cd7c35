"""Which tool results repeat an earlier one, and which tell of a file as it no longer is."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from contextrail.core.ids import CallId
from contextrail.history.file_tools import FileTool, doubted, runs_several, touches
from contextrail.history.outcomes import changed_nothing, edit_failed, says_failure
from contextrail.history.touch import Touch, same_file
from contextrail.messages.model import Message, Text, ToolCall, ToolResult
from contextrail.messages.pairs import Place, pair

STALE_MARK: Final = re.compile(
    r"\n\[stale: [^\n]{1,260} was changed after this was read\]"
    r"|\n\[maybe stale: [^\n]{1,260} may have been changed after this was read\]"
)
"""The line that marks a result as stale, or as doubtful, at its end."""


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
    doubtful: bool
    """Not stale as far as can be told, but something ran later that may have changed the file."""
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
    doubts: tuple[str, ...]
    failed: bool


def standings(messages: Sequence[Message], table: Mapping[str, FileTool]) -> tuple[Standing, ...]:
    """How each result stands that is one text; in the order of the calls.

    Calls of one batch count in their order. A write or edit that failed makes nothing stale. A command that
    may have changed a file makes it doubtful, until a later read shows the same text.
    """
    pairs = _pairs(messages, table)
    doubts = _Doubts(pairs)
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
        doubt = None if read is None or stale else doubts.after(each, read, known)
        found.append(
            Standing(
                place=each.place,
                call=each.call,
                text=each.text,
                touch=read,
                stale=stale,
                doubtful=doubt is not None,
                quiet_for=groups
                - 1
                - max((*(other.group for other, _ in known), 0 if doubt is None else doubt.group)),
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
        done, perhaps = touches(asked, table), doubted(asked, table)
        failed = told.status == "error" or (text is not None and reports_failure(text, done))
        if failed and runs_several(asked, table):
            perhaps += tuple(touch.path for touch in done if touch.act != "read")
        elif failed or (perhaps and text is not None and changed_nothing(text)):
            perhaps = ()
        found.append(
            _Pair(
                order=len(found),
                group=groups.setdefault(call[0], len(groups)),
                place=result,
                call=asked.call_id,
                text=None if text is None else unmarked(text),
                touches=done,
                doubts=perhaps,
                failed=failed,
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


def reports_failure(text: str, found: Sequence[Touch]) -> bool:
    """Whether a result says that its call failed.

    Args:
        text: The whole result.
        found: What the call does to files: what an edit answers is judged in other words than what a read shows.
    """
    edits = any(touch.act != "read" for touch in found)
    return edit_failed(text) if edits else says_failure(text)


class _Doubts:
    """The latest command that may have changed what is below a folder, by folder."""

    def __init__(self, pairs: Sequence[_Pair]) -> None:
        self._last: dict[str, _Pair] = {}
        self._ends: dict[str, _Pair] = {}
        """By the ends of an absolute folder, for files that are named from a folder nobody knows."""
        for each in pairs:
            for path in each.doubts:
                self._last[path] = each
                pieces = path.split("/")[1:] if path.startswith("/") else []
                self._ends.update(("/".join(pieces[at:]), each) for at in range(len(pieces)))
        self._by_path: dict[str, _Pair | None] = {}

    def after(self, each: _Pair, read: Touch, known: Sequence[tuple[_Pair, Touch]]) -> _Pair | None:
        """What casts doubt on a read; None where nothing does, or a later read shows that the text is the same."""
        if read.path not in self._by_path:
            tables = [self._last] if read.path.startswith("/") else [self._last, self._ends]
            there = [table[path] for path in _above(read.path) for table in tables if path in table]
            self._by_path[read.path] = max(there, key=lambda other: other.order, default=None)
        last = self._by_path[read.path]
        if last is None or last.order <= each.order:
            return None
        for other, touch in reversed(known):
            if other.order < last.order:
                break
            if touch == read and not other.failed and other.text == each.text:
                return None
        return last


def _above(path: str) -> Iterator[str]:
    """The file, the folders it lies in, as far as a path tells, each also as seen from a folder above; "" is all."""
    yield ""
    pieces = path.split("/")
    for end in range(1, len(pieces) + 1):
        yield "/".join(pieces[:end])
        if path.startswith("/"):
            yield from ("/".join(pieces[start:end]) for start in range(1, end))

"""How healthy a session file is: read once, in memory that depends on the number of records, not on their size."""

from __future__ import annotations

import sys
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import BinaryIO, Final, cast, get_args

from contextrail.core.digest import canonical_json, sha256
from contextrail.core.ids import MessageId
from contextrail.core.json_text import JsonObject
from contextrail.core.timestamps import write_timestamp
from contextrail.messages.model import Extra, Message, Part, Role, ToolCall, ToolResult
from contextrail.messages.pairs import pair
from contextrail.transcripts.chains import Layout, lay_out
from contextrail.transcripts.detect import detect_damaged, reader_of
from contextrail.transcripts.session import Entry, Event, Issue, Severity
from contextrail.transcripts.source import Source

KEPT: Final = 100
"""Issues of one kind that are kept one by one; the others are counted."""
_LATEST: Final = 16
"""Latest records that are kept whole, to find the model in them."""

Progress = Callable[[int], None]
"""Told the number of bytes read since it was last told."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Health:
    """What `check` found out about one file."""

    file: str
    format: str
    size_bytes: int
    records: int
    messages: int
    calls: int
    results: int
    segments: int
    sidechains: int
    branches: int
    model: str | None
    began: datetime | None
    ended: datetime | None
    counts: dict[str, int]
    """Number of issues by kind."""
    severities: dict[Severity, int]
    """Number of issues by severity; a severity that did not occur is 0."""
    issues: tuple[Issue, ...]
    """In file order, at most `KEPT` of a kind."""

    @property
    def healthy(self) -> bool:
        """Whether nothing was found but notes."""
        return not self.severities["error"] and not self.severities["warning"]

    def to_json(self) -> JsonObject:
        """For programs."""
        return {
            "file": self.file,
            "format": self.format,
            "healthy": self.healthy,
            "size_bytes": self.size_bytes,
            "records": self.records,
            "messages": self.messages,
            "calls": self.calls,
            "results": self.results,
            "segments": self.segments,
            "sidechains": self.sidechains,
            "branches": self.branches,
            "model": self.model,
            "began": None if self.began is None else write_timestamp(self.began),
            "ended": None if self.ended is None else write_timestamp(self.ended),
            "severities": dict(self.severities),
            "counts": dict(self.counts),
            "issues": list(map(_issue_json, self.issues)),
            "issues_omitted": sum(self.counts.values()) - len(self.issues),
        }


@dataclass(slots=True)
class Outline:
    """The entries of a file without their content, and its issues: what laying out and pairing need."""

    entries: list[Entry] = field(default_factory=list)
    latest: deque[Entry] = field(default_factory=lambda: deque(maxlen=_LATEST))
    kept: list[Issue] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)
    severities: Counter[Severity] = field(default_factory=Counter)
    times: list[datetime] = field(default_factory=list)
    """Earliest and latest, once there is one."""

    def take(self, events: Iterable[Event]) -> None:
        """Fold events in."""
        for event in events:
            if isinstance(event, Issue):
                self.report(event)
                continue
            if event.messages:
                self.latest.append(event)
                for message in event.messages:
                    self._see(message.timestamp)
            self.entries.append(thin(event, self.entries[-1].id if self.entries else None))

    def report(self, issue: Issue) -> None:
        """Count an issue; keep it if there are not many of its kind."""
        self.counts[issue.kind] += 1
        self.severities[issue.severity] += 1
        if self.counts[issue.kind] <= KEPT:
            self.kept.append(issue)

    def _see(self, when: datetime | None) -> None:
        if when is not None:
            first, last = self.times or (when, when)
            self.times = [min(first, when), max(last, when)]


def check(source: Source, format: str | None = None, progress: Progress | None = None) -> Health:  # noqa: A002 - the word of the command line
    """Read a file and report on it.

    Args:
        source: Where to read.
        format: A name of `detect.FORMATS`; None finds it out.
        progress: Told how far reading has come.

    Raises:
        InvalidRequest: In no known format, or an unknown format.
    """
    name = format or detect_damaged(source)
    outline = Outline()
    reader = reader_of(name)
    source.stream.seek(0)
    outline.take(reader.read(told(source.stream, progress), source.name))
    layout = lay_out(outline.entries)
    for issue in (*layout.issues, *pair_issues(outline.entries, layout)):
        outline.report(issue)
    parts = Counter(
        type(part) for entry in outline.entries for message in entry.messages for part in message.parts
    )
    began, ended = outline.times or (None, None)
    return Health(
        file=source.name,
        format=name,
        size_bytes=source.size,
        records=len(outline.entries),
        messages=sum(len(entry.messages) for entry in outline.entries),
        calls=parts[ToolCall],
        results=parts[ToolResult],
        segments=len(layout.segments),
        sidechains=len(layout.sidechains),
        branches=len(layout.branches),
        model=reader.head(tuple(outline.latest)).model,
        began=began,
        ended=ended,
        counts=dict(sorted(outline.counts.items())),
        severities={level: outline.severities[level] for level in ("error", "warning", "note")},
        issues=tuple(sorted(outline.kept, key=lambda issue: (issue.byte is None, issue.byte or 0))),
    )


def thin(entry: Entry, before: MessageId | None = None) -> Entry:
    """An entry without its content: messages keep role, calls and results; the record becomes its digest.

    Args:
        entry: The entry.
        before: Id of the record before it. A parent that is equal to it becomes the same object, since a
            file may have a million records that each name the one before.
    """
    digest: bytes | None = None
    if entry.id is not None:
        data = entry.raw if entry.raw is not None else canonical_json(entry.value)
        digest = bytes.fromhex(sha256(data)[:32])
    return Entry(
        kind=sys.intern(entry.kind),
        origin=entry.origin,
        id=entry.id,
        parent=before if entry.parent == before else entry.parent,
        logical=entry.logical,
        keeps=entry.keeps,
        response=entry.response,
        lane=entry.lane,
        named=entry.named,
        gap=entry.gap,
        boundary=entry.boundary,
        message=None if entry.message is None else _bare(entry.message),
        more=tuple(map(_bare, entry.more)),
        raw=digest,
    )


def _bare(message: Message) -> Message:
    def bare(part: Part) -> Iterator[Part]:
        if isinstance(part, ToolCall):
            yield ToolCall(call_id=part.call_id, name=part.name, extra=_kind(part.extra))
        elif isinstance(part, ToolResult):
            yield ToolResult(call_id=part.call_id, status=part.status)

    parts = tuple(each for part in message.parts for each in bare(part))
    return Message(id=message.id, role=message.role, parts=parts) if parts else _SAYS[message.role]


def _kind(extra: Extra | None) -> Extra | None:
    """The provider's word for the kind of call, where it is not the usual one."""
    if extra is None or "type" not in extra.fields:
        return None
    return Extra(extra.wire, {"type": extra.fields["type"]})


_SAYS: Final[dict[Role, Message]] = {role: Message(id=MessageId(""), role=role) for role in get_args(Role)}
"""Messages without calls and results: one object for all of a role."""


def pair_issues(entries: Sequence[Entry], layout: Layout) -> Iterator[Issue]:
    """Calls without result and results without call, in each segment and sidechain."""
    lanes = [*layout.segments, *layout.sidechains.values()]
    live = layout.segments[-1] if layout.segments else None
    for lane in lanes:
        owners = [entries[at] for at in lane for _ in entries[at].messages]
        messages = [message for at in lane for message in entries[at].messages]
        paired = pair(messages)
        level: Severity = "error" if lane is live else "warning"
        end = _open_end(messages, owners)
        for at, index in paired.unanswered:
            detail = f"call {_call_id(messages[at].parts[index])} was never answered"
            if at >= end:
                detail += "; the session ends there"
            yield _about("unanswered-call", "warning" if at >= end else level, owners[at], detail)
        answered = {_call_id(messages[at].parts[index]) for at, index in paired.answer}
        for at, index in paired.orphans:
            ident = _call_id(messages[at].parts[index])
            if ident in answered:
                yield _about("duplicate-result", level, owners[at], f"call {ident} is answered once more")
            else:
                yield _about("orphan-result", level, owners[at], f"no call {ident} stands before its result")


def _open_end(messages: Sequence[Message], owners: Sequence[Entry]) -> int:
    """Index of the last reply if nothing but results stands behind it, else the number of messages."""
    end = len(messages)
    while end and messages[end - 1].role == "tool":
        end -= 1
    if not end or messages[end - 1].role != "assistant":
        return len(messages)
    start = end - 1
    reply = owners[start].response
    for at in range(start - 1, -1, -1):
        if messages[at].role == "tool":
            continue
        if reply is None or owners[at].response != reply:
            break
        start = at
    return start


def _call_id(part: Part) -> str:
    assert isinstance(part, (ToolCall, ToolResult))
    return part.call_id


def _about(kind: str, severity: Severity, entry: Entry, detail: str) -> Issue:
    return Issue(
        kind=kind,
        severity=severity,
        file=entry.origin.file,
        line=entry.origin.line,
        byte=entry.origin.start,
        detail=detail,
        message=entry.id if entry.id or entry.message is None else entry.message.id,
    )


def _issue_json(issue: Issue) -> JsonObject:
    return {
        "kind": issue.kind,
        "severity": issue.severity,
        "line": issue.line,
        "byte": issue.byte,
        "end": issue.end,
        "message": issue.message,
        "detail": issue.detail,
    }


def told(stream: BinaryIO, progress: Progress | None) -> BinaryIO:
    """The same stream, telling how much is read of it."""
    return stream if progress is None else cast("BinaryIO", _Told(stream, progress))


class _Told:
    """A stream that tells how much was read."""

    def __init__(self, stream: BinaryIO, progress: Progress) -> None:
        self._stream = stream
        self._progress = progress

    def read(self, size: int = -1) -> bytes:
        """As of a file."""
        return self._tell(self._stream.read(size))

    def readline(self, limit: int = -1) -> bytes:
        """As of a file."""
        return self._tell(self._stream.readline(limit))

    def __iter__(self) -> Iterator[bytes]:
        return iter(self.readline, b"")

    def _tell(self, data: bytes) -> bytes:
        self._progress(len(data))
        return data

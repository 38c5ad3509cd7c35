"""What a reader gives: entries, issues, and the session assembled from them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO, Literal, Protocol

from contextrail.core.ids import MessageId
from contextrail.core.json_text import Json
from contextrail.messages.model import Message, Origin, Part, Tool

Severity = Literal["error", "warning", "note"]
Start = Literal["beginning", "compaction", "new-beginning"]
"""How a segment begins: first of the file; cut off by the host; with a record that follows none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Issue:
    """Something in a file that a reader had to report: where, what, and what was done about it."""

    kind: str
    """Stable word with dashes: "truncated", "invalid-utf8", "not-json", "duplicate-key", "glued-records",
    "unknown-type", "dangling-parent", "fork", "sidechain", "duplicate", "gap", "unanswered-call",
    "orphan-result", ..."""
    severity: Severity
    file: str
    line: int | None = None
    """1-based."""
    byte: int | None = None
    """Offset in the file at which it begins."""
    end: int | None = None
    """Offset at which it ends, where bytes `[byte, end)` belong to no record; None: it is about a record."""
    detail: str = ""
    """One line for a person; no text of the conversation."""
    message: MessageId | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One record of a file. Records that say nothing to a model have no message and are carried along."""

    kind: str
    """The host's own word for the record's type."""
    origin: Origin
    id: MessageId | None = None
    """The host's id of the record, if its records form a tree; a record without one follows the one before."""
    parent: MessageId | None = None
    """Id of the record that this one follows, in formats whose records have ids."""
    logical: MessageId | None = None
    """What a boundary followed before the host cut there."""
    keeps: tuple[MessageId, MessageId, MessageId] | None = None
    """A boundary that keeps a stretch of the past: its first and last record, and the record it now follows."""
    response: str | None = None
    """The provider's id of the reply that this record is all or a part of."""
    lane: str = "main"
    """"main", or the name of the sidechain (sub-agent) that the record belongs to."""
    named: bool = False
    """The record itself names the one it follows, so that nothing can be missing between the two."""
    gap: bool = False
    """Records are missing before this one, as a mark in the file says."""
    boundary: bool = False
    """The host starts a new context here (compaction); what stands before is another segment."""
    message: Message | None = None
    more: tuple[Message, ...] = ()
    """Further messages of the same record (results and speech in one)."""
    value: Json = None
    """The record as it stood."""
    raw: bytes | None = None
    """The exact bytes of the record, where a writer needs them."""

    @property
    def messages(self) -> tuple[Message, ...]:
        """All messages of the record, in order."""
        return () if self.message is None else (self.message, *self.more)


Event = Entry | Issue


@dataclass(frozen=True, slots=True, kw_only=True)
class Head:
    """What a file says about the session as a whole; None where it does not say."""

    model: str | None = None
    system: tuple[Part, ...] = ()
    tools: tuple[Tool, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """A session file, read. Nothing of the file is missing: what is not a message is in `entries`."""

    format: str
    file: str
    head: Head = field(default_factory=Head)
    segments: tuple[tuple[Message, ...], ...] = ()
    """The main lane, cut where the host compacted or began anew; the last is the live one. Where records are
    missing between two of a segment, a message of ours marks the gap."""
    segment_starts: tuple[Start, ...] = ()
    """For each segment, why it is not one with what stands before it."""
    segment_ids: tuple[tuple[MessageId, ...], ...] = ()
    """For each segment, the ids of its records that have one, those without a message included."""
    sidechains: dict[str, tuple[Message, ...]] = field(default_factory=dict)
    branches: tuple[tuple[Message, ...], ...] = ()
    """Ways that were left again (a prompt that was taken back, a reply that was made anew), and messages that
    another one of the same id replaced; in file order."""
    entries: tuple[Entry, ...] = ()
    """Every record in file order."""
    issues: tuple[Issue, ...] = ()

    @property
    def messages(self) -> tuple[Message, ...]:
        """The live segment: what the host would send."""
        return self.segments[-1] if self.segments else ()


class Reader(Protocol):
    """One host format. A module of functions satisfies it.

    Reading is streaming (an entry is given before the next record is read, where the format is a list
    of lines), tolerant (a bad record becomes an `Issue`, an unknown one an `Entry` without message) and
    never silent: every byte of the file belongs to an entry or an issue.
    """

    FORMAT: str

    def sniff(self, head: bytes, path: Path) -> float:
        """How sure it is that a file is in this format, in [0, 1], from its first 64 KiB and its name."""
        ...

    def read(self, stream: BinaryIO, file: str) -> Iterator[Event]:
        """Entries and issues in file order. `file` is the name to report."""
        ...

    def head(self, entries: tuple[Entry, ...]) -> Head:
        """Model, system prompt and tools, as far as the records say."""
        ...

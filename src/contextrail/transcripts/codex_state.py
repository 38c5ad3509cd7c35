"""What reading one record of a Codex rollout needs to know of those before it."""

from __future__ import annotations

from collections import Counter, deque
from dataclasses import dataclass, field
from typing import Final

from contextrail.core.digest import text_digest
from contextrail.core.ids import MessageId
from contextrail.core.json_text import JsonObject
from contextrail.messages.identity import is_user_input
from contextrail.messages.model import Message, Origin, Summary, Text
from contextrail.transcripts.calls import Calls
from contextrail.transcripts.notes import Notes, word
from contextrail.transcripts.session import Entry, Issue

_SHOWN: Final = {"user_message": "user", "agent_message": "assistant"}
"""Events that show a message on the screen, and whose it is."""
_KEPT: Final = 80_000
"""Characters of user messages that hosts kept in a compaction: 20,000 tokens of 4 characters."""
_ROOT: Final = MessageId("")
"""Stands for the place before the first message."""


@dataclass(slots=True)
class State:
    """Where the conversation stands: its places, its turns, and what the screen showed."""

    file: str
    notes: Notes = field(init=False)
    calls: Calls = field(default_factory=Calls)
    count: int = 0
    """Messages read so far."""
    last: MessageId = _ROOT
    """Place of the latest message."""
    turns: list[MessageId] = field(default_factory=list)
    """For each turn of the user since the last compaction: the place it began behind."""
    speaking: bool = False
    """Whether the latest message is the model's: items in a row are pieces of one reply."""
    _opened: MessageId | None = None
    """Where the turn that is beginning will have begun."""
    _floor: MessageId = _ROOT
    _back: MessageId | None = None
    """Where the conversation was taken back to, until something is said there."""
    _users: deque[Message] = field(default_factory=deque)
    _size: int = 0
    """Characters in `_users`."""
    _shown: dict[tuple[str, str], Issue] = field(default_factory=dict)
    _unshown: Counter[tuple[str, str]] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        self.notes = Notes(self.file)

    def place(
        self, messages: tuple[Message, ...], *, boundary: bool
    ) -> tuple[MessageId | None, MessageId | None]:
        """Id and parent of the record at hand; none for a record without message."""
        if not messages and not boundary:
            return None, None
        parent = self.last if self._back is None else self._back
        self._back = None
        self.last = MessageId(f"record-{self.count}")
        self.count += max(len(messages), 1)
        if boundary:
            self._floor = self.last
        return self.last, parent or None

    def said(self, message: Message) -> None:
        """Take note of a message before it gets its place."""
        if message.role in _SHOWN.values():
            for text in texts_of(message):
                self._match(message.role, text)
        self.speaking = message.role == "assistant"
        if is_user_input(message):
            here = self.last if self._back is None else self._back
            self.turns.append(here if self._opened is None else self._opened)
            self._opened = None
            self._keep(message)

    def event(self, payload: JsonObject, at: Origin) -> None:
        """Take note of an event: one that repeats a message, begins a turn, or takes turns back."""
        kind = word(payload.get("type")) or "?"
        shown = word(payload.get("message")) if kind in _SHOWN else None
        if shown is not None:
            self._show(_SHOWN[kind], shown, kind, at)
        elif kind in {"task_started", "turn_started"}:
            self.speaking = False
            self._opened = self.last if self._back is None else self._back
        elif kind == "thread_rolled_back":
            self._take_back(payload.get("num_turns"), at)

    def compacted(self, messages: tuple[Message, ...]) -> None:
        """Begin anew with the history that a compaction left."""
        self.turns.clear()
        self._opened = None
        self.speaking = False
        self._users.clear()
        self._size = 0
        for message in messages:
            if is_user_input(message):
                self._keep(message)

    def users(self) -> tuple[Message, ...]:
        """The latest user messages, as far as a compaction keeps them."""
        return tuple(self._users)

    def rolled_back_at_the_end(self, at: Origin) -> Entry | None:
        """Report what only events held; a marker where the file ends after turns were taken back.

        Without the marker, which holds an empty message, the latest way would be the one that was left.
        """
        for issue in self._shown.values():
            self.notes.add(issue)
        if self._back is None:
            return None
        marker = Message(id=MessageId(f"record-{self.count}"), role="user", origin=at)
        return Entry(kind="rolled-back", origin=at, id=marker.id, parent=self._back or None, message=marker)

    def _take_back(self, number: object, at: Origin) -> None:
        if not isinstance(number, int) or isinstance(number, bool) or number < 1:
            return
        self.speaking = False
        if number > len(self.turns):
            self.notes.note(
                "rolled-back", "warning", f"{number} turns were taken back, {len(self.turns)} are known", at
            )
            self._back = self._floor
            self.turns.clear()
        else:
            self.notes.note("rolled-back", "note", f"{number} turns were taken back", at)
            self._back = self.turns[-number]
            del self.turns[-number:]
        self._opened = None

    def _keep(self, message: Message) -> None:
        self._users.append(message)
        self._size += _size(message)
        while len(self._users) > 1 and self._size > _KEPT:
            self._size -= _size(self._users.popleft())

    def _show(self, role: str, text: str, kind: str, at: Origin) -> None:
        key = (role, text_digest(text.strip()))
        if self._unshown[key] > 0:
            self._unshown[key] -= 1
            return
        self._shown[key] = Issue(
            kind="event-only",
            severity="note",
            file=self.file,
            line=at.line,
            byte=at.start,
            detail=f"the text of this {kind} event is in no response item",
        )

    def _match(self, role: str, text: str) -> None:
        key = (role, text_digest(text.strip()))
        if self._shown.pop(key, None) is None:
            self._unshown[key] += 1


def texts_of(message: Message) -> list[str]:
    """The texts that a message says."""
    return [part.text for part in message.parts if isinstance(part, (Text, Summary))]


def _size(message: Message) -> int:
    return sum(map(len, texts_of(message)))

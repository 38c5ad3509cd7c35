"""Small things that readers share: fields of a record that may be anything, and issues noted while reading."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from contextrail.core.ids import MessageId
from contextrail.core.json_text import Json, JsonObject
from contextrail.messages.model import Origin
from contextrail.transcripts.session import Issue, Severity

_MANY: Final = 1000
"""Kinds of things that are noted once each; a file that has more gets no more notes of this sort."""


def word(value: Json) -> str | None:
    """A string that is not empty, or None."""
    return value if isinstance(value, str) and value else None


def ident(value: Json) -> MessageId | None:
    """An id that a host gave, or None."""
    text = word(value)
    return None if text is None else MessageId(text)


def named_parent(value: Json, at: Origin) -> MessageId | None:
    """The id that a record gives as its parent's; where that is no text, one that no record has."""
    if value is None or isinstance(value, str):
        return ident(value)
    return MessageId(f"unreadable-parent-{at.line}")


def object_at(value: Json, *keys: str) -> JsonObject:
    """The object under a path of keys; an empty one if there is none."""
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value if isinstance(value, dict) else {}


def objects_in(value: Json) -> list[JsonObject]:
    """The objects of a list; none if it is no list."""
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


@dataclass(slots=True)
class Notes:
    """Issues about the record at hand, until they are taken."""

    file: str
    _issues: list[Issue] = field(default_factory=list)
    _noted: set[tuple[str, str]] = field(default_factory=set)

    def note(
        self, kind: str, severity: Severity, detail: str, at: Origin, message: MessageId | None = None
    ) -> None:
        """Report something about a record."""
        self._issues.append(
            Issue(
                kind=kind,
                severity=severity,
                file=self.file,
                line=at.line,
                byte=at.start,
                detail=detail,
                message=message,
            )
        )

    def add(self, issue: Issue) -> None:
        """Report an issue that was made elsewhere."""
        self._issues.append(issue)

    def unknown(self, kind: str, what: str, at: Origin) -> None:
        """Report a type of record or part that is not known, where it occurs first."""
        if (what, kind) not in self._noted and len(self._noted) < _MANY:
            self._noted.add((what, kind))
            self.note("unknown-type", "note", f"{what} of type {kind[:80]!r} are carried along", at)

    def take(self) -> list[Issue]:
        """What was noted since the last call."""
        taken, self._issues = self._issues, []
        return taken

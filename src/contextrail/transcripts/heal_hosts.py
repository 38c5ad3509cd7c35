"""The one table of hosts whose files can be healed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, Protocol

from contextrail.core.ids import MessageId
from contextrail.core.json_text import JsonObject
from contextrail.transcripts import heal_claude_code, heal_codex, heal_pi
from contextrail.transcripts.heal_plan import Insert

GapRecord = Callable[[JsonObject, MessageId, MessageId], JsonObject]


class Host(Protocol):
    """How records of a host look. A module of functions satisfies it."""

    PARENT: str | None
    """The field that names the record before, where the host's records form a tree."""

    @property
    def gap_record(self) -> GapRecord | None:
        """Makes a record that marks a gap in the chain, where the format has such a thing.

        It is given the record behind the gap, the new record's id, and the id of the record before the gap.
        """
        ...

    def outcome_record(self, neighbour: JsonObject, insert: Insert) -> JsonObject:
        """A record that answers a call with "outcome unknown"; its session is the neighbour's."""
        ...

    def text_record(self, value: JsonObject, strays: set[int]) -> JsonObject:
        """A record whose results without a call (counted from 0) are text that says so."""
        ...


HOSTS: Final[dict[str, Host]] = {"claude-code": heal_claude_code, "codex": heal_codex, "pi": heal_pi}

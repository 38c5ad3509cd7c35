"""The one table of hosts whose files can be healed."""

from __future__ import annotations

from typing import Final, Protocol

from contextrail.core.ids import MessageId
from contextrail.core.json_text import Json, JsonObject
from contextrail.transcripts import heal_claude_code
from contextrail.transcripts.heal_plan import Insert


class Host(Protocol):
    """How records of a host look. A module of functions satisfies it."""

    @property
    def PARENT(self) -> str | None:  # noqa: N802 - a constant of a module
        """The field that names the record before, where the host's records form a tree."""
        ...

    def outcome_record(self, neighbour: JsonObject, insert: Insert) -> JsonObject:
        """A record that answers calls with "outcome unknown"; its session is the neighbour's."""
        ...

    def gap_record(
        self, neighbour: JsonObject, ident: MessageId, before: MessageId, missing: Json
    ) -> JsonObject:
        """A record that marks a place where the chain was broken."""
        ...

    def text_record(self, value: JsonObject, orphans: set[int]) -> JsonObject:
        """A record whose results without a call (counted from 0) are text that says so."""
        ...


HOSTS: Final[dict[str, Host]] = {"claude-code": heal_claude_code}

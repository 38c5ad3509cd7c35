"""What the checks of a turn look at, and what they answer."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import msgspec

from contextrail.core.blobs import handle_of
from contextrail.core.digest import canonical_json, sha256
from contextrail.core.errors import NotFound
from contextrail.core.ids import Sha256
from contextrail.core.json_text import JsonObject
from contextrail.history.policy import Policy
from contextrail.history.reminder_rules import SystemReminderRegistry
from contextrail.messages.cost import Tokenizer
from contextrail.messages.model import Conversation, Message
from contextrail.request import Request
from contextrail.storage.blobs import BlobStore
from contextrail.turn import Turn, TurnInputs


class Broken(NamedTuple):
    """One thing that does not hold."""

    where: str
    """The message, field or region that it is about."""
    what: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Decided:
    """A turn and all it was decided from, for a host that calls `decide` itself."""

    turn: Turn
    inputs: TurnInputs
    policy: Policy
    tokenizer: Tokenizer
    reminders: SystemReminderRegistry | None = None

    @classmethod
    def of(cls, request: Request) -> Decided:
        """The turn of a request."""
        return cls(
            turn=request.turn, inputs=request.inputs, policy=request.policy, tokenizer=request.tokenizer
        )


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A conversation or body, and what it said when the snapshot was taken."""

    value: Conversation | JsonObject
    digest: Sha256

    @classmethod
    def of(cls, value: Conversation | JsonObject) -> Snapshot:
        """Take it before the build; `I20` compares afterwards."""
        return cls(value, digest_of(value))


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """Everything that is known of a turn; a check passes where what it needs is missing."""

    decided: Decided
    request: Request | None = None
    view: JsonObject | None = None
    """The context trace."""
    before: Decided | None = None
    """The turn before."""
    store: BlobStore | None = None
    given: Snapshot | None = None

    @property
    def turn(self) -> Turn:
        """What was decided."""
        return self.decided.turn

    @property
    def originals(self) -> tuple[Message, ...]:
        """The messages as they came."""
        return self.decided.inputs.conversation.messages

    @property
    def final(self) -> tuple[Message, ...]:
        """The messages that go out, in neutral form."""
        return self.decided.turn.conversation.messages

    def cost(self, message: Message) -> int:
        """What the tokenizer of the turn says of a message."""
        return self.decided.tokenizer.message(message, self.decided.inputs.conversation.model).high

    def stored(self, digest: Sha256) -> str | None:
        """A text that was put aside; None: it is not there."""
        for blob in self.turn.blobs:
            if blob.digest == digest:
                return blob.text
        if self.store is None or not self.store.has(digest):
            return None
        return self.store.get(digest).decode("utf-8", "surrogatepass")

    def leads_somewhere(self, handle: str) -> bool:
        """Whether a handle can be followed."""
        if any(handle in (handle_of(blob.digest), f"blob:{blob.digest}") for blob in self.turn.blobs):
            return True
        try:
            return self.store is not None and bool(self.store.find(handle.removeprefix("blob:")))
        except NotFound:
            return False


Check = Callable[[Evidence], Iterator[Broken]]


def digest_of(value: object) -> Sha256:
    """Of what a value says, whatever type it has."""
    return sha256(canonical_json(msgspec.to_builtins(value, str_keys=True)))

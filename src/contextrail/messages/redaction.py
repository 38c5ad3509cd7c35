"""Redaction of whole conversations from turn to turn: what was scanned once is not scanned again."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import Final, Literal

from contextrail.core.digest import sha256
from contextrail.core.secrets import Redactor
from contextrail.messages.decision import Decision
from contextrail.messages.model import Conversation, Message
from contextrail.messages.redact import conversation_texts, message_texts, redact_conversation, redact_message
from contextrail.messages.text import message_text

Mode = Literal["redact", "report", "off"]

STEP: Final = "redaction"


@dataclass(slots=True)
class _Seen:
    """A message that was scanned, what it became, and how much was known then."""

    message: Message
    clean: Message
    known: int
    kinds: dict[str, int]


class Redaction:
    """Takes secrets out of every conversation that passes, or only says where they are.

    It remembers messages by identity, so a history that grows costs a scan of what is new. A secret learned later
    is also taken out of the messages before it.
    """

    def __init__(self, how: Mode, salt: bytes) -> None:
        """Args: how: What is done. salt: Of the store; see `salt_for` where there is none."""
        self._how = how
        self._redactor = Redactor(salt)
        self._seen: dict[int, _Seen] = {}

    def apply(self, conversation: Conversation) -> tuple[Conversation, tuple[Decision, ...]]:
        """The conversation as it may leave, and a decision for each message with a secret: kinds and counts."""
        if self._how == "off":
            return conversation, ()
        fresh = [message for message in conversation.messages if self._known(message) is None]
        self._redactor.learn(conversation_texts(replace(conversation, messages=())))
        for message in fresh:
            self._redactor.learn(message_texts(message))
        seen = {id(message): self._scan(message) for message in conversation.messages}
        self._seen = seen
        decisions = tuple(
            Decision(
                message=message.id,
                verdict="changed" if self._how == "redact" else "kept",
                step=STEP,
                reason="secret",
                detail={"kinds": dict(entry.kinds)},
            )
            for message in conversation.messages
            if (entry := seen[id(message)]).kinds
        )
        if self._how == "report":
            return conversation, decisions
        around = redact_conversation(replace(conversation, messages=()), self._redactor)
        clean = tuple(seen[id(message)].clean for message in conversation.messages)
        return replace(around, messages=clean), decisions

    def text(self, text: str) -> str:
        """Any other text on its way out: a summary request, a trace, an export."""
        return self._redactor.redact(text) if self._how == "redact" else text

    def _known(self, message: Message) -> _Seen | None:
        entry = self._seen.get(id(message))
        return entry if entry is not None and entry.message is message else None

    def _scan(self, message: Message) -> _Seen:
        entry = self._known(message)
        if entry is not None and entry.known == self._redactor.known:
            return entry
        before = Counter(self._redactor.hits)
        clean = redact_message(message, self._redactor.redact)
        kinds = Counter(self._redactor.hits)
        kinds.subtract(before)
        return _Seen(
            message, clean, self._redactor.known, {kind: n for kind, n in sorted(kinds.items()) if n > 0}
        )


def salt_for(conversation: Conversation) -> bytes:
    """A salt where there is no store: from how the conversation begins, so that a later turn has the same one."""
    first = message_text(conversation.messages[0]) if conversation.messages else ""
    return bytes.fromhex(sha256(b"contextrail redaction\0" + first.encode("utf-8", "surrogatepass")))

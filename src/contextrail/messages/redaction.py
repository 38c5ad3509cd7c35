"""Redaction of whole conversations from turn to turn: what was looked through once is not looked through again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, Generic, Literal, TypeVar

from contextrail.core.digest import sha256
from contextrail.core.ids import MessageId
from contextrail.core.secret_by_name import leads_value, secret_beside
from contextrail.core.secrets import Redactor, find_in
from contextrail.messages.decision import Decision
from contextrail.messages.model import Conversation, Message
from contextrail.messages.redact import Redact, redact_around, redact_message
from contextrail.messages.text import message_text

Handling = Literal["redact", "report", "off"]
Salt = Callable[[Conversation], bytes]
"""Gives the salt; asked only where a secret was found."""

STEP: Final = "redaction"
REASON: Final = "secret"

Whole = TypeVar("Whole", Message, Conversation)


@dataclass(frozen=True, slots=True, kw_only=True)
class Redacted:
    """A conversation as it may leave, and what was done to it."""

    conversation: Conversation
    decisions: tuple[Decision, ...] = ()
    """One for what stands around the messages, if it held a secret, and one for each message that did."""
    pairs: tuple[tuple[Message, Message], ...] = ()
    """Each message that was changed: as it came, and as it may leave."""
    kinds: Mapping[str, int] = field(default_factory=dict)
    """How often each kind of secret was there."""


@dataclass(slots=True)
class _Seen(Generic[Whole]):
    """A message, or what stands around the messages: what it holds itself, and what it became."""

    given: Whole
    clean: Whole
    found: dict[str, str] = field(default_factory=dict)
    """Secrets of its own, with their kinds."""
    kinds: Mapping[str, int] = field(default_factory=dict)
    """How often each kind was there, secrets that are known from elsewhere included."""
    fresh: bool = True
    """Not yet compared with what is known from elsewhere."""


class Redaction:
    """Takes secrets out of every conversation that passes, or only says where they are.

    What a conversation becomes depends on it and the salt alone: equal ones become equal ones. A history that grows
    costs a scan of what is new, since the messages of the turn before are known. A secret that a later message gives
    away is also taken out of the messages before it.
    """

    def __init__(self, how: Handling, salt: bytes | Salt) -> None:
        """Args: how: What is done. salt: Of the store, or what gives it; `salt_for` where there is none."""
        self._how = how
        self._salt: Salt = (lambda _: salt) if isinstance(salt, bytes) else salt
        self._messages: dict[MessageId, _Seen[Message]] = {}
        self._around: _Seen[Conversation] | None = None
        self._redactor = Redactor(b"")
        self._known: tuple[bytes, dict[str, str]] = (b"", {})
        """Salt and secrets that `_redactor` was made for."""
        self._beside: Callable[[], bytes] = lambda: b""

    def apply(self, conversation: Conversation) -> Redacted:
        """The conversation as it may leave, with a decision for each message with a secret: kinds and counts."""
        self._beside = lambda: self._salt(conversation)
        if self._how == "off":
            return Redacted(conversation=conversation)
        seen = self._look(conversation)
        around = self._around
        assert around is not None
        self._know(conversation, [around, *seen])
        with_secret = [entry for entry in seen if entry.kinds]
        kinds: Counter[str] = Counter(around.kinds)
        for entry in with_secret:
            kinds.update(entry.kinds)
        decisions = [self._decision(None, around.kinds)] if around.kinds else []
        decisions += [self._decision(self._shown_id(entry), entry.kinds) for entry in with_secret]
        if self._how == "redact":
            clean = conversation
            pairs = tuple((entry.given, entry.clean) for entry in with_secret)
            if decisions:
                clean = replace(around.clean, messages=tuple(entry.clean for entry in seen))
        else:
            clean, pairs = conversation, ()
        return Redacted(
            conversation=clean, decisions=tuple(decisions), pairs=pairs, kinds=dict(sorted(kinds.items()))
        )

    def redactor(self) -> Redactor:
        """For other texts on their way out, such as a summary: it knows what the last conversation gave away.

        What it learns itself it keeps to itself.
        """
        return Redactor(self._beside, self._known[1])

    def text(self, text: str) -> str:
        """Any other text on its way out; the same text unless the policy is "redact"."""
        return self.redactor().redact(text) if self._how == "redact" else text

    def messages(self, messages: Iterable[Message]) -> tuple[Message, ...]:
        """Messages beside the conversation, such as those of a plan; the same objects where nothing changes."""
        if self._how != "redact":
            return tuple(messages)
        redactor = self.redactor()
        return tuple(redact_message(message, redactor) for message in messages)

    def _look(self, conversation: Conversation) -> list[_Seen[Message]]:
        """Every message with its own secrets; only those that were not there in the turn before are read."""
        looking = _Looking()
        seen: list[_Seen[Message]] = []
        for message in conversation.messages:
            entry = self._messages.get(message.id)
            if entry is None or (entry.given is not message and entry.given != message):
                entry = _Seen(given=message, clean=message)
                redact_message(message, looking.into(entry.found))
            seen.append(entry)
        bare = replace(conversation, messages=())
        if self._around is None or self._around.given != bare:
            self._around = _Seen(given=bare, clean=bare)
            redact_around(bare, looking.into(self._around.found))
        looking.done()
        self._messages = {entry.given.id: entry for entry in seen}
        return seen

    def _know(self, conversation: Conversation, seen: Sequence[_Seen[Message] | _Seen[Conversation]]) -> None:
        """Bring all of them up to what is known from the whole conversation."""
        table: dict[str, str] = {}
        for entry in seen:
            for value, kind in entry.found.items():
                table.setdefault(value, kind)
        known = (self._salt(conversation) if table else b"", table)
        before = self._redactor.bare()
        if known != self._known:
            self._known, self._redactor = known, Redactor(known[0], table)
        after = self._redactor.bare()
        every = tuple(after)
        news = tuple(value for value in {**before, **after} if before.get(value) != after.get(value))
        for entry in seen:
            values = every if entry.fresh else news
            own = entry.fresh and bool(entry.found)
            if own or (values and (entry.found or _mentions(entry.given, values))):
                self._clean(entry)
            entry.fresh = False

    def _clean(self, entry: _Seen[Message] | _Seen[Conversation]) -> None:
        before = Counter(self._redactor.hits)
        if isinstance(entry.given, Message):
            entry.clean = redact_message(entry.given, self._redactor)
        else:
            entry.clean = redact_around(entry.given, self._redactor)
        kinds = Counter(self._redactor.hits)
        kinds.subtract(before)
        entry.kinds = {kind: n for kind, n in sorted(kinds.items()) if n > 0}

    def _shown_id(self, entry: _Seen[Message]) -> MessageId:
        """An id that holds a secret leaves with a placeholder as well."""
        return entry.clean.id if self._how == "redact" else entry.given.id

    def _decision(self, message: MessageId | None, kinds: Mapping[str, int]) -> Decision:
        return Decision(
            message=message,
            verdict="changed" if self._how == "redact" else "kept",
            step=STEP,
            reason=REASON,
            detail={"kinds": dict(kinds)},
        )


class _Looking:
    """Looks at texts and gives them back; those of many messages are read together, which is far faster."""

    def __init__(self) -> None:
        self._texts: list[str] = []
        self._owners: list[dict[str, str]] = []
        self._found: dict[str, str] = {}

    def into(self, found: dict[str, str]) -> _Looking:
        """Where the secrets of the next texts are written."""
        self._found = found
        return self

    def redact(self, text: str) -> str:
        self._texts.append(text)
        self._owners.append(self._found)
        return text

    def redact_named(self, name: str, text: str) -> str:
        kind = secret_beside(name, text)
        if kind is not None:
            self._found.setdefault(text, kind)
        elif leads_value(name):
            self.redact(f"{name}: {text}")
        else:
            self.redact(text)
        return text

    def done(self) -> None:
        """Read what was collected."""
        for at, secrets in find_in(self._texts).items():
            for secret in secrets:
                self._owners[at].setdefault(self._texts[at][secret.start : secret.end], secret.kind)


class _Mention:
    """Looks whether a text holds one of some values, and gives it back."""

    def __init__(self, values: Sequence[str]) -> None:
        self._values = values
        self.found = False

    def redact(self, text: str) -> str:
        self.found = self.found or any(value in text for value in self._values)
        return text

    def redact_named(self, name: str, text: str) -> str:  # noqa: ARG002 - as the protocol has it
        return self.redact(text)


def _mentions(given: Message | Conversation, values: Sequence[str]) -> bool:
    mention: Redact = (looking := _Mention(values))
    if isinstance(given, Message):
        redact_message(given, mention)
    else:
        redact_around(given, mention)
    return looking.found


def salt_for(conversation: Conversation) -> bytes:
    """A salt where there is no store: from how the conversation begins, so that a later turn has the same one."""
    first = message_text(conversation.messages[0]) if conversation.messages else ""
    return bytes.fromhex(sha256(b"contextrail redaction\0" + first.encode("utf-8", "surrogatepass")))

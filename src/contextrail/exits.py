"""Exits: what goes out holds no secret, and what was taken out is kept for those who may read the store.

A conversation is redacted before anything is decided, so every way out has placeholders only: body, question for a
summary, trace, plan, record. The core puts texts with placeholders aside; beside each of them the store gets the
original, byte for byte, under a name that no way out shows.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

import msgspec

from contextrail.core.blobs import Blob, handle_of
from contextrail.core.digest import text_digest
from contextrail.core.errors import InvalidRequest, RailError
from contextrail.core.ids import MessageId, Sha256
from contextrail.core.json_text import JsonObject, dump_text, parse_object
from contextrail.core.secrets import Redactor
from contextrail.history.fence_kinds import FenceInjection
from contextrail.history.plan import Plan
from contextrail.history.policy import Policy
from contextrail.messages.decision import Decision
from contextrail.messages.model import Conversation, Message, ToolCall
from contextrail.messages.redact import redact_json, redact_message
from contextrail.messages.redaction import STEP, Handling, Redacted, Redaction, salt_for
from contextrail.policy import policy_from
from contextrail.storage.blobs import BlobStore
from contextrail.wire import neutral

_MARK: Final = "[secret:"
EVENT: Final = "secrets_found"


@dataclass(frozen=True, slots=True, kw_only=True)
class Admitted:
    """What a turn is decided on, and what was done to it before."""

    conversation: Conversation
    fences: tuple[FenceInjection, ...]
    plan: Plan | None
    decisions: tuple[Decision, ...] = ()
    events: tuple[JsonObject, ...] = ()
    """At most one, with kinds and counts."""
    pairs: tuple[tuple[Message, Message], ...] = ()
    """Each message that was changed: as it came, and as it is now."""
    around: tuple[Conversation, Conversation] | None = None
    """System text and tools as they came, and as they are now, if that is not the same."""
    texts: tuple[tuple[str, str], ...] = ()
    """Contents of fences that were changed: as they came, and as they are now."""

    def named(self, ids: frozenset[MessageId]) -> frozenset[MessageId]:
        """The ids of messages as they are now: one that held a secret has a placeholder."""
        names = {given.id: clean.id for given, clean in self.pairs if given.id != clean.id}
        return frozenset(names.get(ident, ident) for ident in ids) if names else ids


class Exits:
    """The redaction of one rail. What it remembers only saves looking through and storing again."""

    def __init__(self, how: Handling, store: BlobStore | None) -> None:
        """Args: how: What is done with secrets. store: Gives the salt and keeps originals; None: neither."""
        self._how = how
        self._store = store
        self._redaction = Redaction(how, salt_for if store is None else lambda _: store.salt())
        self._stored: set[Sha256] = set()

    def admit(
        self, conversation: Conversation, fences: Sequence[FenceInjection], plan: Plan | None
    ) -> Admitted:
        """Everything that a turn is decided on, without secrets if the policy says so.

        Raises:
            Unavailable: There is a secret, and the store cannot be written for its salt.
        """
        done = self._redaction.apply(conversation)
        pairs, around = done.pairs, None
        texts: tuple[tuple[str, str], ...] = ()
        decisions = done.decisions
        if self._how == "redact":
            clean, more = self._fences(fences)
            texts = tuple((old.content, new.content) for old, new in zip(fences, clean, strict=True))
            fences, decisions = clean, (*decisions, *more)
            plan = self._plan(plan)
            before, after = replace(conversation, messages=()), replace(done.conversation, messages=())
            around = None if before == after else (before, after)
        if self._store is not None:
            decisions = _with_handles(decisions, pairs, around)
        return Admitted(
            conversation=done.conversation,
            fences=tuple(fences),
            plan=plan,
            decisions=decisions,
            events=_event(self._how, done),
            pairs=pairs,
            around=around,
            texts=tuple(each for each in texts if each[0] != each[1]),
        )

    def policy(self, policy: Policy) -> Policy:
        """The policy as every trace and record shows it: the host's names and texts in it may hold a secret.

        Raises:
            Unavailable: There is a secret, and the store cannot be written for its salt.
        """
        if self._how != "redact":
            return policy
        store = self._store
        redactor = Redactor(lambda: salt_for(Conversation(messages=())) if store is None else store.salt())
        given = msgspec.to_builtins(policy)
        clean = redact_json(given, redactor)
        return policy if clean is given else policy_from(clean)

    def text(self, text: str) -> str:
        """A text that comes from outside in the middle of a turn, such as a summary."""
        return self._redaction.text(text)

    def keep(self, blobs: Sequence[Blob], admitted: Admitted) -> None:
        """Store what a request refers to, and the originals, before anybody can read the reference.

        Raises:
            Unavailable: The store cannot be written.
        """
        if self._store is None:
            return
        shown = {blob.digest: blob for blob in (*blobs, *_shown(admitted)) if blob.digest not in self._stored}
        if not shown:
            return
        known = _Originals(admitted, self._redaction.redactor())
        originals = {digest: known.of(blob.text) for digest, blob in shown.items()} if known.any else {}
        pairs = {digest: blob for digest, blob in originals.items() if blob is not None}
        every = {blob.digest: blob.data() for blob in (*pairs.values(), *shown.values())}
        self._store.put_many(
            list(every.values()), originals={digest: blob.digest for digest, blob in pairs.items()}
        )
        self._stored.update(shown)

    def _fences(
        self, fences: Sequence[FenceInjection]
    ) -> tuple[tuple[FenceInjection, ...], tuple[Decision, ...]]:
        redactor = self._redaction.redactor()
        clean = tuple(_fence(fence, redactor) for fence in fences)
        if not redactor.hits:
            return tuple(fences), ()
        detail: JsonObject = {"kinds": dict(sorted(redactor.hits.items())), "where": "fences"}
        return clean, (Decision(message=None, verdict="changed", step=STEP, reason="secret", detail=detail),)

    def _plan(self, plan: Plan | None) -> Plan | None:
        """A plan that was made under another policy may hold what this one takes out."""
        if plan is None:
            return None
        clean = iter(self._redaction.messages(plan.inserted))
        entries = tuple(next(clean) if isinstance(entry, Message) else entry for entry in plan.entries)
        return plan if entries == plan.entries else replace(plan, entries=entries)


def _fence(fence: FenceInjection, redactor: Redactor) -> FenceInjection:
    attrs = redact_json(fence.attrs, redactor)
    assert isinstance(attrs, dict)
    return replace(fence, content=redactor.redact(fence.content), attrs=attrs)


def _event(how: Handling, done: Redacted) -> tuple[JsonObject, ...]:
    if not done.kinds:
        return ()
    messages = sum(decision.message is not None for decision in done.decisions)
    return ({"event": EVENT, "kinds": dict(done.kinds), "messages": messages, "redacted": how == "redact"},)


def _with_handles(
    decisions: Sequence[Decision],
    pairs: Sequence[tuple[Message, Message]],
    around: tuple[Conversation, Conversation] | None,
) -> tuple[Decision, ...]:
    """The decisions, each with the handle under which an authorized reader finds the original."""
    handles: dict[MessageId | None, str] = {
        clean.id: handle_of(Blob.of(_message_json(clean)).digest) for _, clean in pairs
    }
    if around is not None:
        handles[None] = handle_of(Blob.of(_around_json(around[1])).digest)
    return tuple(
        each._replace(detail={**each.detail, "stored": handles[each.message]})
        if each.message in handles and "where" not in each.detail
        else each
        for each in decisions
    )


def _shown(admitted: Admitted) -> Iterator[Blob]:
    """What was changed, as it is now."""
    for _, clean in admitted.pairs:
        yield Blob.of(_message_json(clean))
    if admitted.around is not None:
        yield Blob.of(_around_json(admitted.around[1]))


def _message_json(message: Message) -> str:
    return dump_text(neutral.encode(Conversation(messages=(message,)))["messages"][0])


def _around_json(conversation: Conversation) -> str:
    return dump_text(neutral.encode(conversation))


@dataclass(slots=True)
class _Leaves:
    """Redacts, and writes down which text became which."""

    redactor: Redactor
    was: dict[str, str] = field(default_factory=dict)
    """Text with placeholders to the text it was."""

    def redact(self, text: str) -> str:
        return self._noted(text, self.redactor.redact(text))

    def redact_named(self, name: str, text: str) -> str:
        return self._noted(text, self.redactor.redact_named(name, text))

    def _noted(self, text: str, clean: str) -> str:
        if clean != text:
            self.was.setdefault(clean, text)
        return clean


class _Originals:
    """Gives the original of what the core put aside."""

    def __init__(self, admitted: Admitted, redactor: Redactor) -> None:
        pairs, around = admitted.pairs, admitted.around
        self._pairs: dict[str, tuple[Message, Message]] = {clean.id: (given, clean) for given, clean in pairs}
        self._around = {} if around is None else {_around_json(around[1]): _around_json(around[0])}
        leaves = _Leaves(redactor)
        leaves.was.update({clean: given for given, clean in admitted.texts})
        for given, clean in pairs:
            redact_message(given, leaves)
            calls = zip(_calls(given), _calls(clean), strict=True)
            leaves.was.update(
                {new.arguments: old.arguments for old, new in calls if new.arguments != old.arguments}
            )
        self._was = leaves.was
        self._longest = sorted(self._was, key=len, reverse=True)
        self.any = bool(pairs or around or admitted.texts)

    def of(self, text: str) -> Blob | None:
        """The original of a text; None if it is one."""
        was = self._around.get(text) or self._messages(text) or self._text(text)
        return None if was == text else Blob.of(was)

    def _text(self, text: str) -> str:
        if _MARK not in text:
            return text
        if text in self._was:
            return self._was[text]
        for clean in self._longest:
            text = text.replace(clean, self._was[clean])
        return text

    def _messages(self, text: str) -> str | None:
        """The original of messages as neutral JSON; None if it is something else."""
        if not text.startswith("{"):
            return None
        try:
            value = parse_object(text, place="blob")
        except InvalidRequest:
            return None
        if isinstance(value.get("messages"), list):
            return dump_text({**value, "messages": [self._message(each) for each in value["messages"]]})
        return dump_text(self._message(value)) if value.get("id") in self._pairs else None

    def _message(self, value: Any) -> Any:
        pair = self._pairs.get(str(value.get("id"))) if isinstance(value, dict) else None
        if pair is None:
            return value
        given, clean = map(_message_json, pair)
        if dump_text(value) == clean:
            return parse_object(given, place="message")
        return self._inside(value)

    def _inside(self, value: Any) -> Any:
        """A message that a step has changed besides."""
        match value:
            case str():
                return self._text(value)
            case list():
                return [self._inside(each) for each in value]
            case dict():
                return {name: self._inside(each) for name, each in value.items()}
            case _:
                return value


def exits_of(policy: Policy, store: BlobStore | None) -> tuple[Policy, Exits]:
    """The redaction that a policy asks for, and the policy as it may leave."""
    exits = Exits(policy.redaction, store)
    return exits.policy(policy), exits


def error_record(error: RailError) -> JsonObject:
    """An error as it may be printed: a path or a name that it quotes may hold a secret."""
    record = redact_json(error.to_json(), Redactor(bytes.fromhex(text_digest("contextrail errors"))))
    assert isinstance(record, dict)
    return record


def _calls(message: Message) -> tuple[ToolCall, ...]:
    """The calls of a message; redaction changes their ids and arguments, not their number or order."""
    return tuple(part for part in message.parts if isinstance(part, ToolCall))


def originals_in(decisions: Sequence[Decision]) -> Mapping[MessageId, str]:
    """The handle of the original of each message that lost a secret."""
    return {
        each.message: str(each.detail["stored"])
        for each in decisions
        if each.step == STEP and each.message is not None and "stored" in each.detail
    }

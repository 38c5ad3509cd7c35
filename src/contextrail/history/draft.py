"""Draft: messages on their way to a request, every decision taken on them, and what came of it besides."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from contextrail.core.blobs import Blob
from contextrail.core.ids import CallId, MessageId
from contextrail.core.json_text import JsonObject
from contextrail.messages.decision import Decision, Verdict
from contextrail.messages.model import Message

Change = tuple[Message | None, JsonObject]
"""What becomes of a message, with facts for the record; None drops it, the same object keeps it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Referral:
    """A tool result whose text was replaced by a line that names another call, where the text or its like stands."""

    message: MessageId
    call: CallId
    """Whose result it is."""
    line: str
    target: CallId
    """Whose result the line names."""
    text: str | None
    """What stood there, if it is to come back where the target is gone."""
    bare: str
    """What to say where the target is gone and the text does not come back."""


@dataclass(frozen=True, slots=True)
class Draft:
    """The only ways to lose or change a message are `edit` and `with_messages`, and both write it down."""

    messages: tuple[Message, ...]
    decisions: tuple[Decision, ...] = ()
    blobs: tuple[Blob, ...] = ()
    """To be stored before the request goes out."""
    required: frozenset[MessageId] = frozenset()
    """What no budget may remove, as far as the steps so far know."""
    events: tuple[JsonObject, ...] = ()
    """What the host should hear of; each has a field `event`."""
    referrals: tuple[Referral, ...] = ()
    """Results that a step replaced by a line that names another message."""
    reminder: Message | None = None
    """To be put last, for this request only."""
    reminder_hits: tuple[str, ...] = ()
    """Ids of the reminder rules that fired."""

    def edit(self, change: Callable[[Message], Change], *, step: str, reason: str) -> Draft:
        """Apply `change` to each message in order."""
        kept: list[Message] = []
        decisions: list[Decision] = []
        for message in self.messages:
            changed, detail = change(message)
            if changed is not None:
                kept.append(changed)
            if changed is not message:
                verdict: Verdict = "dropped" if changed is None else "changed"
                decisions.append(
                    Decision(message=message.id, verdict=verdict, step=step, reason=reason, detail=detail)
                )
        if not decisions:
            return self
        return replace(self, messages=tuple(kept), decisions=(*self.decisions, *decisions))

    def with_messages(self, messages: Sequence[Message], decisions: Sequence[Decision]) -> Draft:
        """Replace the list as a whole; `decisions` must account for each difference.

        Raises:
            AssertionError: A message id vanished and no decision names it.
        """
        gone = {message.id for message in self.messages} - {message.id for message in messages}
        named = {decision.message for decision in decisions}
        assert gone <= named, f"lost without a decision: {sorted(gone - named)[:5]}"
        return replace(self, messages=tuple(messages), decisions=(*self.decisions, *decisions))

    def noting(self, decisions: Iterable[Decision]) -> Draft:
        """The same messages, with more to say about them."""
        return replace(self, decisions=(*self.decisions, *decisions))

    @property
    def handles(self) -> frozenset[str]:
        """Of everything that is to be stored."""
        return frozenset(blob.handle for blob in self.blobs)

    def storing(self, blobs: Iterable[Blob]) -> Draft:
        """Also put these texts aside; one that is there already is not put twice."""
        there = {blob.digest for blob in self.blobs}
        new = {blob.digest: blob for blob in blobs if blob.digest not in there}
        return replace(self, blobs=(*self.blobs, *new.values())) if new else self

    def requiring(self, ids: Iterable[MessageId]) -> Draft:
        """Also keep these messages whatever the budget."""
        return replace(self, required=self.required | frozenset(ids))

    def telling(self, event: str, **facts: object) -> Draft:
        """Also tell the host: an event by its name, with its facts."""
        return replace(self, events=(*self.events, {"event": event, **facts}))

"""Draft: messages on their way to a request, and every decision taken on them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from contextrail.core.json_text import JsonObject
from contextrail.messages.decision import Decision, Verdict
from contextrail.messages.model import Message

Change = tuple[Message | None, JsonObject]
"""What becomes of a message, with facts for the record; None drops it, the same object keeps it."""


@dataclass(frozen=True, slots=True)
class Draft:
    """The only ways to lose or change a message are `edit` and `with_messages`, and both write it down."""

    messages: tuple[Message, ...]
    decisions: tuple[Decision, ...] = ()

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
        return Draft(tuple(kept), (*self.decisions, *decisions))

    def with_messages(self, messages: Sequence[Message], decisions: Sequence[Decision]) -> Draft:
        """Replace the list as a whole; `decisions` must account for each difference.

        Raises:
            AssertionError: A message id vanished and no decision names it.
        """
        gone = {message.id for message in self.messages} - {message.id for message in messages}
        named = {decision.message for decision in decisions}
        assert gone <= named, f"lost without a decision: {sorted(gone - named)[:5]}"
        return replace(self, messages=tuple(messages), decisions=(*self.decisions, *decisions))

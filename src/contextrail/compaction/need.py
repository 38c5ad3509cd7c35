"""NeedSummary: what the core asks the shell for when a span has to be summarized."""

from __future__ import annotations

from dataclasses import dataclass

from contextrail.core.ids import Sha256
from contextrail.messages.model import Message


@dataclass(frozen=True, slots=True, kw_only=True)
class NeedSummary:
    """A summary is wanted for exactly these messages; the answer is filed under `digest`."""

    digest: Sha256
    """Of the span: asking twice for the same one is impossible."""
    messages: tuple[Message, ...]
    """What the summary will replace, all of it, in order."""
    earlier: str | None
    """Text of a summary that is among them and has to be merged, or None."""
    pinned: str
    """What stands outside the summary word for word in any case."""
    max_tokens: int
    """Most that the text may cost."""
    language: str | None
    """Language of the conversation, as the summary should keep it: "zh", "en", or None."""
    agent_id: str
    """The registered summary agent."""


class SummaryNeeded(Exception):
    """Raised by a step that cannot go on without a summary; `decide` gives `need` to its caller."""

    def __init__(self, need: NeedSummary) -> None:
        super().__init__("a summary is needed")
        self.need = need

"""NeedSummary: what the core asks its shell for when a model is to summarize, and how that can fail."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from contextrail.compaction.goal import Pin
from contextrail.compaction.language import Language
from contextrail.core.errors import Unavailable
from contextrail.core.ids import Sha256
from contextrail.messages.model import Message

Trigger = Literal["summarization", "compaction"]
"""summarization: a share of the history budget was passed; compaction: a share of the window."""


class SummarizationFailed(Unavailable):
    """No usable summary came, and going on without one is not allowed. Fatal: nothing was sent or changed."""

    code = "summarization_failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class NeedSummary:
    """A summary is wanted for exactly these messages. The answer is filed under `digest`, "" for a failure."""

    digest: Sha256
    """Of the span: asking twice for the same one is impossible."""
    messages: tuple[Message, ...]
    """What the summary will replace, all of it, in order; earlier summaries among them have to be merged."""
    pins: tuple[Pin, ...]
    """What stands outside the summary word for word in any case."""
    language: Language
    """Of the conversation, as the summary should keep it."""
    limit: int
    """Most that the text may cost, in the tokenizer's unit; what is longer is cut, visibly."""
    agent_id: str
    """The registered summary agent."""
    trigger: Trigger
    may_continue: bool
    """Whether the request may go out without a summary if none comes: policy says so, and all of it fits."""


class SummaryNeeded(Exception):
    """Raised by a step that cannot go on without a summary; `decide` gives `need` to its caller."""

    def __init__(self, need: NeedSummary) -> None:
        super().__init__("a summary is needed")
        self.need = need

"""The ModelClient port: one question to a model, one text back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from contextrail.core.errors import Unavailable
from contextrail.messages.model import Conversation


class ModelFailed(Unavailable):
    """A model did not answer, or answered with something that is no text.

    Facts: `status` (HTTP), `retry` (whether the same question may succeed later), `retry_after_s` if the provider
    said so. Never the text of question or answer.
    """

    code = "model_failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What a model said."""

    text: str
    stop: str | None = None
    """Why it stopped, in the provider's words; None: unknown."""


class ModelClient(Protocol):
    """Asks one model. Implementations do I/O; the core never calls them."""

    def ask(self, conversation: Conversation, *, timeout_s: float) -> Reply:
        """Send one request without tools being run, and return the text of the answer.

        Args:
            conversation: Model, system text, messages and limit on the output. Tools in it are only there to keep
                a cached prefix; the model is told not to call them.
            timeout_s: Seconds, > 0, until the attempt counts as failed.

        Raises:
            ModelFailed: No answer in time, a refusal, an HTTP error, or an answer that cannot be read.
        """
        ...

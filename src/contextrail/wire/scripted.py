"""A model whose answers are written beforehand: for tests, and for `--summaries`. No I/O."""

from __future__ import annotations

from collections.abc import Iterable

from contextrail.messages.model import Conversation
from contextrail.wire.ask import ModelFailed, Reply


class ScriptedModel:
    """Gives its answers in order, the last one again and again; an answer that is an error is raised."""

    def __init__(self, answers: Iterable[str | Reply | ModelFailed]) -> None:
        """Raises ValueError if there is no answer at all."""
        self._answers = list(answers)
        if not self._answers:
            raise ValueError("a scripted model needs an answer")
        self.asked: list[Conversation] = []
        """Every request so far, in order."""

    def ask(self, conversation: Conversation, *, timeout_s: float) -> Reply:  # noqa: ARG002 - the port's
        """The next answer."""
        answer = self._answers[min(len(self.asked), len(self._answers) - 1)]
        self.asked.append(conversation)
        if isinstance(answer, ModelFailed):
            raise answer
        return Reply(text=answer) if isinstance(answer, str) else answer

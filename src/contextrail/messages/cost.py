"""The Tokenizer port: what a text, a message and a whole request cost."""

from __future__ import annotations

from typing import Protocol

from contextrail.core.ids import Sha256
from contextrail.core.tokens import Estimate, Unit
from contextrail.messages.model import Conversation, Message


class Tokenizer(Protocol):
    """Counts, to plan with, never to bill with. Every call takes the model id, so one can serve many.

    Two tokenizers with equal `id`, `version` and `state` give equal counts: these three are part of
    a turn's inputs.
    """

    @property
    def id(self) -> str:
        """What it is, in the words of the command line: "o200k", "chars:4", "estimate:claude"."""
        ...

    @property
    def version(self) -> str:
        """Changes whenever the same text may get another count."""
        ...

    @property
    def state(self) -> Sha256 | None:
        """Digest of its calibration, or None if it has none."""
        ...

    @property
    def unit(self) -> Unit:
        """Unit of every count."""
        ...

    def text(self, text: str, model: str | None = None) -> Estimate:
        """Cost of a bare text. Special-token literals in it are ordinary text."""
        ...

    def message(self, message: Message, model: str | None = None) -> Estimate:
        """Cost of one message, overheads of role, calls and media included."""
        ...

    def body(self, conversation: Conversation, model: str | None = None) -> Estimate:
        """Cost of a request: system, tool schemas and messages, with the overhead of the whole."""
        ...

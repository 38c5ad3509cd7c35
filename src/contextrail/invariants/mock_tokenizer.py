"""A tokenizer for tests of hosts: its counts are plain, and it tells what it was asked."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from contextrail.core.errors import InvalidRequest
from contextrail.core.ids import Sha256
from contextrail.core.tokens import Estimate, Unit, exactly
from contextrail.messages.model import Conversation, Message
from contextrail.messages.text import message_text, part_text


@dataclass(frozen=True, slots=True, kw_only=True)
class MockTokenizer:
    """Counts so much a message and so much a text, or by characters. Make one with `create_mock_tokenizer`."""

    tokens_per_message: int
    tokens_per_text: int
    chars_per_token: int | None
    calls: Counter[str] = field(default_factory=Counter, compare=False)
    """How often `text`, `message` and `body` were called."""
    asked: set[str] = field(default_factory=set, compare=False)
    """Ids of the messages it was asked about, one by one or in a body."""

    @property
    def id(self) -> str:
        """Names its numbers: two mocks that count alike are one tokenizer."""
        if self.chars_per_token is not None:
            return f"mock:chars:{self.chars_per_token}"
        return f"mock:{self.tokens_per_message}:{self.tokens_per_text}"

    @property
    def version(self) -> str:
        """Never changes."""
        return "1"

    @property
    def state(self) -> Sha256 | None:
        """It learns nothing."""
        return None

    @property
    def unit(self) -> Unit:
        """Tokens, so to speak."""
        return "token"

    def text(self, text: str, model: str | None = None) -> Estimate:  # noqa: ARG002 - the form of the port
        """So much for any text that is not empty, or its characters divided."""
        self.calls["text"] += 1
        return exactly(self._text(text))

    def message(self, message: Message, model: str | None = None) -> Estimate:  # noqa: ARG002
        """So much for any message, or the characters of its text divided."""
        self.calls["message"] += 1
        return exactly(self._message(message))

    def body(self, conversation: Conversation, model: str | None = None) -> Estimate:  # noqa: ARG002
        """The sum of its messages, of the system prompt as one text, and of each tool's description as one."""
        self.calls["body"] += 1
        system = "\n".join(map(part_text, conversation.system))
        tools = [tool.description or tool.name for tool in conversation.tools]
        fixed = sum(map(self._text, [system, *tools]))
        return exactly(fixed + sum(map(self._message, conversation.messages)))

    def _text(self, text: str) -> int:
        if self.chars_per_token is not None:
            return -(-len(text) // self.chars_per_token)
        return self.tokens_per_text if text else 0

    def _message(self, message: Message) -> int:
        self.asked.add(message.id)
        if self.chars_per_token is not None:
            return -(-len(message_text(message)) // self.chars_per_token)
        return self.tokens_per_message


def create_mock_tokenizer(
    *, tokens_per_message: int = 50, tokens_per_text: int = 10, chars_per_token: int | None = None
) -> MockTokenizer:
    """A tokenizer with plain counts that tells what it was asked.

    Args:
        tokens_per_message: Cost of any message, at least 1.
        tokens_per_text: Cost of any bare text, at least 1.
        chars_per_token: Count characters instead, so many a token, rounded up; at least 1.

    Raises:
        InvalidRequest: A number is below 1.

    Source: the defaults are those of linnkit's `createMockTokenizerPort`.
    """
    numbers = {
        "tokens_per_message": tokens_per_message,
        "tokens_per_text": tokens_per_text,
        "chars_per_token": 1 if chars_per_token is None else chars_per_token,
    }
    for name, number in numbers.items():
        if number < 1:
            raise InvalidRequest(f"{name} must be at least 1, not {number}", path=name)
    return MockTokenizer(
        tokens_per_message=tokens_per_message,
        tokens_per_text=tokens_per_text,
        chars_per_token=chars_per_token,
    )

"""A tokenizer over rules that counts each message once, and learns from a provider's usage. Pure."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from operator import is_
from typing import Final

from contextrail.core.calibration import Calibration, Track, narrowed
from contextrail.core.ids import Sha256
from contextrail.core.tokens import ZERO, Estimate, Unit
from contextrail.messages.model import (
    Conversation,
    Media,
    Message,
    Part,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
)
from contextrail.wire.counting import BRIEF, Recent, total
from contextrail.wire.message_cost import Rule

MEMORY: Final = 100_000_000
"""Characters, base64 included, of the messages that a generation holds on to: a reference to each is kept,
so that its identity cannot become another message's."""

_Block = tuple[Sequence[Message], Estimate]
"""Messages that follow each other in a request, and what they cost in all."""


class RememberedRule:
    """A rule that knows the messages it has counted, by identity: they are never changed in place."""

    def __init__(self, rule: Rule, *, memory: int = MEMORY) -> None:
        self._rule = rule
        self.text = rule.text
        self.fixed = rule.fixed
        self._known: Recent[int, tuple[Message, Estimate]] = Recent(memory)
        self._requests: tuple[list[_Block], list[_Block]] = ([], [])

    def messages(self, messages: Sequence[Message]) -> Estimate:
        """As the rule says of those it counts together, as it says or said of each of the others.

        What one of the two requests before began with is not counted again, whole blocks of it.
        """
        if not messages:
            return ZERO
        blocks = max((_same(messages, request) for request in self._requests), key=_length)
        start = _length(blocks)
        if start < len(messages):
            rest = messages[start:]
            blocks.append((rest, self._block(rest)))
        self._requests = (blocks, self._requests[0])
        return total(cost for _, cost in blocks)

    def _block(self, block: Sequence[Message]) -> Estimate:
        cost, others = self._rule.together(block)
        return cost + total(map(self._kept, others))

    def message(self, message: Message) -> Estimate:
        """As the rule says, or said. A brief text is known sooner by its content."""
        parts = message.parts
        if len(parts) == 1 and isinstance(part := parts[0], Text) and len(part.text) <= BRIEF:
            return self._rule.message(message)
        return self._kept(message)

    def _kept(self, message: Message) -> Estimate:
        found = self._known.get(id(message))
        if found is not None and found[0] is message:
            return found[1]
        cost = self._rule.message(message)
        size = 200
        for part in message.parts:
            size += len(part.text) if isinstance(part, Text) else _size(part)
        self._known.put(id(message), (message, cost), size)
        return cost


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleTokenizer:
    """The Tokenizer port over a rule per model. A value: calibrating gives another one, with the same memory.

    body = fixed + sum of messages, corrected as one; so body <= the sum of its corrected parts.
    """

    id: str
    version: str
    unit: Unit
    rule_for: Callable[[str | None], Rule]
    """The rule of a model id; asked once for each."""
    calibration: Calibration | None = None
    learns: bool = True
    """Whether usage says anything about its counts; not of characters, messages, bytes."""
    _rules: dict[str | None, RememberedRule] = field(default_factory=dict, repr=False, compare=False)
    _views: dict[str | None, tuple[RememberedRule, Track | None]] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    @property
    def state(self) -> Sha256 | None:
        """Digest of the calibration, or None."""
        return None if self.calibration is None else self.calibration.digest

    def text(self, text: str, model: str | None = None) -> Estimate:
        """Cost of a bare text."""
        rule, track = self._views.get(model) or self._view(model)
        cost = rule.text(text)
        return cost if track is None else narrowed(cost, track)

    def message(self, message: Message, model: str | None = None) -> Estimate:
        """Cost of one message."""
        rule, track = self._views.get(model) or self._view(model)
        cost = rule.message(message)
        return cost if track is None else narrowed(cost, track)

    def body(self, conversation: Conversation, model: str | None = None) -> Estimate:
        """Cost of a request. A conversation that names a model is counted for it if the call names none."""
        model = model or conversation.model
        rule, track = self._view(model)
        cost = rule.fixed(conversation) + rule.messages(conversation.messages)
        return cost if track is None else narrowed(cost, track)

    def calibrated(self, estimated: Estimate, actual: int, model: str | None = None) -> RuleTokenizer:
        """The tokenizer that also knows what a provider counted for one request.

        Args:
            estimated: What `body` gave for the request, by this tokenizer.
            actual: The provider's input tokens for it, cached ones included, > 0.
            model: The model of the request.

        Returns:
            Another tokenizer with another `state`; this one if its counts cannot be learned.

        Raises:
            InvalidRequest: `actual` is not positive.
        """
        if not self.learns:
            return self
        before = self.calibration or Calibration()
        return replace(self, calibration=before.observe(estimated, actual, model))

    def _view(self, model: str | None) -> tuple[RememberedRule, Track | None]:
        """The rule of a model, and what is known about its counts."""
        view = self._views.get(model)
        if view is None:
            rule = self._rules.get(model)
            if rule is None:
                rule = self._rules[model] = RememberedRule(self.rule_for(model))
            learned = None if self.calibration is None or not self.learns else self.calibration.track(model)
            view = self._views[model] = (rule, learned)
        return view


def _same(messages: Sequence[Message], blocks: list[_Block]) -> list[_Block]:
    """The blocks of an earlier request, from its first on, with which the messages begin."""
    start = 0
    for at, (block, _) in enumerate(blocks):
        if len(messages) - start < len(block) or not all(map(is_, block, messages[start:])):
            return blocks[:at]
        start += len(block)
    return blocks[:]


def _length(blocks: list[_Block]) -> int:
    return sum(len(block) for block, _ in blocks)


def _size(part: Part) -> int:
    """Characters that holding on to a part holds on to, roughly."""
    match part:
        case ToolResult():
            return sum(map(_size, part.parts))
        case ToolCall():
            return len(part.arguments)
        case Media():
            return len(part.data or "")
        case Thinking():
            return len(part.text) + len(part.signature or "") + len(part.redacted or "")
        case _:
            return len(getattr(part, "text", "")) or 1000

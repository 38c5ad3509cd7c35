"""The rules by which messages and requests are counted, one class per unit of account. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from contextrail.core.json_text import Json, JsonObject, dump_text
from contextrail.core.tokens import ZERO, Estimate, exactly
from contextrail.messages.model import (
    Conversation,
    Fence,
    Media,
    Message,
    Opaque,
    Part,
    Summary,
    Text,
    Thinking,
    Tool,
    ToolCall,
    ToolResult,
)
from contextrail.messages.text import message_text, part_text
from contextrail.wire.counting import BRIEF, ExactMeasure, TextMeasure, whole
from contextrail.wire.media_cost import media_cost
from contextrail.wire.neutral_form import WIRE as NEUTRAL
from contextrail.wire.neutral_parts import encode_part
from contextrail.wire.overheads import Overhead


class Rule(Protocol):
    """How one model's requests are counted. The cost of a request is `fixed` and that of each message."""

    def text(self, text: str) -> Estimate:
        """A bare text."""
        ...

    def message(self, message: Message) -> Estimate:
        """One message with all that comes with it."""
        ...

    def together(self, messages: Sequence[Message]) -> tuple[Estimate, Sequence[Message]]:
        """What those messages cost in all that are counted sooner together than alone; and the others."""
        ...

    def fixed(self, conversation: Conversation) -> Estimate:
        """System, tools and what the request costs as a whole; its messages do not matter."""
        ...


_OPAQUE_BASE: Final = {"openai-responses": 700, "anthropic": 200}
"""Characters of encrypted reasoning that stand for no reasoning: of recorded items, by wire form."""
_OPAQUE_PER_TOKEN: Final = 4
"""Characters of encrypted reasoning per token of it, at least: 4.7 to 6.5 in recorded OpenAI items, 4.9 in
Anthropic blocks, 4.2 to 7 in Gemini signatures."""


@dataclass(frozen=True, slots=True)
class TokenRule:
    """Tokens: texts by a measure, all else by the provider's overheads and the route's media formula."""

    measure: TextMeasure | ExactMeasure
    overhead: Overhead
    media: str | None

    def text(self, text: str) -> Estimate:
        return self.measure(text)

    def message(self, message: Message) -> Estimate:
        fixed = self.overhead.message
        if message.name:
            fixed += self.overhead.name + self.measure(message.name)
        return self._parts(message.parts, fixed)

    def together(self, messages: Sequence[Message]) -> tuple[Estimate, Sequence[Message]]:
        texts: list[str] = []
        others: list[Message] = []
        calls = results = 0
        for message in messages:
            parts = message.parts
            part = parts[0] if len(parts) == 1 and not message.name else None
            if isinstance(part, Text) and len(part.text) <= BRIEF:
                texts.append(part.text)
            elif isinstance(part, ToolResult) and (text := _brief_result(part)) is not None:
                texts.append(text)
                results += 1
            elif isinstance(part, ToolCall) and len(part.arguments) <= BRIEF and not part.signature:
                texts += (part.name, part.arguments)
                calls += 1
            else:
                others.append(message)
        cost, over, said = self.measure.brief(texts), self.overhead, len(messages) - len(others)
        low = cost.low + said * over.message.low + calls * over.call.low + results * over.result.low
        high = cost.high + said * over.message.high + calls * over.call.high + results * over.result.high
        return Estimate(low, high), others

    def fixed(self, conversation: Conversation) -> Estimate:
        cost = self.overhead.base
        if conversation.system:
            cost = self._parts(conversation.system, cost + self.overhead.message)
        if conversation.tools:
            cost += self.overhead.tools
        for tool in conversation.tools:
            cost += self._tool(tool)
        return cost

    def _parts(self, parts: Iterable[Part], fixed: Estimate) -> Estimate:
        low, high = fixed.low, fixed.high
        for part in parts:
            cost = self.measure(part.text) if isinstance(part, Text) else self._part(part)
            low += cost.low
            high += cost.high
        return whole(low) if low == high else Estimate(low, high)

    def _part(self, part: Part) -> Estimate:
        match part:
            case ToolCall(name=name, arguments=arguments):
                spoken = self.overhead.call + self.measure(name) + self.measure(arguments)
                return spoken + _opaque(part.signature, None) if part.signature else spoken
            case ToolResult(parts=parts):
                return self._parts(parts, self.overhead.result)
            case Text(text=text) | Fence(text=text) | Summary(text=text):
                return self.measure(text)
            case Thinking():
                return self._thinking(part)
            case Media():
                return media_cost(part, self.media, self.measure)
            case Opaque():
                return self.measure(dump_text(part.value))

    def _thinking(self, part: Thinking) -> Estimate:
        """The text, or what the encrypted form stands for, if that is more: it holds all of the reasoning."""
        said = self.measure(part.text)
        hidden = _opaque(part.signature, part.wire) + _opaque(part.redacted, part.wire)
        return Estimate(said.low, max(said.high, hidden.high))

    def _tool(self, tool: Tool) -> Estimate:
        """A schema is sent as JSON and shown to the model in a terser form: half of it to all of it."""
        if tool.parameters is None and tool.extra is not None:
            return self.overhead.server_tool + self.measure(dump_text(tool.extra.fields))
        schema = self.measure(_tool_text(tool))
        return self.overhead.tool + Estimate(schema.low // 2, schema.high)


@dataclass(frozen=True, slots=True)
class CharacterRule:
    """Characters of each message's text divided by `per`, rounded up; the system text likewise. Tools cost nothing.

    The text is what the neutral form says: names and arguments of calls, responses of results, in
    compact JSON where they are not text. Media count as the line that describes them.
    """

    per: int

    def text(self, text: str) -> Estimate:
        return exactly(-(-len(text) // self.per))

    def message(self, message: Message) -> Estimate:
        return exactly(-(-sum(map(_neutral_length, message.parts)) // self.per))

    def together(self, messages: Sequence[Message]) -> tuple[Estimate, Sequence[Message]]:
        return ZERO, messages

    def fixed(self, conversation: Conversation) -> Estimate:
        return exactly(-(-sum(map(_neutral_length, conversation.system)) // self.per))


@dataclass(frozen=True, slots=True)
class MessageRule:
    """A flat price: `price` for each message, and for a text, which would be one. System and tools are free."""

    price: int

    def text(self, text: str) -> Estimate:  # noqa: ARG002 - as every rule
        return exactly(self.price)

    def message(self, message: Message) -> Estimate:  # noqa: ARG002 - as every rule
        return exactly(self.price)

    def together(self, messages: Sequence[Message]) -> tuple[Estimate, Sequence[Message]]:
        return exactly(self.price * len(messages)), ()

    def fixed(self, conversation: Conversation) -> Estimate:  # noqa: ARG002 - as every rule
        return ZERO


@dataclass(frozen=True, slots=True)
class ByteRule:
    """UTF-8 bytes of texts, of system and tool schemas too. Media count as the line that describes them."""

    def text(self, text: str) -> Estimate:
        return exactly(len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass")))

    def message(self, message: Message) -> Estimate:
        return self.text(message_text(message))

    def together(self, messages: Sequence[Message]) -> tuple[Estimate, Sequence[Message]]:
        return ZERO, messages

    def fixed(self, conversation: Conversation) -> Estimate:
        texts = [part_text(part) for part in conversation.system]
        texts += [_tool_text(tool) for tool in conversation.tools]
        return exactly(sum(self.text(text).low for text in texts))


def _brief_result(result: ToolResult) -> str | None:
    """The text of a result that is nothing but one brief text."""
    if len(result.parts) != 1:
        return None
    part = result.parts[0]
    return part.text if isinstance(part, Text) and len(part.text) <= BRIEF else None


def _tool_text(tool: Tool) -> str:
    shown: JsonObject = {"name": tool.name}
    if tool.description:
        shown["description"] = tool.description
    if tool.parameters is not None:
        shown["parameters"] = tool.parameters
    elif tool.extra is not None:
        shown |= tool.extra.fields
    return dump_text(shown)


def _opaque(data: str | None, wire: str | None) -> Estimate:
    """Tokens that encrypted reasoning may stand for: none if the provider drops it as old, or all of it."""
    if not data:
        return ZERO
    length = max(0, len(data) - _OPAQUE_BASE.get(wire or "", 0))
    return Estimate(0, -(-length // _OPAQUE_PER_TOKEN))


def _neutral_length(part: Part) -> int:
    """Characters of a part in a neutral message, as a reader of that message would count them."""
    match part:
        case Text(text=text) | Thinking(text=text) | Fence(text=text) | Summary(text=text):
            return len(text)
        case ToolCall():
            return len(part.name) + len(_neutral_value(encode_part(part).get("arguments")))
        case ToolResult(parts=(Text(text=text),), extra=None):
            return len(text)
        case ToolResult() if not any(isinstance(each, Media) for each in part.parts):
            return len(_neutral_value(encode_part(part).get("response")))
        case Opaque(wire=wire, value=value) if wire == NEUTRAL:
            shown = value if isinstance(value, dict) else {}
            text = next((shown[key] for key in ("content", "text") if isinstance(shown.get(key), str)), "")
            return len(text)
        case _:
            return len(part_text(part))


def _neutral_value(value: Json) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else dump_text(value)

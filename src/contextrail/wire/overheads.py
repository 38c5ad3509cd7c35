"""What a provider adds around texts: tokens for roles, calls, results, tool schemas, as intervals.

None of this is documented in full. Where a vendor or a cookbook gives a number it is taken; the rest was
fitted to recorded usage: requests that differ by one call and its result, or by one message.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from contextrail.core.tokens import ZERO, Estimate, exactly

_SERVER_TOOL: Final = Estimate(0, 3500)
"""Recorded first requests with one server tool: 1,594 to 3,443 tokens beside their text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Overhead:
    """Tokens beside the texts of a request."""

    base: Estimate = ZERO
    """Of the request as a whole."""
    message: Estimate = ZERO
    """Of each message, its role included."""
    name: Estimate = ZERO
    """Of a speaker's name, beside its text."""
    call: Estimate = ZERO
    """Of a tool call, beside its name and arguments."""
    result: Estimate = ZERO
    """Of a tool result, beside its content."""
    tools: Estimate = ZERO
    """Once, if the request has any tool."""
    tool: Estimate = ZERO
    """Of each tool, beside its name, description and schema."""
    server_tool: Estimate = _SERVER_TOOL
    """Of each tool that the provider runs itself: it brings instructions that the body does not show."""


_OPENAI: Final = Overhead(
    base=Estimate(2, 3),
    message=exactly(4),
    name=exactly(1),
    call=exactly(7),
    result=exactly(7),
    tools=Estimate(0, 76),
    tool=Estimate(0, 8),
)
"""Base 3, message (3 and its role) and name: OpenAI cookbook, "How to count tokens with tiktoken"; exact in
recorded requests to gpt-4o-mini, one less to GPT-5 models. A call and its result: 27 tokens in an exchange
with gpt-5.6, of which 5 are text and 8 two messages. Tools: 80 more where gpt-5-mini is asked by the chat
form, none by the other."""

_CLAUDE: Final = Overhead(
    base=Estimate(3, 38),
    message=Estimate(1, 5),
    call=Estimate(30, 45),
    result=Estimate(15, 25),
    tools=Estimate(300, 650),
    tool=Estimate(15, 60),
)
"""Tools: 346 with automatic choice, by the vendor's tool use page; 390 to 640 in recorded requests. A call
and its result: 60, and 2.7 per message, by least squares over 418 requests with Sonnet 4.5. Base and
message agree with npm `ai-tokenizer` (6 and 2); recorded requests with thinking enabled have 28 more."""

OVERHEADS: Final[dict[str, Overhead]] = {
    "o200k": _OPENAI,
    "cl100k": _OPENAI,
    "claude": _CLAUDE,
    "claude-new": _CLAUDE,
    "gemini": Overhead(
        base=Estimate(0, 3),
        message=Estimate(0, 4),
        call=Estimate(3, 15),
        result=Estimate(3, 15),
        tools=Estimate(0, 30),
        tool=Estimate(0, 20),
    ),
    "deepseek": Overhead(
        base=Estimate(1, 5),
        message=Estimate(1, 8),
        call=Estimate(8, 45),
        result=Estimate(4, 25),
        tools=Estimate(60, 400),
        tool=Estimate(0, 20),
    ),
    "qwen": Overhead(
        base=Estimate(2, 6),
        message=Estimate(4, 6),
        call=Estimate(8, 25),
        result=Estimate(4, 12),
        tools=Estimate(60, 250),
        tool=Estimate(0, 10),
    ),
    "unknown": Overhead(
        base=Estimate(0, 10),
        message=Estimate(0, 8),
        name=Estimate(0, 1),
        call=Estimate(3, 45),
        result=Estimate(3, 25),
        tools=Estimate(0, 650),
        tool=Estimate(0, 60),
    ),
}
"""By encoding or family. Gemini and DeepSeek from recorded exchanges, Qwen from the ChatML template, unknown
from the widest of all."""

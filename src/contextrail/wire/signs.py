"""Telling Anthropic Messages and OpenAI Chat Completions apart: both call their list `messages`.

What decides are names that only one of the two uses. Where nothing decides, a body is more likely
Chat Completions, which many vendors speak.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, Literal

from contextrail.core.json_text import Json, JsonObject

Form = Literal["anthropic", "openai-chat"]

_FIELDS: Final[dict[Form, frozenset[str]]] = {
    "anthropic": frozenset(
        {"system", "stop_sequences", "anthropic_version", "anthropic_beta", "mcp_servers", "container"}
    ),
    "openai-chat": frozenset(
        {
            "frequency_penalty",
            "functions",
            "logprobs",
            "max_completion_tokens",
            "n",
            "presence_penalty",
            "prompt_cache_key",
            "reasoning_effort",
            "response_format",
            "stop",
            "stream_options",
        }
    ),
}
_MESSAGE_FIELDS: Final = frozenset(
    {"tool_calls", "tool_call_id", "function_call", "reasoning_content", "reasoning_details", "refusal"}
)
_ROLES: Final = frozenset({"developer", "tool", "function"})
_BLOCKS: Final[dict[Form, frozenset[str]]] = {
    "anthropic": frozenset(
        {"tool_use", "tool_result", "thinking", "redacted_thinking", "server_tool_use", "document", "image"}
    ),
    "openai-chat": frozenset({"image_url", "input_audio", "file", "refusal", "video_url"}),
}
_TOOLS: Final[dict[Form, frozenset[str]]] = {
    "anthropic": frozenset({"input_schema"}),
    "openai-chat": frozenset({"function", "custom"}),
}


def sureness(body: JsonObject, form: Form) -> float:
    """How sure it is that a body is in `form`, in [0, 1]; 0 without an array `messages`."""
    messages = body.get("messages")
    if not isinstance(messages, list):
        return 0.0
    found = next(_signs(body, messages), None)
    if found is not None:
        return 0.95 if found == form else 0.05
    model = body.get("model")
    claude = isinstance(model, str) and "claude" in model and "/" not in model
    leans: Form = "anthropic" if claude and not _opens_with_system(messages) else "openai-chat"
    return 0.7 if leans == form else 0.3


def _signs(body: JsonObject, messages: list[Json]) -> Iterator[Form]:
    """Every sign of one of the two forms, the cheapest to find first."""
    for form, names in _FIELDS.items():
        if not body.keys().isdisjoint(names):
            yield form
    tools = body.get("tools")
    for tool in tools if isinstance(tools, list) else ():
        for form, names in _TOOLS.items():
            if isinstance(tool, dict) and not tool.keys().isdisjoint(names):
                yield form
    for message in messages:
        if isinstance(message, dict):
            yield from _signs_of(message)


def _signs_of(message: JsonObject) -> Iterator[Form]:
    if not message.keys().isdisjoint(_MESSAGE_FIELDS) or _word(message.get("role")) in _ROLES:
        yield "openai-chat"
    content = message.get("content")
    for block in content if isinstance(content, list) else ():
        kind = _word(block.get("type")) if isinstance(block, dict) else ""
        for form, kinds in _BLOCKS.items():
            if kind in kinds:
                yield form


def _word(value: Json) -> str:
    return value if isinstance(value, str) else ""


def _opens_with_system(messages: list[Json]) -> bool:
    return bool(messages) and isinstance(messages[0], dict) and messages[0].get("role") == "system"

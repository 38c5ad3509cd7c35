"""Fields and items that a provider does not know, and refuses for that: what hosts keep beside what was said."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from contextrail.core.json_text import JsonObject
from contextrail.wire.checks_openai_vendors import openai_model
from contextrail.wire.finding import Flaw, Flaws, Path, Request, objects, shown, text
from contextrail.wire.target import Provider

RULE: Final = "field-unknown"

_MESSAGE: Final = frozenset({"role", "content"})
_SYSTEM: Final = _MESSAGE | {"output_config"}
"""What a system message among the others may set besides."""
_MARKED: Final = frozenset({"type", "cache_control"})
_BLOCKS: Final[Mapping[str, frozenset[str]]] = {
    "text": _MARKED | {"text", "citations"},
    "image": _MARKED | {"source"},
    "document": _MARKED | {"source", "title", "context", "citations"},
    "tool_use": _MARKED | {"id", "name", "input", "caller"},
    "tool_result": _MARKED | {"tool_use_id", "content", "is_error"},
    "thinking": frozenset({"type", "thinking", "signature"}),
    "redacted_thinking": frozenset({"type", "data"}),
}
"""Fields of the blocks whose form has not changed for years; of other blocks nothing is said."""

_CHAT: Final = frozenset(
    {
        "role", "content", "name", "tool_calls", "tool_call_id", "function_call", "refusal", "audio", "annotations",
        "reasoning", "reasoning_content", "reasoning_details",
    }
)  # fmt: skip
"""What answers of Chat Completions carry, and vendors' reasoning, which is lowered or has rules of its own."""
_MISTRAL: Final = _CHAT | {"prefix"}

_RESPONSES: Final = frozenset({"type", "role", "content", "id", "status", "phase"})
"""Fields of a message among Responses items."""
ITEMS: Final = frozenset(
    {
        "message", "function_call", "function_call_output", "reasoning", "item_reference", "compaction",
        "compaction_summary", "compaction_trigger", "custom_tool_call", "custom_tool_call_output", "web_search_call",
        "file_search_call", "computer_call", "computer_call_output", "image_generation_call", "code_interpreter_call",
        "local_shell_call", "local_shell_call_output", "shell_call", "shell_call_output", "apply_patch_call",
        "apply_patch_call_output", "mcp_list_tools", "mcp_approval_request", "mcp_approval_response", "mcp_call",
        "tool_search_call", "tool_search_output", "program", "program_output",
    }
)  # fmt: skip
"""Types of items that the API names."""

_GEMINI: Final = frozenset({"role", "parts"})


def check_fields(request: Request) -> Flaws:
    """Every field and item of a message that the provider does not know."""
    yield from _CHECKS[request.provider](request)


def _others(value: JsonObject, known: frozenset[str], path: Path, what: str) -> Flaws:
    if not value.keys() <= known:
        for name in value:
            if name not in known:
                yield Flaw(RULE, (*path, name), f"{what} has no field {shown(name)}")


def _anthropic(request: Request) -> Flaws:
    for at, message in objects(request.body.get("messages")):
        path: Path = ("messages", at)
        known = _SYSTEM if message.get("role") == "system" else _MESSAGE
        yield from _others(message, known, path, "a message")
        yield from _known_blocks(message.get("content"), (*path, "content"))


def _known_blocks(content: object, path: Path) -> Flaws:
    for index, block in objects(content):
        kind = text(block.get("type"))
        known = _BLOCKS.get(kind)
        if known is not None:
            yield from _others(block, known, (*path, index), f"a block of type {kind}")
            if kind == "tool_result":
                yield from _known_blocks(block.get("content"), (*path, index, "content"))


def _openai_chat(request: Request) -> Flaws:
    strict = request.profile is None and openai_model(request.model)
    if not strict and request.profile != "mistral":
        return
    known = _CHAT if strict else _MISTRAL
    for at, message in objects(request.body.get("messages")):
        yield from _others(message, known, ("messages", at), "a message")


def _openai_responses(request: Request) -> Flaws:
    if request.profile is not None or not openai_model(request.model):
        return
    for at, item in objects(request.body.get("input")):
        kind = text(item.get("type")) or "message"
        if kind not in ITEMS:
            yield Flaw("item-unknown", ("input", at), f"no item is of type {shown(kind)}")
        elif kind == "message":
            yield from _others(item, _RESPONSES, ("input", at), "a message")


def _gemini(request: Request) -> Flaws:
    for at, content in objects(request.body.get("contents")):
        yield from _others(content, _GEMINI, ("contents", at), "a content")


_CHECKS: Final[Mapping[Provider, Callable[[Request], Flaws]]] = {
    "anthropic": _anthropic,
    "openai-chat": _openai_chat,
    "openai-responses": _openai_responses,
    "gemini": _gemini,
}

"""Messages of pi and its relatives: blocks of their own, or those of Anthropic."""

from __future__ import annotations

from typing import Final

from contextrail.core.digest import text_digest
from contextrail.core.errors import InvalidRequest
from contextrail.core.ids import CallId
from contextrail.core.json_text import Json, JsonObject, dump_text, parse
from contextrail.core.timestamps import read_timestamp
from contextrail.messages.identity import content_id
from contextrail.messages.model import (
    Fence,
    Media,
    Message,
    Opaque,
    Origin,
    Part,
    Role,
    Summary,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
    Wire,
)
from contextrail.transcripts.notes import Notes, objects_in, word
from contextrail.wire.anthropic import read_message as read_anthropic
from contextrail.wire.media import media_from_base64
from contextrail.wire.openai_responses_items import read_item

WIRE: Final = "pi"
SPOKEN: Final = frozenset(
    {
        "assistant", "bashExecution", "branchSummary", "compactionSummary", "custom", "hookMessage", "system",
        "toolResult", "user",
    }
)  # fmt: skip
"""Roles of messages."""

_ROLES: Final[dict[str, Role]] = {"user": "user", "assistant": "assistant", "system": "system"}
_WIRES: Final[dict[str, Wire]] = {
    "anthropic-messages": "anthropic",
    "openai-responses": "openai-responses",
    "openai-codex-responses": "openai-responses",
    "azure-openai-responses": "openai-responses",
    "openai-completions": "openai-chat",
    "google-generative-ai": "gemini",
    "google-gemini-cli": "gemini",
    "google-vertex": "gemini",
}
"""What pi calls the form of a provider (`api` of a reply)."""
_FOREIGN: Final = frozenset({"tool_use", "tool_result", "server_tool_use", "redacted_thinking"})
"""Blocks that Anthropic's form has and pi's has not."""


def read_spoken(message: JsonObject, position: int, at: Origin, notes: Notes) -> tuple[Message, ...]:
    """The messages that the record of a message is; none if it says nothing to the model."""
    role = message.get("role")
    content = message.get("content")
    when = read_timestamp(message.get("timestamp"))
    ident = content_id(position, message)
    parts: tuple[Part, ...]
    match role:
        case "user" | "assistant" if _FOREIGN & {word(block.get("type")) for block in objects_in(content)}:
            return read_anthropic({"role": role, "content": content}, position)
        case "user" | "assistant" | "system":
            parts = _blocks(content, message, at, notes)
            said = Message(id=ident, role=_ROLES[role], parts=parts, timestamp=when)
        case "toolResult":
            said = Message(
                id=ident, role="tool", parts=(_result(message, content, at, notes),), timestamp=when
            )
        case "branchSummary" | "compactionSummary":
            text = word(message.get("summary"))
            parts = () if text is None else (Summary(text=text),)
            said = Message(id=ident, role="user", parts=parts, timestamp=when)
        case "custom" | "hookMessage":
            parts = spoken_by_host(content, word(message.get("customType")) or "custom")
            said = Message(id=ident, role="user", parts=parts, timestamp=when)
        case "bashExecution":
            said = Message(id=ident, role="user", parts=_executed(message), timestamp=when)
        case _:
            notes.unknown(word(role) or "?", "messages", at)
            return ()
    return (said,) if said.parts else ()


def spoken_by_host(content: Json, family: str) -> tuple[Fence | Media, ...]:
    """Content that nobody said: its texts as fences, its images as they are."""
    if isinstance(content, str):
        return (Fence(family=family, text=content),) if content else ()
    found: list[Fence | Media] = []
    for block in objects_in(content):
        if isinstance(block.get("text"), str):
            found.append(Fence(family=family, text=block["text"]))
        elif (image := _image(block)) is not None:
            found.append(image)
    return tuple(found)


def _executed(message: JsonObject) -> tuple[Part, ...]:
    """A command that the user ran beside the conversation, unless it was kept out of it."""
    command = message.get("command")
    if message.get("excludeFromContext") is True or not isinstance(command, str):
        return ()
    output = message.get("output")
    text = f"$ {command}\n{output}" if isinstance(output, str) else f"$ {command}"
    return (Fence(family="bash-execution", text=text),)


def _result(message: JsonObject, content: Json, at: Origin, notes: Notes) -> ToolResult:
    parts = tuple(
        part for part in _blocks(content, message, at, notes) if isinstance(part, (Text, Media, Opaque))
    )
    return ToolResult(
        call_id=CallId(word(message.get("toolCallId")) or ""),
        name=word(message.get("toolName")),
        parts=parts,
        status="error" if message.get("isError") is True else "ok",
    )


def _blocks(content: Json, message: JsonObject, at: Origin, notes: Notes) -> tuple[Part, ...]:
    if isinstance(content, str):
        return (Text(text=content),) if content else ()
    if content is not None and not isinstance(content, list):
        notes.note("no-content", "warning", "a message without readable content", at)
    return tuple(_block(block, message, at, notes) for block in objects_in(content))


def _block(block: JsonObject, message: JsonObject, at: Origin, notes: Notes) -> Part:
    kind = word(block.get("type")) or "?"
    found: Part | None = None
    match kind:
        case "text" if isinstance(block.get("text"), str):
            found = Text(text=block["text"])
        case "image":
            found = _image(block)
        case "thinking" if isinstance(block.get("thinking"), str):
            found = _thinking(block, message)
        case "toolCall" if isinstance(block.get("name"), str):
            found = ToolCall(
                call_id=CallId(word(block.get("id")) or ""),
                name=block["name"],
                arguments=dump_text(block.get("arguments") or {}),
                signature=word(block.get("thoughtSignature")),
            )
    if found is None:
        notes.unknown(kind, "blocks", at)
        return Opaque(wire=WIRE, kind=kind, value=block)
    return found


def _image(block: JsonObject) -> Media | None:
    data, mime = block.get("data"), block.get("mimeType")
    if not isinstance(data, str):
        return None
    return media_from_base64("image", mime if isinstance(mime, str) else None, data)


def _thinking(block: JsonObject, message: JsonObject) -> Thinking:
    """Reasoning with its proof, which means something else for each provider.

    For Responses it is the whole reasoning item as JSON, for Chat Completions the name of the field that
    the reasoning stood in, for the others a signature; of redacted reasoning it is the data.
    """
    text, proof = block["thinking"], word(block.get("thinkingSignature"))
    wire = _WIRES.get(word(message.get("api")) or "")
    model = word(message.get("model"))
    if proof is None or wire == "openai-chat":
        return Thinking(text=text, wire=wire, model=model)
    if wire == "openai-responses":
        return _reasoning_item(proof, model) or Thinking(text=text, wire=wire, model=model)
    if block.get("redacted") is True:
        return Thinking(text=text, redacted=proof, wire=wire, model=model)
    return Thinking(text=text, signature=proof, wire=wire, model=model, bound=text_digest(text))


def _reasoning_item(text: str, model: str | None) -> Thinking | None:
    try:
        item = parse(text, place="a reasoning item")
    except InvalidRequest:
        return None
    if not isinstance(item, dict) or item.get("type") != "reasoning":
        return None
    (part,) = read_item(item, 0).parts
    if not isinstance(part, Thinking):
        return None
    return Thinking(text=part.text, redacted=part.redacted, wire=part.wire, model=model, extra=part.extra)

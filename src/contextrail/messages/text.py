"""The text of a part or message, as a reader would see it."""

from __future__ import annotations

from contextrail.core.json_text import dump_text
from contextrail.messages.model import (
    Fence,
    Media,
    Message,
    Opaque,
    Part,
    Summary,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
)


def part_text(part: Part) -> str:
    """What the model reads of a part: names and arguments of calls included, media by description only."""
    match part:
        case Text(text=text) | Thinking(text=text) | Fence(text=text) | Summary(text=text):
            return text
        case ToolCall():
            return f"{part.name} {part.arguments}"
        case ToolResult():
            return "\n".join(map(part_text, part.parts))
        case Media():
            return describe_media(part)
        case Opaque():
            return dump_text(part.value)


def message_text(message: Message) -> str:
    """The texts of all parts, one after another, a line break between."""
    return "\n".join(map(part_text, message.parts))


def describe_media(media: Media) -> str:
    """A line that stands for media where they cannot be sent."""
    facts = [media.media_type or media.kind]
    if media.name:
        facts.append(media.name)
    if media.size_bytes is not None:
        facts.append(f"{media.size_bytes} bytes")
    if media.digest:
        facts.append(f"sha256 {media.digest[:12]}")
    if media.reference and not media.reference.startswith("data:"):
        facts.append(media.reference)
    return f"[{media.kind}: {', '.join(facts)}]"

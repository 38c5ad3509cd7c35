"""Parts of messages, put so that the target can read them; what cannot be expressed becomes text, recorded."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Final

from contextrail.core.digest import text_digest
from contextrail.core.ids import MessageId
from contextrail.core.json_text import Json, dump_text
from contextrail.messages.decision import Decision
from contextrail.messages.model import (
    EMPTY_REPLAY,
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
from contextrail.messages.text import describe_media
from contextrail.wire.dialects import DIALECTS, Dialect
from contextrail.wire.target import Target

STEP: Final = "lower"
Note = Callable[..., None]

ANTHROPIC_IMAGES: Final = frozenset({"image/jpeg", "image/png", "image/gif", "image/webp"})


@dataclass(slots=True)
class Notes:
    """Decisions taken while lowering, in order."""

    taken: list[Decision] = field(default_factory=list)

    def changed(self, message: MessageId | None, reason: str, **detail: Json) -> None:
        """Write down one change of one message, or of the request as a whole (None)."""
        self.taken.append(
            Decision(message=message, verdict="changed", step=STEP, reason=reason, detail=dict(detail))
        )

    def dropped(self, message: MessageId, reason: str, **detail: Json) -> None:
        """Write down a message that had nothing left."""
        self.taken.append(
            Decision(message=message, verdict="dropped", step=STEP, reason=reason, detail=dict(detail))
        )

    def added(self, message: MessageId, reason: str, **detail: Json) -> None:
        """Write down a message that the target's rules ask for."""
        self.taken.append(
            Decision(message=message, verdict="added", step=STEP, reason=reason, detail=dict(detail))
        )


def lower_parts(message: Message, target: Target, notes: Notes) -> Message:
    """The message with parts the target can read; the same object where nothing changes."""
    dialect = DIALECTS[target.provider]
    parts: list[Part] = []
    for part in message.parts:
        parts.extend(_lower_part(part, message, target, dialect, notes))
    if len(parts) == len(message.parts) and all(map(_same, parts, message.parts)):
        return message
    return replace(message, parts=tuple(parts))


def _same(left: Part, right: Part) -> bool:
    return left is right


def _lower_part(part: Part, message: Message, target: Target, dialect: Dialect, notes: Notes) -> list[Part]:
    match part:
        case Text() | Fence() | Summary():
            return _text(part, message, dialect, notes)
        case Thinking():
            return _thinking(part, message, target, notes)
        case ToolCall():
            return [_call(part, message, target, notes)]
        case ToolResult():
            return [_result(part, message, target, notes)]
        case Media():
            allowed = dialect.user_media if message.role == "user" else frozenset()
            return [_media(part, allowed, message, target, notes)]
        case Opaque():
            return [_opaque(part, message, target, notes)]


def _text(part: Text | Fence | Summary, message: Message, dialect: Dialect, notes: Notes) -> list[Part]:
    text = whole_text(part.text)
    if text != part.text:
        notes.changed(message.id, "lone-surrogate")
    blank = not text.strip() and not dialect.blank_text
    if blank or (not text and len(message.parts) > 1):
        notes.changed(message.id, "blank-text")
        return []
    return [part if text == part.text else replace(part, text=text)]


def _thinking(part: Thinking, message: Message, target: Target, notes: Notes) -> list[Part]:
    if part.wire == EMPTY_REPLAY and target.provider == "openai-chat":
        return [replace(part, wire=target.provider)]  # only this form has a field that may be there and empty
    reason = _unfit(part, message, target)
    if reason is None:
        return [part]
    notes.changed(message.id, reason, wire=part.wire)
    return []


def _unfit(part: Thinking, message: Message, target: Target) -> str | None:
    """Why this reasoning may not go to that target; None if it may."""
    if message.role != "assistant":
        return "misplaced-thinking"
    if part.wire != target.provider:
        return "thinking-of-another-provider"
    if part.bound is not None and part.bound != text_digest(part.text):
        return "thinking-altered"
    if whole_text(part.text) != part.text:
        return "lone-surrogate"
    if target.provider == "anthropic" and not (part.signature or part.redacted):
        return "thinking-without-signature"
    return None


def _call(part: ToolCall, message: Message, target: Target, notes: Notes) -> ToolCall:
    arguments = part.arguments
    if whole_text(arguments) != arguments or "\\ud" in arguments.lower():
        arguments = _whole_arguments(arguments)
    if not _is_object(arguments):
        arguments = dump_text({"raw_arguments": arguments})
    if arguments == part.arguments:
        return part
    reason = "arguments-not-an-object" if not _is_object(part.arguments) else "lone-surrogate"
    notes.changed(message.id, reason, call=part.call_id)
    return replace(part, arguments=arguments)


def _whole_arguments(arguments: str) -> str:
    """The same JSON text without lone surrogates, escaped ones included; unchanged if there are none."""
    try:
        value = json.loads(arguments)
    except (ValueError, RecursionError):
        return whole_text(arguments)
    cleaned = whole_value(value)
    return arguments if cleaned == value and whole_text(arguments) == arguments else dump_text(cleaned)


def _is_object(arguments: str) -> bool:
    try:
        return isinstance(json.loads(arguments, parse_constant=_no_constant), dict)
    except (ValueError, RecursionError):
        return False


def _no_constant(word: str) -> None:
    raise ValueError(word)


def _result(part: ToolResult, message: Message, target: Target, notes: Notes) -> ToolResult:
    allowed = DIALECTS[target.provider].result_media
    inner: list[Text | Media | Opaque] = []
    for each in part.parts:
        match each:
            case Text(text=text):
                whole = whole_text(text)
                if whole != text:
                    notes.changed(message.id, "lone-surrogate", call=part.call_id)
                if target.provider == "anthropic" and not whole.strip() and len(part.parts) > 1:
                    notes.changed(message.id, "blank-text", call=part.call_id)
                    continue
                inner.append(each if whole == text else replace(each, text=whole))
            case Media():
                inner.append(_media(each, allowed, message, target, notes))
            case Opaque():
                inner.append(_opaque(each, message, target, notes))
    same = len(inner) == len(part.parts) and all(a is b for a, b in zip(inner, part.parts, strict=True))
    return part if same else replace(part, parts=tuple(inner))


def _media(
    part: Media, allowed: frozenset[str], message: Message, target: Target, notes: Notes
) -> Media | Text:
    """Media where the target takes them, else a line that describes them."""
    native = part.extra is not None and part.extra.wire == target.provider
    known = part.data is not None or part.reference is not None
    fits = target.provider != "anthropic" or _anthropic_takes(part)
    if part.kind in allowed and (native or (known and fits)):
        return part
    notes.changed(message.id, "media-as-text", kind=part.kind, media_type=part.media_type)
    return Text(text=whole_text(describe_media(part)))


def _anthropic_takes(part: Media) -> bool:
    if part.kind == "image":
        return part.media_type in ANTHROPIC_IMAGES or (part.data is None and part.reference is not None)
    return part.media_type in {"application/pdf", "text/plain"} or part.data is None


def _opaque(part: Opaque, message: Message, target: Target, notes: Notes) -> Opaque | Text:
    if part.wire == target.provider:
        value = whole_value(part.value)
        if value != part.value:
            notes.changed(message.id, "lone-surrogate", kind=part.kind)
            return replace(part, value=value)
        return part
    notes.changed(message.id, "block-as-text", kind=part.kind, wire=part.wire)
    return Text(text=whole_text(dump_text(part.value)))


def whole_text(text: str) -> str:
    """The text with each lone surrogate replaced by U+FFFD."""
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def whole_value(value: Json) -> Json:
    """A JSON value with the same done to every string in it, keys included."""
    match value:
        case str():
            return whole_text(value)
        case list():
            return [whole_value(each) for each in value]
        case dict():
            return {whole_text(key): whole_value(each) for key, each in value.items()}
        case _:
            return value

"""Parts of messages, put so that the target can read them; what cannot be expressed becomes text, recorded.

Parts of messages that were read from the target's own wire form are left as they are, but for
reasoning: whether they are legal is for the linter to say, and for `repair` to mend.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from typing import Final

from contextrail.core.digest import text_digest
from contextrail.core.errors import InvalidRequest
from contextrail.core.ids import MessageId
from contextrail.core.json_text import Json, JsonObject, deeper_than, dump_text, parse
from contextrail.messages.decision import Decision, Verdict
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
from contextrail.wire.checks_media import IMAGES
from contextrail.wire.dialects import Aim
from contextrail.wire.media import decode_base64, is_url, text_of, type_of_url

STEP: Final = "lower"
DEEPEST: Final = 100
"""Nesting of arguments that are put into a body; with what is around them they stay far from its own limit."""

UNREAD: Final = frozenset(
    {"image/svg+xml", "application/octet-stream", "application/zip", "application/msword"}
)
"""Media types that Gemini refuses; see the rule gemini.media-type."""

NO_ERROR_TEXT: Final = "[the error came without a text]"


@dataclass(slots=True)
class Notes:
    """Decisions taken while lowering, in order; the same thing done twice to a message is one decision."""

    taken: list[Decision] = field(default_factory=list)
    _known: dict[tuple[MessageId | None, str, str], int] = field(default_factory=dict)

    def changed(self, message: MessageId | None, reason: str, **detail: Json) -> None:
        """Write down one change of one message, or of the request as a whole (None)."""
        self._add(message, "changed", reason, detail)

    def dropped(self, message: MessageId, reason: str, **detail: Json) -> None:
        """Write down a message that had nothing left."""
        self._add(message, "dropped", reason, detail)

    def added(self, message: MessageId, reason: str, **detail: Json) -> None:
        """Write down a message that the target's rules ask for."""
        self._add(message, "added", reason, detail)

    def _add(self, message: MessageId | None, verdict: Verdict, reason: str, detail: JsonObject) -> None:
        key = (message, verdict, reason)
        at = None if message is None else self._known.get(key)
        if at is None:
            self._known[key] = len(self.taken)
            self.taken.append(
                Decision(message=message, verdict=verdict, step=STEP, reason=reason, detail=detail)
            )
        else:
            before = self.taken[at]
            times = before.detail.get("times", 1) + 1
            self.taken[at] = before._replace(detail={**before.detail, "times": times})


def lower_parts(message: Message, aim: Aim, notes: Notes) -> Message:
    """The message with parts the target can read; the same object where nothing changes."""
    native = aim.native(message)
    if native and not any(type(part) is Thinking for part in message.parts):
        return message
    parts: list[Part] = []
    for part in message.parts:
        if isinstance(part, Thinking):
            parts.extend(_thinking(part, message, aim, notes))
        elif native:
            parts.append(part)
        else:
            parts.extend(_lower_part(part, message, aim, notes))
    if len(parts) == len(message.parts) and all(map(_same, parts, message.parts)):
        return message
    return replace(message, parts=tuple(parts))


def _same(left: Part, right: Part) -> bool:
    return left is right


def _lower_part(part: Part, message: Message, aim: Aim, notes: Notes) -> list[Part]:
    match part:
        case Text() | Fence() | Summary():
            return _text(part, message, aim, notes)
        case ToolCall():
            return [_call(part, message, aim, notes)]
        case ToolResult():
            return [_result(part, message, aim, notes)]
        case Media():
            allowed = aim.dialect.user_media if message.role == "user" else frozenset()
            return [_media(part, allowed, message, aim, notes)]
        case Opaque():
            return [_opaque(part, message, aim, notes)]
        case Thinking():
            return _thinking(part, message, aim, notes)


def _text(part: Text | Fence | Summary, message: Message, aim: Aim, notes: Notes) -> list[Part]:
    text = whole_text(part.text)
    if text != part.text:
        notes.changed(message.id, "lone-surrogate")
    if aim.provider == "gemini" and aim.native(message) and len(message.parts) == 1:
        return [
            part if text == part.text else replace(part, text=text)
        ]  # a user who says nothing is accepted there
    blank = not text.strip() and not aim.dialect.blank_text
    if blank or (not text and len(message.parts) > 1):
        notes.changed(message.id, "blank-text")
        return []
    return [part if text == part.text else replace(part, text=text)]


# Reasoning


def _thinking(part: Thinking, message: Message, aim: Aim, notes: Notes) -> list[Part]:
    if part.wire == EMPTY_REPLAY and aim.target.provider == "openai-chat":
        return [
            replace(part, wire=aim.target.provider)
        ]  # only this form has a field that may be there and empty
    reason = unfit(part, message, aim)
    if reason is None:
        return [part]
    notes.changed(message.id, reason, wire=part.wire)
    return []


def unfit(part: Thinking, message: Message, aim: Aim) -> str | None:
    """Why this reasoning may not go to that target; None if it may."""
    if message.role != "assistant":
        return "misplaced-thinking"
    if part.wire != aim.provider:
        return "thinking-of-another-provider"
    if aim.target.profile == "mistral":
        return "thinking-refused"  # it takes no field for reasoning
    if aim.provider != "anthropic" and altered(part):  # there it is a matter of the whole turn
        return "thinking-altered"
    if whole_text(part.text) != part.text:
        return "lone-surrogate"
    if aim.provider == "anthropic":
        redacted = part.redacted is not None and not part.text and part.signature is None
        if not (part.redacted if redacted else part.signature):
            return "thinking-without-signature"
    return None


def altered(part: Thinking) -> bool:
    """Whether its text is another one than its signature was given for."""
    return part.bound is not None and part.bound != text_digest(part.text)


# Calls and results


def _call(part: ToolCall, message: Message, aim: Aim, notes: Notes) -> ToolCall:
    arguments, reason = fit_arguments(part.arguments, inside=aim.dialect.arguments_inside)
    if reason is None:
        return part
    notes.changed(message.id, reason, call=part.call_id)
    return replace(part, arguments=arguments)


def fit_arguments(arguments: str, *, inside: bool) -> tuple[str, str | None]:
    """Arguments that are the text of a JSON object, and why they were changed; None if they were not.

    What a model wrote that is no JSON object is kept word for word in an object of one field.

    Args:
        arguments: As a model wrote them.
        inside: They will be part of a body's JSON, so they must also be strict, whole and not too deep.
    """
    if not arguments.strip():
        return "{}", None if arguments == "{}" else "arguments-empty"
    try:
        value = parse(arguments, place="arguments") if inside else json.loads(arguments)
    except (InvalidRequest, ValueError, RecursionError):
        value = None
    if isinstance(value, str) and _is_object(value):
        return fit_arguments(value, inside=inside)[0], "arguments-written-twice"
    if not isinstance(value, dict) or (inside and deeper_than(value, DEEPEST)):
        return dump_text({"raw_arguments": whole_text(arguments)}), "arguments-not-an-object"
    cleaned = whole_value(value) if inside else value
    if cleaned != value:
        return dump_text(cleaned), "lone-surrogate"
    whole = whole_text(arguments)
    return whole, None if whole == arguments else "lone-surrogate"


def _is_object(text: str) -> bool:
    try:
        return isinstance(json.loads(text), dict)
    except (ValueError, RecursionError):
        return False


def _result(part: ToolResult, message: Message, aim: Aim, notes: Notes) -> ToolResult:
    inner: list[Text | Media | Opaque] = []
    for each in part.parts:
        match each:
            case Text(text=text):
                whole = whole_text(text)
                if whole != text:
                    notes.changed(message.id, "lone-surrogate", call=part.call_id)
                if aim.provider == "anthropic" and not whole.strip() and len(part.parts) > 1:
                    notes.changed(message.id, "blank-text", call=part.call_id)
                    continue
                inner.append(each if whole == text else replace(each, text=whole))
            case Media():
                inner.append(_media(each, aim.dialect.result_media, message, aim, notes))
            case Opaque():
                inner.append(_opaque(each, message, aim, notes))
    silent = not inner or (len(inner) == 1 and isinstance(inner[0], Text) and not inner[0].text)
    if aim.provider == "anthropic" and part.status == "error" and silent:
        notes.changed(message.id, "error-without-text", call=part.call_id)
        inner = [Text(text=NO_ERROR_TEXT)]
    same = len(inner) == len(part.parts) and all(a is b for a, b in zip(inner, part.parts, strict=True))
    return part if same else replace(part, parts=tuple(inner))


# Media and blocks of others


def _media(part: Media, allowed: frozenset[str], message: Message, aim: Aim, notes: Notes) -> Media | Text:
    """Media where the target takes them, else a line that describes them."""
    if part.kind in allowed and aim.wrote(part.extra):
        return part
    if part.kind in allowed and _fits(part, aim):
        if aim.provider == "gemini" and part.media_type is None and part.data is None:
            part = replace(part, media_type=type_of_url(part.reference or "", part.kind))
            notes.changed(message.id, "media-type-guessed", media_type=part.media_type)
        if part.data is None or part.reference is None or is_url(part.reference):
            return part
        return replace(part, reference=None)  # another provider's id of an upload, and the bytes are here
    notes.changed(message.id, "media-as-text", kind=part.kind, media_type=part.media_type)
    return Text(text=whole_text(describe_media(part)))


def _fits(part: Media, aim: Aim) -> bool:
    """Whether the target reads media of that type, and can get at them: by bytes or by a URL."""
    if part.data is None:
        return part.reference is not None and is_url(part.reference) and part.reference[:5].lower() != "data:"
    if not part.data or (part.digest is None and not decode_base64(part.data)):
        return False
    if part.kind == "image" and aim.provider != "gemini":
        return part.media_type in IMAGES
    if aim.provider == "anthropic":
        return part.media_type == "application/pdf" or text_of(part) is not None
    return part.media_type is not None and part.media_type not in UNREAD


def _opaque(part: Opaque, message: Message, aim: Aim, notes: Notes) -> Opaque | Text:
    if part.wire == aim.provider:
        return part
    notes.changed(message.id, "block-as-text", kind=part.kind, wire=part.wire)
    return Text(text=whole_text(dump_text(part.value)))


# Text that is whole


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
    """A JSON value with the same done to every string in it, keys included; no field is lost over it."""
    match value:
        case str():
            return whole_text(value)
        case list():
            return [whole_value(each) for each in value]
        case dict():
            out: JsonObject = {}
            for key, each in value.items():
                name = whole_text(key)
                while name != key and (name in out or name in value):
                    name += "\ufffd"
                out[name] = whole_value(each)
            return out
        case _:
            return value

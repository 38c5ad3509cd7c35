"""Message, its parts, and the conversation that holds them: plain values, no provider in sight.

The model is neutral and lossless. What a codec understands becomes a field; what it does not
understand is carried along in `Extra` (unknown fields and the form a block had on the wire) or in
`Opaque` (an unknown block, whole), each with the wire it came from. A codec that meets its own
`Extra` writes the same JSON value again; another codec ignores it.

Values inside are never changed in place; `Json` values held here are treated as frozen.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal

from contextrail.core.ids import CallId, MessageId, Sha256
from contextrail.core.json_text import Json, JsonObject

Role = Literal["system", "user", "assistant", "tool"]
Wire = str
"""Name of a wire form: a provider ("anthropic", "openai-chat", "openai-responses", "gemini"), or a host's."""

EMPTY_REPLAY: Final = "empty-replay-field"
"""As the wire of a `Thinking` without text: a route wants its field of reasoning to be there, and empty."""


@dataclass(frozen=True, slots=True)
class Extra:
    """Fields of one wire object that the neutral model has no word for, unchanged.

    Only the codec of `wire` may read `fields`. Keys that start with "~" are the codec's own notes
    about the form (a bare string for content, a message that continues the one before), not fields.
    """

    wire: Wire
    fields: JsonObject


@dataclass(frozen=True, slots=True, kw_only=True)
class Text:
    """What was said."""

    text: str
    extra: Extra | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Thinking:
    """Reasoning a provider returned. It is opaque: sent back unchanged to that provider, or not at all."""

    text: str = ""
    signature: str | None = None
    """Proof that binds `text` to the provider that wrote it."""
    redacted: str | None = None
    """Encrypted reasoning: a redacted block's data, or a reasoning item's encrypted content."""
    wire: Wire | None = None
    """The wire form it came from; only that one may get signature and redacted data back."""
    model: str | None = None
    bound: Sha256 | None = None
    """Digest of `text` when it was read with its signature; another digest now means it was altered."""
    extra: Extra | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCall:
    """A request to run a tool. `arguments` is JSON text, exactly as the model wrote it."""

    call_id: CallId
    name: str
    arguments: str = "{}"
    signature: str | None = None
    """Proof of reasoning that a provider attached to the call itself (Gemini thought signature)."""
    extra: Extra | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Media:
    """An image, document, audio or video: by reference, by bytes, or both."""

    kind: Literal["image", "document", "audio", "video", "file"]
    media_type: str | None = None
    """IANA media type, lower case, if known."""
    digest: Sha256 | None = None
    """Of the decoded bytes, if they are here."""
    size_bytes: int | None = None
    reference: str | None = None
    """A URL, or the provider's id of an uploaded file."""
    data: str | None = None
    """Base64 text exactly as it came."""
    name: str | None = None
    extra: Extra | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Fence:
    """Context that nobody said: marked off, with a family that decides its life."""

    family: str
    text: str
    """As the model reads it, marks included."""
    lifetime: Literal["persisted", "turn-only", "request"] | None = None
    """Until it is taken out, until its turn ends, or for one request only; None: not ours to end."""
    turn: MessageId | None = None
    """The user input whose turn it was placed in; None where no user had spoken."""
    extra: Extra | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """Stands for a span of earlier messages. `covers` is the digest of that span, if known."""

    text: str
    covers: Sha256 | None = None
    extra: Extra | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Opaque:
    """A block that we have no word for, whole. Its own wire form gets it back untouched."""

    wire: Wire
    kind: str
    """The block's own name for its type, for example "server_tool_use"."""
    value: Json


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolResult:
    """The answer to one call."""

    call_id: CallId
    parts: tuple[Text | Media | Opaque, ...] = ()
    status: Literal["ok", "error", "interim"] = "ok"
    """`interim`: not the answer yet, only a sign of life."""
    name: str | None = None
    """Name of the tool, where the wire form says it."""
    extra: Extra | None = None


Part = Text | Thinking | ToolCall | ToolResult | Media | Fence | Summary | Opaque


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """Where a message was read: bytes `[start, end)` of a file, and its 1-based line."""

    file: str
    line: int
    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One message.

    A wire message that mixes tool results and speech becomes several of these, in order; the later
    ones carry a note in `extra`, so that their codec joins them again.
    """

    id: MessageId
    role: Role
    parts: tuple[Part, ...] = ()
    run: int = 0
    """How many user inputs stand up to and including this message, less one; 0 before the second."""
    timestamp: datetime | None = None
    origin: Origin | None = None
    name: str | None = None
    """Name of the speaker, where the wire form has one."""
    extra: Extra | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """A tool the model may call. Server-side tools have no `parameters` here: all is in `extra`."""

    name: str
    description: str | None = None
    parameters: Json = None
    """JSON Schema of the arguments; None for a server-side tool."""
    extra: Extra | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation:
    """Everything one request says: who instructs, what may be called, what was said, how much may come."""

    wire: Wire | None = None
    """The form it was decoded from, or None."""
    model: str | None = None
    system: tuple[Part, ...] = ()
    """Instructions that stand outside the messages on the wire. System messages inside stay messages."""
    system_extra: Extra | None = None
    tools: tuple[Tool, ...] = ()
    messages: tuple[Message, ...] = ()
    max_output: int | None = None
    """Limit on output tokens that the request itself states."""
    extra: Extra | None = None
    """Every other field of the body."""

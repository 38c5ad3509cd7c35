"""Messages of OpenCode: one reply is a record of parts, in which calls stand with what came out of them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from contextrail.core.digest import text_digest
from contextrail.core.ids import CallId, MessageId
from contextrail.core.json_text import JsonObject, dump_text
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
from contextrail.transcripts.notes import Notes, ident, object_at, objects_in, word
from contextrail.wire.media import MediaKind, media_from_url

_SILENT: Final = frozenset(
    {
        "agent", "compaction", "patch", "retry", "snapshot", "step-finish", "step-start", "subtask",
    }
)  # fmt: skip
"""Parts that are the host's own."""
_READ_BY_HOST: Final = frozenset({"text/plain", "application/x-directory"})
"""Attachments that the host writes out as text beside them."""
_WIRES: Final[dict[str, Wire]] = {
    "anthropic": "anthropic",
    "openai": "openai-responses",
    "google": "gemini",
    "google-vertex": "gemini",
}
"""Providers with a form of their own; the others speak Chat Completions."""


def read_reply(
    info: JsonObject, parts: list[JsonObject], position: int, at: Origin, notes: Notes
) -> tuple[Message, ...]:
    """The messages that a record of OpenCode is; none if it says nothing to the model.

    A reply of several steps becomes a message for each step, with the results of its calls behind it.

    Args:
        info: The record without its parts.
        parts: The parts, in order.
        position: Index of the record, for an id if it has none.
        at: Where it stands.
        notes: For what is not understood.
    """
    role = info.get("role")
    if role not in ("user", "assistant", "system"):
        notes.unknown(word(role) or "?", "messages", at)
        return ()
    base = ident(info.get("id")) or content_id(position, [info, parts])
    steps = _Steps(
        role, base, info, at, notes, marked=any(part.get("type") == "step-start" for part in parts)
    )
    for part in parts:
        steps.take(part)
    if not parts:
        notes.note("no-content", "warning", f"a {role} message without parts", at, base)
    return steps.messages()


@dataclass(slots=True)
class _Steps:
    """A record while its parts are read."""

    role: Role
    base: MessageId
    info: JsonObject
    at: Origin
    notes: Notes
    marked: bool
    """Whether the host marked where steps begin; if not, speech behind a finished call begins one."""
    said: list[Part] = field(default_factory=list)
    results: list[ToolResult] = field(default_factory=list)
    done: list[tuple[Role, tuple[Part, ...]]] = field(default_factory=list)

    def take(self, part: JsonObject) -> None:
        """Read one part."""
        kind = word(part.get("type")) or "?"
        if kind == "step-start":
            self.flush()
        elif kind == "tool":
            self.tool(part)
        elif kind in _SILENT:
            return
        elif part.get("ignored") is not True:
            spoken = self.speech(kind, part)
            if spoken is not None:
                if self.results and not self.marked:
                    self.flush()
                self.said.append(spoken)

    def speech(self, kind: str, part: JsonObject) -> Part | None:
        text = part.get("text")
        if kind == "text" and isinstance(text, str):
            return self.text(text, part) if text else None
        if kind == "reasoning" and isinstance(text, str):
            return _thinking(text, part, self.info)
        if kind == "file":
            return _attachment(part)
        self.notes.unknown(kind, "parts", self.at)
        return Opaque(wire="opencode", kind=kind, value=part)

    def text(self, text: str, part: JsonObject) -> Part:
        if self.info.get("summary") is True and self.role == "assistant":
            return Summary(text=text)
        if part.get("synthetic") is True and self.role == "user":
            return Fence(family="synthetic", text=text)
        return Text(text=text)

    def tool(self, part: JsonObject) -> None:
        """Read a call with its state. One that did not end is a call without a result."""
        state = object_at(part.get("state"))
        call_id, name = CallId(word(part.get("callID")) or ""), word(part.get("tool")) or ""
        given = state.get("input")
        raw = word(state.get("raw")) if given in (None, {}) else None
        arguments = raw or (dump_text(given) if given is not None else "{}")
        self.said.append(ToolCall(call_id=call_id, name=name, arguments=arguments))
        result = _result(state, call_id, name)
        if result is not None:
            self.results.append(result)

    def flush(self) -> None:
        """End a step: what was said, then what came out."""
        if self.said:
            self.done.append((self.role, tuple(self.said)))
        self.done.extend(("tool", (result,)) for result in self.results)
        self.said, self.results = [], []

    def messages(self) -> tuple[Message, ...]:
        """All steps as messages."""
        self.flush()
        when = read_timestamp(object_at(self.info, "time").get("created"))
        return tuple(
            Message(
                id=MessageId(f"{self.base}#{index}") if index else self.base,
                role=role,
                parts=parts,
                timestamp=when,
                origin=self.at,
            )
            for index, (role, parts) in enumerate(self.done)
        )


def _result(state: JsonObject, call_id: CallId, name: str) -> ToolResult | None:
    """What came out of a call, or None while it ran."""
    status, output, error = state.get("status"), state.get("output"), state.get("error")
    if status in ("pending", "running") or (output is None and error is None):
        return None
    failed = status == "error"
    said = error if failed and error is not None else output if output is not None else error
    text = said if isinstance(said, str) else dump_text(said)
    attached = tuple(
        media for each in objects_in(state.get("attachments")) if (media := _attachment(each)) is not None
    )
    return ToolResult(
        call_id=call_id,
        name=name or None,
        parts=(Text(text=text), *attached),
        status="error" if failed else "ok",
    )


def _attachment(part: JsonObject) -> Media | None:
    url, mime = part.get("url"), word(part.get("mime"))
    if not isinstance(url, str) or (mime in _READ_BY_HOST and not url.startswith("data:")):
        return None
    top = (mime or "").partition("/")[0]
    kinds: dict[str, MediaKind] = {"image": "image", "audio": "audio", "video": "video"}
    kind = kinds.get(top, "document" if mime == "application/pdf" or top == "text" else "file")
    return media_from_url(kind, url, media_type=mime, name=word(part.get("filename")))


def _thinking(text: str, part: JsonObject, info: JsonObject) -> Thinking:
    """Reasoning, with the proof that the provider's adapter left in `metadata`."""
    provider = word(info.get("providerID")) or word(object_at(info, "model").get("providerID")) or ""
    model = word(info.get("modelID")) or word(object_at(info, "model").get("modelID"))
    proof = object_at(part, "metadata")
    wire = _WIRES.get(provider, "openai-chat")
    signature = word(object_at(proof, "anthropic").get("signature")) or word(
        object_at(proof, "google").get("thoughtSignature")
    )
    redacted = word(object_at(proof, "anthropic").get("redactedData")) or word(
        object_at(proof, "openai").get("reasoningEncryptedContent")
    )
    return Thinking(
        text=text,
        signature=signature,
        redacted=redacted,
        wire=wire,
        model=model,
        bound=None if signature is None else text_digest(text),
    )

"""Admission: what becomes of a tool's output before it enters the history. For hosts, right after a tool ran.

One representation, a preview of what is long, the whole text stored first. Where the store fails,
the whole text stays: a handle is only ever shown for what can be read again.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, Protocol

from contextrail.core.blobs import Blob
from contextrail.core.errors import RailError
from contextrail.core.ids import CallId
from contextrail.core.json_text import Json, JsonObject, dump_text
from contextrail.core.secrets import Redactor
from contextrail.history.groups import ObservationPolicy
from contextrail.history.mcp_results import read_mcp
from contextrail.history.tool_output import Shown, limits_of, reads_handle, shorten
from contextrail.messages.model import Media, Opaque, Text, ToolCall, ToolResult
from contextrail.messages.redaction import Handling
from contextrail.storage.blobs import BlobStore


@dataclass(frozen=True, slots=True, kw_only=True)
class Observation:
    """What a host's port is asked to show in part."""

    text: str
    tool_name: str
    policy: ObservationPolicy
    failed: bool
    """The tool reported an error: its end matters most."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ObservationPreview:
    """What the model sees, and where all of it is; `handle` is None where nothing was left out."""

    preview: str
    handle: str | None = None


class ObservationPreviewPort(Protocol):
    """Lets a host choose where long output is kept and what is shown of it."""

    def truncate_observation(self, observation: Observation) -> ObservationPreview:
        """Show an observation within the limits of its policy, after all of it was stored.

        Raises:
            RailError: It could not be stored; the caller shows all of it.
        """
        ...


@dataclass(frozen=True, slots=True)
class StoredPreview:
    """The port over a store of blobs: head and tail, and a handle.

    A secret is taken out before a text is cut, so that no half of one is left that nobody would know as such; who
    reads the store has the original. A text that is not cut stays as it is: it is redacted when a request is built.
    """

    store: BlobStore
    redaction: Handling = "redact"

    def truncate_observation(self, observation: Observation) -> ObservationPreview:
        shown = self._shown(observation.text)
        clean = self._preview(replace(observation, text=shown), original=observation.text)
        return clean if clean.handle is not None else ObservationPreview(preview=observation.text)

    def _shown(self, text: str) -> str:
        return Redactor(self.store.salt).redact(text) if self.redaction == "redact" else text

    def _preview(self, observation: Observation, *, original: str) -> ObservationPreview:
        result = ToolResult(
            call_id=CallId(""),
            parts=(Text(text=observation.text),),
            status="error" if observation.failed else "ok",
        )
        short = shorten(result, limits_of(observation.policy), _characters)
        if short is None:
            return ObservationPreview(preview=observation.text)
        self._keep(short, observation.text, original)
        (shown,) = short.result.parts
        assert isinstance(shown, Text)
        return ObservationPreview(preview=shown.text, handle=short.blobs[0].handle)

    def _keep(self, short: Shown, text: str, original: str) -> None:
        kept = [*short.blobs] if text == original else [*short.blobs, Blob.of(original)]
        links = {} if text == original else {Blob.of(text).digest: Blob.of(original).digest}
        self.store.put_many([blob.data() for blob in kept], originals=links)


def admit(
    output: str | JsonObject,
    call: ToolCall,
    *,
    policy: ObservationPolicy,
    port: ObservationPreviewPort,
    failed: bool = False,
) -> ToolResult:
    """The result of a call.

    Args:
        output: A text, or the `CallToolResult` of an MCP server; another object is taken as JSON text.
        call: The call; what it reads by a handle is never previewed again.
        policy: When a text is shown in part.
        port: Shows it in part, after all of it was stored.
        failed: Whether the tool reported an error; an MCP result says so itself.
    """
    result = _result(output, call, failed=failed)
    if not policy.enabled or reads_handle(call):
        return result
    parts: list[Text | Media | Opaque] = []
    for part in result.parts:
        if not isinstance(part, Text):
            parts.append(part)
            continue
        observation = Observation(
            text=part.text, tool_name=call.name, policy=policy, failed=result.status == "error"
        )
        try:
            parts.append(Text(text=port.truncate_observation(observation).preview))
        except RailError:
            parts.append(part)
    return replace(result, parts=tuple(parts))


def _result(output: str | JsonObject, call: ToolCall, *, failed: bool) -> ToolResult:
    status: Literal["ok", "error"] = "error" if failed else "ok"
    parts: tuple[Text | Media | Opaque, ...]
    if isinstance(output, str):
        parts = (Text(text=output),)
    elif (found := read_mcp(output)) is not None:
        parts, status = (Text(text=found.text),), "error" if failed else found.status
    elif isinstance(output.get("content"), list):
        parts = tuple(map(_block, output["content"]))
        status = "error" if failed or output.get("isError") is True else "ok"
    else:
        parts = (Text(text=dump_text(output)),)
    return ToolResult(call_id=call.call_id, name=call.name, parts=parts, status=status)


def _block(block: Json) -> Text | Media | Opaque:
    """A block of an MCP result."""
    match block:
        case {"type": "text", "text": str(text)}:
            return Text(text=text)
        case {"type": "image" | "audio" as kind, "data": str(data), "mimeType": str(media_type)}:
            return Media(kind=kind, media_type=media_type, data=data)
        case {"type": str(kind)}:
            return Opaque(wire="mcp", kind=kind, value=block)
        case _:
            return Opaque(wire="mcp", kind="unknown", value=block)


def _characters(text: str) -> int:
    """At most so many tokens: none is shorter than a character where no tokenizer is at hand."""
    return len(text)

"""Hypothesis strategies for parts and messages: anything the types allow, sensible or not."""

from __future__ import annotations

import base64
from functools import cache
from typing import Any

from hypothesis import strategies as st

from contextrail.core.digest import sha256, text_digest
from contextrail.core.ids import CallId, MessageId, Sha256
from contextrail.messages.model import (
    Extra,
    Fence,
    Media,
    Message,
    Opaque,
    Origin,
    Part,
    Summary,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
)
from tests.properties.values import WIRES, argument_texts, json_objects, json_values, names, texts, timestamps

# Pieces of the model


@cache
def extras() -> st.SearchStrategy[Extra]:
    """Notes and unknown fields of any wire, also such as look like the codec's own."""
    notes = st.fixed_dictionaries(
        {},
        optional={
            "~joined": st.just(value=True),
            "~absent": st.lists(st.sampled_from(["id", "parts", "content", "response"]), max_size=2),
            "~neutral": json_objects(4),
            "~response": st.sampled_from(["json", "string"]),
            "~arguments": st.sampled_from(["json", "string"]),
            "cache_control": st.just({"type": "ephemeral"}),
            "content": json_values(3),
            "arguments": json_values(3),
            "response": json_values(3),
            "extra": st.fixed_dictionaries({"wire": st.sampled_from(WIRES), "fields": json_objects(3)}),
        },
    )
    fields = st.builds(lambda left, right: {**left, **right}, notes, json_objects(4))
    return st.builds(Extra, st.sampled_from(WIRES), fields)


@cache
def maybe_extra() -> st.SearchStrategy[Extra | None]:
    return st.none() | st.none() | st.none() | extras()


@cache
def digests() -> st.SearchStrategy[Sha256]:
    return st.binary(max_size=4).map(sha256)


@cache
def text_parts() -> st.SearchStrategy[Text]:
    return st.builds(Text, text=texts(), extra=maybe_extra())


@cache
def media() -> st.SearchStrategy[Media]:
    contents = st.binary(max_size=24)
    data = contents.map(lambda raw: base64.b64encode(raw).decode()) | st.sampled_from(
        ["", "not base64!", "AAA"]
    )
    honest = contents.map(
        lambda raw: Media(
            kind="image",
            media_type="image/png",
            digest=sha256(raw),
            size_bytes=len(raw),
            data=base64.b64encode(raw).decode(),
        )
    )
    loose = st.builds(
        Media,
        kind=st.sampled_from(["image", "document", "audio", "video", "file"]),
        media_type=st.none()
        | st.sampled_from(["image/png", "image/jpeg", "application/pdf", "text/plain", "x"]),
        digest=st.none() | digests(),
        size_bytes=st.none() | st.integers(0, 10**9),
        reference=st.none()
        | st.sampled_from(["https://example.com/a.png", "file-123", "gs://b/o", "data:,x"])
        | texts(),
        data=st.none() | data,
        name=st.none() | texts(),
        extra=maybe_extra(),
    )
    return honest | loose


@cache
def opaques() -> st.SearchStrategy[Opaque]:
    looks: st.SearchStrategy[Any] = st.sampled_from(
        [
            {"type": "text", "content": "as if it were ours"},
            {"type": "text"},
            {"type": "stream_error", "detail": "reset"},
            {"type": "opaque", "wire": "neutral", "kind": "x", "value": {"type": "x"}},
            {"type": "opaque", "wire": "gemini", "kind": "x", "value": None},
        ]
    )
    value = looks | json_values()
    own = looks.map(lambda each: Opaque(wire="neutral", kind=str(each["type"]), value=each))
    return own | st.builds(
        Opaque,
        wire=st.sampled_from(WIRES),
        kind=st.sampled_from(["server_tool_use", "x", "text", ""]),
        value=value,
    )


@cache
def thinking() -> st.SearchStrategy[Thinking]:
    signed = st.builds(
        lambda text, wire: Thinking(
            text=text, signature="c2lnbmF0dXJl", wire=wire, bound=text_digest(text), model="model-1"
        ),
        texts(),
        st.sampled_from(WIRES),
    )
    loose = st.builds(
        Thinking,
        text=texts(),
        signature=st.none() | texts(),
        redacted=st.none() | texts(),
        wire=st.none() | st.sampled_from(WIRES),
        model=st.none() | texts(),
        bound=st.none() | digests(),
        extra=maybe_extra(),
    )
    return signed | loose


@cache
def call_ids() -> st.SearchStrategy[CallId]:
    """Few of them, so that they repeat; some are legal for no provider."""
    words = [
        "call_1",
        "call_1",
        "call_2",
        "toolu_01AbC",
        "fc_123|rs_4",
        "id with spaces",
        "呼叫",
        "",
        "x" * 80,
    ]
    return st.sampled_from(words).map(CallId)


@cache
def tool_calls() -> st.SearchStrategy[ToolCall]:
    return st.builds(
        ToolCall,
        call_id=call_ids(),
        name=names(),
        arguments=argument_texts(),
        signature=st.none() | st.none() | texts(),
        extra=maybe_extra(),
    )


@cache
def tool_results() -> st.SearchStrategy[ToolResult]:
    one = text_parts() | media() | opaques()
    return st.builds(
        ToolResult,
        call_id=call_ids(),
        parts=st.lists(one, max_size=3).map(tuple) | texts().map(lambda text: (Text(text=text),)),
        status=st.sampled_from(["ok", "ok", "error", "interim"]),
        name=st.none() | names(),
        extra=maybe_extra(),
    )


@cache
def parts() -> st.SearchStrategy[Part]:
    """Any part."""
    fences = st.builds(Fence, family=names(), text=texts(), extra=maybe_extra())
    summaries = st.builds(Summary, text=texts(), covers=st.none() | digests(), extra=maybe_extra())
    return (
        text_parts() | media() | opaques() | thinking() | tool_calls() | tool_results() | fences | summaries
    )


@cache
def origins() -> st.SearchStrategy[Origin]:
    return st.builds(
        Origin,
        file=texts(),
        line=st.integers(1, 10**6),
        start=st.integers(0, 10**9),
        end=st.integers(0, 10**9),
    )


@cache
def message() -> st.SearchStrategy[Message]:
    """Any message: parts that do not fit the role, no parts, an id that others have too."""
    return st.builds(
        Message,
        id=st.sampled_from(["m1", "m2", ""]).map(MessageId) | texts().map(MessageId),
        role=st.sampled_from(["system", "user", "assistant", "tool"]),
        parts=st.lists(parts(), max_size=4).map(tuple),
        run=st.integers(0, 5),
        timestamp=st.none() | timestamps(),
        origin=st.none() | origins(),
        name=st.none() | names(),
        extra=maybe_extra(),
    )

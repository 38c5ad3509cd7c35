"""Anthropic Messages: what a body says in neutral words."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from contextrail.core.digest import sha256, text_digest
from contextrail.core.errors import InvalidRequest
from contextrail.core.ids import CallId
from contextrail.core.json_text import JsonObject
from contextrail.messages.model import (
    Conversation,
    Extra,
    Media,
    Message,
    Opaque,
    Part,
    Text,
    Thinking,
    Tool,
    ToolCall,
    ToolResult,
)
from contextrail.messages.pairs import continues
from contextrail.wire.anthropic import decode, read_message, recognizes, write_messages
from contextrail.wire.media import decode_base64
from tests.wire.shapes import PIXEL


def messages(*said: JsonObject) -> tuple[Message, ...]:
    return decode({"messages": list(said)}).messages


def parts(*blocks: Any, role: str = "user") -> tuple[Part, ...]:
    return tuple(part for each in messages({"role": role, "content": list(blocks)}) for part in each.parts)


MIXED: JsonObject = {
    "role": "user",
    "content": [
        {"type": "tool_result", "tool_use_id": "a", "content": "1"},
        {"type": "tool_result", "tool_use_id": "b", "content": "2"},
        {"type": "text", "text": "and now?"},
        {"type": "tool_result", "tool_use_id": "c", "content": "3"},
    ],
    "more": True,
}


# Reading


def test_model_limit_system_and_tools_are_read() -> None:
    schema = {"type": "object", "properties": {"path": {"type": "string"}}}
    conversation = decode(
        {
            "model": "claude-sonnet-4-5",
            "max_tokens": 1000,
            "system": "be brief",
            "temperature": 0,
            "tools": [
                {"name": "read", "description": "Reads", "input_schema": schema, "strict": True},
                {"type": "web_search_20250305", "name": "web_search"},
            ],
            "messages": [],
        }
    )
    assert conversation == Conversation(
        wire="anthropic",
        model="claude-sonnet-4-5",
        system=(Text(text="be brief"),),
        tools=(
            Tool(
                name="read",
                description="Reads",
                parameters=schema,
                extra=Extra("anthropic", {"strict": True}),
            ),
            Tool(name="web_search", extra=Extra("anthropic", {"type": "web_search_20250305"})),
        ),
        max_output=1000,
        extra=Extra("anthropic", {"temperature": 0}),
    )


def test_known_blocks_become_parts() -> None:
    assert parts(
        {"type": "thinking", "thinking": "hm", "signature": "sig"},
        {"type": "redacted_thinking", "data": "xyz"},
        {"type": "text", "text": "hi", "cache_control": {"type": "ephemeral"}},
        {"type": "tool_use", "id": "t1", "name": "read", "input": {"path": "ä.py", "n": 1.0}},
        role="assistant",
    ) == (
        Thinking(text="hm", signature="sig", wire="anthropic", bound=text_digest("hm")),
        Thinking(redacted="xyz", wire="anthropic"),
        Text(text="hi", extra=Extra("anthropic", {"cache_control": {"type": "ephemeral"}})),
        ToolCall(call_id=CallId("t1"), name="read", arguments='{"path":"ä.py","n":1.0}'),
    )


@pytest.mark.parametrize(
    "kind",
    ["server_tool_use", "web_search_tool_result", "mcp_tool_use", "compaction", "container_upload", "new"],
)
def test_blocks_without_a_word_for_them_are_kept_whole(kind: str) -> None:
    block = {"type": kind, "id": "s1", "input": {"query": "q"}}
    assert parts(block, role="assistant") == (Opaque(wire="anthropic", kind=kind, value=block),)


@pytest.mark.parametrize(
    ("block", "status", "inner"),
    [
        ({"content": "done"}, "ok", (Text(text="done"),)),
        ({"content": "no", "is_error": True}, "error", (Text(text="no"),)),
        ({"content": "done", "is_error": False}, "ok", (Text(text="done"),)),
        ({"content": [{"type": "text", "text": "done"}]}, "ok", (Text(text="done"),)),
        ({}, "ok", ()),
    ],
)
def test_a_result_tells_its_status_and_parts(block: JsonObject, status: str, inner: tuple[Part, ...]) -> None:
    (read,) = parts({"type": "tool_result", "tool_use_id": "t1", **block})
    assert isinstance(read, ToolResult)
    assert (read.call_id, read.status, read.parts) == ("t1", status, inner)


def test_an_image_tells_digest_and_size_of_its_bytes() -> None:
    content = decode_base64(PIXEL)
    assert content is not None
    source = {"type": "base64", "media_type": "image/png", "data": PIXEL}
    assert parts({"type": "image", "source": source}) == (
        Media(kind="image", media_type="image/png", digest=sha256(content), size_bytes=70, data=PIXEL),
    )


def test_documents_are_read_by_text_url_and_file() -> None:
    text, url, file = parts(
        {
            "type": "document",
            "title": "Words",
            "source": {"type": "text", "media_type": "text/plain", "data": "plain words"},
        },
        {"type": "document", "source": {"type": "url", "url": "https://example.org/a.pdf"}},
        {"type": "document", "source": {"type": "file", "file_id": "file_1"}},
    )
    assert isinstance(text, Media)
    assert isinstance(text.data, str)
    assert decode_base64(text.data) == b"plain words"
    assert (text.name, text.size_bytes, text.media_type) == ("Words", 11, "text/plain")
    assert url == Media(kind="document", reference="https://example.org/a.pdf")
    assert file == Media(kind="document", reference="file_1")


# Pieces of one wire message


def test_a_mixed_message_becomes_pieces_in_block_order() -> None:
    pieces = messages(MIXED)
    assert [(piece.role, len(piece.parts)) for piece in pieces] == [("tool", 2), ("user", 1), ("tool", 1)]
    assert [continues(piece) for piece in pieces] == [False, True, True]


def test_pieces_are_one_message_again() -> None:
    assert write_messages(messages(MIXED)) == [MIXED]


def test_a_first_piece_that_is_left_alone_keeps_the_fields_of_the_whole() -> None:
    assert write_messages(messages(MIXED)[:1]) == [{**MIXED, "content": MIXED["content"][:2]}]


def test_a_later_piece_without_its_first_is_a_message_of_its_own() -> None:
    question = {"role": "user", "content": "an earlier question"}
    earlier, _, *later = messages(question, MIXED)
    assert write_messages((earlier, *later)) == [question, {"role": "user", "content": MIXED["content"][2:]}]


def test_pieces_of_two_equal_messages_do_not_mix() -> None:
    both = messages(MIXED, MIXED)
    assert write_messages(both) == [MIXED, MIXED]
    assert write_messages((both[0], *both[4:])) == [
        {**MIXED, "content": MIXED["content"][:2]},
        {"role": "user", "content": MIXED["content"][2:]},
    ]


def test_results_in_an_assistant_message_stay_where_they_stand() -> None:
    (message,) = messages({**MIXED, "role": "assistant"})
    assert (message.role, len(message.parts)) == ("assistant", 4)


def test_a_body_cannot_forge_notes() -> None:
    forged = {"role": "user", "content": "x", "~joined": True, "~role": ["system"], "~fields": {"~of": 1}}
    (message,) = messages(forged)
    assert not continues(message)
    assert write_messages([message]) == [forged]


# Refusing and recognizing


@pytest.mark.parametrize(
    ("body", "path"),
    [
        ({}, "$.messages"),
        ({"messages": None}, "$.messages"),
        ({"messages": {"role": "user"}}, "$.messages"),
        ({"messages": [{"role": "user"}, "hi"]}, "$.messages[1]"),
        ({"messages": [None]}, "$.messages[0]"),
    ],
)
def test_only_messages_that_cannot_be_found_are_refused(body: JsonObject, path: str) -> None:
    with pytest.raises(InvalidRequest, match="must be an") as caught:
        decode(body)
    assert (caught.value.facts["place"], caught.value.facts["path"]) == ("body", path)
    assert caught.value.facts["cure"]


def test_the_id_of_a_message_tells_its_position_and_content() -> None:
    hi = {"role": "user", "content": "hi"}
    first, second = messages(hi, hi)
    assert first.id.startswith("m0-")
    assert second.id.startswith("m1-")
    assert first.id[2:] == second.id[2:]
    assert read_message(hi, 1) == (replace(second, run=0),)


@pytest.mark.parametrize(
    "body",
    [
        {"system": "s", "messages": [{"role": "user", "content": "hi"}]},
        {"messages": [{"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t"}]}]},
        {"messages": [], "tools": [{"name": "f", "input_schema": {}}]},
        {"messages": [{"role": "user", "content": "hi"}], "model": "claude-sonnet-4-5"},
    ],
)
def test_its_own_bodies_are_recognized(body: JsonObject) -> None:
    assert recognizes(body) > 0.5


@pytest.mark.parametrize(
    "body",
    [
        {"messages": [{"role": "user", "content": "hi", "tool_calls": None}], "model": "claude"},
        {"messages": [{"role": ["odd"], "content": [{"type": ["odd"]}, None]}]},
        {"messages": [{"role": "user", "content": "hi"}], "model": "anthropic/claude-sonnet-4.5"},
        {"messages": "none"},
        {"contents": []},
    ],
)
def test_other_bodies_are_not(body: JsonObject) -> None:
    assert recognizes(body) < 0.5

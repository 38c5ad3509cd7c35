"""Anthropic Messages: what neutral words become."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from contextrail.core.ids import CallId, MessageId
from contextrail.core.json_text import JsonObject
from contextrail.messages.model import (
    Conversation,
    Extra,
    Fence,
    Media,
    Message,
    Opaque,
    Part,
    Role,
    Summary,
    Text,
    Thinking,
    Tool,
    ToolCall,
    ToolResult,
)
from contextrail.wire.anthropic import decode, encode, write_messages
from tests.wire.shapes import PIXEL


def messages(*said: JsonObject) -> tuple[Message, ...]:
    return decode({"messages": list(said)}).messages


def parts(*blocks: Any, role: str = "user") -> tuple[Part, ...]:
    return tuple(part for each in messages({"role": role, "content": list(blocks)}) for part in each.parts)


def fresh(role: Role, *said: Part, name: str = "m") -> Message:
    return Message(id=MessageId(name), role=role, parts=said)


def written(*said: Message) -> list[JsonObject]:
    body = encode(Conversation(messages=said))
    assert body.keys() == {"messages"}
    found: list[JsonObject] = body["messages"]
    return found


def result(call: str, text: str = "done") -> ToolResult:
    return ToolResult(call_id=CallId(call), parts=(Text(text=text),))


# Writing what came from elsewhere


def test_fresh_messages_are_written_plainly() -> None:
    assert written(
        fresh("user", Text(text="hi")),
        fresh(
            "assistant",
            Thinking(text="hm", signature="sig", wire="anthropic"),
            Thinking(redacted="xyz", wire="anthropic"),
            Text(text="I look"),
            ToolCall(call_id=CallId("t1"), name="read", arguments='{"path": "a.py"}'),
        ),
        fresh("tool", replace(result("t1"), status="error")),
        fresh("user", Fence(family="clock", text="noon"), Summary(text="so far")),
    ) == [
        {"role": "user", "content": "hi"},
        {
            "role": "assistant",
            "content": [
                {"type": "thinking", "thinking": "hm", "signature": "sig"},
                {"type": "redacted_thinking", "data": "xyz"},
                {"type": "text", "text": "I look"},
                {"type": "tool_use", "id": "t1", "name": "read", "input": {"path": "a.py"}},
            ],
        },
        {
            "role": "user",
            "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "done", "is_error": True}],
        },
        {"role": "user", "content": [{"type": "text", "text": "noon"}, {"type": "text", "text": "so far"}]},
    ]


def test_fresh_tool_messages_in_a_row_are_one_message() -> None:
    said = written(fresh("tool", result("a")), fresh("tool", result("b")), fresh("user", Text(text="go on")))
    assert [[block["tool_use_id"] for block in said[0]["content"]], said[1:]] == [
        ["a", "b"],
        [{"role": "user", "content": "go on"}],
    ]


def test_native_tool_messages_keep_their_own_boundaries() -> None:
    alone = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "a", "content": "1"}]}
    first, second = messages(alone, alone)
    assert write_messages([first, second]) == [alone, alone]
    assert len(write_messages([first, fresh("tool", result("b")), second])) == 3


@pytest.mark.parametrize(
    ("arguments", "sent"),
    [
        ("{}", {}),
        ('{"a": [1, 1.0, true]}', {"a": [1, 1.0, True]}),
        ("[1]", [1]),
        ("{broken", "{broken"),
        ('{"a": NaN}', '{"a": NaN}'),
        ('{"a": 1, "a": 2}', '{"a": 1, "a": 2}'),
        ("", ""),
    ],
)
def test_arguments_are_sent_as_the_value_they_are_or_else_as_their_text(arguments: str, sent: Any) -> None:
    call = ToolCall(call_id=CallId("t1"), name="read", arguments=arguments)
    assert written(fresh("assistant", call))[0]["content"][0]["input"] == sent


def test_foreign_thinking_is_never_written_with_its_proof() -> None:
    foreign = Thinking(text="hm", signature="sig", redacted="enc", wire="gemini")
    assert written(fresh("assistant", foreign)) == [
        {"role": "assistant", "content": [{"type": "thinking", "thinking": "hm"}]}
    ]


@pytest.mark.parametrize(
    ("media", "block"),
    [
        (
            Media(kind="image", media_type="image/png", data=PIXEL),
            {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PIXEL}},
        ),
        (
            Media(kind="image", reference="https://example.org/a.png"),
            {"type": "image", "source": {"type": "url", "url": "https://example.org/a.png"}},
        ),
        (
            Media(kind="file", media_type="application/pdf", data="JVBERi0=", name="a.pdf"),
            {
                "type": "document",
                "source": {"type": "base64", "media_type": "application/pdf", "data": "JVBERi0="},
                "title": "a.pdf",
            },
        ),
        (
            Media(kind="document", media_type="text/plain", data="aGk="),
            {"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": "hi"}},
        ),
        (
            Media(kind="document", reference="file_1"),
            {"type": "document", "source": {"type": "file", "file_id": "file_1"}},
        ),
        (
            Media(kind="audio", media_type="audio/wav", data="UklGRg=="),
            {"type": "text", "text": "[audio: audio/wav]"},
        ),
        (Media(kind="image"), {"type": "text", "text": "[image: image]"}),
    ],
)
def test_fresh_media_are_written_by_what_is_known_of_them(media: Media, block: JsonObject) -> None:
    assert written(fresh("user", media)) == [{"role": "user", "content": [block]}]


def test_a_native_image_whose_bytes_were_replaced_is_written_by_what_it_has_now() -> None:
    (image,) = parts(
        {"type": "image", "source": {"type": "base64", "media_type": "image/PNG", "data": PIXEL}}
    )
    assert isinstance(image, Media)
    assert image.media_type == "image/png"
    moved = replace(image, data=None, reference="file_9")
    assert written(fresh("user", moved))[0]["content"] == [
        {"type": "image", "source": {"type": "file", "file_id": "file_9"}}
    ]


def test_a_foreign_block_is_written_as_text() -> None:
    block = Opaque(wire="openai-responses", kind="web_search_call", value={"id": "ws_1"})
    assert written(fresh("user", block)) == [
        {"role": "user", "content": [{"type": "text", "text": '{"id":"ws_1"}'}]}
    ]


def test_extras_of_other_forms_are_not_written() -> None:
    other = Extra("openai-chat", {"logprobs": True, "~content": "list"})
    body = encode(
        Conversation(
            extra=other,
            system=(Text(text="be brief", extra=other),),
            messages=(replace(fresh("user", Text(text="hi", extra=other)), extra=other),),
            tools=(
                Tool(name="now"),
                Tool(name="web_search", extra=other),
                Tool(name="read", parameters={"type": "object"}, extra=other),
            ),
        )
    )
    assert body == {
        "system": "be brief",
        "tools": [
            {"name": "now", "input_schema": {"type": "object", "properties": {}}},
            {"name": "read", "input_schema": {"type": "object"}},
        ],
        "messages": [{"role": "user", "content": "hi"}],
    }


def test_fields_changed_in_the_conversation_win_over_those_it_came_with() -> None:
    conversation = decode({"model": None, "max_tokens": "many", "tools": None, "messages": []})
    changed = replace(conversation, model="claude", max_output=5, tools=(Tool(name="now", parameters={}),))
    assert encode(changed) == {
        "model": "claude",
        "max_tokens": 5,
        "tools": [{"name": "now", "input_schema": {}}],
        "messages": [],
    }

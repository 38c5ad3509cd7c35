"""OpenAI Chat Completions: what neutral words become."""

from __future__ import annotations

from dataclasses import replace

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
from contextrail.wire.openai_chat import decode, encode
from tests.wire.shapes import PIXEL


def messages(*said: JsonObject) -> tuple[Message, ...]:
    return decode({"messages": list(said)}).messages


def fresh(role: Role, *said: Part) -> Message:
    return Message(id=MessageId("m"), role=role, parts=said)


def written(*said: Message, system: tuple[Part, ...] = ()) -> list[JsonObject]:
    found: list[JsonObject] = encode(Conversation(messages=said, system=system))["messages"]
    return found


def call(ident: str = "c1", arguments: str = "{}") -> ToolCall:
    return ToolCall(call_id=CallId(ident), name="read", arguments=arguments)


def result(ident: str, *parts: Text | Media | Opaque) -> ToolResult:
    return ToolResult(call_id=CallId(ident), parts=parts)


# Writing what came from elsewhere


def test_fresh_messages_are_written_plainly() -> None:
    assert written(
        fresh("user", Text(text="hi")),
        fresh("assistant", Text(text="I look"), call("c1", '{"path": 1}'), call("c2")),
        fresh(
            "tool", result("c1", Text(text="done")), replace(result("c2", Text(text="no")), status="error")
        ),
        fresh("user", Fence(family="clock", text="noon"), Summary(text="so far")),
        fresh("assistant"),
        system=(Text(text="be brief"),),
    ) == [
        {"role": "system", "content": "be brief"},
        {"role": "user", "content": "hi"},
        {
            "role": "assistant",
            "content": "I look",
            "tool_calls": [
                {"id": "c1", "type": "function", "function": {"name": "read", "arguments": '{"path": 1}'}},
                {"id": "c2", "type": "function", "function": {"name": "read", "arguments": "{}"}},
            ],
        },
        {"role": "tool", "tool_call_id": "c1", "content": "done"},
        {"role": "tool", "tool_call_id": "c2", "content": "no"},
        {"role": "user", "content": [{"type": "text", "text": "noon"}, {"type": "text", "text": "so far"}]},
        {"role": "assistant", "content": None},
    ]


def test_a_message_with_calls_only_has_null_content() -> None:
    assert written(fresh("assistant", call()))[0]["content"] is None


def test_results_and_speech_in_one_message_are_parted() -> None:
    assert written(fresh("tool", result("c1"), Text(text="note"), result("c2"))) == [
        {"role": "tool", "tool_call_id": "c1", "content": ""},
        {"role": "tool", "content": "note"},
        {"role": "tool", "tool_call_id": "c2", "content": ""},
    ]


def test_foreign_thinking_is_written_as_text_of_reasoning_only() -> None:
    foreign = Thinking(text="hm", signature="sig", wire="anthropic")
    hidden = Thinking(redacted="enc", wire="anthropic")
    assert written(fresh("assistant", foreign, hidden, Text(text="yes"))) == [
        {"role": "assistant", "content": "yes", "reasoning_content": "hm"}
    ]


@pytest.mark.parametrize(
    ("media", "block"),
    [
        (
            Media(kind="image", media_type="image/png", data=PIXEL),
            {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PIXEL}"}},
        ),
        (
            Media(kind="image", reference="https://example.org/a.png"),
            {"type": "image_url", "image_url": {"url": "https://example.org/a.png"}},
        ),
        (Media(kind="image", reference="file-1"), {"type": "file", "file": {"file_id": "file-1"}}),
        (
            Media(kind="audio", media_type="audio/x-wav", data="UklGRg=="),
            {"type": "input_audio", "input_audio": {"data": "UklGRg==", "format": "wav"}},
        ),
        (
            Media(kind="document", media_type="application/pdf", data="JVBERi0=", name="a.pdf"),
            {
                "type": "file",
                "file": {"filename": "a.pdf", "file_data": "data:application/pdf;base64,JVBERi0="},
            },
        ),
        (
            Media(kind="document", reference="https://example.org/a.pdf"),
            {"type": "text", "text": "[document: document, https://example.org/a.pdf]"},
        ),
        (
            Media(kind="video", media_type="video/mp4", data="AA=="),
            {"type": "text", "text": "[video: video/mp4]"},
        ),
        (Media(kind="file"), {"type": "text", "text": "[file: file]"}),
    ],
)
def test_fresh_media_are_written_by_what_is_known_of_them(media: Media, block: JsonObject) -> None:
    assert written(fresh("user", media)) == [{"role": "user", "content": [block]}]


def test_parts_that_no_field_can_hold_are_written_as_text() -> None:
    block = Opaque(wire="anthropic", kind="search_result", value={"title": "t"})
    assert written(fresh("user", block, call("c1", "{}"), Thinking(text="hm"))) == [
        {
            "role": "user",
            "content": [
                {"type": "text", "text": '{"title":"t"}'},
                {"type": "text", "text": "read {}"},
                {"type": "text", "text": "hm"},
            ],
        }
    ]


def test_extras_of_other_forms_are_not_written() -> None:
    other = Extra("anthropic", {"cache_control": {}, "~content": "list", "~legacy": True})
    body = encode(
        Conversation(
            extra=other,
            system=(Text(text="be brief", extra=other),),
            messages=(replace(fresh("assistant", replace(call(), extra=other)), extra=other),),
            tools=(
                Tool(name="now"),
                Tool(name="web_search", extra=other),
                Tool(name="read", description="Reads", parameters={"type": "object"}, extra=other),
            ),
        )
    )
    assert body == {
        "tools": [
            {
                "type": "function",
                "function": {"name": "now", "parameters": {"type": "object", "properties": {}}},
            },
            {
                "type": "function",
                "function": {"name": "read", "description": "Reads", "parameters": {"type": "object"}},
            },
        ],
        "messages": [
            {"role": "system", "content": "be brief"},
            {
                "role": "assistant",
                "content": None,
                "tool_calls": [
                    {"id": "c1", "type": "function", "function": {"name": "read", "arguments": "{}"}}
                ],
            },
        ],
    }


def test_a_call_that_takes_the_place_of_something_odd_is_written() -> None:
    (odd,) = messages({"role": "assistant", "tool_calls": {"id": "c1"}})
    assert written(replace(odd, parts=(*odd.parts, call("c2"))))[0]["tool_calls"] == [
        {"id": "c2", "type": "function", "function": {"name": "read", "arguments": "{}"}}
    ]

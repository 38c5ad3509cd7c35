"""OpenAI Chat Completions: what a body says in neutral words."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from contextrail.core.digest import text_digest
from contextrail.core.errors import InvalidRequest
from contextrail.core.ids import CallId, MessageId
from contextrail.core.json_text import JsonObject
from contextrail.messages.model import (
    Conversation,
    Media,
    Message,
    Opaque,
    Part,
    Role,
    Text,
    Thinking,
    ToolCall,
)
from contextrail.messages.pairs import pair
from contextrail.wire.openai_chat import decode, encode, recognizes
from tests.wire.shapes import PIXEL


def messages(*said: JsonObject) -> tuple[Message, ...]:
    return decode({"messages": list(said)}).messages


def blocks(*content: Any) -> tuple[Part, ...]:
    return messages({"role": "user", "content": list(content)})[0].parts


def reply(**fields: Any) -> tuple[Part, ...]:
    return messages({"role": "assistant", **fields})[0].parts


def fresh(role: Role, *said: Part) -> Message:
    return Message(id=MessageId("m"), role=role, parts=said)


def written(*said: Message, system: tuple[Part, ...] = ()) -> list[JsonObject]:
    found: list[JsonObject] = encode(Conversation(messages=said, system=system))["messages"]
    return found


def call(ident: str = "c1", arguments: str = "{}") -> ToolCall:
    return ToolCall(call_id=CallId(ident), name="read", arguments=arguments)


# Reading


def test_system_and_developer_messages_stay_in_their_places() -> None:
    conversation = decode(
        {
            "messages": [
                {"role": "system", "content": "be brief"},
                {"role": "user", "content": "hi", "name": "ann"},
                {"role": "developer", "content": "in French"},
            ]
        }
    )
    assert conversation.system == ()
    assert [message.role for message in conversation.messages] == ["system", "user", "system"]
    assert conversation.messages[1].name == "ann"


def test_calls_keep_their_arguments_to_the_letter() -> None:
    spaced = '{ "path" :"a.py" }'
    assert reply(
        content=None,
        tool_calls=[{"id": "c1", "type": "function", "function": {"name": "read", "arguments": spaced}}],
    ) == (call("c1", spaced),)


def test_arguments_that_are_no_text_are_read_as_json() -> None:
    (odd,) = reply(
        tool_calls=[{"id": "c1", "type": "function", "function": {"name": "read", "arguments": {"a": 1}}}]
    )
    assert isinstance(odd, ToolCall)
    assert odd.arguments == '{"a":1}'


def test_the_text_of_a_custom_call_is_an_argument() -> None:
    custom = {"id": "c1", "type": "custom", "custom": {"name": "sql", "input": 'select "a"'}}
    (read,) = reply(tool_calls=[custom])
    assert isinstance(read, ToolCall)
    assert (read.name, read.arguments) == ("sql", '{"input":"select \\"a\\""}')
    changed = replace(read, arguments='{"input":"select 2"}')
    assert written(fresh("assistant", changed))[0]["tool_calls"] == [
        {"id": "c1", "type": "custom", "custom": {"name": "sql", "input": "select 2"}}
    ]


@pytest.mark.parametrize(
    "arguments", ['{"query":"select 2"}', '{"input":1}', "{broken", '{"input":"a","b":1}']
)
def test_a_custom_call_with_other_arguments_sends_them_as_its_text(arguments: str) -> None:
    (read,) = reply(tool_calls=[{"id": "c1", "type": "custom", "custom": {"name": "sql", "input": ""}}])
    assert isinstance(read, ToolCall)
    said = written(fresh("assistant", replace(read, arguments=arguments)))
    assert said[0]["tool_calls"][0]["custom"] == {"name": "sql", "input": arguments}


def test_a_legacy_call_is_answered_by_its_name() -> None:
    said = messages(
        {"role": "assistant", "content": None, "function_call": {"name": "old", "arguments": "{}"}},
        {"role": "function", "name": "old", "content": "done"},
    )
    assert pair(said).answer == {(0, 0): (1, 0)}


def test_a_call_without_id_and_its_result_are_a_pair() -> None:
    said = messages(
        {
            "role": "assistant",
            "tool_calls": [{"type": "function", "function": {"name": "f", "arguments": "{}"}}],
        },
        {"role": "tool", "content": "done"},
    )
    assert pair(said).answer == {(0, 0): (1, 0)}


@pytest.mark.parametrize("field", ["reasoning_content", "reasoning"])
def test_reasoning_fields_are_thinking_before_the_text(field: str) -> None:
    thinking, text = reply(content="yes", **{field: "because"})
    assert isinstance(thinking, Thinking)
    assert (thinking.text, thinking.wire) == ("because", "openai-chat")
    assert text == Text(text="yes")


def test_reasoning_details_are_thinking_item_by_item() -> None:
    signed, short, encrypted, new = reply(
        reasoning_details=[
            {"type": "reasoning.text", "text": "why", "signature": "sig"},
            {"type": "reasoning.summary", "summary": "short"},
            {"type": "reasoning.encrypted", "data": "abc"},
            {"type": "reasoning.new"},
        ]
    )
    assert isinstance(signed, Thinking)
    assert (signed.text, signed.signature, signed.bound) == ("why", "sig", text_digest("why"))
    assert isinstance(short, Thinking)
    assert short.text == "short"
    assert isinstance(encrypted, Thinking)
    assert encrypted.redacted == "abc"
    assert isinstance(new, Opaque)


def test_reasoning_without_its_notes_is_written_as_reasoning_content() -> None:
    signed = reply(reasoning_details=[{"type": "reasoning.text", "text": "why", "signature": "sig"}])[0]
    assert isinstance(signed, Thinking)
    assert written(fresh("assistant", replace(signed, extra=None))) == [
        {"role": "assistant", "content": None, "reasoning_content": "why"}
    ]


def test_a_refusal_is_text_that_was_said() -> None:
    (refusal,) = reply(content=None, refusal="I will not")
    assert isinstance(refusal, Text)
    assert refusal.text == "I will not"


def test_media_are_read_whether_by_url_or_by_bytes() -> None:
    image, web, audio, pdf, file, video = blocks(
        {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PIXEL}", "detail": "low"}},
        {"type": "image_url", "image_url": {"url": "https://example.org/a.png"}},
        {"type": "input_audio", "input_audio": {"data": "SUQz", "format": "mp3"}},
        {"type": "file", "file": {"filename": "a.pdf", "file_data": "data:application/pdf;base64,JVBERi0="}},
        {"type": "file", "file": {"file_id": "file-1"}},
        {"type": "video_url", "video_url": {"url": "https://example.org/a.mp4"}},
    )
    assert isinstance(image, Media)
    assert (image.media_type, image.data, image.size_bytes, image.reference) == ("image/png", PIXEL, 70, None)
    assert web == Media(kind="image", reference="https://example.org/a.png")
    assert isinstance(audio, Media)
    assert (audio.kind, audio.media_type, audio.size_bytes) == ("audio", "audio/mpeg", 3)
    assert isinstance(pdf, Media)
    assert (pdf.kind, pdf.media_type, pdf.name) == ("document", "application/pdf", "a.pdf")
    assert file == Media(kind="file", reference="file-1")
    assert isinstance(video, Media)
    assert (video.kind, video.reference) == ("video", "https://example.org/a.mp4")


@pytest.mark.parametrize(
    ("fields", "limit"),
    [
        ({"max_completion_tokens": 7}, 7),
        ({"max_tokens": 8}, 8),
        ({"max_tokens": 8, "max_completion_tokens": 7}, 7),
        ({"max_tokens": 8, "max_completion_tokens": None}, 8),
        ({"max_tokens": True}, None),
        ({}, None),
    ],
)
def test_either_field_limits_the_output(fields: JsonObject, limit: int | None) -> None:
    assert decode({**fields, "messages": []}).max_output == limit


def test_a_changed_limit_is_written_where_it_stood() -> None:
    conversation = decode({"max_tokens": 8, "messages": []})
    assert encode(replace(conversation, max_output=9)) == {"max_tokens": 9, "messages": []}


def test_tools_of_all_three_generations_are_read() -> None:
    conversation = decode(
        {
            "messages": [],
            "tools": [
                {
                    "type": "function",
                    "function": {"name": "read", "parameters": {"type": "object"}, "strict": True},
                },
                {"type": "function", "function": {"name": "now"}},
                {"type": "custom", "custom": {"name": "sql", "description": "SQL"}},
                {"type": "web_search_preview"},
            ],
            "functions": [{"name": "old", "description": "Old", "parameters": {}}],
        }
    )
    assert [(tool.name, tool.description, tool.parameters) for tool in conversation.tools] == [
        ("read", None, {"type": "object"}),
        ("now", None, {"type": "object", "properties": {}}),
        (
            "sql",
            "SQL",
            {"type": "object", "properties": {"input": {"type": "string"}}, "required": ["input"]},
        ),
        ("web_search_preview", None, None),
        ("old", "Old", {}),
    ]


# Refusing and recognizing


@pytest.mark.parametrize(
    ("body", "path"),
    [
        ({}, "$.messages"),
        ({"messages": "hi"}, "$.messages"),
        ({"messages": [{"role": "user"}, ["hi"]]}, "$.messages[1]"),
    ],
)
def test_only_messages_that_cannot_be_found_are_refused(body: JsonObject, path: str) -> None:
    with pytest.raises(InvalidRequest, match="must be an") as caught:
        decode(body)
    assert (caught.value.facts["place"], caught.value.facts["path"]) == ("body", path)
    assert caught.value.facts["cure"]


@pytest.mark.parametrize(
    "body",
    [
        {"messages": [{"role": "user", "content": "hi"}]},
        {"messages": [{"role": "system", "content": "s"}], "model": "claude-proxy"},
        {
            "messages": [{"role": "user", "content": [{"type": "image_url", "image_url": "u"}]}],
            "model": "claude",
        },
        {"messages": [{"role": "tool", "content": "x"}]},
        {"messages": [], "tools": [{"type": "function", "function": {"name": "f"}}]},
        {"messages": [], "stream_options": {}},
    ],
)
def test_its_own_bodies_are_recognized(body: JsonObject) -> None:
    assert recognizes(body) > 0.5


@pytest.mark.parametrize(
    "body",
    [
        {"messages": [{"role": "user", "content": [{"type": "tool_result"}]}]},
        {"messages": [], "system": "s"},
        {"messages": None},
        {"input": []},
    ],
)
def test_other_bodies_are_not(body: JsonObject) -> None:
    assert recognizes(body) < 0.5

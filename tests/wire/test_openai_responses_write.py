"""What Responses is sent of edited messages and of such that come from elsewhere."""

from __future__ import annotations

import copy
from dataclasses import replace

import pytest
from hypothesis import given

from contextrail.core import json_text
from contextrail.core.ids import CallId
from contextrail.core.json_text import JsonObject
from contextrail.messages.model import (
    Conversation,
    Fence,
    Media,
    Message,
    Opaque,
    Part,
    Summary,
    Text,
    Thinking,
    Tool,
    ToolCall,
    ToolResult,
)
from contextrail.wire.openai_responses import decode, encode
from tests.properties.effort import FEW
from tests.properties.strategies import conversations
from tests.wire.openai_responses_bodies import read, said, written

# Edits


def test_an_edit_changes_what_was_edited_and_nothing_else() -> None:
    body: JsonObject = {
        "input": [
            {"type": "message", "role": "assistant", "id": "msg", "phase": "final", "content": [
                {"type": "output_text", "text": "long", "annotations": [], "logprobs": []}]},
            {"type": "function_call", "call_id": "c", "id": "fc", "name": "f", "arguments": "{}"},
            {"type": "function_call_output", "call_id": "c", "id": "fco", "output": "long"},
        ]
    }  # fmt: skip
    conversation = decode(body)

    def edit(part: Part) -> Part:
        match part:
            case Text():
                return replace(part, text="short")
            case ToolCall():
                return replace(part, call_id=CallId("d"), arguments='{"x":1}')
            case ToolResult():
                return replace(part, call_id=CallId("d"), parts=(Text(text="short"),))
            case _:
                return part

    edited = replace(
        conversation,
        messages=tuple(replace(each, parts=tuple(map(edit, each.parts))) for each in conversation.messages),
    )
    right = copy.deepcopy(body)
    right["input"][0]["content"][0]["text"] = "short"
    right["input"][1] |= {"call_id": "d", "arguments": '{"x":1}'}
    right["input"][2] |= {"call_id": "d", "output": "short"}
    assert json_text.equal(encode(edited), right)


def test_a_bare_input_becomes_a_list_once_something_follows_it() -> None:
    conversation = decode({"input": "hi"})
    more = replace(conversation, messages=(*conversation.messages, said("assistant", Text(text="hello"))))
    assert encode(more)["input"] == [
        {"role": "user", "content": "hi"},
        {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "hello"}]},
    ]


def test_a_call_that_became_a_line_of_text_is_a_message() -> None:
    [message] = read({"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}"})
    [item] = written(replace(message, parts=(Text(text="[f: done]"),)))
    assert item == {
        "type": "message",
        "role": "assistant",
        "content": [{"type": "output_text", "text": "[f: done]"}],
    }


def test_an_edited_custom_call_gets_its_text_back_and_an_edited_host_call_its_fields() -> None:
    custom, host = read(
        {"type": "custom_tool_call", "call_id": "c", "name": "sh", "input": "ls -l"},
        {
            "type": "shell_call",
            "call_id": "d",
            "id": "s",
            "action": {"commands": ["ls"]},
            "status": "completed",
        },
    )

    def with_arguments(message: Message, arguments: str) -> Message:
        [call] = message.parts
        assert isinstance(call, ToolCall)
        return replace(message, parts=(replace(call, arguments=arguments),))

    assert written(
        with_arguments(custom, '{"input":"ls"}'), with_arguments(host, '{"action":{"commands":[]}}')
    ) == [
        {"type": "custom_tool_call", "call_id": "c", "name": "sh", "input": "ls"},
        {"type": "shell_call", "call_id": "d", "id": "s", "action": {"commands": []}, "status": "completed"},
    ]


def test_edited_reasoning_is_a_summary_and_an_emptied_message_an_empty_one() -> None:
    thought, spoken = read(
        {
            "type": "reasoning",
            "id": "r",
            "summary": [],
            "content": [{"type": "reasoning_text", "text": "long"}],
        },
        {
            "type": "message",
            "id": "m",
            "role": "assistant",
            "content": [{"type": "output_text", "text": "x"}],
        },
    )
    [thinking] = thought.parts
    assert isinstance(thinking, Thinking)
    cut = replace(thought, parts=(replace(thinking, text="cut"),))
    assert written(cut, replace(spoken, parts=())) == [
        {"type": "reasoning", "id": "r", "summary": [{"type": "summary_text", "text": "cut"}]},
        {"type": "message", "id": "m", "role": "assistant", "content": []},
    ]


def test_media_that_were_taken_away_are_described() -> None:
    parts = [
        {"type": "input_image", "image_url": "data:image/png;base64,AAAA"},
        {"type": "input_audio", "input_audio": {"data": "AAAA", "format": "wav"}},
    ]
    [message] = read({"role": "user", "content": parts})
    gone = tuple(replace(part, data=None) for part in message.parts if isinstance(part, Media))
    [item] = written(replace(message, parts=gone))
    assert [part["type"] for part in item["content"]] == ["input_text", "input_text"]
    assert item["content"][0]["text"].startswith("[image: image/png, 3 bytes, sha256 ")


@pytest.mark.parametrize("arguments", ["{broken", "[]", "null"])
def test_arguments_that_are_no_object_are_the_text_of_a_custom_call_and_leave_a_host_call_as_it_was(
    arguments: str,
) -> None:
    items: list[JsonObject] = [
        {"type": "custom_tool_call", "call_id": "c", "name": "sh", "input": "ls"},
        {"type": "shell_call", "call_id": "d", "action": {"commands": ["ls"]}},
    ]
    calls = [part for message in read(*items) for part in message.parts if isinstance(part, ToolCall)]
    edited = said("assistant", *(replace(each, arguments=arguments) for each in calls))
    assert written(edited) == [{**items[0], "input": arguments}, items[1]]


def test_an_unknown_item_is_one_even_when_it_stands_among_parts_from_elsewhere() -> None:
    item = {"type": "web_search_call", "id": "ws"}
    mixed = said(
        "assistant", Text(text="a"), Opaque(wire="openai-responses", kind="web_search_call", value=item)
    )
    assert written(mixed)[1] == item


# Messages of other wire forms


def test_a_reply_of_another_provider_becomes_items_in_the_order_of_its_parts() -> None:
    reply = said(
        "assistant",
        Thinking(text="hm", signature="sig", wire="anthropic"),
        Text(text="Reading."),
        ToolCall(call_id=CallId("a"), name="read", arguments='{"path": "x"}'),
        ToolCall(call_id=CallId("b"), name="read"),
    )
    assert written(reply) == [
        {"type": "reasoning", "summary": [{"type": "summary_text", "text": "hm"}]},
        {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Reading."}]},
        {"type": "function_call", "call_id": "a", "name": "read", "arguments": '{"path": "x"}'},
        {"type": "function_call", "call_id": "b", "name": "read", "arguments": "{}"},
    ]


def test_foreign_reasoning_without_text_leaves_nothing_and_never_its_secrets() -> None:
    foreign = Thinking(redacted="secret", signature="sig", wire="anthropic")
    assert written(said("assistant", foreign)) == []
    assert "secret" not in str(written(said("assistant", replace(foreign, text="hm"))))


def test_native_reasoning_without_its_item_is_written_with_its_encrypted_content() -> None:
    native = Thinking(redacted="gAAAAA", wire="openai-responses")
    assert written(said("assistant", native)) == [
        {"type": "reasoning", "summary": [], "encrypted_content": "gAAAAA"}
    ]


def test_every_result_is_an_item_of_its_own_and_media_make_it_a_list() -> None:
    image = Media(kind="image", media_type="image/png", data="iVBORw0KGgo=")
    results = said(
        "tool",
        ToolResult(call_id=CallId("a"), parts=(Text(text="one"), Text(text="two"))),
        ToolResult(call_id=CallId("b"), parts=(Text(text="see"), image), status="error"),
        ToolResult(call_id=CallId("c")),
    )
    assert written(results) == [
        {"type": "function_call_output", "call_id": "a", "output": "one\ntwo"},
        {
            "type": "function_call_output",
            "call_id": "b",
            "output": [
                {"type": "input_text", "text": "see"},
                {"type": "input_image", "image_url": "data:image/png;base64,iVBORw0KGgo="},
            ],
        },
        {"type": "function_call_output", "call_id": "c", "output": ""},
    ]


def test_media_of_a_user_are_images_and_files_and_what_has_no_place_is_described() -> None:
    [item] = written(
        said(
            "user",
            Media(kind="image", reference="https://example.com/a.png"),
            Media(kind="document", media_type="application/pdf", data="JVBERi0=", name="a.pdf"),
            Media(kind="document", media_type="text/plain", data="aGk="),
            Media(kind="file", reference="file-1"),
            Media(kind="file", reference="https://example.com/a.pdf"),
            Media(kind="file", data="AAAA"),
            Media(kind="image", reference="file-2"),
            Media(kind="audio", media_type="audio/mp3", data="AAAA"),
            Media(kind="video", media_type="video/mp4", data="AAAA"),
        )
    )
    assert item["content"] == [
        {"type": "input_image", "image_url": "https://example.com/a.png"},
        {"type": "input_file", "filename": "a.pdf", "file_data": "data:application/pdf;base64,JVBERi0="},
        {"type": "input_text", "text": "hi"},
        {"type": "input_file", "file_id": "file-1"},
        {"type": "input_file", "file_url": "https://example.com/a.pdf"},
        {
            "type": "input_file",
            "filename": "file.bin",
            "file_data": "data:application/octet-stream;base64,AAAA",
        },
        {"type": "input_image", "file_id": "file-2"},
        {"type": "input_audio", "input_audio": {"data": "AAAA", "format": "mp3"}},
        {"type": "input_text", "text": "[video: video/mp4]"},
    ]


def test_fences_summaries_and_foreign_blocks_are_text() -> None:
    [item] = written(
        said(
            "user",
            Fence(family="clock", text="now"),
            Summary(text="before"),
            Opaque(wire="anthropic", kind="x", value={"type": "x", "n": 1}),
        )
    )
    assert [part["text"] for part in item["content"]] == ["now", "before", '{"type":"x","n":1}']


def test_instructions_of_another_provider_are_one_text() -> None:
    body = encode(Conversation(system=(Text(text="one"), Text(text="two"))))
    assert body == {"instructions": "one\n\ntwo", "input": []}


def test_a_function_of_another_provider_is_not_held_to_strict_schemas_and_its_server_tools_stay_behind() -> (
    None
):
    schema = {"type": "object", "properties": {"path": {"type": "string"}}}
    tools = (Tool(name="read", description="d", parameters=schema), Tool(name="web_search"))
    assert encode(Conversation(tools=tools))["tools"] == [
        {"type": "function", "name": "read", "description": "d", "parameters": schema, "strict": False}
    ]


@FEW
@given(conversation=conversations())
def test_any_conversation_can_be_written_and_what_is_written_can_be_read(conversation: Conversation) -> None:
    body = encode(conversation)
    json_text.dump(body)
    assert json_text.equal(encode(decode(body)), body)


def test_foreign_blocks_in_a_result_are_text_and_own_ones_stand_in_a_list() -> None:
    text = Text(text="see")
    foreign = Opaque(wire="anthropic", kind="x", value={"type": "x"})
    native = Opaque(wire="openai-responses", kind="y", value={"type": "y"})
    results = [ToolResult(call_id=CallId("c"), parts=(text, block)) for block in (foreign, native)]
    assert [each["output"] for each in written(said("tool", *results))] == [
        'see\n{"type":"x"}',
        [{"type": "input_text", "text": "see"}, {"type": "y"}],
    ]


def test_a_message_that_was_a_string_stays_one_when_a_fence_takes_its_place() -> None:
    [message] = read({"role": "user", "content": "hi"})
    [item] = written(replace(message, parts=(Fence(family="clock", text="now"),)))
    assert item == {"role": "user", "content": "now"}

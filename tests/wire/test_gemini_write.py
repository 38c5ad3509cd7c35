"""What Gemini is sent of tools and of messages that come from elsewhere."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given

from contextrail.core import json_text
from contextrail.core.ids import CallId
from contextrail.messages.model import (
    Conversation,
    Fence,
    Media,
    Opaque,
    Summary,
    Text,
    Thinking,
    Tool,
    ToolCall,
    ToolResult,
)
from contextrail.wire.gemini import decode, encode
from contextrail.wire.gemini_tools import json_schema
from tests.properties.effort import FEW
from tests.properties.strategies import conversations
from tests.wire.gemini_bodies import call, response, said, written

# Tools


def test_tools_are_read_one_by_one_and_written_in_their_groups() -> None:
    tools = [
        {"functionDeclarations": [{"name": "a"}, {"name": "b", "parametersJsonSchema": {"type": "object"}}]},
        {"googleSearch": {}},
    ]
    conversation = decode({"contents": [], "tools": tools})
    assert [each.name for each in conversation.tools] == ["a", "b", "googleSearch"]
    assert [each.parameters is None for each in conversation.tools] == [False, False, True]
    fresh = Tool(name="c", parameters={"type": "object"})
    more = replace(conversation, tools=(*conversation.tools, fresh))
    assert encode(more)["tools"] == [
        {"functionDeclarations": [
            {"name": "a"},
            {"name": "b", "parametersJsonSchema": {"type": "object"}},
            {"name": "c", "parametersJsonSchema": {"type": "object"}},
        ]},
        {"googleSearch": {}},
    ]  # fmt: skip


def test_an_edited_schema_is_json_schema_an_unedited_one_stays_in_its_dialect() -> None:
    dialect = {"type": "OBJECT", "properties": {"a": {"type": "STRING"}}}
    conversation = decode({"tools": [{"functionDeclarations": [{"name": "f", "parameters": dialect}]}]})
    [tool] = conversation.tools
    assert tool.parameters == {"type": "object", "properties": {"a": {"type": "string"}}}
    edited = encode(replace(conversation, tools=(replace(tool, parameters={"type": "object"}),)))
    assert edited["tools"] == [
        {"functionDeclarations": [{"name": "f", "parametersJsonSchema": {"type": "object"}}]}
    ]


def test_a_schema_in_geminis_dialect_is_json_schema_for_everyone_else() -> None:
    assert json_schema(
        {
            "type": "OBJECT",
            "nullable": True,
            "propertyOrdering": ["a"],
            "properties": {
                "type": {"type": "STRING", "minLength": "1", "enum": ["STRING"]},
                "list": {"type": "ARRAY", "items": {"type": "INTEGER"}, "min_items": 2},
                "any": {"any_of": [{"type": "NUMBER"}, {"type": "NULL"}]},
            },
        }
    ) == {
        "type": ["object", "null"],
        "properties": {
            "type": {"type": "string", "minLength": 1, "enum": ["STRING"]},
            "list": {"type": "array", "items": {"type": "integer"}, "minItems": 2},
            "any": {"anyOf": [{"type": "number"}, {"type": "null"}]},
        },
    }


def test_tools_of_another_provider_are_declared_and_its_server_tools_stay_behind() -> None:
    schema = {"type": "object", "properties": {"path": {"type": "string"}}}
    tools = (Tool(name="read", description="d", parameters=schema), Tool(name="web_search"))
    assert encode(Conversation(tools=tools))["tools"] == [
        {"functionDeclarations": [{"name": "read", "description": "d", "parametersJsonSchema": schema}]}
    ]


# Messages of other wire forms


def test_a_batch_of_another_provider_is_one_content_of_calls_and_one_of_responses() -> None:
    assert written(
        said("user", Text(text="go")),
        said(
            "assistant",
            Text(text="Reading."),
            ToolCall(call_id=CallId("a"), name="read", arguments='{"p":1}'),
        ),
        said("assistant", ToolCall(call_id=CallId("b"), name="write")),
        said("tool", ToolResult(call_id=CallId("a"), parts=(Text(text="x"), Text(text="y")))),
        said("tool", ToolResult(call_id=CallId("b"), parts=(Text(text="denied"),), status="error")),
        said("tool", ToolResult(call_id=CallId("z"))),
        said("user", Text(text="thanks")),
    ) == [
        {"role": "user", "parts": [{"text": "go"}]},
        {
            "role": "model",
            "parts": [
                {"text": "Reading."},
                {"functionCall": {"name": "read", "args": {"p": 1}, "id": "a"}},
                {"functionCall": {"name": "write", "args": {}, "id": "b"}},
            ],
        },
        {
            "role": "user",
            "parts": [
                {"functionResponse": {"name": "read", "id": "a", "response": {"output": "x\ny"}}},
                {"functionResponse": {"name": "write", "id": "b", "response": {"error": "denied"}}},
                {"functionResponse": {"name": "unknown", "id": "z", "response": {"output": ""}}},
            ],
        },
        {"role": "user", "parts": [{"text": "thanks"}]},
    ]


def test_a_result_added_to_a_batch_that_was_read_stands_with_the_others() -> None:
    conversation = decode(
        {
            "contents": [
                {"role": "model", "parts": [call("f", "a"), call("g", "b")]},
                {"role": "user", "parts": [response("f", "a")]},
            ]
        }
    )
    added = said("tool", ToolResult(call_id=CallId("b"), parts=(Text(text="unknown"),)))
    for messages in (
        (*conversation.messages, added),
        (conversation.messages[0], added, conversation.messages[1]),
    ):
        contents = encode(replace(conversation, messages=messages))["contents"]
        assert [len(each["parts"]) for each in contents] == [2, 2]
        assert {part["functionResponse"]["name"] for part in contents[1]["parts"]} == {"f", "g"}


@pytest.mark.parametrize("arguments", ["{broken", "NaN", '{"n": 1e999}', ""])
def test_arguments_that_are_no_json_are_written_as_the_string_they_are(arguments: str) -> None:
    [content] = written(said("assistant", ToolCall(call_id=CallId("a"), name="f", arguments=arguments)))
    assert content["parts"][0]["functionCall"]["args"] == arguments


def test_media_of_a_tool_stand_after_the_responses_or_inside_where_the_model_takes_them() -> None:
    image = Media(kind="image", media_type="image/png", data="iVBORw0KGgo=", size_bytes=8)
    results = (
        said("tool", ToolResult(call_id=CallId("a"), name="shot", parts=(Text(text="see"), image))),
        said("tool", ToolResult(call_id=CallId("b"), name="shot", parts=(Text(text="none"),))),
        said("user", Text(text="thanks")),
    )
    blob = {"inlineData": {"mimeType": "image/png", "data": "iVBORw0KGgo="}}
    older = written(*results, model="gemini-2.5-pro")
    assert [len(each["parts"]) for each in older] == [2, 2]
    assert older[0]["parts"][0]["functionResponse"]["response"] == {
        "output": "see\n[image: image/png, 8 bytes]"
    }
    assert older[1]["parts"] == [blob, {"text": "thanks"}]
    newer = written(*results, model="models/gemini-3-pro-preview")
    assert newer[0]["parts"][0]["functionResponse"]["response"] == {"output": "see"}
    assert newer[0]["parts"][0]["functionResponse"]["parts"] == [blob]


def test_media_at_the_end_are_not_forgotten() -> None:
    image = Media(kind="image", media_type="image/png", data="iVBORw0KGgo=")
    contents = written(said("tool", ToolResult(call_id=CallId("a"), parts=(image,))))
    assert "inlineData" in contents[-1]["parts"][0]


def test_foreign_reasoning_is_a_thought_without_signature_or_nothing() -> None:
    foreign = Thinking(text="hm", signature="secret", redacted="secret", wire="anthropic")
    assert written(said("assistant", foreign)) == [
        {"role": "model", "parts": [{"text": "hm", "thought": True}]}
    ]
    assert written(said("assistant", replace(foreign, text=""))) == []


def test_fences_summaries_foreign_blocks_and_system_messages_are_text_of_the_user() -> None:
    parts = (
        Fence(family="clock", text="now"),
        Summary(text="before"),
        Opaque(wire="anthropic", kind="x", value={"type": "x"}),
        Media(kind="file", reference="file-1"),
        Media(kind="image", reference="https://example.com/a.png"),
        Media(kind="image", media_type="image/png", reference="files/1"),
    )
    assert written(said("system", *parts), said("user", Text(text="hi"))) == [
        {
            "role": "user",
            "parts": [
                {"text": "now"},
                {"text": "before"},
                {"text": '{"type":"x"}'},
                {"text": "[file: file, file-1]"},
                {"fileData": {"fileUri": "https://example.com/a.png"}},
                {"fileData": {"mimeType": "image/png", "fileUri": "files/1"}},
                {"text": "hi"},
            ],
        }
    ]


def test_instructions_of_another_provider_are_parts_of_the_system_instruction() -> None:
    called = encode(Conversation(system=(ToolCall(call_id=CallId("a"), name="f"),)))
    assert called["systemInstruction"] == {"parts": [{"text": "f {}"}]}
    body = encode(Conversation(model="m", system=(Text(text="one"), Text(text="two")), max_output=9))
    assert body == {
        "contents": [],
        "systemInstruction": {"parts": [{"text": "one"}, {"text": "two"}]},
        "generationConfig": {"maxOutputTokens": 9},
    }


@FEW
@given(conversation=conversations())
def test_any_conversation_can_be_written_and_what_is_written_can_be_read(conversation: Conversation) -> None:
    body = encode(conversation)
    json_text.dump(body)
    assert json_text.equal(encode(decode(body)), body)

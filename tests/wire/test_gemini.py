"""Gemini bodies: every one that can be read comes back as the same JSON value."""

from __future__ import annotations

import copy
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contextrail.core import json_text
from contextrail.core.errors import InvalidRequest
from contextrail.core.ids import CallId, MessageId
from contextrail.core.json_text import JsonObject
from contextrail.messages.model import (
    Conversation,
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
from contextrail.messages.pairs import continues, pair
from contextrail.wire.gemini import decode, encode, recognizes
from contextrail.wire.gemini_tools import json_schema
from tests.properties.effort import FEW
from tests.properties.strategies import conversations
from tests.properties.values import json_objects, json_values, names, texts
from tests.wire.cassettes import Exchange, exchanges
from tests.wire.odd_bodies import merged, odd, optional

# Bodies that the form allows, in all its variety


def either(camel: str, snake: str, value: st.SearchStrategy[Any]) -> st.SearchStrategy[JsonObject]:
    """An object with one field, in either spelling."""
    return st.builds(lambda key, held: {key: held}, st.sampled_from([camel, snake]), value)


FUNCTIONS = st.sampled_from(["read", "write", ""])
SIGNED = optional(
    thoughtSignature=st.just("c2ln"), thought_signature=st.just("c2ln"), thought=st.booleans() | st.none()
)
BLOBS = optional(
    data=st.sampled_from(["aGk=", "", "no base64!"]),
    fileUri=st.just("https://example.com/a"),
    file_uri=st.just("gs://b/o"),
    mimeType=st.sampled_from(["image/png", "Audio/WAV", "text/plain"]),
    mime_type=st.just("application/pdf"),
    displayName=names(),
)
MEDIA = either("inlineData", "inline_data", BLOBS) | either("fileData", "file_data", BLOBS)
CALLS = either(
    "functionCall",
    "function_call",
    optional(
        name=FUNCTIONS,
        args=json_objects(3) | json_values(2),
        id=st.sampled_from(["a", "b", "gemini-0-0", ""]),
    ),
)
BODY = st.one_of(
    st.builds(
        lambda key, text: {key: text}, st.sampled_from(["output", "result", "content", "error", "x"]), texts()
    ),
    json_objects(3),
    json_values(2),
)
RESPONSES = either(
    "functionResponse",
    "function_response",
    optional(
        name=FUNCTIONS,
        response=BODY,
        id=st.sampled_from(["a", "b", "c"]),
        scheduling=st.just("WHEN_IDLE"),
        willContinue=st.booleans(),
        parts=st.lists(MEDIA, max_size=2) | st.none(),
    ),
)
PARTS = st.one_of(
    st.builds(lambda text, more: {"text": text, **more}, texts(), SIGNED),
    SIGNED,
    st.builds(lambda call, more: {**call, **more}, CALLS, SIGNED),
    RESPONSES,
    merged(MEDIA, SIGNED),
    st.sampled_from(
        [
            {"executableCode": {"language": "PYTHON", "code": "1"}},
            {"codeExecutionResult": {"outcome": "OUTCOME_OK", "output": "1"}},
            {"text": "x", "functionCall": {"name": "read"}},
            {"text": None},
            {},
        ]
    ),
)
CONTENTS = merged(
    optional(role=st.sampled_from(["user", "model", "function", "system", "assistant", "x"]) | st.none()),
    st.fixed_dictionaries({"parts": st.lists(PARTS, max_size=4) | PARTS}),
)
DECLARATIONS = optional(
    name=names(),
    description=texts() | st.none(),
    parameters=json_objects(3)
    | st.just({"type": "OBJECT", "properties": {"a": {"type": "STRING", "nullable": True}}}),
    parametersJsonSchema=json_objects(3),
    parameters_json_schema=st.just({"type": "object", "properties": {}}),
    response=json_objects(2),
)
TOOLS = st.one_of(
    merged(
        either("functionDeclarations", "function_declarations", st.lists(DECLARATIONS, max_size=2)),
        optional(googleSearch=st.just({}), codeExecution=st.just({})),
    ),
    st.sampled_from([{"googleSearch": {}}, {"urlContext": {}, "~x": 1}, {}]),
)
CONFIG = optional(
    maxOutputTokens=st.integers(),
    max_output_tokens=st.integers(),
    topK=st.just(40.0),
    thinkingConfig=json_objects(2),
)
BODIES = st.one_of(
    merged(
        optional(
            contents=st.lists(CONTENTS, max_size=5) | CONTENTS | st.none(),
            tools=st.lists(TOOLS, max_size=3) | st.none(),
            generationConfig=CONFIG,
            generation_config=CONFIG,
            systemInstruction=texts() | CONTENTS | st.none() | st.lists(texts(), max_size=1),
            system_instruction=CONTENTS,
            toolConfig=json_objects(2),
            model=names(),
        )
    ),
    st.builds(lambda contents: {"contents": contents}, st.lists(CONTENTS, min_size=1, max_size=5)),
)
KEEP = "contents"


def read(*contents: JsonObject) -> tuple[Message, ...]:
    return decode({"contents": list(contents)}).messages


def written(*messages: Message, **facts: Any) -> list[Any]:
    found = encode(Conversation(messages=messages, **facts))["contents"]
    assert isinstance(found, list)
    return found


def said(role: Role, *parts: Part) -> Message:
    return Message(id=MessageId("m"), role=role, parts=parts)


def call(name: str, ident: str | None = None) -> JsonObject:
    return {"functionCall": {"name": name, "args": {}, **({} if ident is None else {"id": ident})}}


def response(name: str, ident: str | None = None, **fields: Any) -> JsonObject:
    held = {"name": name, "response": {"output": "ok"}, **fields}
    return {"functionResponse": {**held, **({} if ident is None else {"id": ident})}}


def result_of(value: object) -> ToolResult:
    """The result read from a response with this value as its `response`."""
    [message] = read({"role": "user", "parts": [{"functionResponse": {"name": "f", "response": value}}]})
    [part] = message.parts
    assert isinstance(part, ToolResult)
    return part


# Round trip

BLOB = {"mimeType": "Image/PNG", "data": "iVBORw0KGgo=", "displayName": "a", "~x": 1}
ODD_PARTS: list[Any] = [
    None,
    "text",
    {},
    {"text": 1},
    {"text": None, "thoughtSignature": "s"},
    {"text": "", "thought_signature": "s"},
    {"text": "x", "thought_signature": "s"},
    {"text": "x", "thought": False},
    {"text": "x", "thought": True, "thoughtSignature": "s", "thought_signature": "t"},
    {"thought": True, "thoughtSignature": "s"},
    {"text": "x", "functionCall": {"name": "f"}},
    {"text": "x", "inlineData": None},
    {"inlineData": BLOB, "mediaResolution": {}},
    {"inline_data": {"mime_type": "audio/wav", "data": ""}},
    {"inlineData": {"data": None}},
    {"inlineData": "x"},
    {"fileData": {"fileUri": "gs://b/o"}},
    {"file_data": {"file_uri": "x", "mime_type": "TEXT/plain", "display_name": 1}},
    {"functionCall": None},
    {"functionCall": "f"},
    {"functionCall": {}},
    {"functionCall": {"name": "", "id": "", "args": None}},
    {"function_call": {"name": "f", "args": [1], "~x": 1}, "thought_signature": "s", "~key": 1},
    {"functionResponse": "f"},
    {"functionResponse": {}},
    {"functionResponse": {"id": "a", "response": "x"}},
    {"functionResponse": {"name": "f", "response": {}, "parts": None}},
    {"functionResponse": {"name": "f", "response": {"error": ""}, "parts": []}},
    {"functionResponse": {"name": "f", "response": {"result": "5"}, "will_continue": True}},
    {"functionResponse": {"name": "f", "parts": [{"inlineData": BLOB}, {"fileData": {}}, {"text": "x"}, 1]}},
    {"function_response": {"name": "f", "response": {"~fields": 1}, "scheduling": "SILENT"}},
    {"executable_code": {"code": "1"}},
]
ODD_BODIES: list[JsonObject] = [
    {},
    {"contents": None},
    {"contents": [], "tools": [], "generationConfig": {}, "systemInstruction": None, "model": "models/m"},
    {"contents": {"parts": {"text": "hi"}}},
    {
        "contents": [
            {},
            {"role": None, "parts": None},
            {"role": 5, "parts": "x"},
            {"role": "function", "parts": []},
        ]
    },
    {"contents": [{"parts": [response("f"), {"text": "x"}], "role": None, "~joined": True}]},
    {"contents": [{"parts": [response("f"), {"text": "x"}, response("f")], "role": "model"}]},
    {"~contents": "object", "~fields": 1, "contents": [{"role": "user", "parts": [{"text": "x"}]}]},
    {
        "system_instruction": {"parts": []},
        "systemInstruction": "",
        "generation_config": {"maxOutputTokens": 5},
    },
    {"systemInstruction": {"parts": [call("f"), response("f"), {"inlineData": BLOB}], "role": "system"}},
    {
        "systemInstruction": ["x"],
        "generationConfig": {"maxOutputTokens": True, "max_output_tokens": 5, "~x": 1},
    },
    {"systemInstruction": {"text": "x"}, "generationConfig": 1, "tools": {}},
    {
        "tools": [
            None,
            "x",
            {},
            {"functionDeclarations": []},
            {"functionDeclarations": None, "googleSearch": {}},
        ]
    },
    {
        "tools": [
            {"function_declarations": [{"name": "f"}, {}, None], "functionDeclarations": [{"name": "g"}]}
        ]
    },
    {
        "tools": [
            {"functionDeclarations": [{"name": "f", "parameters": {"type": "OBJECT", "nullable": True}}]}
        ]
    },
    {"tools": [{"functionDeclarations": [{"name": "f", "parameters": None, "parametersJsonSchema": {}}]}]},
    {
        "tools": [
            {
                "functionDeclarations": [
                    {"name": "f", "parameters_json_schema": {"type": "object", "properties": {}}}
                ]
            }
        ]
    },
]


@pytest.mark.parametrize(
    "body",
    [*({"contents": [{"role": "user", "parts": [part]}]} for part in ODD_PARTS), *ODD_BODIES],
    ids=repr,
)
def test_an_odd_body_comes_back_as_the_same_json_value(body: JsonObject) -> None:
    assert json_text.equal(encode(decode(body)), body)


@given(body=odd(BODIES, keep=(KEEP,)))
def test_any_body_that_can_be_read_comes_back_as_the_same_json_value(body: JsonObject) -> None:
    before = copy.deepcopy(body)
    try:
        conversation = decode(body)
    except InvalidRequest as error:
        assert str(error.facts["path"]).startswith("$.contents[")  # noqa: PT017
        return
    assert json_text.equal(encode(conversation), before)
    assert json_text.equal(body, before)


@pytest.mark.parametrize("exchange", exchanges(), ids=lambda each: each.name)
def test_what_a_model_answered_comes_back_when_it_is_sent_again(exchange: Exchange) -> None:
    answers = exchange.response.get("candidates", []) if isinstance(exchange.response, dict) else []
    body = {"contents": [each["content"] for each in answers]}
    assert bool(answers) is (exchange.provider == "gemini" and isinstance(exchange.response, dict))
    assert json_text.equal(encode(decode(body)), body)


@pytest.mark.parametrize("value", [1, True, "hi", 0.5])
def test_contents_that_are_no_list_are_refused_with_their_path(value: object) -> None:
    with pytest.raises(InvalidRequest, match=r"^\$\.contents must be an array, not ") as caught:
        decode({"contents": value})
    assert caught.value.facts["path"] == "$.contents"


@pytest.mark.parametrize("value", [None, 1, "text", ["nested"]])
def test_a_content_that_is_no_object_is_refused_with_its_path(value: object) -> None:
    with pytest.raises(InvalidRequest) as caught:
        decode({"contents": [{"parts": []}, value]})
    assert caught.value.facts["path"] == "$.contents[1]"


# Calls and responses


def test_calls_without_ids_get_one_from_their_place_and_responses_answer_them_in_order() -> None:
    found = read(
        {"role": "user", "parts": [{"text": "go"}]},
        {"role": "model", "parts": [call("read"), call("write"), call("read")]},
        {"role": "user", "parts": [response("read"), response("read"), response("write")]},
    )
    calls = [part.call_id for part in found[1].parts if isinstance(part, ToolCall)]
    results = [part.call_id for part in found[2].parts if isinstance(part, ToolResult)]
    assert calls == ["gemini-1-0", "gemini-1-1", "gemini-1-2"]
    assert results == ["gemini-1-0", "gemini-1-2", "gemini-1-1"]
    assert [each.role for each in found] == ["user", "assistant", "tool"]


def test_an_id_made_from_a_place_is_never_one_that_the_body_uses() -> None:
    found = read(
        {"role": "model", "parts": [call("read"), call("read", "gemini-0-0")]},
        {"role": "user", "parts": [response("read", "gemini-0-0"), response("read")]},
    )
    first, second = found[0].parts
    assert isinstance(first, ToolCall)
    assert isinstance(second, ToolCall)
    assert first.call_id != second.call_id == "gemini-0-0"
    assert pair(found).answer == {(0, 0): (1, 1), (0, 1): (1, 0)}


@pytest.mark.parametrize(("called", "answered"), [("a", "a"), ("a", None), (None, "a"), (None, None)])
def test_a_response_finds_its_call_with_an_id_on_both_sides_on_one_or_on_none(
    called: str | None, answered: str | None
) -> None:
    found = read(
        {"role": "model", "parts": [call("read", called)]},
        {"role": "user", "parts": [response("read", answered)]},
    )
    assert pair(found).answer == {(0, 0): (1, 0)}


def test_a_response_of_another_function_is_an_orphan() -> None:
    found = read({"role": "model", "parts": [call("read")]}, {"role": "user", "parts": [response("write")]})
    assert pair(found).unanswered == ((0, 0),)
    assert pair(found).orphans == ((1, 0),)


def test_a_response_that_continues_leaves_its_call_open() -> None:
    found = read(
        {"role": "model", "parts": [call("read")]},
        {"role": "user", "parts": [response("read", willContinue=True)]},
        {"role": "user", "parts": [response("read", willContinue=False)]},
    )
    assert pair(found).answer == {(0, 0): (2, 0)}
    assert pair(found).interim == {(0, 0): ((1, 0),)}


def test_every_response_finds_its_call_however_many_are_open() -> None:
    count = 2_000
    found = read(
        {"role": "model", "parts": [call("read", str(at)) for at in range(count)]},
        {"role": "user", "parts": [response("read", str(at)) for at in reversed(range(count))]},
    )
    assert len(pair(found).answer) == count


def test_arguments_are_the_compact_json_text_of_what_stood_there() -> None:
    args: tuple[object, ...] = ({"路径": "a b", "n": 1.0}, "text", None, [1])
    [message] = read(
        {"role": "model", "parts": [{"functionCall": {"name": "f", "args": each}} for each in args]}
    )
    assert [part.arguments for part in message.parts if isinstance(part, ToolCall)] == [
        '{"路径":"a b","n":1.0}',
        '"text"',
        "null",
        "[1]",
    ]


@pytest.mark.parametrize(
    ("value", "text", "status"),
    [
        ({"output": "x"}, "x", "ok"),
        ({"result": "x"}, "x", "ok"),
        ({"content": "x"}, "x", "ok"),
        ({"output": ["x"]}, '{"output":["x"]}', "ok"),
        ({"temperature": 21.0}, '{"temperature":21.0}', "ok"),
        ({"error": "no such file"}, "no such file", "error"),
        ({"error": {"code": 5}}, '{"error":{"code":5}}', "error"),
        ({"error": None, "output": "x"}, '{"error":null,"output":"x"}', "ok"),
        ({}, "{}", "ok"),
        ("bare", '"bare"', "ok"),
    ],
)
def test_a_response_is_the_text_that_a_tool_gave(value: object, text: str, status: str) -> None:
    result = result_of(value)
    assert result.parts == (Text(text=text),)
    assert result.status == status


@pytest.mark.parametrize(
    ("value", "edited"),
    [
        ({"output": "long"}, {"output": "cut"}),
        ({"result": "long"}, {"result": "cut"}),
        ({"error": "long"}, {"error": "cut"}),
        ({"rows": [1]}, {"output": "cut"}),
        ({"error": {"code": 5}}, {"error": "cut"}),
        ("bare", {"output": "cut"}),
    ],
)
def test_a_response_that_was_cut_stays_an_object(value: object, edited: object) -> None:
    part = replace(result_of(value), parts=(Text(text="cut"),))
    [content] = written(said("tool", part))
    assert content["parts"][0]["functionResponse"]["response"] == edited


def test_media_inside_a_response_are_media() -> None:
    held = response("shot", parts=[{"inlineData": {"mimeType": "image/png", "data": "iVBORw0KGgo="}}])
    [message] = read({"role": "user", "parts": [held]})
    [result] = message.parts
    assert isinstance(result, ToolResult)
    assert isinstance(result.parts[1], Media)
    assert (result.parts[1].kind, result.parts[1].size_bytes) == ("image", 8)


# Contents


def test_a_content_of_responses_and_speech_is_several_messages_and_one_content_again() -> None:
    body = {
        "contents": [
            {"role": "model", "parts": [call("f")]},
            {"role": "user", "parts": [response("f"), {"text": "and now?"}, {"text": "hurry"}]},
        ]
    }
    conversation = decode(body)
    assert [each.role for each in conversation.messages] == ["assistant", "tool", "user"]
    assert [continues(each) for each in conversation.messages] == [False, False, True]
    assert len({each.id for each in conversation.messages}) == 3
    assert json_text.equal(encode(conversation), body)


@pytest.mark.parametrize(
    ("gone", "left"),
    [
        (1, [{"role": "model", "parts": [{"text": "hi"}]}, {"role": "user", "parts": [{"text": "and?"}]}]),
        (2, [{"role": "model", "parts": [{"text": "hi"}]}, {"role": "user", "parts": [response("f")]}]),
    ],
)
def test_a_piece_whose_neighbor_is_gone_is_a_content_by_itself(gone: int, left: list[JsonObject]) -> None:
    conversation = decode(
        {
            "contents": [
                {"role": "model", "parts": [{"text": "hi"}]},
                {"role": "user", "parts": [response("f"), {"text": "and?"}]},
            ]
        }
    )
    kept = tuple(each for at, each in enumerate(conversation.messages) if at != gone)
    assert encode(replace(conversation, messages=kept))["contents"] == left


def test_pieces_of_two_contents_never_share_one() -> None:
    mixed = {"role": "user", "parts": [response("f"), {"text": "a"}]}
    conversation = decode({"contents": [mixed, mixed]})
    kept = (conversation.messages[0], conversation.messages[3])
    contents = encode(replace(conversation, messages=kept))["contents"]
    assert contents == [
        {"role": "user", "parts": [response("f")]},
        {"role": "user", "parts": [{"text": "a"}]},
    ]


def test_a_thought_is_thinking_bound_to_its_signature_and_a_signature_alone_too() -> None:
    [message] = read(
        {
            "role": "model",
            "parts": [
                {"text": "hm", "thought": True, "thoughtSignature": "c2ln"},
                {"text": "", "thoughtSignature": "c2ln"},
                {"thoughtSignature": "c2ln"},
                {"text": "so", "thoughtSignature": "c2ln"},
                {"functionCall": {"name": "f", "args": {}}, "thoughtSignature": "c2ln"},
            ],
        }
    )
    thought, empty, alone, spoken, called = message.parts
    assert [getattr(each, "signature", None) for each in message.parts] == ["c2ln"] * 3 + [None, "c2ln"]
    assert all(isinstance(each, Thinking) for each in (thought, empty, alone))
    assert isinstance(spoken, Text)
    assert isinstance(called, ToolCall)


def test_a_signature_goes_when_the_text_it_proves_is_another() -> None:
    [message] = read({"role": "model", "parts": [{"text": "long", "thoughtSignature": "c2ln"}]})
    [text] = message.parts
    assert isinstance(text, Text)
    [content] = written(replace(message, parts=(replace(text, text="cut"),)))
    assert content["parts"] == [{"text": "cut"}]


def test_media_whose_type_was_corrected_or_whose_data_went_are_written_so() -> None:
    [message] = read({"role": "user", "parts": [{"inlineData": BLOB}, {"fileData": {"fileUri": "gs://b/o"}}]})
    blob, file = message.parts
    assert isinstance(blob, Media)
    assert isinstance(file, Media)
    edited = replace(message, parts=(replace(blob, media_type="image/webp"), replace(blob, data=None), file))
    [content] = written(edited)
    assert content["parts"][0]["inlineData"] == {**BLOB, "mimeType": "image/webp"}
    assert content["parts"][1]["text"].startswith("[image: image/png, a, 8 bytes, ")
    assert content["parts"][2] == {"fileData": {"fileUri": "gs://b/o"}}


def test_a_role_that_no_longer_fits_is_the_one_of_the_message() -> None:
    message, missing = read({"role": "function", "parts": [{"text": "x"}]}, {"parts": [{"text": "y"}]})
    assert [each["role"] for each in written(replace(message, role="assistant"), replace(missing, role="assistant"))] == [
        "model", "model",
    ]  # fmt: skip


def test_calls_that_share_an_id_are_answered_one_after_the_other() -> None:
    found = read(
        {"role": "model", "parts": [call("f", "a"), call("f", "a")]},
        {"role": "user", "parts": [response("f", "a"), response("f", "a")]},
    )
    assert pair(found).answer == {(0, 0): (1, 0), (0, 1): (1, 1)}


def test_system_instruction_and_limit_are_read_in_every_form_of_the_documentation() -> None:
    for body in (
        {"systemInstruction": {"parts": [{"text": "be brief"}]}, "generationConfig": {"maxOutputTokens": 9}},
        {
            "system_instruction": {"parts": {"text": "be brief"}},
            "generation_config": {"max_output_tokens": 9},
        },
        {"systemInstruction": "be brief", "generationConfig": {"maxOutputTokens": 9, "topK": 1}},
    ):
        found = decode({**body, "contents": {"parts": {"text": "hi"}}})
        assert (found.system, found.max_output) == ((Text(text="be brief"),), 9)
        assert [each.role for each in found.messages] == ["user"]


def test_an_edited_limit_and_instruction_stand_where_the_old_ones_stood() -> None:
    body = {
        "contents": [],
        "system_instruction": {"role": "user", "parts": [{"text": "be brief"}]},
        "generation_config": {"max_output_tokens": 9, "topK": 1},
    }
    edited = replace(decode(body), max_output=5, system=(Text(text="be long"),))
    assert encode(edited) == {
        "contents": [],
        "system_instruction": {"role": "user", "parts": [{"text": "be long"}]},
        "generation_config": {"max_output_tokens": 5, "topK": 1},
    }


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


# Recognizing


@pytest.mark.parametrize("exchange", exchanges(), ids=lambda each: each.name)
def test_only_requests_of_this_form_are_recognized(exchange: Exchange) -> None:
    sure = recognizes(exchange.request)
    assert (sure >= 0.8) is (exchange.provider == "gemini")
    assert 0 <= sure <= 1


def test_a_body_without_contents_is_recognized_by_its_other_fields_or_not_at_all() -> None:
    assert recognizes({"contents": {"parts": {"text": "hi"}}}) == 0.95
    assert recognizes({"systemInstruction": "x"}) == 0.3
    assert recognizes({"contents": []}) == 0.5
    assert recognizes({"model": "m"}) == 0.0

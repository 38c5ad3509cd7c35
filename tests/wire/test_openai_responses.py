"""Responses bodies: every one that can be read comes back as the same JSON value."""

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
from contextrail.messages.pairs import pair, units
from contextrail.wire.openai_responses import decode, encode, recognizes
from tests.properties.effort import FEW
from tests.properties.strategies import conversations
from tests.properties.values import json_objects, names, texts
from tests.wire.cassettes import Exchange, exchanges
from tests.wire.odd_bodies import merged, odd, optional

RECORDED = [each for each in exchanges() if each.provider == "openai-responses"]

# Bodies that the form allows, in all its variety

IDS = st.sampled_from(["call_1", "call_2", "fc_3"])
STATUS = st.sampled_from(["completed", "in_progress"])
TEXT_PARTS = st.one_of(
    st.builds(lambda text: {"type": "input_text", "text": text}, texts()),
    st.builds(lambda text: {"type": "output_text", "text": text, "annotations": []}, texts()),
    st.builds(lambda text: {"type": "output_text", "text": text}, texts()),
    st.builds(lambda text: {"type": "text", "text": text}, texts()),
    st.builds(lambda text: {"type": "refusal", "refusal": text}, texts()),
)
URLS = st.sampled_from(
    [
        "https://example.com/a.png",
        "data:image/png;base64,iVBORw0KGgo=",
        "data:IMAGE/PNG;base64,AA=",
        "data:,hi",
        "",
    ]
)
MEDIA_PARTS = st.one_of(
    st.builds(
        lambda kind, key, held, more: {"type": kind, key: held, **more},
        st.sampled_from(["input_image", "computer_screenshot", "input_file"]),
        st.sampled_from(["image_url", "file_id", "file_data", "file_url"]),
        URLS | st.just("JVBERi0=") | st.none(),
        optional(detail=st.just("auto"), filename=names() | st.none(), file_id=IDS),
    ),
    st.just({"type": "input_audio", "input_audio": {"data": "UklGRg==", "format": "wav"}}),
    st.just({"type": "input_audio", "input_audio": {"data": "", "format": None, "~x": 1}}),
)
PARTS = st.one_of(TEXT_PARTS, MEDIA_PARTS, json_objects(3))
CONTENT = st.one_of(
    texts(),
    st.lists(TEXT_PARTS, max_size=3),
    st.lists(MEDIA_PARTS, min_size=1, max_size=2),
    st.lists(PARTS, max_size=3),
)
MESSAGES = merged(
    st.fixed_dictionaries(
        {
            "role": st.sampled_from(["user", "assistant", "system", "developer", "critic"]),
            "content": CONTENT | st.none(),
        }
    ),
    optional(type=st.just("message"), id=IDS, status=STATUS, phase=st.just("commentary")),
)
SUMMARIES = st.lists(st.builds(lambda text: {"type": "summary_text", "text": text}, texts()), max_size=2)
REASONING = merged(
    st.just({"type": "reasoning"}),
    optional(
        id=IDS,
        summary=SUMMARIES,
        content=st.none() | st.lists(st.just({"type": "reasoning_text", "text": "so"}), max_size=2),
        encrypted_content=st.none() | st.just("gAAAAA"),
        status=STATUS,
    ),
)
CALLS = st.one_of(
    merged(
        st.just({"type": "function_call"}),
        optional(
            call_id=IDS,
            name=names(),
            arguments=st.sampled_from(["{}", "", '{"a": 1}', "{broken"]) | json_objects(2),
            id=IDS,
            status=STATUS,
            namespace=names(),
        ),
    ),
    st.builds(
        lambda call_id, text: {"type": "custom_tool_call", "call_id": call_id, "name": "sh", "input": text},
        IDS,
        texts(),
    ),
    merged(
        st.fixed_dictionaries(
            {
                "type": st.sampled_from(
                    [
                        "computer_call",
                        "local_shell_call",
                        "shell_call",
                        "apply_patch_call",
                        "tool_search_call",
                    ]
                )
            }
        ),
        optional(call_id=IDS | st.none(), action=json_objects(3), id=IDS, status=STATUS),
    ),
)
OUTPUTS = merged(
    st.fixed_dictionaries(
        {
            "type": st.sampled_from(
                [
                    "function_call_output",
                    "custom_tool_call_output",
                    "computer_call_output",
                    "shell_call_output",
                    "tool_search_output",
                    "future_call_output",
                ]
            )
        }
    ),
    optional(
        call_id=IDS,
        output=CONTENT | PARTS | st.none(),
        tools=st.lists(json_objects(3), max_size=2),
        id=IDS,
        status=STATUS,
    ),
)
OTHER_ITEMS = st.sampled_from(
    [
        {
            "type": "web_search_call",
            "id": "ws_1",
            "status": "completed",
            "action": {"type": "search", "query": "x"},
        },
        {"type": "mcp_list_tools", "id": "m", "server_label": "s", "tools": []},
        {"type": "mcp_approval_request", "id": "mr", "server_label": "s", "name": "n", "arguments": "{}"},
        {"type": "mcp_approval_response", "approval_request_id": "mr", "approve": True},
        {"type": "compaction", "id": "cmp_1", "encrypted_content": "gAAAAA"},
        {"type": "item_reference", "id": "msg_1"},
        {"type": "image_generation_call", "id": "ig_1", "result": "iVBORw0KGgo="},
        {"id": "msg_1"},
        {"type": None},
        {},
    ]
)
ITEMS = st.one_of(MESSAGES, REASONING, CALLS, OUTPUTS, OTHER_ITEMS)
TOOLS = st.one_of(
    merged(
        st.just({"type": "function"}),
        optional(
            name=names(),
            description=texts() | st.none(),
            parameters=json_objects(3) | st.none(),
            strict=st.booleans() | st.none(),
        ),
    ),
    st.sampled_from(
        [
            {"type": "web_search"},
            {"type": "custom", "name": "sh", "description": "shell", "format": {"type": "text"}},
            {
                "type": "namespace",
                "name": "crm",
                "description": "d",
                "tools": [{"type": "function", "name": "f"}],
            },
        ]
    ),
)
BODIES = merged(
    optional(
        model=names(),
        instructions=texts() | st.none() | st.lists(MESSAGES, max_size=1),
        max_output_tokens=st.integers() | st.none(),
        tools=st.lists(TOOLS, max_size=3) | st.none(),
        tool_choice=st.sampled_from(["auto", "none"]),
        previous_response_id=IDS,
        reasoning=json_objects(2),
    ),
    optional(input=texts() | st.none() | st.lists(ITEMS, max_size=6)),
)


def read(*items: JsonObject) -> tuple[Message, ...]:
    return decode({"input": list(items)}).messages


def written(*messages: Message, **facts: Any) -> list[Any]:
    found = encode(Conversation(messages=messages, **facts))["input"]
    assert isinstance(found, list)
    return found


def said(role: Role, *parts: Part) -> Message:
    return Message(id=MessageId("m"), role=role, parts=parts)


# Round trip

CALL = {"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}"}
OUTPUT = {"type": "function_call_output", "call_id": "c"}
SHOT = {"type": "computer_screenshot", "image_url": "https://example.com/a.png"}
ODD_ITEMS: list[JsonObject] = [
    {**CALL, "arguments": {"a": 1}},
    {**CALL, "arguments": None},
    {**CALL, "name": None},
    {"type": "function_call", "call_id": "c"},
    {"type": "function_call", "name": "f", "arguments": "{}"},
    {"type": "custom_tool_call", "call_id": "c", "name": "f", "input": None},
    {"type": "custom_tool_call", "call_id": "c", "name": "f", "input": ""},
    {"type": "shell_call", "call_id": None, "action": {}},
    {"type": "shell_call", "call_id": "c", "~joined": True},
    OUTPUT,
    {**OUTPUT, "output": None},
    {**OUTPUT, "output": 7},
    {**OUTPUT, "output": ""},
    {**OUTPUT, "output": []},
    {**OUTPUT, "output": [{"type": "input_text", "text": "a"}, None, "b"]},
    {**OUTPUT, "output": {"type": "input_text", "text": "a"}},
    {**OUTPUT, "output": {"rows": [1]}},
    {"type": "computer_call_output", "call_id": "c", "output": SHOT, "acknowledged_safety_checks": []},
    {"type": "tool_search_output", "call_id": "c", "tools": [{"type": "function", "name": "f"}]},
    {"type": "function_call_output", "output": "of no call"},
    {"type": "future_call_output", "call_id": "c"},
    {"type": "mcp_approval_response", "approval_request_id": "m", "approve": True},
    {"type": "reasoning"},
    {"type": "reasoning", "summary": None, "content": "x", "encrypted_content": None},
    {"type": "message", "role": "user"},
    {"type": "message", "role": "critic", "content": "x"},
    {"role": "user", "content": None},
    {"role": "user", "content": {}},
    {"role": "user", "content": []},
    {"role": "assistant", "content": ""},
    {
        "role": "assistant",
        "content": [{"type": "refusal", "refusal": "no"}, {"type": "output_text", "text": 1}],
    },
    {"role": "user", "content": [{"type": "input_image", "image_url": None, "file_id": "file-1"}]},
    {
        "role": "user",
        "content": [{"type": "input_image", "image_url": {"url": "x"}}, {"type": "input_image"}],
    },
    {
        "role": "user",
        "content": [{"type": "input_image", "image_url": "data:IMAGE/PNG;base64,AA==", "detail": "low"}],
    },
    {"role": "user", "content": [{"type": "input_file", "file_data": "JVBERi0=", "filename": "a.pdf"}]},
    {
        "role": "user",
        "content": [{"type": "input_file", "file_data": "data:application/pdf;base64,", "filename": None}],
    },
    {
        "role": "user",
        "content": [{"type": "input_file", "file_url": "https://example.com/a.pdf", "~from": 1}],
    },
    {
        "role": "user",
        "content": [{"type": "input_audio", "input_audio": {"data": "", "format": "wav", "~x": 1}}],
    },
    {"role": "user", "content": [{"type": "input_audio", "input_audio": {"format": "wav"}}]},
    {"~item": True, "role": "user", "content": "x"},
    {},
]
ODD_BODIES: list[JsonObject] = [
    {},
    {"input": None},
    {"input": "", "instructions": ""},
    {"input": [], "instructions": None, "model": None, "tools": None, "max_output_tokens": None},
    {"input": [], "instructions": [{"role": "user", "content": "x"}], "max_output_tokens": True, "tools": []},
    {"~input": "string", "~fields": {"~fields": 1}, "input": [{"role": "user", "content": "x"}]},
    {
        "tools": [
            "web_search",
            None,
            {"type": "function"},
            {"type": "function", "name": "f", "parameters": None},
        ]
    },
    {"tools": [{"type": "custom", "name": "f", "description": None}, {"type": [], "name": 1}, {"~value": 1}]},
]


@pytest.mark.parametrize("body", [*({"input": [item]} for item in ODD_ITEMS), *ODD_BODIES], ids=repr)
def test_an_odd_body_comes_back_as_the_same_json_value(body: JsonObject) -> None:
    assert json_text.equal(encode(decode(body)), body)


@pytest.mark.parametrize("exchange", RECORDED, ids=lambda each: each.name)
def test_what_a_model_answered_comes_back_when_it_is_sent_again(exchange: Exchange) -> None:
    output = exchange.response.get("output") if isinstance(exchange.response, dict) else None
    body = {"input": output or []}
    assert json_text.equal(encode(decode(body)), body)
    known = {"message", "reasoning", "function_call"}
    for message, item in zip(decode(body).messages, output or [], strict=True):
        opaque = any(isinstance(part, Opaque) for part in message.parts)
        assert opaque is (item["type"] not in known)


@given(body=odd(BODIES, keep=("input",)))
def test_any_body_that_can_be_read_comes_back_as_the_same_json_value(body: JsonObject) -> None:
    before = copy.deepcopy(body)
    try:
        conversation = decode(body)
    except InvalidRequest as error:
        assert str(error.facts["path"]).startswith("$.input[")  # noqa: PT017
        return
    assert json_text.equal(encode(conversation), before)
    assert json_text.equal(body, before)


@pytest.mark.parametrize("value", [1, True, 1.5, {}, {"type": "message"}])
def test_an_input_that_is_no_list_is_refused_with_its_path(value: object) -> None:
    with pytest.raises(InvalidRequest, match=r"^\$\.input must be a string or an array, not ") as caught:
        decode({"input": value})
    assert caught.value.facts["path"] == "$.input"


@pytest.mark.parametrize("value", [None, 1, "text", ["nested"]])
def test_an_item_that_is_no_object_is_refused_with_its_path(value: object) -> None:
    with pytest.raises(InvalidRequest) as caught:
        decode({"input": [{"role": "user", "content": "hi"}, value]})
    assert caught.value.facts["path"] == "$.input[1]"


# What the items mean


def test_every_item_is_one_message_with_the_role_of_who_made_it() -> None:
    items: list[JsonObject] = [
        {"role": "developer", "content": "be brief"},
        {"role": "user", "content": [{"type": "input_text", "text": "hi"}]},
        {"type": "reasoning", "id": "rs", "summary": []},
        {"type": "function_call", "call_id": "c", "name": "read", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "c", "output": "text"},
        {"type": "web_search_call", "id": "ws"},
        {"type": "message", "role": "assistant", "content": []},
    ]
    found = read(*items)
    assert [each.role for each in found] == [
        "system", "user", "assistant", "assistant", "tool", "assistant", "assistant",
    ]  # fmt: skip
    assert len({each.id for each in found}) == len(items)


def test_reasoning_stays_with_the_item_it_stands_before() -> None:
    found = read(
        {"role": "user", "content": "hi"},
        {
            "type": "reasoning",
            "id": "rs",
            "summary": [{"type": "summary_text", "text": "a"}],
            "encrypted_content": "e",
        },
        {"type": "function_call", "call_id": "c", "name": "read", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "c", "output": "text"},
    )
    assert units(found) == (range(1), range(1, 4))
    [thinking] = found[1].parts
    assert isinstance(thinking, Thinking)
    assert (thinking.text, thinking.redacted, thinking.wire) == ("a", "e", "openai-responses")


def test_arguments_are_kept_to_the_letter() -> None:
    text = '{"b": 1,\n "a":1.0, "a": 2}'
    [message] = read({"type": "function_call", "call_id": "c", "name": "f", "arguments": text})
    [call] = message.parts
    assert isinstance(call, ToolCall)
    assert call.arguments == text


@pytest.mark.parametrize(
    ("call", "output", "name"),
    [
        ({"type": "custom_tool_call", "name": "sh", "input": "ls"}, "custom_tool_call_output", "sh"),
        ({"type": "computer_call", "action": {"type": "click"}}, "computer_call_output", "computer"),
        ({"type": "shell_call", "action": {"commands": ["ls"]}}, "shell_call_output", "shell"),
        ({"type": "local_shell_call", "action": {"command": []}}, "local_shell_call_output", "local_shell"),
        ({"type": "apply_patch_call", "operation": {}}, "apply_patch_call_output", "apply_patch"),
        ({"type": "tool_search_call", "arguments": {"q": 1}}, "tool_search_output", "tool_search"),
    ],
)
def test_calls_that_the_host_answers_are_paired_with_their_outputs(
    call: JsonObject, output: str, name: str
) -> None:
    found = read({**call, "call_id": "c"}, {"type": output, "call_id": "c", "output": "ok", "tools": []})
    assert pair(found).answer == {(0, 0): (1, 0)}
    [part] = found[0].parts
    assert isinstance(part, ToolCall)
    assert part.name == name
    assert isinstance(json_text.parse(part.arguments, place="arguments"), dict)


def test_a_screenshot_is_an_image_not_text() -> None:
    shot = {"type": "computer_screenshot", "image_url": "data:image/png;base64,iVBORw0KGgo="}
    [message] = read({"type": "computer_call_output", "call_id": "c", "output": shot})
    [result] = message.parts
    assert isinstance(result, ToolResult)
    [media] = result.parts
    assert isinstance(media, Media)
    assert (media.kind, media.media_type, media.size_bytes) == ("image", "image/png", 8)


def test_instructions_limit_and_model_are_read() -> None:
    found = decode({"model": "m", "instructions": "be brief", "max_output_tokens": 9, "input": "hi"})
    assert (found.model, found.system, found.max_output) == ("m", (Text(text="be brief"),), 9)
    assert [part for each in found.messages for part in each.parts] == [Text(text="hi")]


def test_a_free_text_tool_is_a_function_of_one_text() -> None:
    [tool] = decode({"input": "", "tools": [{"type": "custom", "name": "sh"}]}).tools
    assert isinstance(tool.parameters, dict)
    assert list(tool.parameters["properties"]) == ["input"]


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


# Recognizing


@pytest.mark.parametrize("exchange", exchanges(), ids=lambda each: each.name)
def test_only_requests_of_this_form_are_recognized(exchange: Exchange) -> None:
    sure = recognizes(exchange.request)
    assert (sure >= 0.8) is (exchange.provider == "openai-responses")
    assert 0 <= sure <= 1


def test_a_body_without_input_is_recognized_by_its_other_fields_or_not_at_all() -> None:
    assert recognizes({"instructions": "x"}) == 0.3
    assert recognizes({"input": []}) == 0.5
    assert recognizes({"input": "hi"}) == 0.8
    assert recognizes({"model": "m"}) == 0.0
    assert recognizes({"input": "x", "messages": []}) == 0.0

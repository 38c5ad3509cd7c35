"""Responses bodies: every one that can be read comes back as the same JSON value."""

from __future__ import annotations

import copy

import pytest
from hypothesis import given

from contextrail.core import json_text
from contextrail.core.errors import InvalidRequest
from contextrail.core.json_text import JsonObject
from contextrail.messages.model import Media, Opaque, Text, Thinking, ToolCall, ToolResult
from contextrail.messages.pairs import pair, units
from contextrail.wire.openai_responses import decode, encode, recognizes
from tests.wire.cassettes import Exchange, exchanges
from tests.wire.odd_bodies import odd
from tests.wire.openai_responses_bodies import BODIES, ODD_BODIES, ODD_ITEMS, read

RECORDED = [each for each in exchanges() if each.provider == "openai-responses"]

# Round trip


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

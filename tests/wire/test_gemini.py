"""Gemini bodies: every one that can be read comes back as the same JSON value."""

from __future__ import annotations

import copy
from dataclasses import replace

import pytest
from hypothesis import given

from contextrail.core import json_text
from contextrail.core.errors import InvalidRequest
from contextrail.core.json_text import JsonObject
from contextrail.messages.model import Media, Text, Thinking, ToolCall
from contextrail.messages.pairs import continues, pair
from contextrail.wire.gemini import decode, encode, recognizes
from tests.wire.cassettes import Exchange, exchanges
from tests.wire.gemini_bodies import BLOB, BODIES, KEEP, ODD_BODIES, ODD_PARTS, call, read, response, written
from tests.wire.odd_bodies import odd

# Round trip


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

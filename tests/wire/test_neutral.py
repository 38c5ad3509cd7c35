"""The neutral form: nothing is lost in either direction."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contextrail.core.digest import text_digest
from contextrail.core.errors import InvalidRequest
from contextrail.core.ids import CallId, MessageId
from contextrail.core.json_text import dump, equal, parse_object
from contextrail.messages.model import (
    Conversation,
    Extra,
    Media,
    Message,
    Opaque,
    Part,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
)
from contextrail.wire import neutral
from tests.properties.effort import FEW
from tests.properties.neutral_json import neutral_bodies
from tests.properties.pieces import message, parts
from tests.properties.strategies import conversations


def body(*parts: Any, role: str = "assistant", **fields: Any) -> dict[str, Any]:
    return {"messages": [{"id": "m1", "role": role, "parts": list(parts), **fields}]}


def only_part(given: dict[str, Any]) -> Any:
    (part,) = neutral.decode(given).messages[0].parts
    return part


def first_written(part: Part) -> Any:
    message = Message(id=MessageId("m"), role="assistant", parts=(part,))
    return neutral.encode(Conversation(messages=(message,)))["messages"][0]["parts"][0]


@given(neutral_bodies())
def test_a_body_that_is_read_is_written_as_the_same_json_value(given_body: dict[str, Any]) -> None:
    assert equal(neutral.encode(neutral.decode(given_body)), given_body)


@given(parts())
def test_a_part_that_is_written_is_read_as_it_was(part: Part) -> None:
    said = Message(id=MessageId("m"), role="assistant", parts=(part,))
    assert neutral.decode(neutral.encode(Conversation(messages=(said,)))).messages[0].parts == (part,)


@FEW
@given(conversations() | conversations(st.lists(message(), max_size=3).map(tuple)))
def test_a_conversation_that_is_written_is_read_as_it_was(conversation: Conversation) -> None:
    assert neutral.decode(neutral.encode(conversation)) == conversation


@FEW
@given(conversations(st.lists(message(), max_size=2).map(tuple)))
def test_the_written_form_survives_its_own_bytes(conversation: Conversation) -> None:
    written = neutral.encode(conversation)
    assert equal(parse_object(dump(written), place="body"), written)


def test_a_body_can_be_edited_without_touching_the_conversation() -> None:
    conversation = neutral.decode(body({"type": "stream_error", "detail": {"code": 1}}))
    written = neutral.encode(conversation)
    written["messages"][0]["parts"][0]["detail"]["code"] = 2
    assert neutral.encode(conversation)["messages"][0]["parts"][0]["detail"] == {"code": 1}


def test_given_ids_are_kept_and_may_repeat() -> None:
    given_body = {
        "messages": [{"id": "u1", "role": "user", "parts": []}, {"id": "u1", "role": "user", "parts": []}]
    }
    assert [each.id for each in neutral.decode(given_body).messages] == ["u1", "u1"]


def test_a_missing_id_is_made_from_content_and_position() -> None:
    said = {"role": "user", "parts": [{"type": "text", "content": "hi"}]}
    first, second = neutral.decode({"messages": [said, said]}).messages
    assert first.id.startswith("m0-")
    assert second.id.startswith("m1-")
    assert neutral.decode({"messages": [said]}).messages[0].id == first.id


def test_runs_count_user_inputs_unless_the_body_says_otherwise() -> None:
    hi = {"type": "text", "content": "hi"}
    given_body = {
        "messages": [
            {"id": "u1", "role": "user", "parts": [hi]},
            {"id": "a1", "role": "assistant", "parts": [hi]},
            {"id": "u2", "role": "user", "parts": [hi]},
            {"id": "a2", "role": "assistant", "parts": [hi], "run": 7},
        ]
    }
    conversation = neutral.decode(given_body)
    assert [each.run for each in conversation.messages] == [0, 0, 1, 7]
    assert ["run" in each for each in neutral.encode(conversation)["messages"]] == [False, False, False, True]


def test_arguments_that_an_object_cannot_give_back_keep_their_text() -> None:
    spaced = ToolCall(call_id=CallId("c"), name="bash", arguments='{"a": 1}')
    broken = replace(spaced, arguments='{"path": "src/')
    doubled = replace(spaced, arguments='{"a":1,"a":2}')
    compact = replace(spaced, arguments='{"a":1}')
    written = [first_written(call) for call in (spaced, broken, doubled, compact)]
    assert written[0]["arguments"] == {"a": 1}
    assert written[0]["arguments_text"] == '{"a": 1}'
    assert (written[1]["arguments"], written[1]["arguments_text"]) == ({}, '{"path": "src/')
    assert (written[2]["arguments"], written[2]["arguments_text"]) == ({}, '{"a":1,"a":2}')
    assert written[3]["arguments"] == {"a": 1}
    assert "arguments_text" not in written[3]


def test_arguments_given_as_text_are_taken_as_that_text() -> None:
    call = only_part(body({"type": "tool_call", "id": "c", "name": "bash", "arguments": '{"cmd": "ls"}'}))
    assert call.arguments == '{"cmd": "ls"}'


@pytest.mark.parametrize("value", [{"exit": 0, "out": "a"}, [1, 2], 5, True, 0.5])
def test_a_response_that_is_no_text_is_read_as_compact_json(value: Any) -> None:
    given_body = body(
        {"type": "tool_call_response", "id": "c", "response": value, "status": "ok"}, role="tool"
    )
    result = only_part(given_body)
    assert isinstance(result, ToolResult)
    assert parse_object('{"v":' + result.parts[0].text + "}", place="x") == {"v": value}  # type: ignore[union-attr]
    assert equal(neutral.encode(neutral.decode(given_body)), given_body)


def test_a_response_that_was_shortened_is_written_as_its_new_text() -> None:
    given_body = body(
        {"type": "tool_call_response", "id": "c", "response": {"out": "long"}, "status": "ok"}, role="tool"
    )
    conversation = neutral.decode(given_body)
    said = conversation.messages[0]
    result = said.parts[0]
    assert isinstance(result, ToolResult)
    short = replace(said, parts=(replace(result, parts=(Text(text="preview"),)),))
    written = neutral.encode(replace(conversation, messages=(short,)))["messages"][0]["parts"][0]
    assert written["response"] == "preview"
    assert "long" not in str(written)


def test_a_signature_binds_the_text_it_stands_beside() -> None:
    part = only_part(body({"type": "reasoning", "content": "hm", "signature": "s"}))
    assert part == Thinking(text="hm", signature="s", bound=text_digest("hm"))


def test_reasoning_that_was_altered_says_what_its_signature_bound() -> None:
    altered = Thinking(text="ha", signature="s", bound=text_digest("hm"), wire="anthropic")
    written = first_written(altered)
    assert written["bound"] == text_digest("hm")


def test_media_are_counted_and_digested_when_they_are_read() -> None:
    part = only_part(
        body({"type": "blob", "modality": "image", "mime_type": "image/png", "content": "AAAA"}, role="user")
    )
    assert isinstance(part, Media)
    assert (part.size_bytes, part.media_type) == (3, "image/png")
    assert part.digest is not None


def test_unknown_parts_and_fields_are_kept() -> None:
    given_body = body({"type": "stream_error", "detail": "reset"}, finish_reason="stop", role="assistant")
    conversation = neutral.decode(given_body)
    assert conversation.messages[0].parts == (
        Opaque(wire="neutral", kind="stream_error", value={"type": "stream_error", "detail": "reset"}),
    )
    assert conversation.messages[0].extra == Extra("neutral", {"finish_reason": "stop"})


def test_what_another_wire_said_and_what_the_body_adds_both_survive() -> None:
    given_body = body(
        {
            "type": "text",
            "content": "x",
            "added": 1,
            "extra": {"wire": "anthropic", "fields": {"cache_control": {"type": "ephemeral"}}},
        }
    )
    part = only_part(given_body)
    assert part.extra.wire == "anthropic"
    assert part.extra.fields["cache_control"] == {"type": "ephemeral"}
    assert equal(neutral.encode(neutral.decode(given_body)), given_body)


def test_a_time_with_an_offset_is_the_same_time_in_utc() -> None:
    given_body = body(timestamp="2026-05-01T17:00:00+08:00")
    conversation = neutral.decode(given_body)
    assert conversation.messages[0].timestamp == datetime(2026, 5, 1, 9, tzinfo=UTC)
    assert equal(neutral.encode(conversation), given_body)


@pytest.mark.parametrize(
    ("given_body", "path"),
    [
        ({}, "messages"),
        ({"messages": {}}, "messages"),
        ({"messages": [1]}, "messages[0]"),
        ({"messages": [{"role": "developer", "parts": []}]}, "messages[0].role"),
        ({"messages": [{"role": "user"}]}, "messages[0].parts"),
        ({"messages": [{"role": "user", "parts": [{"content": "x"}]}]}, "messages[0].parts[0].type"),
        ({"messages": [{"role": "user", "parts": ["x"]}]}, "messages[0].parts[0]"),
        ({"messages": [{"role": "user", "parts": [{"type": "text"}]}]}, "messages[0].parts[0].content"),
        (
            {"messages": [{"role": "user", "parts": [{"type": "tool_call"}]}]},
            "messages[0].parts[0].name",
        ),
        ({"messages": [{"id": 5, "role": "user", "parts": []}]}, "messages[0].id"),
        ({"messages": [], "tools": {}}, "tools"),
        ({"messages": [], "tools": [{"description": "x"}]}, "tools[0].name"),
        ({"messages": [], "system": 5}, "system"),
        ({"messages": [], "system": [{"type": "text", "content": None}]}, "system[0].content"),
    ],
)
def test_what_cannot_be_read_is_refused_with_its_path(given_body: dict[str, Any], path: str) -> None:
    with pytest.raises(InvalidRequest) as caught:
        neutral.decode(given_body)
    assert caught.value.facts["path"] == path
    assert path in str(caught.value)


def test_neutral_bodies_are_recognized_and_others_are_not() -> None:
    assert neutral.recognizes(body({"type": "text", "content": "x"})) > 0.9
    assert neutral.recognizes({"messages": [{"role": "user", "content": "x"}]}) == 0
    assert neutral.recognizes({"contents": []}) == 0

"""Calls and responses of Gemini, with ids and without."""

from __future__ import annotations

from dataclasses import replace

import pytest

from contextrail.messages.model import Media, Text, ToolCall, ToolResult
from contextrail.messages.pairs import pair
from tests.wire.gemini_bodies import call, read, response, said, written


def result_of(value: object) -> ToolResult:
    """The result read from a response with this value as its `response`."""
    [message] = read({"role": "user", "parts": [{"functionResponse": {"name": "f", "response": value}}]})
    [part] = message.parts
    assert isinstance(part, ToolResult)
    return part


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

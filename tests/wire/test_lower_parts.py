"""Parts that a target cannot read become text, and the request around them is made whole."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Final

import pytest

from contextrail.core.ids import CallId
from contextrail.messages.model import (
    Conversation,
    Extra,
    Media,
    Opaque,
    Text,
    Thinking,
    Tool,
    ToolCall,
    ToolResult,
)
from contextrail.wire.lower import lower
from contextrail.wire.target import PROVIDERS, parse_target
from tests.builders import show
from tests.wire.lowering import ASK, lowered, reasons, said

PNG: Final = "iVBORw0KGgo="


# What cannot be expressed


def test_arguments_that_were_written_twice_become_the_object_they_are() -> None:
    call = ToolCall(call_id=CallId("c"), name="read", arguments=json.dumps('{"path": "a"}'))
    result = ToolResult(call_id=CallId("c"), parts=(Text(text="ok"),))
    for name in PROVIDERS:
        messages, _ = lowered(ASK, said("a", "assistant", call), said("t", "tool", result), name=name)
        (part,) = messages[1].parts
        assert isinstance(part, ToolCall)
        assert json.loads(part.arguments) == {"path": "a"}


@pytest.mark.parametrize(
    "arguments", ['{"a":1,"a":2}', '{"n": NaN}', "[1]", '{"path": "src/', '"x"', "[" * 150]
)
def test_arguments_that_are_no_object_are_kept_word_for_word(arguments: str) -> None:
    call = ToolCall(call_id=CallId("c"), name="read", arguments=arguments)
    result = ToolResult(call_id=CallId("c"), parts=(Text(text="ok"),))
    messages, _ = lowered(ASK, said("a", "assistant", call), said("t", "tool", result))
    (part,) = messages[1].parts
    assert isinstance(part, ToolCall)
    assert json.loads(part.arguments) == {"raw_arguments": arguments}


def test_another_providers_upload_is_described_unless_its_bytes_are_here() -> None:
    upload = Media(kind="image", media_type="image/png", reference="file-123")
    both = replace(upload, data=PNG)
    (message,), _ = lowered(said("u", "user", upload, both))
    assert message.parts[0] == Text(text="[image: image/png, file-123]")
    assert message.parts[1] == replace(both, reference=None)


def test_media_where_the_target_takes_none_are_described() -> None:
    image = Media(kind="image", media_type="image/png", data=PNG)
    result = ToolResult(call_id=CallId("c"), parts=(image,))
    call = ToolCall(call_id=CallId("c"), name="shot")
    history = (ASK, said("a", "assistant", call), said("t", "tool", result))
    for name, kept in (("openai-chat", False), ("anthropic", True), ("gemini", True)):
        (part,) = lowered(*history, name=name)[0][2].parts
        assert isinstance(part, ToolResult)
        assert (part.parts == (image,)) == kept


def test_a_block_of_another_provider_becomes_text() -> None:
    block = Opaque(wire="gemini", kind="executableCode", value={"code": "1"})
    messages, decisions = lowered(ASK, said("a", "assistant", block), ASK)
    assert show(messages)[1] == 'a assistant {"code":"1"}'
    assert reasons(decisions) == [("a", "block-as-text")]


def test_what_is_done_twice_to_a_message_is_one_decision() -> None:
    foreign = Thinking(text="hm", wire="gemini")
    _, decisions = lowered(ASK, said("a", "assistant", foreign, foreign, Text(text="x")), ASK)
    (decision,) = decisions
    assert (decision.reason, decision.detail["times"]) == ("thinking-of-another-provider", 2)


# The request around it


def test_tools_of_others_are_defined_once_with_a_schema_of_an_object() -> None:
    tools = (
        Tool(name="read", parameters={"properties": {}}),
        Tool(name="read", parameters={"type": "object"}),
        Tool(name="search", parameters={"type": "string"}),
        Tool(name="", parameters={"type": "object"}),
        Tool(name="web", extra=Extra("openai-responses", {"type": "web_search"})),
    )
    out, decisions = lower(Conversation(messages=(ASK,), tools=tools), parse_target("anthropic"))
    assert out.tools == (
        Tool(name="read", parameters={"type": "object", "properties": {}}),
        Tool(name="search", parameters={"type": "object", "properties": {}}),
    )
    assert [each.reason for each in decisions] == [
        "tool-definition-mended",
        "duplicate-tool",
        "tool-definition-mended",
        "tool-without-name",
        "server-tool-of-another-provider",
    ]


@pytest.mark.parametrize(
    ("model", "given", "name", "stated"),
    [
        ("claude-opus-4-8", None, "anthropic", 4096),
        ("claude-opus-4-8", 9, "anthropic", 9),
        (None, None, "anthropic", None),
        (None, 9, "anthropic", None),
        (None, 9, "openai-chat", None),
        (None, 9, "gemini", 9),
        ("gpt-5", None, "openai-chat", None),
    ],
)
def test_a_limit_is_stated_where_one_is_demanded_and_not_without_a_model(
    model: str | None, given: int | None, name: str, stated: int | None
) -> None:
    conversation = Conversation(messages=(ASK,), model=model, max_output=given)
    assert lower(conversation, parse_target(name))[0].max_output == stated


def test_a_limit_is_stated_where_the_caller_gives_one() -> None:
    conversation = Conversation(messages=(ASK,), model="gpt-5")
    assert lower(conversation, parse_target("openai-chat"), max_output=77)[0].max_output == 77

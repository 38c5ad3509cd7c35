"""Message costs: what counts and what does not, per unit of account."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contextrail.core.ids import CallId, MessageId
from contextrail.core.tokens import Estimate, exactly
from contextrail.messages.model import (
    Conversation,
    Extra,
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
from contextrail.wire import neutral
from contextrail.wire.counting import TextMeasure
from contextrail.wire.message_cost import ByteRule, CharacterRule, MessageRule, TokenRule
from contextrail.wire.overheads import OVERHEADS, Overhead
from tests.properties.effort import FEW
from tests.properties.neutral_json import neutral_bodies
from tests.properties.pieces import message
from tests.wire.shapes import PIXEL

FLAT = Overhead(
    base=exactly(1),
    message=exactly(10),
    name=exactly(2),
    call=exactly(100),
    result=exactly(1000),
    tools=exactly(10_000),
    tool=exactly(100_000),
    server_tool=exactly(1_000_000),
)
LETTERS = TokenRule(TextMeasure(lambda text: exactly(len(text))), FLAT, "anthropic")
"""A token per character, so that a sum of overheads can be read off."""


def said(*parts: Part, name: str | None = None) -> Message:
    return Message(id=MessageId("m"), role="assistant", parts=parts, name=name)


def call(arguments: str = "{}", signature: str | None = None) -> ToolCall:
    return ToolCall(call_id=CallId("c" * 64), name="read", arguments=arguments, signature=signature)


# Tokens


@pytest.mark.parametrize(
    ("parts", "cost"),
    [
        ((), 10),
        ((Text(text="hello"),), 15),
        ((Text(text="a"), Fence(family="f", text="bb"), Summary(text="ccc")), 16),
        ((Thinking(text="hm"),), 12),
        ((call('{"a":1}'),), 10 + 100 + 4 + 7),
        ((call(), call()), 10 + 2 * (100 + 4 + 2)),
        ((ToolResult(call_id=CallId("c" * 64), parts=(Text(text="ok"), Text(text="x"))),), 10 + 1000 + 3),
        ((Opaque(wire="w", kind="k", value={"a": [1]}),), 10 + len('{"a":[1]}')),
    ],
)
def test_texts_and_overheads_are_counted_and_ids_are_not(parts: tuple[Part, ...], cost: int) -> None:
    assert LETTERS.message(said(*parts)) == exactly(cost)


def test_a_name_is_counted() -> None:
    assert LETTERS.message(said(name="ann")) == exactly(10 + 2 + 3)


def test_media_cost_by_the_formula_of_the_route_wherever_they_stand() -> None:
    image = Media(kind="image", media_type="image/png", data=PIXEL)
    assert LETTERS.message(said(image)) == exactly(10 + 1)
    inside = ToolResult(call_id=CallId("c"), parts=(image,))
    assert LETTERS.message(said(inside)) == exactly(10 + 1000 + 1)


def test_encrypted_reasoning_costs_up_to_what_it_stands_for() -> None:
    hidden = Thinking(redacted="x" * 1100, wire="openai-responses")
    assert LETTERS.message(said(hidden)) == Estimate(10, 10 + 100)
    signed = Thinking(text="short", signature="x" * 1000, wire="anthropic")
    assert LETTERS.message(said(signed)) == Estimate(15, 10 + 200)
    brief = Thinking(text="a longer text than that", signature="x" * 210, wire="anthropic")
    assert LETTERS.message(said(brief)) == exactly(10 + 23)
    assert LETTERS.message(said(call(signature="x" * 400))) == Estimate(116, 216)


def test_what_is_fixed_is_base_system_and_tools_but_no_message() -> None:
    tool = Tool(name="read", description="d", parameters={"type": "object"})
    shown = '{"name":"read","description":"d","parameters":{"type":"object"}}'
    given_messages = (said(Text(text="never counted here")),)
    bare = Conversation(messages=given_messages)
    assert LETTERS.fixed(bare) == exactly(1)
    assert LETTERS.fixed(Conversation(system=(Text(text="be kind"),), messages=given_messages)) == exactly(18)
    low = 1 + 10_000 + 100_000 + len(shown) // 2
    assert LETTERS.fixed(Conversation(tools=(tool,))) == Estimate(low, 1 + 110_000 + len(shown))


def test_a_server_tool_brings_instructions_that_the_body_does_not_show() -> None:
    tool = Tool(name="web_search", extra=Extra(wire="anthropic", fields={"type": "web_search_20250305"}))
    assert LETTERS.fixed(Conversation(tools=(tool,))).low > 1_000_000


@pytest.mark.parametrize("name", OVERHEADS)
def test_overheads_are_intervals(name: str) -> None:
    overhead = OVERHEADS[name]
    for field in Overhead.__dataclass_fields__:
        value = getattr(overhead, field)
        assert 0 <= value.low <= value.high


@FEW
@given(message())
def test_any_message_has_a_cost(given_message: Message) -> None:
    found = LETTERS.message(given_message)
    assert 10 <= found.low <= found.high
    assert ByteRule().message(given_message).low >= 0


# Characters, as a reader of the neutral form counts them


def length_in_neutral_form(part: dict[str, Any]) -> int:
    """What a part of a neutral message says, in characters: the terms on which histories are compared."""

    def shown(value: Any) -> str:
        if value is None or isinstance(value, str):
            return value or ""
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"))

    match part["type"]:
        case "tool_call":
            return len(part["name"]) + len(shown(part.get("arguments")))
        case "tool_call_response":
            return len(shown(part.get("response")))
        case _:
            texts = [part.get(key) for key in ("content", "text")]
            return len(next((text for text in texts if isinstance(text, str)), ""))


MEDIA = ("blob", "uri", "file")


@given(neutral_bodies(), st.integers(1, 7))
def test_characters_agree_with_the_neutral_form(body: dict[str, Any], per: int) -> None:
    conversation = neutral.decode(body)
    written = neutral.encode(conversation)["messages"]
    for found, shown in zip(conversation.messages, written, strict=True):
        kinds = json.dumps(shown["parts"])
        if any(f'"type": "{kind}"' in kinds for kind in MEDIA) or '"opaque"' in kinds:
            continue
        total = sum(map(length_in_neutral_form, shown["parts"]))
        assert CharacterRule(per).message(found) == exactly(math.ceil(total / per))


@pytest.mark.parametrize(
    ("part", "characters"),
    [
        ({"type": "text", "content": "héllo"}, 5),
        ({"type": "reasoning", "content": "abc", "signature": "never counted"}, 3),
        ({"type": "tool_call", "id": "c1", "name": "ls", "arguments": {"path": "é", "n": 1}}, 2 + 18),
        ({"type": "tool_call", "id": "c1", "name": "ls", "arguments": {}}, 4),
        ({"type": "tool_call", "id": "c1", "name": "ls", "arguments": {}, "arguments_text": "{ }"}, 4),
        ({"type": "tool_call_response", "id": "c1", "response": "done", "status": "ok"}, 4),
        ({"type": "tool_call_response", "id": "c1", "response": {"a": [1, 2]}, "status": "ok"}, 11),
        ({"type": "unheard_of", "content": "four"}, 4),
        ({"type": "unheard_of", "other": "four"}, 0),
    ],
)
def test_a_part_counts_the_characters_that_a_reader_sees(part: dict[str, Any], characters: int) -> None:
    body = {"messages": [{"id": "m1", "role": "assistant", "parts": [part]}]}
    found = neutral.decode(body).messages[0]
    assert CharacterRule(1).message(found) == exactly(characters)
    assert CharacterRule(3).message(found) == exactly(math.ceil(characters / 3))


def test_characters_are_rounded_up_once_for_a_message() -> None:
    assert CharacterRule(4).message(said(Text(text="abc"), Text(text="de"))) == exactly(2)
    assert CharacterRule(4).text("abcde") == exactly(2)
    assert CharacterRule(4).text("") == exactly(0)


def test_an_image_counts_as_the_line_that_describes_it() -> None:
    image = Media(kind="image", media_type="image/png", data=PIXEL * 100)
    assert CharacterRule(1).message(said(image)).high < 100
    assert ByteRule().message(said(image)).high < 100


# Messages and bytes


def test_a_flat_price_is_the_same_for_every_message() -> None:
    rule = MessageRule(25)
    assert rule.message(said()) == rule.message(said(Text(text="x" * 999))) == rule.text("x") == exactly(25)


def test_system_and_tools_are_free_where_messages_are_counted() -> None:
    tools = (Tool(name="read", parameters={}),)
    assert MessageRule(25).fixed(Conversation(system=(Text(text="be kind"),), tools=tools)) == exactly(0)


def test_the_system_text_costs_its_characters_where_they_are_counted_and_tools_nothing() -> None:
    tools = (Tool(name="read", parameters={}),)
    conversation = Conversation(system=(Text(text="be kind"), Text(text="and brief")), tools=tools)
    assert CharacterRule(4).fixed(conversation) == exactly(4)
    assert CharacterRule(4).fixed(Conversation(tools=tools)) == exactly(0)


@given(st.text(st.characters(exclude_categories=()), max_size=80))
def test_bytes_are_the_bytes_of_the_text(text: str) -> None:
    assert ByteRule().text(text) == exactly(len(text.encode("utf-8", "surrogatepass")))
    assert ByteRule().message(said(Text(text=text))) == exactly(len(text.encode("utf-8", "surrogatepass")))


def test_bytes_of_system_and_tools_are_counted() -> None:
    found = ByteRule().fixed(Conversation(system=(Text(text="né"),), tools=(Tool(name="ls", parameters={}),)))
    assert found == exactly(3 + len('{"name":"ls","parameters":{}}'))

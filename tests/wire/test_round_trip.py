"""Every codec writes a body that nobody edited as the same JSON value again, and leaves it as it was."""

from __future__ import annotations

from collections import Counter
from copy import deepcopy
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contextrail.core.errors import InvalidRequest
from contextrail.core.ids import CallId
from contextrail.core.json_text import JsonObject, dump, equal, parse_object
from contextrail.messages.identity import number_runs
from contextrail.messages.model import Conversation, Message, Part, ToolCall, ToolResult
from contextrail.wire.codec import CODECS, detect_provider
from contextrail.wire.target import PROVIDERS, Provider
from tests.properties.effort import FEW
from tests.properties.strategies import conversations
from tests.wire.bodies import LIST, bodies
from tests.wire.cassettes import EXCHANGES, Exchange, exchanges
from tests.wire.shapes import BODIES, MESSAGES


def again(provider: Provider, body: JsonObject) -> JsonObject:
    codec = CODECS[provider]
    return codec.encode(codec.decode(body))


def assert_same(made: JsonObject, body: JsonObject) -> None:
    assert equal(made, body), f"{dump(made)!r}\n  is not\n{dump(body)!r}"


def spoil(value: object) -> None:
    """Change everything in a value that can be changed."""
    if isinstance(value, dict):
        for each in value.values():
            spoil(each)
        value["spoiled"] = True
    elif isinstance(value, list):
        for each in value:
            spoil(each)
        value.append("spoiled")


def said(messages: tuple[Message, ...], provider: Provider) -> list[Part]:
    """All parts in order. Gemini has no ids on the wire: those made up for its calls change with the position."""
    parts = [part for message in messages for part in message.parts]
    if provider != "gemini":
        return parts
    return [
        replace(part, call_id=CallId("")) if isinstance(part, (ToolCall, ToolResult)) else part
        for part in parts
    ]


@pytest.mark.parametrize("exchange", exchanges(), ids=lambda exchange: exchange.name)
def test_a_recorded_request_comes_back(exchange: Exchange) -> None:
    before = deepcopy(exchange.request)
    assert_same(again(exchange.provider, exchange.request), before)
    assert equal(exchange.request, before)


def test_every_recorded_request_is_tried_and_recognized() -> None:
    recognized = [detect_provider(exchange.request) for exchange in exchanges()]
    assert recognized == [exchange.provider for exchange in exchanges()]
    assert Counter(recognized) == EXCHANGES


@pytest.mark.parametrize("provider", PROVIDERS)
def test_every_known_shape_comes_back(provider: Provider) -> None:
    assert len(MESSAGES[provider]) >= 6
    for message in MESSAGES[provider]:
        body = {LIST[provider]: [message]}
        assert_same(again(provider, body), body)
    for frame in BODIES[provider]:
        body = {**frame, LIST[provider]: list(MESSAGES[provider])}
        assert_same(again(provider, body), body)


@pytest.mark.parametrize("provider", PROVIDERS)
@given(data=st.data())
def test_a_body_comes_back_or_is_refused_with_the_place(provider: Provider, data: st.DataObject) -> None:
    body = data.draw(bodies(provider))
    before = deepcopy(body)
    try:
        conversation = CODECS[provider].decode(body)
    except InvalidRequest as refused:
        assert str(refused.facts["path"]).startswith("$")  # noqa: PT017
        return
    assert_same(CODECS[provider].encode(conversation), before)
    assert equal(body, before)


@pytest.mark.parametrize("provider", PROVIDERS)
@given(data=st.data())
def test_messages_get_ids_of_their_own_and_count_their_runs(provider: Provider, data: st.DataObject) -> None:
    body = data.draw(bodies(provider))
    try:
        messages = CODECS[provider].decode(body).messages
    except InvalidRequest:
        return
    assert len({message.id for message in messages}) == len(messages)
    assert number_runs(messages) == messages
    assert CODECS[provider].decode(body).messages == messages


@pytest.mark.parametrize("provider", PROVIDERS)
@given(data=st.data())
def test_who_edits_a_body_does_not_edit_the_conversation(provider: Provider, data: st.DataObject) -> None:
    try:
        conversation = CODECS[provider].decode(data.draw(bodies(provider)))
    except InvalidRequest:
        return
    made = CODECS[provider].encode(conversation)
    before = deepcopy(made)
    spoil(made)
    assert_same(CODECS[provider].encode(conversation), before)


@pytest.mark.parametrize("provider", PROVIDERS)
@given(data=st.data())
def test_messages_that_are_left_when_others_go_say_the_same(provider: Provider, data: st.DataObject) -> None:
    try:
        conversation = CODECS[provider].decode(data.draw(bodies(provider)))
    except InvalidRequest:
        return
    kept = tuple(message for message in conversation.messages if data.draw(st.booleans()))
    made = CODECS[provider].encode(replace(conversation, messages=kept))
    read = CODECS[provider].decode(made).messages
    assert said(read, provider) == said(kept, provider)


@pytest.mark.parametrize("provider", PROVIDERS)
@given(conversation=conversations())
@FEW
def test_any_conversation_can_be_written_and_read_again(
    provider: Provider, conversation: Conversation
) -> None:
    made = CODECS[provider].encode(conversation)
    assert_same(again(provider, parse_object(dump(made), place="body")), made)


@pytest.mark.parametrize("provider", PROVIDERS)
@given(data=st.data())
def test_a_body_is_recognized_or_not_but_never_too_odd_to_ask(
    provider: Provider, data: st.DataObject
) -> None:
    body = data.draw(bodies(provider))
    assert all(0 <= codec.recognizes(body) <= 1 for codec in CODECS.values())

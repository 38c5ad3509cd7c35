"""A recorded body that fits is sent as it is: nothing is added that nobody asked for, and nothing changes unsaid."""

from __future__ import annotations

import pytest

from contextrail import Rail
from tests.wire.cassettes import Exchange, exchanges

ACCEPTED = [each for each in exchanges() if each.status < 300]


@pytest.mark.parametrize("recorded", ACCEPTED, ids=lambda each: each.name)
def test_a_recorded_body_is_built_for_its_own_provider_as_it_was(recorded: Exchange) -> None:
    request = Rail(target=recorded.provider, window=1_000_000).build(recorded.request)
    if request.body != recorded.request:
        assert request.decisions
    assert "not shown" not in str(request.body)
    for name in ("max_tokens", "max_completion_tokens", "max_output_tokens"):
        assert request.body.get(name) == recorded.request.get(name)


@pytest.mark.parametrize("target", ["openai-chat", "openai-responses", "gemini", "openai-chat:mistral"])
def test_a_reserve_that_nobody_asked_for_puts_no_limit_on_the_answer(target: str) -> None:
    said = {"messages": [{"role": "user", "content": "Why?"}]}
    request = Rail(target=target).build(said)
    assert request.inputs.reserve == 2_400
    assert "2400" not in str(request.body)


@pytest.mark.parametrize("window", [None, 16_000, 4_000])
def test_where_a_provider_demands_a_limit_the_answer_gets_what_the_model_leaves_and_it_is_told(
    window: int | None,
) -> None:
    rail = Rail(target="anthropic", window=window)
    request = rail.build({"messages": [{"role": "user", "content": "Why?"}]})
    assert request.body["max_tokens"] == 4_096
    assert "output-limit-set" in {each.reason for each in request.decisions}


def test_a_demanded_limit_and_the_request_fit_the_window_of_the_model_together() -> None:
    said = [{"role": "user", "content": "why? " * 196_000}]
    request = Rail(target="anthropic", model="claude-sonnet-4-5", tokenizer="chars:5").build(
        {"messages": said}
    )
    assert request.cost.high + request.body["max_tokens"] <= 200_000
    assert request.body["max_tokens"] >= 2_400


def test_a_reserve_that_was_asked_for_limits_the_answer_and_is_told() -> None:
    request = Rail(target="openai-chat", reserve_output=700).build(
        {"messages": [{"role": "user", "content": "Why?"}]}
    )
    assert request.body["max_completion_tokens"] == 700
    assert "output-limit-set" in {each.reason for each in request.decisions}


def test_mistral_gets_a_model_and_a_limit_that_it_knows() -> None:
    body = {"model": "gpt-5", "max_completion_tokens": 50, "messages": [{"role": "user", "content": "Why?"}]}
    request = Rail(target="openai-chat:mistral").build(body)
    assert (request.body["model"], request.body["max_tokens"]) == ("mistral-large-latest", 50)
    assert "max_completion_tokens" not in request.body

"""Usage means the same for every provider, and what is not stated stays unknown."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contextrail.core.errors import InvalidRequest
from contextrail.core.json_text import JsonObject
from contextrail.wire.target import PROVIDERS, Provider
from contextrail.wire.usage import (
    UNKNOWN,
    Usage,
    read_usage,
    sse_events,
    total,
    usage_of_answer,
    usage_of_stream,
)
from tests.properties.effort import FEW
from tests.properties.values import json_values
from tests.wire.cassettes import Exchange, exchanges

C06 = json.loads((Path(__file__).parents[1] / "data/cases/wire/c06.json").read_text("utf-8"))

ANSWERED = [each for each in exchanges() if isinstance(each.response, dict) and each.status == 200]
STREAMED = [each for each in exchanges() if isinstance(each.response, str)]

COUNTS = {
    "anthropic": ["input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens", "output_tokens"],
    "openai-chat": ["prompt_tokens", "completion_tokens"],
    "openai-responses": ["input_tokens", "output_tokens"],
    "gemini": ["promptTokenCount", "cachedContentTokenCount", "candidatesTokenCount", "thoughtsTokenCount"],
}


def test_context_and_cache_of_case_c06() -> None:
    found = [read_usage(each["provider"], each["usage"]) for each in C06["input"]["usages"]]
    assert [each.context for each in found] == [52000, 52000, 52000, 52000, 52000, None]
    assert [each.cached for each in found] == [48000, 48000, 47000, 48000, 0, None]
    assert [each.output for each in found] == [700, 700, 700, 700, 700, None]


# Recorded answers


def stated(usage: JsonObject, *path: str) -> int:
    value: Any = usage
    for name in path:
        value = value[name]
    assert type(value) is int
    return value


@pytest.mark.parametrize("exchange", ANSWERED, ids=lambda each: each.name)
def test_counts_of_a_recorded_answer_are_what_it_states(exchange: Exchange) -> None:
    assert isinstance(exchange.response, dict)
    found = usage_of_answer(exchange.provider, exchange.response)
    match exchange.provider:
        case "anthropic":
            usage = exchange.response["usage"]
            last = [
                each for each in usage.get("iterations", [usage]) if each.get("type", "message") == "message"
            ][-1]
            parts = [stated(last, name) for name in COUNTS["anthropic"]]
            assert (found.context, found.cached, found.written, found.output) == (sum(parts[:3]), *parts[1:])
        case "openai-chat":
            usage = exchange.response["usage"]
            assert (found.context, found.output) == (
                stated(usage, "prompt_tokens"),
                stated(usage, "completion_tokens"),
            )
            assert found.context + found.output == usage["total_tokens"]  # type: ignore[operator]
        case "openai-responses":
            usage = exchange.response["usage"]
            assert found == Usage(
                context=stated(usage, "input_tokens"),
                cached=stated(usage, "input_tokens_details", "cached_tokens"),
                written=usage["input_tokens_details"].get("cache_write_tokens"),
                output=stated(usage, "output_tokens"),
                reasoning=stated(usage, "output_tokens_details", "reasoning_tokens"),
            )
        case "gemini":
            usage = exchange.response["usageMetadata"]
            assert found.context == stated(usage, "promptTokenCount")
            assert found.output == stated(usage, "totalTokenCount") - stated(usage, "promptTokenCount")
            assert found.reasoning == usage.get("thoughtsTokenCount")
            assert found.cached is None


def test_cached_tokens_are_stated_by_the_vendors_of_chat_in_their_own_ways() -> None:
    cached = {
        usage_of_answer("openai-chat", each.response).cached
        for each in ANSWERED
        if each.provider == "openai-chat"
    }
    assert cached == {None, 0, 32, 4012}  # Groq says nothing, Mistral 32, OpenAI 4,012


def test_an_answer_with_iterations_is_as_large_as_its_last_message() -> None:
    [advised] = [each for each in ANSWERED if "advisor" in each.file]
    assert isinstance(advised.response, dict)
    usage = advised.response["usage"]
    assert [each["type"] for each in usage["iterations"]][::2] == ["message", "message"]
    found = usage_of_answer("anthropic", advised.response)
    assert found.context == usage["iterations"][-1]["input_tokens"]
    assert found.context != usage["input_tokens"]


@pytest.mark.parametrize(
    ("name", "right"),
    [
        ("test_google_model_thinking_part_iter", Usage(context=34, output=469 + 787, reasoning=787)),
        (
            "test_anthropic_model_thinking_part_redacted_stream",
            Usage(context=92, cached=0, written=0, output=189),
        ),
        ("test_anthropic_model_thinking_part_stream", Usage(context=43, cached=0, written=0, output=282)),
    ],
)
def test_counts_of_a_recorded_stream_are_those_of_its_end(name: str, right: Usage) -> None:
    [exchange] = [each for each in STREAMED if each.name.split("/")[-1].startswith(f"{name}[")]
    assert usage_of_stream(exchange.provider, str(exchange.response)) == right


def test_a_refused_request_used_nothing_that_is_known() -> None:
    refused = [each for each in exchanges() if each.status == 400]
    assert len(refused) == 1
    assert usage_of_answer(refused[0].provider, refused[0].response) == UNKNOWN


# Meaning


def test_what_was_read_from_and_written_to_anthropics_cache_is_in_the_window_once() -> None:
    usage = {
        "input_tokens": 1,
        "cache_read_input_tokens": 20,
        "cache_creation_input_tokens": 300,
        "output_tokens": 4,
    }
    assert read_usage("anthropic", usage) == Usage(context=321, cached=20, written=300, output=4)


@pytest.mark.parametrize(
    "missing", [{}, {"cache_read_input_tokens": None, "cache_creation_input_tokens": None}]
)
def test_without_cache_fields_the_input_is_the_window_and_the_cache_unknown(missing: JsonObject) -> None:
    usage = {"input_tokens": 7, "output_tokens": 1, **missing}
    assert read_usage("anthropic", usage) == Usage(context=7, output=1)


def test_an_iteration_that_may_have_been_cached_is_of_unknown_size() -> None:
    message = {"type": "message", "input_tokens": 10, "output_tokens": 1}
    whole = {"input_tokens": 20, "cache_read_input_tokens": 500, "cache_creation_input_tokens": 0}
    two = read_usage("anthropic", {**whole, "iterations": [message, message]})
    assert two == Usage(context=None, cached=None, written=0, output=1)
    one = read_usage("anthropic", {**whole, "iterations": [message]})
    assert one == Usage(context=510, cached=500, written=0, output=1)
    told = {**message, "cache_read_input_tokens": 400, "cache_creation_input_tokens": 3}
    assert read_usage("anthropic", {**whole, "iterations": [message, told]}).context == 413


@pytest.mark.parametrize("iterations", [None, [], "x", [1], [{"type": "compaction", "input_tokens": 9}]])
def test_without_an_iteration_of_a_message_the_whole_counts(iterations: object) -> None:
    assert read_usage("anthropic", {"input_tokens": 7, "iterations": iterations}).context == 7


def test_deepseek_states_its_cache_in_a_field_of_its_own() -> None:
    usage = {
        "prompt_tokens": 100,
        "prompt_cache_hit_tokens": 64,
        "prompt_cache_miss_tokens": 36,
        "completion_tokens": 5,
    }
    for provider in ("openai-chat", "openai-chat:deepseek"):
        assert read_usage(provider, usage) == Usage(context=100, cached=64, output=5)


@pytest.mark.parametrize(
    ("usage", "output"),
    [
        ({"candidatesTokenCount": 5}, 5),
        ({"candidatesTokenCount": 5, "thoughtsTokenCount": 7}, 12),
        ({"thoughtsTokenCount": 7}, None),
        ({"thoughtsTokenCount": 7, "promptTokenCount": 3, "totalTokenCount": 10}, 7),
        ({"promptTokenCount": 3, "toolUsePromptTokenCount": 2, "totalTokenCount": 10}, 5),
        ({"promptTokenCount": 11, "totalTokenCount": 10}, None),
        ({"totalTokenCount": 10}, None),
        ({"candidatesTokenCount": 5, "thoughtsTokenCount": "7"}, None),
    ],
)
def test_output_of_gemini_is_candidates_and_thoughts(usage: JsonObject, output: int | None) -> None:
    assert read_usage("gemini", usage).output == output


@pytest.mark.parametrize("wrong", ["12", -1, True, 1.5, [12], {"n": 12}])
@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_count_that_is_no_count_is_unknown_and_so_is_its_sum(provider: Provider, wrong: object) -> None:
    sound = dict.fromkeys(COUNTS[provider], 1)
    assert None not in (read_usage(provider, sound).context, read_usage(provider, sound).output)
    for name in COUNTS[provider]:
        found = read_usage(provider, {**sound, name: wrong})
        assert None in (found.context, found.output, found.cached)


@FEW
@pytest.mark.parametrize("provider", PROVIDERS)
@given(
    usage=st.dictionaries(
        st.sampled_from([*COUNTS["anthropic"], *COUNTS["gemini"], "iterations"]), json_values(6)
    )
)
def test_any_usage_is_counts_or_unknown(provider: Provider, usage: JsonObject) -> None:
    found = read_usage(provider, usage)
    for count in (found.context, found.cached, found.written, found.output, found.reasoning):
        assert count is None or (type(count) is int and count >= 0)


@pytest.mark.parametrize("usage", [None, [], "x", 0, {}])
@pytest.mark.parametrize("provider", PROVIDERS)
def test_no_usage_is_unknown_never_nothing(provider: Provider, usage: Any) -> None:
    assert read_usage(provider, usage) == UNKNOWN
    assert usage_of_answer(provider, usage) == UNKNOWN


def test_an_unknown_provider_is_refused() -> None:
    with pytest.raises(InvalidRequest, match="is not a provider"):
        read_usage("telepathy", {})


# Totals


def test_a_total_with_an_unknown_is_unknown_in_that_field_only() -> None:
    some, more = Usage(context=1, cached=0, output=2), Usage(context=10, cached=5, written=1, output=20)
    assert some + more == Usage(context=11, cached=5, output=22)
    assert total([some, more, some]) == Usage(context=12, cached=5, output=24)
    assert total([]) == Usage(context=0, cached=0, written=0, output=0, reasoning=0)
    assert total([more, UNKNOWN]) == UNKNOWN


# Streams


def test_events_are_cut_at_line_ends_only_and_what_is_no_object_is_left_out() -> None:
    text = (
        'event: a\r\ndata: {"a": "one\u2028line"}\r\n\r\n: comment\n\ndata:{"b":\ndata: 2}\n\n'
        'data: [DONE]\n\ndata: [1]\n\ndata: {"c": 3}'
    )
    assert list(sse_events(text)) == [{"a": "one\u2028line"}, {"b": 2}, {"c": 3}]


def test_the_end_of_a_stream_wins_field_by_field() -> None:
    start = {"type": "message_start", "message": {"usage": {"input_tokens": 9, "output_tokens": 1}}}
    end = {"type": "message_delta", "usage": {"input_tokens": None, "output_tokens": 30}}
    text = "".join(f"data: {json.dumps(each)}\n\n" for each in (start, end))
    assert usage_of_stream("anthropic", text) == Usage(context=9, output=30)
    done = {"type": "response.completed", "response": {"usage": {"input_tokens": 3, "output_tokens": 4}}}
    assert usage_of_stream("openai-responses", f"data: {json.dumps(done)}\n\n") == Usage(context=3, output=4)
    assert usage_of_stream("openai-chat", "data: [DONE]\n\n") == UNKNOWN

"""Estimates against what providers counted, in recorded requests and in a real session."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from contextrail.core.tokens import ZERO, Estimate
from contextrail.messages.model import Conversation
from contextrail.wire import neutral
from contextrail.wire.codec import decode
from contextrail.wire.tokenizers import tokenizer
from tests.wire.cassettes import exchanges

TURNS: list[dict[str, Any]] = [
    json.loads(line)
    for line in (Path(__file__).parents[1] / "data/token-texts/claude-turns.jsonl")
    .read_text(encoding="utf-8")
    .splitlines()
]
MODEL = "claude-sonnet-4-5"
SERVER_SIDE = "native_tool", "mcp_call", "compact", "google_url_input"
"""Exchanges in which the provider added content of its own, or took some away."""


def turn_cost(turn: dict[str, Any], made: Any) -> Estimate:
    conversation = neutral.decode({"messages": turn["messages"]})
    return sum((made.message(message, MODEL) for message in conversation.messages), ZERO)


def test_what_claude_counted_for_a_turn_lies_in_the_interval() -> None:
    made = tokenizer("auto")
    assert len(TURNS) == 80
    costs = [(turn_cost(turn, made), turn["tokens"]) for turn in TURNS]
    inside = sum(cost.low <= tokens <= cost.high for cost, tokens in costs)
    below = sum(tokens <= cost.high for cost, tokens in costs)
    assert inside >= 76
    assert below >= 78
    whole = sum((cost for cost, _ in costs), ZERO)
    assert whole.low <= sum(tokens for _, tokens in costs) <= whole.high <= 1.6 * whole.low


def test_usage_makes_the_estimate_of_the_next_request_narrow_and_right() -> None:
    made = tokenizer("auto")
    raw, actual, seen, last = ZERO, 0, [], ZERO
    for turn in TURNS:
        raw += turn_cost(turn, tokenizer("auto"))
        actual += turn["tokens"]
        calibration = made.calibration
        found = raw if calibration is None else calibration.apply(raw, MODEL)
        seen.append(found.low <= actual <= found.high)
        made = made.calibrated(found, actual, MODEL)
        last = found
    assert sum(seen) >= 78
    assert last.high <= 1.12 * last.low


def test_recorded_requests_cost_what_their_providers_counted() -> None:
    made = tokenizer("auto")
    results = []
    for exchange in exchanges():
        usage = exchange.response if isinstance(exchange.response, dict) else {}
        counted = input_tokens(usage.get("usage") or usage.get("usageMetadata") or {})
        if not counted or exchange.status != 200 or any(word in exchange.file for word in SERVER_SIDE):
            continue
        model = exchange.request.get("model") or exchange.uri.rpartition("/")[2].partition(":")[0]
        cost = made.body(decode(exchange.request, exchange.provider), model)
        results.append((exchange.name, cost, counted))
    assert len(results) >= 60
    beyond = [name for name, cost, counted in results if counted > cost.high]
    short = [name for name, cost, counted in results if counted < cost.low]
    assert len(beyond) <= 1, beyond
    assert len(short) <= 3, short


def test_openai_counts_are_met_to_the_token() -> None:
    made = tokenizer("auto")
    body = {"model": "gpt-4o-mini", "messages": [{"role": "user", "content": "hello world"}]}
    conversation: Conversation = decode(body, "openai-chat")
    # The cookbook's formula: 3 for the request, 3 and the role for the message, 2 for its text.
    assert made.body(conversation).high == 3 + 3 + 1 + 2


def input_tokens(usage: dict[str, Any]) -> int:
    """All input tokens of a usage record, cached ones included."""
    plain = usage.get("promptTokenCount") or usage.get("prompt_tokens") or usage.get("input_tokens") or 0
    cached = ("cache_read_input_tokens", "cache_creation_input_tokens")
    return int(plain) + sum(int(usage.get(name) or 0) for name in cached)

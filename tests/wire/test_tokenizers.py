"""Tokenizers: specs, identity, the case of Chinese text, learning from usage, counting once."""

from __future__ import annotations

import json
import socket
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contextrail.core.calibration import Calibration
from contextrail.core.errors import InvalidRequest
from contextrail.core.ids import MessageId
from contextrail.core.tokens import Estimate, exactly
from contextrail.messages.cost import Tokenizer
from contextrail.messages.model import Conversation, Media, Message, Text, Tool
from contextrail.wire.backends import reference_count
from contextrail.wire.counting import TextMeasure
from contextrail.wire.message_cost import TokenRule
from contextrail.wire.models import shipped_models
from contextrail.wire.overheads import OVERHEADS
from contextrail.wire.remembered import RuleTokenizer
from contextrail.wire.tokenizers import SPECS, tokenizer
from tests.properties.effort import FEW
from tests.properties.strategies import conversations
from tests.wire.shapes import PIXEL

DATA = Path(__file__).parents[1] / "data"
NAMES = [spec.replace(":N", ":4") for spec in SPECS]
TOKENS = [name for name in NAMES if not name.startswith(("chars", "message", "bytes"))]


def user(text: str, ident: str = "m") -> Message:
    return Message(id=MessageId(ident), role="user", parts=(Text(text=text),))


# Specs


@pytest.mark.parametrize("spec", NAMES)
def test_every_spec_that_is_offered_makes_a_tokenizer_with_its_name(spec: str) -> None:
    made: Tokenizer = tokenizer(spec)
    assert made.id == spec
    assert made.version
    assert made.state is None
    assert made.unit == ("byte" if spec == "bytes" else "token")


@pytest.mark.parametrize(
    "spec", ["", "gpt", "o200k_base", "O200K", "estimate", "estimate:", "estimate:gpt", "bytes:4", "auto:1"]
)
def test_an_unknown_spec_is_refused_with_what_there_is(spec: str) -> None:
    with pytest.raises(InvalidRequest, match=r"claude|chars:N") as caught:
        tokenizer(spec)
    assert caught.value.code == "invalid_request"


@pytest.mark.parametrize("word", ["chars", "message"])
@pytest.mark.parametrize("number", ["", ":", ":0", ":-1", ":x", ":1.5", ":٣", ":99999999999"])
def test_a_number_that_is_not_at_least_one_is_refused_by_name(word: str, number: str) -> None:
    with pytest.raises(InvalidRequest, match=f"{word}{number}"):
        tokenizer(word + number)


def test_an_unknown_media_formula_is_refused() -> None:
    with pytest.raises(InvalidRequest, match="media formula"):
        tokenizer("o200k", media="openai")


# Identity


def test_two_specs_have_two_versions_and_one_has_one() -> None:
    versions = [tokenizer(spec).version for spec in TOKENS]
    assert len(set(versions)) == len(versions)
    assert tokenizer("auto").version == tokenizer("auto").version


def test_another_table_or_route_is_another_version() -> None:
    table = shipped_models().overridden({"house": {"tokenizer": "cl100k"}})
    versions = {
        tokenizer("auto").version,
        tokenizer("auto", models=table).version,
        tokenizer("auto", media="text").version,
    }
    assert len(versions) == 3


# Texts


def test_exact_counts_are_exact() -> None:
    assert tokenizer("o200k").text("hello world") == exactly(2)
    assert tokenizer("cl100k").text("hello world") == exactly(2)
    assert tokenizer("bytes").text("né") == exactly(3)


@pytest.mark.parametrize("spec", ["o200k", "cl100k"])
@pytest.mark.parametrize("literal", ["<|endoftext|>", "<|endofprompt|>", "<|fim_prefix|>", "<|im_start|>"])
def test_special_token_literals_are_ordinary_text(spec: str, literal: str) -> None:
    assert tokenizer(spec).text(literal).low > 1


@pytest.mark.parametrize("spec", NAMES)
def test_lone_surrogates_and_control_characters_are_counted(spec: str) -> None:
    assert tokenizer(spec).text("a\ud800\x00\uffff\U0010ffff").high >= 1


@given(text=st.text(max_size=200))
def test_o200k_and_cl100k_are_what_the_reference_counts(text: str) -> None:
    assert tokenizer("o200k").text(text).low == reference_count("o200k")(text)
    assert tokenizer("cl100k").text(text).low == reference_count("cl100k")(text)


def test_no_network_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: Any, **__: Any) -> None:
        raise AssertionError

    monkeypatch.setattr(socket, "socket", refused)
    monkeypatch.setattr(socket, "getaddrinfo", refused)
    reference_count.__wrapped__("o200k")("count me")
    assert tokenizer("estimate:claude").text("count me").high > 0


# Auto


@pytest.mark.parametrize(
    ("model", "spec"),
    [
        ("gpt-4o", "o200k"),
        ("gpt-4-turbo", "cl100k"),
        ("claude-sonnet-4-5", "estimate:claude"),
        ("claude-opus-4-7", "estimate:claude-new"),
        ("gemini-2.5-pro", "estimate:gemini"),
        ("deepseek-chat", "estimate:deepseek"),
        ("qwen3-max", "estimate:qwen"),
        ("nobody-knows-it", "estimate:unknown"),
        (None, "estimate:unknown"),
    ],
)
def test_auto_counts_as_the_model_of_each_call_says(model: str | None, spec: str) -> None:
    text = "All reports of the sync service are built every hour from now on; keep 90 days of history."
    assert tokenizer("auto").text(text, model) == tokenizer(spec).text(text)
    assert tokenizer("auto").message(user(text), model) == tokenizer(spec).message(user(text), model)


def test_a_body_is_counted_for_its_own_model_if_the_call_names_none() -> None:
    conversation = Conversation(model="gpt-4o", messages=(user("hello world"),))
    assert tokenizer("auto").body(conversation) == tokenizer("o200k").body(conversation)
    assert tokenizer("auto").body(conversation, "claude-opus-4-7") != tokenizer("o200k").body(conversation)


def test_an_image_costs_by_the_model_unless_the_route_says_otherwise() -> None:
    image = Message(id=MessageId("m"), role="user", parts=(Media(kind="image", data=PIXEL),))
    by_model = tokenizer("o200k").message(image, "gpt-4o")
    assert by_model.high < 300
    as_text = tokenizer("o200k", media="text").message(image, "gpt-4o")
    assert as_text == exactly(4 + reference_count("o200k")(PIXEL))


# Bodies


@FEW
@given(conversation=conversations())
def test_a_body_is_its_fixed_part_and_its_messages(conversation: Conversation) -> None:
    for made in map(tokenizer, NAMES):
        parts = [made.message(message, "gpt-4o") for message in conversation.messages]
        fixed = made.body(replace(conversation, messages=()), "gpt-4o")
        whole = made.body(conversation, "gpt-4o")
        assert whole.low == fixed.low + sum(part.low for part in parts)
        assert whole.high == fixed.high + sum(part.high for part in parts)


def test_tools_and_system_make_a_request_dearer() -> None:
    made = tokenizer("o200k")
    bare = Conversation(messages=(user("hi"),))
    with_system = replace(bare, system=(Text(text="be kind"),))
    with_tools = replace(
        with_system, tools=(Tool(name="ls", description="list", parameters={"type": "object"}),)
    )
    assert made.body(bare).high < made.body(with_system).high < made.body(with_tools).high


# Counting once


class Fake:
    """Counts characters, and remembers what it was asked."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def __call__(self, text: str) -> Estimate:
        self.asked.append(text)
        return exactly(len(text))


def counting(fake: Fake) -> RuleTokenizer:
    rule = TokenRule(TextMeasure(fake), OVERHEADS["o200k"], None)
    return RuleTokenizer(id="fake", version="1", unit="token", rule_for=lambda _: rule)


def test_a_turn_that_adds_one_message_counts_one_message() -> None:
    fake = Fake()
    made = counting(fake)
    conversation = Conversation(messages=tuple(user(f"message {n}", str(n)) for n in range(500)))
    made.body(conversation)
    assert len(fake.asked) == 500
    fake.asked.clear()
    grown = replace(conversation, messages=(*conversation.messages, user("the new one")))
    assert made.body(grown).low == made.body(conversation).low + 4 + len("the new one")
    assert fake.asked == ["the new one"]


@FEW
@given(pool=conversations(), picks=st.lists(st.lists(st.integers(0, 9), max_size=12), max_size=6))
def test_requests_cost_what_they_cost_alone_whatever_was_asked_before(
    pool: Conversation, picks: list[list[int]]
) -> None:
    """Grown, cut, changed in the middle, or the same again: a block that is remembered is the same block."""
    for spec in ("o200k", "estimate:claude", "chars:4", "message:3", "bytes"):
        made = tokenizer(spec)
        for numbers in (*picks, *(pick[:-1] for pick in picks), *picks):
            chosen = [pool.messages[n] for n in numbers if n < len(pool.messages)]
            request = replace(pool, messages=tuple(chosen), model=None)
            alone = tokenizer(spec)
            assert made.body(request) == alone.body(request)
            fixed = alone.body(replace(request, messages=()))
            costs = list(map(made.message, chosen))
            assert made.body(request).high == fixed.high + sum(cost.high for cost in costs)


def test_a_request_that_grew_asks_only_for_the_end() -> None:
    made = counting(Fake())
    messages = tuple(user(f"message {n}", str(n)) for n in range(50))
    first = made.body(Conversation(messages=messages[:40]))
    seen: list[int] = []
    rule = made._view(None)[0]
    together = rule._rule.together

    class Noting:
        def together(self, block: Any) -> Any:
            seen.append(len(block))
            return together(block)

    rule._rule = Noting()  # type: ignore[assignment]
    assert made.body(Conversation(messages=messages[:40])) == first
    made.body(Conversation(messages=messages))
    made.body(Conversation(messages=messages[:45]))
    assert seen == [10, 5]


def test_a_message_that_was_read_again_is_not_counted_again() -> None:
    fake = Fake()
    made = counting(fake)
    made.message(user("the same words"))
    made.message(user("the same words"))
    assert fake.asked == ["the same words"]


def test_a_message_whose_place_in_memory_was_used_before_is_counted_for_itself() -> None:
    made = counting(Fake())
    for length in range(1, 300):
        assert made.message(user("x" * length)).low == 4 + length


def test_learning_from_usage_counts_nothing_again() -> None:
    fake = Fake()
    made = counting(fake)
    conversation = Conversation(messages=tuple(user(f"message {n}", str(n)) for n in range(50)))
    cost = made.body(conversation)
    fake.asked.clear()
    made.calibrated(cost, 700).body(conversation)
    assert fake.asked == []


# Learning from usage


def test_usage_gives_another_tokenizer_and_leaves_this_one() -> None:
    made = tokenizer("auto")
    text = "Every report is built once an hour. " * 50
    before = made.text(text, "claude-sonnet-4-5")
    taught = made.calibrated(before, before.high, "claude-sonnet-4-5")
    assert made.state is None
    assert made.text(text, "claude-sonnet-4-5") == before
    assert taught.state is not None
    assert taught.version == made.version
    after = taught.text(text, "claude-sonnet-4-5")
    assert after.low <= before.high <= after.high
    assert after.high - after.low < before.high - before.low
    assert taught.text(text, "gpt-4o") == made.text(text, "gpt-4o")
    again = taught.calibrated(after, before.high, "claude-sonnet-4-5")
    assert again.state != taught.state


def test_a_calibration_that_was_kept_is_taken_up_again() -> None:
    taught = tokenizer("auto").calibrated(Estimate(100, 200), 120, "m")
    again = tokenizer("auto", calibration=taught.calibration)
    assert again.state == taught.state
    assert again.text("count me", "m") == taught.text("count me", "m")
    assert tokenizer("auto", calibration=Calibration()).state is not None


@FEW
@given(conversation=conversations(), actual=st.integers(1, 10**6))
def test_a_corrected_body_costs_no_more_than_its_corrected_parts(
    conversation: Conversation, actual: int
) -> None:
    made = tokenizer("estimate:claude").calibrated(Estimate(1000, 1500), actual)
    parts = [made.message(message) for message in conversation.messages]
    fixed = made.body(replace(conversation, messages=(), model=None))
    whole = made.body(replace(conversation, model=None))
    assert whole.low <= whole.high <= fixed.high + sum(part.high for part in parts)


@pytest.mark.parametrize("spec", ["chars:4", "message:25", "bytes"])
def test_what_is_no_guess_is_not_corrected(spec: str) -> None:
    made = tokenizer(spec)
    assert made.calibrated(exactly(10), 20) == made
    assert tokenizer(spec, calibration=Calibration()).state is None


# Case C07: estimates of text that is not English


CASE = json.loads((DATA / "cases/wire/c07.json").read_text(encoding="utf-8"))
REPEAT = CASE["input"]["message"]["content_repeat"]
CHINESE = REPEAT["text"] * REPEAT["times"]
REAL = 3060


def test_c07_the_offline_estimate_holds_the_real_size_and_is_no_wider_than_planned() -> None:
    assert tokenizer("o200k").text(CHINESE) == exactly(REAL)
    assert tokenizer("cl100k").text(CHINESE) == exactly(4320)
    found = tokenizer("auto").text(CHINESE)
    assert found.low <= REAL <= found.high <= 1.6 * REAL
    assert found.high >= 4320


def test_c07_the_text_does_not_fit_the_window() -> None:
    cost = tokenizer("auto").body(Conversation(messages=(user(CHINESE),)))
    assert cost.high > CASE["policy"]["window_tokens"]
    assert tokenizer("chars:4").text(CHINESE).high < CASE["policy"]["window_tokens"], "what is usually done"


@pytest.mark.parametrize("spec", TOKENS)
@pytest.mark.parametrize("truth", ["o200k", "cl100k"])
def test_c07_after_one_usage_the_next_similar_text_is_within_ten_percent(spec: str, truth: str) -> None:
    made = tokenizer(spec)
    first, second = CHINESE[:2500], CHINESE[700:3900]
    taught = made.calibrated(made.text(first), tokenizer(truth).text(first).low)
    found, actual = taught.text(second), tokenizer(truth).text(second).low
    assert 0.9 * actual <= found.low <= actual <= found.high <= 1.1 * actual

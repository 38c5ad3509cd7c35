"""Whom a model belongs to: the form to ask in where nobody said, and what a target serves."""

from __future__ import annotations

import pytest

from contextrail.wire.target import home_of, parse_target, serves, stand_in


@pytest.mark.parametrize(
    ("model", "form"),
    [
        (None, "anthropic"),
        ("claude-sonnet-4-5", "anthropic"),
        ("gpt-5", "openai-chat"),
        ("codex-mini", "openai-responses"),
        ("gemini-3-pro", "gemini"),
        ("deepseek/deepseek-chat", "openai-chat"),
        ("some-model", "anthropic"),
    ],
)
def test_a_model_is_asked_in_the_form_of_its_vendor(model: str | None, form: str) -> None:
    assert home_of(model) == form


@pytest.mark.parametrize(
    ("target", "model", "served"),
    [
        ("anthropic", "gpt-5", False),
        ("anthropic", "anthropic/claude-opus-4-8", True),
        ("openai-chat", "claude-opus-4-8", False),
        ("openai-chat:mistral", "gpt-5", False),
        ("openai-chat:mistral", "mistral-large-latest", True),
        ("openai-chat:deepseek", "deepseek-chat", True),
    ],
)
def test_a_target_serves_the_models_of_its_vendor(target: str, model: str, *, served: bool) -> None:
    assert serves(parse_target(target), model) is served


def test_a_stand_in_is_a_model_that_the_target_serves() -> None:
    for name in (
        "anthropic",
        "openai-chat",
        "openai-responses",
        "openai-chat:mistral",
        "openai-chat:deepseek",
    ):
        model = stand_in(parse_target(name))
        assert model is not None
        assert serves(parse_target(name), model)
    assert stand_in(parse_target("gemini")) is None

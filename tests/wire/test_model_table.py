"""The model table: the row that a name means, and a host's own rows."""

from __future__ import annotations

import re
from typing import Any

import pytest

from contextrail.core.errors import InvalidRequest
from contextrail.wire.media_cost import check_formula
from contextrail.wire.model_table import ModelFacts, ModelTable, read_models
from contextrail.wire.models import lookup, shipped_models
from contextrail.wire.tokenizers import tokenizer


@pytest.mark.parametrize(
    ("model", "pattern"),
    [
        ("gpt-4o", "gpt-4o"),
        ("gpt-4o-2024-08-06", "gpt-4o"),
        ("gpt-4o-mini-2024-07-18", "gpt-4o-mini"),
        ("openai/gpt-4.1-mini", "gpt-4.1-mini"),
        ("gpt-4-1106-preview", "gpt-4-1106"),
        ("gpt-4-0613", "gpt-4"),
        ("ft:gpt-4o-mini:acme::x1", "gpt-4o-mini"),
        ("openai.gpt-5.6-luna", "gpt-5.6"),
        ("gpt-5.9", "gpt*"),
        ("claude-sonnet-4-5-20250929", "claude-sonnet-4-5"),
        ("claude-sonnet-4-20250514", "claude-sonnet-4"),
        ("us.anthropic.claude-sonnet-4-20250514-v1:0", "claude-sonnet-4"),
        ("anthropic/claude-opus-4.7", "claude-opus-4-7"),
        ("claude-opus-4-9", "claude*"),
        ("models/gemini-2.5-pro", "gemini-2.5-pro"),
        ("deepseek-ai/DeepSeek-V3.1", "deepseek-v3.1"),
        ("qwen3-14b", "qwen*"),
        ("my-o1-lookalike", ""),
        ("", ""),
        (None, ""),
    ],
)
def test_a_name_means_the_longest_pattern_it_begins_with(model: str | None, pattern: str) -> None:
    assert lookup(model).pattern == pattern


def test_an_unknown_model_has_only_unknowns() -> None:
    assert lookup("nobody-knows-it") == ModelFacts(pattern="")
    assert lookup("nobody-knows-it").window is None


def test_windows_and_tokenizers_of_common_models() -> None:
    assert (lookup("gpt-4o").window, lookup("gpt-4o").tokenizer) == (128_000, "o200k")
    assert lookup("gpt-5").max_input == 272_000
    assert lookup("gpt-4").tokenizer == "cl100k"
    assert (lookup("claude-sonnet-4-5").window, lookup("claude-sonnet-4-5[1m]").window) == (
        200_000,
        1_000_000,
    )
    assert lookup("claude-opus-4-7").tokenizer == "estimate:claude-new"
    assert lookup("claude-haiku-4-5").cache_minimum == 4096


def test_every_shipped_row_is_complete_and_usable() -> None:
    rows = shipped_models().rows
    assert len(rows) > 100
    for row in rows:
        assert row.source is not None, row.pattern
        assert row.source.startswith("https://"), row.pattern
        assert re.fullmatch(r"\d{4}-\d\d-\d\d", row.date or ""), row.pattern
        assert tokenizer(row.tokenizer or "").id == row.tokenizer
        assert row.media is None or check_formula(row.media) == row.media
        assert row.window is None or row.max_output is None or row.max_output <= row.window
        assert row.max_input is None or (row.window is not None and row.max_input <= row.window)
        name = row.pattern.rstrip("*")
        assert lookup(name).pattern == row.pattern, "another row hides it"


def test_a_host_changes_fields_and_adds_rows() -> None:
    table = shipped_models().overridden(
        {"gpt-4o": {"window": 64_000}, "house-model": {"window": 9, "tokenizer": "o200k"}}
    )
    assert table.lookup("gpt-4o").window == 64_000
    assert table.lookup("gpt-4o").max_output == 16_384
    assert table.lookup("house-model-2").pattern == ""
    assert table.lookup("house-model").window == 9
    assert table.digest != shipped_models().digest


@pytest.mark.parametrize(
    ("rows", "path"),
    [
        ({"m": 3}, "$.m"),
        ({"m": {"windows": 3}}, "$.m.windows"),
        ({"m": {"window": 0}}, "$.m.window"),
        ({"m": {"window": True}}, "$.m.window"),
        ({"m": {"window": "8k"}}, "$.m.window"),
        ({"m": {"tokenizer": 5}}, "$.m.tokenizer"),
    ],
)
def test_a_host_row_of_another_form_is_refused_with_the_path(rows: dict[str, Any], path: str) -> None:
    with pytest.raises(InvalidRequest) as caught:
        ModelTable().overridden(rows, place="models.json")
    assert caught.value.facts["path"] == path


@pytest.mark.parametrize(
    "data",
    [
        b"nope",
        b'{"models": {}}',
        b'{"models": [{"window": 3}]}',
        b'{"models": [{"pattern": "a"}, {"pattern": "a"}]}',
        b'{"models": [5]}',
    ],
)
def test_a_file_of_another_form_is_refused(data: bytes) -> None:
    with pytest.raises(InvalidRequest) as caught:
        read_models(data, place="mine.json")
    assert caught.value.facts["place"] == "mine.json"

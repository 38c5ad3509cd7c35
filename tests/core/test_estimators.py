"""Estimates: intervals that hold the truth on real texts, and are narrow enough to plan with."""

from __future__ import annotations

import base64
import hashlib
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contextrail.core.errors import InvalidRequest
from contextrail.core.estimators import FAMILIES, Family, estimate, parse_family, scale
from contextrail.core.scripts import count_scripts
from contextrail.core.tokens import Estimate
from contextrail.wire.backends import reference_count

TEXTS: dict[str, list[str]] = json.loads(
    (Path(__file__).parents[1] / "data/token-texts/texts.json").read_text(encoding="utf-8")
)
ALL = [(kind, text) for kind, texts in TEXTS.items() for text in texts]
O200K = reference_count("o200k")
CL100K = reference_count("cl100k")
BLOB = base64.b64encode(hashlib.shake_256(b"seed").digest(15_000)).decode()


@given(text=st.text(max_size=300), family=st.sampled_from(FAMILIES))
def test_an_interval_is_not_upside_down(text: str, family: Family) -> None:
    counts = count_scripts(text)
    for found in (estimate(family, counts), scale(family, counts, O200K(text))):
        assert 0 <= found.low <= found.high


@pytest.mark.parametrize("family", FAMILIES)
def test_an_empty_text_costs_nothing(family: Family) -> None:
    assert estimate(family, count_scripts("")) == Estimate(0, 0)
    assert scale(family, count_scripts(""), 0) == Estimate(0, 0)


def test_the_unknown_family_holds_both_public_vocabularies_on_real_texts() -> None:
    for kind, text in ALL:
        counts = count_scripts(text)
        scaled = scale("unknown", counts, O200K(text))
        assert scaled.low <= O200K(text) <= scaled.high, kind
        # Chinese dialogue is where cl100k is dearest: up to 3 % more than the upper end.
        assert scaled.low <= CL100K(text) <= scaled.high * (1.03 if kind == "chinese" else 1), kind


def test_scripts_alone_hold_the_truth_on_real_texts() -> None:
    held = [estimate("unknown", count_scripts(text)) for _, text in ALL]
    assert all(found.low <= O200K(text) <= found.high for found, (_, text) in zip(held, ALL, strict=True))


def test_an_exact_count_makes_the_interval_narrower() -> None:
    for family in FAMILIES:
        for kind, text in ALL:
            counts = count_scripts(text)
            wide, narrow = estimate(family, counts), scale(family, counts, O200K(text))
            assert narrow.high / narrow.low < wide.high / wide.low, (family, kind)


@pytest.mark.parametrize("family", FAMILIES)
def test_intervals_for_prose_and_code_are_no_wider_than_their_kind_needs(family: Family) -> None:
    for kind in ("english", "tool output"):
        for text in TEXTS[kind]:
            counts = count_scripts(text)
            if counts.latin:
                continue  # code about umlauts
            found = scale(family, counts, O200K(text))
            assert found.high <= 1.95 * found.low, kind


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize(
    "text", [BLOB, "QUJD" * 5_000, "A" * 20_000, BLOB.replace("+", "-").replace("/", "_")]
)
def test_twenty_thousand_characters_of_base64_are_ten_thousand_tokens_at_least(
    family: Family, text: str
) -> None:
    counts = count_scripts(text)
    assert len(text) == 20_000
    assert estimate(family, counts).high >= 10_000
    assert scale(family, counts, O200K(text)).high >= 10_000


def test_code_transcripts_of_claude_have_room_for_what_providers_counted() -> None:
    # Measured from usage: Opus 1.24 times o200k, 1.11 to 1.43 from the 10th to the 90th percentile, Sonnet
    # 4.5 1.39 times with calls and results around the texts; 2.2 bytes per token are a safe bound.
    text = "\n".join(TEXTS["tool output"])
    found = scale("claude", count_scripts(text), O200K(text))
    assert found.low <= 1.11 * O200K(text)
    assert found.high >= 1.39 * O200K(text)
    assert found.high <= len(text.encode()) / 2.2


def test_digits_cost_one_token_each_where_a_family_splits_them() -> None:
    text = "1234567890" * 30
    counts = count_scripts(f"x {text} ")
    assert scale("qwen", counts, O200K(f"x {text} ")).low >= 100
    plain = count_scripts(" ".join(["123456789"] * 30))
    assert scale("gemini", plain, 120).low >= 270
    assert scale("deepseek", plain, 120).high <= 160


def test_an_unknown_family_is_refused_with_the_names_that_exist() -> None:
    with pytest.raises(InvalidRequest, match="claude, claude-new, gemini, deepseek, qwen, unknown"):
        parse_family("gpt")

"""Calibration: usage narrows and moves estimates, in both directions, and a mistake fades."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contextrail.core.calibration import Calibration, read_calibration
from contextrail.core.errors import InvalidRequest
from contextrail.core.tokens import Estimate

WIDE = Estimate(800, 1600)
RATIOS = st.floats(0.02, 50, allow_nan=False)
ESTIMATES = st.builds(
    lambda low, more: Estimate(low, low + more), st.integers(1, 10**7), st.integers(0, 10**7)
)


def learned(*ratios: float, model: str | None = None) -> Calibration:
    """What is known after requests of 1,200 tokens by estimate that were `ratio` times as many."""
    calibration = Calibration()
    for ratio in ratios:
        estimated = calibration.apply(WIDE, model)
        calibration = calibration.observe(estimated, round(1200 * ratio), model)
    return calibration


@given(RATIOS)
def test_one_pair_brings_the_next_like_text_within_ten_percent(ratio: float) -> None:
    actual = round(1200 * ratio)
    found = learned(ratio).apply(WIDE)
    assert 0.9 * actual - 2 <= found.low <= actual <= found.high <= 1.1 * actual + 2


@given(ESTIMATES, st.lists(RATIOS, min_size=1, max_size=12))
def test_a_corrected_interval_is_never_upside_down(estimate: Estimate, ratios: list[float]) -> None:
    found = learned(*ratios).apply(estimate)
    assert 0 <= found.low <= found.high


@pytest.mark.parametrize("wrong", [0.05, 20.0])
def test_a_wrong_pair_fades(wrong: float) -> None:
    calibration = learned(wrong, *[1.1] * 30)
    found = calibration.apply(WIDE)
    assert found.low <= 1320 <= found.high
    assert found.high <= 1.1 * 1320


def test_correction_goes_down_as_well_as_up() -> None:
    assert learned(0.5, 0.5).apply(WIDE).high < WIDE.low
    assert learned(3.0, 3.0).apply(WIDE).low > WIDE.high


def test_pairs_that_differ_keep_the_interval_wide() -> None:
    steady, restless = learned(*[1.0] * 10).apply(WIDE), learned(*[0.8, 1.2] * 5).apply(WIDE)
    assert steady.high - steady.low < (restless.high - restless.low) / 2


def test_an_exact_count_keeps_a_margin_after_usage() -> None:
    found = learned(*[1.0] * 20).apply(Estimate(1000, 1000))
    assert found.low < 1000 < found.high


def test_what_one_model_taught_says_nothing_about_another() -> None:
    calibration = learned(2.0, model="a")
    assert calibration.apply(WIDE, "b") == WIDE
    assert calibration.apply(WIDE) == WIDE
    assert calibration.apply(WIDE, "a") != WIDE


@given(st.lists(RATIOS, min_size=1, max_size=8))
def test_equal_pairs_give_equal_digests_and_json_brings_it_back(ratios: list[float]) -> None:
    calibration = learned(*ratios, model="m")
    assert calibration.digest == learned(*ratios, model="m").digest
    assert read_calibration(json.loads(json.dumps(calibration.to_json()))) == calibration
    assert calibration.digest != calibration.observe(WIDE, 77_777, "m").digest


def test_the_form_holds_no_fractions() -> None:
    row = learned(1.37, 1.4, model="m").to_json()["models"]["m"]
    assert all(type(value) is int for value in row.values())


@pytest.mark.parametrize("actual", [0, -5])
def test_usage_that_is_not_a_count_is_refused(actual: int) -> None:
    with pytest.raises(InvalidRequest, match="cannot calibrate"):
        Calibration().observe(WIDE, actual)


def test_an_estimate_of_nothing_teaches_nothing() -> None:
    with pytest.raises(InvalidRequest, match="estimate of 0"):
        Calibration().observe(Estimate(0, 0), 10)
    assert learned(2.0).apply(Estimate(0, 0)) == Estimate(0, 0)


@pytest.mark.parametrize(
    ("value", "path"),
    [
        ([], "$"),
        ({"models": 3}, "$.models"),
        ({"models": {"m": 1}}, "$.models.m"),
        ({"models": {"m": {"pairs": 1, "ratio": 0, "spread": 0}}}, "$.models.m.ratio"),
        ({"models": {"m": {"pairs": True, "ratio": 1, "spread": 0}}}, "$.models.m.pairs"),
        ({"models": {"m": {"pairs": 1, "ratio": 1.5, "spread": 0}}}, "$.models.m.ratio"),
        ({"models": {"m": {"pairs": 1, "ratio": 1}}}, "$.models.m.spread"),
    ],
)
def test_a_record_of_another_form_is_refused_with_the_path(value: object, path: str) -> None:
    with pytest.raises(InvalidRequest) as caught:
        read_calibration(value, place="usage.json")
    assert caught.value.facts["path"] == path
    assert caught.value.facts["place"] == "usage.json"

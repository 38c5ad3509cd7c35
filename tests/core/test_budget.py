"""The budget: what is left of a window, who set it, and what is refused."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contextrail.core.budget import Chosen, RequestBudget, resolve_reserve, resolve_window
from contextrail.core.errors import BudgetExceeded, InvalidRequest
from contextrail.core.tokens import Estimate, exactly

FEW = st.integers(0, 5_000)


def test_what_is_left_is_the_window_without_everything_set_aside() -> None:
    budget = RequestBudget(
        window=8000, system=exactly(500), tools=Estimate(200, 700), output=1000, safety=100
    )
    assert budget.left == Estimate(8000 - 500 - 700 - 1000 - 100, 8000 - 500 - 200 - 1000 - 100)
    assert budget.request == 6900


@given(window=st.integers(1, 20_000), system=FEW, tools=FEW, more=FEW, output=FEW, safety=FEW)
def test_room_and_reserves_are_the_window_or_nothing_is_left(
    window: int, system: int, tools: int, more: int, output: int, safety: int
) -> None:
    budget = RequestBudget(
        window=window,
        system=exactly(system),
        tools=Estimate(tools, tools + more),
        output=output,
        safety=safety,
    )
    taken = system + tools + more + output + safety
    if taken < window:
        assert budget.left.low == window - taken
        assert budget.left.high == budget.left.low + more
        assert budget.fits(exactly(window - taken))
        assert not budget.fits(Estimate(0, window - taken + 1))
    else:
        with pytest.raises(BudgetExceeded) as caught:
            _ = budget.left
        assert caught.value.facts["needed"] == taken + 1
        assert caught.value.facts["available"] == window


def test_a_limit_on_the_request_alone_binds_where_it_is_the_smaller() -> None:
    assert RequestBudget(window=400, output=100, input_limit=250, safety=10).left == exactly(240)
    assert RequestBudget(window=400, output=200, input_limit=250, safety=10).left == exactly(190)


def test_too_large_reserves_are_reported_with_each_number() -> None:
    with pytest.raises(BudgetExceeded, match="need 1200 of a window of 1000") as caught:
        _ = RequestBudget(window=1000, system=exactly(400), output=800).left
    assert caught.value.facts["system"] == 400
    assert caught.value.facts["output"] == 800
    assert caught.value.facts["unit"] == "token"


@pytest.mark.parametrize("window", [0, -1, True, 1.5, "8000"])
def test_a_window_that_is_no_size_is_refused(window: Any) -> None:
    with pytest.raises(InvalidRequest, match="window must be a positive integer") as caught:
        RequestBudget(window=window)
    assert caught.value.facts["path"] == "window"


@pytest.mark.parametrize("name", ["output", "safety"])
def test_a_negative_reserve_is_refused_by_name(name: str) -> None:
    with pytest.raises(InvalidRequest, match=f"{name} reserve"):
        RequestBudget(window=10, **{name: -1})  # type: ignore[arg-type]


def test_an_input_limit_of_nothing_is_refused() -> None:
    with pytest.raises(InvalidRequest, match="input_limit"):
        RequestBudget(window=10, input_limit=0)


def test_the_smallest_window_given_wins_over_table_and_default() -> None:
    given_windows = {"--window": 9000, "policy": None, "host": 7000}
    assert resolve_window(given_windows, 5000) == Chosen(7000, "host")
    assert resolve_window({"--window": None}, 5000) == Chosen(5000, "model table")
    assert resolve_window({}) == Chosen(120_000, "default")
    assert resolve_window({"a": 5, "b": 5}) == Chosen(5, "a")


@pytest.mark.parametrize("window", [0, -3])
def test_a_window_given_as_nothing_is_refused_by_its_name(window: int) -> None:
    with pytest.raises(InvalidRequest, match="the window of the host must be a positive integer, not"):
        resolve_window({"policy": 10, "host": window})


def test_the_largest_reserve_given_wins() -> None:
    assert resolve_reserve({"--reserve-output": 500, "policy": 2000, "body": None}) == Chosen(2000, "policy")
    assert resolve_reserve({"policy": 0}) == Chosen(0, "policy")
    assert resolve_reserve({}, default=7) == Chosen(7, "default")
    with pytest.raises(
        InvalidRequest, match="the output reserve of the policy must be an integer of at least 0"
    ):
        resolve_reserve({"policy": -1})


def test_a_window_that_reserves_fill_is_told_with_every_part() -> None:
    budget = RequestBudget(window=100, output=200, system=Estimate(30, 38), safety=5)
    with pytest.raises(
        BudgetExceeded,
        match=r"window of 100: the output reserve 200, the safety reserve 5, system 38\Z",
    ):
        _ = budget.left
    budget = RequestBudget(window=100, input_limit=20, tools=Estimate(20, 20))
    with pytest.raises(BudgetExceeded, match=r": tools 20, and 20 is the most for the input\Z"):
        _ = budget.left

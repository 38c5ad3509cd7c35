"""Which lines of a long result are kept when the rest goes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contextrail.history.telling import LONGEST, telling_lines
from tests.history.contexts import words

FRAMES = [f"  File x{at}.py, line {at}" for at in range(300)]
ROWS = [f"{at}  order-{at}  {at * 17}.50 EUR" for at in range(300)]


@pytest.mark.parametrize("noise", [FRAMES, ROWS], ids=["frames", "rows"])
@pytest.mark.parametrize(
    "told",
    [
        "AssertionError: expected 3307 got 3306",
        "7 failed, 405 passed in 3.1s",
        "permission denied: /etc/app/secrets.toml",
        "src/ledger/posting.py:214: unresolved name iban",
        "错误：未找到端口 3307",
    ],
)
def test_the_line_that_tells_is_found_among_many_of_one_form(noise: list[str], told: str) -> None:
    text = "\n".join(["collected", *noise[:150], told, *noise[150:], "end of output"])
    assert told in telling_lines(text, 160, words)


def test_the_first_and_the_last_line_are_kept() -> None:
    kept = telling_lines("\n".join(["FIRST", *ROWS, "LAST"]), 160, words)
    assert (kept[0], kept[-1]) == ("FIRST", "LAST")


@given(st.lists(st.text(max_size=40), max_size=30), st.integers(0, 200))
def test_lines_are_of_the_text_in_order_none_twice_and_within_the_limit(lines: list[str], limit: int) -> None:
    text = "\n".join(lines)
    kept = telling_lines(text, limit, words)
    given_ = [line.strip() for line in text.splitlines()]
    places = [given_.index(line) for line in kept]
    assert places == sorted(set(places))
    assert sum(words(line) + 1 for line in kept) <= limit
    assert all(len(line) <= LONGEST for line in kept)

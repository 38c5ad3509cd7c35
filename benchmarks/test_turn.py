"""One turn: decode, build, encode, lint. First turn and next turn, for 100, 1,000 and 10,000 messages.

The limits are ratios taken in one run: growth from 1,000 to 10,000 messages at most 12 times; the next turn
at 10,000 messages under a tenth of the first. Every round has texts of its own, so that a first turn is one.
The speed of counting against the tokenizer library alone is measured by `tokens.py`.
"""

from __future__ import annotations

import statistics
import subprocess
import sys

import pytest

from benchmarks.sessions import body, grown
from contextrail import Rail, decode, lint, tokenizer

SIZES = (100, 1_000, 10_000)
WINDOW = 120_000


def fresh() -> Rail:
    return Rail(target="anthropic", window=WINDOW, tokenizer=tokenizer("o200k"))


def turn(rail: Rail, given: dict[str, object]) -> None:
    request = rail.build(given, compare=False)
    assert lint(request.body, "anthropic") == ()


@pytest.fixture(scope="module", autouse=True)
def _loaded() -> None:
    """Ranks are loaded and code is warm before the first measurement."""
    turn(fresh(), body(100))


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("which", ["first", "next"])
def test_turn(benchmark, size: int, which: str) -> None:
    given = body(size)
    later = grown(given)
    rails = []

    def setup() -> tuple[tuple[Rail, dict[str, object]], dict[str, object]]:
        rail = fresh()
        rails.append(rail)
        if which == "next":
            turn(rail, given)
        return (rail, later if which == "next" else given), {}

    benchmark.pedantic(turn, setup=setup, rounds=5 if size < 10_000 else 3)


ONE_SESSION = """
import sys, time
from benchmarks.test_turn import WINDOW, body, fresh, grown, turn
turn(fresh(), body(100))
given = body(int(sys.argv[1]), seed=7)
rail = fresh()
began = time.process_time()
turn(rail, given)
between = time.process_time()
turn(rail, grown(given))
print(between - began, time.process_time() - between)
"""


def one_session(size: int) -> tuple[float, float]:
    """CPU seconds of the first and of the next turn, in a process of its own: a first turn has counted nothing."""
    ran = subprocess.run(
        [sys.executable, "-c", ONE_SESSION, str(size)], capture_output=True, text=True, check=True
    )
    first, later = map(float, ran.stdout.split())
    return first, later


def test_growth_and_next_turn_ratios(benchmark) -> None:
    """Medians of five sessions of each size, in CPU time, all in this run."""
    small = [one_session(1_000) for _ in range(5)]
    large = [one_session(10_000) for _ in range(5)]
    growth = statistics.median(first for first, _ in large) / statistics.median(first for first, _ in small)
    share = statistics.median(later / first for first, later in large)
    benchmark.extra_info.update(growth_first=round(growth, 2), next_share=round(share, 4))
    benchmark.pedantic(lambda: None, rounds=1)
    print(f"\ngrowth 1,000 -> 10,000: {growth:.1f} (limit 12); next turn at 10,000: {share:.1%} (limit 10 %)")
    assert growth <= 12
    assert share < 0.10


def test_reading_a_body_alone(benchmark) -> None:
    given = body(1_000)
    benchmark(lambda: decode(given))

"""One turn: decode, build, encode, lint. First turn and next turn, for 100, 1,000 and 10,000 messages.

The limits are ratios taken in one run, in CPU time: growth from 1,000 to 10,000 messages at most 12 times; the next
turn, which gets the plan of the first as a host passes it on, at most a twentieth of the first. Reported besides: a
next turn without a plan, which decides everything again, and how often the time of the tokenizer alone a first build
takes, with a batch and without. Figures: `turns.md`. The speed of counting alone is measured by `tokens.py`.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys

import pytest

from benchmarks.sessions import body, grown
from contextrail import Rail, decode, lint, tokenizer
from contextrail.rail import Moment
from contextrail.request import Request
from contextrail.wire.backends import fast_count

SIZES = (100, 1_000, 10_000)
WINDOW = 120_000
FITS = 10_000_000
"""A window in which the longest session fits: no batch is due."""
RUNS = 5
GROWTH = 12
SHARE = 0.05


def fresh(window: int = WINDOW) -> Rail:
    return Rail(target="anthropic", window=window, tokenizer=tokenizer("o200k"))


def turn(rail: Rail, given: dict[str, object], before: Request | None = None) -> Request:
    plan = None if before is None else before.turn.plan
    request = rail.build(given, compare=False, moment=Moment(plan=plan))
    assert lint(request.body, "anthropic") == ()
    return request


@pytest.fixture(scope="module", autouse=True)
def _loaded() -> None:
    """Libraries and ranks are loaded and code is warm before the first measurement."""
    fast_count("o200k")
    turn(fresh(), body(100))


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("which", ["first", "next", "next without a plan"])
def test_turn(benchmark, size: int, which: str) -> None:
    given = body(size)
    later = grown(given)

    def setup() -> tuple[tuple[object, ...], dict[str, object]]:
        rail = fresh()
        if which == "first":
            return (rail, given), {}
        before = turn(rail, given)
        return (rail, later, before if which == "next" else None), {}

    benchmark.pedantic(turn, setup=setup, rounds=5 if size < 10_000 else 3)


ONE_SESSION = """
import json, sys, time
from benchmarks.test_turn import body, decode, fast_count, fresh, grown, turn
from contextrail.messages.text import part_text
from contextrail.wire.backends import reference_count

fast = fast_count("o200k")
turn(fresh(), body(100))
size, window = map(int, sys.argv[1:])
given = body(size, seed=7)
spent = {}

def timed(name, work):
    began = time.process_time()
    done = work()
    spent[name] = time.process_time() - began
    return done

texts = [part_text(part) for message in decode(body(size, seed=7)).messages for part in message.parts]
timed("tiktoken", lambda: sum(map(reference_count("o200k"), texts)))
if fast is not None:
    timed("toktok", lambda: sum(map(fast, texts)))
rail = fresh(window)
first = timed("first", lambda: turn(rail, given))
second = timed("next", lambda: turn(rail, grown(given), first))
timed("third", lambda: turn(rail, grown(grown(given)), second))
rail = fresh(window)
turn(rail, given)
timed("next without a plan", lambda: turn(rail, grown(given)))
print(json.dumps(spent))
"""


def one_session(size: int, window: int = WINDOW) -> dict[str, float]:
    """CPU seconds of each piece of work, in a process of its own: a first turn has counted nothing."""
    ran = subprocess.run(
        [sys.executable, "-c", ONE_SESSION, str(size), str(window)],
        capture_output=True,
        text=True,
        check=True,
    )
    spent: dict[str, float] = json.loads(ran.stdout)
    return spent


def sessions(size: int, window: int = WINDOW) -> dict[str, float]:
    """The median of each piece of work over several sessions, and of its ratios to others within a session."""
    found = [one_session(size, window) for _ in range(RUNS)]
    for spent in found:
        spent["next / first"] = spent["next"] / spent["first"]
        spent["third / first"] = spent["third"] / spent["first"]
        spent["next without a plan / first"] = spent["next without a plan"] / spent["first"]
        spent["first / tiktoken"] = spent["first"] / spent["tiktoken"]
    return {name: statistics.median(spent[name] for spent in found) for name in found[0]}


def test_growth_and_next_turn_ratios(benchmark) -> None:
    """Medians of several sessions of each size, all in this run."""
    small, large, fits = sessions(1_000), sessions(10_000), sessions(10_000, FITS)
    growth = large["first"] / small["first"]
    benchmark.extra_info.update(growth=growth, small=small, large=large, fits=fits)
    benchmark.pedantic(lambda: None, rounds=1)
    print(f"\ngrowth of a first turn, 1,000 -> 10,000 messages: {growth:.1f} (limit {GROWTH})")
    for name, spent in (("1,000", small), ("10,000", large), ("10,000, no batch", fits)):
        print(f"{name}: " + ", ".join(f"{what} {value:.3f}" for what, value in spent.items()))
    assert growth <= GROWTH
    assert large["next / first"] <= SHARE


def test_reading_a_body_alone(benchmark) -> None:
    given = body(1_000)
    benchmark(lambda: decode(given))

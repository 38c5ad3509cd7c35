"""One turn: decode, build, encode, lint. First turn and next turn, for 100, 1,000 and 10,000 messages.

The limits are ratios taken in one run: growth from 1,000 to 10,000 messages at most 12 times; the next turn
at 10,000 messages under a tenth of the first; counting at least 0.8 of the tokenizer library alone.
Figures of past runs are in `benchmarks/runs`.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable

import pytest
import tiktoken

from benchmarks.sessions import body, grown
from contextrail import Rail, decode, lint, tokenizer
from contextrail.wire.ranks import encoding

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


def cpu(work: Callable[[], object]) -> float:
    """Seconds of CPU time: what others do on the machine does not count."""
    began = time.process_time()
    work()
    return time.process_time() - began


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


def test_growth_and_next_turn_ratios(benchmark) -> None:
    """Medians of three, in CPU time, all in this run."""
    first: dict[int, float] = {}
    later: dict[int, float] = {}
    for size in (1_000, 10_000):
        given, after = body(size), grown(body(size))
        firsts, laters = [], []
        for _ in range(3):
            rail = fresh()
            firsts.append(cpu(lambda rail=rail, given=given: turn(rail, given)))
            laters.append(cpu(lambda rail=rail, after=after: turn(rail, after)))
        first[size], later[size] = statistics.median(firsts), statistics.median(laters)
    growth = first[10_000] / first[1_000]
    share = later[10_000] / first[10_000]
    benchmark.extra_info.update(growth_first=round(growth, 2), next_share=round(share, 4))
    benchmark.pedantic(lambda: None, rounds=1)
    print(f"\ngrowth 1,000 -> 10,000: {growth:.1f} (limit 12); next turn at 10,000: {share:.1%} (limit 10 %)")
    assert growth <= 12
    assert share < 0.10


@pytest.mark.parametrize("spec", ["o200k", "cl100k"])
def test_counting_speed_as_a_share_of_the_library_alone(benchmark, spec: str) -> None:
    """The same texts, cold, through our tokenizer and through the library it stands on."""
    texts = [
        part if isinstance(part, str) else part.get("text") or str(part.get("content") or "")
        for message in body(2_000)["messages"]
        for part in ([message["content"]] if isinstance(message["content"], str) else message["content"])
    ]
    library = encoding(spec)
    assert isinstance(library, tiktoken.Encoding)
    alone, ours = [], []
    for _ in range(5):
        count = tokenizer(spec)
        count.text("warm")
        ours.append(cpu(lambda count=count: [count.text(each) for each in texts]))
        alone.append(cpu(lambda: [len(library.encode_ordinary(each)) for each in texts]))
    share = statistics.median(alone) / statistics.median(ours)
    benchmark.extra_info.update(speed_share=round(share, 3), spec=spec)
    benchmark.pedantic(lambda: None, rounds=1)
    print(f"\ncounting {spec}: {share:.2f} of the library's speed (limit 0.8)")
    assert share >= 0.8


def test_reading_a_body_alone(benchmark) -> None:
    given = body(1_000)
    benchmark(lambda: decode(given))

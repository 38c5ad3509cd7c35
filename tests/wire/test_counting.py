"""Counting once: what was counted is remembered, what grew is counted at its end, nothing is lost at a cut."""

from __future__ import annotations

import base64
import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contextrail.core.tokens import Estimate
from contextrail.wire.backends import ExactCount, reference_count
from contextrail.wire.counting import BRIEF, LONGEST, PIECE, ExactMeasure, Recent, TextMeasure, pieces
from contextrail.wire.ranks import Encoding

ALPHABET = st.sampled_from(
    [
        *"aZ09 \n\n\n\t/.,'!=",
        "\r\n",
        " \n ",
        "\n/",
        "\n  x",
        "foo bar. baz",
        "it's",
        "字，字。",
        "日本",
        "한국",
        "é",
        "\u0301",
        "🚀",
        "\u200d",
        "1234",
        "<|endoftext|>",
        "\x1c",
        "\u3000",
        "\xa0",
        "\u2028",
    ]
)


class Counting:
    """Counts characters, and remembers what it was asked."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def __call__(self, text: str) -> Estimate:
        self.asked.append(text)
        return Estimate(len(text), len(text))


def long_text(lines: int) -> str:
    return "".join(f"line {number} of a log that grows, {number * 7} bytes\n" for number in range(lines))


@given(st.lists(ALPHABET, max_size=80), st.integers(1, 12))
def test_pieces_are_the_text_and_count_what_the_text_counts(words: list[str], size: int) -> None:
    text = "".join(words)
    cuts = list(pieces(text, size))
    assert "".join(cuts) == text
    for encoding in ("o200k", "cl100k"):
        count = reference_count(encoding)
        assert sum(map(count, cuts)) == count(text)


@given(st.text(max_size=200), st.integers(1, 6))
def test_pieces_of_any_text_count_what_the_text_counts(text: str, size: int) -> None:
    count = reference_count("o200k")
    assert sum(map(count, pieces(text, size))) == count(text)


@pytest.mark.parametrize("encoding", ["o200k", "cl100k"])
@pytest.mark.parametrize(
    "text",
    [
        long_text(3000),
        "请把账务同步服务里所有按币种汇总的报表改成每小时生成一次，并保留最近九十天的历史快照；" * 500,
        "one very long line of prose without any break " * 500,
        "    indented\n\n\n\tcode()\n" * 1000,
        base64.b64encode(hashlib.shake_256(b"x").digest(30_000)).decode(),
        "// comment\n/* other */\n" * 1000,
    ],
)
def test_a_long_text_counts_the_same_in_pieces(text: str, encoding: Encoding) -> None:
    count = reference_count(encoding)
    whole = count(text)
    assert TextMeasure(lambda piece: Estimate(count(piece), count(piece)))(text) == Estimate(whole, whole)


def test_a_text_is_measured_once() -> None:
    fake = Counting()
    measure = TextMeasure(fake)
    text = "some text"
    same = "; some text"[2:]
    assert same is not text
    assert measure(text) == measure(same) == Estimate(9, 9)
    assert fake.asked == ["some text"]


BRIEF_TEXTS = st.lists(st.text("ab é字", max_size=BRIEF), max_size=12)


@given(before=BRIEF_TEXTS, texts=BRIEF_TEXTS, memory=st.integers(1, 1000))
def test_texts_together_cost_what_each_costs_alone(before: list[str], texts: list[str], memory: int) -> None:
    exact = ExactMeasure(len, memory=memory)
    wide = TextMeasure(lambda text: Estimate(len(text), 2 * len(text)), memory=memory)
    for some in (before, texts, before):
        size = sum(map(len, some))
        assert exact.brief(some) == Estimate(size, size)
        assert wide.brief(some) == Estimate(size, 2 * size)
        for text in some:
            assert exact(text) == Estimate(len(text), len(text))
            assert wide(text) == Estimate(len(text), 2 * len(text))


def test_texts_together_are_measured_once_even_if_they_repeat_or_were_measured_alone() -> None:
    fake = Counting()
    measure = TextMeasure(fake)
    measure("a")
    assert measure.brief(["a", "b", "b", "c"]) == Estimate(4, 4)
    measure.brief(["c", "b", "a"])
    measure("c")
    assert fake.asked == ["a", "b", "c"]


def test_a_text_is_taken_over_from_the_old_generation() -> None:
    fake = Counting()
    measure = TextMeasure(fake, memory=300)
    for number in range(8):
        measure.brief(["wanted", str(number)])
    assert fake.asked.count("wanted") == 1
    for number in range(8, 16):
        measure(str(number))
    measure.brief(["wanted"])
    assert fake.asked.count("wanted") == 2, "it was forgotten meanwhile"


def test_the_memory_of_texts_is_bounded() -> None:
    measure = ExactMeasure(len, memory=1000)
    for start in range(0, 1000, 50):
        measure.brief([str(number) for number in range(start, start + 50)])
        measure(f"alone {start}")
        held = measure._young.keys() | measure._old.keys()
        assert sum(len(text) + 64 for text in held) <= 2 * 1000 + 2 * 50 * 67


@given(texts=st.lists(st.text(st.characters(exclude_categories=()), max_size=40), max_size=8))
@pytest.mark.parametrize("encoding", ["o200k", "cl100k"])
@pytest.mark.parametrize("switch", [0, 10**12])
def test_many_texts_are_counted_as_one_by_one(texts: list[str], encoding: Encoding, switch: int) -> None:
    count = ExactCount(encoding, switch=switch)
    count("warm")
    assert count.many(texts) == list(map(reference_count(encoding), texts))


def test_a_text_that_grew_by_a_line_is_counted_at_its_end() -> None:
    fake = Counting()
    measure = TextMeasure(fake)
    text = long_text(5000)
    measure(text)
    fake.asked.clear()
    grown = text + "and one more line\n"
    assert measure(grown) == Estimate(len(grown), len(grown))
    assert sum(map(len, fake.asked)) <= 2 * PIECE + 20


def test_text_without_a_safe_place_is_cut_all_the_same() -> None:
    cuts = list(pieces(" " * (2 * LONGEST + 10)))
    assert [len(piece) for piece in cuts] == [LONGEST, LONGEST, 10]
    assert list(pieces("x" * LONGEST)) == ["x" * LONGEST]


def test_memory_is_bounded_by_what_is_kept() -> None:
    memory: Recent[int, str] = Recent(100)
    for key in range(1000):
        memory.put(key, "v", 10)
        assert len(memory) <= 20
    assert memory.get(999) == "v"
    assert memory.get(0) is None


def test_what_is_asked_for_stays() -> None:
    memory: Recent[str, int] = Recent(100)
    memory.put("wanted", 1, 10)
    for key in range(1000):
        memory.put(str(key), key, 10)
        assert memory.get("wanted") == 1


def test_one_thing_larger_than_the_memory_is_kept_until_the_next() -> None:
    memory: Recent[str, int] = Recent(10)
    memory.put("large", 1, 1000)
    assert memory.get("large") == 1
    memory.put("next", 2, 1)
    assert memory.get("next") == 2
    memory.put("third", 3, 20)
    memory.put("fourth", 4, 20)
    assert memory.get("large") is None

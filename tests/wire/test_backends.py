"""The two libraries: one count, whichever counted; and the ranks they count with."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contextrail.core.errors import IntegrityError
from contextrail.wire.backends import SAMPLE, SAMPLE_COUNTS, ExactCount, fast_count, reference_count
from contextrail.wire.ranks import FILES, PUBLISHED, Encoding, official_form, unpack, verified
from contextrail.wire.shipped import shipped

ENCODINGS: tuple[Encoding, ...] = ("o200k", "cl100k")
TEXTS: dict[str, list[str]] = json.loads(
    (Path(__file__).parents[1] / "data/token-texts/texts.json").read_text(encoding="utf-8")
)
RECENT = "\u088f\u1acf\ua7ce\U00010940\U0001e6c0\U000323b0"
"""Letters of Unicode 16 and 17, about which the libraries differ."""


@pytest.mark.parametrize("name", FILES.values())
def test_the_shipped_ranks_are_the_published_ones(name: str) -> None:
    published = official_form(unpack(shipped(f"{name}.ranks")))
    assert hashlib.sha256(published).hexdigest() == PUBLISHED[name]


def test_altered_ranks_are_refused() -> None:
    data = bytearray(shipped("cl100k_base.ranks"))
    data[1000] ^= 1
    with pytest.raises(IntegrityError, match=r"cl100k_base\.ranks is not the file"):
        verified(bytes(data), "cl100k_base")


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_the_sample_is_counted_as_recorded(encoding: Encoding) -> None:
    assert reference_count(encoding)(SAMPLE) == SAMPLE_COUNTS[encoding]


@pytest.mark.parametrize(
    ("text", "o200k", "cl100k"),
    [("", 0, 0), ("hello world", 2, 2), ("<|endoftext|>", 7, 7), ("请把报表改成每小时生成一次", 10, 12)],
)
def test_known_counts(text: str, o200k: int, cl100k: int) -> None:
    assert reference_count("o200k")(text) == o200k
    assert reference_count("cl100k")(text) == cl100k


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_the_faster_library_counts_real_texts_as_the_reference_does(encoding: Encoding) -> None:
    fast = fast_count(encoding)
    assert fast is not None, "the test environment has the faster library"
    for texts in TEXTS.values():
        for text in texts:
            assert fast(text) == reference_count(encoding)(text)


@given(text=st.text(st.characters(exclude_categories=()), max_size=60), encoding=st.sampled_from(ENCODINGS))
def test_which_library_counted_does_not_show(text: str, encoding: Encoding) -> None:
    always, never = ExactCount(encoding, switch=0), ExactCount(encoding, switch=10**12)
    always("warm")
    assert always(text) == never(text)
    assert always(text + RECENT) == never(text + RECENT)


def test_the_faster_library_is_taken_up_after_enough_text() -> None:
    counted: list[str] = []
    count = ExactCount("o200k", switch=10)
    assert count("12345") == 2
    assert count("12345 12345") == 5

    def note(text: str) -> int:
        counted.append(text)
        return 1

    count._fast = note
    count("ascii")
    count(f"recent letters {RECENT}")
    assert counted == ["ascii"]


def test_an_encoding_that_the_faster_library_lacks_is_left_to_the_reference() -> None:
    assert fast_count.__wrapped__("p50k") is None


def test_lone_surrogates_are_counted_as_replacement_characters() -> None:
    for count in (ExactCount("o200k", switch=0), ExactCount("o200k")):
        count("warm")
        assert count("a\ud800b") == count("a\ufffdb")


def test_a_million_characters_of_white_space_before_a_word_are_counted() -> None:
    from contextrail.wire.tokenizers import tokenizer

    text = " " * 1_200_000 + "end"
    assert 9_000 < tokenizer("o200k").text(text).low < 10_000

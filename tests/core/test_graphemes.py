"""Cuts never fall inside what a reader sees as one character."""

import regex  # type: ignore[import-untyped]
from hypothesis import given
from hypothesis import strategies as st

from contextrail.core.graphemes import border_after, border_before

CLUSTERS = (
    "👩‍👩‍👧‍👦",
    "🇩🇪",
    "👍🏽",
    "1️⃣",
    "🏴󠁧󠁢󠁥󠁮󠁧󠁿",
    "é",
    "각",
    "각",
    "ก็ำ",
    "க்ஷி",
    "क्ष",
    "नमस्ते",
    "\r\n",
    "ｶﾞ",
    "؀٣",
    "❤️‍🔥",
    "漢",
    "x",
    " ",
    "\n",
)

mixed = st.lists(
    st.one_of(st.sampled_from(CLUSTERS), st.characters(exclude_categories=("Cs", "Cn"))), max_size=30
).map("".join)


def clusters(text: str) -> set[int]:
    """Borders by the `regex` library, which follows the published tables."""
    return {0, len(text), *(match.start() for match in regex.finditer(r"\X", text))}


@given(mixed, st.integers(-2, 400))
def test_every_cut_is_a_border_of_the_published_rules(text: str, at: int) -> None:
    assert border_before(text, at) in clusters(text)
    assert border_after(text, at) in clusters(text)


@given(mixed, st.integers(0, 400))
def test_a_cut_moves_only_to_the_side_that_was_asked_for(text: str, at: int) -> None:
    inside = min(at, len(text))
    assert border_before(text, at) <= inside <= border_after(text, at)


@given(
    st.lists(st.sampled_from(["👩‍👩‍👧‍👦", "🇩🇪", "👍🏽", "漢", "x", "é"]), max_size=20), st.integers(0, 100)
)
def test_a_cut_falls_on_the_nearest_border_where_clusters_are_plain(words: list[str], at: int) -> None:
    text = "".join(words)
    inside = min(at, len(text))
    assert border_before(text, at) == max(each for each in clusters(text) if each <= inside)
    assert border_after(text, at) == min(each for each in clusters(text) if each >= inside)


def test_a_row_of_flags_is_cut_between_flags() -> None:
    row = "🇩🇪🇫🇷🇯🇵"
    assert [border_before(row, at) for at in range(7)] == [0, 0, 2, 2, 4, 4, 6]

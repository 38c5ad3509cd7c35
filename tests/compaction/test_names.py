"""Names of a line, found word by word, are those of the line as a whole."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contextrail.compaction.names import names, names_of

PIECES = [
    *" \t\u3000\x1c./~@+-_:,;()[]<>\"'|",
    "src", "reader.py", "fooBar", "foo_bar", "ABC-123", "a1b2c3d4e5", "12345", "http://", "https://x.org", "README",
    "__init__", "配置", "é", "x1", "123e4567-e89b-12d3-a456-426614174000", "\u0663\u0664\u0665", "job_run_123",
]  # fmt: skip


@given(st.lists(st.sampled_from(PIECES), max_size=24).map("".join))
def test_word_by_word_the_same_names_are_found(line: str) -> None:
    assert set(names_of(line)) == set(names(line))
    assert len(set(names_of(line))) == len(names_of(line))


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("plain words only", ()),
        ("read src/core/reader.py twice: src/core/reader.py", ("src/core/reader.py", "reader.py")),
        ("b_second_1 then a_first_1", ("b_second_1", "a_first_1")),
    ],
)
def test_names_come_in_order_of_the_text_each_once(line: str, found: tuple[str, ...]) -> None:
    assert names_of(line) == found

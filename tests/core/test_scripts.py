"""Scripts: every character of a text is counted once, under the script it belongs to."""

from __future__ import annotations

import base64
import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contextrail.core.scripts import ScriptCounts, count_scripts

BLOB = base64.b64encode(hashlib.sha512(b"seed").digest() * 10).decode()
FIELDS = tuple(name for name in ScriptCounts._fields if name != "numbers")


@given(st.text(st.characters(exclude_categories=()), max_size=400) | st.text("aB3 +/=\n", max_size=400))
def test_every_character_is_counted_once(text: str) -> None:
    counts = count_scripts(text)
    total = sum(getattr(counts, name) for name in FIELDS)
    # Lone surrogates are counted as if the higher and the lower ones belonged together.
    lone = sum("\ud800" <= letter <= "\udfff" for letter in text)
    assert len(text) - lone <= total <= len(text)
    assert all(getattr(counts, name) >= 0 for name in FIELDS)
    assert counts.numbers <= counts.digits <= 3 * counts.numbers


@pytest.mark.parametrize(
    ("text", "script", "count"),
    [
        ("plain words", "letters", 10),
        ("  \t x", "spaces", 4),
        ("a\r\nb", "newlines", 2),
        ("f(x) -> {}", "punctuation", 6),
        ("\x00\x1b", "control", 2),
        ("报表改成每小时", "han", 7),
        ("ひらがなカタカナ", "kana", 8),
        ("한국어", "hangul", 3),
        ("Привет", "cyrillic", 6),
        ("Καλημέρα", "cyrillic", 8),
        ("مرحبا שלום", "semitic", 9),
        ("नमस्ते", "other", 6),
        ("สวัสดี", "other", 6),
        ("→ ─ “ ” ， 。", "symbols", 6),
        ("🚀🎉", "emoji", 2),
        ("déjà vécu à l'été", "latin", 13),
    ],
)
def test_scripts_are_told_apart(text: str, script: str, count: int) -> None:
    assert getattr(count_scripts(text), script) == count


def test_numbers_are_groups_of_up_to_three_digits() -> None:
    assert count_scripts("1 12 123 1234 1234567").numbers == 1 + 1 + 1 + 2 + 3


@pytest.mark.parametrize(
    ("text", "dense"),
    [
        (BLOB, len(BLOB)),
        (f"data: {BLOB}, more", len(BLOB)),
        (hashlib.sha256(b"x").hexdigest(), 64),
        ("A" * 20_000, 20_000),
        ("\n".join(BLOB[i : i + 76] for i in range(0, len(BLOB), 76)), len(BLOB)),
        ("=" * 400, 0),
        ("a_very_long_identifier_that_somebody_really_wrote_down", 0),
        ("src/contextrail/wire/some/deep/folder/of/a/project/file", 0),
        ("deadbeef", 0),
    ],
)
def test_encoded_data_is_told_from_names_paths_and_rulers(text: str, dense: int) -> None:
    assert abs(count_scripts(text).dense - dense) <= len(text) // 40


def test_a_few_accents_do_not_make_a_text_foreign() -> None:
    english = "The naive approach is to count every word of the document, one after another. " * 4
    assert count_scripts(english + "café").letters > 200
    assert count_scripts("Le déjeuner était prêt").letters == 0


def test_lone_surrogates_are_counted() -> None:
    counts = count_scripts("\ud800 \udfff x")
    assert counts.emoji == 1
    assert counts.letters == 1

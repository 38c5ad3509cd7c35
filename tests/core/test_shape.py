"""JSON values to typed ones: what does not fit is named with its path."""

from __future__ import annotations

from typing import Literal

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from contextrail.core.errors import InvalidRequest
from contextrail.core.shape import shaped, surrogate_at


class Inner(msgspec.Struct, forbid_unknown_fields=True):
    word: Literal["a", "b"] = "a"
    names: list[str] = []


class Outer(msgspec.Struct, forbid_unknown_fields=True):
    inner: Inner
    size: float = 0.0


@pytest.mark.parametrize(
    ("value", "path"),
    [
        ({}, "$"),
        ({"inner": 5}, "$.inner"),
        ({"inner": {"names": ["x", 1]}}, "$.inner.names[1]"),
        ({"inner": {"word": "c"}}, "$.inner.word"),
        ({"inner": {"word": "\ud800"}}, "$.inner.word"),
        ({"inner": {}, "size": "\udfff"}, "$.size"),
        ({"inner": {}, "\ud800": 1}, "$"),
    ],
)
def test_what_does_not_fit_is_named_with_place_and_path(value: object, path: str) -> None:
    with pytest.raises(InvalidRequest) as caught:
        shaped(value, Outer, place="file.json")
    assert (caught.value.facts["place"], caught.value.facts["path"]) == ("file.json", path)
    assert str(caught.value).startswith(f"file.json: {path}")


def test_what_fits_is_made() -> None:
    made = shaped({"inner": {"word": "b", "names": ["half \ud800"]}, "size": 2}, Outer, place="file.json")
    assert made == Outer(Inner("b", ["half \ud800"]), 2.0)


TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=5)
VALUES = st.recursive(
    st.none() | st.integers() | TEXTS, lambda inner: st.lists(inner) | st.dictionaries(TEXTS, inner)
)


@given(VALUES)
def test_whole_texts_have_no_half_of_a_character(value: object) -> None:
    assert surrogate_at(value) is None
    assert surrogate_at([value, {"a": ["x", "\udc00"]}]) == "$[1].a[1]"
    assert surrogate_at({"a": value, "b": {"\ud800": 1}}) == "$.b"

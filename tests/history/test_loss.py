"""Which turn lost something: by looking at every turn, whatever came back in between."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contextrail.core.blobs import handle_of
from contextrail.core.digest import text_digest
from contextrail.core.json_text import JsonObject
from contextrail.history.loss import Loss, Sighting, find_loss, original_of, removed_by
from tests.properties.effort import FEW

ROW: JsonObject = {"id": "m", "verdict": "kept", "reasons": [{"step": "fill", "reason": "fits"}]}
SIGHTINGS = {
    "unknown": Sighting(there=False),
    "there": Sighting(there=True, rows=(ROW,)),
    "gone": Sighting(there=False, rows=(ROW,)),
    "elsewhere": Sighting(there=True, by=("record",)),
}


def loss(*words: str) -> Loss | None:
    return find_loss([SIGHTINGS[word] for word in words])


@pytest.mark.parametrize(
    ("words", "outcome", "last", "first", "back"),
    [
        (("there",), "still-there", None, None, None),
        (("unknown", "there", "elsewhere"), "still-there", None, None, None),
        (("there", "there", "gone"), "lost", 1, 2, None),
        (("there", "unknown"), "lost", 0, 1, None),
        (("there", "elsewhere", "gone", "there"), "lost", 1, 2, 3),
        (("gone", "there"), "still-there", None, None, None),
        (("unknown", "gone", "gone"), "never-there", None, 1, None),
    ],
)
def test_the_first_turn_without_it_is_named(
    words: tuple[str, ...], outcome: str, last: int | None, first: int | None, back: int | None
) -> None:
    found = loss(*words)
    assert found is not None
    assert (found.outcome, found.last, found.first, found.back) == (outcome, last, first, back)


def test_what_no_turn_knows_has_no_answer() -> None:
    assert loss("unknown", "unknown") is None
    assert loss() is None


@FEW
@given(st.lists(st.sampled_from(sorted(SIGHTINGS)), max_size=12))
def test_the_answer_is_what_the_turns_say(words: list[str]) -> None:
    found = loss(*words)
    there = [SIGHTINGS[word].there for word in words]
    if found is None:
        assert not any(there)
    elif found.outcome == "lost":
        assert found.first is not None
        assert there[found.first - 1]
        assert not there[found.first]
        assert any(there[: found.first])
        assert all(there[there.index(True) : found.first])
        assert found.back is None or (there[found.back] and not any(there[found.first : found.back]))
    else:
        assert any(there) == (found.outcome == "still-there")
    assert found is None or len(found.states) == len(words)


@pytest.mark.parametrize(
    ("row", "handle"),
    [
        ({"stored": "blob:" + "a" * 16}, "blob:" + "a" * 16),
        ({"stored_in": "blob:" + "b" * 16}, "blob:" + "b" * 16),
        ({}, None),
    ],
)
def test_the_original_is_where_the_row_says(row: dict[str, Any], handle: str | None) -> None:
    assert original_of({**ROW, **row}) == handle


def test_the_original_of_what_a_plan_left_out_is_in_its_archive() -> None:
    digest = text_digest("x")
    replayed = {"step": "batch", "reason": "in-record", "archive": digest}
    assert original_of({**ROW, "reasons": [replayed]}) == handle_of(digest)


def test_a_message_that_the_history_lost_says_so() -> None:
    assert removed_by(None, {})["reasons"] == [{"step": "history", "reason": "not-in-the-history"}]

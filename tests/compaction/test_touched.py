"""Which files the work is at, and what that says about lines."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contextrail.compaction.lines import weigh
from contextrail.compaction.touched import NEVER, touched
from contextrail.messages.model import Message
from contextrail.messages.pairs import pair
from tests.compaction.test_lines import asked
from tests.properties.strategies import orderly_messages

READ = asked(1, "row_limit = 5", path="src/rows.py")
EDIT = asked(2, "done", path="src/rows.py", old_string="a = 1", new_string="a = 2\nb = 3\nimport columns.py")
OTHER = asked(3, "col_limit = 6", command="cat src/cols.py")
HISTORY = (*READ, *EDIT, *OTHER)


def test_a_call_is_about_the_files_its_first_lines_name_and_so_is_its_answer() -> None:
    found = touched(HISTORY, pair(HISTORY).answer)
    assert dict(found.of) == {
        (0, 0): ("rows.py",),
        (1, 0): ("rows.py",),
        (2, 0): ("rows.py",),
        (3, 0): ("rows.py",),
        (4, 0): ("cols.py",),
        (5, 0): ("cols.py",),
    }


def test_calls_edits_and_the_newest_call_are_known_for_each_file() -> None:
    found = touched(HISTORY, pair(HISTORY).answer)
    assert found.calls == {"rows.py": 2, "cols.py": 1}
    assert found.last == {"rows.py": 2, "cols.py": 4}
    assert found.edits == {"rows.py": [2]}


def test_features_are_logarithms_of_what_was_counted() -> None:
    found = touched(HISTORY, pair(HISTORY).answer)
    behind = [50, 40, 30, 20, 10, 0]
    assert found.features((1, 0), behind) == pytest.approx(
        {"calls": math.log(3), "edits": math.log(2), "edits since": math.log(2), "idle": math.log(80)}
    )
    assert found.features((3, 0), behind)["edits since"] == 0
    assert found.features((5, 0), behind)["idle"] == pytest.approx(math.log(60))


def test_what_is_about_no_file_is_as_if_it_had_been_idle_for_long() -> None:
    talk = asked(1, "row_limit = 5", query="limits")
    found = touched(talk, pair(talk).answer)
    assert found.features((1, 0), [10, 0]) == pytest.approx(
        {"calls": 0.0, "edits": 0.0, "edits since": 0.0, "idle": math.log(50 + NEVER)}
    )


def test_lines_of_a_file_the_work_came_back_to_weigh_more_than_those_of_one_it_left() -> None:
    history = (
        *asked(1, "row_limit = 5", path="src/rows.py"),
        *asked(2, "col_limit = 6", path="src/cols.py"),
        *asked(3, "passed", path="src/rows.py"),
    )
    found = {line.text: line.weight for line in weigh(history, [5_000] * 6, range(4))}
    back = found["row_limit = 5"]
    history = (*history[:4], *asked(3, "passed", path="src/else.py"))
    found = {line.text: line.weight for line in weigh(history, [5_000] * 6, range(4))}
    assert back > found["row_limit = 5"]


@given(orderly_messages(), st.integers(0, 5))
def test_every_part_has_features_that_are_finite(messages: tuple[Message, ...], price: int) -> None:
    found = touched(messages, pair(messages).answer)
    behind = [price * (len(messages) - at - 1) for at in range(len(messages))]
    for at, message in enumerate(messages):
        for index in range(len(message.parts)):
            values = found.features((at, index), behind)
            assert all(math.isfinite(value) and value >= 0 for value in values.values())
            assert values["edits since"] <= values["edits"] <= values["calls"]

"""Lines that are likely to be needed again: what is weighed, what is chosen, what stays out."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contextrail.compaction.frame import render
from contextrail.compaction.lines import WIDEST, Line, choose, pieces, weigh
from contextrail.compaction.names import names
from contextrail.compaction.sources import call_kind, call_lines, replaced_lines
from contextrail.compaction.terminal import shown
from contextrail.core.ids import CallId, MessageId
from contextrail.messages.model import Message, Summary, Text, ToolCall, ToolResult
from contextrail.messages.text import message_text
from tests.builders import transcript
from tests.properties.strategies import orderly_messages


def call(name: str = "tool", **arguments: Any) -> ToolCall:
    return ToolCall(call_id=CallId("c"), name=name, arguments=json.dumps(arguments))


def asked(at: int, output: str, name: str = "tool", **arguments: Any) -> tuple[Message, Message]:
    """A call and its result as messages `a<at>` and `t<at>`."""
    ident = CallId(f"c{at}")
    made = ToolCall(call_id=ident, name=name, arguments=json.dumps(arguments))
    result = ToolResult(call_id=ident, parts=(Text(text=output),))
    return (
        Message(id=MessageId(f"a{at}"), role="assistant", parts=(made,)),
        Message(id=MessageId(f"t{at}"), role="tool", parts=(result,)),
    )


def weighed(messages: tuple[Message, ...], keep: int = 0) -> dict[str, float]:
    """Weight by line, where all but the last `keep` messages leave and each costs 100."""
    gone = range(len(messages) - keep)
    return {line.text: line.weight for line in weigh(messages, [100] * len(messages), gone)}


# Names


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("see https://example.org/a/b.html, please", {"https://example.org/a/b.html", "b.html"}),
        ("edit src/app/main.py:12", {"src/app/main.py", "main.py"}),
        ("commit 3fa9c01bd fixes order #W2378156", {"3fa9c01bd", "W2378156"}),
        ("def load_rows(maxCount):", {"load_rows", "maxCount"}),
        ("user mia_li_3668 booked", {"mia_li_3668"}),
        ("a plain sentence about nothing in particular", set()),
        ("either a/b or nothing", set()),
        ("__init__", set()),
        ("", set()),
    ],
)
def test_names_are_what_a_call_would_pass_on(line: str, expected: set[str]) -> None:
    assert set(names(line)) == expected


@given(st.text(max_size=300))
def test_every_name_stands_in_its_line(line: str) -> None:
    assert all(name in line for name in names(line))


# Sources


@pytest.mark.parametrize(
    ("made", "kind"),
    [
        (call(path="a.py"), "read"),
        (call(path="a.py", content="x"), "write"),
        (call(file_path="a.py", old_string="x", new_string="y"), "edit"),
        (call(pattern="x", path="src"), "search"),
        (call(command="cd /app && cat a.py"), "read"),
        (call(command="sed -n '1,20p' a.py"), "read"),
        (call(command="sed -i s/a/b/ a.py"), "edit"),
        (call(command="cat > a.py <<'EOF'\nx\nEOF"), "edit"),
        (call(command="grep -rn foo src 2>/dev/null"), "search"),
        (call(command="git diff HEAD"), "version"),
        (call(command="python -m pytest -q"), "run"),
        (call(command=["bash", "-lc", "echo hi"]), "shell"),
        (call(user_id="mia_li_3668"), "other"),
        (ToolCall(call_id=CallId("c"), name="x", arguments="not json"), "other"),
    ],
)
def test_the_kind_of_a_call_is_told_from_its_arguments(made: ToolCall, kind: str) -> None:
    assert call_kind(made) == kind


def test_a_call_is_told_line_by_line_its_name_before_the_first() -> None:
    made = call("edit", path="a.py", edits=[{"old": "x\ny", "n": 3, "on": True}])
    assert list(call_lines(made)) == ["edit a.py", "x", "y", "3"]


def test_arguments_that_are_no_object_are_told_as_they_stand() -> None:
    assert list(call_lines(ToolCall(call_id=CallId("c"), name="x", arguments="[1, 2]"))) == ["x [1, 2]"]


def test_an_edit_takes_out_what_only_its_old_text_has() -> None:
    made = call(path="a.py", old_string="  keep_it = 1\n  drop_it = 2", new_string="keep_it = 1\nnew_one = 3")
    assert replaced_lines(made) == {"drop_it = 2"}


# Weights


def test_lines_without_a_name_are_no_candidates() -> None:
    assert weighed(asked(1, "just some words\nload_rows(limit)")) == pytest.approx(
        weighed(asked(1, "load_rows(limit)")), rel=0.2
    )
    assert "just some words" not in weighed(asked(1, "just some words\nload_rows(limit)"))


def test_only_what_leaves_is_weighed() -> None:
    history = (*asked(1, "old_name here"), *asked(2, "new_name here"))
    assert "new_name here" not in weighed(history, keep=2)
    assert "old_name here" in weighed(history, keep=2)


def test_of_equal_lines_the_newer_weighs_more() -> None:
    found = weighed((*asked(1, "first_name = 1"), *asked(2, "other_name = 2")))
    assert found["other_name = 2"] > found["first_name = 1"]


def test_the_newest_line_that_says_a_name_stands_for_it() -> None:
    found = weighed((*asked(1, "row_limit = 100"), *asked(2, "row_limit = 500")))
    assert found["row_limit = 500"] > 1.5 * found["row_limit = 100"]


def test_a_name_that_is_said_in_what_stays_needs_no_line() -> None:
    history = (*asked(1, "row_limit = 100"), *asked(2, "row_limit = 500"))
    alone = weighed(history[:2])["row_limit = 100"]
    assert weighed(history, keep=2)["row_limit = 100"] < alone


def test_a_line_that_a_kept_message_says_is_left_out_with_or_without_its_number() -> None:
    history = (*asked(1, "  7→\trow_limit = 5\n  8→\tcol_limit = 6"), *asked(2, "row_limit = 5"))
    assert set(weighed(history, keep=2)) == {"8→\tcol_limit = 6"}


def test_of_lines_that_say_the_same_under_other_numbers_the_newest_stands() -> None:
    history = (*asked(1, "7:row_limit = 5"), *asked(2, "row_limit = 5"), *asked(3, "19\trow_limit = 5"))
    assert set(weighed(history)) == {"19\trow_limit = 5"}


def test_a_name_that_was_passed_to_a_tool_weighs_more() -> None:
    used = weighed((*asked(1, "x", query="find_rows"), *asked(2, "find_rows at 12\nfree_rows at 12")))
    assert used["find_rows at 12"] > used["free_rows at 12"]


def test_a_definition_weighs_more_than_a_plain_line_and_a_taken_out_line_less() -> None:
    found = weighed(asked(1, "def row_limit_of(x)\nxyz row_limit_at(x)"))
    assert found["def row_limit_of(x)"] > found["xyz row_limit_at(x)"]
    edit = weighed(asked(1, "ok", path="a.py", old_string="old_limit = 1", new_string="new_limit = 1"))
    assert edit["old_limit = 1"] < edit["new_limit = 1"]


def test_long_lines_are_taken_in_pieces_that_make_up_the_line() -> None:
    line = "".join(f"key_{n}:{n * 7},".ljust(13, " ") for n in range(60)).strip()
    assert "".join(pieces(line)) == line
    assert max(map(len, pieces(line))) == WIDEST
    assert list(pieces("  a \n\n\tb  ")) == ["a", "b"]


def test_colors_of_a_terminal_are_no_part_of_a_line() -> None:
    output = "\x1b[1;31mError\x1b[0m in \x1b]8;;file:///a\x1b\\src/rows.py\x1b]8;;\x07:12\n\x1b[32m\x1b[0m"
    assert set(weighed(asked(1, output))) == {"Error in src/rows.py:12"}


# Choice


def test_what_is_chosen_stands_in_the_order_of_the_history_and_within_the_limit() -> None:
    lines = [Line(f"line_{n}", n, 0, float(n)) for n in range(10)]
    chosen = choose(lines, 24, len)
    assert [line.text for line in chosen] == ["line_7", "line_8", "line_9"]
    assert choose(lines, 0, len) == ()


def test_a_line_too_large_for_the_rest_gives_way_to_a_smaller_one() -> None:
    lines = [Line("a" * 10, 0, 0, 50.0), Line("b" * 30, 1, 0, 100.0), Line("cc", 2, 0, 0.1)]
    assert [line.text[0] for line in choose(lines, 20, len)] == ["a", "c"]


@given(orderly_messages(), st.integers(0, 400))
def test_chosen_lines_fit_and_are_word_for_word_in_their_messages(
    messages: tuple[Message, ...], limit: int
) -> None:
    chosen = choose(weigh(messages, [10] * len(messages), range(len(messages))), limit, len)
    assert sum(len(line.text) + 1 for line in chosen) <= limit
    for line in chosen:
        message = messages[line.at]
        told = [
            message_text(message),
            *("\n".join(call_lines(part)) for part in message.parts if isinstance(part, ToolCall)),
        ]
        assert any(line.text in shown(text) for text in told)
    assert len({line.text for line in chosen}) == len(chosen)


@given(orderly_messages())
def test_equal_histories_give_equal_lines(messages: tuple[Message, ...]) -> None:
    prices = [10] * len(messages)
    assert weigh(messages, prices, range(len(messages))) == weigh(messages, prices, range(len(messages)))


def test_what_users_and_assistants_say_is_weighed_too() -> None:
    found = weighed(transcript("u1 user Look at src/rows.py", "a1 assistant I found row_limit there"))
    assert set(found) == {"Look at src/rows.py", "I found row_limit there"}


def test_the_frame_of_a_record_is_no_line_but_what_it_holds_is() -> None:
    text = render([("rule", "u1", "Never touch row_limit.")], "see src/rows.py", count=4, language="en")
    for part in (Text(text=text), Summary(text=text)):
        found = weighed((Message(id=MessageId("r"), role="user", parts=(part,)),))
        assert set(found) == {"- [u1] Never touch row_limit.", "see src/rows.py"}

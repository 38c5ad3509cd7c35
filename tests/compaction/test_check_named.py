"""A value that is said to be set, and a test that is said to pass by its name: only what the span bears out may be said."""

from __future__ import annotations

import pytest

from contextrail.compaction.check import Checker
from contextrail.compaction.named_tests import fails, said_to_pass
from contextrail.compaction.set_values import said_set, supported
from tests.builders import transcript
from tests.compaction.spans import call
from tests.hostile import in_time, must_end, text_of

START = (
    "u1 user Start the service. Keep the port at 8080.",
    "a1 assistant " + call("c1", "bash", command="npm start"),
    "r1 tool error c1 Error: connection refused port 5432",
    "a2 assistant The database is down, I look into it.",
)
PARSER = (
    "u1 user Fix the parser.",
    "a1 assistant " + call("c1", "bash", command="pytest tests/test_x.py"),
    "r1 tool error c1 FAILED tests/test_x.py::test_a - AssertionError\n1 failed, 3 passed",
    "a2 assistant " + call("c2", "edit_file", path="src/x.py", old_string="a", new_string="b"),
    "r2 tool result c2 edited",
    "a3 assistant test_a still fails. test_b passes now.",
)


def flagged(span: tuple[str, ...], sentence: str) -> list[str]:
    """The claims without support that a sentence makes about a span; its language is not asked about."""
    return [
        flag.claim
        for flag in Checker(transcript(*span), (), "en").flags(sentence)
        if flag.kind == "unsupported-done"
    ]


@pytest.mark.parametrize(
    "sentence",
    [
        "The port was changed to 5432.",
        "The port is now 5432.",
        "Port set to 5432.",
        "The agent moved the service to port 5432.",
        "The agent switched the port back to `5432`.",
        "The listener has been updated to 5432.",
        "The service was configured to be at 5432.",
        "端口已改为 5432。",
        "端口设置为了 5432。",
        "服务切换到端口 5432。",
    ],
)
def test_a_value_of_an_error_is_none_that_was_set(sentence: str) -> None:
    assert "5432" in flagged(START, sentence)


@pytest.mark.parametrize(
    "sentence",
    [
        "The port stays at 8080.",
        "The port was set to 8080.",
        "The port was not changed to 5432.",
        "The port must be changed to 5432.",
        "The connection to port 5432 was refused.",
        "The port should be set to 5432 if the owner agrees.",
        "端口没有改为 5432。",
        "端口保持 8080。",
    ],
)
def test_what_does_not_say_that_it_was_set_stays(sentence: str) -> None:
    assert flagged(START, sentence) == []


@pytest.mark.parametrize(
    "more",
    [
        ("u2 user Use 5432 then.",),
        ("a3 assistant I changed the port to 5432.",),
        (
            "a3 assistant "
            + call("c3", "edit_file", path="a.env", old_string="PORT=8080", new_string="PORT=5432"),
            "r3 tool result c3 edited",
        ),
        (
            "a3 assistant " + call("c3", "bash", command="sed -i s/8080/5432/ a.env"),
            "r3 tool result c3 ok",
        ),
        ("a3 assistant " + call("c3", "bash", command="make up"), "r3 tool result c3 listening on 5432"),
    ],
)
def test_a_value_that_was_wanted_or_set_may_be_told(more: tuple[str, ...]) -> None:
    assert flagged((*START, *more), "The port was changed to 5432.") == []


@pytest.mark.parametrize(
    "sentence",
    [
        "test_a passes now.",
        "`test_a` now passes.",
        "test_b and test_a now pass.",
        "test_a is green.",
        "The test test_a has passed.",
        "test_a no longer fails.",
        "tests/test_x.py::test_a passes.",
        "test_a succeeded.",
        "test_a 现在通过了。",
        "test_a 已经通过。",
        "test_a 不再失败。",
    ],
)
def test_a_test_that_failed_last_does_not_pass(sentence: str) -> None:
    assert "test_a" in flagged(PARSER, sentence)


@pytest.mark.parametrize(
    "sentence",
    [
        "test_a still fails.",
        "test_b passes now.",
        "test_a does not pass.",
        "test_a must pass before the merge.",
        "Next: make test_a pass.",
        "It is unclear whether test_a passes.",
        "test_a 没有通过。",
        "test_a 仍然失败。",
    ],
)
def test_what_does_not_say_that_it_passes_stays(sentence: str) -> None:
    assert flagged(PARSER, sentence) == []


@pytest.mark.parametrize(
    "more",
    [
        ("a4 assistant " + call("c4", "bash", command="pytest"), "r4 tool result c4 4 passed in 0.2s"),
        (
            "a4 assistant " + call("c4", "bash", command="pytest -v tests/test_x.py"),
            "r4 tool result c4 tests/test_x.py::test_a PASSED\n4 passed",
        ),
        ("a4 assistant test_a passes now.",),
        ("a4 assistant All tests pass now.",),
        ("u2 user test_a is green here.",),
    ],
)
def test_a_test_that_passed_later_may_be_told(more: tuple[str, ...]) -> None:
    assert flagged((*PARSER, *more), "test_a passes now.") == []


@pytest.mark.parametrize(
    "piece", ["set to ", "set ", "changed to 1", "改为1", "test_", "test_a ", "a::", "test_a now ", "1,", "from a to "]
)  # fmt: skip
@in_time
def test_time_grows_with_the_length(piece: str) -> None:
    text = text_of(piece)
    must_end(
        lambda: said_set(text),
        lambda: said_to_pass(text),
        lambda: supported("5432", [text], [text]),
        lambda: fails("test_a", [(text, False)]),
    )

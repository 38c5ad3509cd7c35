"""Traces that somebody edited: what commands need is checked when they are read, and named with its path."""

from __future__ import annotations

import json
import sys
from io import BytesIO, TextIOWrapper
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner, Result

from contextrail.cli.main import app, main
from contextrail.core.errors import EXIT_FAULT, InvalidRequest, RailError
from contextrail.core.json_text import JsonObject
from tests.properties.effort import FEW

WRONG: list[tuple[str, Any]] = [
    ("$.messages[0]", 5),
    ("$.messages[0].id", 5),
    ("$.messages[0].verdict", None),
    ("$.messages[0].reasons", "fits"),
    ("$.messages[0].reasons[0]", "fits"),
    ("$.messages[0].reasons[0].step", 1),
    ("$.messages[0].calls", "c1"),
    ("$.messages[0].cost", "much"),
    ("$.messages[0].origin", "s.jsonl"),
    ("$.messages[0].origin.line", "1"),
    ("$.budget", None),
    ("$.budget.limit", "1,500"),
    ("$.unit", 1),
    ("$.cost", {}),
    ("$.cost.after.low", "0"),
    ("$.batch", []),
    ("$.source", {"format": "claude-code"}),
    ("$.source.file", 5),
    ("$.body_file", 5),
]


def run(*words: str | Path) -> Result:
    return CliRunner().invoke(app, [*map(str, words)])


@pytest.fixture(scope="module")
def trace(tmp_path_factory: pytest.TempPathFactory) -> JsonObject:
    place = tmp_path_factory.mktemp("turn")
    (place / "body.json").write_text(json.dumps({"messages": [{"role": "user", "content": "port 9107"}]}))
    built = run(
        "build", place / "body.json", "--to", "openai-chat", "--no-store", "--trace", place / "t.json"
    )
    assert built.exit_code == 0, built.output
    value = json.loads((place / "t.json").read_bytes())
    value["messages"][0]["origin"] = {"file": "s.jsonl", "line": 1, "start": 0, "end": 9}
    assert isinstance(value, dict)
    return value


def as_program(*words: str | Path) -> int:
    """The exit code of a command with its last door, which shows any character; what it says goes nowhere."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", ["contextrail", *map(str, words)])
        patch.setattr(sys, "stdout", TextIOWrapper(BytesIO(), "utf-8"))
        patch.setattr(sys, "stderr", TextIOWrapper(BytesIO(), "utf-8", "backslashreplace"))
        with pytest.raises(SystemExit) as left:
            main()
    return int(left.value.code or 0)


def edited(trace: JsonObject, path: str, new: Any) -> JsonObject:
    """A copy of a trace with another value at one path."""
    copy: Any = json.loads(json.dumps(trace))
    inner, steps = copy, path.removeprefix("$.").replace("[", ".[").split(".")
    for step in steps[:-1]:
        inner = inner[int(step[1:-1])] if step.startswith("[") else inner[step]
    last = steps[-1]
    inner[int(last[1:-1]) if last.startswith("[") else last] = new
    return dict(copy)


def commands(place: Path) -> list[tuple[str | Path, ...]]:
    return [
        ("explain", place, "9107"),
        ("explain", place, "9107", "--json"),
        ("uncompact", "m1", "--trace", place, "--store", place.parent / "none"),
        ("diff", place, place),
        ("bisect", place, "9107"),
    ]


@pytest.mark.parametrize(("path", "new"), WRONG, ids=[path for path, _ in WRONG])
def test_a_value_of_the_wrong_type_is_named_by_every_command(
    trace: JsonObject, tmp_path: Path, path: str, new: Any
) -> None:
    place = tmp_path / "t.json"
    place.write_text(json.dumps(edited(trace, path, new)))
    for words in commands(place):
        error = run(*words).exception
        assert isinstance(error, InvalidRequest), (words, error)
        assert str(error.facts["path"]).startswith(path), (words, error)
        assert error.facts["place"] == str(place)


@pytest.mark.parametrize("name", ["id", "cost", "preview", "origin", "calls", "role", "digest"])
def test_what_a_row_need_not_say_may_be_gone(trace: JsonObject, tmp_path: Path, name: str) -> None:
    value = edited(trace, f"$.messages[0].{name}", None)
    for gone in (True, False):
        if gone:
            del value["messages"][0][name]
        place = tmp_path / "t.json"
        place.write_text(json.dumps(value))
        for words in commands(place):
            error = run(*words).exception
            assert error is None or isinstance(error, (RailError, SystemExit)), (words, error)


SCALARS = st.none() | st.booleans() | st.integers(-5, 5) | st.text("ab\ud800\0", max_size=3)
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text("ab\ud800"), inner)
)


@settings(FEW, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_no_edit_is_a_fault_of_ours(trace: JsonObject, tmp_path: Path, data: st.DataObject) -> None:
    paths = [f"$.{name}" for name in trace]
    paths += [f"$.messages[0].{name}" for name in trace["messages"][0]]
    paths += [f"$.{group}.{name}" for group in ("source", "budget", "cost") for name in trace[group]]
    value = edited(trace, data.draw(st.sampled_from(paths)), data.draw(VALUES))
    place = tmp_path / "t.json"
    place.write_text(json.dumps(value))
    for words in commands(place):
        code = as_program(*words)
        assert code != EXIT_FAULT, (words, value)

"""`contextrail explain`: what became of a message, why, and where its bytes are."""

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from contextrail.cli.main import app
from contextrail.core.errors import InvalidRequest, NotFound


def run(*words: str | Path) -> Result:
    return CliRunner().invoke(app, [*map(str, words)])


@pytest.fixture
def trace(samples: Path) -> Path:
    path = samples / "trace.json"
    built = run(
        "build", samples / "session.jsonl", "--to", "anthropic", "--window", "2000", "--reserve-output", "500",
        "--out", samples / "request.json", "--trace", path,
    )  # fmt: skip
    assert built.exit_code == 0, built.output
    return path


def rows(trace: Path, verdict: str) -> list[dict[str, Any]]:
    found = [row for row in json.loads(trace.read_text("utf-8"))["messages"] if row["verdict"] == verdict]
    assert found
    return found


def test_a_dropped_message_is_told_with_its_price_and_the_place_of_its_bytes(trace: Path) -> None:
    row = rows(trace, "dropped")[0]
    told = " ".join(run("explain", trace, row["id"]).output.split())
    assert "dropped" in told
    assert "batch: in-record" in told
    assert f"kept whole: {row['stored_in']}" in told
    assert "the request may cost 1,500" in told
    assert f"line {row['origin']['line']}, bytes {row['origin']['start']} to {row['origin']['end']}" in told


def test_a_kept_message_is_told_without_a_price(trace: Path) -> None:
    told = run("explain", trace, rows(trace, "kept")[-1]["id"]).output
    assert "kept" in told
    assert "it costs" not in told


def test_words_are_found_in_the_whole_text_of_the_session_in_any_case(trace: Path, samples: Path) -> None:
    lines = (samples / "session.jsonl").read_text("utf-8").splitlines()
    (said,) = (json.loads(line) for line in lines if "Three wholesale orders" in line)
    shown = json.loads(run("explain", trace, "WHOLESALE orders", "--json").output)
    assert shown["query"] == "WHOLESALE orders"
    assert [row["id"] for row in shown["messages"]] == [said["uuid"]]


def test_without_the_session_only_what_the_trace_quotes_is_found(trace: Path, samples: Path) -> None:
    late = "Two places name the width"
    (samples / "session.jsonl").unlink()
    first = rows(trace, "dropped")[0]["preview"][:20]
    assert run("explain", trace, first, "--json").exit_code == 0
    assert isinstance(run("explain", trace, late + " and more that is not quoted").exception, NotFound)


def test_a_session_that_was_damaged_since_is_no_fault(trace: Path, samples: Path) -> None:
    (samples / "session.jsonl").write_bytes(b"\x00\xff")
    assert isinstance(run("explain", trace, "nobody said this").exception, NotFound)


def test_what_is_no_trace_is_refused_with_the_way_to_make_one(samples: Path) -> None:
    refused = run("explain", samples / "refused.json", "x").exception
    assert isinstance(refused, InvalidRequest)
    assert refused.facts["cure"] == "use `build --trace FILE`"

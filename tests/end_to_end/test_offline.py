"""The whole command line with sockets blocked and an empty environment; the demo leaves nothing behind."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

import pytest

from tests.no_network import run_cli

SESSION = Path(__file__).parents[1] / "data" / "claude-code-sessions" / "tiny-conversation.jsonl"


@pytest.fixture
def built(tmp_path: Path) -> Path:
    ran = run_cli(
        "build", SESSION, "--to", "anthropic", "--window", "500", "--tokenizer", "o200k",
        "--out", tmp_path / "request.json", "--trace", tmp_path / "trace.json",
        cwd=tmp_path,
    )  # fmt: skip
    assert (ran.returncode, ran.stderr) == (0, "")
    return tmp_path


def test_a_session_becomes_a_request_that_the_linter_has_nothing_to_say_about(built: Path) -> None:
    ran = run_cli("lint", built / "request.json", "--provider", "anthropic", "--json", cwd=built)
    assert ran.returncode == 0
    assert json.loads(ran.stdout)["findings"] == []


def test_explain_says_why_a_message_is_gone_and_where_its_bytes_are(built: Path) -> None:
    trace = json.loads((built / "trace.json").read_text("utf-8"))
    gone = next(row for row in trace["messages"] if row["verdict"] == "dropped")
    ran = run_cli("explain", built / "trace.json", gone["id"], cwd=built)
    assert ran.returncode == 0
    assert "batch: in-record" in " ".join(ran.stdout.split())
    origin = gone["origin"]
    with SESSION.open("rb") as file:
        record = json.loads(file.read()[origin["start"] : origin["end"]])
    assert record["uuid"] == gone["id"]


def test_explain_finds_a_text_in_the_source_of_the_trace(built: Path) -> None:
    trace = json.loads((built / "trace.json").read_text("utf-8"))
    row = [each for each in trace["messages"] if "origin" in each][-1]
    words = row["preview"][:30]
    ran = run_cli("explain", built / "trace.json", words, "--json", cwd=built)
    assert row["id"] in [each["id"] for each in json.loads(ran.stdout)["messages"]]
    assert run_cli("explain", built / "trace.json", "words nobody ever said", cwd=built).returncode == 4


def test_fsck_reads_a_session(tmp_path: Path) -> None:
    ran = run_cli("fsck", SESSION, "--json", cwd=tmp_path)
    assert ran.returncode in {0, 1}
    assert json.loads(ran.stdout)


def test_the_demo_needs_nothing_and_leaves_nothing_behind(tmp_path: Path) -> None:
    before = set(Path(tempfile.gettempdir()).glob("contextrail-demo-*"))
    shown = run_cli("demo", cwd=tmp_path)
    said = run_cli("demo", "--json", cwd=tmp_path)
    assert (shown.returncode, shown.stderr) == (0, "")
    record = json.loads(said.stdout)
    assert [request["target"] for request in record["requests"]] == ["anthropic", "openai-chat"]
    for request in record["requests"]:
        assert request["findings_after"] == {}
        assert request["cost_after"]["high"] <= request["limit"]
    assert record["explained"]["id"] in shown.stdout
    assert list(tmp_path.iterdir()) == []
    assert set(Path(tempfile.gettempdir()).glob("contextrail-demo-*")) <= before

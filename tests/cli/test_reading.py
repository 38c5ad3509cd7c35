"""What `build` says of a damaged session, and of messages that are not sent."""

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from contextrail.cli.main import app
from tests.transcripts.claude import cut, file, says, user

KEY = "sk-ant-api03-" + "Zq7Xw2Lm9Rt4Vb6Nc8Kd1Fg3Hj5Ps0YaUeIoTiRxMzWqBn" * 2


def run(*words: str | Path) -> Result:
    return CliRunner().invoke(app, [*map(str, words)])


@pytest.fixture
def session(tmp_path: Path) -> Path:
    path = tmp_path / "s.jsonl"
    side = {"isSidechain": True, "agentId": "x"}
    lines = file(
        user("u0", None, "the old task"), says("a0", "u0", f"the key is {KEY}"),
        cut("b1", logicalParentUuid="a0"), user("u1", "b1", "summary", isCompactSummary=True),
        user("u2", "u1", "now do the port"), says("a2", "u2", "first answer"), says("a3", "u2", "second answer"),
        {**user("s1", None, "look around"), **side}, user("u4", "ghost", "and go on"),
    )  # fmt: skip
    path.write_bytes(lines + b'{"type":"user","uuid":"u5"')
    return path


def built(session: Path, *words: str | Path) -> tuple[dict[str, Any], dict[str, Any], str]:
    """Trace, summary, and what was printed for a person."""
    trace = session.parent / "trace.json"
    where = ("--store", session.parent / "store", "--out", session.parent / "b.json", "--trace", trace)
    printed = run("build", session, *where, *words)
    assert printed.exit_code == 0, printed.output
    summary = run("build", session, *where, *words, "--json")
    return json.loads(trace.read_text()), json.loads(summary.stdout), printed.output


def test_faults_of_the_session_are_printed_and_stand_in_the_trace(session: Path) -> None:
    trace, summary, printed = built(session)
    assert "3 faults were found in the session" in printed
    assert "line 10: truncated" in printed
    assert trace["read"] == summary["read"]
    assert trace["read"]["kinds"]["truncated"] == 1
    assert trace["read"]["first"][0]["severity"] == "error"


def test_each_message_that_is_not_sent_has_a_row_and_a_decision(session: Path) -> None:
    trace, summary, printed = built(session)
    rows = {row["id"]: row for row in trace["messages"]}
    why = {each["message"]: each["reason"] for each in trace["decisions"] if each["step"] == "read"}
    assert why == {
        "u0": "before-compaction",
        "a0": "before-compaction",
        "a2": "left-branch",
        "s1": "sidechain",
    }
    assert all(rows[ident]["verdict"] == "dropped" for ident in why)
    assert all(rows[ident]["reasons"][-1]["reason"] == reason for ident, reason in why.items())
    assert summary["read"]["left"] == {"before-compaction": 2, "left-branch": 1, "sidechain": 1}
    assert "2 messages stand before a compaction of the host and are not sent" in printed


def test_explain_and_uncompact_find_what_is_not_sent(session: Path) -> None:
    built(session)
    trace = session.parent / "trace.json"
    told = run("explain", trace, "look around").output
    assert "s1" in told
    assert "read: sidechain (lane: x)" in told
    assert run("uncompact", "u0", "--trace", trace).stdout == "the old task"


def test_rows_of_what_is_not_sent_hold_no_secret(session: Path) -> None:
    trace, _, _ = built(session)
    assert KEY not in json.dumps(trace)
    assert "[secret:" in next(row["preview"] for row in trace["messages"] if row["id"] == "a0")
    found = run(
        "uncompact", "a0", "--trace", session.parent / "trace.json", "--store", session.parent / "store"
    )
    assert found.stdout == f"the key is {KEY}"


def test_ids_of_what_is_not_sent_stay_out_of_a_trace_without_ids(session: Path) -> None:
    policy = session.parent / "p.json"
    policy.write_text('{"context_trace": {"include_message_ids": false}}')
    trace, _, _ = built(session, "--policy", policy)
    assert '"s1"' not in json.dumps(trace["messages"])
    assert any(row.get("preview") == "look around" for row in trace["messages"])

"""`contextrail demo` and what else the program says of itself."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from contextrail.cli.main import app
from contextrail.core.version import VERSION

pytestmark = pytest.mark.slow


def test_the_demo_shows_two_legal_requests_within_the_budget_and_why_a_message_is_gone() -> None:
    shown = json.loads(CliRunner().invoke(app, ["demo", "--json"]).output)
    assert len({request["target"] for request in shown["requests"]}) == 2
    for request in shown["requests"]:
        assert request["cost_before"]["low"] > request["limit"] >= request["cost_after"]["high"]
        assert request["findings_after"] == {}
    assert any(request["findings_before"] for request in shown["requests"])
    assert shown["explained"]["verdict"] == "dropped"
    assert shown["explained"]["origin"]


def test_the_demo_tells_people_the_same_numbers(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    shown = json.loads(CliRunner().invoke(app, ["demo", "--json"]).output)
    told = CliRunner().invoke(app, ["demo"])
    assert told.exit_code == 0
    for request in shown["requests"]:
        assert f"{request['cost_after']['high']:,} of {request['limit']:,}" in told.output
    assert shown["explained"]["id"] in told.output
    assert list(tmp_path.iterdir()) == []


def test_the_version_is_told() -> None:
    assert CliRunner().invoke(app, ["--version"]).output == f"contextrail {VERSION}\n"

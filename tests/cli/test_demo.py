"""`contextrail demo` and what else the program says of itself."""

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from contextrail.cli.main import app
from contextrail.core.version import VERSION


@pytest.fixture(scope="module")
def shown() -> Any:
    return json.loads(CliRunner().invoke(app, ["demo", "--json"]).output)


@pytest.mark.slow
def test_the_demo_shows_two_legal_requests_within_the_budget_and_why_a_message_is_gone(shown: Any) -> None:
    assert len({request["target"] for request in shown["requests"]}) == 2
    for request in shown["requests"]:
        assert request["cost_before"]["low"] > request["limit"] >= request["cost_after"]["high"]
        assert request["findings_after"] == {}
    assert any(request["findings_before"] for request in shown["requests"])
    assert shown["explained"]["verdict"] == "dropped"
    assert shown["explained"]["origin"]


@pytest.mark.slow
def test_every_message_of_the_session_is_kept_changed_or_dropped(shown: Any) -> None:
    for request in shown["requests"]:
        became, reasons = request["verdicts"], request["reasons"]
        assert became["kept"] + became["changed"] + became["dropped"] == shown["messages"]
        assert became["dropped"] >= max(count for why, count in reasons.items() if why.startswith("dropped "))


@pytest.mark.slow
def test_the_demo_tells_people_the_same(shown: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    told = CliRunner().invoke(app, ["demo"])
    assert told.exit_code == 0
    at = told.output.index("╭─ 3 ")
    requests, explained = told.output[told.output.index("╭─ 2 ") : at], told.output[at:]
    for half, request in enumerate(shown["requests"]):
        became = request["verdicts"]
        said = " ".join(
            " ".join(line[50 * half + 1 : 50 * half + 49] for line in requests.splitlines()).split()
        )
        assert f"{request['cost_after']['high']:,} of {request['limit']:,}" in said
        assert (
            f"of {shown['messages']} messages {became['kept']} are kept, {became['changed']} changed, "
            f"{became['dropped']} left out; {became['added']} added"
        ) in said
    row = shown["explained"]
    assert row["id"] in explained
    whys = [line.split("why: ")[1] for line in explained.splitlines() if "why: " in line]
    assert len(whys) == len(row["reasons"])
    for why, reason in zip(whys, row["reasons"], strict=True):
        assert why.startswith(f"{reason['step']}: {reason['reason']}")
    assert list(tmp_path.iterdir()) == []


def test_the_version_is_told() -> None:
    assert CliRunner().invoke(app, ["--version"]).output == f"contextrail {VERSION}\n"

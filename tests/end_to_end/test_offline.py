"""Every command runs with sockets blocked, an empty environment, and nothing left behind that was not asked for."""

import json
from pathlib import Path

import pytest

from tests.no_network import run_cli


def names(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*")}


def test_build_explain_and_lint_a_session(samples: Path) -> None:
    before = names(samples)
    built = run_cli(
        "build", "session.jsonl", "--to", "openai-chat", "--window", "2000", "--reserve-output", "500",
        "--out", "request.json", "--trace", "trace.json", cwd=samples,
    )  # fmt: skip
    assert (built.returncode, built.stderr) == (0, "")
    explained = run_cli("explain", "trace.json", "migration", "--json", cwd=samples)
    assert (explained.returncode, explained.stderr) == (0, "")
    assert {row["verdict"] for row in json.loads(explained.stdout)["messages"]} == {"kept", "dropped"}
    linted = run_cli("lint", "request.json", cwd=samples)
    assert (linted.returncode, linted.stderr) == (0, "")
    assert names(samples) - before == {"request.json", "trace.json"}


def test_lint_and_repair_a_body(samples: Path) -> None:
    before = names(samples)
    assert run_cli("lint", "refused.json", cwd=samples).returncode == 1
    mended = run_cli("repair", "refused.json", "--out", "mended.json", cwd=samples)
    assert (mended.returncode, mended.stderr) == (0, "")
    assert run_cli("lint", "mended.json", "--json", cwd=samples).returncode == 0
    assert names(samples) - before == {"mended.json"}


def test_fsck_and_heal_a_session(samples: Path) -> None:
    whole = (samples / "session.jsonl").read_bytes()
    (samples / "torn.jsonl").write_bytes(whole[:-200])
    assert run_cli("fsck", "session.jsonl", cwd=samples).returncode == 0
    assert run_cli("fsck", "torn.jsonl", cwd=samples).returncode == 1
    healed = run_cli("fsck", "torn.jsonl", "--repair", "--out", "healed.jsonl", cwd=samples)
    assert (healed.returncode, healed.stderr) == (0, "")
    assert (samples / "torn.jsonl").read_bytes() == whole[:-200]


@pytest.mark.slow
@pytest.mark.parametrize("arguments", [(), ("--json",)], ids=["for people", "for programs"])
def test_the_demo_leaves_nothing_behind(arguments: tuple[str, ...], tmp_path: Path) -> None:
    places = {name: tmp_path / name for name in ("here", "HOME", "TMPDIR")}
    for folder in places.values():
        folder.mkdir()
    environment = {name: str(places[name]) for name in ("HOME", "TMPDIR")}
    shown = run_cli("demo", *arguments, cwd=places["here"], environment=environment)
    assert (shown.returncode, shown.stderr) == (0, "")
    assert {name: names(folder) for name, folder in places.items()} == {name: set() for name in places}


@pytest.mark.slow
def test_the_demo_shows_two_legal_requests_within_the_budget_and_why_a_message_is_gone(
    tmp_path: Path,
) -> None:
    shown = json.loads(run_cli("demo", "--json", cwd=tmp_path).stdout)
    assert len({request["target"] for request in shown["requests"]}) == 2
    for request in shown["requests"]:
        assert request["cost_before"]["low"] > request["limit"] >= request["cost_after"]["high"]
        assert request["findings_before"]
        assert request["findings_after"] == {}
    assert shown["explained"]["verdict"] == "dropped"
    assert shown["explained"]["origin"]

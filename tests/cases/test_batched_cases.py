"""Cases of the default mode over several turns, through the command line, each turn with the plan of the one before.

`turns`: what is appended to the history (or `replace`, a new one), and what holds for the request of that turn. Beside
the checks of `tests.cases.checks`:

* `batch`: what a batch was made for in this turn, null for none;
* `same_start`: what was sent in the turn before is sent again, byte for byte, before anything new;
* `reason`: some decision of the turn has it.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from contextrail.cli.main import app
from contextrail.core.json_text import JsonObject
from tests.cases.checks import CHECKS
from tests.cases.outcome import Finished, Outcome

CASES = sorted((Path(__file__).parents[1] / "data" / "cases" / "history" / "batched").glob("*.json"))


class Session:
    """One session in a folder."""

    def __init__(self, case: JsonObject, folder: Path) -> None:
        self.case = case
        self.folder = folder
        self.plan: Path | None = None
        self.messages: list[JsonObject] = []
        self.write("policy", case["policy"])
        if "summaries" in case:
            self.write("summaries", case["summaries"])

    def write(self, name: str, value: Any) -> Path:
        path = self.folder / f"{name}.json"
        path.write_text(json.dumps(value, ensure_ascii=False), encoding="utf-8")
        return path

    def build(self, turn: int) -> Outcome:
        """The request of a turn, with the plan of the one before."""
        document: JsonObject = {"messages": self.messages}
        given = self.write(f"in-{turn}", document)
        before = given.read_bytes()
        out, trace, plan = (self.folder / f"{name}-{turn}.json" for name in ("out", "trace", "plan"))
        words: list[str | Path] = ["build", given, "--from", "neutral", "--to", "neutral", "--out", out]
        words += ["--trace", trace, "--plan-out", plan, "--tokenizer", self.case["tokenizer"]]
        words += ["--policy", self.folder / "policy.json", "--store", self.folder / "store"]
        words += ["--window", str(self.case["window"]), "--reserve-output", str(self.case["reserve_output"])]
        if "summaries" in self.case:
            words += ["--summaries", self.folder / "summaries.json"]
        elif "summarizer" in self.case:
            words += ["--summarizer", self.case["summarizer"]]
        if self.plan is not None:
            words += ["--plan-in", self.plan]
        ran = CliRunner().invoke(app, list(map(str, words)))
        assert ran.exit_code == 0, ran.output
        self.plan = plan
        read = [json.loads(path.read_text(encoding="utf-8")) for path in (out, trace)]
        return Outcome(document, read[0], read[1], None, given.read_bytes() == before)


def sent(done: Outcome) -> list[str]:
    assert done.body is not None
    return [json.dumps(message, sort_keys=True) for message in done.body["messages"]]


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_every_turn_of_a_session_comes_out_right(path: Path, tmp_path: Path) -> None:
    case = json.loads(path.read_text(encoding="utf-8"))
    session = Session(case, tmp_path)
    before: Outcome | None = None
    for number, turn in enumerate(case["turns"], 1):
        session.messages = [*turn.get("replace", session.messages), *turn["append"]]
        now = session.build(number)
        check_turn_of_case(case, turn["expect"], (before, now))
        before = now


def check_turn_of_case(
    case: JsonObject, expected: list[JsonObject], turns: tuple[Outcome | None, Outcome]
) -> None:
    before, now = turns
    done = Finished(case, now, again=lambda: now, rebuilt=lambda: now)
    for each in expected:
        facts = {key: value for key, value in each.items() if key != "check"}
        match each["check"]:
            case "batch":
                assert now.trace["batch"]["why"] == facts["why"]
            case "same_start":
                assert before is not None
                assert sent(now)[: len(sent(before))] == sent(before)
            case "reason":
                assert facts["reason"] in {row["reason"] for row in now.trace["decisions"]}
            case name:
                CHECKS[name](done, **facts)
    CHECKS["pairs_whole"](done)


def test_the_cases_are_there_and_each_has_several_turns() -> None:
    assert len(CASES) == 9
    assert all(len(json.loads(path.read_text(encoding="utf-8"))["turns"]) > 1 for path in CASES)

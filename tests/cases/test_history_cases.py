"""The cases of the history policy: black boxes, each a kind of failure that users of agents have met.

Some expect what is not settled elsewhere. Decided here:

* `blank-summary-within-budget-continues`: a blank scripted summary is a failed summary, since a summary without a
  word cannot stand for anything;
* `interim-result-under-pressure`: a call that only has an interim result is an open obligation, and no cut may lose one;
* `replay-policy-merges-field-by-field`: `--policy` may be given several times, and later ones win field by field,
  as every policy is merged;
* `same-id-different-text`: both messages are sent, the second under an id of its own, for neither is a copy
  of the other and losing one would lose what was said.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cases.checks import CHECKS, check_all
from tests.cases.outcome import run_case

CASES = sorted((Path(__file__).parents[1] / "data" / "cases" / "history" / "open").glob("*.json"))


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_a_case_comes_out_right(path: Path) -> None:
    case = json.loads(path.read_text(encoding="utf-8"))
    done = run_case(case)
    check_all(done, case["expect"])
    if done.last.error is None:
        CHECKS["pairs_whole"](done)


def test_the_cases_are_there() -> None:
    assert len(CASES) == 100

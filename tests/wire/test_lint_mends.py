"""What the table of rules says about repair is what repair does."""

from __future__ import annotations

from typing import Final

import pytest

from contextrail.wire.lint import RULES
from contextrail.wire.repair import repair
from tests.wire.test_lint import CASES, LARGE, target

DEPENDS: Final = {name for name in CASES if name.endswith(".body-form")}
"""Whether these can be mended depends on what has the wrong form."""

SEEN_BY_REPAIR: Final = sorted(
    name
    for name, each in CASES.items()
    if name not in LARGE | DEPENDS and each.before is None and each.model is None
)
"""Repair is given a body and nothing else."""


def left_over(name: str) -> set[str]:
    body = CASES[name].breaks
    assert isinstance(body, dict)
    return {finding.rule for finding in repair(body, target(name, CASES[name])).after}


@pytest.mark.parametrize("name", [name for name in SEEN_BY_REPAIR if RULES[name].mend is not None])
def test_repair_mends_what_the_rule_says_it_mends(name: str) -> None:
    assert name not in left_over(name)


@pytest.mark.parametrize("name", [name for name in SEEN_BY_REPAIR if RULES[name].mend is None])
def test_repair_leaves_what_the_rule_says_it_cannot_mend(name: str) -> None:
    assert name in left_over(name)

"""The examples run as they stand, without network and environment, and are short."""

from pathlib import Path

import pytest

from tests.conftest import EXAMPLES
from tests.no_network import run_code

MAX_LINES = 60


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.py")), ids=lambda path: path.name)
def test_an_example_is_short_runs_and_says_something(path: Path, samples: Path) -> None:
    code = path.read_text(encoding="utf-8")
    assert code.count("\n") <= MAX_LINES
    done = run_code(code, cwd=samples)
    assert done.returncode == 0, done.stderr
    assert done.stdout
    assert done.stderr == ""

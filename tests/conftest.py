"""Settings of the whole suite.

Hypothesis profiles, chosen by `--hypothesis-profile NAME`:

- `default`: 100 examples, the same on each run and each machine, so that a change is refused only for what
  is in it; twice as many for the invariants of the whole (`MANY`), a quarter for the rule of one function
  (`FEW`), see `tests/properties/effort.py`.
- `search`: the same number, new ones on each run: before a change is handed in, and whenever a machine idles.
- `nightly`: 1,000 new examples, 2,000 for the invariants of the whole.
- `quick`: 20, to try something out.

No profile has a deadline per example: on a busy machine it fails for no fault of the code. A test that
hangs is ended by pytest-timeout.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Final

import pytest
from hypothesis import HealthCheck, settings

TOO_SLOW: Final = [HealthCheck.too_slow]
"""Generating a whole conversation takes long on a busy machine; that says nothing about the test."""

EXAMPLES: Final = Path(__file__).parents[1] / "examples"

settings.register_profile(
    "search", max_examples=100, deadline=None, suppress_health_check=TOO_SLOW, print_blob=True
)
settings.register_profile("default", settings.get_profile("search"), derandomize=True)
settings.register_profile("nightly", settings.get_profile("search"), max_examples=1_000)
settings.register_profile("quick", settings.get_profile("search"), max_examples=20)
settings.load_profile("default")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--rewrite", action="store_true", help="write the outputs that golden tests got back into their files"
    )


@pytest.fixture
def rewrite(request: pytest.FixtureRequest) -> bool:
    """Whether expected outputs are to be written instead of compared; the diff is the review."""
    return bool(request.config.getoption("--rewrite"))


@pytest.fixture
def samples(tmp_path: Path) -> Path:
    """A folder with the sample files that documentation and examples use."""
    folder = tmp_path / "samples"
    folder.mkdir()
    for path in EXAMPLES.glob("*.json*"):
        shutil.copy(path, folder)
    return folder

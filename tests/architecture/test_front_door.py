"""The public names: sorted, there, documented, and not changed by accident."""

import contextrail
from contextrail import testing
from tests.architecture.tree import PAGES, ROOT

AGREED = ROOT / "tests" / "architecture" / "public_names.txt"
AGREED_FOR_TESTS = ROOT / "tests" / "architecture" / "public_names_testing.txt"


def test_public_names_are_the_ones_that_were_agreed(*, rewrite: bool) -> None:
    """A new name is a promise, and one taken away breaks one: `make golden`, and a line in CHANGELOG.md."""
    if rewrite:
        AGREED.write_text("".join(f"{name}\n" for name in contextrail.__all__), encoding="utf-8")
    assert list(contextrail.__all__) == AGREED.read_text(encoding="utf-8").split()


def test_public_names_are_sorted_and_exist() -> None:
    """Constants, then classes, then functions, each by name."""
    order = sorted(set(contextrail.__all__), key=lambda name: (not name.isupper(), name[0].islower(), name))
    assert list(contextrail.__all__) == order
    assert {name for name in contextrail.__all__ if not hasattr(contextrail, name)} == set()


def test_public_names_have_docstrings_and_stand_in_the_documentation() -> None:
    pages = "\n".join(path.read_text(encoding="utf-8") for path in PAGES)
    assert {name for name in contextrail.__all__ if f"`{name}`" not in pages} == set()
    values = {name: getattr(contextrail, name) for name in contextrail.__all__}
    assert {name for name, value in values.items() if callable(value) and not value.__doc__} == set()


def test_names_for_tests_of_hosts_are_agreed_and_documented(*, rewrite: bool) -> None:
    if rewrite:
        AGREED_FOR_TESTS.write_text("".join(f"{name}\n" for name in testing.__all__), encoding="utf-8")
    assert list(testing.__all__) == AGREED_FOR_TESTS.read_text(encoding="utf-8").split()
    page = (ROOT / "docs" / "guides" / "testing.md").read_text(encoding="utf-8")
    assert {name for name in (*testing.__all__, *testing.INVARIANTS) if f"`{name}`" not in page} == set()
    assert all(getattr(testing, name) for name in testing.__all__)

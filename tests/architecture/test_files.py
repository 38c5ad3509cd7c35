"""Size, names and contents of files. Allowlists here only ever shrink."""

import ast
import re
from pathlib import Path

import pytest

from tests.architecture.tree import PACKAGE, ROOT, SOURCES, TESTS, in_tree, inside, syntax, texts, tracked

MAX_LINES = 400
LONGER: dict[str, int] = {}
"""Files that may be longer for now, with the length they may not pass."""

NO_ROOM_FOR = ("utils", "util", "common", "helpers", "helper", "manager", "base", "misc")
"""Names of rooms that everything ends up in."""

MACHINE_PATHS = re.compile(r"(?<![\w.~-])/(?:work|root)/|\.\./" + r"shared\b")
INDEX_HOSTS = re.compile(
    "|".join(
        (
            r"pypi\." + "org",
            "python" + "hosted",
            r"registry\." + "npmjs",
            r"crates\." + "io",
            "deb" + r"ian\.org",
        )
    )
)
FOREIGN_SESSIONS = ("tests/data/", "tests/golden/", "src/contextrail/data/")
"""Recorded by other people on machines of theirs, where these paths may be theirs."""

CODE = [path for path in [*SOURCES, *TESTS, *sorted((ROOT / "scripts").glob("*.py"))] if path.is_file()]


@pytest.mark.parametrize("path", CODE, ids=in_tree)
def test_a_file_is_short_enough_to_be_read(path: Path) -> None:
    lines = path.read_text(encoding="utf-8").count("\n")
    assert lines <= LONGER.get(in_tree(path), MAX_LINES)


def test_no_file_on_the_list_of_long_ones_has_become_short() -> None:
    longer = {name for name in LONGER if (ROOT / name).read_text(encoding="utf-8").count("\n") <= MAX_LINES}
    assert longer == set()


@pytest.mark.parametrize("path", sorted(PACKAGE.glob("**/__init__.py")), ids=in_tree)
def test_a_package_is_a_docstring_and_nothing_else(path: Path) -> None:
    """Re-exports inside the house are how import cycles start; only the front door re-exports."""
    if path.parent == PACKAGE:
        assert isinstance(syntax(path).body[0], ast.Expr)
    else:
        assert [type(node) for node in syntax(path).body] == [ast.Expr]


def test_packages_are_one_level_deep() -> None:
    assert {path.name for path in PACKAGE.glob("*/*/__init__.py")} == set()


@pytest.mark.parametrize("path", SOURCES, ids=inside)
def test_no_room_is_named_for_everything(path: Path) -> None:
    words = {word for part in path.relative_to(PACKAGE).with_suffix("").parts for word in part.split("_")}
    assert words.isdisjoint(NO_ROOM_FOR)


def test_every_folder_of_tests_with_python_in_it_is_a_package() -> None:
    folders = {path.parent for path in TESTS if path.parent != ROOT / "tests"}
    assert {in_tree(folder) for folder in folders if not (folder / "__init__.py").is_file()} == set()


def test_no_file_names_a_path_of_the_machine_it_was_written_on() -> None:
    found = {in_tree(path) for path, text in texts(ignoring=FOREIGN_SESSIONS) if MACHINE_PATHS.search(text)}
    assert found == set()


def test_no_file_names_the_host_of_a_package_index() -> None:
    assert {in_tree(path) for path, text in texts() if INDEX_HOSTS.search(text)} == set()


def test_no_lock_file_that_records_download_addresses() -> None:
    unwanted = {"uv.lock", "poetry.lock", "pdm.lock", "Pipfile.lock", "package-lock.json", "yarn.lock"}
    assert {path.name for path in tracked()}.isdisjoint(unwanted)


@pytest.mark.parametrize("folder", sorted((ROOT / "tests" / "data").glob("*/")), ids=in_tree)
def test_data_tells_its_source_and_what_was_copied_carries_its_licence(folder: Path) -> None:
    source = (folder / "SOURCE.md").read_text(encoding="utf-8")
    assert "Written for this project" in source or sorted(folder.glob("LICENSE*"))

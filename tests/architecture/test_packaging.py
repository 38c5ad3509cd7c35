"""Lock files, dependencies and the name under which the package is distributed."""

import re
from pathlib import Path

import pytest

from tests.architecture.tree import ROOT, TESTS, in_tree, project, texts

LOCKS = ("requirements.lock", "requirements-dev.lock")
PIN = re.compile(r"^([a-z0-9-]+)==(\S+)(?: ; ([^\\]+?))? \\$")


def pins(name: str) -> dict[tuple[str, str], str]:
    """Package and marker to version, of a lock file."""
    lines = (ROOT / name).read_text(encoding="utf-8").splitlines()
    found = [PIN.match(line) for line in lines if not line.startswith(" ")]
    assert all(found), [line for line, match in zip(lines, found, strict=False) if match is None]
    return {(match[1], match[3] or ""): match[2] for match in found if match is not None}


def names_of(requirements: list[str]) -> set[str]:
    """Package names, normalized, of requirement strings."""
    return {re.sub(r"[-_.]+", "-", re.split(r"[^\w.-]", each)[0]).lower() for each in requirements}


@pytest.mark.parametrize("name", LOCKS)
def test_a_lock_is_exact_versions_with_hashes_and_no_addresses(name: str) -> None:
    text = (ROOT / name).read_text(encoding="utf-8")
    assert pins(name)
    assert "://" not in text
    assert "#" not in text
    blocks = re.split(r"\n(?=\S)", text)
    assert all(re.search(r"--hash=sha256:[0-9a-f]{64}", block) for block in blocks)


def test_the_lock_for_development_holds_the_versions_of_the_other() -> None:
    run, dev = ({package: version for (package, _), version in pins(name).items()} for name in LOCKS)
    assert {package: dev.get(package) for package in run} == run


def test_every_dependency_is_locked() -> None:
    table = project()["project"]
    base = names_of(table["dependencies"])
    groups = project()["dependency-groups"]
    dev = names_of([each for group in groups.values() for each in group if isinstance(each, str)])
    assert base <= {package for package, _ in pins(LOCKS[0])}
    assert dev <= {package for package, _ in pins(LOCKS[1])}


def test_the_base_install_stays_small() -> None:
    """A new base dependency is a decision: write it down in docs/decisions/ and add it here."""
    assert names_of(project()["project"]["dependencies"]) == {"msgspec", "rich", "tiktoken", "typer"}


def test_the_distribution_name_stands_in_one_place() -> None:
    """It may have to change (docs/decisions/); the import name and the command stay."""
    name = project()["project"]["name"]
    asks = re.compile(
        rf"(pip install|uvx|pipx run|uv add|metadata\.version\(|distribution\()[^\n]*\b{name}\b"
    )
    found = {in_tree(path) for path, text in texts(ignoring=("tests/architecture/",)) if asks.search(text)}
    assert found == set()


def test_tests_read_only_what_is_in_the_repository() -> None:
    outside = re.compile(r"parents\[[3-9]\]|(\.parent){5,}|/" + "shared/")
    assert {
        in_tree(path) for path in TESTS if outside.search(Path(path).read_text(encoding="utf-8"))
    } == set()


def test_the_metadata_is_complete() -> None:
    table = project()["project"]
    assert table["license"] == "Apache-2.0"
    assert all((ROOT / name).is_file() for name in (*table["license-files"], table["readme"]))
    assert "Apache License" in (ROOT / "LICENSE").read_text(encoding="utf-8")

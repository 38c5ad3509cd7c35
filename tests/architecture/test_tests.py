"""Rules for the tests themselves: none may pass because it looked at nothing."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.architecture.tree import TESTS, in_tree, syntax

MAKING_FAULTS = {"tests/cli/test_wrong_input.py"}
"""What the command line does with a fault of ours can only be seen if there is one."""

SEARCHES = {"glob", "rglob", "iterdir"}


def cases_of(path: Path) -> Iterator[ast.FunctionDef]:
    """Test functions of a file."""
    for node in ast.walk(syntax(path)):
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
            yield node


def searched(node: ast.AST) -> bool:
    """Whether an expression is a search for files, perhaps sorted."""
    match node:
        case ast.Call(func=ast.Attribute(attr=name)) if name in SEARCHES:
            return True
        case ast.Call(func=ast.Name(id="sorted"), args=[inner, *_]):
            return searched(inner)
        case _:
            return False


@pytest.mark.parametrize("path", TESTS, ids=in_tree)
def test_no_test_loops_over_files_that_may_not_be_there(path: Path) -> None:
    """Parametrize over them: an empty set of parameters is an error. Or name the list, and assert it first."""
    loops = {
        (test.name, node.lineno)
        for test in cases_of(path)
        for node in ast.walk(test)
        if isinstance(node, ast.For) and searched(node.iter)
    }
    assert loops == set()


@pytest.mark.parametrize("path", TESTS, ids=in_tree)
def test_the_number_of_examples_is_set_by_the_profile(path: Path) -> None:
    """A fixed number would hold in the nightly run as well; a share of the profile's number does not."""
    fixed = {
        node.lineno
        for node in ast.walk(syntax(path))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "settings"
        for word in node.keywords
        if word.arg == "max_examples" and isinstance(word.value, ast.Constant)
    }
    assert fixed == set()


@pytest.mark.parametrize("path", [path for path in TESTS if in_tree(path) not in MAKING_FAULTS], ids=in_tree)
def test_no_test_replaces_a_piece_of_our_own_code(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert re.findall(r"setattr\(\s*[\"']?contextrail|patch\(\s*[\"']contextrail", text) == []


@pytest.mark.parametrize("path", TESTS, ids=in_tree)
def test_every_test_checks_something(path: Path) -> None:
    """An assert, an expected error, or a call of a function whose name says that it checks."""
    silent = set()
    for test in cases_of(path):
        names = {
            node.id if isinstance(node, ast.Name) else node.attr
            for node in ast.walk(test)
            if isinstance(node, (ast.Name, ast.Attribute))
        }
        checks = any(isinstance(node, ast.Assert) for node in ast.walk(test))
        if not checks and not any(
            re.search(r"raises|check|assert|expect|must|same|refuse", name) for name in names
        ):
            silent.add(test.name)
    assert silent == set()


@pytest.mark.parametrize("path", TESTS, ids=in_tree)
def test_no_test_looks_at_a_stopwatch(path: Path) -> None:
    """What time it takes is measured in benchmarks/; what must not grow with a square is in tests/hostile.py."""
    watches = {
        node.attr
        for node in ast.walk(syntax(path))
        if isinstance(node, ast.Attribute)
        and node.attr in ("process_time", "perf_counter", "thread_time", "monotonic")
    }
    assert watches == set()

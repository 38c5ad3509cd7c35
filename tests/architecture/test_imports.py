"""What may know what. The layers are held by import-linter; here stand the rules it has no words for."""

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from contextrail.wire.target import PROFILES, PROVIDERS
from tests.architecture.tree import PACKAGE, ROOT, SOURCES, in_tree, inside, project, pure_sources, syntax

NOT_AT_IMPORT = frozenset(
    [
        "asyncio",
        "http.client",
        "multiprocessing",
        "requests",
        "socket",
        "sqlite3",
        "ssl",
        "subprocess",
        "urllib.request",
    ]
)
"""Loaded only when used: networks, databases, event loops, processes."""

CALLS_WITH_EFFECTS = {
    "__import__",
    "breakpoint",
    "compile",
    "eval",
    "exec",
    "exit",
    "input",
    "open",
    "print",
    "quit",
}


def imports(path: Path) -> Iterator[tuple[int, str]]:
    """Line and full name of each import, wherever it stands."""
    for node in ast.walk(syntax(path)):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from ((node.lineno, f"{node.module}.{alias.name}") for alias in node.names)


def test_the_import_contracts_hold() -> None:
    program = Path(sys.executable).with_name("lint-imports")
    done = subprocess.run(
        [program, "--no-cache", "--no-logo"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout


def test_every_package_has_a_layer() -> None:
    """The contract is exhaustive, but only over packages that hold a module."""
    layers = " ".join(project()["tool"]["importlinter"]["contracts"][0]["layers"])
    named = set(re.findall(r"\w+", layers))
    there = {path.relative_to(PACKAGE).parts[0].removesuffix(".py") for path in SOURCES}
    assert there - {"__init__", "__main__"} <= named
    assert named <= there


@pytest.mark.parametrize("path", pure_sources(), ids=inside)
def test_the_core_calls_nothing_that_has_effects(path: Path) -> None:
    called = {
        node.func.id
        for node in ast.walk(syntax(path))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    }
    assert called.isdisjoint(CALLS_WITH_EFFECTS)
    assert {name for _, name in imports(path) if name.startswith("urllib.")} <= {
        f"urllib.parse.{name}" for name in ("quote", "unquote", "unquote_to_bytes", "urlsplit", "urlunsplit")
    }


@pytest.mark.parametrize(
    "path",
    [path for path in pure_sources() if inside(path).startswith(("history/", "turn", "record"))],
    ids=inside,
)
def test_the_history_and_the_turn_know_no_provider(path: Path) -> None:
    names = {
        *PROVIDERS,
        *(profile for profiles in PROFILES.values() for profile in profiles),
        "openai",
        "claude",
    }
    words = re.compile("|".join(sorted(map(re.escape, names))), re.IGNORECASE)
    assert words.findall(path.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize("path", SOURCES, ids=inside)
def test_imports_stand_at_the_top(path: Path) -> None:
    top = {node.lineno for node in syntax(path).body if isinstance(node, (ast.Import, ast.ImportFrom))}
    guarded = {
        inner.lineno
        for node in syntax(path).body
        if isinstance(node, ast.Try)
        for inner in node.body
        if isinstance(inner, (ast.Import, ast.ImportFrom))
    }
    assert {line for line, _ in imports(path)} <= top | guarded


@pytest.mark.parametrize(
    ("rooms", "unwanted"),
    [("library", NOT_AT_IMPORT), ("cli", NOT_AT_IMPORT - {"subprocess"})],  # typer can start a pager
    ids=["library", "cli"],
)
def test_importing_has_no_side_effects(rooms: str, unwanted: frozenset[str], tmp_path: Path) -> None:
    """No output, no network, database or event loop loaded, no file written, no thread started."""
    names = [
        in_tree(path).removeprefix("src/").removesuffix(".py").removesuffix("/__init__").replace("/", ".")
        for path in SOURCES
        if path.name != "__main__.py" and (rooms == "cli") == inside(path).startswith("cli/")
    ]
    code = (
        f"import importlib, sys, threading\n"
        f"for name in {names!r}: importlib.import_module(name)\n"
        f"print(sorted(set({sorted(unwanted)!r}) & sys.modules.keys()), threading.active_count())"
    )
    done = subprocess.run(
        [sys.executable, "-B", "-W", "error", "-c", code],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.stdout, done.stderr) == ("[] 1\n", "")
    assert list(tmp_path.iterdir()) == []

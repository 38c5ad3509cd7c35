"""What a newcomer meets first: the script that makes the environment."""

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.architecture.tree import ROOT

TOOLS = ("cat", "cksum", "dirname", "pwd", "sed", "sh")


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A copy of what the script reads, at a path with a space in it, and a PATH with little on it."""
    folder = tmp_path / "my projects"
    (folder / "scripts").mkdir(parents=True)
    for name in ("pyproject.toml", "requirements.lock", "requirements-dev.lock", "scripts/setup.sh"):
        shutil.copy(ROOT / name, folder / name)
    (folder / "bin").mkdir()
    for tool in TOOLS:
        (folder / "bin" / tool).symlink_to(shutil.which(tool) or f"/bin/{tool}")
    return folder


def run(tree: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [tree / "scripts" / "setup.sh", *arguments],
        env={"PATH": str(tree / "bin")},
        capture_output=True,
        text=True,
        check=False,
    )


def give_python(tree: Path, script: str) -> None:
    program = tree / "bin" / "python3"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)


def test_without_python_it_says_what_to_install(tree: Path) -> None:
    done = run(tree, "run")
    assert done.returncode == 1
    assert done.stderr.startswith("no Python 3.11 or newer found: install one, or name it")


def test_a_python_that_is_too_old_is_none(tree: Path) -> None:
    give_python(tree, "exit 1")
    assert "no Python 3.11 or newer found" in run(tree, "dev").stderr


def test_a_python_without_venv_is_named_with_the_package_that_lacks(tree: Path) -> None:
    give_python(tree, 'case "$2" in *ensurepip*) exit 1;; *) exit 0;; esac')
    done = run(tree, "run")
    assert done.returncode == 1
    assert "install its venv package" in done.stderr


@pytest.mark.parametrize("arguments", [(), ("all",)])
def test_a_wrong_call_shows_the_right_one(tree: Path, arguments: tuple[str, ...]) -> None:
    done = run(tree, *arguments)
    assert done.returncode == 2
    assert "run|dev" in done.stderr


@pytest.mark.parametrize(("made", "asked"), [("dev", "dev"), ("dev", "run"), ("run", "run")])
def test_what_is_made_already_is_not_made_again(tree: Path, made: str, asked: str) -> None:
    """Nothing that could make it is on the PATH: only the stamp is read."""
    lock = {"run": "requirements.lock", "dev": "requirements-dev.lock"}[made]
    (tree / ".venv" / "bin").mkdir(parents=True)
    (tree / ".venv" / "bin" / "python").symlink_to("/bin/sh")
    stamp = f"{{ cat pyproject.toml {lock} scripts/setup.sh; pwd; }} | cksum > .venv/installed-{made}"
    subprocess.run(["sh", "-c", stamp], cwd=tree, check=True)
    assert run(tree, asked).returncode == 0
    (tree / lock).write_text("changed", encoding="utf-8")
    assert run(tree, asked).returncode == 1

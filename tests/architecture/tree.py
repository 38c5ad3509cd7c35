"""The files of the repository, as the house rules see them."""

from __future__ import annotations

import ast
import subprocess
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, Final

ROOT: Final = Path(__file__).parents[2]
PACKAGE: Final = ROOT / "src" / "contextrail"
SOURCES: Final = sorted(PACKAGE.rglob("*.py"))
TESTS: Final = sorted(path for path in (ROOT / "tests").rglob("*.py") if "data" not in path.parts)
PAGES: Final = sorted((ROOT / "docs").rglob("*.md"))
PURE_PACKAGES: Final = (
    "core",
    "messages",
    "wire",
    "compaction",
    "history",
    "policy.py",
    "turn.py",
    "record.py",
)
LOADERS: Final = ("wire/backends.py", "wire/client.py", "wire/shipped.py")
"""They read what is shipped with the package, or ask a model, and hand it on as values and ports."""


def inside(path: Path) -> str:
    """Path relative to the package, with slashes."""
    return path.relative_to(PACKAGE).as_posix()


def in_tree(path: Path) -> str:
    """Path relative to the repository, with slashes."""
    return path.relative_to(ROOT).as_posix()


def pure_sources() -> list[Path]:
    """Source files that may not do I/O."""
    return [
        path
        for path in SOURCES
        if path.relative_to(PACKAGE).parts[0] in PURE_PACKAGES and inside(path) not in LOADERS
    ]


@cache
def syntax(path: Path) -> ast.Module:
    """The syntax tree of a file."""
    return ast.parse(path.read_text(encoding="utf-8"), filename=in_tree(path))


@cache
def tracked() -> tuple[Path, ...]:
    """Files that git has, or would have after `git add`."""
    done = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        check=True,
        encoding="utf-8",
    )
    paths = (ROOT / name for name in done.stdout.split("\0") if name)
    return tuple(sorted(path for path in paths if path.is_file()))


def texts(*, ignoring: tuple[str, ...] = ()) -> Iterator[tuple[Path, str]]:
    """Every tracked text file with its text; a binary file is left out.

    Args:
        ignoring: Folders, as paths in the repository that end with a slash.
    """
    for path in tracked():
        if not in_tree(path).startswith(ignoring):
            try:
                yield path, path.read_text(encoding="utf-8")
            except UnicodeDecodeError:
                continue


@cache
def project() -> dict[str, Any]:
    """`pyproject.toml`."""
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))

"""Errors: every class has a code of its own, an answer at each door, and a line in the documentation."""

import importlib
import re

import pytest

from contextrail.core.errors import ANSWERS, EXIT_FAULT, EXIT_FOUND, RailError, answer
from tests.architecture.tree import ROOT, SOURCES, in_tree

EXIT_INTERRUPTED = 130
"""128 and the number of the signal, as shells have it."""

PAGE = (ROOT / "docs" / "errors.md").read_text(encoding="utf-8")


def classes() -> list[type[RailError]]:
    """Every error class of the package, with all modules loaded."""
    for path in SOURCES:
        name = (
            in_tree(path).removeprefix("src/").removesuffix(".py").replace("/", ".").removesuffix(".__init__")
        )
        if not name.endswith("__main__"):
            importlib.import_module(name)

    def below(cls: type[RailError]) -> list[type[RailError]]:
        return [one for sub in cls.__subclasses__() for one in (sub, *below(sub))]

    return [cls for cls in below(RailError) if cls.__module__.startswith("contextrail.")]


@pytest.mark.parametrize("cls", classes(), ids=lambda cls: cls.__name__)
def test_a_code_is_stable_words_and_documented(cls: type[RailError]) -> None:
    assert re.fullmatch(r"[a-z]+(_[a-z]+)*", cls.code)
    assert f"`{cls.code}`" in PAGE
    assert cls.__doc__


def test_no_two_classes_share_a_code() -> None:
    codes = [cls.code for cls in classes()]
    assert sorted(codes) == sorted(set(codes))


@pytest.mark.parametrize("cls", list(ANSWERS), ids=lambda cls: cls.__name__)
def test_the_documented_table_is_the_one_in_the_code(cls: type[RailError]) -> None:
    row = next(line for line in PAGE.splitlines() if line.startswith(f"| `{cls.code}`"))
    cells = [cell.strip() for cell in row.strip("|").split("|")]
    given = ANSWERS[cls]
    assert cells[-3:] == [str(given.http), str(given.exit), str(given.json_rpc)]


def test_every_class_is_answered_and_no_two_kinds_leave_by_one_exit_code() -> None:
    assert all(answer(cls("x")).exit != EXIT_FAULT for cls in classes())
    exits = [given.exit for given in ANSWERS.values()]
    assert sorted([*exits, EXIT_FOUND, EXIT_FAULT, 0]) == sorted({*exits, EXIT_FOUND, EXIT_FAULT, 0})


@pytest.mark.parametrize("code", [0, EXIT_FOUND, EXIT_FAULT, EXIT_INTERRUPTED])
def test_the_other_exit_codes_are_documented(code: int) -> None:
    assert re.search(rf"^\| {code} \|", PAGE, re.MULTILINE)

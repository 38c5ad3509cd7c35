"""One concept, one word: the glossary's last column names nothing in the code."""

import ast
import re
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

import pytest

from tests.architecture.tree import ROOT, SOURCES, inside, syntax

SECOND_MEANING = {
    "blob": "what Gemini calls media inside a body",
    "block": "what providers call a part",
    "cache": "what a provider keeps of a prefix",
    "client": "what speaks to a model's provider",
    "conversation": "the type that holds a request",
    "document": "a kind of media",
    "error": "what is raised",
    "event": "what a reader gives, one after another",
    "file": "a file on disk",
    "format": "the form of a host's session files",
    "item": "an element of the Responses form",
    "memory": "what a computer has",
    "merge": "what is done to policies",
    "page": "a page of a PDF",
    "partial": "a policy that sets some fields",
    "provider": "whom a request is for",
    "queue": "the data structure",
    "reasoning": "an item of the Responses form",
    "round": "a repetition",
    "span": "a stretch of text",
    "step": "a function from draft to draft",
    "switch": "a change from one library to another",
    "tag": "what opens and closes a fence in text",
    "thought": "what Gemini calls thinking",
    "user": "the role",
}
"""Words of the column that name something else as well, and what."""

OF_SEEDS = {"ToolOutputPolicy", "tool_output", "truncate_observation"}
"""Names that a seed fixes keep its word at that interface."""

NOT_YET: dict[str, set[str]] = {
    "orphan": {
        "messages/pairs.py",
        "messages/settle.py",
    }
}
"""Files that still use a word. Only ever shrinks."""

ROWS = [
    tuple(cell.strip() for cell in line.strip("|").split("|"))
    for line in (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8").splitlines()
    if line.startswith("| ") and not line.startswith("| word ")
]


def unwanted() -> set[str]:
    """Words of the last column, as they would stand in an identifier."""
    cells = [word.strip().lower() for row in ROWS for word in row[2].split(",") if word.strip()]
    return {re.sub(r"[ -]", "_", cell) for cell in cells} - set(SECOND_MEANING)


def identifiers(path: Path) -> Iterator[str]:
    """Names that a file gives: functions, classes, arguments, variables, attributes."""
    for node in ast.walk(syntax(path)):
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                yield name
            case (
                ast.arg(arg=name)
                | ast.Name(id=name, ctx=ast.Store())
                | ast.Attribute(attr=name, ctx=ast.Store())
            ):
                yield name
            case _:
                pass


def says(identifier: str, word: str) -> bool:
    """Whether an identifier holds the word, or its plural, as whole words."""
    snake = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", identifier).lower()
    return re.search(rf"(^|_){word}s?(_|$)", snake) is not None


def test_the_check_finds_words_in_every_writing() -> None:
    assert says("SavePointManager", "manager")
    assert says("tag_names", "tag")
    assert says("_orphans", "orphan")
    assert not says("stage", "tag")


@pytest.mark.parametrize("path", SOURCES, ids=inside)
def test_no_name_uses_a_word_that_the_glossary_rules_out(path: Path) -> None:
    words = {word for word in unwanted() if inside(path) not in NOT_YET.get(word, set())}
    names = set(identifiers(path)) - OF_SEEDS
    found = {(name, word) for name in names for word in words if says(name, word)}
    assert found == set()


@pytest.mark.parametrize("word", sorted(NOT_YET))
def test_the_list_of_exceptions_shrinks(word: str) -> None:
    using = {inside(path) for path in SOURCES if any(says(name, word) for name in identifiers(path))}
    assert NOT_YET[word] <= using


def test_every_name_of_a_seed_is_used() -> None:
    assert set(chain.from_iterable(map(identifiers, SOURCES))) >= OF_SEEDS


def test_a_second_meaning_is_listed_only_for_a_word_of_the_column() -> None:
    cells = {word.strip() for row in ROWS for word in row[2].split(",")}
    assert set(SECOND_MEANING) <= cells

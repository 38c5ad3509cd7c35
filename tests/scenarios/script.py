"""Scenario files: comment, command, input lines, a rule, what comes out. With `--rewrite` what came out is written.

    # why this matters
    transcript
    u1 user hello
    ----
    1 message

Blocks are parted by an empty line. A command is a word and `key=value` words.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path
from typing import Final

RULE: Final = "----"


@dataclass(frozen=True, slots=True)
class Block:
    """One command."""

    comment: tuple[str, ...]
    command: str
    args: dict[str, str]
    lines: tuple[str, ...]
    expected: str

    @property
    def head(self) -> str:
        """Everything above the rule."""
        words = [self.command, *(f"{key}={value}" for key, value in self.args.items())]
        return "\n".join([*self.comment, " ".join(words), *self.lines])


def blocks(text: str) -> Iterator[Block]:
    """The blocks of a file, in order."""
    for chunk in text.strip().split("\n\n"):
        head, rule, expected = chunk.partition(f"\n{RULE}")
        if not rule:
            raise ValueError(f"no {RULE} in the block that begins with {chunk[:60]!r}")
        rows = head.splitlines()
        comment = tuple(takewhile(lambda row: row.startswith("#"), rows))
        command, *lines = rows[len(comment) :]
        name, *words = command.split()
        args = dict(word.split("=", 1) for word in words)
        yield Block(comment, name, args, tuple(lines), expected.strip())


def check(path: Path, answer: Callable[[Block], str], *, rewrite: bool) -> None:
    """Answer every block of a file; a difference fails, or is written back."""
    done: list[str] = []
    wrong: list[str] = []
    for block in blocks(path.read_text(encoding="utf-8")):
        got = answer(block).strip()
        done.append(f"{block.head}\n{RULE}\n{got}")
        if got != block.expected:
            wrong.append(f"{block.head}\n{RULE} expected\n{block.expected}\n{RULE} came\n{got}")
    if rewrite:
        path.write_text("\n\n".join(done) + "\n", encoding="utf-8")
    else:
        assert not wrong, f"{path.name}\n\n" + "\n\n".join(wrong)

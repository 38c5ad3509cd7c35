"""Touch: one file, and what was done to it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal

Act = Literal["read", "write", "edit", "doubt"]
"""`write`: all of the file is new, or gone; `edit`: some of it; `doubt`: it, or what is below it, may have changed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Touch:
    """What one call does to one file."""

    act: Act
    path: str
    """As `plain_path` writes it; of a doubt, "" is every file."""
    span: str = ""
    """Of a read: which part, in the words of the call; "" for all of it."""


ANY_FILE: Final = Touch(act="doubt", path="")
"""Any file may have changed."""
_OPEN: Final = re.compile(r"[*?\[{$`]")
"""Signs of a path that a shell fills in."""


def file_or_folder(word: str, *, act: Act) -> Iterator[Touch]:
    """What is done to the file that a word of a command names; a doubt where it is a folder or a pattern."""
    open_at = _OPEN.search(word)
    if open_at is not None:
        yield Touch(act="doubt", path=plain_path(word[: open_at.start()].rpartition("/")[0]))
    elif word.endswith("/") or plain_path(word) in {"", ".."}:
        yield Touch(act="doubt", path=plain_path(word))
    else:
        yield Touch(act=act, path=plain_path(word))


def plain_path(path: str) -> str:
    """A path without detours: no `.`, no `..` that can be resolved, one kind of slash."""
    text = path.strip().removeprefix("file://").replace("\\", "/")
    kept: list[str] = []
    for piece in text.split("/"):
        if piece in {"", "."}:
            continue
        if piece == ".." and kept and kept[-1] != "..":
            kept.pop()
        else:
            kept.append(piece)
    return ("/" if text.startswith("/") else "") + "/".join(kept)


def same_file(left: str, right: str) -> bool:
    """Whether two plain paths name one file, as far as can be told.

    One that is relative is the other's if it is the end of it and has a folder: `src/a.py` and
    `/repo/src/a.py`, but not `a.py` and `/repo/src/a.py`.
    """
    if left == right:
        return True
    short, long = sorted((left, right), key=len)
    relative = not short.startswith("/") and not short.startswith("..")
    return relative and long.startswith("/") and "/" in short and long.endswith(f"/{short}")

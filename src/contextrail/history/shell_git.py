"""What the commands of git do to the files of the working tree."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from contextrail.history.touch import ANY_FILE, Touch, file_or_folder, plain_path

_ALL: Final = frozenset(
    {"merge", "rebase", "pull", "revert", "cherry-pick", "am", "bisect", "read-tree", "checkout-index"}
)
"""May change any file whatever follows."""
_STASH_LOOKS: Final = frozenset({"list", "show", "drop", "clear", "create", "store"})
_APPLY_LOOKS: Final = frozenset({"--check", "--stat", "--numstat", "--summary", "--cached"})
_VALUED: Final = frozenset({"-C", "-c", "--git-dir", "--work-tree"})


def git_changes(words: Sequence[str], fed: str) -> Iterator[Touch]:
    """What `git ...` changes or may change; nothing of what it only shows.

    Args:
        words: All words of the command, `git` first.
        fed: What is written into it in place, a patch for example.
    """
    at, folder = 1, ""
    while at < len(words) and words[at].startswith("-"):
        if words[at] == "-C" and at + 1 < len(words):
            folder = (
                words[at + 1] if not folder or words[at + 1].startswith("/") else f"{folder}/{words[at + 1]}"
            )
        at += 2 if words[at] in _VALUED else 1
    for touch in _changes(words, at, fed):
        if folder and touch is not ANY_FILE and not touch.path.startswith("/"):
            yield replace(touch, path=plain_path(f"{folder}/{touch.path}"))
        else:
            yield touch


def _changes(words: Sequence[str], at: int, fed: str) -> Iterator[Touch]:
    """What the command of git at a place among the words changes, as seen from where git runs."""
    name, rest = (words[at], list(words[at + 1 :])) if at < len(words) else ("", [])
    options = {word for word in rest if word.startswith("-")}
    plain = [word for word in rest if not word.startswith("-")]
    if name in _ALL:
        looks = options & {"--abort", "--quit"} and name == "bisect"
        yield from () if looks or plain[:1] in (["log"], ["view"]) else (ANY_FILE,)
    elif name == "stash":
        yield from () if plain[:1] and plain[0] in _STASH_LOOKS else (ANY_FILE,)
    elif name == "reset":
        yield from (ANY_FILE,) if options & {"--hard", "--merge", "--keep"} else ()
    elif name == "clean":
        forced = any(re.match(r"-\w*f|--force", word) for word in options)
        yield from (ANY_FILE,) if forced and not options & {"-n", "--dry-run"} else ()
    elif name == "apply":
        looks = options & _APPLY_LOOKS and "--apply" not in options
        yield from () if looks else (ANY_FILE,)
    elif name in {"checkout", "switch", "restore"}:
        yield from _taken_out(name, rest, options, plain)
    elif name in {"rm", "mv"} and "--cached" not in options and not options & {"-n", "--dry-run"}:
        yield from (each for word in plain for each in file_or_folder(word, act="write"))
    elif name == "submodule":
        yield from (ANY_FILE,) if plain[:1] in (["update"], ["foreach"]) else ()


def _taken_out(name: str, rest: list[str], options: set[str], plain: list[str]) -> Iterator[Touch]:
    if name == "restore":
        if options & {"--staged", "-S"} and not options & {"--worktree", "-W"}:
            return
        files = [
            word
            for at, word in enumerate(rest)
            if word in plain and rest[at - 1 : at] not in (["-s"], ["--source"])
        ]
    elif "--" in rest:
        files = rest[rest.index("--") + 1 :]
    elif options & {"-b", "-B", "-c", "-C", "--create", "--orphan"}:
        yield from (ANY_FILE,) if len(plain) > 1 else ()
        return
    else:
        named = [word for word in plain if re.search(r"\.[A-Za-z]\w{0,7}\Z", word)]
        if not plain:
            return
        files = named if named and len(named) >= len(plain) - 1 and name == "checkout" else ["."]
    yield from (each for word in files for each in file_or_folder(word, act="write"))

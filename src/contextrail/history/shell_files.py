"""Which files a shell command reads, writes or may change, where that can be told from its words.

A read is a command that does nothing else (`cat a.py`, `sed -n 1,40p a.py`, `nl -ba a.py | head -40`). A
write or an edit names its file: a redirection, `sed -i`, `tee`, `rm`, `mv`, `cp`, a file checked out
again, a script given in place that opens it for writing. What may change files without naming them, such
as `git stash` or a formatter, casts doubt on a folder. A program that writes files on its own account is
not seen.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Final

from contextrail.history.shell_programs import changed
from contextrail.history.shell_words import Command, commands
from contextrail.history.touch import Touch, plain_path

_SHOWS: Final = frozenset({"cat", "head", "tail", "nl", "less", "more", "bat"})
_NARROWS: Final = frozenset({"head", "tail", "sed", "nl", "cat"})
_VALUED: Final = frozenset({"-n", "-c", "-b", "-v", "-w", "-s", "-e", "-f"})
"""Options that are followed by a word of their own, in the commands that show a file."""
_SHELLS: Final = frozenset({"bash", "sh", "zsh", "dash"})


@lru_cache(maxsize=4096)
def shell_touches(command: str) -> tuple[Touch, ...]:
    """What a command line does to files; nothing where it cannot be told."""
    found = _touches(commands(command), nested=False)
    return tuple(dict.fromkeys(found))


def is_compound(command: str) -> bool:
    """Whether a command line runs more than one command, besides a change of folder before it."""
    return len([each for each in commands(command) if each.words[:1] != ["cd"]]) > 1


def _touches(line: Sequence[Command], *, nested: bool) -> Iterator[Touch]:
    folder = ""
    if line and line[0].words[:1] == ["cd"] and len(line[0].words) == 2 and line[1:2] and line[1].join != "|":
        folder, line = line[0].words[1], line[1:]
    read = _read(line)
    if read is not None:
        yield replace(read, path=_below(folder, read.path))
        return
    for each in line:
        if each.words[:1] == ["cd"] and len(each.words) == 2:
            folder = _below(folder, each.words[1])
            continue
        inner = _inner(each)
        if inner is not None and not nested:
            yield from _placed(folder, _touches(commands(inner), nested=True))
        yield from _placed(folder, changed(each))


def _placed(folder: str, found: Iterator[Touch]) -> Iterator[Touch]:
    for touch in found:
        everywhere = touch.act == "doubt" and not touch.path
        yield touch if everywhere else replace(touch, path=_below(folder, touch.path))


def _inner(command: Command) -> str | None:
    """The command line that a shell is given as a word."""
    words = command.words
    if words and words[0].rpartition("/")[2] in _SHELLS:
        at = next((index for index, word in enumerate(words) if re.fullmatch(r"-\w*c", word)), None)
        if at is not None and at + 1 < len(words):
            return words[at + 1]
        return command.fed or None
    return None


def _below(folder: str, path: str) -> str:
    """A path as seen from where the command began."""
    return path if not folder or path.startswith("/") else plain_path(f"{folder}/{path}")


def _read(line: Sequence[Command]) -> Touch | None:
    """The file that a command shows, if that is all it does."""
    if not line or any(each.reads_file or each.fed or each.outputs for each in line):
        return None
    first, *others = [each.words for each in line]
    if any(each.join not in {"", "|"} for each in line[1:]) or not first:
        return None
    if any(not words or words[0] not in _NARROWS for words in others):
        return None
    shown = _shown(first)
    if shown is None:
        return None
    path, options = shown
    part = [*options, *(" ".join(words) for words in others if words[0] not in _SHOWS - {"head", "tail"})]
    return Touch(act="read", path=plain_path(path), span=" | ".join(part))


def _shown(words: list[str]) -> tuple[str, list[str]] | None:
    """The one file that a command shows, and how."""
    name, *rest = words
    if name == "sed":
        plain = [word for word in rest if word != "-n"]
        return (plain[1], [plain[0]]) if "-n" in rest and len(plain) == 2 and plain[0][:1] != "-" else None
    if name not in _SHOWS:
        return None
    options: list[str] = []
    files: list[str] = []
    valued = False
    for word in rest:
        if valued or word.startswith("-"):
            options.append(word)
            valued = not valued and word in _VALUED and name in {"head", "tail", "nl"}
        else:
            files.append(word)
    if len(files) != 1:
        return None
    return files[0], [" ".join([name, *options])] if name in {"head", "tail"} else []

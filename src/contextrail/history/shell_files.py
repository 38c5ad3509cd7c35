"""Which files a shell command reads or writes, where that can be told from its words.

Only plain forms count: a read is a command that does nothing else (`cat a.py`, `sed -n 1,40p a.py`,
`nl -ba a.py | head -40`), a write is a redirection, `sed -i`, `tee`, `rm`, `mv`, `cp` or a file checked
out again. A program that writes files on its own account is not seen.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from contextrail.history.touch import Touch, plain_path

_SHOWS: Final = frozenset({"cat", "head", "tail", "nl", "less", "more", "bat"})
_NARROWS: Final = frozenset({"head", "tail", "sed", "nl", "cat"})
_VALUED: Final = frozenset({"-n", "-c", "-b", "-v", "-w", "-s", "-e", "-f"})
"""Options that are followed by a word of their own, in the commands that show a file."""
_LONGEST: Final = 20_000
"""Characters of a command that are looked at."""
_HEREDOC: Final = re.compile(r"<<-?\s*(['\"]?)(\w+)\1")
_CD: Final = re.compile(r"cd\s+(\"[^\"\n]+\"|'[^'\n]+'|[^\s;&|]+)\s*(?:&&|;|\n)\s*")
_REDIRECT: Final = re.compile(
    r"(?<![<>&\d=-])(?:[12&])?>{1,2}\s*(?!&)(\"[^\"\n]+\"|'[^'\n]+'|[^\s;|&<>()'\"]+)"
)


def shell_touches(command: str) -> tuple[Touch, ...]:
    """What a command line does to files; nothing where it cannot be told."""
    lines = _without_heredocs(command[:_LONGEST]).replace("2>/dev/null", "").strip()
    moved = _CD.match(lines)
    folder = moved.group(1).strip("'\"") if moved else ""
    rest = lines[moved.end() :] if moved else lines
    read = _read(rest)
    found = (read,) if read is not None else tuple(_writes(rest))
    return tuple(dict.fromkeys(replace(each, path=_below(folder, each.path)) for each in found))


def _below(folder: str, path: str) -> str:
    """A path as seen from where the command began."""
    return path if not folder or path.startswith("/") else plain_path(f"{folder}/{path}")


def _without_heredocs(command: str) -> str:
    """The command without the texts that it feeds to programs."""
    kept: list[str] = []
    until: str | None = None
    for line in command.split("\n"):
        if until is not None:
            until = None if line.strip() == until else until
            continue
        kept.append(line)
        found = _HEREDOC.search(line)
        until = found.group(2) if found else None
    return "\n".join(kept)


def _read(line: str) -> Touch | None:
    """The file that a command shows, if that is all it does."""
    if re.search(r"[;&<>`\n]|\$\(", line):
        return None
    first, *others = [_words(piece) for piece in _pipe(line)]
    if not first or any(not words or words[0] not in _NARROWS for words in others):
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


def _writes(lines: str) -> Iterator[Touch]:
    for match in _REDIRECT.finditer(lines):
        path = match.group(1).strip("'\"")
        if not path.startswith("/dev/") and not path.startswith("$"):
            yield Touch(act="write", path=plain_path(path))
    for piece in re.split(r"&&|\|\||[;\n|]", lines):
        yield from _written(_words(piece))


def _written(words: list[str]) -> Iterator[Touch]:
    if not words:
        return
    name, rest = words[0], [word for word in words[1:] if not word.startswith("-")]
    if name in {"sed", "perl"} and any(re.match(r"-\w*i", word) for word in words[1:]):
        yield from (Touch(act="edit", path=plain_path(word)) for word in rest[-1:])
    elif name in {"rm", "tee", "unlink", "truncate"}:
        yield from (Touch(act="write", path=plain_path(word)) for word in rest)
    elif name in {"mv", "cp"} and len(rest) == 2:
        yield from (
            Touch(act="write", path=plain_path(word)) for word in (rest if name == "mv" else rest[1:])
        )
    elif name == "git" and rest[:1] in (["checkout"], ["restore"]):
        files = words[words.index("--") + 1 :] if "--" in words else rest[1:] if rest[0] == "restore" else []
        yield from (Touch(act="write", path=plain_path(word)) for word in files)


def _pipe(text: str) -> list[str]:
    return [piece for piece in text.split("|") if piece.strip()] or [""]


def _words(text: str) -> list[str]:
    try:
        return shlex.split(text)
    except ValueError:
        return []

"""A command line of a POSIX shell in pieces: simple commands, where their output goes, what is fed to them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

_LONGEST: Final = 20_000
"""Characters of a command line that are looked at."""
_HEREDOC: Final = re.compile(r"<<-?\s*(['\"]?)(\w+)\1")
_TOKEN: Final = re.compile(
    r"(?P<dup>\d?>&\s*[\d-]|\d?<&\s*[\d-])"
    r"|(?P<out>(?:\d|&)?>>?\|?)"
    r"|(?P<into><<<|<<-?|<)"
    r"|(?P<join>&&|\|\||\|&|[;&|\n()`]+?)"
    r"|(?P<word>(?:[^\s'\"\\;&|<>()`]|\\.|'[^']*'|\"(?:[^\"\\]|\\.)*\")+)"
    r"|(?P<space>[^\S\n]+)"
    r"|(?P<odd>.)",
    re.DOTALL,
)
_QUOTED: Final = re.compile(r"'([^']*)'|\"((?:[^\"\\]|\\.)*)\"|\\(.)", re.DOTALL)
_BEFORE: Final = frozenset(
    {"do", "then", "else", "if", "while", "until", "{", "!", "sudo", "time", "nohup", "command"}
)
"""Words that stand before a command without being one."""


@dataclass(slots=True)
class Command:
    """One simple command."""

    words: list[str] = field(default_factory=list)
    outputs: list[str] = field(default_factory=list)
    """Files its output is written to."""
    fed: str = ""
    """What is written into it in place."""
    reads_file: bool = False
    """`<` is there."""
    join: str = ""
    """The sign before it: `&&`, `|`, `(` and so on; "" for the first."""


def commands(line: str) -> tuple[Command, ...]:
    """The simple commands of a line in order; none where a quote is not closed.

    Keywords, `sudo` and settings of variables before a command are left out.
    """
    plain, fed = _without_heredocs(line[:_LONGEST])
    bodies = iter(fed)
    found = [Command()]
    take = "words"
    for match in _TOKEN.finditer(plain):
        kind, text = match.lastgroup, match.group()
        if kind == "odd":
            return ()
        if kind == "join":
            found.append(Command(join=text))
            take = "words"
        elif kind == "out":
            take = "outputs"
        elif kind == "into":
            take = "nothing"
            if text.startswith("<<"):
                found[-1].fed = next(bodies, "") if text != "<<<" else ""
            else:
                found[-1].reads_file = True
        elif kind == "word":
            _put(found[-1], take, _unquoted(text))
            take = "words"
    return tuple(each for each in map(_bare, found) if each.words or each.outputs)


def _put(command: Command, take: str, word: str) -> None:
    if take == "words":
        command.words.append(word)
    elif take == "outputs" and word and not word.startswith("/dev/"):
        command.outputs.append(word)


def _bare(command: Command) -> Command:
    words = command.words
    while words and (words[0] in _BEFORE or re.match(r"[A-Za-z_]\w*=", words[0]) or words[0] == "env"):
        del words[0]
    if words and words[0].startswith("#"):
        command.words, command.outputs = [], []
    return command


def _unquoted(word: str) -> str:
    return _QUOTED.sub(
        lambda match: match.group(1) or re.sub(r"\\(.)", r"\1", match.group(2) or "") or match.group(3) or "",
        word,
    )


def _without_heredocs(line: str) -> tuple[str, list[str]]:
    """The line without the texts that it feeds to programs, and these texts."""
    kept: list[str] = []
    fed: list[str] = []
    until: Iterator[str] = iter(())
    end: str | None = None
    body: list[str] = []
    for each in line.split("\n"):
        if end is not None:
            if each.strip() != end:
                body.append(each)
                continue
            fed.append("\n".join(body))
            body, end = [], next(until, None)
            continue
        kept.append(each)
        until = iter([match.group(2) for match in _HEREDOC.finditer(each)])
        end = next(until, None)
    if end is not None:
        fed.append("\n".join(body))
    return "\n".join(kept), fed

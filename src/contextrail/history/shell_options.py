"""The words of a command as its program reads them: options with their values, and the rest."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Asked:
    """What a command asks for."""

    options: dict[str, list[str]]
    """By name without dashes: the values given, "" where it has none."""
    plain: list[str]
    """Words that are no options, in order."""

    def has(self, *names: str) -> bool:
        """Whether one of these options is there."""
        return any(name in self.options for name in names)

    def values(self, *names: str) -> list[str]:
        """What these options were given."""
        return [value for name in names for value in self.options.get(name, ()) if value]


def asked(
    words: Sequence[str], *, letters: str = "", names: Sequence[str] = (), bundle: bool = False
) -> Asked:
    """Read the words behind the name of a program.

    `-abc` is three letters, of which one that takes a value takes the rest of the word or the next one;
    `--name value` and `--name=value` are one option; behind `--` nothing is an option.

    Args:
        words: All words, the program first.
        letters: Letters of options that take a value.
        names: Long options that take one as a word of its own.
        bundle: The first word is letters even without a dash, each taking its value from the words behind.
    """
    options: defaultdict[str, list[str]] = defaultdict(list)
    plain: list[str] = []
    rest = list(reversed(words[1:]))
    if bundle and rest and not rest[-1].startswith("-"):
        for letter in rest.pop():
            options[letter].append(rest.pop() if letter in letters and rest else "")
    while rest:
        word = rest.pop()
        if word == "--":
            plain.extend(reversed(rest))
            break
        if word.startswith("--"):
            name, sign, value = word[2:].partition("=")
            options[name].append(rest.pop() if name in names and not sign and rest else value)
        elif len(word) > 1 and word.startswith("-"):
            _cluster(word[1:], letters, rest, options)
        else:
            plain.append(word)
    return Asked(dict(options), plain)


def _cluster(word: str, letters: str, rest: list[str], options: defaultdict[str, list[str]]) -> None:
    for at, letter in enumerate(word):
        if letter in letters:
            value = word[at + 1 :]
            options[letter].append(value or (rest.pop() if rest else ""))
            return
        options[letter].append("")

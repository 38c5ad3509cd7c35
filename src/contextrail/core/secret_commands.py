"""Secrets on command lines that have no name beside them: `mysql -pVALUE`, `curl -u USER:VALUE`. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from contextrail.core.secret_names import (
    is_call,
    is_capital_secret,
    is_made_up,
    is_pin,
    is_reference,
    is_stand_in,
    is_strong,
    telling,
)
from contextrail.core.secret_span import Looked, Secret, lines_with

_SHELL_WORD: Final = (
    r"(?:'(?P<one>[^'\0]{4,200})'|\"(?P<two>(?:[^\"\\\0]|\\.){4,200})\"|(?P<bare>[^\s'\"|;<>\0]{4,200}))"
)
"""A word as a shell reads it."""
_PLAIN: Final = re.compile(
    r"(?:user(?:name)?|password|passwd|pass|pw|pwd|secret|token|example|changeme|redacted|file)\d?|(?-i:[A-Z_]+)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class _Rule:
    """One way to hand over a secret."""

    marks: tuple[str, ...]
    """What a line must hold for the rule to be tried, as a word."""
    pattern: str
    drawn: bool = False
    """The place may hold something else as well: only values that look drawn are secrets."""


_RULES: Final = (
    _Rule(("mysql", "mysqldump", "mysqladmin", "mariadb"), r"(?<=\s)-p" + _SHELL_WORD),
    _Rule(("sshpass",), r"(?<=\s)-p\s{0,5}" + _SHELL_WORD),
    _Rule(("7z", "7za", "rar", "unrar"), r"(?<=\s)-p" + _SHELL_WORD, drawn=True),
    _Rule(("zip", "unzip"), r"(?<=\s)-P\s{0,5}" + _SHELL_WORD, drawn=True),
    _Rule(("docker login", "podman login", "registry login"), r"(?<=\s)-p[ =]{0,5}" + _SHELL_WORD),
    _Rule(("az login",), r"(?<=\s)-p[ =]{1,5}" + _SHELL_WORD),
    _Rule(("mongo", "mongosh", "mongodump", "mongorestore", "mongoexport", "mongoimport"), r"(?<=\s)-p\s{1,5}" + _SHELL_WORD),
    _Rule(("sqlcmd", "bcp"), r"(?<=\s)-P\s{0,5}" + _SHELL_WORD),
    _Rule(("redis-cli",), r"(?<=\s)-a\s{1,5}" + _SHELL_WORD),
    _Rule(("ldapsearch", "ldapmodify", "ldapadd", "ldapwhoami"), r"(?<=\s)-w\s{1,5}" + _SHELL_WORD),
    _Rule(("curl",), r"(?<=\s)(?:-[a-zA-Z]{0,4}[uU]\s{0,5}|--(?:proxy-)?user[ =]\s{0,5})(?P<q>['\"])[^\s:'\"$@/]{1,100}:(?P<pair>[^'\"\n\0]{4,200})(?=['\"])"),
    _Rule(("curl",), r"(?<=\s)(?:-[a-zA-Z]{0,4}[uU]\s{0,5}|--(?:proxy-)?user[ =]\s{0,5})[^\s:'\"$@/]{1,100}:(?P<pair>[^\s'\"\0]{4,200})"),
    _Rule(("http", "https", "xh"), r"(?<=\s)(?:-a|--auth)[ =]{1,3}['\"]?[^\s:'\"$@/]{1,100}:(?P<pair>(?!/)[^\s'\"\0]{4,200})", drawn=True),
    _Rule(("openssl",), r"(?<=\s)-k\s{1,5}" + _SHELL_WORD, drawn=True),
    _Rule(("net user",), r"\buser\s{1,5}[\w.-]{1,60}\s{1,5}" + _SHELL_WORD, drawn=True),
    _Rule(("rclone obscure", "obscure"), r"\bobscure\s{1,5}" + _SHELL_WORD, drawn=True),
    _Rule(("smbclient", "rpcclient"), r"(?<=\s)-U\s{0,5}(?P<q>['\"]?)[^\s%'\"]{1,100}%(?P<pair>[^\s'\"\0]{4,200})"),
    _Rule(("htpasswd",), r"\s-[A-Za-z]{0,5}b[A-Za-z]{0,5}\s+\S{1,200}\s+\S{1,100}\s+" + _SHELL_WORD),
    _Rule(("--password-stdin", "chpasswd", "passwd", "sudo -S"), r"\becho\s{1,5}(?:-n\s{1,5})?(?P<q>['\"]?)(?:[\w.-]{1,60}:)?(?P<pair>[^\s'\"\0|:]{6,200})(?P=q)\s{0,5}\|", drawn=True),
    _Rule(("requirepass", "masterauth"), r"\b(?:requirepass|masterauth)\s{1,20}" + _SHELL_WORD),
    _Rule(("login",), r"\blogin\s{1,20}\S{1,100}\s{1,20}password\s{1,20}" + _SHELL_WORD, drawn=True),
    _Rule(("IDENTIFIED",), r"\bIDENTIFIED\s{1,5}(?:WITH\s{1,5}\S{1,60}\s{1,5})?(?:BY|AS)\s{1,5}" + _SHELL_WORD.split("|(?P<bare>")[0] + ")"),
    _Rule(("Secret Access Key",), r"Secret Access Key(?:\s{0,5}\[[^\[\]\n]{0,60}\])?\s{0,5}:\s{0,5}" + _SHELL_WORD, drawn=True),
)  # fmt: skip
_COMPILED: Final = tuple((rule.marks, re.compile(rule.pattern, re.MULTILINE), rule.drawn) for rule in _RULES)
_ENVIRONMENT: Final = re.compile(
    r"\b(?:ENV|ARG|setx|setenv|set\s{1,3}-[a-zU]{1,3})\s{1,5}(?P<name>[A-Z][A-Z0-9_]{2,60})\s{1,5}"
    + _SHELL_WORD
)
_LINE: Final = 2_000
"""Characters to each side of a mark that belong to its command."""


def in_commands(looked: Looked) -> Iterator[Secret]:
    """Secrets that the command they stand in gives away."""
    text = looked.text
    for marks, pattern, drawn in _COMPILED:
        for mark in filter(looked.may_hold, marks):
            for start, end in lines_with(text, mark, longest=_LINE):
                if _word(text, mark, start, end):
                    yield from _matches(text, pattern, start, end, drawn=drawn)
    yield from _environment(looked)


def _environment(looked: Looked) -> Iterator[Secret]:
    """Values that a Dockerfile, Windows or a shell joins with their names by a blank."""
    text = looked.text
    for mark in filter(looked.may_hold, ("ENV ", "ARG ", "setx ", "setenv ", "set ")):
        for start, end in lines_with(text, mark, longest=_LINE):
            for found in _ENVIRONMENT.finditer(text, start, end):
                group = _group(found)
                if is_capital_secret(found["name"], found[group]):
                    yield Secret("env-value", found.start(group), found.end(group))


def _word(text: str, mark: str, start: int, end: int) -> bool:
    """Whether the mark stands in that line as a word."""
    if not mark[0].isalnum() or not mark[-1].isalnum():
        return True
    return re.search(rf"(?<![\w-]){re.escape(mark)}(?:\.exe)?(?![\w-])", text[start:end]) is not None


def _matches(text: str, pattern: re.Pattern[str], start: int, end: int, *, drawn: bool) -> Iterator[Secret]:
    for found in pattern.finditer(text, start, end):
        group = _group(found)
        value = found[group].rstrip(".,)`]}\\") if group in ("bare", "pair") else found[group]
        if _is_secret(value, drawn=drawn):
            yield Secret("password", found.start(group), found.start(group) + len(value))


def _group(found: re.Match[str]) -> str:
    groups = found.groupdict()
    return next(name for name in ("one", "two", "bare", "pair") if groups.get(name) is not None)


def _is_secret(value: str, *, drawn: bool) -> bool:
    if len(value) < 4 or is_reference(value) or is_stand_in(value) or _PLAIN.fullmatch(value):
        return False
    if value.startswith(("$", "-")) or is_call(value):
        return is_strong(value)
    if is_pin("password", value) and drawn:
        return True
    return not drawn or is_made_up(value) or (is_strong(value) and telling(value, least=6, bits=2.3))

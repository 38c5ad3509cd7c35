"""Secrets in files whose lines have no names: `.pgpass`, `.netrc`, cookies of a browser. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from contextrail.core.secret_cookies import is_cookie
from contextrail.core.secret_names import is_reference, is_stand_in
from contextrail.core.secret_span import Looked, Secret, lines_with, places

_LINE: Final = 2_000
"""Characters to each side of a mark that belong to its line."""
_FIELD: Final = r"(?:[^:\\\s\"'\0]|\\.){1,100}"
_HOST: Final = r"(?:[\w*.-]|\\.){1,100}"
_PGPASS: Final = re.compile(
    rf"(?:^|(?<=[\s\"']))(?:\[[0-9a-fA-F:]{{2,40}}\]|{_HOST}):(?:\d{{4,5}}|\*):{_FIELD}:{_FIELD}:(?P<value>(?:[^:\\\s\"'\0]|\\.){{4,200}})(?=[\s\"']|$)",
    re.MULTILINE,
)
_PORTS: Final = ("432:", ":543", ":6543:", ":*:")
"""What a line of `.pgpass` holds: the usual ports of PostgreSQL and its poolers, or any."""
_NUMBERED: Final = r"(?:\n[ \t]{0,8}(?:\d{1,6}[\t:→|])?)?"
_BLANK: Final = rf"[ \t]{{1,20}}|[ \t]{{0,8}}\r?{_NUMBERED}[ \t]{{0,20}}"
_ENTRY: Final = rf"(?:(?:{_BLANK})(?:login|account|port)(?:{_BLANK})\S{{1,200}})"
_NETRC: Final = re.compile(
    rf"(?:machine(?:{_BLANK})\S{{1,200}}{_ENTRY}{{0,3}}|default{_ENTRY}{{1,3}})"
    rf"(?:{_BLANK})password(?:{_BLANK})(?P<value>[^\s\"'\0]{{4,200}})"
)
_LOGIN: Final = re.compile(
    r"[ \t]{1,20}\S{1,200}[ \t]{0,8}\r?\n[ \t]{0,8}(?:\d{1,6}[\t:→|])?[ \t]{0,20}password[ \t]{1,20}(?P<value>[^\s\"'\0]{4,200})[ \t\r]*(?=\n|$)"
)
_JAR: Final = re.compile(
    r"\t(?:TRUE|FALSE)\t[^\t\n]{1,200}\t(?:TRUE|FALSE)\t\d{1,20}\t(?P<name>[^\t\n]{1,100})\t(?P<value>[^\s\0]{6,4096})"
)
_PLAIN: Final = re.compile(
    r"(?:user(?:name)?|password|passwd|pass|pw|pwd|secret|token|example|changeme|redacted|file|required|optional|field)\d?"
    r"|(?-i:[A-Z_]+)|\*+|\d{1,5}",
    re.IGNORECASE,
)


def in_files(looked: Looked) -> Iterator[Secret]:
    """Secrets that the form of their line gives away."""
    text = looked.text
    for mark in _PORTS:
        if mark.encode() in looked.data:
            for start, end in lines_with(text, mark, longest=_LINE):
                for found in _PGPASS.finditer(text, start, end):
                    yield from _password(found, made=True)
    if looked.may_hold("password"):
        yield from _netrc(looked)
    if b"\tTRUE\t" in looked.data or b"\tFALSE\t" in looked.data:
        yield from _jar(text)


def _netrc(looked: Looked) -> Iterator[Secret]:
    """Passwords of entries that name a machine, and those on the line behind a login."""
    for mark, pattern, behind in (
        ("machine", _NETRC, 0),
        ("default", _NETRC, 0),
        ("login", _LOGIN, len("login")),
    ):
        for at in places(looked.text, mark) if mark.encode() in looked.words else ():
            if found := pattern.match(looked.text, at + behind):
                yield from _password(found, made=mark != "machine")


def _jar(text: str) -> Iterator[Secret]:
    """Cookies as curl and browsers write them down."""
    for mark in ("\tTRUE\t", "\tFALSE\t"):
        for at in places(text, mark):
            found = _JAR.match(text, at)
            if found is not None and is_cookie(found["name"], found["value"]):
                yield Secret("cookie", *found.span("value"))


def _password(found: re.Match[str], *, made: bool) -> Iterator[Secret]:
    """The value, if it can be one. Args: made: It must have more than letters: the line may be something else."""
    value = found["value"]
    if is_reference(value) or is_stand_in(value) or _PLAIN.fullmatch(value):
        return
    if not made or not value.isalpha():
        yield Secret("password", *found.span("value"))

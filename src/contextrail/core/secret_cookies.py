"""Cookies that let somebody in, in headers, in code and on command lines. Pure."""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator
from typing import Final

from contextrail.core.secret_names import is_call, is_reference, is_stand_in, is_strong, is_words, telling
from contextrail.core.secret_span import Looked, Secret, places

_NAME: Final = re.compile(
    r"(?:sess(?:ion)?(?:[._-]?(?:id|token|key|data))?|sid|auth(?:[._-]?\w{1,20})?|token|jwt|remember(?:[._-]?\w{1,20})?|sso|login"
    r"|credential|ticket|identity|\.aspxauth|user_session|access|refresh|id_token|api[._-]?key|secret|passw(?:or)?d|csrf\w{0,10}|xsrf\w{0,10})$"
    r"|sess(?:ion)?id$|[._-](?:sess|session|sid|auth|token)(?:[._-]\w{1,20})?$",
    re.IGNORECASE,
)
_HEADER: Final = re.compile(
    r"s?\\{0,7}[\"']?\]?[ \t]{0,5}[:=(][ \t]{0,5}(?:[{\[]|dict\()?[ \t]{0,5}(?:\\{0,7}[\"'`])?"
)
_OPTION: Final = re.compile(r"(?:-[a-zA-Z]{0,4}b|--cookie)[ =]{0,3}[\"']?(?=[^\s=\"']{1,80}=)")
_PAIR: Final = re.compile(
    r"[\"']?(?P<name>[A-Za-z_.][\w.%-]{0,80})\\{0,7}[\"']?[ \t]{0,3}[=:][ \t]{0,3}(?:\\{0,7}[\"'])?(?P<value>[^\s;,\"'\\<>(){}\[\]\0]{6,4096})"
)
_BETWEEN: Final = re.compile(r"\\{0,7}[\"']?[;,][ \t]{0,3}|[^;,\n\0]{0,200}[;,][ \t]{0,3}")
_MOST: Final = 60
"""Cookies of one header that are looked at."""
_LONG: Final = 20
"""Characters of a value that is drawn, so that it is secret whatever its name."""
_SHORT: Final = 8


def in_cookies(looked: Looked) -> Iterator[Secret]:
    """The values of cookies that let somebody in."""
    text = looked.text
    if b"cookie" in looked.words or b"cookies" in looked.words:
        reached = 0
        for at in places(looked.lowered, "cookie"):
            if at >= reached and (found := _HEADER.match(text, at + len("cookie"))):
                reached = yield from _pairs(text, found.end())
    if b"curl" in looked.words:
        for mark in (" -b", " --cookie", "b '", 'b "'):
            if mark.encode() in looked.data:
                yield from _options(text, mark)


def is_cookie(name: str, value: str) -> bool:
    """Whether a cookie lets somebody in: it has the name of one that does, or a long value that was drawn."""
    if is_stand_in(value) or is_reference(value) or is_call(value) or len(value) < _SHORT:
        return False
    if _NAME.search(name) is None:
        return len(value) >= _LONG and is_strong(value) and telling(value, least=_LONG, bits=3.5)
    return telling(value, least=_SHORT, bits=2.5) and not is_words(value)


def _options(text: str, mark: str) -> Iterator[Secret]:
    for at in places(text, mark):
        start = text.rfind(" ", max(0, at - 6), at + 1) + 1
        line = text.rfind("\n", max(0, at - 400), at)
        if (found := _OPTION.match(text, start)) and "curl" in text[max(line, at - 400, 0) : at]:
            yield from _pairs(text, found.end())


def _pairs(text: str, at: int) -> Generator[Secret, None, int]:
    """The secrets among the pairs from here on; returns where they end."""
    for _ in range(_MOST):
        found = _PAIR.match(text, at)
        if found is not None:
            value = found["value"].rstrip(".")
            if is_cookie(found["name"], value):
                yield Secret("cookie", found.start("value"), found.start("value") + len(value))
            at = found.end()
        between = _BETWEEN.match(text, at)
        if between is None:
            break
        at = between.end()
    return at

"""Secrets by the name that stands beside them, in an object, in code, in files, on command lines, in prose. Pure."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from contextrail.core.secret_names import (
    entropy,
    is_reference,
    is_secret_name,
    is_secret_value,
    is_stand_in,
    is_strong,
    is_token,
    named_kind,
    telling,
)
from contextrail.core.secret_prose import WORDS, is_said, said_kind, told
from contextrail.core.secret_span import Looked, Secret, places
from contextrail.core.secret_values import LONGEST, Beside, Reader
from contextrail.core.secret_weigh import Weigher

_MARKS: Final = ("key", "secret", "token", "pass", "pwd", "credential")
"""What every name of a secret holds, in small letters."""
_DATA: Final = tuple((mark, mark.encode()) for mark in _MARKS)
_REST: Final = re.compile(r"(?:w(?:or)?d\b|phrase\b|code\b|wort\b|s\b|[_-]?id\b)?", re.IGNORECASE)
_TAG: Final = re.compile(r"<(?:[A-Za-z][\w.-]{0,20}:)?$")
_CLOSING: Final = re.compile(r"\\{0,7}[\"']")
_TALKED: Final = re.compile(
    r"(?:user(?:name)?|password|passwd|pass|pw|pwd|secret|token|string|str|text|none|null|required|optional|changeme|file)\d?",
    re.IGNORECASE,
)
"""What stands for a value in the help of a program."""
_LONGEST_NAME: Final = 64
_LEAST: Final = 6
"""Characters: a shorter value cannot be looked for elsewhere without hitting words."""
_NESTED: Final = 4
"""Values inside of a value that was no secret are read so often."""
_HEADER: Final = re.compile(
    r"authorization\\{0,7}[\"']?\s{0,20}[:=]\s{0,20}\\{0,7}[\"']?(?:(?P<scheme>bearer|basic|token|apikey|api-key|key)\s{1,20})?"
    r"(?P<value>[A-Za-z0-9_.+/=~-]{8,4096})",
    re.IGNORECASE,
)
_SCHEME: Final = re.compile(r"[ \t]{1,3}(?P<value>[A-Za-z0-9_.+/~-]{8,4096}={0,2})(?![A-Za-z0-9_+/=~-])")
_AUTH: Final = re.compile(
    r"auth\\{0,7}[\"']?\s{0,20}[:=]\s{0,20}\\{0,7}[\"']?(?P<value>[A-Za-z0-9+/]{8,512}={0,2})(?![A-Za-z0-9+/=])"
)
"""What `docker login` and npm write down: user and password in base64."""
_NUMBER: Final = re.compile(r"\d{6,32}")
_PIN_NAME: Final = re.compile(r"(?:^|[_-]|(?-i:(?<=[a-z])(?=P)))pin(?:[_-]?code)?$", re.IGNORECASE)
_COUNT: Final = re.compile(
    r"(?:^|[_-]|(?-i:(?<=[a-z])(?=P)))(?:password|passwd|passcode|passphrase|pwd)$", re.IGNORECASE
)
"""Names whose values are secret even as numbers."""
_SHORTEST_NUMBER: Final = 4
"""Digits of a PIN."""
_HEADERS: Final = frozenset({"authorization", "proxy-authorization", "cookie", "set-cookie"})
_KEY_WORD: Final = re.compile(r"(?:api|access|secret|private|auth|account|license) $")


def secret_beside(name: str, value: str) -> str | None:
    """The kind of secret that a whole value is because of its name, in an object; None if it is none.

    Args:
        name: A field of an object, or the option before a word of a command, with its dashes.
        value: All of it, without quotes.
    """
    if name.startswith("-") and names_option(name):
        return argument_beside(name.strip("-"), value)
    if kind := number_beside(name, value):
        return kind
    if not _LEAST <= len(value) <= LONGEST:
        return None
    lowered = name.lower()
    if lowered in ("auth", "_auth") and _pair(value):
        return "basic-auth"
    if word := next((word for word in WORDS if word in name), None):
        return said_kind(word) if is_said(word, value) else None
    if not any(mark in lowered for mark in _MARKS) or "\n" in value:
        return None
    name = name[-_LONGEST_NAME:].strip("-") if name == "_authToken" else name[-_LONGEST_NAME:].strip("_-")
    return named_kind(name) if is_secret_name(name) and is_secret_value(name, value) else None


def number_beside(name: str, value: str) -> str | None:
    """The kind of secret that a number, or a text of digits, is because of its name in an object; None if it is none."""
    secret = len(value) >= _SHORTEST_NUMBER and value.isdigit() and len(set(value)) > 1
    return "password" if secret and names_number(name) else None


@lru_cache(maxsize=4096)
def names_number(name: str) -> bool:
    """Whether a number of that name is a secret."""
    return _PIN_NAME.search(name) is not None or (_COUNT.search(name) is not None and is_secret_name(name))


def leads_value(name: str) -> bool:
    """Whether the values of that name are read as a line that it begins: what is secret in them is a part."""
    return name.lower() in _HEADERS


def names_option(word: str) -> str | None:
    """The name of an option whose value is the next word of the command: "password" for `--password`."""
    if not 2 < len(word) <= _LONGEST_NAME or not word.startswith("-"):
        return None
    name = word.strip("-")
    return name if is_secret_name(name) or names_number(name) else None


def argument_beside(name: str, value: str) -> str | None:
    """The kind of secret that a word of a command is because of the option before it; None if it is none."""
    if (
        not _SHORTEST_NUMBER <= len(value) <= LONGEST
        or value.startswith("-")
        or is_stand_in(value)
        or is_reference(value)
    ):
        return None
    if named_kind(name) == "password" and not _TALKED.fullmatch(value) and not re.search(r"\s", value):
        return "password"
    return secret_beside(name, value) or ("env-value" if is_token(value) else None)


def by_name(looked: Looked) -> Iterator[Secret]:
    """Secrets that a name beside them gives away."""
    small = looked.small
    marks = [mark for mark, data in _DATA if data in small]
    yield from _schemes(looked)
    if b"auth" in small:
        yield from _headers(looked.text, looked.lowered)
    for mark in marks:
        yield from _beside(looked, mark)


def _beside(looked: Looked, mark: str) -> Iterator[Secret]:
    text = looked.text
    reader, weigher = Reader(text), Weigher(text)
    nested, reached = 0, 0
    for at in places(looked.lowered, mark):
        nested = nested + 1 if at < reached else 0
        if nested > _NESTED:
            continue
        end = at + len(mark)
        if rest := _REST.match(text, end):
            end = rest.end()
        if text[end : end + 1].isalnum() or text[end : end + 1] in ("_", "-"):
            continue
        start = _name_start(text, at)
        name = text[start:end].strip("-").lstrip("_")
        value = None
        if is_secret_name(name):
            value = _read(reader, text, start, end)
            yield from _judged(looked, weigher, (start, end), value)
        elif mark == "key" and _KEY_WORD.search(looked.lowered, max(0, start - 8), start):
            yield from _found(told(text, looked.lowered, start, end))
        if value is not None and not value.quoted:
            reached = max(reached, value.end)


def _judged(
    looked: Looked, weigher: Weigher, name: tuple[int, int], value: Beside | None
) -> Iterator[Secret]:
    """What is secret beside a name, at `[start, end)`: its value, or what the sentence says."""
    text, (start, end) = looked.text, name
    number = None if value is None else _number(text, end, value)
    if number is None and value is not None and weigher.secret(text[start:end], value):
        yield Secret(named_kind(text[start:end].strip("-").lstrip("_")), value.start, value.end)
        return
    yield from _found(number or told(text, looked.lowered, start, end))


def _found(secret: Secret | None) -> tuple[Secret, ...]:
    return () if secret is None else (secret,)


def _read(reader: Reader, text: str, start: int, end: int) -> Beside | None:
    """The value of the name at `[start, end)`."""
    if end == len(text):
        return None
    if (
        text[end] in "> "
        and text[start - 1 : start] in ("<", ":")
        and _TAG.search(text, max(0, start - 30), start)
    ):
        return reader.tagged(end)
    option = text[start] == "-"
    return reader.beside(end, option=option) or (reader.below(end) if option else None)


def _number(text: str, end: int, value: Beside) -> Secret | None:
    """A number in JSON, which only a string can stand for. Args: end: Of the name."""
    quote = _CLOSING.match(text, end)
    number = text[value.start : value.end]
    if (
        quote is None
        or value.quoted
        or value.how != ":"
        or not _NUMBER.fullmatch(number)
        or len(set(number)) == 1
    ):
        return None
    name = text[_name_start(text, end) : end]
    return Secret("password", value.start, value.end, quote=quote[0]) if names_number(name) else None


def _name_start(text: str, at: int) -> int:
    """Where the name begins that reaches to `at`."""
    start = at
    while start > 0 and at - start < _LONGEST_NAME and (text[start - 1].isalnum() or text[start - 1] in "_-"):
        start -= 1
    return start


def _headers(text: str, lowered: str) -> Iterator[Secret]:
    for at in places(lowered, "authorization"):
        found = _HEADER.match(text, at)
        if found is not None and _is_header(found["scheme"], found["value"]):
            yield Secret("bearer-token", found.start("value"), found.end("value"))
    for at in places(text, "auth"):
        found = _AUTH.match(text, at)
        if found is not None and (at == 0 or text[at - 1] in "\"'_") and _pair(found["value"]):
            yield Secret("basic-auth", found.start("value"), found.end("value"))


def _schemes(looked: Looked) -> Iterator[Secret]:
    """The credential behind "bearer" or "basic", where the name of the header is not beside it."""
    for scheme, kind in (("bearer", "bearer-token"), ("basic", "basic-auth")):
        for at in places(looked.lowered, scheme) if scheme.encode() in looked.words else ():
            found = _SCHEME.match(looked.text, at + len(scheme))
            if found is not None and (
                _pair(found["value"]) if scheme == "basic" else is_token(found["value"])
            ):
                yield Secret(kind, *found.span("value"))


def _is_header(scheme: str | None, value: str) -> bool:
    if is_stand_in(value):
        return False
    if scheme is None:
        return len(value) >= 20 and is_strong(value)
    if scheme.lower() == "basic" and _pair(value):
        return True
    letters = (
        len(value) >= 32
        and value.isalnum()
        and entropy(value) >= 3.5
        and (value.islower() or is_strong(value))
    )
    return len(value) >= 16 and (telling(value, least=16, bits=3.0) or letters)


def _pair(value: str) -> bool:
    """Whether a text is a user and a password in base64, as RFC 7617 joins them."""
    try:
        user, colon, password = base64.b64decode(value, validate=True).decode().partition(":")
    except (binascii.Error, ValueError):
        return False
    return bool(user and colon and password) and (user + password).isprintable()

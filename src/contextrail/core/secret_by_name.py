"""Secrets by the name that stands beside them, in an object, in code, in files, on command lines, in prose. Pure."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator
from typing import Final

from contextrail.core.secret_names import (
    entropy,
    is_bare_value,
    is_pin,
    is_secret_name,
    is_secret_value,
    is_stand_in,
    is_strong,
    named_kind,
    telling,
)
from contextrail.core.secret_span import Secret, places
from contextrail.core.secret_values import LONGEST, Reader
from contextrail.core.secret_weigh import Weigher

_MARKS: Final = ("key", "secret", "token", "pass", "pwd", "credential")
"""What every name of a secret holds, in small letters."""
_DATA: Final = tuple((mark, mark.encode()) for mark in _MARKS)
_REST: Final = re.compile(r"(?:w(?:or)?d\b|phrase\b|code\b|wort\b|s\b|[_-]?id\b)?", re.IGNORECASE)
_TAG: Final = re.compile(r"<(?:[A-Za-z][\w.-]{0,20}:)?$")
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
_AUTH: Final = re.compile(
    r"auth\\{0,7}[\"']?\s{0,20}[:=]\s{0,20}\\{0,7}[\"']?(?P<value>[A-Za-z0-9+/]{8,512}={0,2})(?![A-Za-z0-9+/=])"
)
"""What `docker login` and npm write down: user and password in base64."""
_WORDS: Final = (
    "密码",
    "密碼",
    "口令",
    "密钥",
    "秘钥",
    "密鑰",
    "私钥",
    "令牌",
    "パスワード",
    "비밀번호",
    "contraseña",
    "senha",
)
_SAID: Final = re.compile(
    r"(?:\s{0,5}(?:就是|是|为|為|设为|设置为|改为|改成|重置为)?\s{0,5}(?:=>|[:：=＝])|\s{0,5}(?:就是|是|为|為|设为|设置为|改为|改成|重置为)|(?=[“「『`]))"
    r"\s{0,5}(?P<quote>[“‘「『`\"'])?(?P<value>[^\s\0“”‘’「」『』`\"'，。；、！？：（）【】\u3400-\u9fff\uff00-\uffef]{6,4096})"
)


def secret_beside(name: str, value: str) -> str | None:
    """The kind of secret that a whole value is because of its name, in an object; None if it is none."""
    if not _LEAST <= len(value) <= LONGEST:
        return None
    lowered = name.lower()
    if lowered in ("auth", "_auth") and _pair(value):
        return "basic-auth"
    if word := next((word for word in _WORDS if word in name), None):
        return _said_kind(word) if _is_said(word, value) else None
    if not any(mark in lowered for mark in _MARKS) or "\n" in value:
        return None
    name = name[-_LONGEST_NAME:].strip("-") if name == "_authToken" else name[-_LONGEST_NAME:].strip("_-")
    return named_kind(name) if is_secret_name(name) and is_secret_value(name, value) else None


def by_name(text: str) -> Iterator[Secret]:
    """Secrets that a name beside them gives away."""
    yield from _said(text)
    small = text.encode("utf-8", "surrogatepass").lower()
    marks = [mark for mark, data in _DATA if data in small]
    if not marks and b"auth" not in small:
        return
    lowered = text.lower()
    if len(lowered) != len(text):  # the dotted capital I of Turkish becomes two characters
        lowered = text.replace("\u0130", "I").lower()
    if "auth" in lowered:
        yield from _headers(text, lowered)
    for mark in marks:
        yield from _beside(text, lowered, mark)


def _beside(text: str, lowered: str, mark: str) -> Iterator[Secret]:
    reader, weigher = Reader(text), Weigher(text)
    nested, reached = 0, 0
    for at in places(lowered, mark):
        nested = nested + 1 if at < reached else 0
        if nested > _NESTED:
            continue
        end = at + len(mark)
        if rest := _REST.match(text, end):
            end = rest.end()
        if text[end : end + 1].isalnum() or text[end : end + 1] in ("", "_", "-"):
            continue
        start = _name_start(text, at)
        name = text[start:end].strip("-").lstrip("_")
        if not is_secret_name(name):
            continue
        if (
            text[end] in "> "
            and text[start - 1 : start] in ("<", ":")
            and _TAG.search(text, max(0, start - 30), start)
        ):
            found = reader.tagged(end)
        else:
            found = reader.beside(end, option=text[start] == "-")
        if found is None:
            continue
        if weigher.secret(text[start:end], found):
            yield Secret(named_kind(name), found.start, found.end)
        if not found.quoted:
            reached = max(reached, found.end)


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


def _said(text: str) -> Iterator[Secret]:
    """Secrets behind words for them that are not English."""
    for word in _WORDS:
        for at in places(text, word):
            found = _SAID.match(text, at + len(word))
            if found is None:
                continue
            value = found["value"].rstrip(".,:;)")
            if _is_said(word, value):
                yield Secret(_said_kind(word), found.start("value"), found.start("value") + len(value))


def _said_kind(word: str) -> str:
    return "env-value" if word in ("密钥", "秘钥", "密鑰", "私钥", "令牌") else "password"


def _is_said(word: str, value: str) -> bool:
    if _said_kind(word) == "password":
        return (
            is_bare_value("password", value)
            or is_pin("password", value)
            or (len(value) >= _LEAST and is_strong(value))
        )
    return is_bare_value("secret", value)

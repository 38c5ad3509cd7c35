"""Secrets that a sentence tells: "the password is ...", "use ... as the password", "密码是 ...". Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from contextrail.core.secret_names import (
    is_bare_value,
    is_call,
    is_closed_call,
    is_id,
    is_made_up,
    is_pin,
    is_secret_value,
    is_strong,
    is_token,
    is_token_name,
    is_uuid,
    telling,
)
from contextrail.core.secret_span import Looked, Secret, places

WORDS: Final = (
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
"""Words for a secret that are not English."""
_KEYS: Final = frozenset({"密钥", "秘钥", "密鑰", "私钥", "令牌"})
_BYTES: Final = tuple((word, word.encode()) for word in WORDS[:10])
_LATIN: Final = (("contraseña", b"contrase"), ("senha", b"senha"))
_SAYS: Final = "(?:就是|是|为|為|(?:设置?|改|修改|重置|变更?)(?:为|成|為)了?)"
_OPEN: Final = "[“‘「『`\"'（(]"
_SAID: Final = re.compile(
    rf"(?:\s{{0,5}}{_SAYS}?\s{{0,5}}(?:=>|[:：=＝])|\s{{0,5}}{_SAYS}|(?={_OPEN})|(?P<blank>[ \t]{{1,5}}))"
    rf"\s{{0,5}}(?P<quote>{_OPEN})?(?P<value>[^\s\0“”‘’「」『』`\"'，。；、！？：（）【】\u3400-\u9fff\uff00-\uffef]{{6,4096}})"
)
_AS_SAID: Final = re.compile(
    r"(?P<value>[^\s\0“”‘’「」`\"'，。；、！？：（）\u3400-\u9fff]{6,100})[”’」`\"']?\s{0,3}(?:作为|当作|当成|做为|当|做)[\u3400-\u9fff]{0,6}$"
)
_PASSWORDS: Final = frozenset({"password", "passwd", "passphrase", "passcode", "pwd", "pw"})
_OF: Final = r"(?:[ \t](?:for|of|on|to|in|at)(?:[ \t](?!(?:is|was|to|will|has)\b)[\w.@/-]{1,40}){1,4}?)"
_SET: Final = r"(?:[ \t](?:now|still|currently))?(?:[ \t](?:set|changed|reset|updated|rotated))?(?:[ \t]to)?"
_IS: Final = (
    rf"(?:[ \t](?:is|was|are|be|has been|have been|will be|should be)(?:{_SET})|[ \t]to):?(?=[ \t])"
    r"|[ \t]{1,2}(?:\(|->|[-–—→](?=[ \t]))"
)
_VALUE: Final = r"[ \t]{0,3}[\"'`“‘*]{0,3}(?P<value>[^\s\"'`“”‘’「」\0\u3000-\uffef]{6,4096})"
_TOLD: Final = re.compile(rf"[\"'`]?(?:{_OF}?(?:{_IS})|{_OF}[ \t]{{0,2}}:){_VALUE}", re.IGNORECASE)
_SHORT_TOLD: Final = re.compile(rf"(?:{_OF}?(?:{_IS})|{_OF}?[ \t]{{0,2}}[:=]){_VALUE}", re.IGNORECASE)
_LAST: Final = re.compile(
    r" {1,2}(?P<value>[^\s\"'`“”‘’「」\0\u3000-\uffef]{8,100}?)(?=[.,;)\]]{0,2}(?:\r?$|\0)|[,;)\]])",
    re.MULTILINE,
)
"""A value that nothing joins with its name, at the end of what is said."""
_AS: Final = re.compile(
    r"(?P<value>[^\s\"'`“”‘’\0]{6,100})[\"'`”’]?[ \t]{1,3}as[ \t]{1,3}(?:(?:the|your|my|its|our|a|an)[ \t])?(?:\w{1,20}[ \t])?$",
    re.IGNORECASE,
)
_QUOTED: Final = re.compile(
    r"[ \t](?:is|was|to):?[ \t]{1,3}[\"“`](?P<value>[a-z]{3,20}(?: [a-z]{3,20}){3,9})[\"”`]"
)
_USER: Final = re.compile(
    r"(?:[ \t](?:is|are|with|as)[ \t]{1,3}|[ \t]{0,2}:[ \t]{0,3})[\w.@-]{1,60}(?:[ \t]?/[ \t]?|:)(?P<value>[^\s/\"'`\0]{6,100})"
)
_PIN: Final = re.compile(
    r"(?:[ \t]code)?(?:(?P<quote>\\{0,7}[\"'])[ \t]{0,5}:[ \t]{0,5}|[ \t](?:is|was):?[ \t]{1,3}|:[ \t]{0,3})(?P<value>\d{4,12})(?![\w.,-]*\d)"
)
_BACK: Final = 160
"""Characters before a word that belong to its sentence."""
_PIN_LEAST: Final = 6
"""Digits of a number that a sentence calls a PIN."""


def told(text: str, lowered: str, start: int, end: int) -> Secret | None:
    """The secret that a sentence gives for the word at `[start, end)`, behind it or before it."""
    word = lowered[start:end]
    password = word in _PASSWORDS
    if not password and not is_token_name(word) and not word.endswith("key"):
        return None
    pattern = _SHORT_TOLD if word == "pw" or word.endswith("key") else _TOLD
    if found := pattern.match(text, end) or (_LAST.match(text, end) if password else None):
        value = found["value"].rstrip(".,;:)*")
        named = lowered[max(0, start - len("secret ")) : end].replace(" ", "_")
        if _is_told(word, value, password=password) or _is_told_uuid(named, value):
            kind = "password" if password else "env-value"
            return Secret(kind, found.start("value"), found.start("value") + len(value))
    if not password:
        return None
    if (found := _QUOTED.match(text, end)) and is_secret_value(word, found["value"]):
        return Secret("password", *found.span("value"))
    return _told_before(text, lowered, start, word)


def _told_before(text: str, lowered: str, start: int, word: str) -> Secret | None:
    """The password of "use ... as the password"."""
    begin = max(0, start - _BACK)
    if " as " not in lowered[max(begin, start - 40) : start]:
        return None
    found = _AS.search(text[begin:start])
    if found is None or not _is_told(word, found["value"], password=True):
        return None
    return Secret("password", begin + found.start("value"), begin + found.end("value"))


def _is_told_uuid(named: str, value: str) -> bool:
    """Whether a UUID is told as a credential: "the api key is ..."."""
    return is_uuid(value) and not is_id(named, value) and telling(value, least=_PIN_LEAST, bits=2.5)


def _is_told(word: str, value: str, *, password: bool) -> bool:
    if not password:
        return is_token(value)
    if is_call(value) or is_closed_call(value):
        return False
    return (
        is_made_up(value) or is_pin(word, value) or (is_strong(value) and telling(value, least=6, bits=2.5))
    )


def in_prose(looked: Looked) -> Iterator[Secret]:
    """Secrets beside words that are no names: other languages, "credentials", "pw", "PIN"."""
    yield from _said(looked)
    text, words = looked.text, looked.words
    if b"pw" in words:
        for at in places(looked.lowered, "pw"):
            if not _inside_word(text, at, at + 2) and (found := told(text, looked.lowered, at, at + 2)):
                yield found
    if b"pin" in words:
        yield from _pins(text, looked.lowered)
    for word in ("credentials", "creds", "login"):
        if word.encode() in words:
            for at in places(looked.lowered, word):
                user = _USER.match(text, at + len(word))
                if user is not None and is_made_up(value := user["value"].rstrip(".,;:)")):
                    yield Secret("password", user.start("value"), user.start("value") + len(value))


def _inside_word(text: str, start: int, end: int) -> bool:
    return text[max(0, start - 1) : start].isalnum() or text[end : end + 1].isalnum()


def _pins(text: str, lowered: str) -> Iterator[Secret]:
    for at in places(lowered, "pin"):
        if _inside_word(text, at, at + 3) or (found := _PIN.match(text, at + 3)) is None:
            continue
        value, quote = found["value"], found["quote"] or ""
        if len(set(value)) > 1 and (quote or len(value) >= _PIN_LEAST):
            yield Secret("password", *found.span("value"), quote=quote)


def _said(looked: Looked) -> Iterator[Secret]:
    """Secrets behind words for them that are not English."""
    there = [word for word, data in _BYTES if data in looked.beyond]
    there += [word for word, part in _LATIN if part in looked.words]
    text = looked.text
    for word in there:
        for at in places(text, word):
            found = _SAID.match(text, at + len(word))
            if found is not None:
                value = found["value"].rstrip(".,:;)")
                blank = found["blank"] is not None and found["quote"] is None
                if is_made_up(value) if blank else is_said(word, value):
                    yield Secret(said_kind(word), found.start("value"), found.start("value") + len(value))
                    continue
            before = max(0, at - _BACK)
            if (
                text[max(0, at - 1) : at] in ("为", "作", "成", "当", "做")
                and (found := _AS_SAID.search(text[before:at]))
                and is_said(word, found["value"])
            ):
                yield Secret(said_kind(word), before + found.start("value"), before + found.end("value"))


def said_kind(word: str) -> str:
    """The kind of secret that such a word names."""
    return "env-value" if word in _KEYS else "password"


def is_said(word: str, value: str) -> bool:
    """Whether a value that stands with such a word is secret."""
    if word in _KEYS:
        return is_bare_value("secret", value) or is_token(value)
    return (
        is_bare_value("password", value)
        or is_pin("password", value)
        or is_made_up(value)
        or (len(value) >= _PIN_LEAST and is_strong(value))
    )

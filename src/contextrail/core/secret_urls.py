"""Passwords and tokens in URLs, before the host and in the query. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from contextrail.core.secret_names import (
    is_reference,
    is_secret_name,
    is_stand_in,
    is_strong,
    is_uuid,
    is_words,
    telling,
)
from contextrail.core.secret_span import Looked, Secret, places

_URL: Final = re.compile(r"://(?P<user>[^\s:/@\"'<>\[\]\0]{0,200}):(?P<rest>[^\s\"'\0]{3,400})")
_TOKEN: Final = re.compile(r"://(?P<value>[A-Za-z0-9_~-]{20,255})@(?=[A-Za-z0-9])")
_HOST: Final = re.compile(
    r"@(?:[A-Za-z0-9_-]+(?P<dot>(?:\.[A-Za-z0-9_-]+)*)|\[[0-9a-fA-F:]+\]|\$?\{[^{}\s]{1,60}\})"
    r"(?P<port>:(?:\d{1,5}|\$\{[^{}\s]{1,60}\}))?(?=[/?#,;`)\]}>\\]|\.?$|[.,:]$)"
)
_PORT: Final = re.compile(r"\d{1,5}(?:[/?#,]|$)")
_VERSION: Final = re.compile(r"@v?\d+(?:\.\d+)*(?:[/?#]|$)")
_STAND_IN: Final = re.compile(
    r"(?:password|passwd|pass|pw|pwd|secret|token|your[_-]?\w+|example|changeme|redacted|\*+|x{3,}|\d{1,5})",
    re.IGNORECASE,
)


_QUERY: Final = re.compile(
    r"[?&#](?:amp;)?(?P<name>[A-Za-z][\w.%-]{0,60})=(?P<value>[A-Za-z0-9_.~%+/:|-]{8,4096}={0,2})(?![(\[{])"
)
_ESCAPED: Final = re.compile(_QUERY.pattern.replace("[?&#](?:amp;)?", r"\\{1,4}u0026", 1))
_ENTRY: Final = re.compile(
    r"(?:^|[_.-])(?:token|jwt|auth|sig|signature|sas|ticket|sid|sess(?:ion)?(?:[_-]?id)?|j?sessionid|phpsessid|key|apikey|secret|code|hmac|hash_key)$"
    r"|token$|signature$",
    re.IGNORECASE,
)
"""What may let somebody in, at the end of the name of a parameter."""
_WEAK_NAME: Final = re.compile(r"(?:code|key|auth|session|sess)$", re.IGNORECASE)
"""Names that stand for much else as well."""
_DIGEST: Final = re.compile(
    r"(?=[a-f]*[0-9])(?=[0-9]*[a-f])[0-9a-f]{16,128}|(?=[A-F]*[0-9])(?=[0-9]*[A-F])[0-9A-F]{16,128}"
)
_LEAST_TOKEN: Final = 16
_LEAST_CODE: Final = 20


def in_urls(looked: Looked) -> Iterator[Secret]:
    """The passwords of URLs, a token that stands for user and password, and tokens and signatures in queries."""
    yield from _queries(looked)
    if b"@" in looked.data:
        yield from _passwords(looked.text)


def _queries(looked: Looked) -> Iterator[Secret]:
    for mark, pattern in (("?", _QUERY), ("&", _QUERY), ("#", _QUERY), ("\\u0026", _ESCAPED)):
        if mark.encode() not in looked.data:
            continue
        for at in places(looked.text, mark):
            found = pattern.match(looked.text, at)
            if found is not None and _is_entry(found["name"], value := found["value"].rstrip(".:")):
                yield Secret("url-token", found.start("value"), found.start("value") + len(value))


def _is_entry(name: str, value: str) -> bool:
    """Whether a parameter of a URL lets somebody in."""
    if _ENTRY.search(name) is None or (name.lower().endswith(("token", "key")) and not _names_entry(name)):
        return False
    if is_stand_in(value) or is_reference(value):
        return False
    weak = _WEAK_NAME.search(name) is not None and not is_secret_name(name)
    if is_uuid(value):
        return not weak
    if _DIGEST.fullmatch(value):
        return not weak or len(value) >= _LEAST_CODE
    if weak:
        return is_strong(value) and telling(value, least=_LEAST_CODE, bits=3.3)
    return telling(value, least=_LEAST_TOKEN, bits=3.0) and not is_words(value)


def _names_entry(name: str) -> bool:
    """Whether a name that ends as that of a token or key is one: `page_token` and `sort_key` are none."""
    return is_secret_name(name) or name.lower() == "key"


def _passwords(text: str) -> Iterator[Secret]:
    for at in places(text, "://"):
        if token := _TOKEN.match(text, at):
            if is_strong(token["value"]):
                yield Secret("url-password", token.start("value"), token.end("value"))
        elif (match := _URL.match(text, at)) and (end := _end(match["rest"])):
            value = match["rest"][:end]
            if not is_reference(value) and not _STAND_IN.fullmatch(value):
                yield Secret("url-password", match.start("rest"), match.start("rest") + end)


def _end(rest: str) -> int:
    """Where the password ends in what stands behind `://user:`; 0 if none stands there.

    A password may hold `@` and `/` against the rules for URLs. It goes to the last `@` with a host behind it; a host
    behind a slash has a dot or a port, or it is a name in the path.
    """
    rest = rest.partition("://")[0]
    first = rest.find("@")
    if first < 0 or _PORT.match(rest):
        return 0
    found = 0
    for host in _HOST.finditer(rest):
        at = host.start()
        path = found and "/" in rest[found:at]
        if found and (rest[at - 1] == "/" or _query(rest, found, at) or _VERSION.match(rest, at)):
            continue
        if not path or host["dot"] or host["port"] or rest.startswith("localhost", at + 1):
            found = at
    if found == 0 and "/" not in rest[:first] and rest[first + 1 : first + 2]:
        found = first
    return found if found >= 3 else 0


def _query(rest: str, found: int, at: int) -> bool:
    """Whether a question mark with names and values stands between two places."""
    return re.search(r"[?&][\w.-]{1,40}=", rest[found:at]) is not None

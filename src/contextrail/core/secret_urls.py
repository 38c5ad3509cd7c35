"""Passwords and tokens in URLs, before the host. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from contextrail.core.secret_names import is_reference, is_strong
from contextrail.core.secret_span import Secret, places

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


def in_urls(text: str) -> Iterator[Secret]:
    """The passwords of URLs; a token that stands for user and password as well."""
    if "@" not in text:
        return
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

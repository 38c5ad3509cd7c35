"""Values that a name calls secret: which names do, and what stands beside them in code instead. Pure."""

from __future__ import annotations

import math
import re
from collections import Counter
from itertools import pairwise
from typing import Final

from contextrail.core.secret_forms import KNOWN_EXAMPLES

_SECRET_NAME: Final = re.compile(
    r"(?:api|access|secret|secret[_-]?access|private|encryption|encrypt|signing|account|master|license|ssh|webhook)[_-]?key(?:[_-]?id)?$"
    r"|(?:openai|azure|anthropic|gemini|google|mistral|cohere|groq|deepseek|openrouter|stripe|sendgrid|mailgun|pinecone|service|storage|shared"
    r"|hmac|jwt|auth|session|cookie)[_-]?key$|secret$|token$|passw(?:or)?d$|passphrase$|pwd$|credentials?$",
    re.IGNORECASE,
)
"""Names whose values are secret in an environment: `NAME=value`, in capitals."""
_CONFIG_NAME: Final = re.compile(
    r"(?:api[_-]?key|secret|secret[_-]?(?:access[_-]?)?key|private[_-]?key|passw(?:or)?d|passphrase|pwd)$",
    re.IGNORECASE,
)
"""Names whose quoted values are secret wherever they stand. Tokens of a session are not among them: agents pass them on."""
_BARE_NAME: Final = re.compile(
    r"(?:(?:api|access|account|secret|secret[_-]?access|private|encryption|signing)[_-]?key"
    r"|(?:access|auth|refresh|bearer|bot|api|secret|oauth)[_-]?token|secret|passw(?:or)?d|passphrase|pwd)$",
    re.IGNORECASE,
)
"""Names whose values are secret without quotes as well: in ini files, YAML, properties, on command lines."""
_NOT_SECRET_NAME: Final = re.compile(
    r"(?:page|next|prev|continuation|cursor|sync|max|min|num|input|output|prompt|completion|total|cached?|reasoning|eos|bos|pad|unk|sep|cls|"
    r"mask|stop|special|csrf|public|primary|foreign|sort|partition|idempotency|cache|trace|request|access_key_last)[_.-]?(?:\w+[_.-])?(?:token|key|id)s?$",
    re.IGNORECASE,
)
_UPPER_NAME: Final = re.compile(r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*")
_UUID: Final = re.compile(r"[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}")
_CODE: Final = re.compile(
    r"^(?:\$[({\[]|\$[A-Za-z_]\w*$|%[A-Z_]+%$|%[sdr]$|%\(|@[a-z_.]+$|#\{|\*+$|[xX]{3,}|\.{1,2}/|_+$|-+$|[=!]=|~|/[a-z0-9._-]*(?:/[a-z0-9._-]+)*/?$|http|os\."
    r"|self\.|process\.|env\.|settings\.|config\.|request\.|str$|None$|null$|true$|false$"
    r"|undefined$|string$|bytes$|int$|Optional|Final|ENC|vault:|arn:|projects/|ref:|secrets?\.|var\.|local\.|data\.)"
    r"|^[A-Za-z_]\w{0,30}(?:\.[A-Za-z_]\w{0,30})+$|^[a-z]+(?:[A-Z][a-z]+)+$|^[a-z_]+$|^[A-Z_]+$|^[A-Za-z]+$|\.\.\.|…",
)
_STAND_IN: Final = re.compile(
    r"(?:^|[^A-Za-z0-9])(?:your|my|example|sample|dummy|fake|placeholder|changeme|change[_-]me|redacted|removed|hidden|todo|insert|replace"
    r"|test[_-]?(?:key|token|secret))(?![A-Za-z0-9])|(?-i:x{4,}|X{4,})|\*{3}"
    r"|^(?:password123?|secret[_-]?(?:key|value|here)?)$|(?:^|[^A-Za-z0-9])here$",
    re.IGNORECASE,
)
"""What people write where a secret would stand. As whole words: any letters may meet in a real one."""
_BEHIND_BARE: Final = re.compile(
    r"[\"'`,&]|\\[nrt\"']|</|<br|;(?![ \t]*[A-Za-z]+\()|[ \t]*(?:[\r\n#]|$)"
    r"|[ \t]+(?!(?:[+*%?|&=!<>(\[]|/(?!/)|(?:if|or|and|else|for|in|not|is)\b))",
)
"""What may stand behind a value without quotes. Operators and brackets make it an expression."""
_NO_BARE: Final = re.compile(
    r"[$<>{}()\[\]]|://|^[=:*?!#@]|^~/|^\.{1,2}/|^--|^%.*%$|^sha\d+[:-]|^\d{4}-\d\d-\d\d"
    r"|(?:^|[^A-Za-z0-9])(?:none|null|true|false|undefined|placeholder|password123?|secret123?)(?![A-Za-z0-9])",
    re.IGNORECASE,
)
_DOTTED: Final = re.compile(r"[A-Za-z_]\.[A-Za-z_]|\.[A-Za-z]{2,5}\d?$")
"""An attribute of a program, or the name of a file."""
_TECHNICAL: Final = re.compile(
    r"sha\d{1,3}|md5|base\d\d|b64|utf\d{1,2}|oauth2|x509|pkcs\d{1,2}|p12|ed25519|x25519|secp\d{3}[kr]1|pbkdf2|argon2|aes\d{3}"
    r"|rsa\d{4}|(?<![a-z])(?:s3|ec2|k8s|v\d|(?:u|i)(?:8|16|32|64))(?![a-z0-9]*\d)",
    re.IGNORECASE,
)
"""Words that have a digit."""
_WORDS: Final = re.compile(
    r"[A-Za-z]?[a-z]*(?:[A-Z][a-z]+)*[A-Z]*\d{0,2}"
    r"|(?:[A-Za-z]+\d{0,3}|\d{1,4})?(?:[_./-]+(?:[A-Za-z]+\d{0,3}|\d{1,4})?)+",
)
"""An identifier or a path: words, in one or apart, with a number behind."""
_RUN: Final = 8
"""Characters in the order of the alphabet or of the digits that nobody draws at random."""
_PREFIX: Final = re.compile(r"(?:[A-Za-z]{2,6}[-_]){0,2}")


def named_kind(name: str) -> str:
    """The kind of a secret that this name gives away."""
    folded = name.casefold()
    return "password" if "pass" in folded or folded.endswith("pwd") else "env-value"


def is_secret_value(name: str, value: str) -> bool:
    """Whether a whole or quoted value beside that name is a secret, and not code, a reference, or an example."""
    if is_capital_secret(name, value):
        return True
    if _CONFIG_NAME.search(name) is None:
        return False
    password = named_kind(name) == "password"
    long = telling(value, least=8 if password else 20, bits=2.5 if password else 3.3)
    return (long and _may_be_secret(name, value)) or is_bare_value(name, value)


def is_capital_secret(name: str, value: str) -> bool:
    """Whether a value is a secret because of a name in capitals, as in an environment."""
    if (
        _UPPER_NAME.fullmatch(name) is None
        or _SECRET_NAME.search(name) is None
        or not _may_be_secret(name, value)
    ):
        return False
    password = named_kind(name) == "password"
    return telling(value, least=6 if password else 12, bits=2.5 if password else 3.0)


def _may_be_secret(name: str, value: str) -> bool:
    names = _NOT_SECRET_NAME.search(name) is not None or _UUID.fullmatch(value) is not None
    return not names and _CODE.search(value) is None and not is_stand_in(value)


def telling(value: str, *, least: int, bits: float) -> bool:
    """Whether a value is long and varied enough, with letters and digits or signs."""
    digits = any(char.isdigit() for char in value)
    letters = any(char.isalpha() for char in value)
    signs = any(not char.isalnum() and char not in "._-/" for char in value)
    return len(value) >= least and letters and (digits or signs) and entropy(value) >= bits


def is_bare_value(name: str, value: str) -> bool:
    """Whether a value without quotes beside that name is a secret, and not code. Names in any case."""
    if _BARE_NAME.search(name) is None or _NOT_SECRET_NAME.search(name):
        return False
    least = 2.5 if named_kind(name) == "password" else 2.75
    return 8 <= len(value) <= 512 and entropy(value) >= least and _is_drawn(value)


def ends_bare(text: str, end: int) -> bool:
    """Whether what stands at `end` may stand behind a value without quotes."""
    return _BEHIND_BARE.match(text, end) is not None


def is_stand_in(value: str) -> bool:
    """Whether a value is what people write where a secret would stand."""
    return value in KNOWN_EXAMPLES or _STAND_IN.search(value) is not None or _is_run(value)


def _is_run(value: str) -> bool:
    """Whether a value is nothing but `abcdefgh...` and `12345678...`, behind a prefix."""
    folded = value[_PREFIX.match(value).end() :].lower()  # type: ignore[union-attr]  # matches nothing as well
    runs: list[int] = []
    before = ""
    for char in folded:
        if not char.isalnum():
            before = ""
        elif before and (ord(char) == ord(before) + 1 or before + char == "90"):
            runs[-1] += 1
            before = char
        else:
            runs.append(1)
            before = char
    return bool(runs) and min(runs) >= 3 and max(runs) >= _RUN


def _is_drawn(value: str) -> bool:
    """Whether a value without quotes was drawn or made up by somebody, and is no identifier, path or number."""
    if _NO_BARE.search(value) or _UUID.fullmatch(value) or is_stand_in(value):
        return False
    if _looks_random(value):
        return True
    if _DOTTED.search(value) or _WORDS.fullmatch(_TECHNICAL.sub("x", value)):
        return False
    return any(char.isdigit() for char in value) and any(char.isalpha() for char in value)


def _looks_random(value: str) -> bool:
    """Whether a long value is drawn whatever its signs: capitals stand together and apart as in no name of a program."""
    pairs = list(pairwise(value))
    together = sum(a.isupper() and b.isupper() for a, b in pairs)
    apart = sum(a.islower() and b.isupper() for a, b in pairs)
    numbers = sum(a.isalpha() and b.isdigit() for a, b in pairs)
    drawn = len(value) >= 20 and together >= 3 and apart >= 3 and entropy(value) >= 3.5
    return drawn and (numbers >= 3 or _DOTTED.search(value) is None)


def entropy(text: str) -> float:
    """Shannon entropy of the characters of a text, in bits a character; 0 for an empty one."""
    length = len(text)
    return -sum(n / length * math.log2(n / length) for n in Counter(text).values()) if length else 0.0

"""Values that a name calls secret: which names do, and what stands beside them in code instead. Pure."""

from __future__ import annotations

import math
import re
from functools import lru_cache
from typing import Final

from contextrail.core.secret_forms import KNOWN_EXAMPLES
from contextrail.core.secret_phrases import is_drawn_phrase, is_joined_phrase

_SECRET_NAME: Final = re.compile(
    r"(?:api|access|secret|secret[_-]?access|private|encryption|encrypt|signing|account|master|license|ssh|webhook|subscription)[_-]?key(?:[_-]?id)?$"
    r"|(?:openai|azure|anthropic|gemini|google|mistral|cohere|groq|deepseek|openrouter|stripe|sendgrid|mailgun|pinecone|service|storage|shared"
    r"|hmac|jwt|auth|session|cookie)[_-]?key$|secret$|token$|passw(?:or)?d$|passphrase$|pwd$|credentials?$|(?:^|[_-])pass(?:code|wort)?$",
    re.IGNORECASE,
)
"""Names whose values are secret in an environment: `NAME=value`, in capitals."""
_CONFIG_NAME: Final = re.compile(
    r"(?:api[_-]?key|secret|secret[_-]?(?:access[_-]?)?key|private[_-]?key|passw(?:or)?d|passwort|passphrase|passcode|pwd"
    r"|aws[_-]?session[_-]?token|(?:^|[_-]|(?-i:(?<=[a-z])(?=P)))pass)$",
    re.IGNORECASE,
)
"""Names whose quoted values are secret wherever they stand. Tokens of a session are not among them: agents pass them on."""
_BARE_NAME: Final = re.compile(
    r"(?:(?:api|access|account|secret|secret[_-]?access|private|encryption|signing|subscription)[_-]?key"
    r"|(?:access|auth|refresh|bearer|bot|api|secret|oauth|aws[_-]?session)[_-]?token|secret|passw(?:or)?d|passwort|passphrase|passcode|pwd"
    r"|(?:^|[_-]|(?-i:(?<=[a-z])(?=P)))pass)$",
    re.IGNORECASE,
)
"""Names whose values are secret without quotes as well: in ini files, YAML, properties, on command lines."""
_NOT_SECRET_NAME: Final = re.compile(
    r"(?:(?<![A-Za-z])|(?-i:(?<=[a-z])(?=[A-Z])))"
    r"(?:page|next(?:page)?|prev|continuation|cursor|sync|max|min|num|input|output|prompt|completion|total|cached?|reasoning|eos|bos|pad|unk|sep|cls|"
    r"mask|stop|special|csrf|xsrf|starting|delta|resume|change|fencing|cancell?ation|position|offset|skip|scroll|paging|pagination|marker|previous|iteration|client|lifecycle|last|count|public|primary|foreign|sort|partition|idempotency|cache|trace|request|access_key_last)[_.-]?(?:\w+[_.-])?(?:token|key|id)s?$"
    r"|^(?:last|count|num|max|min)[_-]?passw(?:or)?d$",
    re.IGNORECASE,
)
_UPPER_NAME: Final = re.compile(r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*")
_UUID: Final = re.compile(r"[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}")
_UUID_NAME: Final = re.compile(
    r"(?:(?:api|secret|secret[_-]?access|private|auth|license)[_-]?key"
    r"|(?:client|app|application|api|consumer|webhook|shared|oauth2?|jwt|auth|session|hmac|signing|service|bot)[_-]?secret"
    r"|passw(?:or)?d|passwort|passphrase|passcode|pwd|(?-i:[A-Z0-9]_SECRET|[A-Z0-9]_TOKEN|^SECRET)|^_authtoken)$",
    re.IGNORECASE,
)
"""Names that only a credential has: also a UUID is secret beside one."""
_ID_TOKEN: Final = re.compile(
    r"(?:^|_)(?:LOCK|LEASE|SESSION|CORRELATION|TRACKING|TRANSACTION|RUN|JOB|TASK|CONVERSATION|MESSAGE|EVENT|OPERATION|VERSION|BATCH|SNAPSHOT|RETRY|DEDUP)_TOKEN$"
)
"""Names in capitals of tokens that tell one thing from another."""
_CODE: Final = re.compile(
    r"^(?:%[A-Z_]+%$|required\||%[sdr]$|%\(|@[a-z_.]+$|#\{|\*+$|[xX]{3,}|\.{1,2}/|_+$|-+$|[=!]=|~|/[a-z0-9._-]*(?:/[a-z0-9._-]+)*/?$|http|os\."
    r"|self\.|process\.|env\.|settings\.|config\.|request\.|str$|None$|null$|true$|false$"
    r"|undefined$|string$|bytes$|int$|Optional|Final|ENC|vault:|arn:|projects/|ref:|secrets?\.|var\.|local\.|data\.)"
    r"|^[A-Za-z_]\w{0,30}(?:\.[A-Za-z_]\w{0,30})+$|^[a-z]+(?:[A-Z][a-z]+)+$|^[a-z_]+$|^[A-Z_]+$|^[A-Za-z]+$|\.\.\.|…",
)
_STAND_IN: Final = re.compile(
    r"(?:^|[^A-Za-z0-9])(?:your|my|example|sample|dummy|fake|placeholder|changeme|change[_-]me|redacted|removed|hidden|todo|insert|replace"
    r"|test[_-]?(?:key|token|secret))(?![A-Za-z0-9])|(?-i:x{4,}|X{4,})|\*{3}"
    r"|^(?:password\d{0,3}|secret[_-]?(?:key|value|here)?)$|(?:^|[^A-Za-z0-9])here$",
    re.IGNORECASE,
)
"""What people write where a secret would stand. As whole words: any letters may meet in a real one."""
_BEHIND_BARE: Final = re.compile(
    r"[\"'`,&]|\\[nrt\"']|</|<br|;(?![ \t]*[A-Za-z]+\()|[ \t]*(?:[\r\n#]|$)"
    r"|[ \t]+(?!(?:[+*%?|&=!<>(\[]|/(?!/)|(?:if|or|and|else|for|in|not|is)\b))",
)
"""What may stand behind a value without quotes. Operators and brackets make it an expression."""
_NO_BARE: Final = re.compile(
    r"://|^required\b|^[=:*?!#@&|>]|->|^~/|^\.{1,2}/|^--|^%.*%$|^sha\d+[:-]|^\d{4}-\d\d-\d\d"
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
    r"|(?:[A-Za-z]+\d{0,3}|\d{1,4})?(?:[_./-](?:[A-Za-z]+\d{0,3}|\d{1,4})?)+",
)
"""An identifier or a path: words, in one or apart, with a number behind."""
_FEWEST: Final = 3
"""Changes, different digits, words, letters of a word."""
_SHORT: Final = 4
"""Characters: a letter and a digit or two are no name of a function."""
_LONGEST: Final = 4096
_SHORTEST: Final = 6
_MADE_UP_BITS: Final = 2.3
_TOKEN_BITS: Final = 3.0
_TOKEN_HEX: Final = re.compile(
    r"(?=[0-9]*[a-f])(?=[a-f]*[0-9])[0-9a-f]{32,128}|(?=[0-9]*[A-F])(?=[A-F]*[0-9])[0-9A-F]{32,128}"
)
_ONE_WORD: Final = re.compile(r"[A-Za-z0-9_.~+/=%|:-]+")
_BLANK: Final = re.compile(r"\s")
_DIGIT: Final = re.compile(r"\d")
_LETTER: Final = re.compile(r"[^\W\d_]")
_DIGIT_OR_SIGN: Final = re.compile(r"[^\w./-]|\d")
_KINDS: Final = re.compile(r"(?:[^\W\d]|[./: -])+|\d+|[^\w./: -]+")
_TOGETHER: Final = re.compile(r"[A-Z](?=[A-Z])")
_CAMEL: Final = re.compile(r"[a-z](?=[A-Z])")
_NUMBERS: Final = re.compile(r"[A-Za-z](?=\d)")
_LEAST_RANDOM: Final = 20
"""Characters: a shorter value is not told by its capitals."""
_RUN: Final = 8
"""Characters in the order of the alphabet or of the digits that nobody draws at random."""
_PREFIX: Final = re.compile(r"(?:[A-Za-z]{2,6}[-_]){0,2}")


_REFERENCE: Final = re.compile(
    r"\$?\{.*\}?$|\$[(\[]|<[^<>]*>$|\(.*\)$|\[.*\]$|<[%?]|#\{|%[({]|%[A-Za-z_]+%$|`|\$[A-Za-z_]\w*(?:->|\[|\.|::)|\$\d?$|\*+$|[xX]{3,}$|\.{3}"
    r"|.*(?:\$\{[\w.:-]+\}|\{\{|\$\([\w ]+\))",
    re.DOTALL,
)
"""A variable, the output of a command, or a value that somebody took out already."""
_VARIABLE: Final = re.compile(r"\$(?:env:)?([A-Za-z_]\w*)$")
_CALL: Final = re.compile(r"(?:await |new )?[A-Za-z_$@][\w.:>$?!-]*(?=[(\[{])")
_PIN: Final = re.compile(r"\d{6,32}")
_MEASURE: Final = re.compile(r"[\d.,/:%+-]+[A-Za-z%]{0,3}|[0-9a-f]+")


@lru_cache(maxsize=4096)
def is_secret_name(name: str) -> bool:
    """Whether values of that name can be secret at all."""
    known = _SECRET_NAME.search(name) or _CONFIG_NAME.search(name) or _BARE_NAME.search(name)
    return known is not None and _NOT_SECRET_NAME.search(name) is None


@lru_cache(maxsize=4096)
def _is_capital_name(name: str) -> bool:
    return (
        _UPPER_NAME.fullmatch(name) is not None
        and _SECRET_NAME.search(name) is not None
        and is_secret_name(name)
    )


@lru_cache(maxsize=4096)
def _is_config_name(name: str) -> bool:
    return _CONFIG_NAME.search(name) is not None and is_secret_name(name)


@lru_cache(maxsize=4096)
def _is_bare_name(name: str) -> bool:
    return _BARE_NAME.search(name) is not None and is_secret_name(name)


def is_reference(value: str) -> bool:
    """Whether a value only says where the secret stands: `$NAME`, `${NAME}`, `<name>`, `$(command)`."""
    if variable := _VARIABLE.match(value):
        return is_words(variable[1])
    return _REFERENCE.match(value) is not None


def is_call(value: str) -> bool:
    """Whether a value is a call or an index: words, and a bracket behind them."""
    head = _CALL.match(value)
    words = [] if head is None else [word for word in re.split(r"\W+", head[0]) if word]
    return head is not None and all(
        is_words(word) and (len(word) > _SHORT or word.isalpha()) for word in words
    )


def is_closed_call(value: str) -> bool:
    """Whether a value has the form of a call or an index, whatever its name."""
    return value[-1:] in ")]}" and _CALL.match(value) is not None


def is_pin(name: str, value: str) -> bool:
    """Whether a value is a password of digits only."""
    if _PIN.fullmatch(value) is None or named_kind(name) != "password" or not is_secret_name(name):
        return False
    return len(set(value)) >= _FEWEST and not _is_run(value)


def is_uuid(value: str) -> bool:
    """Whether a value is a UUID, which most names call an id; see `is_id`."""
    return _UUID.fullmatch(value) is not None


def is_id(name: str, value: str) -> bool:
    """Whether a value is a UUID, and its name can be that of an id: all but those that only a credential has."""
    return is_uuid(value) and not _names_credential(name)


@lru_cache(maxsize=4096)
def _names_credential(name: str) -> bool:
    return _UUID_NAME.search(name) is not None and _ID_TOKEN.search(name) is None and is_secret_name(name)


def is_measure(value: str) -> bool:
    """Whether a value can be a time, a count, or the id of a commit: what stands behind `pass:` in a report."""
    return _MEASURE.fullmatch(value) is not None


def is_strong(value: str) -> bool:
    """Whether letters, digits and signs of a value change places as in no word, name or path."""
    if is_stand_in(value) or is_reference(value):
        return False
    return _looks_random(value) or (not is_words(value) and _changes(value) >= _FEWEST)


def is_phrase(name: str, value: str) -> bool:
    """Whether a quoted value with blanks is a password: parts that are strong, or words that make no sentence."""
    words = value.split()
    if named_kind(name) != "password" or len(words) > 10 or not value.isascii():
        return False
    drawn = sum(len(word) for word in words if is_strong(word) and not is_call(word))
    return drawn * 2 >= sum(map(len, words)) or (is_drawn_phrase(value) and not is_stand_in(value))


def is_token_name(name: str) -> bool:
    """Whether a name is that of a token that lets somebody in, and not of a place in a list or a piece of a text."""
    return name.lower().endswith(("token", "_jwt")) and is_secret_name(name)


def is_token(value: str) -> bool:
    """Whether a value has the length and the look of a token: long and hexadecimal, or drawn. A UUID is an id."""
    if _TOKEN_HEX.fullmatch(value) is not None:
        return entropy(value) >= _TOKEN_BITS
    long = len(value) >= _LEAST_RANDOM and _ONE_WORD.fullmatch(value) is not None
    return long and not is_uuid(value) and _is_drawn(value) and is_strong(value)


def is_made_up(value: str) -> bool:
    """Whether a value was drawn or made up: it has letters and digits, and is no name, path or number."""
    return len(value) >= _SHORTEST and entropy(value) >= _MADE_UP_BITS and _is_drawn(value)


def is_words(value: str) -> bool:
    """Whether a value is an identifier or a path: words, in one or apart, with a number behind."""
    return _WORDS.fullmatch(_TECHNICAL.sub("x", value)) is not None


def _changes(value: str) -> int:
    """How often a digit, or a sign that no name has, stands beside something else."""
    return len(_KINDS.findall(value)) - 1


def named_kind(name: str) -> str:
    """The kind of a secret that this name gives away."""
    folded = name.casefold()
    return "password" if "pass" in folded or folded.endswith("pwd") else "env-value"


def is_secret_value(name: str, value: str) -> bool:
    """Whether a whole or quoted value beside that name is a secret, and not code, a reference, or an example."""
    if _BLANK.search(value):
        return is_phrase(name, value) and not is_reference(value)
    if is_capital_secret(name, value) or is_pin(name, value):
        return True
    if is_token_name(name) and is_token(value):
        return True
    if not _is_config_name(name):
        return False
    password = named_kind(name) == "password"
    long = telling(value, least=8 if password else 20, bits=2.5 if password else 3.3)
    return (long and _may_be_secret(name, value)) or is_bare_value(name, value)


def is_capital_secret(name: str, value: str) -> bool:
    """Whether a value is a secret because of a name in capitals, as in an environment."""
    if not _is_capital_name(name) or not _may_be_secret(name, value):
        return False
    password = named_kind(name) == "password"
    if is_pin(name, value):
        return True
    return telling(value, least=6 if password else 12, bits=2.5 if password else 3.0)


def _may_be_secret(name: str, value: str) -> bool:
    code = _CODE.search(value) is not None or is_reference(value) or is_call(value)
    return not code and not is_id(name, value) and not is_stand_in(value)


def telling(value: str, *, least: int, bits: float) -> bool:
    """Whether a value is long and varied enough, with letters and digits or signs."""
    if len(value) < least or _LETTER.search(value) is None:
        return False
    return _DIGIT_OR_SIGN.search(value) is not None and entropy(value) >= bits


def is_bare_value(name: str, value: str) -> bool:
    """Whether a value without quotes beside that name is a secret, and not code. Names in any case."""
    if is_token_name(name) and is_token(value):
        return True
    if not _is_bare_name(name):
        return False
    if named_kind(name) == "password" and is_joined_phrase(value):
        return True
    least = 2.5 if named_kind(name) == "password" else 2.75
    if name.lower().endswith("pass") and is_measure(value):
        return False
    if is_id(name, value):
        return False
    return 8 <= len(value) <= _LONGEST and entropy(value) >= least and _is_drawn(value)


def ends_bare(text: str, end: int) -> bool:
    """Whether what stands at `end` may stand behind a value without quotes."""
    return _BEHIND_BARE.match(text, end) is not None


def is_stand_in(value: str) -> bool:
    """Whether a value is what people write where a secret would stand."""
    return value in KNOWN_EXAMPLES or _STAND_IN.search(value) is not None or _is_run(value)


def _is_run(value: str) -> bool:
    """Whether a value is nothing but `abcdefgh...` and `12345678...`, behind a prefix."""
    folded = value[_PREFIX.match(value).end() :].lower()  # type: ignore[union-attr]  # matches nothing as well
    longest, run, before = 0, 0, ""
    for char in folded:
        if before and (ord(char) == ord(before) + 1 or before + char == "90"):
            run += 1
        elif before and run < _FEWEST:
            return False
        elif char.isalnum():
            run = 1
        longest = max(longest, run)
        before = char if char.isalnum() else ""
    return longest >= _RUN and run >= _FEWEST


def _is_drawn(value: str) -> bool:
    """Whether a value without quotes was drawn or made up by somebody, and is no identifier, path or number."""
    if _NO_BARE.search(value) or is_stand_in(value) or is_reference(value) or is_call(value):
        return False
    if _looks_random(value):
        return True
    if _DOTTED.search(value) or is_words(value):
        return False
    return _LETTER.search(value) is not None and _DIGIT.search(value) is not None


def _looks_random(value: str) -> bool:
    """Whether a long value is drawn whatever its signs: capitals stand together and apart as in no name of a program."""
    if len(value) < _LEAST_RANDOM:
        return False
    together, apart, numbers = (len(each.findall(value)) for each in (_TOGETHER, _CAMEL, _NUMBERS))
    drawn = together >= 3 and apart >= 3 and entropy(value) >= 3.5
    return drawn and (numbers >= 3 or _DOTTED.search(value) is None)


def entropy(text: str) -> float:
    """Shannon entropy of the characters of a text, in bits a character; 0 for an empty one."""
    length = len(text)
    counts = [text.count(char) for char in set(text)]
    return -sum(n / length * math.log2(n / length) for n in counts) if length else 0.0

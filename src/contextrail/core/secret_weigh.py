"""Whether the value that stands beside a name in a text is a secret. Pure."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from contextrail.core.secret_names import (
    ends_bare,
    is_bare_value,
    is_call,
    is_capital_secret,
    is_closed_call,
    is_id,
    is_made_up,
    is_pin,
    is_reference,
    is_secret_value,
    is_stand_in,
    is_strong,
    is_token,
    is_token_name,
    named_kind,
    telling,
)
from contextrail.core.secret_phrases import is_joined_phrase
from contextrail.core.secret_values import Beside, How

_JUDGED: Final = 512
"""Characters of a value that are looked at to tell what it is."""
_LEAST: Final = 6
"""Characters: a shorter value cannot be looked for elsewhere without hitting words."""
_BRACKET: Final = re.compile(r"[ \t]{0,80}\||[)\]}]")
"""What may stand behind a value that cannot be a name: the side of a table, the end of a call or an object."""


class _Stands(NamedTuple):
    """A name, a value, and what is of matter around them."""

    written: str
    """The name with what leads it."""
    value: str
    how: How
    quoted: bool
    tight: bool
    open: bool
    """A bracket is not closed in the value, and not because the line ends."""
    ends: bool
    """What stands behind may stand behind a value without quotes."""
    bracket: bool
    apart: bool
    """A blank or a quote stands before the value."""

    @property
    def name(self) -> str:
        """The name by itself; that of npm keeps its dash, which tells it from any other."""
        name = self.written.strip("-")
        return name if name == "_authToken" else name.lstrip("_")


class Weigher:
    """Tells it for one text; what it said of a name and a value it says again."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._said: dict[_Stands, bool] = {}

    def secret(self, written: str, found: Beside) -> bool:
        """Whether a value is secret. Args: written: The name with what leads it."""
        if found.end - found.start < _LEAST:
            return False
        text = self._text
        line = text[found.end : found.end + 1] in ("", "\n", "\r", "\\")
        stands = _Stands(
            written=written,
            value=text[found.start : min(found.end, found.start + _JUDGED)],
            how=found.how,
            quoted=found.quoted,
            tight=found.tight,
            open=found.open and not line,
            ends=found.quoted or ends_bare(text, found.end),
            bracket=_BRACKET.match(text, found.end) is not None,
            apart=text[found.start - 1] in " \t：" or text[max(0, found.start - 2)] in "\"'",
        )
        if stands not in self._said:
            self._said[stands] = _is_secret(stands)
        return self._said[stands]


def _is_secret(stands: _Stands) -> bool:
    name, value = stands.name, stands.value
    if stands.how in ("list", "prose", "option", "below"):
        return _is_secret_apart(stands)
    if stands.quoted:
        return is_secret_value(name, value)
    code = stands.open or is_closed_call(value)
    if is_capital_secret(name, value):
        return stands.tight or not code
    if is_pin(name, value):
        return stands.ends and not name.lower().endswith("pass") and (stands.how == "=" or stands.apart)
    return not code and is_bare_value(name, value) and (stands.ends or (stands.bracket and is_strong(value)))


def _is_secret_apart(stands: _Stands) -> bool:
    """Whether a value is a secret that no sign joins with its name."""
    name, value = stands.name, stands.value
    option = stands.written.startswith("-")
    if not option and (
        name.lower() == "pass"
        or (stands.how == "option" and not name.lower().endswith(("password", "passphrase")))
    ):
        return False
    if (
        value.startswith("-")
        or is_id(name, value)
        or is_call(value)
        or is_reference(value)
        or is_stand_in(value)
    ):
        return False
    if re.search(r"\s", value):
        return is_secret_value(name, value)
    if stands.how != "prose" and is_pin(name, value):
        return True
    if stands.how == "below":
        return is_made_up(value) or is_joined_phrase(value) or is_strong(value)
    if stands.quoted and stands.how == "option":
        return is_secret_value(name, value) or (option and is_made_up(value))
    if not stands.ends and not stands.bracket:
        return False
    return (is_strong(value) and telling(value, least=_LEAST, bits=2.5)) or _is_given(stands, option=option)


def _is_given(stands: _Stands, *, option: bool) -> bool:
    """Whether a value was made up, where a command line or a sentence gives it."""
    if is_token_name(stands.name):
        return is_token(stands.value)
    return (option or (stands.how == "prose" and named_kind(stands.name) == "password")) and is_made_up(
        stands.value
    )

"""A number that something is said to have been set to: somebody wanted it, or a call did it.

A number that only stands in an error or in a file that was read is no value that anything was changed to.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from contextrail.compaction.clauses import told_in

_NUMBER: Final = r"(?<![\w.])\d[\d,_]{0,20}(?:\.\d{1,12}){0,3}(?![\w.]*\d)"
_SET: Final = (
    r"(?:changed|set|moved|switched|updated|adjusted|configured|reconfigured|reset|bumped)\b"
    r"(?:[^.;,\n]{0,60}?\s)??(?:back\s+)?(?:to|at)\s+(?:(?:be|port|the|value)\s+){0,2}"
)
_HAN_SET: Final = "(?:改|设|调|换|切换|更新|修改|设置|调整|更改)(?:为|成|到|至)了?\\s?(?:端口\\s?)?"
_SAID: Final = re.compile(
    rf"(?:\b{_SET}|\b(?:is|are)\s+now\s+|{_HAN_SET})[`\"']?(?P<value>{_NUMBER})(?!\s?[%％]|\s+[A-Za-z])",
    re.IGNORECASE,
)
_ERROR: Final = re.compile(
    r"refused|denied|cannot|can['’]t|unable|timed?[ -]?out|ECONN|unreachable|not (?:found|available)|in use|EADDR|拒绝|超时|占用|无法",
    re.IGNORECASE,
)


def said_set(sentence: str) -> tuple[str, ...]:
    """The numbers that a sentence says something was set to."""
    found = [match["value"].rstrip(".,_") for match, around in told_in(sentence, _SAID) if around.stated]
    return tuple(dict.fromkeys(found))


def supported(value: str, wanted: Iterable[str], shown: Iterable[str]) -> bool:
    """Whether a number can be what something was set to.

    Args:
        value: As the sentence writes it.
        wanted: What was said, and what calls were given: any place will do.
        shown: What calls showed: a line will do that tells of no error.
    """
    plain = value.replace(",", "").replace("_", "")
    named = re.compile(rf"(?<![\d.]){re.escape(plain)}(?!\.?\d)")
    return any(named.search(_plain(text)) for text in wanted) or any(
        not _ERROR.search(line) for text in shown for line in _lines(text, named)
    )


def _lines(text: str, named: re.Pattern[str]) -> Iterator[str]:
    return (line for line in text.splitlines() if named.search(_plain(line)))


def _plain(text: str) -> str:
    return re.sub(r"(?<=\d)[,_](?=\d)", "", text)

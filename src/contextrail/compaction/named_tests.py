"""A test that is said to pass by its name: its last told state must not be that it fails."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final

from contextrail.compaction.clauses import told_in

_NAME: Final = r"(?:[\w./-]{1,160}::)?(?P<name>(?<![\w.])test_\w{1,120}|(?<=::)\w{1,120})(?![\w.]\w)"
_BETWEEN: Final = (
    r"(?:\s+(?:test|case|now|also|is|was|has|been|finally|again|does|all|both|already|run|runs)){0,4}"
)
_SAID: Final = re.compile(
    rf"{_NAME}[`\"')\]]{{0,3}}(?:{_BETWEEN}\s+(?:pass(?:es|ed|ing)|(?:(?<=now\s)|(?<=both\s))pass|succeeds?|succeeded|green|no\s+longer\s+fails?|stopped\s+failing)\b"
    r"|\s?(?:用例|测试|现在|已经?|也|都|终于){0,4}\s?(?:通过|不再失败))",
    re.IGNORECASE,
)
_PARTS: Final = re.compile(r"[;,，。；\n]|\.(?:\s|$)|\b(?:but|while|whereas|although)\b|但是?|而")
_OPEN: Final = re.compile(
    r"\b(?:must|should|make|get|needs?|until|if|when|once|want|will|expect\w*|to pass|whether|why)\b|让|需要|应该?|如果|为什么",
    re.IGNORECASE,
)
_BAD: Final = re.compile(
    r"\b(?:FAIL(?:ED|S|ING|URE)?|ERROR|broken|red)\b|\bnot ok\b|(?:not|n['’]t)\s+(?:\w+\s+)?(?:pass|succeed|green)|失败|[未没不]能?通过",
    re.IGNORECASE,
)
_GOOD: Final = re.compile(
    r"\b(?:pass(?:es|ed|ing)?|ok|succeed(?:s|ed)?|green|fixed|(?:no longer|stopped) fail\w*)\b|通过|不再失败",
    re.IGNORECASE,
)
_CEASED: Final = re.compile(r"\b(?:no longer|stopped|never|not|fixed)\b.{0,20}\bfail|不再失败", re.IGNORECASE)
_LONGEST: Final = 400
"""Characters: a longer part is no sentence and no line of a report."""


def said_to_pass(sentence: str) -> tuple[str, ...]:
    """The names of the tests that a sentence says pass now."""
    found = [match["name"] for match, around in told_in(sentence, _SAID) if around.stated]
    return tuple(dict.fromkeys(found))


def fails(name: str, told: Iterable[tuple[str, bool]]) -> bool:
    """Whether a test fails by the last that was told of it.

    Args:
        name: Of the test, without its file.
        told: What was said and shown, oldest first, and whether it tells that all tests pass.
    """
    failing = False
    named = re.compile(rf"(?<!\w){re.escape(name)}(?!\w)")
    for text, well in told:
        if well:
            failing = False
        elif name in text:
            states = _states(text, named)
            failing = states[-1] if states else failing
    return failing


def _states(text: str, named: re.Pattern[str]) -> Sequence[bool]:
    """What the parts of a text that name a test say of it, in order: whether it fails."""
    states: list[bool] = []
    for part in _PARTS.split(text):
        if len(part) > _LONGEST or not named.search(part) or _OPEN.search(part):
            continue
        if _BAD.search(part) and not _CEASED.search(part):
            states.append(True)
        elif _GOOD.search(part):
            states.append(False)
    return states

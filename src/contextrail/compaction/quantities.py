"""Numbers with what they count or name: 3 failed, exit code 1, port 3307, line 20 of a file. Number words included.

A number that occurs somewhere is not yet a number that was told of the same thing: "41 failed" is no news of
"3 failed, 41 passed". So a quantity is looked up with its unit.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from contextrail.compaction.numerals import digits


@dataclass(frozen=True, slots=True)
class Quantity:
    """A value and its unit, as a text tells them."""

    unit: str
    value: str
    text: str
    """As it stands there, number words as digits."""


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a file: src/login.py:20."""

    path: str
    line: str


_NUMBER: Final = re.compile(r"(?<![\w.])\d(?:[\d,_]{0,30}\d)?(?:\.\d{1,20}){0,4}(?:\s?[%％])?", re.ASCII)
_OUTCOMES: Final = {
    "failed": r"fail(?:s|ed|ing|ures?)?|broken|red|失败|不通过|未通过|没通过|没过|挂了?",
    "passed": r"pass(?:es|ed|ing)?|succeed(?:s|ed)?|green|通过|成功",
    "skipped": r"skip(?:s|ped)?|跳过",
    "error": r"errors?|错误|报错",
    "warning": r"warnings?|警告",
}
_COUNTED: Final = {
    "test": r"tests?|specs?|测试|用例",
    "file": r"files?|文件",
    "line": r"lines?|行",
    "commit": r"commits?|次提交|个提交",
    "insertion": r"insertions?|additions?",
    "deletion": r"deletions?",
    "millisecond": r"ms|milliseconds?|毫秒",
    "second": r"s|secs?|seconds?|秒",
    "minute": r"min|mins|minutes?|分钟",
    "hour": r"h|hours?|小时",
    "day": r"days?|天",
    "byte": r"bytes?|字节",
    "kilobyte": r"kb|kib",
    "megabyte": r"mb|mib",
    "gigabyte": r"gb|gib",
    "row": r"rows?|行数据|条记录",
    "user": r"users?|用户",
    "retry": r"retr(?:y|ies)|attempts?|次重试",
    "replica": r"replicas?|副本",
    "worker": r"workers?",
    "issue": r"issues?|问题",
}  # fmt: skip
_UNITS: Final = {**_OUTCOMES, **_COUNTED}
_UNIT: Final = re.compile(
    "|".join(rf"(?P<{unit}>(?<![a-z_])(?:{words})(?![a-z_]))" for unit, words in _UNITS.items()),
    re.IGNORECASE,
)
_KEYED: Final = re.compile(
    "|".join(
        rf"(?<![a-z])(?:{words})[\"']\s{{0,2}}:\s{{0,2}}(?P<{unit}>\d{{1,20}})(?![\d.])"
        for unit, words in _COUNTED.items()
    ),
    re.IGNORECASE,
)
"""As a record in JSON tells a count: "workers": 6."""
_AHEAD: Final = re.compile(
    r"(?:(?P<exit>(?:exit(?:ed|s|ing)?|return(?:ed)?(?=\s+(?:code|status))|(?:command|process|script|program|pytest|make|tests?|build)\s+returned|退出|返回(?=码|代码|值))\s{0,2}[_\-]?(?:with\s+)?(?:an?\s+)?(?:exit\s+)?(?:code|status|码|代码|值)?|returncode|\brc)"
    r"|(?P<status>(?:http(?:/[\d.]+)?\s*(?:status)?(?:\s*code)?|status(?:\s+code)?|状态码))"
    r"|(?P<port>ports?|端口号?|listen(?:s|ing|ed)?\s+(?:on|at))"
    r"|(?P<failed>fail(?:ed|ures?|ing)?|失败)|(?P<passed>pass(?:ed|es|ing)?|通过)|(?P<skipped>skipped|跳过)"
    r"|(?P<error>errors?|错误)|(?P<warning>warnings?|警告))"
    r"[\"'`]?(?P<glue>\s{0,3}(?:(?:is|was|are|were|of|to|for|now|number|again|改为|应为|应该是|仍为|为|是|了|有|到|：|[:=（(])\s{0,3}){0,3})[\"'`]?$",
    re.IGNORECASE,
)
_OF: Final = re.compile(r"(?:\bof\s+(?:the\s+|all\s+)?|/\s?)$", re.IGNORECASE)
_TO_TOTAL: Final = re.compile(r"\s*(?:(?:out\s+)?of|/)\s*(?:the\s+|all\s+)?\d[\d,]*", re.IGNORECASE)
_STOP: Final = re.compile(
    r"[,;.:，；。：、()（）\[\]\n|→\d]|\b(?:and|but|with|while|in|of|on|at|because|from|to|after|without|no|per)\b",
    re.IGNORECASE,
)
_WIDE: Final = 36
_PORTS: Final = re.compile(
    r"(?:\bports?\b|端口|PORT|listen\w*|localhost|127\.0\.0\.1|0\.0\.0\.0)[^\n\d]{0,24}(\d{2,5})(?!\d)(?:[:,/ ]{1,2}(\d{2,5})(?!\d))?"
    r"|(?<=[:=\s])(\d{2,5})(?=\W{0,3}(?:\w+\W){0,2}?(?:ports?\b|端口))|(?<=:)(\d{2,5})(?!\d)|\bon (\d{2,5})(?![\d.]| \w+s\b)"
    r"|,? (?:not|rather than|instead of|而不是|不是|to|->|→|改为|改成) ?(\d{2,5})(?!\d)",
    re.IGNORECASE,
)
_STRICT: Final = frozenset({"failed", "passed", "exit"})
"""Units whose values have to be told where they are; the others only where the sources tell of the unit at all."""
_PLACE: Final = re.compile(
    r"(?P<path>[\w.@/\\-]{1,200}\.[A-Za-z]{1,8})[`\"']?(?::|#L|\s+第\s*|[\s,(]{1,3}(?:at\s+|on\s+|in\s+)?(?:line|L|行)\s*|第\s*)(?P<line>\d{1,7})\b"
    r"|\b(?:line|第)\s*(?P<line2>\d{1,7})\s*(?:行)?\s*(?:of|in|at)\s+(?:the\s+)?[`\"']?(?P<path2>[\w.@/\\-]{1,200}\.[A-Za-z]{1,8})",
    re.IGNORECASE,
)


def quantities(text: str) -> tuple[Quantity, ...]:
    """The quantities of a text, in order; a number of which it does not say what it counts is none."""
    return tuple(_quantities(digits(text)))


def lines(text: str) -> tuple[Line, ...]:
    """The lines of files that a text names, in order."""
    return tuple(
        Line((match["path"] or match["path2"]).strip("./\\"), match["line"] or match["line2"])
        for match in _PLACE.finditer(text)
    )


class Told:
    """The quantities that the sources tell. Built once."""

    def __init__(self, texts: Iterable[str], exits: Iterable[int], changed: int) -> None:
        """Reads the sources.

        Args:
            texts: Everything that may support a claim.
            exits: Exit codes of the action record.
            changed: How many files it changed.
        """
        self._values: defaultdict[str, set[str]] = defaultdict(set)
        self.shares: set[float] = set()
        """Percentages of outcomes that stand in one line."""
        for text in texts:
            for line in text.splitlines():
                if _DIGIT.search(line):
                    self._read(line[:_LONGEST])
        self._values["exit"].update(map(str, exits))
        self._values["file"].add(str(changed))
        self._values["test"] |= self._values["failed"] | self._values["passed"]
        self._values["error"] |= self._values["failed"]

    def holds(self, quantity: Quantity) -> bool:
        """Whether the sources tell this value of this unit, or nothing at all of the unit."""
        known = self._values.get(quantity.unit, set())
        if quantity.unit == "test" and known <= {"0"}:
            return True
        return quantity.value in known or (not known and quantity.unit not in _STRICT)

    @property
    def totals(self) -> frozenset[str]:
        """The sums of outcomes that stand in one line."""
        return frozenset(self._values["total"])

    def counts(self, value: str) -> bool:
        """Whether a number is a sum of outcomes that stand in one line of the sources."""
        return value in self.totals

    def _read(self, line: str) -> None:
        outcomes: dict[str, int] = {}
        for each in _quantities(line):
            self._values[each.unit].add(each.value)
            if each.unit in _OUTCOMES and each.unit != "warning" and each.value.isdecimal():
                outcomes[each.unit] = int(each.value)
        if '":' in line or "':" in line:
            for match in _KEYED.finditer(line):
                assert match.lastgroup is not None
                self._values[match.lastgroup].add(match[match.lastgroup])
        if len(outcomes) > 1:
            total = str(sum(outcomes.values()))
            self.shares |= {100 * each / int(total) for each in outcomes.values() if int(total)}
            self._values["total"].add(total)
            self._values["test"].add(total)
        if "port" in line.casefold() or "端口" in line or ":" in line or " on " in line:
            for match in _PORTS.finditer(line):
                self._values["port"].update(each for each in match.groups() if each)


_DIGIT: Final = re.compile(r"\d", re.ASCII)
_LONGEST: Final = 4_000
"""Characters of a line that are read: a longer one is data."""


def _quantities(text: str) -> Iterator[Quantity]:
    for match in _NUMBER.finditer(text):
        value = match[0].rstrip("%％ ").replace(",", "").replace("_", "")
        if match[0][-1] in "%％":
            yield Quantity("percent", value, match[0])
            continue
        unit = _unit_of(text, match.start(), match.end())
        if unit is not None:
            yield Quantity(unit, value, text[max(0, match.start() - 12) : match.end() + 16].strip())


def _unit_of(text: str, start: int, end: int) -> str | None:
    before = text[max(0, start - _WIDE) : start]
    if text[end : end + 1] in ("-", ":", "/") and text[end + 1 : end + 2].isdecimal():
        return None
    total = _OF.search(before) is not None
    bridge = _TO_TOTAL.match(text, end)
    behind = text[bridge.end() if bridge else end : (bridge.end() if bridge else end) + _WIDE]
    stop = _STOP.search(behind)
    behind = behind[: stop.start()] if stop else behind
    units = [match.lastgroup for match in _UNIT.finditer(behind)]
    if total:
        return "test" if "test" in units else None
    ahead = _AHEAD.search(before)
    if ahead is not None and (ahead["exit"] or ahead["port"] or ahead["status"]):
        return _name(ahead)
    outcome = next((unit for unit in units if unit in _OUTCOMES), None)
    if outcome is not None:
        return outcome
    if ahead is not None and (not units or units == ["test"]) and ahead["glue"].strip(" ") in _GLUED:
        return _name(ahead)
    return units[0] if units else None


_GLUED: Final = frozenset(["=", ":", "：", "了", "为", "是", "有", "", "(", "（"])


def _name(match: re.Match[str]) -> str:
    return next(name for name, value in match.groupdict().items() if value and name != "glue")

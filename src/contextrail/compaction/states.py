"""How a service stood when last told: "status": "degraded", health check timed out, all pods running."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

_BAD: Final = r"degraded|unhealthy|not\s+(?:ok|healthy|ready)|down\b|fail\w*|timed?[ -]?out|error|critical|crash\w*|unavailable|refused|\bred\b|异常|失败|超时|不正常|降级|不健康|[45]\d\d\b"
_GOOD: Final = r"\bok\b|\bokay\b|healthy|\bup\b|pass(?:es|ed|ing)?\b|succe\w+|green|ready|running|normal|\b200\b|operational|正常|健康|通过|成功"
_NAMED: Final = r"health(?!y)\w*|status|\bstate\b|liveness|readiness|健康检查|健康状态|服务状态|状态"
_TOLD: Final = re.compile(
    rf"(?:{_NAMED})(?P<between>(?:(?!{_NAMED}|[\n。]|{_BAD}|{_GOOD}).){{0,48}}?)(?:(?P<bad>{_BAD})|(?P<good>{_GOOD}))"
    r"|\b(?P<bad2>CrashLoopBackOff|OOMKilled|ImagePullBackOff|unhealthy|degraded|NotReady)\b|\b(?P<good2>is|are)\s+(?:now\s+)?healthy\b|服务(?P<good3>已?(?:恢复)?(?:正常|健康))",
    re.IGNORECASE,
)
_EVERY_LINE: Final = re.compile(r"\b(?:Running|Up|Ready|Healthy)\b")
_DENIED: Final = re.compile(r"\b(?:not|never|no)\b|n['’]t|[不未没]", re.IGNORECASE)
_HEAD: Final = 20_000
"""Characters of a text that are looked at."""


def healthy(texts: Iterable[str]) -> bool | None:
    """Whether the last that texts tell of a state is good; None if they tell of none.

    Args:
        texts: Oldest first.
    """
    last: bool | None = None
    for text in texts:
        told = _state(text[:_HEAD])
        last = last if told is None else told
    return last


def _state(text: str) -> bool | None:
    """How one text leaves it; of several lines one bad one is enough."""
    states: list[bool] = []
    for match in _TOLD.finditer(text):
        denied = match["between"] is not None and _DENIED.search(match["between"]) is not None
        states.append(bool(match["good"] or match["good2"] or match["good3"]) and not denied)
    if not states:
        return True if _EVERY_LINE.search(text) else None
    return all(states) if "\n" in text else states[-1]

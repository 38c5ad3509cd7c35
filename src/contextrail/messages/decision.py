"""Decision: one message kept, changed, added or left out, and why. Nothing leaves a request without one."""

from __future__ import annotations

from typing import Final, Literal, NamedTuple

from contextrail.core.ids import MessageId
from contextrail.core.json_text import JsonObject

Verdict = Literal["kept", "changed", "dropped", "added"]

_NO_FACTS: Final[JsonObject] = {}


class Decision(NamedTuple):
    """What happened to one message in one step. Always written with the names of its fields."""

    message: MessageId | None
    """None: it concerns the request as a whole (tools, system, a field of the body)."""
    verdict: Verdict
    step: str
    reason: str
    """A stable word with dashes."""
    detail: JsonObject = _NO_FACTS
    """Its facts, safe to print: ids, names, counts, digests; never the text itself. Treated as frozen."""

"""Decision: one message kept, changed, added or left out, and why. Nothing leaves a request without one."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from contextrail.core.ids import MessageId
from contextrail.core.json_text import JsonObject

Verdict = Literal["kept", "changed", "dropped", "added"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """What happened to one message in one step. `reason` is a stable word with dashes, `detail` its facts."""

    message: MessageId | None
    """None: it concerns the request as a whole (tools, system, a field of the body)."""
    verdict: Verdict
    step: str
    reason: str
    detail: JsonObject = field(default_factory=dict)
    """Safe to print: ids, names, counts, digests; never the text itself."""

"""Every error raised on purpose: class, stable code, and what the caller can do about it.

* RailError
  + InvalidRequest    fix the call
  + AccessDenied      ask for the right
  + NotFound          name something that exists
  + Conflict          read again, then decide
  + BudgetExceeded    raise the budget or require less
  + Unavailable       try again later or do without
  + IntegrityError    stop; the bytes are not what was written
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Final

Fact = str | int | float | bool | None


class RailError(Exception):
    """Base of every error this library raises on purpose.

    `facts` are safe to log and to send: no evidence text, no prompts, no credentials.
    A fact named `cure` says what to do about it.
    """

    code: ClassVar[str] = "rail_error"
    facts: dict[str, Fact]

    def __init__(self, message: str, **facts: Fact) -> None:
        super().__init__(message)
        self.facts = facts

    def to_json(self) -> dict[str, object]:
        """The one form in which an error crosses a host boundary."""
        return {"code": self.code, "message": str(self), "facts": dict(self.facts)}


class InvalidRequest(RailError):
    """The call or its input is wrong; the same call will fail again."""

    code = "invalid_request"


class AccessDenied(RailError):
    """The principal may not do that in this scope."""

    code = "access_denied"


class NotFound(RailError):
    """Nothing has that name here."""

    code = "not_found"


class Conflict(RailError):
    """The world moved on since the caller last looked."""

    code = "conflict"


class BudgetExceeded(RailError):
    """Required content does not fit. Nothing was truncated."""

    code = "budget_exceeded"


class Unavailable(RailError):
    """A source, a model or the database did not answer in time."""

    code = "unavailable"


class IntegrityError(RailError):
    """Bytes do not match their digest."""

    code = "integrity_error"


class ToolHistoryOverflow(BudgetExceeded):
    """More tool groups than the policy allows, and it says to fail. Fatal: nothing is built."""

    code = "tool_history_overflow"


@dataclass(frozen=True, slots=True)
class Answer:
    """How an error class is answered at each door."""

    http: int
    exit: int
    json_rpc: int


ANSWERS: Final[dict[type[RailError], Answer]] = {
    InvalidRequest: Answer(400, 2, -32602),
    AccessDenied: Answer(403, 3, -32003),
    NotFound: Answer(404, 4, -32004),
    Conflict: Answer(409, 5, -32009),
    BudgetExceeded: Answer(413, 6, -32013),
    Unavailable: Answer(503, 7, -32053),
    IntegrityError: Answer(500, 8, -32050),
}

EXIT_FOUND: Final = 1
"""Done, and something was found (lint, fsck, verify, diff)."""

EXIT_FAULT: Final = 70
"""A fault of ours."""


def answer(error: RailError) -> Answer:
    """The row of the table for an error; a subclass is answered like the class above it."""
    for cls in type(error).__mro__:
        if cls in ANSWERS:
            return ANSWERS[cls]
    return Answer(500, EXIT_FAULT, -32603)

"""How large a request may be: the window, what is set aside, and what is left for the messages."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from contextrail.core.errors import BudgetExceeded, InvalidRequest
from contextrail.core.tokens import ZERO, Estimate, Unit

DEFAULT_WINDOW: Final = 120_000
"""Tokens, where neither the caller nor the model table says a window."""
DEFAULT_RESERVE: Final = 0
"""Tokens for the answer, where nobody asked for a reserve."""


@dataclass(frozen=True, slots=True)
class Chosen:
    """A number and who gave it."""

    value: int
    source: str
    """The name under which it was given, "model table", or "default"."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestBudget:
    """The room for messages in one request.

    Raises:
        InvalidRequest: The window is not positive, or a reserve is negative.
    """

    window: int
    """All that request and answer may take together, in `unit`."""
    system: Estimate = ZERO
    tools: Estimate = ZERO
    output: int = 0
    """Set aside for the answer."""
    safety: int = 0
    """Set aside for what is not known: the overhead of a gateway, a hidden system prompt."""
    input_limit: int | None = None
    """Most that the request alone may take, where a model limits it below the window."""
    unit: Unit = "token"

    def __post_init__(self) -> None:
        _positive("window", self.window, "window")
        if self.input_limit is not None:
            _positive("input_limit", self.input_limit, "input_limit")
        for name, value in (("output", self.output), ("safety", self.safety)):
            if not _integer(value) or value < 0:
                raise InvalidRequest(
                    f"the {name} reserve must be an integer of at least 0, not {value!r}",
                    place="budget",
                    path=name,
                    cure="give a number of tokens, or 0 for none",
                )

    @property
    def request(self) -> int:
        """What the whole request may take: the window without output and safety, or the input limit."""
        whole = self.window - self.output
        if self.input_limit is not None:
            whole = min(whole, self.input_limit)
        return whole - self.safety

    @property
    def left(self) -> Estimate:
        """Room for messages: at least `low`, by which decisions are taken, at most `high`.

        Raises:
            BudgetExceeded: Reserves and fixed parts at their upper end leave nothing. Facts: each number.
        """
        fixed = self.system + self.tools
        room = Estimate(self.request - fixed.high, self.request - fixed.low)
        if room.low <= 0:
            parts = (
                ("the output reserve", self.output),
                ("the safety reserve", self.safety),
                ("system", self.system.high),
                ("tools", self.tools.high),
            )
            told = ", ".join(f"{name} {value}" for name, value in parts if value)
            limit = "" if self.input_limit is None else f", and {self.input_limit} is the most for the input"
            raise BudgetExceeded(
                f"reserves and fixed parts need {self.window - room.low} of a window of {self.window}: {told}{limit}",
                needed=self.window - room.low + 1,
                available=self.window,
                unit=self.unit,
                window=self.window,
                system=self.system.high,
                tools=self.tools.high,
                output=self.output,
                safety=self.safety,
                input_limit=self.input_limit,
                cure="raise the window, lower a reserve, or send fewer tools",
            )
        return room

    def fits(self, messages: Estimate) -> bool:
        """Whether messages fit for certain: their upper end into the least room. Errors as in `left`."""
        return messages.high <= self.left.low


def resolve_window(
    explicit: Mapping[str, int | None], table: int | None = None, *, default: int = DEFAULT_WINDOW
) -> Chosen:
    """The window to plan with: the smallest that was given explicitly, else the model table's, else a default.

    Args:
        explicit: Windows by the name of who gave them ("--window", "policy", "host"); None: not given.
        table: The model's window, if the table has it.
        default: If nobody knows.

    Returns:
        The number and its source; of equal ones, the first.

    Raises:
        InvalidRequest: A window that was given is not a positive integer; the name is in the message.
    """
    given = [
        (_positive(f"the window of the {name}", value, name), name)
        for name, value in explicit.items()
        if value is not None
    ]
    if given:
        value, name = min(given, key=lambda pair: pair[0])
        return Chosen(value, name)
    if table is not None:
        return Chosen(table, "model table")
    return Chosen(default, "default")


def resolve_reserve(explicit: Mapping[str, int | None], *, default: int = DEFAULT_RESERVE) -> Chosen:
    """The reserve for the answer: the largest that was given, else a default.

    Args:
        explicit: Reserves by the name of who gave them; None: not given.
        default: If nobody asked for one.

    Raises:
        InvalidRequest: A reserve that was given is not an integer of at least 0.
    """
    given = [(value, name) for name, value in explicit.items() if value is not None]
    for value, name in given:
        if not _integer(value) or value < 0:
            raise InvalidRequest(
                f"the output reserve of the {name} must be an integer of at least 0, not {value!r}",
                place="budget",
                path=name,
                cure="give a number of tokens, or leave it out (in a body: max_tokens or its like)",
            )
    if not given:
        return Chosen(default, "default")
    value, name = max(given, key=lambda pair: pair[0])
    return Chosen(value, name)


def _positive(what: str, value: int, path: str) -> int:
    if not _integer(value) or value <= 0:
        raise InvalidRequest(
            f"{what} must be a positive integer, not {value!r}",
            place="budget",
            path=path,
            cure="give the window in tokens, at least 1",
        )
    return value


def _integer(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)

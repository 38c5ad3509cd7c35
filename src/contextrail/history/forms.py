"""Forms of a tool group, each smaller than the one before: whole, shortened, stub, stub with short calls, bare, line.

A bare group says of each result only how long it was and where it is.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final, Literal

from contextrail.core.blobs import Blob
from contextrail.core.json_text import JsonObject
from contextrail.history.collapse import collapse
from contextrail.history.context import Context
from contextrail.history.shorten import STUB_TOKENS, with_results, with_short_calls
from contextrail.messages.model import Message, ToolResult
from contextrail.messages.text import part_text

Level = Literal["whole", "shortened", "stub", "short-calls", "bare", "line"]
PAIRS: Final[tuple[Level, ...]] = ("whole", "shortened", "stub", "short-calls")
"""Levels at which a group still consists of calls and results, and of each result something is left."""


LEAST_TOKENS: Final = 28
"""Less is not worth it: half of it is the line that says how long a result was and where it is."""


@dataclass(frozen=True, slots=True)
class Form:
    """Messages to send in place of some, and what they cost."""

    level: Level | Literal["excerpt"]
    """excerpt: of what a user said, only the words that bind the work."""
    messages: tuple[Message, ...]
    cost: int
    blobs: tuple[Blob, ...] = ()
    detail: JsonObject = field(default_factory=dict)


class Forms:
    """The forms of one group, made when asked for."""

    def __init__(self, group: tuple[Message, ...], context: Context) -> None:
        """The forms of `group`; `whole` already obeys the limit of the policy for one group."""
        self._group = group
        self._context = context
        self._made: dict[Level, Form] = {}

    def at(self, level: Level) -> Form:
        """The form at a level; where nothing gets smaller, the same messages as at the level before."""
        if level not in self._made:
            self._made[level] = self._make(level)
        return self._made[level]

    def best(self, room: int, *, levels: tuple[Level, ...]) -> Form | None:
        """The first of these levels that fits, or None."""
        return next((form for level in levels if (form := self.at(level)).cost <= room), None)

    def sized(self, room: int) -> Form | None:
        """Results shortened to what there is room for; None if that is less than a few words of each."""
        bare = self.at("bare")
        results = [part for each in bare.messages for part in each.parts if isinstance(part, ToolResult)]
        around = bare.cost - sum(self._context.count(part_text(result)) for result in results)
        each = (room - around) // max(1, len(results))
        for limit in (each, each - each // 20 - 1):  # what joins the parts of a message may cost, too
            if limit >= LEAST_TOKENS:
                made = self._form("shortened", *with_results(self._group, limit, self._context))
                if made.cost <= room:
                    return made
        return None

    def _make(self, level: Level) -> Form:
        context = self._context
        longest = context.policy.tool_history.max_output_summary_tokens
        match level:
            case "whole":
                whole = self._form("whole", self._group, ())
                if whole.cost <= context.policy.tool_history.max_pair_tokens:
                    return whole
                return self.at("shortened")
            case "shortened":
                return self._form("shortened", *with_results(self._group, longest, context))
            case "stub":
                return self._form("stub", *with_results(self._group, min(STUB_TOKENS, longest), context))
            case "short-calls":
                before = self.at("stub")
                messages, blobs = with_short_calls(before.messages, context)
                return self._form("short-calls", messages, (*before.blobs, *blobs))
            case "bare":
                messages, stored = with_results(self._group, 1, context)
                messages, blobs = with_short_calls(messages, context)
                return self._form("bare", messages, (*stored, *blobs))
            case "line":
                made = collapse(self._group, context)
                return Form("line", (made.message,), context.cost(made.message), made.blobs, made.detail)

    def _form(self, level: Level, messages: tuple[Message, ...], blobs: tuple[Blob, ...]) -> Form:
        return Form(level, messages, sum(map(self._context.cost, messages)), blobs)

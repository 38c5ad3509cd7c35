"""Obligations: what is still owed. No cut may lose an open one; a dead one is closed and reported.

| kind | open as long as |
|---|---|
| unanswered | a call got no result; after `dead_after_runs` runs it is dead |
| interim | a call only got signs of life |
| approval, helper | a result says that something is pending, queued or running, and nothing later settles it (`pending`) |
| promise | the assistant said it would do something later: it becomes a pinned record |
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from contextrail.compaction.actions import Action, actions
from contextrail.core.ids import CallId, MessageId
from contextrail.history.context import Context
from contextrail.history.draft import Draft
from contextrail.history.groups import ObligationsPolicy
from contextrail.history.pending import is_pending, says_pending, tickets
from contextrail.messages.decision import Decision
from contextrail.messages.identity import is_user_input
from contextrail.messages.memo import Memo
from contextrail.messages.model import Message, ToolResult
from contextrail.messages.pairs import units
from contextrail.messages.settle import UNKNOWN
from contextrail.messages.text import message_text

STEP: Final = "obligations"

Kind = Literal["unanswered", "interim", "approval", "helper"]

_HELPER: Final = re.compile(
    r"(?:^|[_\W])(?:task|agent|sub_?agent|spawn|delegate|worker|job)s?(?:[_\W]|$)|background", re.IGNORECASE
)
_IN_TOKEN: Final = re.compile(r"(?:[A-Za-z0-9_]|\d[.,])\Z")
_TOKEN_GOES_ON: Final = re.compile(r"[A-Za-z0-9_]|[-.,]\d")


@dataclass(frozen=True, slots=True, kw_only=True)
class Obligation:
    """One thing owed."""

    kind: Kind
    call_id: CallId
    message: MessageId
    """Of the call."""
    tool: str
    runs_ago: int
    """How many runs before the current one it began."""
    dead: bool


def obligations(draft: Draft, context: Context) -> Draft:
    """Require every unit with an open obligation, and report each that is dead as closed, outcome unknown."""
    policy = context.policy.obligations
    found = _owed(draft.messages, policy, context.memo)
    living = {each.message for each in found if not each.dead}
    dead = [each for each in found if each.dead] if policy.close_dead else []
    if policy.keep_open and living:
        draft = draft.requiring(_units_of(draft.messages, living))
    for each in dead:
        detail = {"call": each.call_id, "tool": each.tool, "kind": each.kind, "runs_ago": each.runs_ago}
        decision = Decision(
            message=each.message, verdict="kept", step=STEP, reason="closed-outcome-unknown", detail=detail
        )
        draft = draft.noting([decision]).telling(
            "obligation_closed", message=each.message, outcome="unknown", **detail
        )
    return draft


def open_messages(
    messages: Sequence[Message], policy: ObligationsPolicy, memo: Memo | None = None
) -> frozenset[MessageId]:
    """Ids of the messages that open obligations live in, calls and results."""
    found = {each.message for each in _owed(messages, policy, memo or Memo()) if not each.dead}
    return frozenset(_units_of(messages, found)) if found else frozenset()


def _owed(messages: Sequence[Message], policy: ObligationsPolicy, memo: Memo) -> tuple[Obligation, ...]:
    question = (find_obligations, policy.dead_after_runs)
    return memo.of(question, messages, lambda those: find_obligations(those, policy))


def find_obligations(messages: Sequence[Message], policy: ObligationsPolicy) -> tuple[Obligation, ...]:
    """Everything owed in a history, in order of the calls.

    Of calls that say the same is pending, the first and the last: those between tell nothing that the last does not.
    """
    runs = _runs(messages)
    last = max(runs.values(), default=0)
    done = actions(messages)
    pending = frozenset(at for at, action in enumerate(done) if action.outcome == "ok" and is_pending(action))
    still = pending - _closed(done, pending, _Later(messages))
    found: list[Obligation] = []
    for at, action in enumerate(done):
        ago = last - runs[action.message]
        kind = _kind(action, pending=at in still)
        if kind is not None:
            dead = kind == "unanswered" and ago > policy.dead_after_runs
            found.append(
                Obligation(
                    kind=kind,
                    call_id=action.call_id,
                    message=action.message,
                    tool=action.tool,
                    runs_ago=ago,
                    dead=dead,
                )
            )
    return tuple(found)


def _kind(action: Action, *, pending: bool) -> Kind | None:
    if action.outcome == "unknown" or action.result == UNKNOWN:
        return "unanswered"
    if action.outcome == "interim":
        return "interim"
    if not pending:
        return None
    return "helper" if _HELPER.search(action.tool) else "approval"


def _closed(done: Sequence[Action], pending: frozenset[int], later: _Later) -> frozenset[int]:
    """Pending calls that are settled, or whose word was said before and is said again.

    A later message settles that names the same ticket and says nothing of waiting; where there is no ticket, a later
    result of the same tool that says nothing of waiting.
    """
    answered = {
        action.tool: at for at, action in enumerate(done) if at not in pending and action.outcome == "ok"
    }
    closed: set[int] = set()
    seen: dict[tuple[str, ...], list[int]] = {}
    for at in sorted(pending):
        action = done[at]
        named = sorted(tickets(action))
        if any(later.says(ticket, action) for ticket in named) or (
            not named and answered.get(action.tool, -1) > at
        ):
            closed.add(at)
        else:
            seen.setdefault(tuple(named or [f" {action.tool}"]), []).append(at)
    return frozenset(closed.union(*(said[1:-1] for said in seen.values())))


class _Later:
    """The texts of tools and of the user that say nothing of waiting, one after another; read when first asked for."""

    def __init__(self, messages: Sequence[Message]) -> None:
        self._messages = messages
        self._place: dict[MessageId, int] = {}
        self._indexes: list[int] = []
        """Of the messages with such a text."""
        self._starts: list[int] = []
        """Where the text of each begins in `_text`."""
        self._text = ""

    def says(self, ticket: str, action: Action) -> bool:
        """Whether a text behind a call says a ticket, the results of the call apart."""
        if not self._place:
            self._read()
        number = bisect_right(self._indexes, self._place[action.message])
        at = self._starts[number] if number < len(self._starts) else len(self._text)
        while (found := self._text.find(ticket, at)) >= 0:
            at = found + len(ticket)
            if not _alone(self._text, found, at):
                continue
            number = bisect_right(self._starts, found)
            if not _belongs(self._messages[self._indexes[number - 1]], action):
                return True
            at = self._starts[number] if number < len(self._starts) else len(self._text)
        return False

    def _read(self) -> None:
        texts: list[str] = []
        length = 0
        for at, message in enumerate(self._messages):
            self._place.setdefault(message.id, at)
            if message.role != "tool" and not is_user_input(message):
                continue
            text = message_text(message)
            if not says_pending(text):
                self._indexes.append(at)
                self._starts.append(length)
                texts.append(text)
                length += len(text) + 1
        self._text = "\n".join(texts)  # no ticket holds a line break


def _alone(text: str, start: int, end: int) -> bool:
    """Whether `[start, end)` is a whole token: ticket 42 is none of "142042", "1.42" and "42-7"."""
    return not _IN_TOKEN.search(text[max(0, start - 2) : start]) and not _TOKEN_GOES_ON.match(text, end)


def _belongs(message: Message, action: Action) -> bool:
    return message.id == action.message or any(
        isinstance(part, ToolResult) and part.call_id == action.call_id for part in message.parts
    )


def _units_of(messages: Sequence[Message], ids: set[MessageId]) -> set[MessageId]:
    return {
        messages[at].id
        for unit in units(messages)
        if any(messages[at].id in ids for at in unit)
        for at in unit
    }


def _runs(messages: Sequence[Message]) -> dict[MessageId, int]:
    run = 0
    found: dict[MessageId, int] = {}
    for message in messages:
        run += is_user_input(message)
        found[message.id] = run
    return found

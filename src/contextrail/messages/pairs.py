"""The one invariant of tool use: a call and its result stay together; units; legal cut points.

Call ids are not unique within a conversation (some hosts number calls anew in every reply), so
pairs are made by position: each id has a queue of open calls, and a result answers the oldest.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from contextrail.core.ids import CallId
from contextrail.messages.model import Message, Opaque, Thinking, ToolCall, ToolResult

Place = tuple[int, int]
"""A part: index of its message, index within the message."""


@dataclass(frozen=True, slots=True)
class Pairing:
    """How calls and results of a list of messages belong together."""

    answer: dict[Place, Place]
    """Call to its final result (or its last interim one if no final one came)."""
    interim: dict[Place, tuple[Place, ...]]
    """Call to its interim results other than the one in `answer`."""
    unanswered: tuple[Place, ...]
    """Calls without any result, in order."""
    orphans: tuple[Place, ...]
    """Results without an open call before them, in order: late, doubled or strayed."""


def pair(messages: Sequence[Message]) -> Pairing:
    """Pair calls with results by id and position, at any distance.

    A final result closes the oldest open call of its id; an interim result leaves it open. A call
    id used twice opens two places in its queue. A result that finds no open call is an orphan.
    """
    waiting: defaultdict[CallId, deque[Place]] = defaultdict(deque)
    answers: dict[Place, Place] = {}
    interim: defaultdict[Place, list[Place]] = defaultdict(list)
    calls: list[Place] = []
    orphans: list[Place] = []
    for at, message in enumerate(messages):
        for index, part in enumerate(message.parts):
            if isinstance(part, ToolCall):
                calls.append((at, index))
                waiting[part.call_id].append((at, index))
            elif isinstance(part, ToolResult):
                queue = waiting[part.call_id]
                if not queue:
                    orphans.append((at, index))
                elif part.status == "interim":
                    interim[queue[0]].append((at, index))
                else:
                    answers[queue.popleft()] = (at, index)
    for call in calls:
        if call not in answers and interim[call]:
            answers[call] = interim[call].pop()
    unanswered = [call for call in calls if call not in answers]
    kept = {call: tuple(places) for call, places in interim.items() if places}
    return Pairing(answers, kept, tuple(unanswered), tuple(orphans))


def in_order(messages: Sequence[Message]) -> bool:
    """Whether every call is answered once, by tool messages directly behind its reply, and nothing is interim.

    One pass without pairing: the quick answer for the history of a healthy agent. A False is no verdict.
    """
    waiting: set[CallId] = set()
    return all(_goes_on(message, waiting) for message in messages) and not waiting


def _goes_on(message: Message, waiting: set[CallId]) -> bool:
    """Whether a message may stand here; `waiting` are the calls not yet answered, and is kept up to date."""
    if message.role == "assistant":
        return (not waiting or continues(message)) and _calls(message, waiting)
    if message.role == "tool":
        return _answers(message, waiting)
    return not waiting and not any(
        type(part) is ToolCall or type(part) is ToolResult for part in message.parts
    )


def _calls(message: Message, waiting: set[CallId]) -> bool:
    for part in message.parts:
        if type(part) is ToolCall and part.call_id not in waiting:
            waiting.add(part.call_id)
        elif type(part) is ToolCall or type(part) is ToolResult:
            return False
    return True


def _answers(message: Message, waiting: set[CallId]) -> bool:
    for part in message.parts:
        if type(part) is not ToolResult or part.status == "interim" or part.call_id not in waiting:
            return False
        waiting.remove(part.call_id)
    return True


def units(messages: Sequence[Message]) -> tuple[range, ...]:
    """Split messages into runs that must live and die together.

    In one unit are: a call, its results and everything between (so a parallel batch and its
    answers); reasoning and the message it stands before; a message and its continuation on the wire.

    Returns:
        Ranges of indexes that cover `[0, len(messages))` in order without gap.
    """
    reach = list(range(len(messages)))
    if in_order(messages):
        _reach_answers(messages, reach)
    else:
        paired = pair(messages)
        for call, result in paired.answer.items():
            reach[call[0]] = max(reach[call[0]], result[0])
        for call, places in paired.interim.items():
            reach[call[0]] = max(reach[call[0]], *(at for at, _ in places))
    for at, (message, after) in enumerate(pairwise(messages)):
        if _anchors_next(message) or (after.role == message.role and continues(after)):
            reach[at] = max(reach[at], at + 1)
    found: list[range] = []
    start = end = 0
    for at, far in enumerate(reach):
        end = max(end, far)
        if at == end:
            found.append(range(start, at + 1))
            start = end = at + 1
    return tuple(found)


def _reach_answers(messages: Sequence[Message], reach: list[int]) -> None:
    """In a history in order, every reply reaches to the last tool message behind it."""
    answered = len(messages) - 1
    for at in range(len(messages) - 1, -1, -1):
        role = messages[at].role
        if role == "assistant":
            reach[at] = max(at, answered)
        if role == "tool":
            continue
        answered = at - 1


def cut_points(messages: Sequence[Message]) -> tuple[int, ...]:
    """Indexes where the list may be cut in two; ascending, both ends always there.

    For legal cuts i <= j, removing `messages[i:j]` leaves every remaining pair whole.
    """
    return (0, *(unit.stop for unit in units(messages)))


def continues(message: Message) -> bool:
    """Whether the message is the continuation of the wire message before it."""
    return message.extra is not None and message.extra.fields.get("~joined") is True


def _anchors_next(message: Message) -> bool:
    """A message of nothing but reasoning or provider items leans on what follows it."""
    if (
        message.role != "assistant"
        or not message.parts
        or not isinstance(message.parts[0], (Thinking, Opaque))
    ):
        return False
    return all(isinstance(part, (Thinking, Opaque)) for part in message.parts)

"""Make every tool pair whole and bring each result directly behind its call.

Nothing is invented: a call that was never answered gets a result that says so, a result whose call
is not there becomes text that says where it came from. What already stands right is not touched:
the same message objects come back.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from contextrail.core.ids import CallId, MessageId
from contextrail.messages.decision import Decision
from contextrail.messages.model import Fence, Media, Message, Part, Text, ToolCall, ToolResult
from contextrail.messages.pairs import Pairing, Place, continues, in_order, pair
from contextrail.messages.text import part_text

STEP = "repair"
UNKNOWN = "outcome unknown: no result of this call was recorded; it may or may not have taken effect"

Together = Callable[[Message, Message], bool]
"""Whether an assistant message belongs to the same reply as the assistant message right before it, (before, after)."""


def in_a_batch(before: Message, after: Message) -> bool:
    """Pieces of one message, and calls that were recorded one by one before any of them was answered."""
    return continues(after) or bool(_calls_in(before) and _calls_in(after))


def settle(
    messages: Sequence[Message], *, together: Together = in_a_batch
) -> tuple[tuple[Message, ...], tuple[Decision, ...]]:
    """Whole pairs, in order, with a decision for each message that changed.

    Args:
        messages: A history in any state. Where a call id is used twice, `one_call_per_id` comes first: a call
            that only has interim results stays open, and would take the result of the next call of its id.
        together: Which assistant messages in a row are one reply, whose results stand behind its last.

    Returns:
        The messages, and what was done. For settled input: the same objects and no decision.
    """
    if in_order(messages):
        return tuple(messages), ()
    tidy, decisions = _drop_misplaced(messages)
    paired = _pair_early(tidy, pair(tidy))
    if _settled(tidy, paired, together):
        return tidy, tuple(decisions)
    work = _Work(tidy, paired, decisions)
    owner = {result: call for call, result in paired.answer.items()}
    out: list[Message] = []
    at = 0
    while at < len(tidy):
        end = _group_end(tidy, at, together)
        calls = [(place, index) for place in range(at, end) for index in _calls_in(tidy[place])]
        behind = _behind(tidy, end, calls, owner)
        if behind is not None and not any(_has_results(tidy[place]) for place in range(at, end)):
            out.extend(tidy[at:behind])
            at = behind
            continue
        for place in range(at, end):
            out.extend(work.without_moved(place))
        out.extend(work.results_of(calls, end))
        at = end
    return tuple(out), tuple(work.decisions)


def _calls_in(message: Message) -> list[int]:
    return [index for index, part in enumerate(message.parts) if isinstance(part, ToolCall)]


def _group_end(messages: Sequence[Message], at: int, together: Together) -> int:
    """End of one reply: an assistant message and those that belong to it."""
    end = at + 1
    if messages[at].role == "assistant":
        while (
            end < len(messages)
            and messages[end].role == "assistant"
            and together(messages[end - 1], messages[end])
        ):
            end += 1
    return end


def _drop_misplaced(messages: Sequence[Message]) -> tuple[tuple[Message, ...], list[Decision]]:
    """Calls that no assistant made become text: no wire form can carry them."""
    decisions: list[Decision] = []

    def tidy(message: Message) -> Message:
        if message.role == "assistant" or not _calls_in(message):
            return message
        decisions.append(_changed(message, "misplaced-call"))
        parts = tuple(
            Text(text=f"[tool call] {part_text(part)}") if isinstance(part, ToolCall) else part
            for part in message.parts
        )
        return replace(message, parts=parts)

    return tuple(map(tidy, messages)), decisions


def _pair_early(messages: Sequence[Message], paired: Pairing) -> Pairing:
    """Also pair a result that was recorded before its call, where only these two have the id."""
    seen: dict[CallId, int] = {}
    for message in messages:
        for part in message.parts:
            if isinstance(part, (ToolCall, ToolResult)):
                seen[part.call_id] = seen.get(part.call_id, 0) + 1
    lone = {_call_id(messages, place): place for place in paired.orphans}
    early = {
        call: lone[ident]
        for call in paired.unanswered
        if (ident := _call_id(messages, call)) in lone and seen[ident] == 2
    }
    if not early:
        return paired
    return Pairing(
        {**paired.answer, **early},
        paired.interim,
        tuple(call for call in paired.unanswered if call not in early),
        tuple(place for place in paired.orphans if place not in set(early.values())),
    )


def _call_id(messages: Sequence[Message], place: Place) -> CallId:
    part = messages[place[0]].parts[place[1]]
    assert isinstance(part, (ToolCall, ToolResult))
    return part.call_id


def _settled(messages: Sequence[Message], paired: Pairing, together: Together) -> bool:
    """Whether every result stands in tool messages directly behind the reply that called for it."""
    if paired.unanswered or paired.orphans or paired.interim:
        return False
    owner = {result: call for call, result in paired.answer.items()}
    at = 0
    while at < len(messages):
        end = _group_end(messages, at, together)
        calls = [(place, index) for place in range(at, end) for index in _calls_in(messages[place])]
        behind = _behind(messages, end, calls, owner)
        if behind is None or (behind < len(messages) and _has_results(messages[behind])):
            return False
        at = behind
    return True


def _behind(
    messages: Sequence[Message], end: int, calls: Sequence[Place], owner: dict[Place, Place]
) -> int | None:
    """End of the tool messages from `end` on that answer all of these calls and hold nothing else.

    None if some call is not answered there.
    """
    waiting = set(calls)
    while end < len(messages) and messages[end].role == "tool" and waiting:
        here = [owner.get((end, index)) for index, _ in enumerate(messages[end].parts)]
        if any(call not in waiting for call in here):
            return None
        waiting.difference_update(call for call in here if call is not None)
        end += 1
    return None if waiting else end


def _has_results(message: Message) -> bool:
    return any(isinstance(part, ToolResult) for part in message.parts)


@dataclass(slots=True)
class _Work:
    """One pass over unsettled messages: what moved where."""

    messages: Sequence[Message]
    paired: Pairing
    decisions: list[Decision]
    used_ids: dict[MessageId, int] = field(default_factory=dict)

    def without_moved(self, at: int) -> list[Message]:
        """The message without results (they go behind their calls); orphans stay here, as text."""
        message = self.messages[at]
        if not _has_results(message):
            return [message]
        orphans = {index for place, index in self.paired.orphans if place == at}
        interim = {index for places in self.paired.interim.values() for place, index in places if place == at}
        if interim:
            self.decisions.append(_changed(message, "interim-superseded", results=len(interim)))
        kept: list[Part] = []
        for index, part in enumerate(message.parts):
            if index in orphans and isinstance(part, ToolResult):
                self.decisions.append(_changed(message, "orphan-result", call=part.call_id))
                kept.extend(_as_text(part))
            elif not isinstance(part, ToolResult):
                kept.append(part)
        if not kept:
            return []
        role = "user" if message.role == "tool" else message.role
        return [replace(message, id=self.fresh_id(message.id), role=role, parts=tuple(kept), extra=None)]

    def results_of(self, calls: Sequence[Place], end: int) -> list[Message]:
        """Tool messages with the answers of one reply that ends before `end`, in the order of its calls."""
        out: list[Message] = []
        unknown: list[ToolResult] = []
        source: int | None = None
        for call in calls:
            place = self.paired.answer.get(call)
            if place is None:
                part = self.messages[call[0]].parts[call[1]]
                assert isinstance(part, ToolCall)
                unknown.append(
                    ToolResult(
                        call_id=part.call_id, name=part.name, status="error", parts=(Text(text=UNKNOWN),)
                    )
                )
                continue
            result = self.messages[place[0]].parts[place[1]]
            if source == place[0]:
                out[-1] = replace(out[-1], parts=(*out[-1].parts, result))
            else:
                if place[0] != end + len(out):
                    self.decisions.append(_changed(self.messages[place[0]], "moved-behind-its-call"))
                out.append(self.moved(place[0], result))
            source = place[0]
        if unknown:
            out.append(self.outcome_unknown(calls[0][0], tuple(unknown)))
        return out

    def moved(self, at: int, result: Part) -> Message:
        """A tool message with one result of message `at`; the whole message where that is all of it."""
        message = self.messages[at]
        if message.role == "tool" and len(message.parts) == 1:
            ident = self.fresh_id(message.id)
            return message if ident == message.id else replace(message, id=ident)
        if message.role != "tool":
            self.decisions.append(_changed(message, "result-of-no-tool"))
        return replace(message, id=self.fresh_id(message.id), role="tool", parts=(result,), extra=None)

    def outcome_unknown(self, at: int, results: tuple[ToolResult, ...]) -> Message:
        """The answer to calls that nobody answered."""
        message = self.messages[at]
        ident = self.fresh_id(MessageId(f"{message.id}~outcome"))
        calls = [result.call_id for result in results]
        self.decisions.append(
            Decision(
                message=ident, verdict="added", step=STEP, reason="unanswered-call", detail={"calls": calls}
            )
        )
        return Message(id=ident, role="tool", parts=results, run=message.run)

    def fresh_id(self, ident: MessageId) -> MessageId:
        """The id itself at its first use, then with a counter: pieces of one message stay apart."""
        count = self.used_ids[ident] = self.used_ids.get(ident, 0) + 1
        return ident if count == 1 else MessageId(f"{ident}#{count}")


def _as_text(result: ToolResult) -> list[Part]:
    """A result without its call, as context that nobody said; media stay media."""
    head = f"[result of tool call {result.call_id}, which is not in this history]"
    texts = [part_text(part) for part in result.parts if not isinstance(part, Media)]
    media = [part for part in result.parts if isinstance(part, Media)]
    return [Fence(family="orphan-result", text="\n".join([head, *texts])), *media]


def _changed(message: Message, reason: str, **detail: object) -> Decision:
    return Decision(message=message.id, verdict="changed", step=STEP, reason=reason, detail=dict(detail))

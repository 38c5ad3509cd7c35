"""The context trace: the seed's view of a turn, in events, bounded to the most important ones."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from contextrail.core.ids import MessageId
from contextrail.core.json_text import Json, JsonObject
from contextrail.history.groups import ContextTracePolicy
from contextrail.history.pipeline import StepRecord
from contextrail.messages.decision import Decision
from contextrail.messages.kinds import types_of
from contextrail.messages.model import Fence, Message, Summary

_ORDER = {"dropped": 1, "added": 2, "changed": 3, "kept": 4}
"""What is shown first where not all is: losses before what stayed."""

CORE: Final = "CORE_CONTEXT"
"""The phase of what must stay, as the seed spells it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """What the view is made from."""

    before: Sequence[Message]
    after: Sequence[Message]
    decisions: Sequence[Decision]
    records: Sequence[StepRecord]
    required: frozenset[MessageId]
    cost: Callable[[Message], int]
    total: int
    """What the request may cost."""
    fixed: int
    """Cost of system and tools."""
    policy: JsonObject
    """The policy as it acted."""


def context_trace(seen: Seen, options: ContextTracePolicy) -> JsonObject:
    """The view. Names are the seed's, in our spelling; costs are 0 with `include_token_breakdown` off."""
    breakdown = options.include_token_breakdown
    events = [*_step_events(seen, breakdown), *_message_events(seen, options)]
    shown = events[: options.max_trace_events]
    final = seen.fixed + sum(map(seen.cost, seen.after))
    view: JsonObject = {
        "enabled": True,
        "include_message_ids": options.include_message_ids,
        "include_token_breakdown": breakdown,
        "max_trace_events": options.max_trace_events,
        "overflowed": len(shown) < len(events),
        "events_in_all": len(events),
        "effective_policy": seen.policy,
        "total_budget": seen.total,
        "original_count": len(seen.before),
        "final_count": len(seen.after),
        "final_tokens": final,
        "truncated": len(seen.before) != len(seen.after),
        "events": shown,
    }
    if breakdown:
        view["tokens_by_component"] = components(seen.after, seen.cost, seen.fixed)
    return view


def components(messages: Sequence[Message], cost: Callable[[Message], int], fixed: int) -> dict[str, int]:
    """What each kind of content costs; together the whole request."""
    sums = {
        "system_and_tools": fixed,
        "system": 0,
        "user": 0,
        "assistant": 0,
        "tool": 0,
        "fence": 0,
        "summary": 0,
    }
    for message in messages:
        sums[_component(message)] += cost(message)
    return sums


def without_ids(value: Json, ids: frozenset[str]) -> Json:
    """A JSON value without anything that names a message: such texts, list elements and fields are left out."""
    if isinstance(value, dict):
        return {
            key: without_ids(each, ids)
            for key, each in value.items()
            if not _names(key, ids) and not _names(each, ids)
        }
    if isinstance(value, list):
        return [without_ids(each, ids) for each in value if not _names(each, ids)]
    return value


def _names(value: object, ids: frozenset[str]) -> bool:
    """Whether a text is an id, or an id that was derived from one."""
    if not isinstance(value, str):
        return False
    return value in ids or any(value.startswith((f"{ident}~", f"{ident}#")) for ident in ids)


def _step_events(seen: Seen, breakdown: bool) -> list[JsonObject]:  # noqa: FBT001 - as the policy has it
    return [
        {
            "kind": "provider",
            "provider_name": record.name,
            "skipped": False,
            "before_kept_count": record.messages_before,
            "after_kept_count": record.messages_after,
            "before_tokens": record.cost_before if breakdown else 0,
            "after_tokens": record.cost_after if breakdown else 0,
            "token_delta": record.cost_after - record.cost_before if breakdown else 0,
            "tokens_used": record.cost_after if breakdown else 0,
            "strategies_applied": list(record.reasons),
            "remaining_budget": seen.total - seen.fixed - record.cost_after,
        }
        for record in seen.records
    ]


def _message_events(seen: Seen, options: ContextTracePolicy) -> list[JsonObject]:
    """One for each message that was there before and each that was added, losses first."""
    last: dict[str | None, Decision] = {each.message: each for each in seen.decisions}
    there = {message.id: message for message in seen.after}
    ids = {message.id for message in seen.before}
    events: list[tuple[int, JsonObject]] = []
    for index, message in enumerate(seen.before):
        events.append(_message_event(message, index, seen, last, there))
    added = (message for message in seen.after if message.id not in ids)
    events.extend(_message_event(message, -1, seen, last, there) for message in added)
    events.sort(key=lambda each: each[0])
    for _, event in events:
        if not options.include_message_ids:
            del event["message_id"]
        if not options.include_token_breakdown:
            event["tokens"] = 0
    return [event for _, event in events]


def _message_event(
    message: Message,
    index: int,
    seen: Seen,
    last: Mapping[str | None, Decision],
    there: Mapping[MessageId, Message],
) -> tuple[int, JsonObject]:
    kept = message.id in there
    decision = last.get(message.id)
    phase = _phase(message, decision, core=kept and message.id in seen.required)
    verdict = decision.verdict if decision else "kept"
    word = "kept_by" if kept else "dropped_by"
    event: JsonObject = {
        "kind": "message-decision",
        "original_index": index,
        "message_id": message.id,
        "role": message.role,
        "types": sorted(types_of(message)),
        "action": verdict if kept else "dropped",
        "phase": phase,
        "tokens": seen.cost(message),
        "kept": kept,
        "reason": f"{word}_{phase.replace('-', '_')}",
        "why": decision.reason if decision else "fits",
    }
    return _ORDER[verdict if kept else "dropped"], event


def _phase(message: Message, decision: Decision | None, *, core: bool) -> str:
    """Who decided, in the seed's word where it prints one: what must stay is core context, a fence in any case."""
    if core and (decision is None or _component(message) == "fence"):
        return CORE
    return decision.step if decision else "working_memory"


def _component(message: Message) -> str:
    if any(isinstance(part, Summary) for part in message.parts):
        return "summary"
    if message.parts and all(isinstance(part, Fence) for part in message.parts):
        return "fence"
    return message.role

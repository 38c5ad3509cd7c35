"""C1 to C12: what linnkit's context harness holds of a trace, under its names, with the sense its document gives them.

Where the harness of linnkit 0.8.0 fails on turns that its own pipeline makes, the sense is kept and the fault is not:
C11 asks for the last user input and not for all of them, C12 knows messages that were added.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import msgspec

from contextrail.core.json_text import JsonObject
from contextrail.history.draft import Draft
from contextrail.history.repair import repair
from contextrail.invariants.evidence import Broken, Check, Evidence
from contextrail.messages.kinds import current_input, types_of
from contextrail.messages.model import Message, ToolCall
from contextrail.messages.pairs import in_order, pair


def trace_enabled(seen: Evidence) -> Iterator[Broken]:
    """C1: a trace is there if the policy wants one. A turn without its request has none to show."""
    if seen.request is None and seen.view is None:
        return
    if seen.decided.policy.context_trace.enabled and (seen.view or {}).get("enabled") is not True:
        yield Broken("context_trace.enabled", "the policy wants a trace, and there is none")


def effective_policy(seen: Evidence) -> Iterator[Broken]:
    """C2: the trace names the policy that acted, window and reserve as they were resolved."""
    policy, inputs = msgspec.to_builtins(seen.decided.policy), seen.decided.inputs
    budget = {"max_tokens": inputs.window, "reserved_for_response": inputs.reserve}
    expected = {**policy, "budget": {**policy["budget"], **budget}}
    stated = _view(seen).get("effective_policy", {})
    for group in sorted({*expected, *stated}):
        if expected.get(group) != stated.get(group):
            yield Broken(
                f"effective_policy.{group}",
                f"is {stated.get(group)}, and the policy has {expected.get(group)}",
            )


def trace_options(seen: Evidence) -> Iterator[Broken]:
    """C3: the options of the trace are those of the policy."""
    view = _view(seen)
    options = seen.decided.policy.context_trace
    for name in ("include_message_ids", "include_token_breakdown", "max_trace_events"):
        if view.get(name) != getattr(options, name):
            yield Broken(name, f"is {view.get(name)}, and the policy has {getattr(options, name)}")


def event_limit(seen: Evidence) -> Iterator[Broken]:
    """C4: not more events than allowed, and exactly so many where some were left out."""
    view = _view(seen)
    count, limit = len(view["events"]), view["max_trace_events"]
    if count > limit:
        yield Broken("events", f"there are {count}, {limit} are allowed")
    if view["overflowed"] and count != limit:
        yield Broken("overflowed", f"some events were left out, yet there are {count} and not {limit}")
    if not view["overflowed"] and count != view["events_in_all"]:
        yield Broken("overflowed", f"{view['events_in_all'] - count} events are missing without a word")


def final_counts(seen: Evidence) -> Iterator[Broken]:
    """C5: the counts of messages are those of the lists."""
    view = _view(seen)
    for name, messages in (("original_count", seen.originals), ("final_count", seen.final)):
        if view[name] != len(messages):
            yield Broken(name, f"is {view[name]}, and there are {len(messages)}")


def within_budget(seen: Evidence) -> Iterator[Broken]:
    """C6: the final cost is within the whole budget."""
    final, total = _view(seen)["final_tokens"], _view(seen)["total_budget"]
    if final < 0 or total < 0 or final > total:
        yield Broken("final_tokens", f"{final} of {total}")


def step_delta(seen: Evidence) -> Iterator[Broken]:
    """C7: each step's difference is its cost after less its cost before."""
    for event in _events(seen, "provider"):
        if event["token_delta"] != event["after_tokens"] - event["before_tokens"]:
            yield Broken(event["provider_name"], f"token_delta is {event['token_delta']}")


def detail_options(seen: Evidence) -> Iterator[Broken]:
    """C8: no ids where they are off, no costs of single messages and steps where these are off."""
    view = _view(seen)
    for at, event in enumerate(view["events"]):
        if not view["include_message_ids"] and "message_id" in event:
            yield Broken(f"events[{at}]", "names a message, and ids are off")
        costs = [value for name, value in event.items() if "token" in name and isinstance(value, int)]
        if not view["include_token_breakdown"] and any(costs):
            yield Broken(f"events[{at}]", "tells a cost, and costs are off")


def decision_reason(seen: Evidence) -> Iterator[Broken]:
    """C9: the reason begins with what became of the message."""
    for event in _events(seen, "message-decision"):
        begins = "kept_by_" if event["kept"] else "dropped_by_"
        if not event["reason"].startswith(begins):
            yield Broken(_name(event), f"kept is {event['kept']}, and its reason {event['reason']}")


def pair_decisions(seen: Evidence) -> Iterator[Broken]:
    """C10: a call and its result stay or go together. Asked of histories whose pairs are whole and whose ids are used once."""
    kept = _kept(seen)
    ids = [message.id for message in seen.originals]
    if kept is None or len(set(ids)) != len(ids) or not in_order(seen.originals):
        return
    calling = {
        message.id for message in seen.final if any(isinstance(part, ToolCall) for part in message.parts)
    }
    for call, result in pair(seen.originals).answer.items():
        here, there = ids[call[0]], ids[result[0]]
        collapsed = here not in calling and not kept.get(
            there
        )  # one line stands for both, under the call's id
        if not collapsed and kept.get(here) != kept.get(there):
            yield Broken(here, f"kept is {kept.get(here)}, and {kept.get(there)} of its result {there}")


def must_keep_types(seen: Evidence) -> Iterator[Broken]:
    """C11: messages of the types that the policy always keeps were kept; of `user_input` the last."""
    kept = _kept(seen)
    if kept is None:
        return
    for message in required_by_type(seen):
        if not kept.get(message.id, message.id not in {each.id for each in seen.originals}):
            yield Broken(message.id, "is of a type that the policy always keeps, and was not kept")


def host_tokenizer(seen: Evidence) -> Iterator[Broken]:
    """C12: every cost in the trace is what the tokenizer of the host says."""
    view = _view(seen)
    if view["overflowed"] or not view["include_token_breakdown"]:
        return
    by_id = {message.id: message for message in seen.final}
    for event in _events(seen, "message-decision"):
        at = event["original_index"]
        message = (
            seen.originals[at] if 0 <= at < len(seen.originals) else by_id.get(event.get("message_id", ""))
        )
        if message is None:
            if "message_id" in event or at >= 0:
                yield Broken(_name(event), f"original_index {at} names no message")
        elif event["tokens"] != seen.cost(message):
            yield Broken(
                message.id, f"costs {event['tokens']} in the trace, {seen.cost(message)} by the tokenizer"
            )
    whole = seen.turn.after.high
    if view["final_tokens"] != whole:
        yield Broken("final_tokens", f"is {view['final_tokens']}, and the tokenizer counts {whole}")


def required_by_type(seen: Evidence) -> list[Message]:
    """Messages, after repair, whose type says that no budget may remove them."""
    tidy = repair(Draft(seen.originals)).messages
    types = frozenset(seen.decided.policy.must_keep.always_keep_types)
    last = current_input(tidy)
    found = [message for message in tidy if types_of(message) & (types - {"user_input"})]
    if "user_input" in types and last is not None:
        found.append(tidy[last])
    return found


def _view(seen: Evidence) -> JsonObject:
    return seen.view or {}


def _events(seen: Evidence, kind: str) -> Iterator[dict[str, Any]]:
    return (event for event in _view(seen)["events"] if event["kind"] == kind)


def _name(event: dict[str, Any]) -> str:
    return str(event.get("message_id", f"message {event['original_index']}"))


def _kept(seen: Evidence) -> dict[str, bool] | None:
    """What the trace says of each message; None: not of all of them."""
    view = _view(seen)
    if view["overflowed"] or not view["include_message_ids"]:
        return None
    return {event["message_id"]: event["kept"] for event in _events(seen, "message-decision")}


NEED_A_TRACE: Final[dict[str, Check]] = {
    "C2_EFFECTIVE_POLICY_MATCHES_EXPECTED": effective_policy,
    "C3_TRACE_OPTIONS_MATCH_POLICY": trace_options,
    "C4_TRACE_EVENT_LIMIT": event_limit,
    "C5_FINAL_COUNTS_MATCH_MESSAGES": final_counts,
    "C6_FINAL_TOKENS_WITHIN_BUDGET": within_budget,
    "C7_PROVIDER_TOKEN_DELTA": step_delta,
    "C8_TRACE_DETAIL_OPTIONS": detail_options,
    "C9_MESSAGE_DECISION_REASON": decision_reason,
    "C10_TOOL_PAIR_DECISIONS_STAY_TOGETHER": pair_decisions,
    "C11_MUST_KEEP_TYPES_KEPT": must_keep_types,
    "C12_HOST_TOKENIZER_DRIVES_BUDGET": host_tokenizer,
}
TRACE_ENABLED: Final = "C1_TRACE_ENABLED_MATCHES_POLICY"

"""Fences: what an earlier turn left behind goes, what this turn injects gets its place and its share."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final

from contextrail.core.digest import canonical_json, sha256
from contextrail.core.ids import MessageId
from contextrail.history.context import Context
from contextrail.history.draft import Change, Draft
from contextrail.history.fence_kinds import FenceDescriptor, FenceInjection, Placement
from contextrail.history.fence_registry import check_injections
from contextrail.history.fence_text import wrap
from contextrail.history.shares import Share, hold
from contextrail.messages.decision import Decision
from contextrail.messages.kinds import current_input
from contextrail.messages.model import Fence, Message, Part
from contextrail.messages.pairs import continues, units

STEP: Final = "fences"


def fences(draft: Draft, context: Context) -> Draft:
    """End what has lived its time, place what this turn injects, hold each family to its share.

    Raises:
        InvalidRequest: An injection is of a kind that is not registered, or would end its own fence.
        BudgetExceeded: A family that must be kept does not fit its share even shortened.
    """
    draft = place_fences(expire_fences(draft), context)
    for descriptor in context.registry.descriptors if context.registry is not None else ():
        if descriptor.max_budget_fraction is not None:
            draft = hold(draft, context, _share(descriptor, descriptor.max_budget_fraction, context))
    return draft


def expire_fences(draft: Draft) -> Draft:
    """Take out fences of one request, and turn-only ones whose turn is over.

    A turn is known by the id of the user input that began it, never by position.
    """
    at = current_input(draft.messages)
    turn = None if at is None else draft.messages[at].id

    def ended(part: Part) -> bool:
        return isinstance(part, Fence) and part.lifetime == "request"

    def over(part: Part) -> bool:
        return isinstance(part, Fence) and part.lifetime == "turn-only" and part.turn != turn

    draft = draft.edit(lambda message: _without(message, ended), step=STEP, reason="request-over")
    return draft.edit(lambda message: _without(message, over), step=STEP, reason="turn-over")


def place_fences(draft: Draft, context: Context) -> Draft:
    """Insert what the current turn injects; what is there already, from an earlier request, is not put twice.

    Several at one place keep the order in which the host gave them. None stands between a call and
    its result.

    Raises:
        InvalidRequest: As in `fences`.
    """
    if not context.fences:
        return draft
    check_injections(context.registry, context.fences)
    assert context.registry is not None
    at = current_input(draft.messages)
    turn = None if at is None else draft.messages[at].id
    places = _places(draft.messages, at)
    there = {message.id for message in draft.messages}
    put: defaultdict[int, list[Message]] = defaultdict(list)
    decisions: list[Decision] = []
    nth: Counter[MessageId] = Counter()
    kinds = tuple(each.kind for each in context.registry.descriptors)
    for injection in context.fences:
        descriptor = context.registry.get(injection.kind)
        assert descriptor is not None
        ident = _ident(descriptor, injection, turn)
        nth[ident] += 1
        ident = ident if nth[ident] == 1 else MessageId(f"{ident}-{nth[ident]}")
        if ident in there or not injection.content.strip():
            continue
        where = places[descriptor.placement]
        text = wrap(descriptor, injection.content, injection.attrs, kinds)
        fence = Fence(family=descriptor.kind, text=text, lifetime=descriptor.lifetime, turn=turn)
        run = draft.messages[where - 1].run if where else 0
        put[where].append(Message(id=ident, role=descriptor.llm_role, parts=(fence,), run=run))
        decisions.append(_added(ident, descriptor))
    if not put:
        return draft
    merged: list[Message] = []
    for index in range(len(draft.messages) + 1):
        merged.extend(put[index])
        merged.extend(draft.messages[index : index + 1])
    return draft.with_messages(merged, decisions)


def _places(messages: Sequence[Message], at: int | None) -> dict[Placement, int]:
    """Index before which a fence of each placement goes, relative to the current turn that began at `at`."""
    front = next((index for index, each in enumerate(messages) if each.role != "system"), len(messages))
    if at is None:
        return {
            "after-system": front,
            "before-current-user": front,
            "after-current-user": front,
            "after-last-tool-result": _behind_results(messages, front),
        }
    behind = at + 1
    while behind < len(messages) and continues(messages[behind]):
        behind += 1
    return {
        "after-system": front,
        "before-current-user": at,
        "after-current-user": behind,
        "after-last-tool-result": _behind_results(messages, behind),
    }


def _behind_results(messages: Sequence[Message], start: int) -> int:
    """End of the last tool group from `start` on; the end of all where there is none."""
    for unit in reversed(units(messages)):
        if unit.start < start:
            break
        if any(messages[index].role == "tool" for index in unit):
            return unit.stop
    return len(messages)


def _without(message: Message, gone: Callable[[Part], bool]) -> Change:
    kept = tuple(part for part in message.parts if not gone(part))
    if len(kept) == len(message.parts):
        return message, {}
    return (replace(message, parts=kept) if kept else None), {"fences": len(message.parts) - len(kept)}


def _ident(descriptor: FenceDescriptor, injection: FenceInjection, turn: MessageId | None) -> MessageId:
    """The same for the same content; one that lives for a turn has another id in each turn."""
    said = [injection.content, injection.attrs, turn if descriptor.lifetime == "turn-only" else None]
    return MessageId(f"fence-{descriptor.kind}-{sha256(canonical_json(said))[:12]}")


def _added(ident: MessageId, descriptor: FenceDescriptor) -> Decision:
    detail = {
        "kind": descriptor.kind,
        "role": descriptor.llm_role,
        "placement": descriptor.placement,
        "lifetime": descriptor.lifetime,
    }
    return Decision(message=ident, verdict="added", step=STEP, reason="injected", detail=detail)


def _share(descriptor: FenceDescriptor, fraction: float, context: Context) -> Share:
    return Share(
        kind=descriptor.kind,
        fraction=fraction,
        step=STEP,
        name="max-budget-fraction",
        required=descriptor.must_keep or descriptor.kind in context.policy.must_keep.always_keep_fence_kinds,
    )

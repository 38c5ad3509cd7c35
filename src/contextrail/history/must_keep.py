"""Must keep: which messages no budget may remove, and how much a fence family among them may take."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from contextrail.core.ids import MessageId
from contextrail.history.context import Context
from contextrail.history.draft import Draft
from contextrail.history.shares import Share, hold
from contextrail.messages.kinds import current_input, types_of
from contextrail.messages.model import Fence, Message
from contextrail.messages.pairs import units

STEP: Final = "must_keep"


def must_keep(draft: Draft, context: Context) -> Draft:
    """Apply the truncation rules, then name what must stay.

    Raises:
        BudgetExceeded: A fence family does not fit its share even shortened.
    """
    seen: set[str] = set()
    for rule in context.policy.must_keep.truncation_rules:
        if rule.fence_kind not in seen:
            seen.add(rule.fence_kind)
            share = Share(
                kind=rule.fence_kind,
                fraction=rule.max_budget_fraction,
                step=STEP,
                name=rule.strategy_name,
                required=rule.fence_kind in _kinds(context),
            )
            draft = hold(draft, context, share)
    return draft.requiring(required_ids(draft.messages, context))


def required_ids(messages: Sequence[Message], context: Context) -> frozenset[MessageId]:
    """Ids of the messages that no budget may remove, each with the rest of its unit.

    These are: the last user input; what the host pinned; every message of a type that the policy names (of
    `user_input` only the last); every fence of a kind that the policy or its family names; injected fences that
    speak as the system.
    """
    wanted = frozenset(context.policy.must_keep.always_keep_types) - {"user_input"}
    kinds = _kinds(context)
    question = (required_ids, wanted, kinds, context.pinned)
    return context.memo.of(question, messages, lambda those: _required(those, wanted, kinds, context.pinned))


def _required(
    messages: Sequence[Message], wanted: frozenset[str], kinds: frozenset[str], pinned: frozenset[MessageId]
) -> frozenset[MessageId]:
    at = current_input(messages)
    found = set() if at is None else {messages[at].id}
    for unit in units(messages):
        members = [messages[index] for index in unit]
        if any(each.id in pinned or types_of(each) & wanted or _kept_fence(each, kinds) for each in members):
            found |= {each.id for each in members}
    return frozenset(found)


def _kinds(context: Context) -> frozenset[str]:
    families = context.registry.descriptors if context.registry is not None else ()
    listed = context.policy.must_keep.always_keep_fence_kinds
    return frozenset((*listed, *(each.kind for each in families if each.must_keep)))


def _kept_fence(message: Message, kinds: frozenset[str]) -> bool:
    return any(
        isinstance(part, Fence)
        and (part.family in kinds or (message.role == "system" and part.lifetime is not None))
        for part in message.parts
    )

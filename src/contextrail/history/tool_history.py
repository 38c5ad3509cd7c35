"""Tool history: pairs of earlier runs become lines; the latest stay callable pairs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from contextrail.core.errors import ToolHistoryOverflow
from contextrail.history.collapse import collapse
from contextrail.history.context import Context
from contextrail.history.draft import Draft
from contextrail.history.interactions import Interaction, current_start, interactions
from contextrail.history.obligations import open_messages
from contextrail.history.policy import DEFAULT_GROUPS
from contextrail.messages.decision import Decision, Verdict
from contextrail.messages.model import Message

STEP: Final = "tool_history"


def tool_history(draft: Draft, context: Context) -> Draft:
    """Collapse the groups that the policy does not keep; not the current run, nothing that is still owed or pinned.

    Raises:
        ToolHistoryOverflow: More groups than `max_interaction_groups`, and the policy says to fail.
    """
    history = draft.messages[: current_start(draft.messages)]
    owed = open_messages(draft.messages, context.policy.obligations) | context.pinned
    done = [
        group
        for group in interactions(history)
        if group.complete and owed.isdisjoint(draft.messages[at].id for at in group.at)
    ]
    kept = _selected(done, context)
    kept = _capped(kept, draft, context)
    gone = [group for group in done if group not in kept]
    return collapse_groups(draft, gone, context, step=STEP) if gone else draft


def collapse_groups(
    draft: Draft, groups: Sequence[Interaction], context: Context, *, step: str, reason: str = "collapsed"
) -> Draft:
    """Put a record in the place of each group, with a decision for every message of it."""
    starts = {group.at.start: group for group in groups}
    messages: list[Message] = []
    decisions: list[Decision] = []
    at = 0
    while at < len(draft.messages):
        group = starts.get(at)
        if group is None:
            messages.append(draft.messages[at])
            at += 1
            continue
        members = draft.messages[at : group.at.stop]
        made = collapse(members, context)
        messages.append(made.message)
        draft = draft.storing(made.blobs)
        for member in members:
            verdict: Verdict = "changed" if member.id == made.message.id else "dropped"
            detail = made.detail if verdict == "changed" else {"into": made.message.id, **made.detail}
            decisions.append(
                Decision(message=member.id, verdict=verdict, step=step, reason=reason, detail=detail)
            )
        at = group.at.stop
    return draft.with_messages(messages, decisions)


def _selected(groups: list[Interaction], context: Context) -> list[Interaction]:
    """Groups that stay pairs by the strategy, and the latest checkpoint in any case."""
    policy = context.policy.tool_history
    trigger = context.policy.checkpoint.trigger_tool_name
    checkpoint = next((group for group in reversed(groups) if trigger in group.tools), None)
    if policy.strategy == "none":
        return groups
    if policy.strategy == "per-run":
        runs = sorted({group.run for group in groups})
        latest = runs[max(0, len(runs) - policy.keep_latest_runs) :] if policy.keep_latest_runs else []
        return [group for group in groups if group.run in latest or group is checkpoint]
    plain = [group for group in groups if trigger not in group.tools]
    last = plain[max(0, len(plain) - policy.keep_latest_tool_pairs) :]
    return [group for group in groups if group in last or group is checkpoint]


def _capped(groups: list[Interaction], draft: Draft, context: Context) -> list[Interaction]:
    """At most so many groups; a number nobody set yields to a free budget."""
    policy = context.policy.tool_history
    cap = policy.max_interaction_groups
    if cap is None:
        free = context.limit - sum(map(context.cost, draft.messages))
        cap = DEFAULT_GROUPS if free < 0 else len(groups)
    if len(groups) <= cap:
        return groups
    if policy.overflow_strategy == "fail-fast":
        raise ToolHistoryOverflow(
            f"{len(groups)} tool groups of earlier runs are more than max_interaction_groups {cap}",
            groups=len(groups),
            cap=cap,
            fatal=True,
            cure="raise tool_history.max_interaction_groups, or set overflow_strategy to keep-latest",
        )
    trigger = context.policy.checkpoint.trigger_tool_name
    newest = sorted(groups, key=lambda group: group.at.stop, reverse=True)
    checkpoint = [group for group in newest if trigger in group.tools][:1]
    others = [group for group in newest if group not in checkpoint]
    taken = [*checkpoint, *others][:cap]
    return [group for group in groups if group in taken]

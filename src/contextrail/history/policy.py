"""Policy: every knob of the core as one frozen tree, and the rules that hold between its parts."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import Final, Literal, NoReturn, get_args

from contextrail.core.errors import InvalidRequest
from contextrail.history.fence_kinds import KIND
from contextrail.history.groups import (
    BudgetPolicy,
    CheckpointPolicy,
    CompactionPolicy,
    ContextTracePolicy,
    Group,
    MessageType,
    MustKeepPolicy,
    ObligationsPolicy,
    ProviderReplayPolicy,
    ReadsPolicy,
    ReasoningRetentionPolicy,
    ReminderRule,
    SummarizationPolicy,
    SystemReminderPolicy,
    TokenEstimationPolicy,
    ToolHistoryPolicy,
    ToolOutputPolicy,
    Word,
    WorkingMemoryPolicy,
)
from contextrail.history.reminder_rules import refuse_unknown_ids

DEFAULT_GROUPS: Final = 12
"""Groups of earlier runs in structured form, where `tool_history.max_interaction_groups` is not set."""
DEFAULT_AGENT: Final = "history_compression"
"""The summary agent where `summarization.agent_id` is not set."""
BUILT_IN_RULES: Final = (
    "max_steps_force_final_answer",
    "last_steps_hint",
    "tool_call_streak_every_ten",
    "periodic_taskstate_reflection",
    "context_budget_warning",
)
"""Ids of the reminders that are always there, in their order."""
BUILT_IN_TRIGGERS: Final = (
    "phase-equals",
    "remaining-steps-leq",
    "step-count-modulo",
    "tool-call-streak",
    "budget-warning",
    "agent-has-tool",
)
"""Kinds of triggers that are always there."""
OTHER_CUTS: Final = frozenset(
    {"tail", "end", "last", "latest", "newest", "middle", "drop", "omit", "summarize", "summarise"}
)
"""Words in the name of a truncation rule that promise another cut than the one there is: from the end."""
UNMATCHED_TYPES: Final = frozenset(get_args(MessageType)[-6:])


class Policy(Group, frozen=True):
    """Everything that can be tuned. Equal policies and inputs give equal turns."""

    profile_id: Word = "agent"
    """A name for the policy, shown in traces."""
    stability: Literal["batched", "recompute"] = "batched"
    """`batched`: what was reduced stays as it is until the next batch, so that a cached prefix lives;
    `recompute`: every turn is reduced anew."""
    redaction: Literal["redact", "report", "off"] = "redact"
    """Secrets on every way out: replaced by typed placeholders, only reported, or not looked for."""
    budget: BudgetPolicy = BudgetPolicy()
    tool_history: ToolHistoryPolicy = ToolHistoryPolicy()
    tool_output: ToolOutputPolicy = ToolOutputPolicy()
    provider_replay: ProviderReplayPolicy = ProviderReplayPolicy()
    summarization: SummarizationPolicy = SummarizationPolicy()
    must_keep: MustKeepPolicy = MustKeepPolicy()
    working_memory: WorkingMemoryPolicy = WorkingMemoryPolicy()
    checkpoint: CheckpointPolicy = CheckpointPolicy()
    reasoning_retention: ReasoningRetentionPolicy = ReasoningRetentionPolicy()
    token_estimation: TokenEstimationPolicy = TokenEstimationPolicy()
    system_reminder: SystemReminderPolicy = SystemReminderPolicy()
    context_trace: ContextTracePolicy = ContextTracePolicy()
    compaction: CompactionPolicy = CompactionPolicy()
    reads: ReadsPolicy = ReadsPolicy()
    obligations: ObligationsPolicy = ObligationsPolicy()


def check_together(policy: Policy, *, place: str) -> None:
    """The rules between settings; those of a single one are in its type.

    Raises:
        InvalidRequest: Two settings exclude each other; facts: `place`, `path`.
    """
    _check_budget(policy, place)
    _check_tools(policy, place)
    _check_reminders(policy, place)


def settings_without_effect(policy: Policy) -> tuple[str, ...]:
    """What is set but does nothing here, one sentence each with its path."""
    found: list[str] = []
    plain = Policy()
    if policy.working_memory.tool_pairing_search_range != plain.working_memory.tool_pairing_search_range:
        found.append("working_memory.tool_pairing_search_range: calls and results are paired at any distance")
    if policy.token_estimation.avg_chars_per_token is not None:
        found.append("token_estimation.avg_chars_per_token: no count falls back to a ratio")
    if policy.token_estimation.tool_call_overhead is not None and policy.token_estimation.encoding is None:
        found.append("token_estimation.tool_call_overhead: it needs token_estimation.encoding")
    found.extend(
        f"must_keep.always_keep_types: no message here is a {word}"
        for word in policy.must_keep.always_keep_types
        if word in UNMATCHED_TYPES
    )
    extra = {rule.id for rule in policy.system_reminder.extra_rules}
    found.extend(
        f"system_reminder.disabled_rule_ids: {ident} is one of extra_rules, which are always on"
        for ident in policy.system_reminder.disabled_rule_ids
        if ident in extra
    )
    for index, rule in enumerate(policy.system_reminder.extra_rules):
        path = f"system_reminder.extra_rules[{index}]"
        found.extend(f"{path}.{why}" for why in _idle(rule))
    listed = (
        *policy.must_keep.always_keep_fence_kinds,
        *(rule.fence_kind for rule in policy.must_keep.truncation_rules),
    )
    found.extend(
        f"must_keep: no fence kind can be named {kind}, for it is not kebab-case"
        for kind in dict.fromkeys(listed)
        if not KIND.fullmatch(kind)
    )
    found.extend(
        f"must_keep.truncation_rules[{index}].strategy_name: {rule.strategy_name} is only a name for the trace; "
        "the beginning of a fence stays, its end is cut"
        for index, rule in enumerate(policy.must_keep.truncation_rules)
        if OTHER_CUTS & set(re.split(r"[^a-z]+", _spaced(rule.strategy_name)))
    )
    return tuple(found)


def _spaced(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", name).lower()


def _idle(rule: ReminderRule) -> Iterator[str]:
    """What of a rule with built-in names does nothing."""
    trigger = rule.trigger
    needs = {
        "phase-equals": (isinstance(trigger.value, str), "value"),
        "step-count-modulo": (bool(trigger.period) or (trigger.threshold or 0) >= 1, "period"),
        "agent-has-tool": (bool(trigger.tool_name) or isinstance(trigger.value, str), "tool_name"),
    }
    enough, name = needs.get(trigger.kind, (True, ""))
    if not enough:
        yield f"trigger: a rule of the kind {trigger.kind} never fires without {name}"
    if trigger.config and trigger.kind in BUILT_IN_TRIGGERS:
        yield f"trigger.config: the kind {trigger.kind} takes none"
    if rule.content_args and rule.content_template in BUILT_IN_RULES:
        yield f"content_args: the template {rule.content_template} takes none"


def _check_budget(policy: Policy, place: str) -> None:
    budget = policy.budget
    reserved = (budget.reserved_for_response or 0) + budget.reserved_for_safety
    if budget.max_tokens is not None and reserved >= budget.max_tokens:
        _refuse(
            place,
            "$.budget.reserved_for_response",
            f"reserves of {reserved} leave nothing of max_tokens {budget.max_tokens}",
            cure="lower the reserves, or raise max_tokens",
        )


def _check_tools(policy: Policy, place: str) -> None:
    tools = policy.tool_history
    recent = policy.working_memory.max_recent_tool_interactions
    cap = tools.max_interaction_groups
    if cap is not None and cap < recent:
        _refuse(
            place,
            "$.tool_history.max_interaction_groups",
            f"{cap} is less than working_memory.max_recent_tool_interactions {recent}",
            cure=f"set it to {recent} or more, or lower working_memory.max_recent_tool_interactions",
        )
    if tools.max_output_summary_tokens > tools.max_pair_tokens:
        _refuse(
            place,
            "$.tool_history.max_output_summary_tokens",
            f"{tools.max_output_summary_tokens} is more than max_pair_tokens {tools.max_pair_tokens}",
            cure=f"set it to {tools.max_pair_tokens} or less, or raise max_pair_tokens",
        )


def _check_reminders(policy: Policy, place: str) -> None:
    reminder = policy.system_reminder
    if reminder.enabled_rule_ids is not None and reminder.disabled_rule_ids:
        _refuse(
            place,
            "$.system_reminder.disabled_rule_ids",
            "a list of disabled rules excludes enabled_rule_ids; give one of the two",
            cure="leave one of the two lists out",
        )
    refuse_unknown_ids(reminder, place=place)
    uses = Counter([*BUILT_IN_RULES, *(rule.id for rule in reminder.extra_rules)])
    for index, rule in enumerate(reminder.extra_rules):
        if uses[rule.id] > 1:
            path = f"$.system_reminder.extra_rules[{index}].id"
            _refuse(place, path, f"{rule.id} is used twice", cure="give each rule an id of its own")


def _refuse(place: str, path: str, why: str, *, cure: str) -> NoReturn:
    raise InvalidRequest(f"{place}: {path}: {why}", place=place, path=path, cure=cure)

"""The groups of the policy: every knob of the history, with its range and its default.

Sizes are in the tokenizer's unit unless a name says otherwise; fractions are in [0, 1]. Where a default
differs from the seed's, `docs/policy.md` says why.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec

Positive = Annotated[int, msgspec.Meta(ge=1)]
NotNegative = Annotated[int, msgspec.Meta(ge=0)]
Share = Annotated[float, msgspec.Meta(gt=0, le=1)]
"""A fraction of something that is there: more than none of it."""
Fraction = Annotated[float, msgspec.Meta(ge=0, le=1)]
Word = Annotated[str, msgspec.Meta(min_length=1, pattern=r"\S")]
"""A text that is not blank."""

MessageType = Literal[
    "system_prompt",
    "history_summary",
    "context_injection",
    "user_input",
    "image",
    "thought",
    "final_answer",
    "tool_calls",
    "tool_output",
    "context_before",
    "context_after",
    "document_fragment",
    "task_request",
    "tool_code",
    "task_completion",
]
"""The seed's types of messages; the last six have no counterpart here and match nothing."""


class Group(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A frozen set of settings that refuses names it does not know."""


class BudgetPolicy(Group, frozen=True):
    """How the context window is split."""

    max_tokens: Positive | None = None
    """The window as far as the policy knows; the smallest of all values given wins. None: not given, so the
    model table, else 120,000."""
    reserved_for_response: NotNegative | None = None
    """Kept free for the answer; the largest of all values given wins. None: not given, so 2,400, but never
    more than a fiftieth of the window."""
    reserved_for_safety: NotNegative = 0
    """Kept free for what nobody counted."""
    working_memory_budget_percentage: Share = 0.70
    """How much of the request working memory fills by priority before the last pass over what is left."""


class ToolHistoryPolicy(Group, frozen=True):
    """What becomes of tool pairs of earlier runs."""

    strategy: Literal["per-run", "per-pair", "none"] = "per-run"
    """`per-run`: pairs of the latest runs stay, `per-pair`: the latest pairs stay, `none`: all stay; the others
    are collapsed to one line each."""
    keep_latest_tool_pairs: NotNegative = 2
    """Under `per-pair`."""
    keep_latest_runs: NotNegative = 1
    """Under `per-run`: runs with tool pairs before the current one."""
    max_interaction_groups: NotNegative | None = None
    """Most groups of earlier runs kept in structured form. None: 12, yielding to a free budget."""
    overflow_strategy: Literal["keep-latest", "fail-fast"] = "keep-latest"
    """Beyond that number: collapse the older ones, or raise `tool_history_overflow`."""
    max_pair_tokens: Positive = 6_000
    """A group that costs more has its results shortened."""
    max_output_summary_tokens: Positive = 1_000
    """To how much each; also the longest text of a collapsed or degraded group."""


class ObservationPolicy(Group, frozen=True):
    """When a tool result is shown in part only; all of it goes to the store first."""

    enabled: bool = True
    """Off: results are shown whole, whatever their length."""
    max_chars: Positive = 20_000
    """Characters beyond which a result is previewed."""
    max_lines: Positive = 1_200
    """Lines beyond which it is."""
    max_tokens: Positive | None = None
    """None: characters and lines alone decide."""


class ToolOutputPolicy(Group, frozen=True):
    """Long tool results."""

    observation_governance: ObservationPolicy = ObservationPolicy()


class ProviderReplayPolicy(Group, frozen=True):
    """What to do with earlier tool groups whose reasoning details are missing, where a route wants them."""

    provider: Word | None = None
    """A name for the route, shown in traces."""
    requires_reasoning_details_for_tool_replay: bool | None = None
    """None: no, unless the host says so."""
    missing_sidecar_behavior: Literal["allow", "degrade_to_text", "provider_empty_replay_field"] | None = None
    """None: `allow`, unless the host says so."""


class SummarizationPolicy(Group, frozen=True):
    """When and how old messages are replaced by a summary."""

    trigger_threshold: Share = 0.70
    """Share of the history budget that the would-be history may cost before a summary is planned."""
    budget_percentage: Annotated[float, msgspec.Meta(gt=0, le=0.5)] = 0.12
    """Most that a summary may cost, as a share of the history budget."""
    oldest_messages_percentage: Share = 0.75
    """How much of what may be summarized is taken, from the oldest on."""
    agent_id: Word | None = None
    """The registered summary agent. None: `history_compression`."""
    model_id: Word | None = None
    """Model of the summary request. None: the agent's own."""
    fallback_model_id: Word | None = None
    """Asked when the first model failed for good. None: none."""
    max_retries: NotNegative = 3
    """Attempts per model beyond the first."""
    retry_delay_ms: NotNegative = 1_000
    """Wait before the n-th retry: n times this."""
    failure_behavior: Literal["fail-fast", "continue-if-within-budget"] = "fail-fast"
    """After a failed or blank summary: raise `summarization_failed`, or go on while everything fits."""
    check: Literal["enforce", "report", "off"] = "enforce"
    """Claims of a summary without support in what it covers: cut, only reported, or not looked for."""


class TruncationRule(Group, frozen=True):
    """How much a fence family may take."""

    fence_kind: Word
    max_budget_fraction: Share
    """Of the request's budget."""
    strategy_name: Word
    """A name for the trace; the beginning stays whatever it is."""


class MustKeepPolicy(Group, frozen=True):
    """What no budget may remove."""

    always_keep_types: tuple[MessageType, ...] = ("system_prompt", "user_input")
    """`user_input`: the last thing the user said (which stays in any case); of other types every message."""
    always_keep_fence_kinds: tuple[Word, ...] = ()
    """Families of fences that stay, besides those whose descriptor says so."""
    truncation_rules: tuple[TruncationRule, ...] = ()
    """The first rule for a kind counts."""


class WorkingMemoryPolicy(Group, frozen=True):
    """How history is filled when it does not fit."""

    max_recent_tool_interactions: NotNegative = 2
    """Tool groups of earlier runs that come before text."""
    min_tool_interactions_to_keep: NotNegative = 2
    """Tool groups that are kept in some form, if need be as stubs."""
    tool_pairing_search_range: Positive = 10
    """Accepted, without effect: pairs are made by id and position, at any distance."""


class CheckpointPolicy(Group, frozen=True):
    """The cut an agent asks for."""

    keep_pairs_before: NotNegative = 2
    """Tool groups before the checkpoint that stay."""
    trigger_tool_name: Word = "context_checkpoint"
    """The tool whose own result, if it holds the marker, is a checkpoint."""
    max_checkpoints: NotNegative = 10
    """How often a checkpoint may reset the host's count of steps."""


class ReasoningRetentionPolicy(Group, frozen=True):
    """How much thinking stays."""

    keep_latest_thoughts: NotNegative = 1
    """Messages whose thinking stays, newest first; what a provider needs back stays in any case."""


class TokenEstimationPolicy(Group, frozen=True):
    """How tokens are counted where the caller names no tokenizer."""

    encoding: Literal["o200k_base", "cl100k_base"] | None = None
    """None: the tokenizer of the model, by the model table."""
    avg_chars_per_token: Annotated[float, msgspec.Meta(gt=0)] | None = None
    """Accepted, without effect: both encodings are shipped, so nothing has to be guessed."""
    tool_call_overhead: NotNegative | None = None
    """Tokens of a call beyond its text, with `encoding`. None: as measured for the provider."""


class ReminderThresholds(Group, frozen=True):
    """When the built-in rules fire."""

    tool_call_streak: NotNegative = 10
    """Calls since the last user input; 0: never."""
    taskstate_reflection_period: Positive = 30
    """Steps."""
    budget_warning_ratio: Fraction = 0.9
    """Of the steps a run may take."""
    last_steps_hint_threshold: NotNegative | None = None
    """Remaining steps; 0: never. None: what the loop itself says."""


class ReminderTrigger(Group, frozen=True):
    """When a rule fires; what each field means is up to the kind."""

    kind: Word
    threshold: Annotated[float, msgspec.Meta(ge=0)] | None = None
    value: str | float | bool | None = None
    modulo_step: bool | None = None
    tool_name: Word | None = None
    period: Positive | None = None
    min_step: NotNegative | None = None
    ratio: Fraction | None = None
    config: dict[str, Any] = {}


class ReminderRule(Group, frozen=True):
    """A rule of the host: names of a trigger and a template, and arguments, never code."""

    id: Word
    trigger: ReminderTrigger
    content_template: Word
    content_args: dict[str, Any] = {}


class SystemReminderPolicy(Group, frozen=True):
    """What is said at the end of the last message, for one request only."""

    enabled_rule_ids: tuple[Word, ...] | None = None
    """None: all built-in rules."""
    disabled_rule_ids: tuple[Word, ...] = ()
    thresholds: ReminderThresholds = ReminderThresholds()
    extra_rules: tuple[ReminderRule, ...] = ()
    """The host's own: names of a registered trigger and template, and arguments."""


class ContextTracePolicy(Group, frozen=True):
    """How much the trace shows."""

    enabled: bool = False
    """The seed's view in the trace; `--trace` turns it on."""
    include_message_ids: bool = True
    """Off: the trace names no message and no call."""
    include_token_breakdown: bool = True
    """Off: costs of single messages and steps are 0."""
    max_trace_events: Positive = 200
    """The most important events are kept; decisions are complete in the turn in any case."""


class CompactionPolicy(Group, frozen=True):
    """Automatic compaction: the same mechanism as summarization, with the whole window as its measure."""

    enabled: bool = True
    """Off: only the share of the history budget triggers."""
    threshold: Annotated[float, msgspec.Meta(ge=0.05, le=1)] = 0.80
    """Share of the window: system, tools and messages."""
    target: Share = 0.60
    """Share of the trigger that a batch goes down to."""
    keep_latest_messages: Positive = 20
    """Newest messages that a summary does not cover; half of a shorter history. Under `recompute` only."""
    max_summary_tokens: Positive = 8_000
    """Most that the text of a summary may cost."""
    protect_output_tokens: NotNegative = 40_000
    """Newest tool results that are not clipped; never more than a quarter of the target."""
    newest_share: Share = 0.25
    """Share of the target that the newest units keep word for word in a batch."""
    records_share: Fraction = 0.10
    """Most that pinned records take in a batch, as a share of the target."""
    cache_ttl_s: Positive = 300
    """Seconds after which an unused prefix is no longer in the provider's cache."""


class ReadsPolicy(Group, frozen=True):
    """Results of reading that say nothing new, or no longer what is true."""

    repeats: Literal["point", "keep"] = "point"
    """A byte-identical result of the same call: points to the first copy, or stays."""
    stale: Literal["collapse", "mark", "keep"] = "collapse"
    """A result that a later successful write or edit of the file made untrue."""
    quiet_groups: NotNegative = 4
    """A file is quiet after so many tool groups without it; only then is a stale result touched."""
    min_tokens: NotNegative = 64
    """Smaller results are left alone."""


class ObligationsPolicy(Group, frozen=True):
    """What was promised or is still running, and may not be lost."""

    keep_open: bool = True
    """Open ones survive every cut."""
    close_dead: bool = True
    """One that cannot be met any more is closed with "outcome unknown", and reported."""
    dead_after_runs: Positive = 2
    """An unanswered call of a run so far back is dead."""

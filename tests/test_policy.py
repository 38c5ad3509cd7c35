"""Policies: the seed's defaults, partial ones, merging, presets."""

from __future__ import annotations

from typing import Any

import pytest

from contextrail import (
    InvalidRequest,
    NotFound,
    Policy,
    SummaryAgents,
    SystemReminderRegistry,
    define_context_policy,
    merge_context_policy,
    policy_from,
    preset,
)
from contextrail.core.json_text import JsonObject
from contextrail.history.policy import settings_without_effect
from contextrail.policy import (
    PRESETS,
    check_policy,
    differences,
    merge_policies,
    settings,
    without_unknown_templates,
)

SEED: JsonObject = {
    "budget": {"maxTokens": 120000, "reservedForResponse": 2400, "workingMemoryBudgetPercentage": 0.7},
    "toolHistory": {
        "strategy": "per-run",
        "keepLatestToolPairs": 2,
        "keepLatestRuns": 1,
        "maxInteractionGroups": 12,
        "overflowStrategy": "keep-latest",
        "maxPairTokens": 6000,
        "maxOutputSummaryTokens": 1000,
    },
    "toolOutput": {"observationGovernance": {"enabled": True, "maxChars": 20000, "maxLines": 1200}},
    "summarization": {
        "triggerThreshold": 0.7,
        "budgetPercentage": 0.12,
        "oldestMessagesPercentage": 0.75,
        "failureBehavior": "fail-fast",
    },
    "mustKeep": {
        "alwaysKeepTypes": ["system_prompt", "user_input"],
        "alwaysKeepFenceKinds": [],
        "truncationRules": [],
    },
    "workingMemory": {
        "maxRecentToolInteractions": 2,
        "minToolInteractionsToKeep": 2,
        "toolPairingSearchRange": 10,
    },
    "checkpoint": {"keepPairsBefore": 2, "triggerToolName": "context_checkpoint"},
    "reasoningRetention": {"keepLatestThoughts": 1},
    "tokenEstimation": {"encoding": "cl100k_base", "avgCharsPerToken": 2.0, "toolCallOverhead": 50},
    "systemReminder": {
        "enabledRuleIds": None,
        "disabledRuleIds": [],
        "thresholds": {
            "toolCallStreak": 10,
            "taskstateReflectionPeriod": 30,
            "budgetWarningRatio": 0.9,
            "lastStepsHintThreshold": 0,
        },
        "extraRules": [],
    },
    "contextTrace": {
        "enabled": False,
        "includeMessageIds": True,
        "includeTokenBreakdown": True,
        "maxTraceEvents": 200,
    },
}
"""Every default of linnkit 0.8.0, in its spelling."""


def test_the_preset_for_the_seed_is_its_defaults_exactly() -> None:
    ours = {"stability", "redaction", "compaction", "reads", "obligations"}
    left = differences(policy_from(SEED), preset("compat-linnkit"))
    assert {path.split(".")[0] for path, _, _ in left} <= {*ours, "summarization"}
    assert [path for path, _, _ in left if path.startswith("summarization.")] == ["summarization.check"]


def test_every_setting_of_the_seed_is_one_of_ours_and_unset_ones_have_its_default_or_a_documented_other() -> (
    None
):
    other = {path for path, _, _ in differences(policy_from(SEED), Policy())}
    documented = {path for path, _, _ in differences(preset("compat-linnkit"), Policy())}
    assert other <= documented


@pytest.mark.parametrize("name", PRESETS)
def test_a_preset_can_be_run_and_says_nothing_new_when_it_is_given_twice(name: str) -> None:
    policy = preset(name)
    assert merge_context_policy(policy, policy, policy) == policy
    assert set(settings_without_effect(policy)) <= {
        "token_estimation.avg_chars_per_token: no count falls back to a ratio"
    }


def test_fields_merge_one_by_one_and_lists_replace() -> None:
    merged = merge_context_policy(
        {
            "mustKeep": {"alwaysKeepTypes": ["system_prompt", "final_answer"]},
            "checkpoint": {"keepPairsBefore": 5},
        },
        {"provider_replay": {"provider": "one", "missing_sidecar_behavior": "degrade_to_text"}},
        {"must_keep": {"always_keep_types": ["user_input"]}, "providerReplay": {"provider": "two"}},
    )
    assert merged.must_keep.always_keep_types == ("user_input",)
    assert merged.checkpoint.keep_pairs_before == 5
    assert merged.provider_replay.provider == "two"
    assert merged.provider_replay.missing_sidecar_behavior == "degrade_to_text"


def test_what_is_absent_has_its_default() -> None:
    assert define_context_policy({}) == Policy()
    assert dict(settings(define_context_policy({"reads": {"quiet_groups": 9}}))) == {
        **dict(settings(Policy())),
        "reads.quiet_groups": 9,
    }


@pytest.mark.parametrize(
    ("who", "given"),
    [
        ("default", ({"budget": {"max_tokens": 0}}, None, None)),
        ("host", (None, {"reads": {"repeats": "sometimes"}}, None)),
        ("agent", (None, None, {"nothing": 1})),
    ],
)
def test_an_error_names_which_of_the_three_is_wrong(who: str, given: tuple[Any, Any, Any]) -> None:
    with pytest.raises(InvalidRequest) as caught:
        merge_context_policy(*given)
    assert caught.value.facts["place"] == who


def test_a_whole_policy_is_a_policy_already() -> None:
    policy = preset("compact")
    assert policy_from(policy) == define_context_policy(policy) == policy
    assert merge_policies([("one", policy)]) == merge_context_policy(policy) == policy


def test_a_caller_that_registers_nothing_does_without_the_rules_of_unknown_templates() -> None:
    mine = {"id": "mine", "trigger": {"kind": "tool-call-streak", "threshold": 5}, "contentTemplate": "tide"}
    known = {**mine, "id": "known", "contentTemplate": "context_budget_warning"}
    policy = policy_from(
        {"systemReminder": {"extraRules": [mine, known], "enabledRuleIds": ["mine", "known"]}}
    )
    left, told = without_unknown_templates(policy)
    assert [rule.id for rule in left.system_reminder.extra_rules] == ["known"]
    assert left.system_reminder.enabled_rule_ids == ("known",)
    (line,) = told
    assert "mine" in line
    assert "tide" in line
    assert without_unknown_templates(left) == (left, ())
    with pytest.raises(InvalidRequest, match="tide"):
        check_policy(policy, reminders=SystemReminderRegistry())


def test_a_host_checks_a_policy_against_what_it_registered() -> None:
    rule = {"id": "mine", "trigger": {"kind": "moon"}, "content_template": "tide"}
    policy = policy_from({"system_reminder": {"extra_rules": [rule]}, "summarization": {"agent_id": "poet"}})
    with pytest.raises(InvalidRequest) as caught:
        check_policy(policy, place="team.toml")
    assert caught.value.facts["path"] == "$.system_reminder.extra_rules[0].trigger.kind"
    assert str(caught.value).startswith("team.toml: ")
    registry = SystemReminderRegistry().register_trigger_kind("moon", lambda _, __: True)
    with pytest.raises(InvalidRequest, match="tide"):
        check_policy(policy, reminders=registry)
    registry = registry.register_content_template("tide", lambda _, __: "high")
    check_policy(policy, reminders=registry)
    with pytest.raises(NotFound, match="poet"):
        check_policy(policy, reminders=registry, agents=SummaryAgents())

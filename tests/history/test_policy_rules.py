"""Rules between settings: what is refused with its path and a cure, and what is only said to do nothing."""

from typing import Any

import pytest

from contextrail.core.errors import InvalidRequest
from contextrail.history.fence_kinds import FenceDescriptor, FenceInjection, FenceRegistry
from contextrail.history.groups import SystemReminderPolicy
from contextrail.history.policy import BUILT_IN_RULES, Policy, settings_without_effect
from contextrail.messages.model import Conversation, Message, Text
from contextrail.policy import merge_context_policy, policy_from
from contextrail.rail import Moment, Rail

MINE = {
    "id": "mine",
    "trigger": {"kind": "tool-call-streak", "threshold": 3},
    "contentTemplate": "last_steps_hint",
}
ASKED = Conversation(messages=(Message(id="u1", role="user", parts=(Text(text="go"),)),))  # type: ignore[arg-type]


@pytest.mark.parametrize("setting", ["enabledRuleIds", "disabledRuleIds"])
@pytest.mark.parametrize(
    "ident", ["no_such_rule", "tool_call_streak", "Last_Steps_Hint", "last-steps-hint", "mine"]
)
def test_an_unknown_rule_is_refused_with_those_that_are_known(setting: str, ident: str) -> None:
    with pytest.raises(InvalidRequest) as caught:
        policy_from({"systemReminder": {setting: ["last_steps_hint", ident]}}, place="host")
    facts = caught.value.facts
    name = {"enabledRuleIds": "enabled_rule_ids", "disabledRuleIds": "disabled_rule_ids"}[setting]
    assert (facts["place"], facts["path"]) == ("host", f"$.system_reminder.{name}[1]")
    assert all(rule in str(facts["cure"]) for rule in BUILT_IN_RULES)


@pytest.mark.parametrize("setting", ["enabledRuleIds", "disabledRuleIds"])
def test_rules_that_are_there_may_be_named(setting: str) -> None:
    name = {"enabledRuleIds": "enabled_rule_ids", "disabledRuleIds": "disabled_rule_ids"}[setting]
    for extra, listed in (([], [*BUILT_IN_RULES]), ([], []), ([MINE], ["mine"])):
        policy = policy_from({"systemReminder": {setting: listed, "extraRules": extra}})
        assert getattr(policy.system_reminder, name) == tuple(listed)


def test_a_rule_of_another_layer_is_known_once_they_are_merged() -> None:
    merged = merge_context_policy(
        None, {"systemReminder": {"extraRules": [MINE]}}, {"systemReminder": {"enabledRuleIds": ["mine"]}}
    )
    assert merged.system_reminder.enabled_rule_ids == ("mine",)


def test_a_policy_that_was_made_by_hand_is_refused_where_it_is_built_with() -> None:
    policy = Policy(system_reminder=SystemReminderPolicy(disabled_rule_ids=("nothing",)))
    with pytest.raises(InvalidRequest) as caught:
        Rail(policy).build(ASKED)
    assert caught.value.facts["path"] == "$.system_reminder.disabled_rule_ids[0]"
    assert "last_steps_hint" in str(caught.value.facts["cure"])


def test_switching_off_an_extra_rule_does_nothing_and_is_said_so() -> None:
    policy = policy_from({"systemReminder": {"disabledRuleIds": ["mine"], "extraRules": [MINE]}})
    assert settings_without_effect(policy) == (
        "system_reminder.disabled_rule_ids: mine is one of extra_rules, which are always on",
    )


def rule(name: str, kind: str = "note") -> dict[str, Any]:
    return {
        "mustKeep": {"truncationRules": [{"fenceKind": kind, "maxBudgetFraction": 0.2, "strategyName": name}]}
    }


@pytest.mark.parametrize(
    "name", ["tail", "keep-tail", "keepTail", "middle_out", "drop", "summarize", "Newest"]
)
def test_a_name_that_promises_another_cut_is_said_to_choose_nothing(name: str) -> None:
    (said,) = settings_without_effect(policy_from(rule(name)))
    assert said.startswith(f"must_keep.truncation_rules[0].strategy_name: {name} is only a name")


@pytest.mark.parametrize(
    "name", ["memory-truncate", "token", "head", "first", "weekend", "retail", "trend", "截断", "x"]
)
def test_any_other_name_is_taken_without_a_word(name: str) -> None:
    assert settings_without_effect(policy_from(rule(name))) == ()


@pytest.mark.parametrize("listed", [True, False])
@pytest.mark.parametrize("kept", [True, False])
def test_a_truncation_rule_acts_on_a_fence_whoever_keeps_it_and_no_warning_says_otherwise(
    *, kept: bool, listed: bool
) -> None:
    family = FenceDescriptor(
        kind="note", llm_role="user", placement="before-current-user", lifetime="turn-only", must_keep=kept
    )
    partial = rule("head")
    partial["mustKeep"]["alwaysKeepFenceKinds"] = ["note"] if listed else []
    moment = Moment(
        fences=(FenceInjection(kind="note", content="word " * 2_000),), registry=FenceRegistry((family,))
    )
    request = Rail(policy_from(partial), window=4_000, tokenizer="chars:4").build(ASKED, moment=moment)
    cut = [each for each in request.decisions if each.reason == "over-its-share"]
    assert [(each.verdict, each.detail["rule"]) for each in cut] == [("changed", "head")]
    assert request.trace()["warnings"] == []


@pytest.mark.parametrize(
    "partial",
    [
        {"budget": {"max_tokens": 10, "reserved_for_response": 10}},
        {"tool_history": {"max_interaction_groups": 1}},
        {"tool_history": {"max_pair_tokens": 10}},
        {"systemReminder": {"enabledRuleIds": ["last_steps_hint"], "disabledRuleIds": ["last_steps_hint"]}},
        {"systemReminder": {"extraRules": [MINE, MINE]}},
    ],
)
def test_settings_that_exclude_each_other_are_refused_with_a_cure(partial: dict[str, Any]) -> None:
    with pytest.raises(InvalidRequest) as caught:
        policy_from(partial)
    assert {"place", "path", "cure"} <= caught.value.facts.keys()

"""Rules of reminders: when each fires and what it says; the built-in five, and how a host adds its own.

A policy only names triggers and templates; their code stands in a registry.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Final

from contextrail.core.errors import InvalidRequest
from contextrail.core.json_text import JsonObject
from contextrail.history.groups import ReminderRule, ReminderTrigger, SystemReminderPolicy

FORCE_FINAL_ANSWER: Final = "force_final_answer"
"""The phase in which tools are off."""
_WARNING_STEPS: Final = 4
"""For how many steps the warning about the budget is given (the seed's)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReminderState:
    """What a trigger or a template may look at."""

    step: int | None = None
    """Steps of this run so far; None where the host does not say."""
    max_steps: int | None = None
    phase: str | None = None
    tools: tuple[str, ...] = ()
    """Names of the tools the agent has."""
    tool_calls: int = 0
    """Calls since the last user input."""
    checkpoint_tool: str = "context_checkpoint"
    last_steps_threshold: int | None = None
    """The loop's own, where the policy has none."""
    final_step_policy: str | None = None
    forced_tools: tuple[str, ...] = ()

    @property
    def remaining(self) -> int | None:
        """Steps that are left, or None."""
        if self.step is None or self.max_steps is None:
            return None
        return max(0, self.max_steps - self.step)


Trigger = Callable[[ReminderState, ReminderTrigger], bool]
"""Whether a rule fires."""
Template = Callable[[ReminderState, JsonObject], str]
"""What a rule says, given its arguments; a blank text says nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemReminderRegistry:
    """Kinds of triggers and templates that rules may name; the built-in ones are always there."""

    triggers: Mapping[str, Trigger] = field(default_factory=lambda: TRIGGERS)
    templates: Mapping[str, Template] = field(default_factory=lambda: TEMPLATES)

    def register_trigger_kind(self, kind: str, trigger: Trigger) -> SystemReminderRegistry:
        """The same registry with one kind more, or another meaning of one.

        Raises:
            InvalidRequest: The name is blank.
        """
        return replace(self, triggers={**self.triggers, _named(kind, "trigger kind"): trigger})

    def register_content_template(self, name: str, template: Template) -> SystemReminderRegistry:
        """The same registry with one template more, or another text of one.

        Raises:
            InvalidRequest: The name is blank.
        """
        return replace(self, templates={**self.templates, _named(name, "content template"): template})


def rules(policy: SystemReminderPolicy) -> tuple[ReminderRule, ...]:
    """The rules that are on, in order: the built-in ones with the policy's thresholds, then the host's.

    Of rules with one id the first counts.
    """
    on = policy.enabled_rule_ids
    mine = [
        rule
        for rule in _built_in(policy)
        if (rule.id in on if on is not None else rule.id not in policy.disabled_rule_ids)
    ]
    first: dict[str, ReminderRule] = {}
    for rule in (*mine, *policy.extra_rules):
        first.setdefault(rule.id, rule)
    return tuple(first.values())


def check_rules(policy: SystemReminderPolicy, registry: SystemReminderRegistry) -> None:
    """Refuse a rule that names a trigger or a template nobody registered, and a list that names a rule nobody has.

    Raises:
        InvalidRequest: Naming the rule and what it lacks; fact `path`.
    """
    for index, rule in enumerate(policy.extra_rules):
        path = f"$.system_reminder.extra_rules[{index}]"
        if rule.trigger.kind not in registry.triggers:
            raise _unknown(f"{path}.trigger.kind", rule.trigger.kind, registry.triggers)
        if rule.content_template not in registry.templates:
            raise _unknown(f"{path}.content_template", rule.content_template, registry.templates)
    refuse_unknown_ids(policy)


def refuse_unknown_ids(policy: SystemReminderPolicy, *, place: str = "policy") -> None:
    """Refuse a list of rules that names one nobody has.

    Raises:
        InvalidRequest: With the first of them and those that there are; facts `place`, `path`, `cure`.
    """
    known = [rule.id for rule in (*_built_in(policy), *policy.extra_rules)]
    for name in ("enabled_rule_ids", "disabled_rule_ids"):
        for index, ident in enumerate(getattr(policy, name) or ()):
            if ident not in known:
                path = f"$.system_reminder.{name}[{index}]"
                raise InvalidRequest(
                    f"{place}: {path}: there is no rule {ident}",
                    place=place,
                    path=path,
                    cure=f"name rules that are there: {', '.join(known)}",
                )


def _unknown(path: str, name: str, known: Mapping[str, object]) -> InvalidRequest:
    return InvalidRequest(
        f"{path}: nothing is registered as {name}",
        place="policy",
        path=path,
        cure=f"register it, or use one of: {', '.join(known)}",
    )


def _named(name: str, what: str) -> str:
    if not name.strip():
        raise InvalidRequest(f"the name of a {what} is blank")
    return name


def _built_in(policy: SystemReminderPolicy) -> tuple[ReminderRule, ...]:
    limits = policy.thresholds
    period = limits.taskstate_reflection_period
    return (
        _rule("max_steps_force_final_answer", kind="phase-equals", value=FORCE_FINAL_ANSWER),
        _rule("last_steps_hint", kind="remaining-steps-leq", threshold=limits.last_steps_hint_threshold),
        _rule(
            "tool_call_streak_every_ten",
            kind="tool-call-streak",
            threshold=limits.tool_call_streak,
            modulo_step=True,
        ),
        _rule("periodic_taskstate_reflection", kind="step-count-modulo", period=period, min_step=period),
        _rule("context_budget_warning", kind="budget-warning", ratio=limits.budget_warning_ratio),
    )


def _rule(ident: str, **trigger: str | float | bool | None) -> ReminderRule:
    return ReminderRule(
        id=ident,
        trigger=ReminderTrigger(**trigger),  # type: ignore[arg-type]  # names and types as just above
        content_template=ident,
    )


# Triggers


def _phase_equals(state: ReminderState, trigger: ReminderTrigger) -> bool:
    return state.phase is not None and state.phase == trigger.value


def _remaining_steps(state: ReminderState, trigger: ReminderTrigger) -> bool:
    limit = state.last_steps_threshold if trigger.threshold is None else trigger.threshold
    left = state.remaining
    return bool(limit) and left is not None and limit is not None and left <= limit and _may_act(state)


def _step_modulo(state: ReminderState, trigger: ReminderTrigger) -> bool:
    period = trigger.period or int(trigger.threshold or 0)
    if period < 1 or not state.step or not _may_act(state):
        return False
    least = period if trigger.min_step is None else trigger.min_step
    return state.step >= least and state.step % period == 0


def _call_streak(state: ReminderState, trigger: ReminderTrigger) -> bool:
    least = 10 if trigger.threshold is None else int(trigger.threshold)
    if least < 1 or state.tool_calls < least:
        return False
    return trigger.modulo_step is False or state.tool_calls % least == 0


def _budget_warning(state: ReminderState, trigger: ReminderTrigger) -> bool:
    tool = trigger.tool_name or state.checkpoint_tool
    if state.step is None or not state.max_steps or tool not in state.tools or not _may_act(state):
        return False
    first = int(state.max_steps * (0.9 if trigger.ratio is None else trigger.ratio))
    return first <= state.step < first + _WARNING_STEPS


def _has_tool(state: ReminderState, trigger: ReminderTrigger) -> bool:
    return (trigger.tool_name or trigger.value) in state.tools


def _may_act(state: ReminderState) -> bool:
    return state.phase != FORCE_FINAL_ANSWER


TRIGGERS: Final[Mapping[str, Trigger]] = MappingProxyType(
    {
        "phase-equals": _phase_equals,
        "remaining-steps-leq": _remaining_steps,
        "step-count-modulo": _step_modulo,
        "tool-call-streak": _call_streak,
        "budget-warning": _budget_warning,
        "agent-has-tool": _has_tool,
    }
)


# Templates


def _say_final(state: ReminderState, args: JsonObject) -> str:
    return (
        "The steps of this run are used up and tools are switched off. Answer now from what is known, "
        "and say what is missing or was not checked."
    )


def _say_last_steps(state: ReminderState, args: JsonObject) -> str:
    left = state.remaining
    place = f"Step {state.step} of {state.max_steps}; {left} left."
    if state.final_step_policy == "force_tools" and state.forced_tools and left is not None and left <= 1:
        return f"{place} This run must end with a call of: {', '.join(state.forced_tools)}."
    return f"{place} Begin nothing new: finish what is open and prepare the answer."


def _say_streak(state: ReminderState, args: JsonObject) -> str:
    return (
        f"{state.tool_calls} tool calls since the last user message. Check that they still lead to the goal; "
        "if the rest is a task of its own, give it to a sub-agent where there is one."
    )


def _say_reflect(state: ReminderState, args: JsonObject) -> str:
    return (
        f"Step {state.step}: compare what was done with what was asked. Bring the task list up to date: "
        "done, open, blocked, next."
    )


def _say_budget(state: ReminderState, args: JsonObject) -> str:
    return (
        f"Step {state.step} of {state.max_steps}: the run will soon reach its limit. Write down what was "
        f"found, then call {state.checkpoint_tool} to go on with a clear context."
    )


TEMPLATES: Final[Mapping[str, Template]] = MappingProxyType(
    {
        "max_steps_force_final_answer": _say_final,
        "last_steps_hint": _say_last_steps,
        "tool_call_streak_every_ten": _say_streak,
        "periodic_taskstate_reflection": _say_reflect,
        "context_budget_warning": _say_budget,
    }
)

"""Partial policies: how they are read, merged, compared, and the presets they can start from."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from difflib import get_close_matches
from math import isfinite
from types import UnionType
from typing import Any, Final, Literal, get_args, get_origin

import msgspec

from contextrail.compaction.agents import SummaryAgents
from contextrail.core.errors import InvalidRequest
from contextrail.core.json_text import Json, JsonObject, kind_of
from contextrail.core.shape import shaped, surrogate_at
from contextrail.history.policy import DEFAULT_AGENT, DEFAULT_GROUPS, Policy, check_together
from contextrail.history.reminder_rules import SystemReminderRegistry

Preset = Literal["balanced", "compact", "archive", "compat-linnkit"]

PRESETS: Final[Mapping[Preset, JsonObject]] = {
    "balanced": {},
    "compact": {
        "tool_history": {"keep_latest_runs": 0, "max_pair_tokens": 2_000, "max_output_summary_tokens": 400},
        "tool_output": {"observation_governance": {"max_chars": 6_000, "max_lines": 200}},
        "reasoning_retention": {"keep_latest_thoughts": 0},
        "compaction": {"threshold": 0.60, "keep_latest_messages": 10, "max_summary_tokens": 2_000},
        "reads": {"quiet_groups": 2},
    },
    "archive": {
        "budget": {"working_memory_budget_percentage": 1.0},
        "tool_history": {"strategy": "none", "max_pair_tokens": 1_000_000},
        "tool_output": {"observation_governance": {"enabled": False}},
        "working_memory": {"max_recent_tool_interactions": 1_000_000},
        "reasoning_retention": {"keep_latest_thoughts": 1_000_000},
        "summarization": {"trigger_threshold": 1.0},
        "compaction": {"threshold": 1.0, "target": 0.90, "newest_share": 0.65},
        "reads": {"repeats": "keep", "stale": "keep"},
    },
    "compat-linnkit": {
        "stability": "recompute",
        "redaction": "off",
        "budget": {"max_tokens": 120_000, "reserved_for_response": 2_400},
        "tool_history": {"max_interaction_groups": DEFAULT_GROUPS},
        "token_estimation": {
            "encoding": "cl100k_base",
            "avg_chars_per_token": 2.0,
            "tool_call_overhead": 50,
        },
        "system_reminder": {"thresholds": {"last_steps_hint_threshold": 0}},
        "summarization": {"check": "off"},
        "compaction": {"enabled": False},
        "reads": {"repeats": "keep", "stale": "keep"},
        "obligations": {"close_dead": False},
    },
}
"""What each differs in from the defaults. `compat-linnkit` is the seed's defaults exactly."""


def preset(name: str) -> Policy:
    """One of the policies that are shipped.

    Raises:
        InvalidRequest: There is none of that name.
    """
    partial = preset_value(name)
    if partial is None:
        raise InvalidRequest(
            f"{name} is not a preset; there are: {', '.join(PRESETS)}",
            place="policy",
            cure="name one of them",
        )
    return policy_from(partial, place=name)


def preset_value(name: str) -> JsonObject | None:
    """What a preset differs in from the defaults; None: there is none of that name."""
    return next((partial for known, partial in PRESETS.items() if known == name), None)


def define_context_policy(partial: object, *, place: str = "policy") -> Policy:
    """The seed's name for `policy_from`: fill what is absent with defaults."""
    return policy_from(partial, place=place)


def merge_context_policy(default: object = None, host: object = None, agent: object = None) -> Policy:
    """Merge three partial policies field by field, later ones win, lists replace.

    Args:
        default: What the framework ships: a partial policy, or a whole one such as `preset("compact")`.
        host: The host's fallback for all its agents.
        agent: What one agent asks for. Each is a JSON object, a `Policy`, or None for nothing.

    Raises:
        InvalidRequest: As `policy_from`, naming which of the three is at fault.
    """
    named = (("default", default), ("host", host), ("agent", agent))
    return merge_policies((place, value) for place, value in named if value is not None)


def policy_from(value: object, *, place: str = "policy") -> Policy:
    """Read a partial policy; what is absent has its default.

    Args:
        value: A JSON object, or a whole `Policy`. Names may be written `max_tokens` or `maxTokens`.
        place: Where it came from, for the error.

    Raises:
        InvalidRequest: A name is unknown or given twice, a value has the wrong type or range, or two
            settings exclude each other; facts: `place`, `path`.
    """
    policy = _converted(_named(_plain(value), place), place)
    check_together(policy, place=place)
    return policy


def check_policy(
    policy: Policy,
    *,
    reminders: SystemReminderRegistry | None = None,
    agents: SummaryAgents | None = None,
    place: str = "policy",
) -> None:
    """Refuse a policy that names what nobody registered, before a request is built with it.

    Args:
        policy: Read and valid in itself.
        reminders: The host's registry. None: the kinds of triggers and templates that are built in.
        agents: The host's summary agents. None: not looked at; the command line makes the agent a policy names.
        place: Where the policy came from, for the error.

    Raises:
        InvalidRequest: A rule names a trigger or a template that is not registered; facts: `place`, `path`, `cure`.
        NotFound: The summary agent is not registered.
    """
    registry = SystemReminderRegistry() if reminders is None else reminders
    for index, rule in enumerate(policy.system_reminder.extra_rules):
        path = f"$.system_reminder.extra_rules[{index}]"
        _registered(f"{path}.trigger.kind", rule.trigger.kind, registry.triggers, "triggers", place)
        _registered(f"{path}.content_template", rule.content_template, registry.templates, "templates", place)
    if agents is not None:
        agents.get(policy.summarization.agent_id or DEFAULT_AGENT)


def without_unknown_templates(policy: Policy) -> tuple[Policy, tuple[str, ...]]:
    """A policy for a caller that cannot register templates, such as a command, and what it does without.

    A rule whose content template is not built in is left out, with its name in the lists of rules. One whose trigger
    is not built in either stays: `check_policy` refuses it.

    Returns:
        The policy without those rules, and one sentence for each of them with its path.
    """
    reminder = policy.system_reminder
    known = SystemReminderRegistry()
    lost = {
        rule.id
        for rule in reminder.extra_rules
        if rule.content_template not in known.templates and rule.trigger.kind in known.triggers
    }
    if not lost:
        return policy, ()
    told = tuple(
        f"system_reminder.extra_rules[{index}]: the rule {rule.id} never fires until a host registers the content "
        f"template {rule.content_template}"
        for index, rule in enumerate(reminder.extra_rules)
        if rule.id in lost
    )
    enabled = reminder.enabled_rule_ids
    left = msgspec.structs.replace(
        reminder,
        extra_rules=tuple(rule for rule in reminder.extra_rules if rule.id not in lost),
        enabled_rule_ids=None if enabled is None else tuple(each for each in enabled if each not in lost),
        disabled_rule_ids=tuple(each for each in reminder.disabled_rule_ids if each not in lost),
    )
    return msgspec.structs.replace(policy, system_reminder=left), told


def _registered(path: str, name: str, known: Iterable[str], what: str, place: str) -> None:
    there = tuple(known)
    if name not in there:
        raise InvalidRequest(
            f"{place}: {path}: none of the {what} is registered as {name}",
            place=place,
            path=path,
            cure=f"use one of: {', '.join(there) or 'none'}; what a host registers, only the host can check: "
            "check_policy with its registry",
        )


def merge_policies(partials: Iterable[tuple[str, object]]) -> Policy:
    """Merge partial policies field by field; later ones win, lists replace.

    Args:
        partials: `(place, JSON object)`, for example the host's first, then the agent's.

    Raises:
        InvalidRequest: As `policy_from`, naming the place of the policy at fault; of settings that only
            exclude each other together, the last place that was merged.
    """
    merged: JsonObject = {}
    place = "policy"
    for place, value in partials:
        named = _named(_plain(value), place)
        _converted(named, place)
        merged = _merge(merged, named)
    return policy_from(merged, place=place)


def settings(policy: Policy) -> Iterator[tuple[str, Json]]:
    """Every setting with its path and value, in the order of the groups; lists are one setting."""
    yield from _leaves(policy, "")


def differences(left: Policy, right: Policy) -> tuple[tuple[str, Json, Json], ...]:
    """Settings in which two policies differ: path, value in the first, value in the second."""
    second = dict(settings(right))
    return tuple((path, value, second[path]) for path, value in settings(left) if value != second[path])


def policy_schema() -> JsonObject:
    """JSON Schema of a policy file, with our spelling of every name."""
    return msgspec.json.schema(Policy)


def _leaves(group: msgspec.Struct, prefix: str) -> Iterator[tuple[str, Json]]:
    for name in group.__struct_fields__:
        value = getattr(group, name)
        if isinstance(value, msgspec.Struct):
            yield from _leaves(value, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", msgspec.to_builtins(value)


def _plain(value: object) -> object:
    return msgspec.to_builtins(value) if isinstance(value, Policy) else value


def _named(value: object, place: str) -> JsonObject:
    """A partial policy in our spelling."""
    if not isinstance(value, Mapping):
        raise InvalidRequest(f"{place} must be an object, not {kind_of(value)}", place=place, path="$")
    return _snake_keys(dict(value), Policy, place, "$")


def _converted(named: JsonObject, place: str) -> Policy:
    halved = surrogate_at(named)
    if halved is not None:
        raise InvalidRequest(
            f"{place}: {halved} holds half a character (a lone surrogate)", place=place, path=halved
        )
    odd = next(_not_json(named, "$"), None)
    if odd is not None:
        path, what = odd
        raise InvalidRequest(
            f"{place}: {path} is {what}, which JSON does not have",
            place=place,
            path=path,
            cure="give a finite number, a text, a truth value, a list or an object",
        )
    return shaped(named, Policy, place=place)


def _not_json(value: object, path: str) -> Iterator[tuple[str, str]]:
    """What no trace could record: a number that is not finite, a date, a key that is no text."""
    if isinstance(value, Mapping):
        for key, each in value.items():
            if isinstance(key, str):
                yield from _not_json(each, f"{path}.{key}")
            else:
                yield path, f"an object with a key of the type {type(key).__name__}"
    elif isinstance(value, (list, tuple)):
        for index, each in enumerate(value):
            yield from _not_json(each, f"{path}[{index}]")
    elif isinstance(value, float) and not isfinite(value):
        yield path, f"the number {value}"
    elif value is not None and not isinstance(value, (str, bool, int, float)):
        yield path, f"a {type(value).__name__}"


def _merge(below: JsonObject, above: JsonObject) -> JsonObject:
    return {
        **below,
        **{
            key: _merge(below[key], value)
            if isinstance(value, dict) and isinstance(below.get(key), dict)
            else value
            for key, value in above.items()
        },
    }


def _snake_keys(value: JsonObject, struct: type[msgspec.Struct], place: str, path: str) -> JsonObject:
    """The same object with our spelling of every setting; unknown names are refused with their path."""
    fields = {field.name: field.type for field in msgspec.structs.fields(struct)}
    named: JsonObject = {}
    for key, each in value.items():
        name = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", key).lower()
        here = f"{path}.{key}"
        if name not in fields:
            near = get_close_matches(name, fields, n=1)
            cure = f"did you mean {near[0]}" if near else f"there are: {', '.join(fields)}"
            raise InvalidRequest(
                f"{place}: {here} is not a setting; {cure}", place=place, path=here, cure=cure
            )
        if name in named:
            raise InvalidRequest(f"{place}: {here} is given twice", place=place, path=here)
        named[name] = _inside(each, _struct_in(fields[name]), place, here)
    return named


def _inside(value: Any, struct: type[msgspec.Struct] | None, place: str, path: str) -> Any:
    """A group, or a list of groups, in our spelling; anything else as it is."""
    if struct is not None and isinstance(value, Mapping):
        return _snake_keys(dict(value), struct, place, path)
    if struct is not None and isinstance(value, (list, tuple)):
        return [_inside(each, struct, place, f"{path}[{index}]") for index, each in enumerate(value)]
    return value


def _struct_in(annotation: Any) -> type[msgspec.Struct] | None:
    if isinstance(annotation, type) and issubclass(annotation, msgspec.Struct):
        return annotation
    if isinstance(annotation, UnionType) or get_origin(annotation) is not None:
        found = (_struct_in(each) for each in get_args(annotation))
        return next((each for each in found if each is not None), None)
    return None

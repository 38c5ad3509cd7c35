"""Check the final body for one provider against a table of rules; the same body always gives the same findings."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Final

from contextrail.core.json_text import JsonObject, kind_of
from contextrail.wire import (
    checks_anthropic,
    checks_gemini,
    checks_openai_chat,
    checks_openai_responses,
    rules_anthropic,
    rules_gemini,
    rules_openai_chat,
    rules_openai_responses,
)
from contextrail.wire.checks_body import read_whole
from contextrail.wire.checks_fields import check_fields
from contextrail.wire.checks_types import check_types
from contextrail.wire.finding import Finding, Flaw, Flaws, Request, Rule, json_path, position, text
from contextrail.wire.target import Provider, parse_target

__all__ = ["RULES", "Finding", "Rule", "lint"]

RULES: Final[Mapping[str, Rule]] = MappingProxyType(
    {
        rule.id: rule
        for table in (rules_anthropic, rules_openai_chat, rules_openai_responses, rules_gemini)
        for rule in table.RULES
    }
)
"""Every rule by its id, in the order of the document."""

_CHECKS: Final[Mapping[Provider, Callable[[Request], Flaws]]] = {
    "anthropic": checks_anthropic.check,
    "openai-chat": checks_openai_chat.check,
    "openai-responses": checks_openai_responses.check,
    "gemini": checks_gemini.check,
}


def lint(
    body: object, provider: str, *, before: JsonObject | None = None, model: str | None = None
) -> tuple[Finding, ...]:
    """Find what the provider would refuse, or take with harm, in a request body.

    Linear in the size of the body. The body may be any JSON value, and is not changed.

    Args:
        body: As it would be sent.
        provider: A provider or `PROVIDER:PROFILE`, whose rules add to the provider's or replace them.
        before: The body as the host gave it, for rules that compare: reasoning must be as it was, or
            gone with all of its turn. None leaves these rules out.
        model: Whom the body is for, where it does not say so itself (Gemini names the model in the URL).
            None, and no name in the body, leaves out rules that depend on it.

    Returns:
        Findings by place, then rule. Empty: nothing is known that speaks against sending it.

    Raises:
        InvalidRequest: The provider or its profile is unknown.
    """
    target = parse_target(provider)
    if not isinstance(body, dict):
        flaws = [Flaw("body-form", (), f"a body must be an object, not {kind_of(body)}")]
    else:
        reading = read_whole(body, target.provider)
        flaws = list(reading.flaws)
        if reading.usable:
            request = Request(
                body=body,
                provider=target.provider,
                profile=target.profile,
                model=(model or text(body.get("model"))).lower(),
                size_bytes=reading.size_bytes,
                before=before,
            )
            flaws.extend(_CHECKS[target.provider](request))
            flaws.extend(_not_told((*check_types(request), *check_fields(request)), flaws))
    flaws.sort(key=lambda flaw: (position(flaw.path), flaw.rule, flaw.message))
    return tuple(_finding(flaw, target.provider) for flaw in flaws)


def _not_told(found: Sequence[Flaw], flaws: Sequence[Flaw]) -> list[Flaw]:
    """Those at places of which, and of what they are in, nothing was said yet."""
    told = {flaw.path for flaw in flaws} if found else set()
    return [
        flaw for flaw in found if not any(flaw.path[:end] in told for end in range(1, len(flaw.path) + 1))
    ]


def _beyond_reading(flaw: Flaw, provider: Provider) -> bool:
    """No body, or nothing that could hold messages: no codec can read it, so repair refuses it."""
    return flaw.rule == "body-form" and len(flaw.path) < 2 and provider != "gemini"


def _finding(flaw: Flaw, provider: Provider) -> Finding:
    rule = RULES[f"{provider}.{flaw.rule}"]
    return Finding(
        rule=rule.id,
        path=json_path(flaw.path),
        severity=rule.severity,
        message=flaw.message,
        answer=rule.answer,
        mendable=rule.mend is not None and not _beyond_reading(flaw, provider),
    )

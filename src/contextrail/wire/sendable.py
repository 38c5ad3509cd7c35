"""The last check before a request is handed out: what a provider would refuse is an error that says where and what to do.

Nothing that speaks against sending may leave as if it could be sent; what `repair` cannot mend without
inventing facts, only the caller can.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Final

from contextrail.core.errors import InvalidRequest
from contextrail.core.json_text import MAX_DEPTH, deeper_than
from contextrail.wire.checks_body import no_json
from contextrail.wire.finding import Finding, json_path

JSON_CURE: Final = "give a finite number, a text, a truth value, null, a list or an object"
CURES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "not-json": JSON_CURE,
        "model-type": "name the model as a string",
        "model-missing": "name a model, in the body or beside it",
        "body-too-large": "leave out large media, or give them by address",
        "text-too-long": "shorten that text",
        "too-many-messages": "send fewer messages: a smaller window leaves out the older ones",
        "too-many-tools": "offer fewer tools",
        "messages-empty": "send at least one user message that says something",
        "input-empty": "send at least one user message that says something",
        "contents-empty": "send at least one user message that says something",
    }
)
"""What to do about a rule that `repair` has no cure for, by its id without the provider."""


def refuse_unsendable(findings: Iterable[Finding], target: str) -> None:
    """Let a request pass that only warnings speak against, or nothing.

    Args:
        findings: Of the encoded body.
        target: Whom it is for, for the error.

    Raises:
        InvalidRequest: The target would refuse it; facts of the first finding that nothing can mend: `place`,
            `path`, `rule`, `cure`, and how many there are.
    """
    errors = [each for each in findings if each.severity == "error"]
    if not errors:
        return
    first = next((each for each in errors if not each.mendable), errors[0])
    raise InvalidRequest(
        f"{target} would refuse the request: {first.path}: {first.message} ({first.rule})",
        place="request",
        path=first.path,
        rule=first.rule,
        findings=len(errors),
        cure=CURES.get(first.rule.partition(".")[2]) or f"change what is at {first.path} in the input",
    )


def refuse_no_json(value: object, *, place: str) -> None:
    """Let pass what can be written as JSON.

    Args:
        value: A body, or messages in neutral form.
        place: What it is, for the error.

    Raises:
        InvalidRequest: It holds a number that is not finite, a value or key of another kind, or is nested too
            deep; facts: `place`, `path`, `cure`.
    """
    if deeper_than(value, MAX_DEPTH):
        raise InvalidRequest(
            f"{place} is nested deeper than {MAX_DEPTH}", place=place, path="$", cure="nest it less"
        )
    flaw = next((each for each in no_json(value) if each.rule == "not-json"), None)
    if flaw is not None:
        path = json_path(flaw.path)
        raise InvalidRequest(f"{place}: {path}: {flaw.message}", place=place, path=path, cure=JSON_CURE)

"""Policy: every knob of the core as one frozen tree; how partial policies are read and merged."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from types import UnionType
from typing import Annotated, Any, Literal, get_args, get_origin

import msgspec

from contextrail.core.errors import InvalidRequest
from contextrail.core.json_text import JsonObject, kind_of

Positive = Annotated[int, msgspec.Meta(ge=1)]
NotNegative = Annotated[int, msgspec.Meta(ge=0)]


class _Group(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A frozen set of settings that refuses names it does not know."""


class BudgetPolicy(_Group, frozen=True):
    """How the context window is split. All sizes in the tokenizer's unit."""

    max_tokens: Positive | None = None
    """The window as far as the policy knows; the smallest of all values given wins. None: not given."""
    reserved_for_response: NotNegative | None = None
    """Kept free for the answer; the largest of all values given wins. None: not given."""
    reserved_for_safety: NotNegative = 0
    """Kept free for what nobody counted."""


class MustKeepPolicy(_Group, frozen=True):
    """What no budget may remove."""

    always_keep_types: tuple[Literal["system_prompt", "user_input"], ...] = ("system_prompt", "user_input")
    """`system_prompt`: every system message; `user_input`: the last thing the user said."""


class TokenEstimationPolicy(_Group, frozen=True):
    """How tokens are counted where the caller names no tokenizer."""

    encoding: Literal["o200k_base", "cl100k_base"] | None = None
    """None: the tokenizer of the model, by the model table."""


class Policy(_Group, frozen=True):
    """Everything that can be tuned. Equal policies and inputs give equal turns."""

    profile_id: str = "agent"
    budget: BudgetPolicy = BudgetPolicy()
    must_keep: MustKeepPolicy = MustKeepPolicy()
    token_estimation: TokenEstimationPolicy = TokenEstimationPolicy()


def policy_from(value: object, *, place: str = "policy") -> Policy:
    """Read a partial policy; what is absent has its default.

    Args:
        value: A JSON object. Names may be written `max_tokens` or `maxTokens`.
        place: Where it came from, for the error.

    Raises:
        InvalidRequest: A name is unknown or given twice, or a value has the wrong type or range;
            facts: `place`, `path`.
    """
    if not isinstance(value, Mapping):
        raise InvalidRequest(f"{place} must be an object, not {kind_of(value)}", place=place, path="$")
    named = _snake_keys(dict(value), Policy, place, "$")
    try:
        return msgspec.convert(named, Policy)
    except msgspec.ValidationError as error:
        text, _, path = str(error).partition(" - at ")
        path = path.strip("`") or "$"
        raise InvalidRequest(f"{place}: {path}: {_lower(text)}", place=place, path=path) from None


def merge_policies(partials: Iterable[tuple[str, object]]) -> Policy:
    """Merge partial policies field by field; later ones win, lists replace.

    Args:
        partials: `(place, JSON object)`, for example the host's first, then the agent's.

    Raises:
        InvalidRequest: As `policy_from`, naming the place of the policy at fault.
    """
    merged: JsonObject = {}
    for place, value in partials:
        policy_from(value, place=place)
        assert isinstance(value, Mapping)
        merged = _merge(merged, _snake_keys(dict(value), Policy, place, "$"))
    return policy_from(merged)


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
        inner = _struct_in(fields[name])
        if inner is not None and isinstance(each, Mapping):
            named[name] = _snake_keys(dict(each), inner, place, here)
        else:
            named[name] = each
    return named


def _struct_in(annotation: Any) -> type[msgspec.Struct] | None:
    if isinstance(annotation, type) and issubclass(annotation, msgspec.Struct):
        return annotation
    if isinstance(annotation, UnionType) or get_origin(annotation) is not None:
        found = (_struct_in(each) for each in get_args(annotation))
        return next((each for each in found if each is not None), None)
    return None


def _lower(text: str) -> str:
    return text[:1].lower() + text[1:]

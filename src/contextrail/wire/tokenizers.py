"""Tokenizers by specification: exact, estimated, or by characters, messages, bytes. Reads package data.

| spec | counts |
|---|---|
| `o200k`, `cl100k` | tokens, exactly, with OpenAI's overheads |
| `estimate:FAMILY` | tokens as an interval: the exact o200k count times what is known of the family |
| `auto` | by the model of each call, as the model table says |
| `chars:N` | characters of each message's text, divided by N, rounded up |
| `message:N` | N for each message |
| `bytes` | UTF-8 bytes of the texts |
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import cache, partial
from typing import Final

from contextrail.core.calibration import Calibration
from contextrail.core.digest import text_digest
from contextrail.core.errors import InvalidRequest
from contextrail.core.estimators import FAMILIES, O200K, PRIORS, Family, parse_family, scale
from contextrail.core.scripts import count_scripts
from contextrail.core.tokens import Estimate, exactly
from contextrail.wire.backends import ExactCount
from contextrail.wire.counting import ExactMeasure, TextMeasure
from contextrail.wire.media_cost import check_formula
from contextrail.wire.message_cost import ByteRule, CharacterRule, MessageRule, Rule, TokenRule
from contextrail.wire.model_table import ModelTable
from contextrail.wire.models import shipped_models
from contextrail.wire.overheads import OVERHEADS
from contextrail.wire.ranks import PUBLISHED, Encoding
from contextrail.wire.remembered import RuleTokenizer

SPECS: Final = (
    "o200k",
    "cl100k",
    "auto",
    *(f"estimate:{family}" for family in FAMILIES),
    "chars:N",
    "message:N",
    "bytes",
)
"""What `tokenizer` reads; N is a whole number of at least 1."""

ALGORITHM: Final = 1
"""Raise when a change of code gives another count; a change of a table changes the version by itself."""

_UNKNOWN: Final = "estimate:unknown"


def tokenizer(
    spec: str,
    *,
    calibration: Calibration | None = None,
    models: ModelTable | None = None,
    media: str | None = None,
    call_overhead: int | None = None,
) -> RuleTokenizer:
    """Make a tokenizer. Nothing is loaded before the first count; texts once counted are remembered.

    Args:
        spec: One of `SPECS`.
        calibration: What earlier usage taught; its digest is the tokenizer's `state`.
        models: Facts of models, instead of the shipped table.
        media: The route's media formula, instead of the one in the model's row; "text" for a gateway
            that bills base64 as text.
        call_overhead: Tokens of a tool call beyond its texts, instead of what was measured; of no
            effect where characters, messages or bytes are counted.

    Raises:
        InvalidRequest: Unknown spec or formula, or N is not at least 1; the specs are in the message.
    """
    if media is not None:
        check_formula(media)
    word, _, number = spec.partition(":")
    if spec == "bytes":
        return _plain(spec, ByteRule())
    if word in {"chars", "message"}:
        count = _number(spec, word, number)
        return _plain(spec, CharacterRule(count) if word == "chars" else MessageRule(count))
    if spec != "auto":
        _check(spec)
    table = shipped_models() if models is None else models

    def rule_for(model: str | None) -> Rule:
        row = table.lookup(model)
        named = (row.tokenizer or _UNKNOWN) if spec == "auto" else spec
        rule = _token_rule(named, media or row.media)
        if call_overhead is None:
            return rule
        return replace(rule, overhead=replace(rule.overhead, call=exactly(call_overhead)))

    return RuleTokenizer(
        id=spec,
        version=_version(spec, table, media, call_overhead),
        unit="token",
        rule_for=rule_for,
        calibration=calibration,
    )


def _plain(spec: str, rule: Rule) -> RuleTokenizer:
    return RuleTokenizer(
        id=spec,
        version=str(ALGORITHM),
        unit="byte" if spec == "bytes" else "token",
        rule_for=lambda _: rule,
        learns=False,
    )


def _number(spec: str, word: str, number: str) -> int:
    if not (number.isascii() and number.isdecimal()) or len(number) > 9 or int(number) < 1:
        raise InvalidRequest(
            f"the tokenizer {spec!r} needs a whole number of at least 1 after {word!r}",
            place="tokenizer",
            spec=spec,
            cure=f"write for example {word}:4",
        )
    return int(number)


def _check(spec: str) -> None:
    """Raise InvalidRequest if a spec names neither an encoding nor a family."""
    word, _, family = spec.partition(":")
    if spec in {"o200k", "cl100k"}:
        return
    if word == "estimate":
        parse_family(family)
        return
    raise InvalidRequest(
        f"{spec!r} is not a tokenizer; there are: {', '.join(SPECS)}",
        place="tokenizer",
        spec=spec,
        cure="name one of them",
    )


def _token_rule(spec: str, media: str | None) -> TokenRule:
    """The rule of an encoding or a family. Raises InvalidRequest, as a table may name anything."""
    _check(spec)
    if spec in {"o200k", "cl100k"}:
        return TokenRule(_exact("o200k" if spec == "o200k" else "cl100k"), OVERHEADS[spec], media)
    family = parse_family(spec.partition(":")[2])
    return TokenRule(_estimated(family), OVERHEADS[family], media)


def estimated_measure(family: Family, count: ExactCount) -> TextMeasure:
    """Tokens of texts as intervals: what is known of a family, from the o200k count."""

    def measure(text: str) -> Estimate:
        return scale(family, count_scripts(text), count(text))

    def many(texts: list[str]) -> Iterable[Estimate]:
        return map(partial(scale, family), map(count_scripts, texts), count.many(texts))

    return TextMeasure(measure, many)


@cache
def _exact(encoding: Encoding) -> ExactMeasure:
    count = _count(encoding)
    return ExactMeasure(count, count.many)


@cache
def _estimated(family: Family) -> TextMeasure:
    return estimated_measure(family, _count("o200k"))


@cache
def _count(encoding: Encoding) -> ExactCount:
    return ExactCount(encoding)


@cache
def _version(spec: str, table: ModelTable, media: str | None, call_overhead: int | None) -> str:
    """Changes with every table that a count is made of; never with the library that counted."""
    facts: tuple[object, ...] = (ALGORITHM, spec, PUBLISHED, OVERHEADS, O200K, PRIORS, table.digest, media)
    facts = facts if call_overhead is None else (*facts, call_overhead)
    return f"{ALGORITHM}-{text_digest(repr(facts))[:12]}"

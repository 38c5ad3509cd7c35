"""Token intervals for models whose tokenizer is not public: from an exact o200k count, or from scripts alone.

A family is described by how many tokens it makes of what o200k_base makes one of, as an interval per
script. The intervals were measured on texts of 150 to 8,000 characters against the families' published
tokenizers, 3rd to 97th percentile, then widened to whole twentieths (benchmarks/tokens.md):
- gemini: the Gemma vocabulary; deepseek: V3 and V4; qwen: 2.5 and 3.6 vocabularies.
- claude: the legacy vocabulary, times 1.10 for Claude 3 to 4.6 (npm `ai-tokenizer`, 98 % right against
  the counting service), checked against the usage of 418 requests of one public session with Sonnet 4.5.
- claude-new (Opus 4.7, Sonnet 5 and later): claude times 1.13 to 1.47 for Latin text and 1.00 to 1.01 for
  Han, as third parties measured with the counting service; the vendor says 1.0 to 1.35.
- unknown: wide enough for all of these but claude-new, and for cl100k_base.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, get_args

from contextrail.core.errors import InvalidRequest
from contextrail.core.scripts import SCRIPTS, Script, ScriptCounts
from contextrail.core.tokens import Estimate

Family = Literal["claude", "claude-new", "gemini", "deepseek", "qwen", "unknown"]
FAMILIES: Final[tuple[Family, ...]] = get_args(Family)

Range = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Prior:
    """What is known of a family before any of its usage was seen."""

    ratios: dict[Script, Range]
    """Tokens per o200k token of that script, `(low, high)`."""
    splits_digits: bool | None
    """One token per digit, whatever the number; None: unknown, so both ends are kept."""
    per_han: float = 0.0
    """Tokens per Han character that the upper end never goes below. Vocabularies that have few Chinese
    words need about as many tokens for every text (cl100k_base 1.17 to 1.21), where o200k varies."""


O200K: Final[dict[Script, Range]] = {
    "words": (0.88, 1.16),
    "numbers": (0.95, 1.5),
    "dense": (0.55, 0.76),
    "latin": (0.20, 0.40),
    "cyrillic": (0.19, 0.50),
    "semitic": (0.28, 0.50),
    "other": (0.30, 1.30),
    "kana": (0.60, 0.85),
    "han": (0.62, 0.76),
    "hangul": (0.45, 0.95),
    "symbols": (0.30, 1.10),
    "emoji": (1.00, 3.00),
}
"""o200k tokens per character, `(low, high)`; per group of digits for numbers. For words it is the spread
around the line of `_o200k_tokens`: 3rd to 97th percentile over 385 texts of prose, code, JSON, Markdown."""

PRIORS: Final[dict[Family, Prior]] = {
    "claude": Prior(
        {
            "words": (1.00, 1.40),
            "numbers": (0.95, 1.60),
            "dense": (0.95, 1.60),
            "latin": (1.10, 2.10),
            "cyrillic": (1.30, 2.70),
            "semitic": (1.50, 3.40),
            "other": (1.40, 4.80),
            "kana": (1.20, 1.95),
            "han": (1.00, 1.60),
            "hangul": (1.20, 1.85),
            "symbols": (0.80, 1.60),
            "emoji": (1.10, 1.65),
        },
        splits_digits=None,
        per_han=1.27,
    ),
    "claude-new": Prior(
        {
            "words": (1.20, 1.90),
            "numbers": (0.95, 2.00),
            "dense": (0.95, 1.80),
            "latin": (1.10, 2.30),
            "cyrillic": (1.20, 2.80),
            "semitic": (1.40, 3.50),
            "other": (1.30, 4.90),
            "kana": (1.15, 1.95),
            "han": (1.00, 1.60),
            "hangul": (1.15, 1.90),
            "symbols": (0.80, 1.80),
            "emoji": (1.05, 1.75),
        },
        splits_digits=None,
        per_han=1.27,
    ),
    "gemini": Prior(
        {
            "words": (1.00, 1.35),
            "numbers": (1.00, 1.00),
            "dense": (0.95, 1.65),
            "latin": (0.75, 1.20),
            "cyrillic": (0.85, 1.65),
            "semitic": (0.90, 1.25),
            "other": (0.45, 1.70),
            "kana": (0.70, 1.00),
            "han": (0.80, 1.15),
            "hangul": (0.90, 1.15),
            "symbols": (0.75, 1.50),
            "emoji": (0.55, 0.95),
        },
        splits_digits=True,
    ),
    "deepseek": Prior(
        {
            "words": (0.92, 1.20),
            "numbers": (0.95, 1.05),
            "dense": (0.95, 1.15),
            "latin": (1.00, 1.35),
            "cyrillic": (0.95, 1.90),
            "semitic": (1.05, 1.45),
            "other": (0.95, 2.00),
            "kana": (1.00, 1.30),
            "han": (0.70, 1.00),
            "hangul": (1.00, 1.20),
            "symbols": (0.75, 1.50),
            "emoji": (0.95, 1.15),
        },
        splits_digits=False,
    ),
    "qwen": Prior(
        {
            "words": (0.88, 1.20),
            "numbers": (1.00, 1.00),
            "dense": (1.00, 1.70),
            "latin": (0.70, 1.35),
            "cyrillic": (0.90, 2.55),
            "semitic": (0.90, 1.80),
            "other": (0.65, 2.80),
            "kana": (0.80, 1.30),
            "han": (0.70, 1.05),
            "hangul": (0.75, 1.30),
            "symbols": (0.75, 1.50),
            "emoji": (0.65, 1.60),
        },
        splits_digits=True,
    ),
    "unknown": Prior(
        {
            "words": (0.88, 1.50),
            "numbers": (0.95, 1.60),
            "dense": (0.95, 1.70),
            "latin": (0.70, 2.10),
            "cyrillic": (0.85, 2.80),
            "semitic": (0.90, 3.30),
            "other": (0.45, 4.80),
            "kana": (0.70, 1.95),
            "han": (0.70, 1.55),
            "hangul": (0.75, 1.90),
            "symbols": (0.75, 1.60),
            "emoji": (0.55, 1.75),
        },
        splits_digits=None,
        per_han=1.195,
    ),
}

PER_DENSE: Final = 0.55
"""Tokens per character of a dense run that the upper end never goes below: o200k may have a token for a
repetition that another vocabulary lacks."""


def parse_family(name: str) -> Family:
    """Read the name of a family.

    Raises:
        InvalidRequest: No such family; the names that exist are in the message.
    """
    for family in FAMILIES:
        if family == name:
            return family
    raise InvalidRequest(
        f"{name!r} is not a family of tokenizers; there are: {', '.join(FAMILIES)}", family=name
    )


def estimate(family: Family, counts: ScriptCounts) -> Estimate:
    """Tokens of a text, from its scripts alone. No tokenizer needed; the interval is wide.

    Args:
        family: Whose tokenizer.
        counts: Of the text, by `count_scripts`.

    Returns:
        `[low, high]`, low >= 0; `[0, 0]` for the empty text.
    """
    shares = [
        (script, tokens * O200K[script][0] / _CENTERS[script], tokens * O200K[script][1] / _CENTERS[script])
        for script, tokens in _o200k_tokens(counts)
    ]
    return _interval(family, counts, shares)


def scale(family: Family, counts: ScriptCounts, o200k: int) -> Estimate:
    """Tokens of a text, from its exact o200k_base count. Narrower than `estimate`.

    The count is split over the scripts of the text in the proportion that o200k makes tokens of them,
    and each share is multiplied by the family's interval for that script.

    Args:
        family: Whose tokenizer.
        counts: Of the text, by `count_scripts`.
        o200k: Its o200k_base count, >= 0.
    """
    likely = _o200k_tokens(counts)
    whole = 0.0
    for _, tokens in likely:
        whole += tokens
    if not whole:
        return Estimate(o200k, o200k)
    shares = [(script, share := tokens * o200k / whole, share) for script, tokens in likely]
    return _interval(family, counts, shares)


def _interval(family: Family, counts: ScriptCounts, shares: list[tuple[Script, float, float]]) -> Estimate:
    """Turn o200k tokens by script, at least and at most, into tokens of a family."""
    prior = PRIORS[family]
    ratios = prior.ratios
    least = most = 0.0
    for script, low, high in shares:
        few, many = ratios[script]
        least += low * few
        upper = high * many
        if script == "dense":
            upper = max(upper, counts.dense * PER_DENSE)
        elif script == "han":
            upper = max(upper, counts.han * prior.per_han)
        most += upper
    more_digits = counts.digits - counts.numbers
    if prior.splits_digits:
        least += more_digits
    if prior.splits_digits is not False:
        most += more_digits
    return Estimate(int(least), -int(-most // 1))


def _center(script: Script) -> float:
    if script in {"words", "numbers"}:
        return 1.0
    floor, ceiling = O200K[script]
    return (floor + ceiling) / 2


_CENTERS: Final[dict[Script, float]] = {script: _center(script) for script in SCRIPTS}
_COUNTED: Final = tuple((script, _CENTERS[script]) for script in SCRIPTS[2:])
"""Scripts that are counted by character, in the order of the last fields of `ScriptCounts`."""


def _o200k_tokens(counts: ScriptCounts) -> list[tuple[Script, float]]:
    """Likely o200k tokens of each script that a text has something of, in the order of `SCRIPTS`.

    Of ASCII words, code and JSON: a line fitted to 385 texts by non-negative least squares, rounded.
    """
    letters, spaces, newlines, punctuation, control, _, numbers, *counted = counts
    words = 0.187 * letters + 0.165 * spaces + 0.10 * newlines + 0.655 * punctuation + 1.0 * control
    tokens: list[tuple[Script, float]] = [("words", words)]
    if numbers:
        tokens.append(("numbers", float(numbers)))
    if any(counted):
        tokens += [
            (script, count * center)
            for (script, center), count in zip(_COUNTED, counted, strict=True)
            if count
        ]
    return tokens

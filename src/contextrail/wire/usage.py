"""What each provider's usage fields mean: one table, one set of counts. What is not stated is unknown, never 0."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final

from contextrail.core.errors import InvalidRequest
from contextrail.core.json_text import Json, JsonObject, parse
from contextrail.wire.target import parse_target


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """Tokens of one request, as its provider counted them; None where it did not say."""

    context: int | None = None
    """What the model read: everything sent, whether or not it came from or went to a cache."""
    cached: int | None = None
    """Part of `context` that was read from the provider's cache."""
    written: int | None = None
    """Part of `context` that was written to the cache."""
    output: int | None = None
    """What the model wrote, reasoning included."""
    reasoning: int | None = None
    """Part of `output` that is reasoning."""

    def __add__(self, other: Usage) -> Usage:
        """The sum, field by field; with an unknown it is unknown."""
        return Usage(
            context=_sum(self.context, other.context),
            cached=_sum(self.cached, other.cached),
            written=_sum(self.written, other.written),
            output=_sum(self.output, other.output),
            reasoning=_sum(self.reasoning, other.reasoning),
        )


UNKNOWN: Final = Usage()
"""Nothing is known."""


def total(usages: Iterable[Usage]) -> Usage:
    """What several requests used together: 0 for no request, unknown as soon as one of them is."""
    return sum(usages, Usage(context=0, cached=0, written=0, output=0, reasoning=0))


Path = str
"""Names from the usage object down to a count, with dots."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Meaning:
    """Where one provider states which count. Of several paths the first under which something stands holds."""

    context: tuple[Path, ...]
    beside_context: tuple[Path, ...] = ()
    """Counts that `context` leaves out on this wire, to be added if they are stated."""
    cached: tuple[Path, ...]
    written: tuple[Path, ...]
    output: tuple[Path, ...]
    beside_output: tuple[Path, ...] = ()
    """Counts that `output` leaves out on this wire, to be added if they are stated."""
    reasoning: tuple[Path, ...]
    whole: tuple[Path, ...] = ()
    """Total, and what is no output in it: says the output where `output` is left out because it is 0."""


_CHAT: Final = Meaning(
    context=("prompt_tokens",),
    cached=(
        "prompt_tokens_details.cached_tokens",
        "prompt_cache_hit_tokens",  # DeepSeek
        "num_cached_tokens",  # Mistral
        "cached_tokens",  # Moonshot
    ),
    written=("prompt_tokens_details.cache_write_tokens",),
    output=("completion_tokens",),
    reasoning=("completion_tokens_details.reasoning_tokens",),
)

MEANINGS: Final[dict[str, Meaning]] = {
    "anthropic": Meaning(
        context=("input_tokens",),
        beside_context=("cache_read_input_tokens", "cache_creation_input_tokens"),
        cached=("cache_read_input_tokens",),
        written=("cache_creation_input_tokens",),
        output=("output_tokens",),
        reasoning=("output_tokens_details.thinking_tokens",),
    ),
    "openai-chat": _CHAT,
    "openai-responses": Meaning(
        context=("input_tokens",),
        cached=("input_tokens_details.cached_tokens",),
        written=("input_tokens_details.cache_write_tokens",),
        output=("output_tokens",),
        reasoning=("output_tokens_details.reasoning_tokens",),
    ),
    "gemini": Meaning(
        context=("promptTokenCount",),
        cached=("cachedContentTokenCount",),
        written=(),
        output=("candidatesTokenCount",),
        beside_output=("thoughtsTokenCount",),
        reasoning=("thoughtsTokenCount",),
        whole=("totalTokenCount", "promptTokenCount", "toolUsePromptTokenCount"),
    ),
}
"""By provider. A profile is read like its provider.

| provider | counted where |
|---|---|
| Anthropic | `input_tokens` leaves out what was read from and written to the cache |
| OpenAI | cached and written tokens are part of the prompt; reasoning is part of the completion |
| Gemini | cached tokens are part of the prompt; thoughts are not part of the candidates; zeros are left out |

Sources: the providers' API references, and the recorded exchanges in `tests/data`.
"""

_CACHE_FIELDS: Final = ("cache_read_input_tokens", "cache_creation_input_tokens")
_UNATTRIBUTED: Final = "unattributed"
"""Stands for a count that is stated for several iterations together: no number, so unknown."""


def read_usage(provider: str, usage: Json) -> Usage:
    """Read a provider's usage object.

    A count that is no integer, or negative, is unknown, and so is every sum that it belongs to. With
    Anthropic `iterations` (one request that ran the model several times) the counts are those of the
    last one of type "message": what the window holds now, not what was billed.

    Args:
        provider: `PROVIDER` or `PROVIDER:PROFILE`.
        usage: The usage object, or None if the provider sent none.

    Raises:
        InvalidRequest: No such provider or profile.
    """
    meaning = MEANINGS.get(parse_target(provider).provider)
    if meaning is None or not isinstance(usage, dict):
        return UNKNOWN
    stated = _last_iteration(usage)
    output = _first(stated, meaning.output)
    return Usage(
        context=_with(_first(stated, meaning.context), stated, meaning.beside_context),
        cached=_known(_first(stated, meaning.cached)),
        written=_known(_first(stated, meaning.written)),
        output=(
            _remainder(stated, meaning.whole)
            if output is None
            else _with(output, stated, meaning.beside_output)
        ),
        reasoning=_known(_first(stated, meaning.reasoning)),
    )


def usage_of_answer(provider: str, answer: Json) -> Usage:
    """Read the usage that a response body states, or one event of a stream."""
    return read_usage(provider, _usage_object(answer))


def usage_of_stream(provider: str, text: str) -> Usage:
    """Read the usage that a stream of server-sent events states in the end.

    Later events win over earlier ones, field by field: Anthropic states the input when a message
    starts and the output when it ends.
    """
    merged: JsonObject = {}
    for event in sse_events(text):
        found = _usage_object(event) or {}
        merged |= {key: value for key, value in found.items() if value is not None}
    return read_usage(provider, merged or None)


def sse_events(text: str) -> Iterator[JsonObject]:
    """The JSON objects that a stream of server-sent events carries; other data (`[DONE]`) is left out.

    Source: WHATWG HTML, 9.2.6. Unlike there, a last event without its blank line counts.
    """
    data: list[str] = []
    for line in [*re.split(r"\r\n|\n|\r", text), ""]:
        if line.startswith("data:"):
            data.append(line.removeprefix("data:").removeprefix(" "))
        elif not line and data:
            try:
                value = parse("\n".join(data), place="event")
            except InvalidRequest:
                value = None
            data.clear()
            if isinstance(value, dict):
                yield value


Found = int | str | None
"""A count; `_WRONG` for something that is none; None if nothing is stated."""

_WRONG: Final = "wrong"


def _at(usage: JsonObject, path: Path) -> Found:
    value: Any = usage
    for name in path.split("."):
        value = value.get(name) if isinstance(value, dict) else None
    if value is None:
        return None
    return value if type(value) is int and value >= 0 else _WRONG


def _first(usage: JsonObject, paths: Iterable[Path]) -> Found:
    return next((found for path in paths if (found := _at(usage, path)) is not None), None)


def _known(found: Found) -> int | None:
    return found if isinstance(found, int) else None


def _with(found: Found, usage: JsonObject, paths: Iterable[Path]) -> int | None:
    """A count and what is stated beside it; unknown if any of it is no count."""
    counts = [found, *(each for path in paths if (each := _at(usage, path)) is not None)]
    known = [each for each in counts if isinstance(each, int)]
    return sum(known) if len(known) == len(counts) else None


def _remainder(usage: JsonObject, paths: tuple[Path, ...]) -> int | None:
    """The first count less the others; the second must be stated, those after it may be left out."""
    if not paths or _at(usage, paths[1]) is None:
        return None
    first, others = _known(_at(usage, paths[0])), _with(0, usage, paths[1:])
    return first - others if first is not None and others is not None and first >= others else None


def _last_iteration(usage: JsonObject) -> JsonObject:
    """The usage of the last iteration of type "message", or all of it if there are no iterations.

    An iteration that does not state its cache fields has those of the whole where that is certain: all
    are 0, or there is only this one. Source: `usage.iterations` of the Messages API; entries of type
    "compaction" are no part of the sums at the top.
    """
    iterations = usage.get("iterations")
    if not isinstance(iterations, list):
        return usage
    messages = [each for each in iterations if isinstance(each, dict) and each.get("type") == "message"]
    if not messages:
        return usage
    last: JsonObject = dict(messages[-1])
    for name in _CACHE_FIELDS:
        whole = usage.get(name)
        if last.get(name) is None and whole is not None:
            last[name] = whole if len(iterations) == 1 or _at(usage, name) == 0 else _UNATTRIBUTED
    return last


def _usage_object(answer: Json) -> JsonObject | None:
    """The usage in a body or event: at its top, or in the response or message that it carries."""
    if not isinstance(answer, dict):
        return None
    for holder in (answer, answer.get("response"), answer.get("message")):
        for name in ("usage", "usageMetadata", "usage_metadata"):
            found = holder.get(name) if isinstance(holder, dict) else None
            if isinstance(found, dict):
                return found
    return None


def _sum(left: int | None, right: int | None) -> int | None:
    return None if left is None or right is None else left + right

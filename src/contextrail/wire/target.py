"""The names of the wire forms, and a target: a wire form with the id profile of one vendor."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal, get_args

from contextrail.core.errors import InvalidRequest
from contextrail.core.json_text import JsonObject
from contextrail.messages.decision import Decision

Provider = Literal["anthropic", "openai-chat", "openai-responses", "gemini"]
PROVIDERS: Final[tuple[Provider, ...]] = get_args(Provider)
PROFILES: Final[dict[Provider, tuple[str, ...]]] = {"openai-chat": ("mistral", "deepseek")}
"""Vendors that speak a provider's wire form with rules of their own, written `openai-chat:mistral`."""


@dataclass(frozen=True, slots=True)
class Target:
    """Whom a request is for."""

    provider: Provider
    profile: str | None = None

    def __str__(self) -> str:
        return self.provider if self.profile is None else f"{self.provider}:{self.profile}"


def parse_target(name: str, *, others: Sequence[str] = ()) -> Target:
    """Read `PROVIDER` or `PROVIDER:PROFILE`.

    Args:
        name: The word that was given.
        others: What the caller takes besides; an error lists it.

    Raises:
        InvalidRequest: No such provider or profile; the names that exist are in the message.
    """
    word, _, profile = name.partition(":")
    for provider in PROVIDERS:
        if provider == word:
            known = PROFILES.get(provider, ())
            if not profile or profile in known:
                return Target(provider, profile or None)
            raise InvalidRequest(
                f"{profile!r} is not a profile of {provider}; there are: {', '.join(known) or 'none'}",
                provider=provider,
                profile=profile,
            )
    profiles = (f"{provider}:{profile}" for provider, known in PROFILES.items() for profile in known)
    raise InvalidRequest(
        f"{word!r} is not a provider; there are: {', '.join((*PROVIDERS, *profiles, *others))}", provider=word
    )


_STAND_INS: Final[dict[str, str]] = {
    "anthropic": "claude-sonnet-4-5",
    "openai-chat": "gpt-5",
    "openai-responses": "gpt-5",
    "openai-chat:mistral": "mistral-large-latest",
    "openai-chat:deepseek": "deepseek-chat",
}
"""By target: a model to name where the form demands one and nobody named one that is served there. Gemini's form
names it in the URL."""

_HOMES: Final[tuple[tuple[str, tuple[Provider, ...]], ...]] = (
    ("claude", ("anthropic",)),
    ("gemini", ("gemini",)),
    ("gpt-", ("openai-chat", "openai-responses")),
    ("chatgpt", ("openai-chat", "openai-responses")),
    ("codex", ("openai-responses",)),
    ("o1", ("openai-chat", "openai-responses")),
    ("o3", ("openai-chat", "openai-responses")),
    ("o4", ("openai-chat", "openai-responses")),
)


def stand_in(target: Target) -> str | None:
    """The model to name where nobody named one that the target serves; None: the form needs none."""
    return _STAND_INS.get(str(target))


def home_of(model: str | None) -> Provider:
    """The form to ask for a model in where nobody said: that of its vendor, for a gateway Chat Completions."""
    if model is None:
        return "anthropic"
    if "/" in model:
        return "openai-chat"
    homes = (providers for start, providers in _HOMES if model.lower().startswith(start))
    return next(homes, ("anthropic",))[0]


def serves(target: Target, model: str) -> bool:
    """Whether a target's own service has a model of that name; True where nothing speaks against it.

    A name with a vendor's path ("openrouter/anthropic/...") goes through a gateway, which may serve any. A profile is
    another vendor's, so no model with a home is served there.
    """
    if "/" in model:
        return True
    name = model.lower()
    homes = [providers for start, providers in _HOMES if name.startswith(start)]
    return not homes if target.profile is not None else all(target.provider in each for each in homes)


def model_decision(given: str | None, model: str | None) -> tuple[Decision, ...]:
    """What was put in the place of a model that the target does not serve."""
    if given == model or model is None:
        return ()
    reason = "model-not-named" if given is None else "model-of-another-provider"
    detail: JsonObject = {"was": given, "model": model}
    return (Decision(message=None, verdict="changed", step="target", reason=reason, detail=detail),)

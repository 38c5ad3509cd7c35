"""The names of the wire forms, and a target: a wire form with the id profile of one vendor."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, get_args

from contextrail.core.errors import InvalidRequest

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


def parse_target(name: str) -> Target:
    """Read `PROVIDER` or `PROVIDER:PROFILE`.

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
    raise InvalidRequest(f"{word!r} is not a provider; there are: {', '.join(PROVIDERS)}", provider=word)

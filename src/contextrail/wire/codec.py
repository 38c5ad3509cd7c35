"""Bodies to conversations and back, for every wire form: the one table of codecs."""

from __future__ import annotations

from typing import Final, Protocol

from contextrail.core.errors import InvalidRequest
from contextrail.core.json_text import JsonObject
from contextrail.messages.model import Conversation
from contextrail.wire import anthropic, gemini, openai_chat, openai_responses
from contextrail.wire.target import Provider, Target, parse_target


class Codec(Protocol):
    """One wire form, both ways. A module of functions satisfies it.

    For every JSON object `b` that `decode` accepts, `encode(decode(b))` is the same JSON value as `b`.
    """

    def decode(self, body: JsonObject) -> Conversation:
        """Read a request body. Raises InvalidRequest where the form does not allow reading it at all."""
        ...

    def encode(self, conversation: Conversation) -> JsonObject:
        """Write a request body. Parts of other wire forms are written as well as this form can."""
        ...

    def recognizes(self, body: JsonObject) -> float:
        """How sure it is that a body is in this form, in [0, 1]."""
        ...


CODECS: Final[dict[Provider, Codec]] = {
    "anthropic": anthropic,
    "openai-chat": openai_chat,
    "openai-responses": openai_responses,
    "gemini": gemini,
}


def decode(body: JsonObject, provider: str | None = None) -> Conversation:
    """Read a provider's request body.

    Args:
        body: The body as a JSON object.
        provider: Its form; None finds it out.

    Raises:
        InvalidRequest: Unknown provider, or the body has not that form; the place is named.
    """
    target = parse_target(provider) if provider is not None else Target(detect_provider(body))
    return CODECS[target.provider].decode(body)


def encode(conversation: Conversation, provider: str) -> JsonObject:
    """Write a conversation as a provider's request body, as it stands; see `lower` for making it legal."""
    return CODECS[parse_target(provider).provider].encode(conversation)


def detect_provider(body: JsonObject) -> Provider:
    """The form of a body by its content.

    Raises:
        InvalidRequest: No form fits, or it is a document of this library.
    """
    refuse_own(body)
    sure, provider = max((codec.recognizes(body), name) for name, codec in CODECS.items())
    if sure <= 0:
        raise InvalidRequest(
            "the body is in none of the known forms",
            place="body",
            path="$",
            cure="name the provider",
            keys=", ".join(sorted(body)[:8]),
        )
    return provider


_OWN: Final[dict[str, str]] = {"trace": "body_digest", "plan": "entries", "record": "conversation"}
"""Documents that this library writes: the key with their version, and another that each of them has."""


def refuse_own(body: JsonObject) -> None:
    """Take no document of this library for a body: a trace has a list of messages too.

    Raises:
        InvalidRequest: It is a trace, a plan or a record.
    """
    for kind, beside in _OWN.items():
        if type(body.get(kind)) is int and beside in body:
            raise InvalidRequest(
                f"this is a {kind} of contextrail, not a request body",
                cure="give the body, which `build` writes with --out FILE",
                document=kind,
            )

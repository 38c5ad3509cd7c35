"""What each wire form can carry, as data, and for whom a conversation is lowered. The codecs stay apart from it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from contextrail.messages.model import Conversation, Extra, Message
from contextrail.wire.checks_anthropic_blocks import claude_version
from contextrail.wire.checks_openai_vendors import openai_model
from contextrail.wire.target import Provider, Target

MediaKinds = frozenset[str]

MAX_OUTPUT: Final = 4096
"""Stated where a target demands a limit and nobody gave one; every current model allows it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    """The abilities of a wire form that decide how a foreign message is put."""

    user_media: MediaKinds
    result_media: MediaKinds
    system_inside: bool
    """System messages may stand among the others."""
    starts_with_user: bool
    """The first message should be the user's."""
    blank_text: bool
    """A text of white space only is accepted."""
    arguments_inside: bool
    """Arguments of a call are part of the body's JSON, not a text that holds JSON."""


DIALECTS: Final[dict[Provider, Dialect]] = {
    "anthropic": Dialect(
        user_media=frozenset({"image", "document"}),
        result_media=frozenset({"image", "document"}),
        system_inside=False,
        starts_with_user=True,
        blank_text=False,
        arguments_inside=True,
    ),
    "openai-chat": Dialect(
        user_media=frozenset({"image", "audio", "file", "document"}),
        result_media=frozenset(),
        system_inside=True,
        starts_with_user=False,
        blank_text=True,
        arguments_inside=False,
    ),
    "openai-responses": Dialect(
        user_media=frozenset({"image", "file", "document"}),
        result_media=frozenset({"image", "file", "document"}),
        system_inside=True,
        starts_with_user=False,
        blank_text=True,
        arguments_inside=False,
    ),
    "gemini": Dialect(
        user_media=frozenset({"image", "document", "audio", "video", "file"}),
        result_media=frozenset({"image", "document", "audio", "video", "file"}),
        system_inside=False,
        starts_with_user=True,
        blank_text=False,
        arguments_inside=True,
    ),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Aim:
    """Whom a conversation is lowered for."""

    target: Target
    model: str
    """In small letters; empty if unknown."""
    own: bool
    """The conversation was read from the target's own wire form: what is legal there stays as it is."""
    limit: int = MAX_OUTPUT
    """Tokens of output to state where the target demands a number and nobody gave one."""

    @property
    def provider(self) -> Provider:
        """The wire form."""
        return self.target.provider

    @property
    def dialect(self) -> Dialect:
        """Its abilities."""
        return DIALECTS[self.target.provider]

    @property
    def strict(self) -> bool:
        """Whether OpenAI's own servers take the request, which are stricter than others."""
        return self.target.profile is None and openai_model(self.model)

    @property
    def claude(self) -> tuple[int, int] | None:
        """The version of a Claude model, if it is one that is known."""
        return claude_version(self.model)

    def wrote(self, extra: Extra | None) -> bool:
        """Whether the codec of the target left the note."""
        return extra is not None and extra.wire == self.target.provider

    def native(self, message: Message) -> bool:
        """Whether a message was read from the target's own wire form: the linter judges its parts, nobody else."""
        return self.wrote(message.extra)


def aim_at(conversation: Conversation, target: Target, model: str | None) -> Aim:
    """Whom a conversation is for; `model` is said beside it, where it says none itself or the target another."""
    return Aim(
        target=target,
        model=(model or conversation.model or "").lower(),
        own=conversation.wire == target.provider,
    )

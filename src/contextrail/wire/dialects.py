"""What each wire form can carry, as data: media, roles, blank texts. The codecs and the linter stay apart from it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from contextrail.wire.target import Provider

MediaKinds = frozenset[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    """The abilities of a wire form that decide how a foreign message is put."""

    user_media: MediaKinds
    result_media: MediaKinds
    system_inside: bool
    """System messages may stand among the others."""
    starts_with_user: bool
    """The first message must be the user's, and not a tool result."""
    blank_text: bool
    """A text of white space only is accepted."""
    one_turn_per_role: bool
    """Neighbors of one role must be one turn."""


DIALECTS: Final[dict[Provider, Dialect]] = {
    "anthropic": Dialect(
        user_media=frozenset({"image", "document"}),
        result_media=frozenset({"image", "document"}),
        system_inside=False,
        starts_with_user=True,
        blank_text=False,
        one_turn_per_role=False,
    ),
    "openai-chat": Dialect(
        user_media=frozenset({"image", "audio", "file", "document"}),
        result_media=frozenset(),
        system_inside=True,
        starts_with_user=False,
        blank_text=True,
        one_turn_per_role=False,
    ),
    "openai-responses": Dialect(
        user_media=frozenset({"image", "file", "document"}),
        result_media=frozenset({"image", "file", "document"}),
        system_inside=True,
        starts_with_user=False,
        blank_text=True,
        one_turn_per_role=False,
    ),
    "gemini": Dialect(
        user_media=frozenset({"image", "document", "audio", "video", "file"}),
        result_media=frozenset(),
        system_inside=False,
        starts_with_user=True,
        blank_text=False,
        one_turn_per_role=True,
    ),
}

"""Short words for tests of lowering."""

from __future__ import annotations

from typing import Any, Final

from contextrail.core.ids import MessageId
from contextrail.core.json_text import JsonObject
from contextrail.messages.decision import Decision
from contextrail.messages.model import Conversation, Extra, Message, Part, Role, Text
from contextrail.wire.codec import decode, encode
from contextrail.wire.lower import lower
from contextrail.wire.target import parse_target
from tests.builders import show, transcript


def lowered(
    *messages: Message, name: str = "anthropic", **given: Any
) -> tuple[tuple[Message, ...], tuple[Decision, ...]]:
    out, decisions = lower(Conversation(messages=messages, **given), parse_target(name))
    return out.messages, decisions


def shown(*lines: str, name: str = "anthropic", **given: Any) -> list[str]:
    return show(lowered(*transcript(*lines), name=name, **given)[0])


def reasons(decisions: tuple[Decision, ...]) -> list[tuple[str | None, str]]:
    return [(each.message, each.reason) for each in decisions]


def said(ident: str, role: Role, *parts: Part, extra: Extra | None = None) -> Message:
    return Message(id=MessageId(ident), role=role, parts=parts, extra=extra)


def read(body: JsonObject, name: str, model: str | None = None) -> tuple[JsonObject, tuple[Decision, ...]]:
    """A body, lowered for the provider it is from, and written again."""
    out, decisions = lower(decode(body, name), parse_target(name), model=model)
    return encode(out, name), decisions


ASK: Final = said("u", "user", Text(text="go on"))

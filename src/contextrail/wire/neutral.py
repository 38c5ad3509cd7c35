"""Placeholder."""

from __future__ import annotations

from contextrail.core.json_text import JsonObject
from contextrail.messages.model import Conversation


def decode(body: JsonObject) -> Conversation:
    raise NotImplementedError


def encode(conversation: Conversation) -> JsonObject:
    raise NotImplementedError


def recognizes(body: JsonObject) -> float:
    return 0.0

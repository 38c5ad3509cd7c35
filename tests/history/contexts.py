"""Contexts for tests of steps: a count that anyone can do in the head."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from contextrail.history.context import Context
from contextrail.history.policy import Policy
from contextrail.messages.model import Message
from contextrail.messages.text import message_text
from contextrail.policy import policy_from


def words(text: str) -> int:
    """A quarter of the characters, rounded up."""
    return -(-len(text) // 4)


def cost(message: Message) -> int:
    return words(message_text(message))


def context(limit: int = 100_000, *, policy: dict[str, Any] | None = None, **more: Any) -> Context:
    """A context with a budget, a policy in JSON and other fields by name; a store is there."""
    chosen = Policy() if policy is None else policy_from(policy)
    plain = Context(policy=chosen, cost=cost, count=words, unit="token", limit=limit, total=limit, store=True)
    return replace(plain, **more)

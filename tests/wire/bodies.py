"""Hypothesis strategies for request bodies as they come: sound, odd, and outright wrong.

Messages and bodies that were recorded or written down here are taken apart and mangled: fields left
out, doubled, renamed, replaced by something of another type, notes of our own forged.
"""

from __future__ import annotations

from copy import deepcopy
from functools import cache
from typing import Any, Final

from hypothesis import strategies as st

from contextrail.core.json_text import JsonObject
from contextrail.wire.target import Provider
from tests.wire.cassettes import exchanges
from tests.wire.shapes import BODIES, MESSAGES

LIST: Final[dict[Provider, str]] = {
    "anthropic": "messages",
    "openai-chat": "messages",
    "openai-responses": "input",
    "gemini": "contents",
}
"""The field that holds the messages."""

_JUNK: Final[tuple[Any, ...]] = (
    None,
    True,
    False,
    0,
    1,
    1.0,
    -0.5,
    10**20,
    "",
    "~",
    "text",
    "user",
    "\ud800",
    "data:image/png;base64,aGk=",
    "data:,a%20b",
    "{}",
    '{"a": 1}',
    "{",
    [],
    [[]],
    [None, 1, "x", {}],
    {},
    {"type": "text"},
    {"type": "text", "text": "t"},
    {"type": 1, "name": None},
    {"~joined": True, "~content": "list"},
)
_KEYS: Final = (
    "type",
    "role",
    "content",
    "name",
    "id",
    "cache_control",
    "unheard_of",
    "~joined",
    "~of",
    "~content",
    "~role",
    "~fields",
    "~field",
    "~input",
    "~type",
    "~value",
    "",
)


@st.composite
def bodies(draw: st.DrawFn, provider: Provider) -> JsonObject:
    """A request body that `provider` might be sent, more or less."""
    # seeded by Hypothesis; drawing every decision instead would shrink better and take ten times as long
    random = draw(st.randoms(use_true_random=True))
    rate = draw(st.sampled_from((0.0, 0.02, 0.1, 0.3)))
    messages = draw(st.lists(st.sampled_from(_messages(provider)), max_size=4))
    body = {**draw(st.sampled_from(_frames(provider))), LIST[provider]: messages}
    return {str(key): value for key, value in _mangled(body, random, rate, top=True).items()}


def _mangled(value: Any, random: Any, rate: float, *, top: bool = False) -> Any:
    """A copy of a value, each place in it spoiled with probability `rate`."""
    if not top and random.random() < rate:
        return deepcopy(random.choice(_JUNK))
    if isinstance(value, list):
        kept = [_mangled(each, random, rate) for each in value if random.random() >= rate / 2]
        if kept and random.random() < rate:
            kept.append(deepcopy(random.choice(kept)))
        return kept
    if isinstance(value, dict):
        made = {
            key: _mangled(each, random, rate) for key, each in value.items() if random.random() >= rate / 2
        }
        if random.random() < rate:
            made[random.choice(_KEYS)] = deepcopy(random.choice(_JUNK))
        return made
    return value


@cache
def _messages(provider: Provider) -> list[Any]:
    recorded = [
        message
        for exchange in exchanges()
        if exchange.provider == provider and isinstance(exchange.request[LIST[provider]], list)
        for message in exchange.request[LIST[provider]]
        if len(str(message)) < 3000
    ]
    return [*MESSAGES[provider], *recorded]


@cache
def _frames(provider: Provider) -> list[JsonObject]:
    recorded = [
        {key: value for key, value in exchange.request.items() if key != LIST[provider]}
        for exchange in exchanges()
        if exchange.provider == provider
    ]
    return [*BODIES[provider], *recorded]

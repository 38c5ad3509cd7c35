"""Cache economics: what an edit of the prefix costs and saves, what will be read from the cache, why it was not.

A provider keeps the longest unchanged prefix of a request for some minutes. Prices here are in units of the price of
one plain input token: reading from the cache costs `r` (Anthropic .1, OpenAI .1 to .5, Gemini .25), writing into it
`w` (Anthropic 1.25 for five minutes, 2 for an hour; elsewhere 1).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple

import msgspec

from contextrail.core.digest import canonical_json, sha256
from contextrail.core.ids import Sha256
from contextrail.core.json_text import JsonObject
from contextrail.messages.decision import Decision
from contextrail.messages.model import Conversation, Message, Tool

READ: Final = 0.1
WRITE: Final = 1.25
_DIGITS: Final = 16

Change = Literal["model", "system", "tools", "changed", "removed"]


class Region(NamedTuple):
    """One piece of a request, in the order in which a provider reads it."""

    name: str
    """"tools", "system", or the id of a message."""
    digest: str
    """First digits of the digest of what it says."""
    cost: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Prefix:
    """The part of a request that is as it was in the request before."""

    regions: int
    cost: int
    digest: Sha256
    """Of the digests of its regions."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Prediction:
    """What a request should cost, if the request before it is still cached."""

    cached: int
    uncached: int
    units: float
    """`uncached + r * cached`, in plain input tokens."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Miss:
    """Why a prefix is not read from the cache."""

    region: str
    """The first that differs."""
    change: Change
    lost: int
    """Cost of what was cached from there on, in the request before."""


def pays(saved: int, behind: int, turns: float, *, read: float = READ, write: float = WRITE) -> bool:
    """Whether an edit of the prefix pays: r * S * N > (w - r) * T.

    Args:
        saved: S, by how much every further request gets smaller.
        behind: T, what stands behind the place of the edit and has to be written again.
        turns: N, how many further requests there will be.
        read: r, price of a cached token.
        write: w, price of a token that is written into the cache.
    """
    return read * saved * turns > (write - read) * behind


def turns_to_pay(saved: int, behind: int, *, read: float = READ, write: float = WRITE) -> float | None:
    """After how many further requests an edit has paid for itself; None: never."""
    if saved <= 0 or read <= 0:
        return None
    return max(0.0, (write - read) * behind / (read * saved))


def layout_of(
    conversation: Conversation, cost: Callable[[Message], int], *, tools: int, system: int
) -> tuple[Region, ...]:
    """The regions of a request: tools, system, then each message.

    Args:
        conversation: What is sent.
        cost: Of one message.
        tools: Cost of the tool schemas.
        system: Cost of the system prompt that stands outside the messages.
    """
    head = [
        Region("tools", tools_digest(conversation), tools),
        Region("system", _digest(conversation.system), system),
    ]
    return (
        *head,
        *(Region(str(each.id), message_digest(each), cost(each)) for each in conversation.messages),
    )


def in_one_order(tools: tuple[Tool, ...]) -> tuple[Tool, ...]:
    """Tools by name, so that the prefix does not depend on the order in which a host collected them.

    Where the host marked what a provider shall cache, its order stays: a mark speaks of what stands before it.
    """
    if any(tool.extra is not None and "cache_control" in tool.extra.fields for tool in tools):
        return tools
    return tuple(sorted(tools, key=lambda tool: tool.name))


def order_decision(given: Conversation, sent: Conversation) -> tuple[Decision, ...]:
    """That tools stand in another order than the host gave them."""
    if given.tools == sent.tools:
        return ()
    detail: JsonObject = {"tools": [tool.name for tool in sent.tools]}
    return (
        Decision(message=None, verdict="changed", step="target", reason="tools-in-one-order", detail=detail),
    )


def tools_digest(conversation: Conversation) -> str:
    """First digits of the digest of the tools of a request."""
    return _digest(conversation.tools)


def message_digest(message: Message) -> str:
    """First digits of the digest of what a provider reads of a message: role, name and parts, not its id or time."""
    return _digest([message.role, message.name, message.parts])


def stable_prefix(before: Sequence[Region], after: Sequence[Region]) -> Prefix:
    """The common beginning of two requests. Costs are those of the later one."""
    same = 0
    for old, new in zip(before, after, strict=False):
        if old.digest != new.digest:
            break
        same += 1
    part = after[:same]
    digest = sha256(canonical_json([region.digest for region in part]))
    return Prefix(regions=same, cost=sum(region.cost for region in part), digest=digest)


def predict(prefix: Prefix, after: Sequence[Region], *, read: float = READ) -> Prediction:
    """What a request should cost that begins with a cached prefix."""
    uncached = sum(region.cost for region in after) - prefix.cost
    return Prediction(cached=prefix.cost, uncached=uncached, units=round(uncached + read * prefix.cost, 1))


def diagnose(
    before: Sequence[Region], after: Sequence[Region], *, models: tuple[str | None, str | None] = (None, None)
) -> Miss | None:
    """The first region that differs where the request before could have been read whole; None if all of it was.

    Args:
        before: The request that should be in the cache.
        after: The request that was to read it.
        models: Of the two requests: another model has another cache.
    """
    whole = sum(region.cost for region in before)
    if models[0] != models[1]:
        return Miss(region="model", change="model", lost=whole)
    same = stable_prefix(before, after).regions
    if same == len(before):
        return None
    first = before[same]
    lost = sum(region.cost for region in before[same:])
    if first.name == "tools":
        return Miss(region=first.name, change="tools", lost=lost)
    if first.name == "system":
        return Miss(region=first.name, change="system", lost=lost)
    there = {region.name for region in after[same:]}
    return Miss(region=first.name, change="changed" if first.name in there else "removed", lost=lost)


def _digest(value: object) -> str:
    return sha256(canonical_json(msgspec.to_builtins(value, str_keys=True)))[:_DIGITS]

"""Hold a family of fences to its share of the budget: counted in tokens, marks included, checked again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from contextrail.core.blobs import Blob
from contextrail.core.errors import BudgetExceeded
from contextrail.core.graphemes import border_before
from contextrail.history.context import Context
from contextrail.history.draft import Draft
from contextrail.history.fence_text import marks
from contextrail.messages.decision import Decision, Verdict
from contextrail.messages.model import Fence, Message

_LAST_SPACE: Final = 0.8
"""A cut moves back to white space if that lies beyond this part of the text (the seed's rule)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    """How much one family may take."""

    kind: str
    fraction: float
    step: str
    """Who says so, for the record."""
    name: str
    """Name of the rule, for the record."""
    required: bool
    """Whether the family may not be left out."""


def hold(draft: Draft, context: Context, share: Share) -> Draft:
    """Shorten the fences of a family so that together they cost at most their share of the request.

    Small ones stay whole, the others get equal parts of what is left. The beginning and the closing
    mark stay; a line says how much is shown. One that does not fit even so is left out.

    Raises:
        BudgetExceeded: It does not fit even so, and is required.
    """
    allowed = int(context.total * share.fraction)
    found = [message for message in draft.messages if _is_of(message, share.kind)]
    costs = [context.cost(message) for message in found]
    if sum(costs) <= allowed:
        return draft
    each = level(costs, allowed)
    changed: dict[str, Message | None] = {}
    decisions: list[Decision] = []
    blobs: list[Blob] = []
    for message, cost in zip(found, costs, strict=True):
        if cost > each:
            short = _shortened(message, each, context)
            changed[message.id] = short
            decisions.append(_decision(message, short, share, cost, context))
            blobs += [Blob.of(part.text) for part in message.parts if isinstance(part, Fence)]
            if short is None and share.required:
                raise BudgetExceeded(
                    f"the fences of the kind {share.kind} do not fit their share",
                    needed=cost,
                    available=each,
                    unit=context.unit,
                    cure="raise the share, or shorten what is injected",
                )
    kept = [changed.get(message.id, message) for message in draft.messages]
    after = draft.with_messages([message for message in kept if message is not None], decisions)
    return after.storing(blobs) if context.store else after


def level(sizes: Sequence[int], allowed: int) -> int:
    """The largest size that all may have so that together they are at most `allowed`; smaller ones keep theirs."""
    left = allowed
    for count, size in zip(range(len(sizes), 0, -1), sorted(sizes), strict=True):
        if size * count > left:
            return left // count
        left -= size
    return max(sizes, default=allowed)


def longest(length: int, fits: Callable[[int], bool]) -> int | None:
    """The largest number in `[0, length]` that fits, where every smaller one does as well; None if not even 0."""
    if not fits(0):
        return None
    low, high = 0, length + 1
    while high - low > 1:
        middle = (low + high) // 2
        if fits(middle):
            low = middle
        else:
            high = middle
    return low


def _is_of(message: Message, kind: str) -> bool:
    return bool(message.parts) and all(
        isinstance(part, Fence) and part.family == kind for part in message.parts
    )


def _shortened(message: Message, allowed: int, context: Context) -> Message | None:
    """The message with its last fence cut to what is allowed; None if no cut is enough."""
    whole = message.parts[-1]
    assert isinstance(whole, Fence)
    closing = _closing(whole, context)
    body = whole.text.removesuffix(closing)
    least = _opening(whole)

    def cut(count: int) -> Message:
        text = _beginning(body, max(count, least)) + _note(whole, count, context) + closing
        return replace(message, parts=(*message.parts[:-1], replace(whole, text=text)))

    count = longest(len(body), lambda count: context.cost(cut(count)) <= allowed)
    while count is not None and context.cost(cut(count)) > allowed:  # costs need not grow evenly
        count = count - max(1, count // 20) if count else None
    return None if count is None else cut(count)


def _opening(fence: Fence) -> int:
    """Length of an opening tag of ours, or 0."""
    first = fence.text.partition("\n")[0]
    return len(first) + 1 if first.startswith(f"<{fence.family}") else 0


def _closing(fence: Fence, context: Context) -> str:
    tag = f"\n</{fence.family}>"
    if fence.text.endswith(tag):
        return tag
    descriptor = context.registry.get(fence.family) if context.registry is not None else None
    if descriptor is not None:
        closing = marks(descriptor, {})[1]
        if fence.text.endswith(closing):
            return closing
    return ""


def _beginning(text: str, count: int) -> str:
    """At most `count` characters, cut between characters a reader sees, and between words where possible."""
    if count >= len(text):
        return text
    head = text[: border_before(text, count)]
    words = head.rstrip() if head[-1:].isspace() else head[: _last_space(head)].rstrip()
    return words if len(words) > _LAST_SPACE * len(head) else head


def _last_space(text: str) -> int:
    return max(text.rfind(" "), text.rfind("\n"), text.rfind("\t"))


def _note(fence: Fence, count: int, context: Context) -> str:
    handle = f"; all of it: {Blob.of(fence.text).handle}" if context.store else ""
    return f"\n[shortened to its share of the budget: {count:,} of {len(fence.text):,} characters{handle}]"


def _decision(message: Message, short: Message | None, share: Share, cost: int, context: Context) -> Decision:
    verdict: Verdict = "dropped" if short is None else "changed"
    return Decision(
        message=message.id,
        verdict=verdict,
        step=share.step,
        reason="over-its-share",
        detail={
            "kind": share.kind,
            "rule": share.name,
            "max_budget_fraction": share.fraction,
            "cost_before": cost,
            "cost_after": 0 if short is None else context.cost(short),
        },
    )

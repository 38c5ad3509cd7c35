"""Reads: a repeat points to the first copy, a result that is no longer true says so or makes room.

Of identical results the first stays, so that the beginning of the request keeps its bytes. A line
that names another call never outlives it: see `mend_referrals`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from contextrail.core.blobs import Blob, handle_of
from contextrail.core.digest import text_digest
from contextrail.core.ids import CallId
from contextrail.core.json_text import JsonObject
from contextrail.history.context import Context
from contextrail.history.draft import Draft, Referral
from contextrail.history.freshness import Standing, standings, unmarked
from contextrail.history.marks import is_cut_for_good
from contextrail.history.obligations import open_messages
from contextrail.history.tool_output import limits_of, shorten
from contextrail.messages.decision import Decision
from contextrail.messages.model import Message, Part, Text, ToolResult
from contextrail.messages.pairs import Place
from contextrail.messages.settle import UNKNOWN
from contextrail.messages.text import part_text

STEP: Final = "reads"
_SAME: Final = re.compile(r"\[same text as the result of call (.+?)(; all of it: blob:[0-9a-f]{16})?\]")
_STALE: Final = re.compile(
    r"\[stale: (.+?) was changed after this was read; its text now: the result of call (.+?)"
    r"(; this text: blob:[0-9a-f]{16})?\]"
)
_LONGEST_PATH: Final = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class _Plan:
    """What becomes of one result."""

    text: str
    """As it is to stand there; may be what stands there already."""
    reason: str
    facts: JsonObject
    referral: Referral | None = None
    blob: Blob | None = None


def reads(draft: Draft, context: Context) -> Draft:
    """Point repeats to the first copy, mark what is stale, collapse it where a newer read is there. Twice is once."""
    policy = context.policy.reads
    if policy.repeats == "keep" and policy.stale == "keep":
        return draft
    plans: dict[Place, _Plan] = {}
    for standing in standings(draft.messages, context.file_tools):
        plan = _plan(standing, draft.messages[standing.place[0]], context)
        if plan is not None:
            plans[standing.place] = plan
    plans = _without_owed(plans, draft, context) if plans else plans
    if not plans:
        return draft
    decisions: list[Decision] = []
    messages = list(draft.messages)
    for (at, index), plan in plans.items():
        part = messages[at].parts[index]
        if part_text(part) != plan.text:
            messages[at] = _with_text(messages[at], index, plan.text)
            decisions.append(_changed(messages[at], plan.reason, plan.facts))
    referrals = [plan.referral for plan in plans.values() if plan.referral is not None]
    draft = draft.with_messages(messages, decisions) if decisions else draft
    draft = replace(draft, referrals=(*draft.referrals, *referrals))
    return draft.storing(plan.blob for plan in plans.values() if plan.blob is not None)


def _without_owed(plans: dict[Place, _Plan], draft: Draft, context: Context) -> dict[Place, _Plan]:
    """Plans that touch nothing owed: what a result says of being open or unknown is how the obligation is seen."""
    owed = open_messages(draft.messages, context.policy.obligations)
    return {
        (at, index): plan
        for (at, index), plan in plans.items()
        if plan.reason == "known"
        or (draft.messages[at].id not in owed and part_text(draft.messages[at].parts[index]) != UNKNOWN)
    }


def mend_referrals(draft: Draft, context: Context) -> Draft:
    """Let no line name a call whose result is gone; to be run after the last step that drops or shortens.

    The first repeat whose target is gone gets its text back if it fits, and the others point to it;
    else they only say where the text can be read.
    """
    if not draft.referrals:
        return draft
    places = _places(draft.messages)
    texts = {call: part_text(draft.messages[at].parts[index]) for call, (at, index) in places.items()}
    free = context.limit - sum(map(context.cost, draft.messages))
    back: dict[str, CallId] = {}
    for referral in draft.referrals:
        if texts.get(referral.call) != referral.line or _holds(referral, texts):
            continue
        at, index = places[referral.call]
        message = draft.messages[at]
        changed, reason, blobs = _instead(message, index, referral, back, context)
        if reason == "brought-back":
            if context.cost(changed) - context.cost(message) <= free:
                back[referral.text or ""] = referral.call
            else:
                changed, reason, blobs = _with_text(message, index, referral.bare), "named-no-longer", ()
        free -= context.cost(changed) - context.cost(message)
        texts[referral.call] = part_text(changed.parts[index])
        facts: JsonObject = {"call": referral.call, "named": referral.target}
        messages = [*draft.messages[:at], changed, *draft.messages[at + 1 :]]
        draft = draft.with_messages(messages, [_changed(changed, reason, facts)]).storing(blobs)
    return draft


def _plan(standing: Standing, message: Message, context: Context) -> _Plan | None:
    known = _known(standing, message)
    if known is not None:
        return known
    policy = context.policy.reads
    size = context.count(standing.text)
    if size < policy.min_tokens:
        return None
    old = (
        (standing.stale or standing.doubtful)
        and standing.quiet_for >= policy.quiet_groups
        and policy.stale != "keep"
    )
    plan: _Plan | None = None
    if old and policy.stale == "collapse" and standing.stale and standing.newer is not None and context.store:
        plan = _collapsed(standing, message, standing.newer)
    elif standing.first is not None and policy.repeats == "point" and not is_cut_for_good(standing.text):
        plan = _pointing(standing, message, standing.first, context)
    if plan is not None and context.count(plan.text) < size:
        return plan
    return _marked(standing) if old else None


def _known(standing: Standing, message: Message) -> _Plan | None:
    """A line of ours from an earlier request: it stays, and is watched like a new one."""
    text = standing.text
    if (same := _SAME.fullmatch(text)) is not None:
        target, bare = CallId(same.group(1)), _bare_same(same.group(2) or "")
    elif (stale := _STALE.fullmatch(text)) is not None:
        target, bare = CallId(stale.group(2)), _bare_stale(stale.group(1), stale.group(3) or "")
    else:
        return None
    referral = Referral(
        message=message.id, call=standing.call, line=text, target=target, text=None, bare=bare
    )
    return _Plan(text=text, reason="known", facts={}, referral=referral)


def _pointing(standing: Standing, message: Message, first: CallId, context: Context) -> _Plan:
    blob = Blob.of(standing.text) if context.store else None
    tail = f"; all of it: {blob.handle}" if blob is not None else ""
    line = f"[same text as the result of call {first}{tail}]"
    return _Plan(
        text=line,
        reason="repeat",
        facts={"call": standing.call, "same_as": first},
        referral=Referral(
            message=message.id,
            call=standing.call,
            line=line,
            target=first,
            text=standing.text,
            bare=_bare_same(tail),
        ),
        blob=blob,
    )


def _collapsed(standing: Standing, message: Message, newer: CallId) -> _Plan:
    blob = Blob.of(standing.text)
    path, tail = _path(standing), f"; this text: {blob.handle}"
    line = f"[stale: {path} was changed after this was read; its text now: the result of call {newer}{tail}]"
    return _Plan(
        text=line,
        reason="stale-collapsed",
        facts={"call": standing.call, "newer": newer, "handle": blob.handle},
        referral=Referral(
            message=message.id,
            call=standing.call,
            line=line,
            target=newer,
            text=None,
            bare=_bare_stale(path, tail),
        ),
        blob=blob,
    )


def _marked(standing: Standing) -> _Plan:
    path, reason = _path(standing), "stale-marked" if standing.stale else "doubt-marked"
    mark = (
        f"\n[stale: {path} was changed after this was read]"
        if standing.stale
        else f"\n[maybe stale: {path} may have been changed after this was read]"
    )
    return _Plan(text=standing.text + mark, reason=reason, facts={"call": standing.call})


def _bare_same(tail: str) -> str:
    return f"[same as a text left out{tail}]"


def _bare_stale(path: str, tail: str) -> str:
    return f"[stale: {path} was changed after this was read{tail}]"


def _path(standing: Standing) -> str:
    assert standing.touch is not None
    return " ".join(standing.touch.path.split())[-_LONGEST_PATH:]


def _holds(referral: Referral, texts: Mapping[CallId, str]) -> bool:
    """Whether the result that a line names is there and still says what the line promises."""
    there = texts.get(referral.target)
    if there is None or _SAME.fullmatch(there) or _STALE.fullmatch(there):
        return False
    if referral.text is None:
        return True
    same = unmarked(there) == referral.text
    return same or handle_of(text_digest(referral.text)) in there


def _instead(
    message: Message, index: int, referral: Referral, back: Mapping[str, CallId], context: Context
) -> tuple[Message, str, tuple[Blob, ...]]:
    """What to say instead of a line whose target is gone, and why."""
    if referral.text is None:
        return _with_text(message, index, referral.bare), "named-no-longer", ()
    if referral.text in back:
        line = referral.line.replace(f"call {referral.target}", f"call {back[referral.text]}", 1)
        return _with_text(message, index, line), "pointed-anew", ()
    whole = _with_text(message, index, referral.text)
    governance = context.policy.tool_output.observation_governance
    result = whole.parts[index]
    assert isinstance(result, ToolResult)
    if governance.enabled and context.store:
        short = shorten(result, limits_of(governance), context.count)
        if short is not None:
            return _with_part(whole, index, short.result), "brought-back", short.blobs
    return whole, "brought-back", ()


def _places(messages: tuple[Message, ...]) -> dict[CallId, Place]:
    return {
        part.call_id: (at, index)
        for at, message in enumerate(messages)
        for index, part in enumerate(message.parts)
        if isinstance(part, ToolResult)
    }


def _with_text(message: Message, index: int, text: str) -> Message:
    result = message.parts[index]
    assert isinstance(result, ToolResult)
    first = result.parts[0]
    said = replace(first, text=text) if isinstance(first, Text) else Text(text=text)
    return _with_part(message, index, replace(result, parts=(said,)))


def _with_part(message: Message, index: int, part: Part) -> Message:
    return replace(message, parts=(*message.parts[:index], part, *message.parts[index + 1 :]))


def _changed(message: Message, reason: str, facts: JsonObject) -> Decision:
    return Decision(message=message.id, verdict="changed", step=STEP, reason=reason, detail=facts)

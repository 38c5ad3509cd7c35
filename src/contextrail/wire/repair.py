"""Mend a body so that its provider accepts it, without inventing facts; a clean body is not touched."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from contextrail.core.json_text import JsonObject, dump_text
from contextrail.messages.decision import Decision
from contextrail.wire.codec import CODECS
from contextrail.wire.lint import Finding, lint
from contextrail.wire.lower import lower
from contextrail.wire.lower_parts import Notes, whole_text, whole_value
from contextrail.wire.target import Target, parse_target

ROUNDS: Final = 4
"""Turning messages into text can part a pair, which the next round mends; two rounds do in practice."""

LISTS: Final = {
    "anthropic": "messages",
    "openai-chat": "messages",
    "openai-responses": "input",
    "gemini": "contents",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Repaired:
    """A mended body, and what was done to it."""

    body: JsonObject
    decisions: tuple[Decision, ...]
    before: tuple[Finding, ...]
    after: tuple[Finding, ...]


def repair(body: JsonObject, provider: str) -> Repaired:
    """Mend what can be mended: pairs, order, ids, empties, texts, fields. Repairing twice is repairing once.

    What cannot be put in the provider's form at all becomes text of the user that says so, as a last
    resort; what has no honest cure (a missing model, say) stays, and stays in `after`.

    Raises:
        InvalidRequest: The provider is unknown, or the body cannot be decoded.
    """
    target = parse_target(provider)
    before = lint(body, provider)
    if not before:
        return Repaired(body=body, decisions=(), before=(), after=())
    mended, decisions = _lowered(body, target)
    after = lint(mended, provider)
    notes = Notes(list(decisions))
    for _ in range(ROUNDS):
        stuck = [finding for finding in after if finding.severity == "error"]
        if not stuck or not (changed := _last_resort(mended, stuck, target, notes)):
            break
        mended, more = _lowered(changed, target)
        notes.taken.extend(more)
        after = lint(mended, provider)
    if {finding.rule for finding in after} == {finding.rule for finding in before} and len(after) >= len(
        before
    ):
        return Repaired(body=body, decisions=(), before=before, after=before)
    return Repaired(body=mended, decisions=tuple(notes.taken), before=before, after=after)


def _lowered(body: JsonObject, target: Target) -> tuple[JsonObject, tuple[Decision, ...]]:
    codec = CODECS[target.provider]
    conversation, decisions = lower(codec.decode(body), target)
    return codec.encode(conversation), decisions


def _last_resort(
    body: JsonObject, stuck: Sequence[Finding], target: Target, notes: Notes
) -> JsonObject | None:
    """Messages at fault as text, other fields at fault left out; None if nothing could be done."""
    key = LISTS[target.provider]
    listed = body.get(key)
    flat: set[int] = set()
    gone: set[str] = set()
    cut: dict[str, set[int]] = {}
    for finding in stuck:
        match re.match(r"\$\.([A-Za-z_]+)(?:\[(\d+)\])?", finding.path):
            case None:
                continue
            case found if found[1] == key and found[2]:
                flat.add(int(found[2]))
            case found if found[1] == "tools" and found[2]:
                cut.setdefault("tools", set()).add(int(found[2]))
            case found if found[1] not in {key, "model", "max_tokens"}:
                gone.add(found[1])
            case _:
                continue
    if not (flat or gone or cut):
        return None
    made: dict[str, Any] = {name: value for name, value in body.items() if name not in gone}
    for name in sorted(gone & body.keys()):
        notes.changed(None, "field-left-out", field=name)
    for name, indexes in cut.items():
        if isinstance(made.get(name), list):
            made[name] = [each for at, each in enumerate(made[name]) if at not in indexes]
            notes.changed(None, "tool-left-out", tools=sorted(indexes))
    if isinstance(listed, list):
        made[key] = [_as_text(each, target) if at in flat else each for at, each in enumerate(listed)]
        notes.changed(None, "message-as-text", messages=sorted(flat))
    return made


def _as_text(value: object, target: Target) -> JsonObject:
    """Something that has no legal form, as text of the user."""
    text = f"[this could not be sent in its own form] {whole_text(dump_text(whole_value(value)))}"  # type: ignore[arg-type]
    match target.provider:
        case "gemini":
            return {"role": "user", "parts": [{"text": text}]}
        case _:
            return {"role": "user", "content": text}

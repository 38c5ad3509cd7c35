"""The trace: for each message of a turn why it is there, changed or gone, and how to get it back."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC
from typing import Final

from contextrail.core.digest import canonical_json, sha256, text_digest
from contextrail.core.ids import MessageId
from contextrail.core.json_text import JsonObject
from contextrail.messages.decision import Decision
from contextrail.messages.model import Message, ToolCall, ToolResult
from contextrail.messages.text import message_text
from contextrail.wire.lower_parts import whole_text

PREVIEW: Final = 160
"""Characters of a message that the trace quotes, so that a person knows which one is meant."""


def message_rows(
    before: Sequence[Message],
    kept: Iterable[MessageId],
    decisions: Sequence[Decision],
    cost: Callable[[Message], int | None],
) -> list[JsonObject]:
    """A row for each message that was there before, then for each that was added, in order.

    Args:
        before: The messages as they came.
        kept: Ids of the messages that go out.
        decisions: Everything that was decided, in order.
        cost: Upper bound of a message's cost; None: not counted, and the row does not say one.
    """
    said: defaultdict[str | None, list[Decision]] = defaultdict(list)
    for decision in decisions:
        said[decision.message].append(decision)
    there = set(kept)
    rows = [_row(message, said[message.id], cost(message), message.id in there) for message in before]
    known = {message.id for message in before}
    for ident, taken in said.items():
        if ident is not None and ident not in known:
            rows.append(
                {"id": ident, "verdict": taken[-1].verdict, "reasons": [_reason(each) for each in taken]}
            )
    return rows


def decision_rows(decisions: Iterable[Decision]) -> list[JsonObject]:
    """Decisions as JSON, in order."""
    return [
        {
            "message": decision.message,
            "verdict": decision.verdict,
            "step": decision.step,
            "reason": decision.reason,
            "detail": decision.detail,
        }
        for decision in decisions
    ]


def preview(text: str) -> str:
    """The beginning of a text on one line."""
    line = " ".join(whole_text(text[: 4 * PREVIEW]).split())
    return line if len(line) <= PREVIEW else line[: PREVIEW - 1] + "…"


def find_rows(rows: Sequence[JsonObject], query: str) -> list[JsonObject]:
    """The rows a query means: the message of that id, else one with that call id, else quotes of that text."""
    exact = [row for row in rows if row.get("id") == query]
    if exact:
        return exact
    by_call = [row for row in rows if query in row.get("calls", [])]
    return by_call or [row for row in rows if query.casefold() in str(row.get("preview", "")).casefold()]


def _row(message: Message, taken: Sequence[Decision], cost: int | None, kept: bool) -> JsonObject:  # noqa: FBT001
    text = message_text(message)
    joined = any(each.reason == "joined" for each in taken)
    changed = any(each.verdict == "changed" for each in taken)
    verdict = "dropped" if not (kept or joined) else "changed" if changed else "kept"
    row: JsonObject = {
        "id": message.id,
        "role": message.role,
        "run": message.run,
        "verdict": verdict,
        "reasons": [_reason(each) for each in taken] or [{"step": "fill", "reason": "fits"}],
        **({} if cost is None else {"cost": cost}),
        "digest": text_digest(text),
        "preview": preview(text),
    }
    calls = [part.call_id for part in message.parts if isinstance(part, (ToolCall, ToolResult))]
    if calls:
        row["calls"] = list(dict.fromkeys(calls))
    if message.timestamp is not None:
        row["timestamp"] = message.timestamp.astimezone(UTC).isoformat()
    if message.origin is not None:
        origin = message.origin
        row["origin"] = {"file": origin.file, "line": origin.line, "start": origin.start, "end": origin.end}
    return row


def _reason(decision: Decision) -> JsonObject:
    return {"step": decision.step, "reason": decision.reason, **decision.detail}


def json_digest(value: object) -> str:
    """SHA-256 of a JSON value in canonical form."""
    return sha256(canonical_json(value))

"""Compare the traces of two turns: which messages came, went or changed and why, and what else is not the same.

Traces are read as the JSON values that `Request.trace` gives, so that a turn of last week can be compared as well.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final, Literal, NamedTuple

from contextrail.core.errors import InvalidRequest
from contextrail.core.json_text import Json, JsonObject

Kind = Literal["came", "went", "changed", "left-out"]
"""left-out: new in the history, and not in the request."""

_SETTINGS: Final = ("target", "model", "unit", "tokenizer", "budget", "policy")
_OUTCOME: Final = ("cost", "reminder_hits", "checkpoint_activated", "tools_on", "body_digest")


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageChange:
    """What happened to one message between two requests."""

    id: str
    kind: Kind
    how: str
    """Came: "new", "added" or "back"; changed: "edited" in the history itself, else the two verdicts; else ""."""
    role: str | None
    reasons: tuple[JsonObject, ...]
    """Of the later turn; where it does not know the message, one that says so."""
    batch: int | None
    """Number of the batch that did it; None: none did, or it is not known."""
    cost: int | None
    preview: str | None


class Difference(NamedTuple):
    """A value that is not the same in two traces."""

    path: str
    before: Json
    after: Json


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """All that differs between two traces."""

    messages: tuple[MessageChange, ...]
    same: int
    """Messages that are in both requests and say the same."""
    settings: tuple[Difference, ...]
    """Target, model, tokenizer, window, policy."""
    outcome: tuple[Difference, ...]
    """Cost, reminders, tools, digest of the body."""
    batches: tuple[JsonObject, JsonObject]
    """Number and cause of the batch of each turn."""
    cache: JsonObject | None
    """What the later turn predicted of the cache; None: it knew no request before it."""

    @property
    def equal(self) -> bool:
        """Whether the two requests are the same, made in the same way."""
        return not (self.messages or self.settings or self.outcome)

    def to_json(self) -> JsonObject:
        """As one JSON value."""
        return {
            "equal": self.equal,
            "same": self.same,
            "messages": [{**asdict(each), "reasons": list(each.reasons)} for each in self.messages],
            "settings": [each._asdict() for each in self.settings],
            "outcome": [each._asdict() for each in self.outcome],
            "batches": list(self.batches),
            "cache": self.cache,
        }


def compare_traces(before: JsonObject, after: JsonObject) -> Comparison:
    """Compare the trace of a turn with the trace of a later one.

    Args:
        before: What `Request.trace` gave.
        after: The same of a later turn, usually the next one.

    Returns:
        Messages in the order of the later history, then those that only the earlier one has.

    Raises:
        InvalidRequest: A trace names no messages.
    """
    old, new = (by_id(trace) for trace in (before, after))
    changes = [change for each in new.values() if (change := _change(old.get(each["id"]), each, after))]
    changes += [_vanished(row) for ident, row in old.items() if ident not in new and in_request(row)]
    stayed = sum(in_request(row) and in_request(new.get(ident)) for ident, row in old.items())
    return Comparison(
        messages=tuple(changes),
        same=stayed - sum(each.kind == "changed" for each in changes),
        settings=_differences(before, after, _SETTINGS),
        outcome=_differences(before, after, _OUTCOME),
        batches=(_batch(before), _batch(after)),
        cache=(after.get("batch") or {}).get("cache"),
    )


def by_id(trace: JsonObject) -> dict[str, JsonObject]:
    """The rows of a trace by the id of their message, in order.

    Raises:
        InvalidRequest: It was made with `include_message_ids` off.
    """
    rows = trace["messages"]
    if any("id" not in row for row in rows):
        raise InvalidRequest(
            "this trace names no messages", cure="build with context_trace.include_message_ids on"
        )
    return {row["id"]: row for row in rows}


def in_request(row: Mapping[str, Any] | None) -> bool:
    """Whether the message of a row was sent, whole or in another form."""
    return row is not None and row["verdict"] != "dropped"


def batch_of(row: Mapping[str, Any], trace: JsonObject) -> int | None:
    """The batch that decided on a message: named by its reasons, or the one of this turn."""
    for reason in row["reasons"]:
        if isinstance(reason.get("batch"), int):
            return int(reason["batch"])
        if reason["step"] == "batch":
            number = _batch(trace)["number"]
            return number if isinstance(number, int) else None
    return None


def _change(old: JsonObject | None, new: JsonObject, after: JsonObject) -> MessageChange | None:
    """What happened to a message that the later trace knows; None: nothing."""
    was, now = in_request(old), in_request(new)
    if was and now:
        assert old is not None
        how = _edited(old, new)
        return None if how is None else _row_change(new, "changed", how, after)
    if now:
        how = "added" if new["verdict"] == "added" else "new" if old is None else "back"
        return _row_change(new, "came", how, after)
    if was:
        return _row_change(new, "went", "", after)
    return _row_change(new, "left-out", "", after) if old is None else None


def _edited(old: JsonObject, new: JsonObject) -> str | None:
    """How a message differs that is in both requests; None: it does not."""
    if old.get("digest") != new.get("digest"):
        return "edited"
    if old.get("sent_digest") == new.get("sent_digest"):
        return None
    return f"{old['verdict']} to {new['verdict']}"


def _row_change(row: JsonObject, kind: Kind, how: str, trace: JsonObject) -> MessageChange:
    return MessageChange(
        id=row["id"],
        kind=kind,
        how=how,
        role=row.get("role"),
        reasons=tuple(row["reasons"]),
        batch=batch_of(row, trace),
        cost=row.get("cost", row.get("sent_cost")),
        preview=row.get("preview"),
    )


def _vanished(row: JsonObject) -> MessageChange:
    """A message that was sent and that the later turn does not know."""
    reason = "not-added-again" if row["verdict"] == "added" else "not-in-the-history"
    return MessageChange(
        id=row["id"],
        kind="went",
        how="",
        role=row.get("role"),
        reasons=({"step": "history", "reason": reason},),
        batch=None,
        cost=row.get("cost", row.get("sent_cost")),
        preview=row.get("preview"),
    )


def _batch(trace: JsonObject) -> JsonObject:
    said = trace.get("batch") or {}
    return {"number": said.get("number"), "why": said.get("why")}


def _differences(before: JsonObject, after: JsonObject, names: Sequence[str]) -> tuple[Difference, ...]:
    old, new = (
        dict(leaf for name in names for leaf in _leaves(each.get(name), name)) for each in (before, after)
    )
    paths = [*old, *(path for path in new if path not in old)]
    return tuple(
        Difference(path, old.get(path), new.get(path)) for path in paths if old.get(path) != new.get(path)
    )


def _leaves(value: Json, path: str) -> Iterator[tuple[str, Json]]:
    if isinstance(value, dict) and value:
        for name, each in value.items():
            yield from _leaves(each, f"{path}.{name}")
    else:
        yield path, value

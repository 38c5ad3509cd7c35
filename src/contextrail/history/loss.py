"""Which turn lost a message or a text: the traces of turns in a row, read from the first to the last.

There is no search by halves: a text may come back (a record is made anew with each batch, a policy may have been
changed), and whether it did can only be seen by looking at every turn.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from contextrail.core.blobs import digits_of, handle_of
from contextrail.core.ids import Sha256
from contextrail.core.json_text import JsonObject
from contextrail.history.compare import batch_of, in_request

State = Literal["not-yet", "there", "gone"]
"""not-yet: the turn does not know of it; gone: known, and not in the request."""
Outcome = Literal["lost", "still-there", "never-there"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Sighting:
    """What one turn knows of the thing that is looked for."""

    there: bool
    """Whether the request has it."""
    rows: tuple[JsonObject, ...] = ()
    """Rows of the trace whose message is or says it, as it stands in the history."""
    by: tuple[str, ...] = ()
    """Where only something that was added says it: a record, a summary."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Loss:
    """The answer."""

    outcome: Outcome
    states: tuple[State, ...]
    """One for each turn."""
    last: int | None
    """Index of the last turn that had it before it was lost; None: none had it."""
    first: int | None
    """Index of the first turn without it after one that had it, or, if none had it, the first that knew of it."""
    back: int | None
    """Index of the first turn after that which has it again."""


def find_loss(seen: Sequence[Sighting]) -> Loss | None:
    """Find the first turn that does not have it any more.

    Args:
        seen: One for each turn, in order.

    Returns:
        None if no turn knows of it.
    """
    states: list[State] = []
    for each in seen:
        known = bool(each.rows) or "there" in states or "gone" in states
        states.append("there" if each.there else "gone" if known else "not-yet")
    if "there" not in states:
        if "gone" not in states:
            return None
        return Loss(
            outcome="never-there", states=tuple(states), last=None, first=states.index("gone"), back=None
        )
    begun = states.index("there")
    if "gone" not in states[begun:]:
        return Loss(outcome="still-there", states=tuple(states), last=None, first=None, back=None)
    first = states.index("gone", begun)
    back = states.index("there", first) if "there" in states[first:] else None
    return Loss(outcome="lost", states=tuple(states), last=first - 1, first=first, back=back)


def original_of(row: JsonObject) -> str | None:
    """The handle under which a message is kept whole; None: the trace knows of none."""
    for name in ("stored", "stored_in"):
        if digits_of(str(row.get(name, ""))) is not None:
            return str(row[name])
    archives = [reason["archive"] for reason in row["reasons"] if isinstance(reason.get("archive"), str)]
    return handle_of(Sha256(archives[-1])) if archives else None


def removed_by(row: JsonObject | None, trace: JsonObject) -> JsonObject:
    """What a turn says of a message that it does not send: the decisions and the batch they belong to."""
    if row is None:
        return {"reasons": [{"step": "history", "reason": "not-in-the-history"}], "batch": None}
    return {
        "verdict": row["verdict"],
        "sent": in_request(row),
        "reasons": row["reasons"],
        "batch": batch_of(row, trace),
    }

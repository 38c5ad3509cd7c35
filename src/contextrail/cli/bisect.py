"""`contextrail bisect`: which turn lost a message or a text, what took it out, and how to get it back."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich.progress import track

from contextrail.cli.output import err, number, print_json, say
from contextrail.cli.traces import Sources, Traced, body_of, load_traces, texts_in
from contextrail.core.errors import EXIT_FOUND, InvalidRequest, NotFound
from contextrail.core.json_text import JsonObject
from contextrail.history.compare import by_id, in_request
from contextrail.history.loss import Loss, Sighting, find_loss, original_of, removed_by
from contextrail.storage.blobs import STORE

MANY = 20
"""Turns from which on progress is shown."""


def bisect_command(
    traces: Annotated[
        list[Path],
        typer.Argument(metavar="TRACE...", help="Traces of turns in a row, or folders of them."),
    ],
    query: Annotated[
        str,
        typer.Argument(metavar="MESSAGE_ID|TEXT", help="A message id, a call id, or words of a message."),
    ],
    as_json: Annotated[bool, typer.Option("--json", help="Print the answer as JSON.")] = False,
) -> None:
    """Find the first turn whose request does not have a message or a text any more, and what took it out.

    A text is looked for, in any case of letters, in the bodies that were sent: where `build --out` wrote
    them, or beside the traces. Traces of a folder are taken by name, numbers in it by value; other files
    there are passed over.

    Exit 0: it is still there; 1: a turn lost it, or it was never sent; 4: no turn knows of it.

    Examples:

        contextrail bisect turn-1.json turn-2.json turn-3.json "port 9107"

        contextrail bisect traces/ 7f3c2a10-5b1e-4c1f-9e57-0a1d8a0f2b11 --json
    """
    if not query.strip():
        raise InvalidRequest("there is nothing to look for", cure="give a message id, a call id or a text")
    turns = load_traces(traces)
    look = _looking_for(query, turns)
    seen = [look(turn) for turn in _with_progress(turns)]
    loss = find_loss(seen)
    if loss is None:
        raise NotFound(
            f"no message of these {len(turns)} turns has that id or says that",
            cure="try a shorter piece of the text, as it stands in the session",
        )
    answer = _answer(query, turns, seen, loss)
    if as_json:
        print_json(answer)
    else:
        _show(answer)
    if loss.outcome != "still-there":
        raise typer.Exit(EXIT_FOUND)


def _with_progress(turns: Sequence[Traced]) -> Sequence[Traced]:
    if len(turns) < MANY:
        return turns
    return list(track(turns, description="reading turns", console=err(), transient=True))


def _looking_for(query: str, turns: Sequence[Traced]) -> Callable[[Traced], Sighting]:
    """How to look: by id if any turn knows a message or call of that name, else by text."""
    sources = Sources()
    if any(_named(query, turn) for turn in turns):
        return lambda turn: _sighting_of(_named(query, turn))
    return lambda turn: _by_text(query.casefold(), turn, sources)


def _named(query: str, turn: Traced) -> list[JsonObject]:
    rows = by_id(turn.trace)
    if query in rows:
        return [rows[query]]
    return [row for row in rows.values() if query in row.get("calls", [])]


def _sighting_of(rows: Sequence[JsonObject]) -> Sighting:
    return Sighting(there=any(map(in_request, rows)), rows=tuple(rows))


def _by_text(wanted: str, turn: Traced, sources: Sources) -> Sighting:
    """Where a turn has a text: in its body; without the body, in messages that were sent as they are."""
    said = sources.texts(turn.trace)
    rows = [
        row
        for row in turn.trace["messages"]
        if wanted in said.get(row["id"], str(row.get("preview", ""))).casefold()
    ]
    body = body_of(turn)
    if body is not None:
        there = any(wanted in text.casefold() for text in texts_in(body))
        return Sighting(
            there=there, rows=tuple(rows), by=_added(turn) if there and not _sent_whole(rows) else ()
        )
    if _sent_whole(rows):
        return Sighting(there=True, rows=tuple(rows))
    if any(row["verdict"] in {"changed", "added"} for row in turn.trace["messages"]):
        raise NotFound(
            f"the body that {turn.place} tells of is not there any more: what was changed or added cannot be searched",
            place=str(turn.place),
            cure="build each turn with an --out of its own, or look for a message id",
        )
    return Sighting(there=False, rows=tuple(rows))


def _sent_whole(rows: Sequence[JsonObject]) -> bool:
    return any(row["verdict"] == "kept" for row in rows)


def _added(turn: Traced) -> tuple[str, ...]:
    """Messages in which a text can stand that no message of the history has as it is."""
    rows = turn.trace["messages"]
    return tuple(row["id"] for row in rows if row["verdict"] in {"changed", "added"})


def _answer(query: str, turns: Sequence[Traced], seen: Sequence[Sighting], loss: Loss) -> JsonObject:
    answer: JsonObject = {
        "query": query,
        "outcome": loss.outcome,
        "turns": [
            {"turn": at + 1, "trace": str(turn.place), "state": state, "only_in": list(sight.by)}
            for at, (turn, sight, state) in enumerate(zip(turns, seen, loss.states, strict=True))
        ],
        "last_with": None if loss.last is None else loss.last + 1,
        "first_without": None if loss.first is None else loss.first + 1,
        "back_in": None if loss.back is None else loss.back + 1,
        "messages": [],
    }
    if loss.first is not None:
        before = () if loss.last is None else seen[loss.last].rows
        ids = list(dict.fromkeys(row["id"] for row in (*before, *seen[loss.first].rows)))
        answer["messages"] = [_fate(ident, turns[loss.first]) for ident in ids]
    return answer


def _fate(ident: str, turn: Traced) -> JsonObject:
    """What a turn did to a message, and how to get the message back."""
    row = by_id(turn.trace).get(ident)
    fate: JsonObject = {
        "id": ident,
        **removed_by(row, turn.trace),
        "handle": None,
        "fetch": None,
        "origin": None,
    }
    if row is None:
        return fate
    fate["preview"] = row.get("preview")
    fate["handle"] = original_of(row)
    fate["origin"] = row.get("origin")
    if fate["handle"] is not None or isinstance(turn.trace.get("source"), dict):
        words = ["contextrail", "uncompact", ident, "--trace", str(turn.place)]
        store = turn.trace.get("store")
        if isinstance(store, str) and Path(store) != STORE.absolute():
            words += ["--store", store]
        fate["fetch"] = shlex.join(words)
    return fate


def _show(answer: JsonObject) -> None:
    turns = answer["turns"]
    count = len(turns)
    if answer["outcome"] == "still-there":
        last = turns[-1]
        say(f"still there: the request of turn {count} of {count} has it ({last['trace']})", "green")
        if last["only_in"]:
            say(f"  not where it was said any more; it stands in one of: {', '.join(last['only_in'][:5])}")
        return
    first = answer["first_without"]
    place = turns[first - 1]["trace"]
    if answer["outcome"] == "never-there":
        say(
            f"never there: none of the {number(count)} requests has it; the history has it from turn {first} on ({place})",
            "red",
        )
    else:
        say(f"lost in turn {first} of {count} ({place})", "red")
        say(f"  turn {answer['last_with']} still had it ({turns[answer['last_with'] - 1]['trace']})")
    if answer["back_in"] is not None:
        say(f"  it is back in turn {answer['back_in']} ({turns[answer['back_in'] - 1]['trace']})", "green")
    if not answer["messages"]:
        say("  no message of the history says it: it stood in something that was added or changed")
    for fate in answer["messages"]:
        _show_fate(fate)


def _show_fate(fate: JsonObject) -> None:
    batch = "" if fate["batch"] is None else f"  batch {fate['batch']}"
    say(f"{fate['id']}{batch}", "bold")
    if fate.get("preview"):
        say(f"  {fate['preview']}", "dim")
    for reason in fate["reasons"]:
        by = f" (in its place: {reason['by']})" if reason.get("by") else ""
        say(f"  {reason['step']}: {reason['reason']}{by}")
    if fate["handle"] is not None:
        say(f"  kept whole: {fate['handle']}")
    if fate["origin"]:
        origin = fate["origin"]
        say(f"  original: {origin['file']} line {origin['line']}, bytes {origin['start']} to {origin['end']}")
    if fate["fetch"] is not None:
        say(f"  {fate['fetch']}")

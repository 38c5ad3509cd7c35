"""`contextrail explain`: why a message is in a request, changed or gone, and how to get it back."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer
from rich.text import Text

from contextrail.cli.load import load_input
from contextrail.cli.output import number, out, print_json, say
from contextrail.cli.traces import load_trace, source_of
from contextrail.core.errors import NotFound, RailError
from contextrail.core.json_text import JsonObject
from contextrail.history.loss import original_of
from contextrail.history.trace import find_rows
from contextrail.messages.text import message_text


def explain_command(
    trace_file: Annotated[Path, typer.Argument(metavar="TRACE", help="A trace that `build --trace` wrote.")],
    query: Annotated[
        str, typer.Argument(metavar="MESSAGE_ID|TEXT", help="A message id, a call id, or words of a message.")
    ],
    as_json: Annotated[bool, typer.Option("--json", help="Print the rows of the trace as JSON.")] = False,
) -> None:
    """Say why a message or a text is in the request, changed or gone, and how to get it back.

    A text is looked for in the session the trace was made from, if that is still there, else in the
    beginnings of messages that the trace quotes.

    Examples:

        contextrail explain trace.json 7f3c2a10-5b1e-4c1f-9e57-0a1d8a0f2b11

        contextrail explain trace.json "port 9107"
    """
    trace = load_trace(trace_file)
    rows = trace["messages"]
    found = find_rows(rows, query) or _by_text(trace, rows, query)
    if not found:
        raise NotFound(
            "no message of this trace has that id or says that",
            cure="try a shorter piece of the text, as it stands in the session",
        )
    if as_json:
        print_json({"query": query, "messages": found})
        return
    for row in found[:20]:
        show_row(row, trace)
    if len(found) > 20:
        out().print(f"... and {len(found) - 20} more")


def show_row(row: JsonObject, trace: JsonObject) -> None:
    """One message: what became of it, why, and where its bytes are."""
    console = out()
    verdict = row["verdict"]
    color = {"kept": "green", "changed": "yellow", "dropped": "red"}.get(verdict, "cyan")
    name = row.get("id") or "a message whose id the trace does not tell"
    console.print(
        Text.assemble((name, "bold"), f"  {row.get('role') or ''}  ", (verdict, color)), soft_wrap=True
    )
    if row.get("preview"):
        console.print(f"  {row['preview']}", markup=False, style="dim")
    for reason in row["reasons"]:
        console.print(f"  {reason_line(reason)}", markup=False, soft_wrap=True)
    if verdict == "dropped" and row.get("cost") is not None:
        budget = trace["budget"]
        console.print(
            f"  it costs {number(row['cost'])} {trace['unit']}s; the request may cost {number(budget['limit'])}"
        )
    handle = original_of(row)
    if handle is not None:
        say(f"  kept whole: {handle}")
    origin = row.get("origin")
    if origin:
        say(f"  original: {origin['file']} line {origin['line']}, bytes {origin['start']} to {origin['end']}")
    elif verdict in {"dropped", "changed"} and source_of(trace) is not None:
        say(f"  original: message {row.get('id')} of {source_of(trace)}")


def reason_line(reason: JsonObject) -> str:
    """A decision on one line: the step, its reason, the facts."""
    facts = ", ".join(
        f"{key}: {_short(value)}" for key, value in reason.items() if key not in {"step", "reason"}
    )
    return f"{reason['step']}: {reason['reason']}" + (f" ({facts})" if facts else "")


def _by_text(trace: JsonObject, rows: list[JsonObject], query: str) -> list[JsonObject]:
    """Rows whose whole text has the query, read from the source of the trace."""
    file = source_of(trace)
    if file is None or not file.exists():
        return []
    try:
        messages = load_input(file, trace["source"].get("format")).messages
    except RailError:
        return []
    named = {message.id for message in messages if query.casefold() in message_text(message).casefold()}
    return [row for row in rows if row.get("id") in named]


def _short(value: Any) -> str:
    text = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
    return text if len(text) <= 80 else text[:79] + "…"

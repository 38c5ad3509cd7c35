"""`contextrail diff`: what changed between the requests of two turns, and why."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Annotated, Any

import typer

from contextrail.cli.output import number, out, print_json, say
from contextrail.cli.traces import load_trace
from contextrail.core.errors import EXIT_FOUND
from contextrail.core.json_text import Json, JsonObject
from contextrail.history.compare import Comparison, Difference, MessageChange, compare_traces

SHOWN = 40
"""Messages that are told one by one to a person; `--json` tells all."""
_COLORS = {"came": "green", "went": "red", "changed": "yellow", "left-out": "red"}


def diff_command(
    before: Annotated[
        Path, typer.Argument(metavar="TRACE_A", help="The trace of a turn, as `build --trace` wrote it.")
    ],
    after: Annotated[Path, typer.Argument(metavar="TRACE_B", help="The trace of a later turn.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print all differences as JSON.")] = False,
) -> None:
    """Say what changed between the requests of two turns: which messages came, went or changed, and why.

    Also compared: cost, what was predicted of the provider's cache, batches, and everything a request
    depends on besides the history: target, model, tokenizer, window, policy.

    Exit 0: the two requests are the same, made in the same way; 1: they differ.

    Examples:

        contextrail diff turn-1.json turn-2.json

        contextrail diff turn-1.json turn-2.json --json
    """
    old, new = load_trace(before), load_trace(after)
    found = compare_traces(old, new)
    if as_json:
        print_json(found.to_json())
    else:
        _show(found, old, new)
    if not found.equal:
        raise typer.Exit(EXIT_FOUND)


def _show(found: Comparison, old: JsonObject, new: JsonObject) -> None:
    counts = Counter(each.kind for each in found.messages)
    told = ", ".join(f"{number(count)} {kind}" for kind, count in counts.items())
    say(f"messages: {number(found.same)} the same" + (f", {told}" if told else ""))
    for change in found.messages[:SHOWN]:
        _show_change(change, new["unit"])
    if len(found.messages) > SHOWN:
        say(f"... and {number(len(found.messages) - SHOWN)} more; --json tells all")
    say(f"cost: {_cost(old)} to {_cost(new)} {new['unit']}s, limit {number(new['budget']['limit'])}")
    for name, batch in zip(("before", "after"), found.batches, strict=True):
        if batch["number"]:
            say(
                f"batch {name}: number {batch['number']}"
                + (f", made now: {batch['why']}" if batch["why"] else "")
            )
    _show_cache(found.cache, new["unit"])
    for each in found.settings:
        _show_difference(each)
    for each in found.outcome:
        if not each.path.startswith("cost."):
            _show_difference(each)
    if found.equal:
        say("the two requests are the same")


def _show_change(change: MessageChange, unit: str) -> None:
    head = f"{change.kind}{f' ({change.how})' if change.how else ''}: {change.id}"
    facts = [change.role or "", "" if change.cost is None else f"{number(change.cost)} {unit}s"]
    facts.append("" if change.batch is None else f"batch {change.batch}")
    out().print()
    say(f"{head}  {', '.join(fact for fact in facts if fact)}", _COLORS[change.kind])
    if change.preview:
        say(f"  {change.preview}", "dim")
    for reason in change.reasons:
        say(f"  {reason['step']}: {reason['reason']}")


def _show_cache(cache: JsonObject | None, unit: str) -> None:
    if cache is None:
        say("cache: no request before the later one is known (build with --plan-in)")
        return
    predicted, miss = cache["predicted"], cache["miss"]
    say(f"cache: {number(predicted['cached'])} {unit}s as before, {number(predicted['uncached'])} new")
    if miss is not None:
        say(f"  not read from {miss['region']} on ({miss['change']}): {number(miss['lost'])} {unit}s")


def _show_difference(each: Difference) -> None:
    say(f"{each.path}: {_value(each.before)} to {_value(each.after)}")


def _cost(trace: JsonObject) -> str:
    cost: Any = trace["cost"]["after"]
    low, high = cost["low"], cost["high"]
    return number(high) if low == high else f"{number(low)}..{number(high)}"


def _value(value: Json) -> str:
    text = "not set" if value is None else str(value)
    return text if len(text) <= 80 else text[:79] + "…"

"""`contextrail build`: a session in, a sendable request out, every choice explained."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from contextrail.cli.gather import Given, moment_from, ports_from
from contextrail.cli.load import (
    STDIN,
    Input,
    check_messages,
    file_digest,
    files_of,
    load_input,
    load_policy,
)
from contextrail.cli.output import (
    check_places,
    check_store,
    err,
    number,
    out,
    print_json,
    say,
    write_all,
)
from contextrail.cli.reading import reading, show_reading, with_left
from contextrail.core.errors import InvalidRequest
from contextrail.core.json_text import JsonObject, dump
from contextrail.history.pins import NO_ROOM
from contextrail.history.plan import write_plan
from contextrail.history.policy import settings_without_effect
from contextrail.messages.decision import Decision
from contextrail.messages.redaction import Salt, salt_for
from contextrail.policy import check_policy, preset_value, without_unknown_templates
from contextrail.rail import Rail
from contextrail.request import Request
from contextrail.storage.blobs import STORE, DirectoryBlobs
from contextrail.wire.format import NEUTRAL
from contextrail.wire.target import home_of, parse_target, serves


def build_command(
    source: Annotated[
        Path,
        typer.Argument(
            metavar="INPUT",
            help="A session file, a request body, or neutral messages; `-` reads standard input.",
        ),
    ],
    form: Annotated[
        str | None, typer.Option("--from", help="Format of INPUT; found out if not given.")
    ] = None,
    to: Annotated[
        str | None,
        typer.Option(
            "--to", help="anthropic, openai-chat, openai-responses, gemini, PROVIDER:PROFILE or neutral."
        ),
    ] = None,
    model: Annotated[str | None, typer.Option(help="Model the request is for.")] = None,
    window: Annotated[
        int | None, typer.Option(min=1, help="Context window; the smallest value given wins.")
    ] = None,
    reserve_output: Annotated[
        int | None, typer.Option(min=0, help="Kept free for the answer; the largest value given wins.")
    ] = None,
    tokenizer: Annotated[
        str | None, typer.Option(help="o200k, cl100k, chars:N, message:N, bytes or estimate:FAMILY.")
    ] = None,
    policy: Annotated[
        list[str] | None,
        typer.Option(
            help="Policy file, TOML or JSON, or a preset; may be given several times, later ones win."
        ),
    ] = None,
    fences: Annotated[
        Path | None, typer.Option(help="JSON file: fence families, and what is injected into this turn.")
    ] = None,
    summaries: Annotated[
        Path | None,
        typer.Option(help='JSON file of summaries made before: {"DIGEST or default": "text"}.'),
    ] = None,
    summarizer: Annotated[
        str | None,
        typer.Option(
            help=(
                "Who summarizes: none, extract (no model), openai:URL or anthropic (a model; its key is in "
                "OPENAI_API_KEY or ANTHROPIC_API_KEY).  [default: extract]"
            )
        ),
    ] = None,
    store: Annotated[
        Path | None,
        typer.Option(help="Where full texts and what leaves the request are kept.  [default: .contextrail]"),
    ] = None,
    no_store: Annotated[
        bool, typer.Option("--no-store", help="Keep nothing; then nothing is previewed away.")
    ] = False,
    step: Annotated[int | None, typer.Option(min=0, help="Steps the agent has taken in this run.")] = None,
    max_steps: Annotated[int | None, typer.Option(min=1, help="Steps it may take.")] = None,
    phase: Annotated[
        str | None, typer.Option(help="Phase of its loop; force_final_answer turns the tools off.")
    ] = None,
    pin: Annotated[
        list[str] | None, typer.Option(help="Id of a message that may not leave; may be given several times.")
    ] = None,
    unpin: Annotated[
        list[str] | None,
        typer.Option(help="Id of a message whose rules bind no longer; may be given several times."),
    ] = None,
    plan_in: Annotated[
        Path | None, typer.Option(help="Plan that the turn before wrote; what it reduced stays as it was.")
    ] = None,
    plan_out: Annotated[
        Path | None, typer.Option(help="Where the plan for the next turn is written.")
    ] = None,
    out_file: Annotated[Path | None, typer.Option("--out", "-o", help="Where the body is written.")] = None,
    trace_file: Annotated[Path | None, typer.Option("--trace", help="Where the trace is written.")] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the summary (and the body, without --out) as JSON.")
    ] = False,
) -> None:
    """Build the request for the next model call from a session.

    Repairs the history, reduces it by the policy (see `contextrail policy show`), keeps what must be kept and
    what is worth most within the budget, writes the body in the provider's form and lints its bytes. Nothing
    is written if required content does not fit.

    Examples:

        contextrail build session.jsonl --to anthropic --window 32000 --out request.json --trace trace.json

        contextrail build request.json --to openai-chat --model gpt-5 --json

        contextrail build session.jsonl --to gemini --policy team.toml --policy mine.toml -o request.json
    """
    read = _read(source, form, to)
    places = {"--out": out_file, "--trace": trace_file, "--plan-out": plan_out}
    policies = [("--policy", Path(name)) for name in policy or () if preset_value(name) is None]
    others = (("--fences", fences), ("--summaries", summaries), ("--plan-in", plan_in))
    check_places(places, [("INPUT", source), *files_of(read), *policies, *others])
    if not no_store:
        check_store(store or STORE, places)
    tuned, lost = without_unknown_templates(load_policy(policy or []))
    check_policy(tuned, place=" + ".join(policy or []) or "policy")
    for warning in (*lost, *settings_without_effect(tuned)):
        err().print(f"policy: {warning}", markup=False, soft_wrap=True)
    rail = Rail(
        tuned,
        target=to or _target_of(read, model),
        model=model,
        window=window,
        reserve_output=reserve_output,
        tokenizer=tokenizer,
        ports=ports_from(tuned, summarizer=summarizer, summaries=summaries, store=store, keep=not no_store),
    )
    request = rail.build(
        read.conversation,
        compare=True,
        moment=moment_from(
            Given(
                fences=fences,
                step=step,
                max_steps=max_steps,
                phase=phase,
                plan=plan_in,
                pin=pin or (),
                unpin=unpin or (),
            )
        ),
    )
    kept_in: JsonObject = {
        "body_file": None if out_file is None else str(out_file.absolute()),
        "store": None if no_store else str((store or STORE).absolute()),
    }
    salt: Salt = salt_for if no_store else lambda _: DirectoryBlobs(store or STORE).salt()
    files: dict[Path, bytes] = {}
    if out_file is not None:
        files[out_file] = dump(request.body, indent=1) + b"\n"
    if trace_file is not None:
        files[trace_file] = dump({**trace_of(request, read, salt), **kept_in}, indent=1) + b"\n"
    if plan_out is not None:
        if request.turn.plan is None:
            raise InvalidRequest(
                "there is no plan under stability = recompute", option="--plan-out", cure="leave it out"
            )
        files[plan_out] = dump(write_plan(request.turn.plan), indent=1) + b"\n"
    write_all(files)
    summary = summarize(request, read)
    if as_json:
        print_json(summary if out_file is not None else {**summary, "body": request.body})
        return
    show(request, read, summary)
    for path in files:
        say(f"wrote {path}")


def trace_of(request: Request, read: Input, salt: Salt = salt_for) -> JsonObject:
    """The trace with its source, so that what left can be fetched back from there, or was never part of it."""
    piped = read.file == STDIN
    source: JsonObject = {
        "file": STDIN if piped else str(Path(read.file).absolute()),
        "format": read.format,
        "sha256": None if piped else file_digest(Path(read.file)),
    }
    return {
        **with_left(request.trace(), read, salt),
        "source": source,
        "source_issues": dict(Counter(issue.kind for issue in read.issues)),
        "read": reading(read),
        "earlier_messages": read.earlier,
    }


def summarize(request: Request, read: Input) -> JsonObject:
    """What the command did, in numbers."""
    messages = request.inputs.conversation.messages
    rows = request.trace()["messages"]
    verdicts = Counter(row["verdict"] for row in rows)
    return {
        "source": read.file,
        "format": read.format,
        "target": request.target,
        "model": request.sent.model,
        "tokenizer": request.inputs.counter.id,
        "unit": request.unit,
        "window": request.inputs.window,
        "window_from": request.inputs.window_from,
        "reserve_output": request.inputs.reserve,
        "reserve_from": request.inputs.reserve_from,
        "limit": request.turn.limit,
        "cost_before": {"low": request.turn.before.low, "high": request.turn.before.high},
        "cost_after": {"low": request.cost.low, "high": request.cost.high},
        "messages_before": len(messages),
        "messages_after": len(request.sent.messages),
        "earlier_messages": read.earlier,
        "read": reading(read),
        "verdicts": dict(verdicts),
        "reasons": dict(Counter(map(_reason, request.decisions))),
        "without_room": dict(
            Counter(each.detail["kind"] for each in request.decisions if each.reason == NO_ROOM)
        ),
        "findings_before": dict(Counter(finding.rule for finding in request.before)),
        "findings_after": dict(Counter(finding.rule for finding in request.findings)),
    }


def show(request: Request, read: Input, summary: JsonObject) -> None:
    """The summary as a table."""
    console = out()
    unit = f"{request.unit}s"
    table = Table(title=f"{read.format} to {request.target}", title_justify="left", box=None, pad_edge=False)
    table.add_column("")
    table.add_column("before", justify="right")
    table.add_column("after", justify="right")
    table.add_row(unit, _range(summary["cost_before"]), _range(summary["cost_after"]))
    table.add_row("messages", number(summary["messages_before"]), number(summary["messages_after"]))
    table.add_row(
        "findings",
        number(sum(summary["findings_before"].values())),
        number(sum(summary["findings_after"].values())),
    )
    console.print(table)
    console.print(
        f"limit {number(request.turn.limit)} {unit} = window {number(request.inputs.window)} "
        f"({request.inputs.window_from}) - reserve {number(request.inputs.reserve)} ({request.inputs.reserve_from}), "
        f"counted with {request.inputs.counter.id}"
    )
    if request.turn.batch is not None:
        say(
            f"reduced in a batch to {number(request.turn.after.high)} {unit}; the next one comes at "
            f"{number(request.turn.trigger or 0)}, so that turns until then only add and stay cached (--plan-out)"
        )
    if summary["without_room"]:
        lost = ", ".join(f"{number(count)} {kind}" for kind, count in sorted(summary["without_room"].items()))
        say(f"no room for what binds the work: {lost}; raise the window (contextrail explain shows which)")
    if request.target != "neutral" and not serves(parse_target(request.target), request.sent.model or ""):
        say(
            f"nobody but a gateway serves {request.sent.model} in the form {request.target}; --to or --model changes that"
        )
    show_reading(read)
    reasons = Table(box=None, pad_edge=False)
    reasons.add_column("what happened")
    reasons.add_column("why")
    reasons.add_column("how often", justify="right")
    for what, count in sorted(summary["reasons"].items(), key=lambda item: -item[1]):
        verdict, _, why = what.partition(" ")
        reasons.add_row(verdict, why, number(count))
    if summary["reasons"]:
        console.print(reasons)
    for rule, count in sorted(summary["findings_before"].items()):
        left = summary["findings_after"].get(rule, 0)
        console.print(f"  {rule}: {count} before, {left} after")


def _read(source: Path, form: str | None, to: str | None) -> Input:
    """The input. Raises InvalidRequest as well where no message is in it, and where no request can be made `to`."""
    if to is not None and to != NEUTRAL:
        parse_target(to, others=(NEUTRAL,))
    read = load_input(source, form)
    check_messages(read, source, form)
    return read


def _target_of(read: Input, model: str | None) -> str:
    """The form of the source, or that of the model where the source has none or the model is another vendor's."""
    wire = read.conversation.wire
    if wire is None or (model is not None and not serves(parse_target(wire), model)):
        return home_of(model or read.conversation.model)
    return wire


def _reason(decision: Decision) -> str:
    return f"{decision.verdict} {decision.step}/{decision.reason}"


def _range(cost: JsonObject) -> str:
    low, high = cost["low"], cost["high"]
    return number(high) if low == high else f"{number(low)} to {number(high)}"

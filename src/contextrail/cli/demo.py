"""`contextrail demo`: the main job on a real session that is shipped with the package. No network, no model, no traces left."""

from __future__ import annotations

import lzma
import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Final

import typer
from rich.console import Console, RenderableType
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from contextrail.cli.explain import reason_line
from contextrail.cli.load import Input, load_input
from contextrail.cli.output import number, out, print_json
from contextrail.core.json_text import JsonObject
from contextrail.rail import Rail
from contextrail.request import Request
from contextrail.transcripts.health import Health, check
from contextrail.transcripts.source import opened
from contextrail.wire.shipped import shipped

SESSION: Final = "demo/session.jsonl.xz"
"""A real Claude Code session, MIT, from the fixtures of an open-source project; see `SOURCE.md` beside it."""
WINDOW: Final = 32_000
RESERVE: Final = 4_000
TARGETS: Final = (("anthropic", None), ("openai-chat", "gpt-5"))


def demo_command(
    as_json: Annotated[bool, typer.Option("--json", help="Print the same as JSON.")] = False,
) -> None:
    """Show the main job on a shipped session of a real agent that is larger than its budget.

    Its health, what providers would say to it as it is, the request for two providers within the budget,
    and why one message is gone. Needs no network and no model; leaves nothing behind.

    Examples:

        contextrail demo

        contextrail demo --json
    """
    with tempfile.TemporaryDirectory(prefix="contextrail-demo-") as folder:
        path = Path(folder) / "session.jsonl"
        path.write_bytes(lzma.decompress(shipped(SESSION)))
        with opened(path) as source:
            health = check(source)
        read = load_input(path, "claude-code")
    requests = [
        Rail(target=target, model=model, window=WINDOW, reserve_output=RESERVE).build(
            read.conversation, compare=True
        )
        for target, model in TARGETS
    ]
    gone = _telling_loss(requests[0])
    if as_json:
        print_json(_record(health, read, requests, gone))
        return
    console = out()
    console.print(_title(read, requests[0]))
    console.print(_health(health))
    side_by_side = Table.grid(expand=True)
    for _ in requests:
        side_by_side.add_column(ratio=1)
    side_by_side.add_row(*map(_request, requests))
    console.print(side_by_side)
    console.print(_explanation(gone, requests[0]))
    _next_steps(console)


def _record(health: Health, read: Input, requests: Sequence[Request], gone: JsonObject) -> JsonObject:
    return {
        "health": {**health.to_json(), "file": "session.jsonl", "issues": []},
        "messages": len(read.conversation.messages),
        "requests": [
            {
                "target": request.target,
                "model": request.sent.model,
                "limit": request.turn.limit,
                "cost_before": {"low": request.turn.before.low, "high": request.turn.before.high},
                "cost_after": {"low": request.cost.low, "high": request.cost.high},
                "unit": request.unit,
                "messages_sent": len(request.sent.messages),
                "verdicts": dict(_verdicts(request)),
                "findings_before": dict(Counter(finding.rule for finding in request.before)),
                "findings_after": dict(Counter(finding.rule for finding in request.findings)),
                "reasons": _reasons(request),
            }
            for request in requests
        ],
        "explained": gone,
    }


def _reasons(request: Request) -> JsonObject:
    return dict(Counter(f"{each.verdict} {each.step}/{each.reason}" for each in request.decisions))


def _verdicts(request: Request) -> Counter[str]:
    """What became of the messages: kept, changed, dropped, and those that were added."""
    return Counter(row["verdict"] for row in request.trace()["messages"])


def _telling_loss(request: Request) -> JsonObject:
    """The newest message of those that went for the reason that most went for."""
    rows = [row for row in request.trace()["messages"] if row["verdict"] == "dropped"]
    ((most, _),) = Counter(map(_last_reason, rows)).most_common(1)
    row: JsonObject = [row for row in rows if _last_reason(row) == most][-1]
    return {**row, "origin": {**row["origin"], "file": "session.jsonl"}} if "origin" in row else row


def _last_reason(row: JsonObject) -> str:
    reason = row["reasons"][-1]
    return f"{reason['step']}/{reason['reason']}"


def _title(read: Input, request: Request) -> Panel:
    cost = request.turn.before
    text = Text.assemble(
        ("one real session", "bold"),
        f": {number(len(read.conversation.messages))} messages, ",
        (f"{number(cost.low)} to {number(cost.high)} tokens", "bold"),
        ", written by Claude Code\n",
        ("one budget", "bold"),
        f": window {number(WINDOW)}, of which {number(RESERVE)} are kept for the answer\n",
        ("two providers", "bold"),
        ": what would the next request be, and is it legal to the byte?",
    )
    return Panel(text, title="contextrail demo", title_align="left", border_style="cyan")


def _health(health: Health) -> Panel:
    facts = Table.grid(padding=(0, 3))
    facts.add_row(
        f"{number(health.records)} records",
        f"{number(health.messages)} messages",
        f"{number(health.calls)} tool calls",
        f"{number(health.segments)} segment{'s' * (health.segments != 1)}",
        f"{number(health.sidechains)} sidechains",
    )
    lines: list[RenderableType] = [facts]
    for kind, count in sorted(health.counts.items(), key=lambda item: -item[1]):
        lines.append(Text(f"  {kind}: {count}", style="dim"))
    if not health.counts:
        lines.append(Text("  nothing is damaged", style="dim"))
    body = Table.grid()
    for line in lines:
        body.add_row(line)
    return Panel(body, title="1  health of the file", title_align="left", border_style="blue")


def _request(request: Request) -> Panel:
    sent, limit = request.cost, request.turn.limit
    width = 24
    filled = min(width, round(width * sent.high / limit))
    body = Table.grid()
    body.add_row(
        Text(f"as it is: {len(request.before)} findings", style="red" if request.before else "green")
    )
    for rule, count in Counter(finding.rule for finding in request.before).most_common(4):
        body.add_row(Text(f"  {count} x {rule}", style="dim"))
    body.add_row(
        Text(f"built:    {len(request.findings)} findings", style="green" if not request.findings else "red")
    )
    bar = "█" * filled + "░" * (width - filled)
    body.add_row(Text(f"{bar} {number(sent.high)} of {number(limit)}", style="cyan"))
    became = _verdicts(request)
    body.add_row(
        f"of {number(len(request.inputs.conversation.messages))} messages {number(became['kept'])} are kept, "
        f"{number(became['changed'])} changed, {number(became['dropped'])} left out; {number(became['added'])} added"
    )
    for what, count in sorted(_reasons(request).items(), key=lambda item: -item[1])[:5]:
        body.add_row(Text(f"  {count} x {what}", style="dim"))
    name = f"{request.target} ({request.sent.model})"
    return Panel(body, title=f"2  {name}", title_align="left", border_style="green")


def _explanation(row: JsonObject, request: Request) -> Panel:
    body = Table.grid()
    body.add_row(Text.assemble((f"{row['role']} message {row['id']}", "bold"), " is not in the request"))
    body.add_row(Text(f"  “{row['preview']}”", style="dim"))
    for reason in row["reasons"]:
        body.add_row(Text(f"  why: {reason_line(reason)}"))
    body.add_row(
        f"  it alone costs up to {number(row['cost'])} tokens; the request may cost {number(request.turn.limit)} "
        f"and costs at most {number(request.cost.high)}"
    )
    origin = row.get("origin")
    if origin:
        body.add_row(
            f"  back byte for byte: {origin['file']}, line {origin['line']}, bytes {origin['start']} to {origin['end']}"
        )
    return Panel(body, title="3  why one message is gone", title_align="left", border_style="yellow")


def _next_steps(console: Console) -> None:
    console.print(
        Text(
            "on your own session:  contextrail fsck ~/.claude/projects    contextrail build SESSION --to anthropic --trace t.json",
            style="dim",
        )
    )

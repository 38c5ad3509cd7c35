"""`contextrail lint`: what a provider would say to a request body, before it is sent."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table
from rich.text import Text

from contextrail.cli.load import load_request
from contextrail.cli.output import out, print_json, say
from contextrail.core.digest import text_digest
from contextrail.core.errors import EXIT_FOUND, InvalidRequest
from contextrail.core.json_text import JsonObject
from contextrail.core.secrets import redact_text
from contextrail.wire.codec import CODECS, detect_provider
from contextrail.wire.lint import Finding, lint
from contextrail.wire.repair import repair
from contextrail.wire.target import Provider, parse_target

SHOWN = 200
"""Rows of the table; `--json` gives all findings."""
SURE = 0.9
"""From this on, in [0, 1], a body is taken to be in one form and no other."""


def lint_command(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A request body; `-` reads standard input.")],
    provider: Annotated[
        str | None, typer.Option(help="Form of the body, as `openai-chat:mistral`; found out if not given.")
    ] = None,
    model: Annotated[
        str | None, typer.Option(help="Whom the body is for, if it does not say so (Gemini bodies do not).")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the findings as JSON.")] = False,
) -> None:
    """Check a request body against the rules of its provider: rule, place, what would be answered.

    Errors would be refused; warnings would be taken, with harm. The last column says whether
    `contextrail repair` mends it. All rules are listed in the documentation under "Linter rules".

    Exit code 0: nothing found; 1: findings.

    Examples:

        contextrail lint body.json

        contextrail lint body.json --provider gemini --model gemini-3-pro-preview

        cat body.json | contextrail lint - --json
    """
    body = load_request(file)
    name = str(parse_target(provider)) if provider is not None else detect_provider(body)
    findings = without_secrets(lint(body, name, model=model))
    other = _other_form(body, parse_target(name).provider)
    obstacle = _obstacle(body, name) if findings else None
    if obstacle is not None:
        findings = tuple(replace(finding, mendable=False) for finding in findings)
    errors = sum(finding.severity == "error" for finding in findings)
    if as_json:
        print_json(as_record(name, findings, obstacle) | ({} if other is None else {"form_of": other}))
    else:
        console = out()
        if findings:
            console.print(_table(findings[:SHOWN]))
        if len(findings) > SHOWN:
            console.print(f"{len(findings) - SHOWN} more findings; --json prints all", markup=False)
        console.print(_summary(name, errors, findings), markup=False)
        if obstacle is not None:
            say(f"repair cannot read this body: {obstacle}")
        if other is not None:
            say(f"this is a body for {other}: the rules of {name} say nothing about most of it")
    if findings or other is not None:
        raise typer.Exit(EXIT_FOUND)


def _other_form(body: JsonObject, provider: Provider) -> Provider | None:
    """The provider whose form a body surely has, and as surely not the form of the one that was named."""
    best, found = max((codec.recognizes(body), name) for name, codec in CODECS.items())
    return found if best >= SURE and CODECS[provider].recognizes(body) <= 1 - SURE else None


def _obstacle(body: JsonObject, provider: str) -> str | None:
    """Why `repair` would refuse the body as a whole, so that it mends nothing of it; None: it would not."""
    try:
        repair(body, provider)
    except InvalidRequest as error:
        return str(error)
    return None


def without_secrets(findings: Sequence[Finding]) -> tuple[Finding, ...]:
    """The findings as they may be printed: a role or an id that is quoted may be anything."""
    salt = bytes.fromhex(text_digest("contextrail lint"))
    return tuple(
        replace(each, message=redact_text(each.message, salt), path=redact_text(each.path, salt))
        for each in findings
    )


def as_record(provider: str, findings: Sequence[Finding], obstacle: str | None = None) -> JsonObject:
    """The findings as one JSON object; with what keeps `repair` from reading the body."""
    errors = sum(finding.severity == "error" for finding in findings)
    return {
        "provider": provider,
        "findings": [
            {
                "rule": finding.rule,
                "path": finding.path,
                "severity": finding.severity,
                "message": finding.message,
                "answer": finding.answer,
                "mendable": finding.mendable,
            }
            for finding in findings
        ],
        "errors": errors,
        "warnings": len(findings) - errors,
        **({} if obstacle is None else {"not_mendable_because": obstacle}),
    }


def _table(findings: Sequence[Finding]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("severity", no_wrap=True)
    table.add_column("rule", overflow="fold")
    table.add_column("place", overflow="fold")
    table.add_column("found, and what the provider answers", overflow="fold", ratio=1)
    table.add_column("repair")
    for finding in findings:
        color = "red" if finding.severity == "error" else "yellow"
        found = Text(finding.message)
        if finding.answer is not None:
            found.append(f"\n{finding.answer}", style="dim")
        table.add_row(
            Text(finding.severity, style=color),
            Text(finding.rule.partition(".")[2]),
            Text(finding.path),
            found,
            "mends it" if finding.mendable else "cannot",
        )
    return table


def _summary(provider: str, errors: int, findings: Sequence[Finding]) -> str:
    if not findings:
        return f"{provider}: nothing found"
    mendable = sum(finding.mendable for finding in findings)
    warnings = len(findings) - errors
    return f"{provider}: {_count(errors, 'error')}, {_count(warnings, 'warning')}; repair mends {mendable}"


def _count(number: int, word: str) -> str:
    return f"{number} {word}" if number == 1 else f"{number} {word}s"

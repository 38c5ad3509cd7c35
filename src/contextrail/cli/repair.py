"""`contextrail repair`: a body that its provider refuses in, one that it accepts out."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Annotated

import typer

from contextrail.cli.load import load_request
from contextrail.cli.output import check_places, out, print_json, say, write_all
from contextrail.core.errors import EXIT_FOUND, InvalidRequest
from contextrail.core.json_text import dump
from contextrail.history.trace import decision_rows
from contextrail.wire.codec import detect_provider
from contextrail.wire.repair import repair


def repair_command(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A request body; `-` reads standard input.")],
    out_file: Annotated[Path, typer.Option("--out", "-o", help="Where the mended body is written.")],
    provider: Annotated[str | None, typer.Option(help="Form of the body; found out if not given.")] = None,
    model: Annotated[
        str | None, typer.Option(help="Whom the body is for, if it does not say so (Gemini bodies do not).")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print what was done as JSON.")] = False,
) -> None:
    """Mend a request body without inventing facts; FILE is not touched.

    Unanswered calls get a result that says the outcome is unknown, results without a call become text,
    order, ids, empties and fields are put right. A clean body is written as it is.

    Exit code 0: no finding is left; 1: some could not be mended.

    Examples:

        contextrail repair refused.json -o mended.json

        contextrail repair body.json --provider openai-chat:mistral -o mended.json --json
    """
    check_places({"--out": out_file}, [("FILE", file)])
    body = load_request(file)
    name = provider or detect_provider(body)
    try:
        mended = repair(body, name, model=model)
    except InvalidRequest as error:
        if "path" not in error.facts:
            raise
        raise InvalidRequest(
            f"{file} cannot be mended: {error}",
            **{**error.facts, "place": str(file), "cure": "put right by hand what stands at that path"},
        ) from None
    write_all({out_file: dump(mended.body, indent=1) + b"\n"})
    if as_json:
        print_json(
            {
                "provider": name,
                "decisions": decision_rows(mended.decisions),
                "findings_before": dict(Counter(finding.rule for finding in mended.before)),
                "findings_after": dict(Counter(finding.rule for finding in mended.after)),
            }
        )
    else:
        console = out()
        for what, count in Counter(each.reason for each in mended.decisions).items():
            console.print(f"  {what}: {count}")
        for finding in mended.after:
            say(f"  not mended: {finding.rule} at {finding.path}: {finding.message}")
        say(f"{len(mended.before)} findings before, {len(mended.after)} after; wrote {out_file}")
    if mended.after:
        raise typer.Exit(EXIT_FOUND)

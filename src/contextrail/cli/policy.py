"""`contextrail policy`: show, check and compare policies, and their JSON Schema."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import msgspec
import typer
from rich.table import Table

from contextrail.cli.load import load_policy
from contextrail.cli.output import out, print_json
from contextrail.core.errors import EXIT_FOUND
from contextrail.core.json_text import Json
from contextrail.history.policy import Policy, settings_without_effect
from contextrail.policy import (
    PRESETS,
    check_policy,
    differences,
    policy_schema,
    settings,
    without_unknown_templates,
)

app = typer.Typer(
    name="policy", help="Show, check and compare policies.", no_args_is_help=True, rich_markup_mode="markdown"
)

_NAMES = ", ".join(PRESETS)
_Files = Annotated[
    list[str] | None,
    typer.Argument(metavar="[POLICY]...", help=f"Files, or presets ({_NAMES}); later ones win."),
]
_AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]


@app.command("show")
def show_command(policies: _Files = None, as_json: _AsJson = False) -> None:
    """Show every setting as it acts: the defaults, overlaid by the policies in their order.

    Examples:

        contextrail policy show

        contextrail policy show compact mine.toml --json
    """
    policy = load_policy(policies or [])
    if as_json:
        print_json(msgspec.to_builtins(policy))
        return
    plain = dict(settings(Policy()))
    table = Table(box=None, pad_edge=False)
    table.add_column("setting")
    table.add_column("value")
    table.add_column("default", style="dim")
    for path, value in settings(policy):
        table.add_row(path, _written(value), "" if value == plain[path] else _written(plain[path]))
    out().print(table)


@app.command("check")
def check_command(policies: _Files = None, as_json: _AsJson = False) -> None:
    """Check policies: an error names the setting; exit 1 if a setting is valid but has no effect.

    Triggers of reminders must be built in, for no command can run those of a host. A rule whose content
    template only a host can register is named in a warning.

    Examples:

        contextrail policy check mine.toml
    """
    policy, lost = without_unknown_templates(load_policy(policies or []))
    check_policy(policy, place=" + ".join(policies or []) or "policy")
    found = settings_without_effect(policy)
    if as_json:
        print_json({"valid": True, "without_effect": list(found), "warnings": list(lost)})
    else:
        for line in lost:
            out().print(f"warning: {line}", markup=False, soft_wrap=True)
        for line in found:
            out().print(f"without effect: {line}", markup=False)
        out().print("valid")
    if found:
        raise typer.Exit(EXIT_FOUND)


@app.command("schema")
def schema_command() -> None:
    """Print the JSON Schema of a policy file. Names may also be written in camelCase, which it does not list."""
    print_json(policy_schema())


@app.command("diff")
def diff_command(
    left: Annotated[str, typer.Argument(metavar="LEFT", help=f"A file, or a preset: {_NAMES}.")],
    right: Annotated[str, typer.Argument(metavar="RIGHT", help="The same.")],
    as_json: _AsJson = False,
) -> None:
    """Say in which settings two policies differ; exit 1 if they do.

    Examples:

        contextrail policy diff balanced compat-linnkit

        contextrail policy diff mine.toml compact --json
    """
    found = differences(load_policy([left]), load_policy([right]))
    if as_json:
        print_json([{"setting": path, "left": one, "right": other} for path, one, other in found])
    elif found:
        table = Table(box=None, pad_edge=False)
        for column in ("setting", _name(left), _name(right)):
            table.add_column(column)
        for path, one, other in found:
            table.add_row(path, _written(one), _written(other))
        out().print(table)
    else:
        out().print("no difference")
    if found:
        raise typer.Exit(EXIT_FOUND)


def _name(given: str) -> str:
    return given if given in PRESETS else Path(given).name


def _written(value: Json) -> str:
    return "not set" if value is None else json.dumps(value, ensure_ascii=False)

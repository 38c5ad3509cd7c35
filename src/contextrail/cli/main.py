"""The command line: one application, one place where errors become messages and exit codes."""

from __future__ import annotations

import json
import os
import sys
import traceback
from typing import Annotated, Final, cast

import typer
from typer.rich_utils import rich_format_error

from contextrail.cli.bisect import bisect_command
from contextrail.cli.build import build_command
from contextrail.cli.demo import demo_command
from contextrail.cli.diff import diff_command
from contextrail.cli.explain import explain_command
from contextrail.cli.fsck import fsck_command
from contextrail.cli.lint import lint_command
from contextrail.cli.output import fault_record, say, standard_output
from contextrail.cli.policy import app as policy_app
from contextrail.cli.repair import repair_command
from contextrail.cli.uncompact import uncompact_command
from contextrail.core.errors import EXIT_FAULT, InvalidRequest, RailError, answer
from contextrail.core.version import VERSION
from contextrail.exits import error_record

_UsageError: Final = cast("type[typer.BadParameter]", typer.BadParameter.__mro__[1])
"""A command that was called wrongly: what typer raises for all such cases."""

app = typer.Typer(
    name="contextrail",
    help="Decide what the next model request contains: within a budget, legal to the byte, every choice explained.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=True,
    rich_markup_mode="markdown",
    context_settings={"help_option_names": ["-h", "--help"]},
)

app.command("build")(build_command)
app.command("explain")(explain_command)
app.command("diff")(diff_command)
app.command("bisect")(bisect_command)
app.command("lint")(lint_command)
app.command("repair")(repair_command)
app.command("uncompact")(uncompact_command)
app.command("fsck")(fsck_command)
app.command("demo")(demo_command)
app.add_typer(policy_app)


def _print_version(wanted: bool) -> None:  # noqa: FBT001 - the form of an option callback
    if wanted:
        say(f"contextrail {VERSION}")
        raise typer.Exit


@app.callback()
def _root(
    show_version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    pass


def main() -> None:
    """Run one command; a typed error is one clear message and the exit code of the error table."""
    try:
        with standard_output():
            code = app(standalone_mode=False)
            sys.stdout.flush()
    except RailError as error:
        _say_error(error)
        code = answer(error).exit
    except _UsageError as error:
        _say_usage(error)
        code = error.exit_code
    except (KeyboardInterrupt, typer.Abort):
        code = 130
    except Exception as fault:  # noqa: BLE001 - the last door: a fault of ours must not look like the user's
        _say_fault(fault)
        code = EXIT_FAULT
    sys.exit(code if isinstance(code, int) else 0)


def _as_json() -> bool:
    return "--json" in sys.argv


def _say_error(error: RailError) -> None:
    record = error_record(error)
    if _as_json():
        print(json.dumps({"error": record}), file=sys.stderr)
        return
    print(f"contextrail: {error.code}: {_printable(record['message'])}", file=sys.stderr)
    cure = record["facts"].get("cure")
    if cure and str(cure) not in record["message"]:
        print(f"  cure: {_printable(str(cure))}", file=sys.stderr)


def _say_fault(fault: Exception) -> None:
    said = fault_record(fault)
    if _as_json():
        print(json.dumps({"error": said}), file=sys.stderr)
    else:
        print(f"contextrail: internal_fault: {said['message']}: please report it", file=sys.stderr)
    if os.environ.get("CONTEXTRAIL_TRACEBACK"):
        traceback.print_exception(fault)


def _say_usage(error: typer.BadParameter) -> None:
    said = error.format_message()
    if _as_json() and said:
        facts = {"cure": "see the --help of the command"}
        print(
            json.dumps({"error": {"code": InvalidRequest.code, "message": said, "facts": facts}}),
            file=sys.stderr,
        )
    else:
        rich_format_error(error)


def _printable(text: str) -> str:
    """Text that any terminal can show: lone surrogates and control characters as escapes."""
    return "".join(char if char.isprintable() else repr(char)[1:-1] for char in text)

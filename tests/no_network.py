"""Run a command in a process that has no network and no environment, to prove that it needs neither."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

NETWORK_EVENTS: Final = ("socket.", "urllib.", "http.", "ftplib.", "smtplib.")
"""Audit events (Python library reference, table of audit events) that mean a network is being used."""

NETWORK_USED: Final = 97
"""Exit code of a process that tried to."""

# The process ends at once: an exception could be caught by the code under test, which would then go on
# without what it wanted to fetch. An audit hook cannot be taken back.
_GUARD: Final = f"""
import os, sys

def refuse(event, arguments):
    if event.startswith({NETWORK_EVENTS!r}):
        os.write(2, ("network used: " + event + "\\n").encode())
        os._exit({NETWORK_USED})

sys.addaudithook(refuse)
"""

_COMMAND_LINE: Final = _GUARD + "from contextrail.cli.main import main\nsys.exit(main())\n"


def run_cli(
    *arguments: str | Path, cwd: Path, environment: Mapping[str, str] | None = None, text: str | None = None
) -> subprocess.CompletedProcess[str]:
    """Run `contextrail ARGUMENTS` with sockets blocked and an empty environment.

    Args:
        arguments: Of the command line, without the program's name.
        cwd: Where it runs; an empty folder shows what is left behind.
        environment: What it may see instead of nothing.
        text: Standard input; None is an empty one.
    """
    return _run(("-c", _COMMAND_LINE, *map(str, arguments)), cwd, environment, text)


def run_code(code: str, *, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Run a piece of Python with sockets blocked and an empty environment."""
    return _run(("-c", _GUARD + code), cwd, None, None)


def _run(
    arguments: Sequence[str], cwd: Path, environment: Mapping[str, str] | None, text: str | None
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=cwd,
        env=dict(environment or {}),
        input=text or "",
        capture_output=True,
        encoding="utf-8",
        timeout=120,
        check=False,
    )

"""Sessions that grow from turn to turn, built as a host builds them: each turn with the plan of the one before."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from typer.testing import CliRunner, Result

from contextrail.cli.main import app

FACT = "the port of the staging broker is 9107"


def run(*words: str | Path) -> Result:
    """The command line in this process."""
    return CliRunner().invoke(app, [*map(str, words)])


def shown(*words: str | Path) -> Any:
    """What a command prints with --json, whatever its exit code."""
    return json.loads(run(*words, "--json").stdout)


def text(ident: str, role: str, said: str) -> dict[str, Any]:
    """A message that says one thing."""
    return {"id": ident, "role": role, "parts": [{"type": "text", "content": said}]}


def talk(turns: int) -> list[dict[str, Any]]:
    """A conversation of so many turns; the answer of the first tells a fact that no rule would pin."""
    messages = []
    for at in range(turns):
        told = f"I looked at it: {FACT}. " if at == 0 else f"Part {at} is read. "
        messages.append(text(f"u{at}", "user", f"Please look at part {at}."))
        messages.append(text(f"a{at}", "assistant", told + f"lorem{at} ipsum dolor sit amet " * 12))
    return messages


class Folder:
    """Turns in a folder, numbered from 1: turn-N.json, body-N.json, plan-N.json and the session as it was then."""

    def __init__(self, place: Path) -> None:
        self.place = place
        self.count = 0

    def build(
        self, messages: list[dict[str, Any]], *more: str | Path, window: int = 1_000, planned: bool = True
    ) -> Path:
        """Build the next turn, with the plan of the one before; its trace."""
        self.count += 1
        session = self.place / f"session-{self.count}.jsonl.in"
        session.write_text(json.dumps({"messages": messages}), "utf-8")
        before = self.place / f"plan-{self.count - 1}.json"
        done = run(
            *("build", session, "--from", "neutral", "--to", "openai-chat", "--model", "gpt-5"),
            *("--tokenizer", "chars:4", "--window", str(window), "--reserve-output", "100"),
            *("--trace", self.trace(self.count), "--out", self.body(self.count)),
            *("--store", self.place / "store"),
            *(("--plan-out", self.place / f"plan-{self.count}.json") if planned else ()),
            *(("--plan-in", before) if planned and self.count > 1 else ()),
            *more,
        )
        assert done.exit_code == 0, done.output
        return self.trace(self.count)

    def trace(self, number: int) -> Path:
        """Where the trace of a turn is."""
        return self.place / f"turn-{number}.json"

    def body(self, number: int) -> Path:
        """Where the body of a turn is."""
        return self.place / f"body-{number}.json"

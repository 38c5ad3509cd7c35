"""Runs every `*.txt` below. To accept a change: `make golden`, then read the difference.

| command | does |
|---|---|
| `policy` | JSON of a partial policy, for the builds that follow |
| `transcript` | messages, in the words of `tests.builders`; `...N` behind a text repeats it N times |
| `append` | more of them, for the next turn |
| `build window=N` | one turn: what is sent, and every decision; also `tokenizer=`, `step=`, `max_steps=`, `phase=`, `summary=` |
| `store` | what the store was given, by its first line |
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from contextrail import Conversation, Moment, Ports, Rail, RailError, policy_from
from contextrail.core.json_text import JsonObject, parse_object
from contextrail.history.context import Loop
from contextrail.history.fence_registry import read_fences
from contextrail.history.plan import Plan
from contextrail.history.policy import Policy
from contextrail.messages.decision import Decision
from contextrail.messages.identity import number_runs
from contextrail.messages.model import Message
from contextrail.request import Request
from contextrail.storage.blobs import MemoryBlobs
from tests.builders import show, transcript
from tests.scenarios.script import Block, check

HERE = Path(__file__).parent
LONGEST = 150
"""Characters of a message that a scenario shows."""


class World:
    """What one file works on."""

    def __init__(self) -> None:
        self.policy = Policy(stability="recompute")
        self.messages: tuple[Message, ...] = ()
        self.fences: JsonObject | None = None
        self.plan: Plan | None = None
        self.store = MemoryBlobs()
        self.last: Request | None = None

    def __call__(self, block: Block) -> str:
        match block.command:
            case "policy":
                self.policy = policy_from(
                    {"stability": "recompute", **parse_object("\n".join(block.lines), place="scenario")}
                )
                return "ok"
            case "fences":
                self.fences = parse_object("\n".join(block.lines), place="scenario")
                return "ok"
            case "transcript":
                self.messages, self.plan = transcript(*map(repeated, block.lines)), None
                return f"{len(self.messages)} messages"
            case "append":
                more = transcript(*map(repeated, block.lines))
                self.messages = number_runs((*self.messages, *more))
                return f"{len(self.messages)} messages"
            case "build":
                return self.build(block.args)
            case "events":
                assert self.last is not None
                return "\n".join(str(event["event"]) for event in self.last.turn.events) or "none"
            case other:
                raise ValueError(other)

    def build(self, args: dict[str, str]) -> str:
        rail = Rail(
            self.policy,
            target="neutral",
            window=int(args["window"]),
            reserve_output=0,
            tokenizer=args.get("tokenizer", "chars:4"),
            ports=self.ports(args),
        )
        try:
            request = rail.build(Conversation(messages=self.messages), moment=self.moment(args))
        except RailError as error:
            return f"{error.code}: {error}"
        self.last, self.plan = request, request.turn.plan
        shown = [clipped(line) for line in show(request.turn.conversation.messages)]
        return "\n".join([*shown, f"cost {request.cost.high}", *map(said, request.turn.decisions)])

    def ports(self, args: dict[str, str]) -> Ports:
        store = None if args.get("store") == "none" else self.store
        if "summary" not in args:
            return Ports(summarizer="none", store=store)
        if args["summary"] == "extract":
            return Ports(summarizer="extract", store=store)
        text = args["summary"].replace("_", " ")
        return Ports(summarizer="model", summarize=lambda _: text, store=store)

    def moment(self, args: dict[str, str]) -> Moment:
        moment = Moment(plan=self.plan, batch_asked="asked" in args)
        if "step" in args or "phase" in args:
            most = args.get("max_steps")
            loop = Loop(
                step=int(args.get("step", 0)),
                max_steps=None if most is None else int(most),
                phase=args.get("phase"),
            )
            moment = replace(moment, loop=loop)
        if self.fences is not None:
            registry, injections = read_fences(self.fences)
            moment = replace(moment, fences=injections, registry=registry)
        return moment


def repeated(line: str) -> str:
    """A line in which `word...N` stands for the word N times."""
    return re.sub(r"(\S+)\.\.\.(\d+)", lambda match: " ".join([match[1]] * int(match[2])), line)


def clipped(line: str) -> str:
    one = line.replace("\n", " / ")
    return one if len(one) <= LONGEST else f"{one[: LONGEST // 2]} ~ {one[-LONGEST // 2 :]} ({len(one)})"


def said(decision: Decision) -> str:
    return f"  {decision.message} {decision.verdict}: {decision.step}/{decision.reason}"


def files() -> Sequence[Path]:
    return sorted(HERE.rglob("*.txt"))


@pytest.mark.parametrize("path", files(), ids=lambda path: path.relative_to(HERE).as_posix())
def test_a_scenario_comes_out_as_written(path: Path, request: pytest.FixtureRequest) -> None:
    check(path, World(), rewrite=request.config.getoption("--rewrite"))

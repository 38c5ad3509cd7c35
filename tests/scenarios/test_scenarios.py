"""Runs every `*.txt` below. To accept a change: `make golden`, then read the difference.

| command | does |
|---|---|
| `policy` | JSON of a partial policy, for the builds that follow; a wrong one is refused |
| `fences` | JSON of families and injections, for the builds that follow |
| `transcript` | messages, in the words of `tests.builders`; `...N` behind a text repeats it N times; another session, unless `plan=kept` |
| `append` | more of them, for the next turn |
| `summary` | what a summary model says to everything from here on, for `build summary=model` |
| `model` | answers of a summary model, one a line: `status N`, `timeout`, `refusal`, `garbage`, `blank`, or a text; the last again and again |
| `build window=N` | one turn: what is sent, and every decision; also `tokenizer=`, `step=`, `max_steps=`, `phase=`, `summary=`, `store=none`, `asked=yes`, and `whole=ID` for a message to be shown unclipped, by the beginning of its id |
| `again` | the last request as the history of a new one, no plan, no fences: what a second pass changes |
| `events` | what the host hears of the last build |
| `asked` | which model was asked and how long was waited since the last `asked`, one a line |
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from contextrail import Conversation, Moment, Ports, Rail, RailError, policy_from
from contextrail.compaction.agents import SummaryAgent, SummaryAgents
from contextrail.compaction.lifecycle import Effort, fetch_summary
from contextrail.compaction.need import NeedSummary
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
from contextrail.wire.ask import ModelFailed, Reply
from contextrail.wire.scripted import ScriptedModel
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
        self.model = ScriptedModel(["nothing"])
        self.asked: list[str] = []

    def __call__(self, block: Block) -> str:
        answered: str = getattr(self, f"do_{block.command}")(block)
        return answered

    def do_policy(self, block: Block) -> str:
        partial = parse_object("\n".join(block.lines), place="scenario")
        try:
            self.policy = policy_from({"stability": "recompute", **partial})
        except RailError as error:
            return f"{error.code}: {error}"
        return "ok"

    def do_fences(self, block: Block) -> str:
        self.fences = parse_object("\n".join(block.lines), place="scenario")
        return "ok"

    def do_transcript(self, block: Block) -> str:
        self.messages = transcript(*map(repeated, block.lines))
        if block.args.get("plan") != "kept":
            self.plan = None
        return f"{len(self.messages)} messages"

    def do_append(self, block: Block) -> str:
        self.messages = number_runs((*self.messages, *transcript(*map(repeated, block.lines))))
        return f"{len(self.messages)} messages"

    def do_again(self, _: Block) -> str:
        assert self.last is not None
        self.messages, self.plan, self.fences = self.last.turn.conversation.messages, None, None
        return f"{len(self.messages)} messages"

    def do_summary(self, block: Block) -> str:
        self.model = ScriptedModel([repeated("\n".join(block.lines))])
        return "ok"

    def do_model(self, block: Block) -> str:
        self.model = ScriptedModel(map(answer, block.lines))
        return f"{len(block.lines)} answers"

    def do_asked(self, _: Block) -> str:
        asked, self.asked = self.asked, []
        return "\n".join(asked) or "nothing"

    def do_events(self, _: Block) -> str:
        assert self.last is not None
        return "\n".join(str(event["event"]) for event in self.last.turn.events) or "none"

    def do_build(self, block: Block) -> str:
        return self.build(block.args)

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
        whole = args.get("whole", "~")
        shown = [clipped(line, whole) for line in show(request.turn.conversation.messages)]
        return "\n".join([*shown, f"cost {request.cost.high}", *map(said, request.turn.decisions)])

    def ports(self, args: dict[str, str]) -> Ports:
        store = None if args.get("store") == "none" else self.store
        if "summary" not in args:
            return Ports(summarizer="none", store=store)
        if args["summary"] == "extract":
            return Ports(summarizer="extract", store=store)
        assert args["summary"] == "model"
        return Ports(summarizer="model", summarize=self.fetch, store=store)

    def fetch(self, need: NeedSummary) -> str:
        """A summary from the scripted model, with the retries and the fallback of the policy."""
        settings = self.policy.summarization
        agents = SummaryAgents()
        agents.register("history_compression", SummaryAgent(client=self, model="first"))
        effort = Effort(
            retries=settings.max_retries,
            delay_s=settings.retry_delay_ms / 1000,
            fallback_model=settings.fallback_model_id,
        )
        return fetch_summary(need, agents, effort=effort, sleep=self.sleep).text

    def sleep(self, seconds: float) -> None:
        self.asked.append(f"wait {seconds:g} s")

    def ask(self, conversation: Conversation, *, timeout_s: float) -> Reply:
        self.asked.append(f"ask {conversation.model}")
        return self.model.ask(conversation, timeout_s=timeout_s)

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


def answer(line: str) -> str | Reply | ModelFailed:
    """What a model client gives or raises, as the one over HTTP does."""
    match line.split():
        case ["status", number]:
            again = number == "429" or number.startswith("5")
            return ModelFailed(
                f"the model's endpoint answered with status {number}", status=int(number), retry=again
            )
        case ["timeout"]:
            return ModelFailed("the model's endpoint did not answer in time", retry=True)
        case ["garbage"]:
            return ModelFailed("the model's answer is not JSON", status=200, retry=True)
        case ["refusal"]:
            return Reply(text="", stop="refusal")
        case ["blank"]:
            return " "
        case _:
            return repeated(line)


def repeated(line: str) -> str:
    """A line in which `word...N` stands for the word N times."""
    return re.sub(r"(\S+)\.\.\.(\d+)", lambda match: " ".join([match[1]] * int(match[2])), line)


def clipped(line: str, whole: str) -> str:
    one = line.replace("\n", " / ")
    return (
        one
        if len(one) <= LONGEST or one.startswith(whole)
        else f"{one[: LONGEST // 2]} ~ {one[-LONGEST // 2 :]} ({len(one)})"
    )


def said(decision: Decision) -> str:
    return f"  {decision.message} {decision.verdict}: {decision.step}/{decision.reason}"


def files() -> Sequence[Path]:
    return sorted(HERE.rglob("*.txt"))


@pytest.mark.parametrize("path", files(), ids=lambda path: path.relative_to(HERE).as_posix())
def test_a_scenario_comes_out_as_written(path: Path, request: pytest.FixtureRequest) -> None:
    check(path, World(), rewrite=request.config.getoption("--rewrite"))

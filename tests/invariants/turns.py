"""Good turns to check, and to break: a host's session with tools, rules, an open approval and batches."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace

from contextrail import Conversation, Moment, Policy, Ports, Rail, Request, Tokenizer, policy_from, tokenizer
from contextrail.core.ids import MessageId
from contextrail.core.json_text import JsonObject
from contextrail.messages.model import Message
from contextrail.storage.blobs import MemoryBlobs
from contextrail.testing import Decided, Snapshot
from tests.builders import transcript

TRACED = {"context_trace": {"enabled": True}}
LONG = "word after word of a long result " * 8


def session(steps: int) -> tuple[Message, ...]:
    """A goal with a rule, an approval that is still pending, then so many calls with results, a question at the end."""
    lines = [
        "u0 user Move the orders table to the new schema. Never drop the old column.",
        "a0 assistant call ask request_approval",
        "t0 tool result ask Approval 17 is pending, waiting for the answer.",
        "u1 user Then go on with the rest.",
    ]
    for at in range(steps):
        lines += [f"c{at} assistant Step {at} + call k{at} bash", f"r{at} tool result k{at} {at} {LONG}"]
    return transcript(*lines, "u2 user What is left?")


@dataclass(frozen=True, kw_only=True)
class Case:
    """What `check_turn` is given."""

    request: Request
    before: Request | None = None
    store: MemoryBlobs | None = None
    given: Snapshot | None = None
    trace: JsonObject | None = None

    def altered(self, **turn: object) -> Case:
        """With other values in the turn."""
        return replace(self, request=replace(self.request, turn=replace(self.request.turn, **turn)))  # type: ignore[arg-type]

    def traced(self) -> JsonObject:
        """A copy of its context trace, to be altered."""
        view: JsonObject = json.loads(json.dumps(self.request.trace()["context_trace"]))
        return view

    def known(self) -> dict[str, object]:
        """Everything besides the turn."""
        return {"before": self.before, "store": self.store, "given": self.given, "trace": self.trace}


def policy(**groups: object) -> Policy:
    """The default policy with the trace wanted, and other groups."""
    return policy_from({**TRACED, **groups})


def turns(
    policy: Policy,
    *,
    count: Tokenizer | None = None,
    target: str = "openai-chat",
    summarizer: str = "extract",
) -> list[Case]:
    """Turns of a session that grows, each with the plan of the one before; some make batches."""
    store = MemoryBlobs()
    ports = Ports(summarizer="none" if summarizer == "none" else "extract", store=store)
    rail = Rail(
        policy,
        target=target,
        model="gpt-5",
        window=900,
        reserve_output=50,
        tokenizer=count or tokenizer("chars:4"),
        ports=ports,
    )
    made: list[Case] = []
    whole = session(14)
    for stop in range(6, len(whole), 2):
        conversation = Conversation(messages=whole[:stop])
        given = Snapshot.of(conversation)
        before = made[-1].request if made else None
        plan = None if before is None else before.turn.plan
        request = rail.build(conversation, moment=Moment(plan=plan))
        made.append(Case(request=request, before=before, store=store, given=given))
    return made


def quiet_turn(made: list[Case]) -> Case:
    """The last turn after a batch that made none itself."""
    return [case for case in made if case.request.turn.batch is None and case.request.turn.plan.batch][-1]  # type: ignore[union-attr]


def decided(case: Case) -> Decided:
    """The turn without its request, as a host has it that calls `decide` itself."""
    return Decided.of(case.request)


def without(messages: tuple[Message, ...], *ids: str) -> tuple[Message, ...]:
    """Messages without some."""
    return tuple(each for each in messages if each.id not in set(map(MessageId, ids)))

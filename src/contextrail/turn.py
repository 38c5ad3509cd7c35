"""The core: decide what one model request contains; no I/O, so any turn can be decided again from its record."""

from __future__ import annotations

from dataclasses import dataclass, replace

import msgspec

from contextrail.core.budget import RequestBudget
from contextrail.core.digest import canonical_json, sha256
from contextrail.core.errors import IntegrityError, InvalidRequest
from contextrail.core.ids import Sha256
from contextrail.core.json_text import JsonObject
from contextrail.core.tokens import Estimate
from contextrail.history.draft import Draft
from contextrail.history.fill import Room, fill
from contextrail.history.policy import Policy
from contextrail.history.repair import repair
from contextrail.messages.cost import Tokenizer
from contextrail.messages.decision import Decision
from contextrail.messages.model import Conversation, Message
from contextrail.policy import policy_from
from contextrail.wire import neutral


@dataclass(frozen=True, slots=True, kw_only=True)
class Counter:
    """Which tokenizer a turn was counted with: two of equal identity give equal counts."""

    id: str
    version: str
    state: Sha256 | None = None

    @classmethod
    def of(cls, tokenizer: Tokenizer) -> Counter:
        """The identity of a tokenizer."""
        return cls(id=tokenizer.id, version=tokenizer.version, state=tokenizer.state)


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnInputs:
    """Everything a turn depends on, gathered before it starts."""

    conversation: Conversation
    counter: Counter
    window: int
    window_from: str = "default"
    """Who said so: "host", "policy", "model table" or "default"."""
    reserve: int = 0
    """Kept free for the answer."""
    reserve_from: str = "default"
    input_limit: int | None = None
    """Most that the request alone may take, where the model limits it below the window."""
    wire_overhead: int = 0
    """What the target's wire form costs beyond the neutral messages, as far as known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """What to send and why."""

    conversation: Conversation
    decisions: tuple[Decision, ...]
    before: Estimate
    """Cost of everything that was there."""
    after: Estimate
    """Cost of what is left, in neutral form."""
    limit: int
    """What the request may cost: window less reserves."""


def decide(inputs: TurnInputs, policy: Policy, tokenizer: Tokenizer) -> Turn:
    """Decide one request. Deterministic: equal arguments give an equal turn.

    Raises:
        BudgetExceeded: What is required does not fit; nothing was truncated.
        InvalidRequest: The tokenizer is not the one the inputs were gathered with.
    """
    if inputs.counter != Counter.of(tokenizer):
        raise InvalidRequest(
            f"this turn was counted with {inputs.counter.id} {inputs.counter.version}, "
            f"not with {tokenizer.id} {tokenizer.version}",
            cure="use the tokenizer of the record, with its calibration",
        )
    conversation = inputs.conversation
    model = conversation.model
    budget = request_budget(inputs, policy, tokenizer)
    draft = repair(Draft(conversation.messages))

    def cost(message: Message) -> int:
        return tokenizer.message(message, model).high

    limit = budget.left.low - inputs.wire_overhead
    draft = fill(draft, Room(limit=limit, unit=tokenizer.unit, always_keep=_must(policy)), cost)
    kept = replace(conversation, messages=draft.messages)
    return Turn(
        conversation=kept,
        decisions=draft.decisions,
        before=tokenizer.body(conversation, model),
        after=tokenizer.body(kept, model),
        limit=budget.request,
    )


def request_budget(inputs: TurnInputs, policy: Policy, tokenizer: Tokenizer) -> RequestBudget:
    """The window, what is set aside, and what the parts that no policy can shorten cost."""
    conversation = replace(inputs.conversation, messages=())
    system = tokenizer.body(replace(conversation, tools=()), conversation.model)
    both = tokenizer.body(conversation, conversation.model)
    return RequestBudget(
        window=inputs.window,
        system=system,
        tools=Estimate(max(0, both.low - system.low), max(0, both.high - system.high)),
        output=inputs.reserve,
        safety=policy.budget.reserved_for_safety,
        input_limit=inputs.input_limit,
        unit=tokenizer.unit,
    )


def _must(policy: Policy) -> frozenset[str]:
    words = {"system_prompt": "system", "user_input": "user"}
    return frozenset(words[each] for each in policy.must_keep.always_keep_types)


def to_record(inputs: TurnInputs, policy: Policy) -> JsonObject:
    """Everything needed to decide the turn again, as one JSON value with its own digest."""
    record: JsonObject = {
        "record": 1,
        "conversation": neutral.encode(inputs.conversation),
        "counter": {
            "id": inputs.counter.id,
            "version": inputs.counter.version,
            "state": inputs.counter.state,
        },
        "window": inputs.window,
        "window_from": inputs.window_from,
        "reserve": inputs.reserve,
        "reserve_from": inputs.reserve_from,
        "input_limit": inputs.input_limit,
        "wire_overhead": inputs.wire_overhead,
        "policy": msgspec.to_builtins(policy),
    }
    return {**record, "digest": sha256(canonical_json(record))}


def from_record(record: JsonObject) -> tuple[TurnInputs, Policy]:
    """Inputs and policy of a recorded turn.

    Raises:
        IntegrityError: The record was altered.
        InvalidRequest: It is not a record of a turn.
    """
    stated = record.get("digest")
    body = {key: value for key, value in record.items() if key != "digest"}
    if record.get("record") != 1 or not isinstance(record.get("conversation"), dict):
        raise InvalidRequest("not the record of a turn", cure="use what `to_record` gave")
    if stated != sha256(canonical_json(body)):
        raise IntegrityError("the record of the turn was altered", stated=str(stated))
    counter = record["counter"]
    inputs = TurnInputs(
        conversation=neutral.decode(record["conversation"]),
        counter=Counter(id=counter["id"], version=counter["version"], state=counter["state"]),
        window=record["window"],
        window_from=record["window_from"],
        reserve=record["reserve"],
        reserve_from=record["reserve_from"],
        input_limit=record["input_limit"],
        wire_overhead=record["wire_overhead"],
    )
    return inputs, policy_from(record["policy"], place="record")

"""Request: one model request as it goes out, what it costs, and the trace that explains it."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field

import msgspec

from contextrail.core.blobs import handle_of
from contextrail.core.digest import text_digest
from contextrail.core.errors import BudgetExceeded, InvalidRequest
from contextrail.core.json_text import JsonObject
from contextrail.core.tokens import Estimate
from contextrail.exits import originals_in
from contextrail.history.pins import lost_in
from contextrail.history.policy import Policy, settings_without_effect
from contextrail.history.trace import decision_rows, json_digest, message_rows
from contextrail.history.view import Seen, context_trace, without_ids
from contextrail.messages.cost import Tokenizer
from contextrail.messages.decision import Decision
from contextrail.messages.model import Conversation, Message, ToolCall
from contextrail.messages.text import message_text
from contextrail.turn import Turn, TurnInputs
from contextrail.wire.finding import Finding


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One model request: the body, what it costs, and every decision on the way."""

    body: JsonObject
    target: str
    inputs: TurnInputs
    policy: Policy
    turn: Turn
    sent: Conversation
    """What the body says, after the target's rules were applied."""
    cost: Estimate
    """Of the body, in the tokenizer's unit."""
    unit: str
    decisions: tuple[Decision, ...]
    before: tuple[Finding, ...]
    """What the linter would say of the whole conversation sent as it is; empty unless `compare` asked for it."""
    findings: tuple[Finding, ...]
    """What it says of the body."""
    tokenizer: Tokenizer = field(repr=False, compare=False)
    noticed: tuple[JsonObject, ...] = ()
    """What the host should hear of what was there before the turn was decided."""

    @property
    def events(self) -> tuple[JsonObject, ...]:
        """Everything that the host should hear of."""
        return (*self.noticed, *self.turn.events)

    def trace(self) -> JsonObject:
        """Why this request looks as it does, as one JSON value."""
        trace: JsonObject = {
            "trace": 1,
            "target": self.target,
            "model": self.inputs.conversation.model,
            "tokenizer": {"id": self.inputs.counter.id, "version": self.inputs.counter.version},
            "unit": self.unit,
            "budget": self._budget(),
            "policy": msgspec.to_builtins(self.policy),
            "warnings": list(settings_without_effect(self.policy)),
            "cost": {
                "before": _interval(self.turn.before),
                "after": _interval(self.cost),
                "over_budget": self.cost.high > self.turn.limit,
            },
            "body_digest": json_digest(self.body),
            "messages": self._rows(),
            "decisions": decision_rows(self.decisions),
            "events": list(self.events),
            "reminder_hits": list(self.turn.reminder_hits),
            "checkpoint_activated": self.turn.checkpoint_activated,
            "tools_on": self.turn.tools_on,
            "batch": self._batch(),
            "context_trace": context_trace(self._seen(), self.policy.context_trace),
            "findings": {
                "before": [msgspec.to_builtins(finding) for finding in self.before],
                "after": [msgspec.to_builtins(finding) for finding in self.findings],
            },
        }
        if self.policy.context_trace.include_message_ids:
            return trace
        shown = without_ids(trace, self._ids())
        assert isinstance(shown, dict)
        return shown

    def _budget(self) -> JsonObject:
        return {
            "window": self.inputs.window,
            "window_from": self.inputs.window_from,
            "reserve_output": self.inputs.reserve,
            "reserve_from": self.inputs.reserve_from,
            "reserve_safety": self.policy.budget.reserved_for_safety,
            "limit": self.turn.limit,
        }

    def _batch(self) -> JsonObject:
        """What batch there was, and what the provider's cache should give."""
        turn = self.turn
        return {
            "stability": self.policy.stability,
            "why": turn.batch,
            "number": None if turn.plan is None else turn.plan.batch,
            "trigger": turn.trigger,
            "target": turn.target,
            "cache": None if turn.cache is None else asdict(turn.cache),
        }

    def _rows(self) -> list[JsonObject]:
        rows = message_rows(
            self.inputs.conversation.messages,
            [message.id for message in self.sent.messages],
            self.decisions,
            self._price,
        )
        sent = {message.id: message for message in self.sent.messages}
        archives = () if self.turn.plan is None or not self.inputs.store else self.turn.plan.archives
        archived = {ident: archive.digest for archive in archives for ident in archive.ids}
        with_secret = originals_in(self.decisions)
        for row in rows:
            digest = self.turn.originals.get(row["id"])
            if digest is not None:
                row["stored"] = handle_of(digest)
            elif row["id"] in with_secret:
                row["stored"] = with_secret[row["id"]]
            elif row["id"] in archived:
                row["stored_in"] = handle_of(archived[row["id"]])
            if row["verdict"] in {"changed", "added"} and row["id"] in sent:
                row["sent_digest"] = text_digest(message_text(sent[row["id"]]))
                row["sent_cost"] = self._price(sent[row["id"]])
        return rows

    def _seen(self) -> Seen:
        messages = self.turn.conversation.messages
        return Seen(
            before=self.inputs.conversation.messages,
            after=messages,
            decisions=self.turn.decisions,
            records=self.turn.records,
            required=self.turn.required,
            cost=self._price,
            total=self.turn.limit,
            fixed=self.turn.after.high - sum(map(self._price, messages)),
            policy={
                **msgspec.to_builtins(self.policy),
                "budget": {
                    **msgspec.to_builtins(self.policy.budget),
                    "max_tokens": self.inputs.window,
                    "reserved_for_response": self.inputs.reserve,
                },
            },
        )

    def _price(self, message: Message) -> int:
        return self.tokenizer.message(message, self.inputs.conversation.model).high

    def _ids(self) -> frozenset[str]:
        """Everything that names a message or a call."""
        messages = (*self.inputs.conversation.messages, *self.turn.conversation.messages)
        calls = {part.call_id for message in messages for part in message.parts if isinstance(part, ToolCall)}
        return frozenset({*(message.id for message in messages), *calls})


def nothing_left(turn: Turn, unit: str) -> BudgetExceeded | InvalidRequest:
    """Why there is no message to send: none fitted, or none said anything."""
    costs = [each.detail.get("cost") for each in turn.decisions if each.reason == "over-budget"]
    if not costs:
        return InvalidRequest(
            "no message of the conversation says anything", place="request", cure="send a user message"
        )
    return BudgetExceeded(
        "not one message fits",
        needed=min((cost for cost in costs if isinstance(cost, int)), default=turn.before.high),
        available=turn.limit,
        unit=unit,
        cure="raise the window or lower the reserve",
    )


def _interval(estimate: Estimate) -> JsonObject:
    return {"low": estimate.low, "high": estimate.high}


def beyond(request: Request) -> int:
    """How much a request costs beyond its limit; not positive where it fits."""
    return request.cost.high - request.turn.limit


def missing(request: Request, last: Request | None) -> int:
    """How much more room to leave: what is in excess; where that changed nothing, all that the wire form added."""
    if last is None or last.cost != request.cost:
        return beyond(request)
    added = request.cost.high - request.turn.after.high
    return max(beyond(request), added - request.inputs.wire_overhead)


def lost(request: Request) -> bool:
    """Whether the goal, or what binds the work, found no room."""
    return bool(lost_in(request.decisions))

"""Rail, the shell of a turn: gather inputs, run the core, write the request and check its bytes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final

from contextrail.compaction.need import NeedSummary
from contextrail.core.budget import DEFAULT_WINDOW, resolve_reserve, resolve_window
from contextrail.core.errors import BudgetExceeded, InvalidRequest, ToolHistoryOverflow
from contextrail.core.ids import MessageId
from contextrail.core.json_text import JsonObject
from contextrail.exits import Admitted, exits_of
from contextrail.history.context import Loop, Summarizer
from contextrail.history.fence_kinds import FenceInjection, FenceRegistry
from contextrail.history.pins import check_pins
from contextrail.history.plan import Plan
from contextrail.history.policy import Policy
from contextrail.history.reminder_rules import SystemReminderRegistry
from contextrail.messages.cost import Tokenizer
from contextrail.messages.identity import is_user_input
from contextrail.messages.memo import Memo
from contextrail.messages.model import Conversation
from contextrail.request import Request, beyond, lost, missing, nothing_left
from contextrail.storage.blobs import BlobStore
from contextrail.turn import Counter, Turn, TurnInputs, decide
from contextrail.usage.cache import in_one_order, order_decision
from contextrail.wire import neutral
from contextrail.wire.codec import CODECS, detect_provider
from contextrail.wire.dialects import MAX_OUTPUT
from contextrail.wire.format import NEUTRAL, format_agent_llm_messages
from contextrail.wire.lint import Finding, lint
from contextrail.wire.lower import lower
from contextrail.wire.memory import Memory
from contextrail.wire.models import lookup
from contextrail.wire.sendable import refuse_no_json, refuse_unsendable
from contextrail.wire.target import model_decision, parse_target, serves, stand_in
from contextrail.wire.tokenizers import tokenizer as make_tokenizer

DEFAULT_RESERVE: Final = 2_400
"""Tokens for the answer where nobody says, but never more than a fiftieth of the window: the seed's share of
its own default window."""
MARKERS: Final = 32
"""Room left at first for the lines that lowering may add, so that one round is enough; in the tokenizer's unit."""
ROUNDS: Final = 8
"""Each round takes away what the wire form added beyond the last one's room; three rounds do in practice."""


Summarize = Callable[[NeedSummary], str]
"""Fetches one summary; "" where none came."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ports:
    """What a rail may use besides its settings. Everything has a default that does no I/O."""

    summarizer: Summarizer = "extract"
    """Who writes summaries: our rules, nobody, or `summarize`."""
    summarize: Summarize | None = None
    """Asked under "model"; raises SummarizationFailed, or gives "", where no summary came."""
    store: BlobStore | None = None
    """Where full texts and messages that left are put. None: nothing is kept, so nothing is previewed away."""
    reminders: SystemReminderRegistry | None = None
    """Triggers and templates of the host's reminder rules."""

    def __post_init__(self) -> None:
        if self.summarizer == "model" and self.summarize is None:
            raise InvalidRequest(
                "a model as summarizer needs a function that asks it", place="ports", path="summarize"
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class Moment:
    """What holds for one turn only."""

    loop: Loop | None = None
    fences: tuple[FenceInjection, ...] = ()
    registry: FenceRegistry | None = None
    """The families of `fences`."""
    plan: Plan | None = None
    """`Turn.plan` of the turn before. None: the first turn, or nothing is known of it."""
    batch_asked: bool = False
    """The host wants a batch of reductions now."""
    idle_s: float | None = None
    """Seconds since the last request, if the host knows: a cache that is dead costs nothing to change."""
    pinned: frozenset[MessageId] = frozenset()
    """Messages that may not be removed or collapsed; one that left in an earlier turn comes back."""
    unpinned: frozenset[MessageId] = frozenset()
    """Messages whose goals, rules and decisions bind no longer."""


class Rail:
    """Builds requests for one target with one policy. Equal input gives equal requests, in any order.

    What it remembers of earlier turns only saves reading and counting again.
    """

    def __init__(  # noqa: PLR0913 - one parameter a setting
        self,
        policy: Policy | None = None,
        *,
        target: str | None = None,
        model: str | None = None,
        window: int | None = None,
        reserve_output: int | None = None,
        tokenizer: str | Tokenizer | None = None,
        ports: Ports | None = None,
    ) -> None:
        """Settings of every request.

        Args:
            policy: The knobs of the core.
            target: A provider, `PROVIDER:PROFILE` or "neutral"; None: the form the conversation came in.
            model: Model id; None: the conversation's own.
            window: Context window, at least 1; the smallest of all values given wins.
            reserve_output: Kept free for the answer; the largest of all values given wins.
            tokenizer: One of your own, or a specification such as "o200k"; None: policy, else the model's.
            ports: Summaries, store, reminders of the host.
        """
        self.policy = policy or Policy()
        self.target = target
        self.model = model
        self.window = window
        self.reserve_output = reserve_output
        self.tokenizer = tokenizer
        self.ports = ports or Ports()
        if target is not None and target != NEUTRAL:
            parse_target(target)
        self._made: dict[str, Tokenizer] = {}
        self._memory = Memory()
        self._sent = Memory()
        self._memo = Memo()
        self.policy, self._exits = exits_of(self.policy, self.ports.store)

    def build(
        self,
        conversation: Conversation | JsonObject,
        *,
        compare: bool = False,
        moment: Moment | None = None,
    ) -> Request:
        """Decide, write and check one request; what it refers to is in the store when this returns.

        Args:
            conversation: A conversation, or a body in a provider's form.
            compare: Also lint the whole conversation as it stands, for `Request.before`.
            moment: The state of the loop and what is injected, for this turn.

        Raises:
            BudgetExceeded: What is required does not fit.
            SummarizationFailed: A summary is needed, and none came.
            Unavailable: The store cannot be written.
            InvalidRequest: The input cannot be read, a setting is wrong, or the target would refuse the request
                for something that nobody can mend without inventing facts; facts: `place`, `path`, `cure`.
        """
        try:
            return self._build(conversation, moment or Moment(), compare=compare)
        except (ArithmeticError, AttributeError, RecursionError, TypeError, ValueError):
            body = neutral.encode(conversation) if isinstance(conversation, Conversation) else conversation
            refuse_no_json(body, place="conversation")
            raise

    def _build(self, conversation: Conversation | JsonObject, now: Moment, *, compare: bool) -> Request:
        given = self._read(conversation)
        inputs, tokenizer, admitted = self._gather(given, now)
        renamed = model_decision(given.model, inputs.conversation.model)
        target = self.target or given.wire or NEUTRAL
        if not given.messages:
            raise InvalidRequest(
                "the conversation holds no message",
                place="conversation",
                cure="send at least one user message",
            )
        try:
            request = self._fitted(inputs, target, tokenizer)
        except BudgetExceeded as error:
            request = self._lowered_first(inputs, target, tokenizer, error)
        refuse_unsendable(request.findings, target)
        before = self._naive_findings(inputs.conversation, target) if compare else ()
        first = (*renamed, *order_decision(admitted.conversation, inputs.conversation), *admitted.decisions)
        self._exits.keep(request.turn.blobs, admitted)
        return replace(
            request, before=before, decisions=(*first, *request.decisions), noticed=admitted.events
        )

    def _decide(self, inputs: TurnInputs, tokenizer: Tokenizer) -> tuple[Turn, TurnInputs]:
        """Decide, fetching each summary that is asked for; the inputs then hold them."""
        while True:
            decided = decide(inputs, self.policy, tokenizer, reminders=self.ports.reminders, memo=self._memo)
            if isinstance(decided, Turn):
                return decided, inputs
            assert self.ports.summarize is not None
            assert decided.digest not in inputs.summaries
            text = self._exits.text(self.ports.summarize(decided))
            inputs = replace(inputs, summaries={**inputs.summaries, decided.digest: text})

    def _lowered_first(
        self, inputs: TurnInputs, target: str, tokenizer: Tokenizer, refusal: BudgetExceeded
    ) -> Request:
        """The request where what must be kept fits only without what the target may not hear, as foreign reasoning."""
        if target == NEUTRAL or not any(map(is_user_input, inputs.conversation.messages)):
            raise refusal
        lowered, decisions = lower(
            inputs.conversation,
            parse_target(target),
            max_output=inputs.asked_limit,
            demanded=inputs.reserve or None,
        )
        if not decisions or not lowered.messages:
            raise refusal
        request = self._fitted(replace(inputs, conversation=lowered), target, tokenizer)
        added = {each.message for each in decisions if each.verdict == "added"}
        if all(message.id in added for message in request.turn.conversation.messages):
            raise refusal  # a line that says that something is not shown is no request
        return replace(request, decisions=(*decisions, *request.decisions))

    def _read(self, given: Conversation | JsonObject) -> Conversation:
        return (
            given if isinstance(given, Conversation) else self._memory.decode(given, detect_provider(given))
        )

    def _fitted(self, inputs: TurnInputs, target: str, tokenizer: Tokenizer) -> Request:
        """Decide and write until the bytes of the wire form fit as well.

        First with room for the markers that lowering may add; without it where that room is what the goal needs.
        """
        first = self._try(
            replace(inputs, wire_overhead=MARKERS if target != NEUTRAL else 0), target, tokenizer
        )
        if first is not None:
            inputs = replace(inputs, summaries=first.inputs.summaries)
        if first is None or beyond(first) > 0:
            return self._narrowed(first, inputs, target, tokenizer)
        if not lost(first) or not first.inputs.wire_overhead:
            return first
        try:
            wider = self._narrowed(None, inputs, target, tokenizer)
        except BudgetExceeded:
            return first
        return first if lost(wider) else wider

    def _narrowed(
        self, request: Request | None, inputs: TurnInputs, target: str, tokenizer: Tokenizer
    ) -> Request:
        """Leave more and more room for what the wire form adds, as much as it takes."""
        low, high, last = 0, None, None
        for _ in range(ROUNDS):
            try:
                turn, inputs = self._decide(inputs, tokenizer)
                last, request = request, self._write(turn, inputs, target, tokenizer)
            except BudgetExceeded as error:
                if request is None or isinstance(error, ToolHistoryOverflow):
                    raise
                high, step = inputs.wire_overhead, 0  # too much: less may leave out just what is in excess
            else:
                if beyond(request) <= 0:
                    return request
                low, step = inputs.wire_overhead, missing(request, last)
            if high is not None and (step == 0 or low + step >= high):
                step = (high - low) // 2
            if step == 0:
                break
            inputs = replace(inputs, wire_overhead=low + step)
        assert request is not None
        raise BudgetExceeded(
            "the wire form of what must be kept does not fit",
            needed=request.cost.high,
            available=request.turn.limit,
            unit=tokenizer.unit,
            cure="raise the window or lower the reserve",
        )

    def _try(self, inputs: TurnInputs, target: str, tokenizer: Tokenizer) -> Request | None:
        """A request with room for the markers that lowering may add; None if that room leaves no room for a message."""
        try:
            turn, inputs = self._decide(inputs, tokenizer)
            return self._write(turn, inputs, target, tokenizer)
        except ToolHistoryOverflow:
            raise
        except BudgetExceeded:
            return None

    def gather(
        self, conversation: Conversation, moment: Moment | None = None
    ) -> tuple[TurnInputs, Tokenizer]:
        """Everything the core needs to know, with the source of each number, and no secret if the policy says so."""
        return self._gather(conversation, moment or Moment())[:2]

    def _gather(self, conversation: Conversation, now: Moment) -> tuple[TurnInputs, Tokenizer, Admitted]:
        check_pins(conversation.messages, now.pinned, now.unpinned)
        admitted = self._exits.admit(conversation, now.fences, now.plan)
        conversation = replace(
            admitted.conversation,
            model=self._model_for(conversation),
            tools=in_one_order(admitted.conversation.tools),
        )
        known = lookup(conversation.model)
        budget = self.policy.budget
        window = resolve_window({"host": self.window, "policy": budget.max_tokens}, table=known.window)
        reserve = resolve_reserve(
            {
                "host": self.reserve_output,
                "policy": budget.reserved_for_response,
                "body": conversation.max_output,
            },
            default=min(DEFAULT_RESERVE, window.value // 50),
        )
        tokenizer = self._tokenizer()
        inputs = TurnInputs(
            conversation=conversation,
            counter=Counter.of(tokenizer),
            window=window.value,
            window_from=window.source,
            input_limit=known.max_input if window.source == "model table" else None,
            reserve=reserve.value,
            reserve_from=reserve.source,
            loop=now.loop,
            fences=admitted.fences,
            registry=now.registry,
            plan=admitted.plan,
            batch_asked=now.batch_asked,
            idle_s=now.idle_s,
            pinned=admitted.named(now.pinned),
            unpinned=admitted.named(now.unpinned),
            summarizer=self.ports.summarizer,
            store=self.ports.store is not None,
        )
        return inputs, tokenizer, admitted

    def _model_for(self, conversation: Conversation) -> str | None:
        """The model named, else the conversation's own if the target serves it, else a stand-in."""
        target = self.target or conversation.wire or NEUTRAL
        if self.model is not None or target == NEUTRAL:
            return self.model or conversation.model
        aim = parse_target(target)
        if conversation.model is not None and serves(aim, conversation.model):
            return conversation.model
        return stand_in(aim)

    def _tokenizer(self) -> Tokenizer:
        """Injected, else named, else the policy's, else the model's."""
        if self.tokenizer is not None and not isinstance(self.tokenizer, str):
            return self.tokenizer
        estimation = self.policy.token_estimation
        if self.tokenizer is None and estimation.encoding is not None:
            spec = estimation.encoding.removesuffix("_base")
            overhead = estimation.tool_call_overhead
        else:
            spec, overhead = self.tokenizer or "auto", None
        key = f"{spec} {overhead}"
        if key not in self._made:
            self._made[key] = make_tokenizer(spec, call_overhead=overhead)
        return self._made[key]

    def _write(self, turn: Turn, inputs: TurnInputs, target: str, tokenizer: Tokenizer) -> Request:
        written = format_agent_llm_messages(
            turn.conversation,
            target,
            max_output=inputs.asked_limit,
            demanded=_demanded_limit(turn, inputs),
            tools_on=turn.tools_on,
        )
        said = written.sent
        if target != NEUTRAL:
            if not said.messages:
                raise nothing_left(turn, tokenizer.unit)
            said = self._sent.decode(written.body, parse_target(target).provider)
        return Request(
            body=written.body,
            target=target,
            inputs=inputs,
            policy=self.policy,
            turn=turn,
            sent=written.sent,
            cost=tokenizer.body(said, turn.conversation.model),
            unit=tokenizer.unit,
            decisions=(*turn.decisions, *written.decisions),
            before=(),
            findings=written.findings,
            tokenizer=tokenizer,
        )

    @staticmethod
    def _naive_findings(conversation: Conversation, target: str) -> tuple[Finding, ...]:
        if target == NEUTRAL:
            return ()
        limited = replace(conversation, max_output=conversation.max_output or MAX_OUTPUT)
        body = CODECS[parse_target(target).provider].encode(limited)
        return lint(body, target, model=conversation.model)


def _demanded_limit(turn: Turn, inputs: TurnInputs) -> int | None:
    """The limit where a provider demands one: what the model's own window leaves, and at least the reserve."""
    window = max(lookup(inputs.conversation.model).window or DEFAULT_WINDOW, inputs.window)
    left = window - turn.after.high - inputs.wire_overhead
    return max(inputs.reserve, min(MAX_OUTPUT, left)) or None

"""The core: decide what one model request contains; no I/O, so any turn can be decided again from its record."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from contextrail.compaction.need import NeedSummary, SummaryNeeded
from contextrail.core.blobs import Blob
from contextrail.core.budget import RequestBudget
from contextrail.core.errors import InvalidRequest
from contextrail.core.ids import MessageId, Sha256
from contextrail.core.json_text import JsonObject, dump_text
from contextrail.core.tokens import Estimate
from contextrail.history.batched import Standing, shape_batched
from contextrail.history.checkpoint import checkpoint_activated
from contextrail.history.context import Context, Loop, Summarizer
from contextrail.history.draft import Draft
from contextrail.history.fence_kinds import FenceInjection, FenceRegistry
from contextrail.history.pipeline import StepRecord, shape
from contextrail.history.plan import Plan, Why
from contextrail.history.policy import Policy
from contextrail.history.reminder_rules import SystemReminderRegistry
from contextrail.history.reminders import tools_on
from contextrail.messages.cost import Tokenizer
from contextrail.messages.decision import Decision
from contextrail.messages.memo import Memo
from contextrail.messages.model import Conversation, Message
from contextrail.messages.settle import STEP as REPAIR
from contextrail.usage.cache import (
    Miss,
    Prediction,
    Prefix,
    Region,
    diagnose,
    layout_of,
    predict,
    stable_prefix,
    tools_digest,
)
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
    loop: Loop | None = None
    """State of the agent's loop, if the host says it."""
    fences: tuple[FenceInjection, ...] = ()
    """What the host injects into the current turn."""
    registry: FenceRegistry | None = None
    """The families these fences belong to."""
    summaries: Mapping[Sha256, str] = field(default_factory=dict)
    """Summaries made so far, by digest of what they cover; a blank one failed."""
    summarizer: Summarizer = "none"
    store: bool = False
    """Whether the shell can put full texts aside."""
    plan: Plan | None = None
    """What the turn before gave; None: the first turn, or nothing is known of it."""
    batch_asked: bool = False
    """The host wants a batch of reductions in this turn."""
    idle_s: float | None = None
    """Seconds since the last request, if the host knows."""
    pinned: frozenset[MessageId] = frozenset()
    """Messages of which the host wants none removed or collapsed."""
    unpinned: frozenset[MessageId] = frozenset()
    """Messages whose goals, rules and decisions bind no longer."""

    @property
    def asked_limit(self) -> int | None:
        """The limit on output that somebody asked for; a reserve nobody asked for only keeps room free."""
        return None if self.reserve_from == "default" else self.reserve or None


@dataclass(frozen=True, slots=True, kw_only=True)
class Cache:
    """What this request shares with the one before, and what that should make it cost."""

    prefix: Prefix
    """The stable prefix."""
    predicted: Prediction
    miss: Miss | None
    """Why the request before cannot be read whole from the cache; None: it can."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """What to send and why."""

    conversation: Conversation
    decisions: tuple[Decision, ...]
    """Everything that was decided, complete whatever the trace shows."""
    before: Estimate
    """Cost of everything that was there."""
    after: Estimate
    """Cost of what is left, in neutral form."""
    limit: int
    """What the request may cost: window less reserves."""
    blobs: tuple[Blob, ...] = ()
    """To be stored before the request goes out."""
    originals: Mapping[MessageId, Sha256] = field(default_factory=dict)
    """Under which digest each message that left or was changed is among `blobs`, as neutral JSON."""
    reminder_hits: tuple[str, ...] = ()
    """Ids of the reminder rules that fired."""
    checkpoint_activated: bool = False
    """Whether the host should start counting its steps anew."""
    tools_on: bool = True
    """False: the model may not call tools in this request."""
    events: tuple[JsonObject, ...] = ()
    """What the host should hear of."""
    records: tuple[StepRecord, ...] = ()
    """What each step did to the whole."""
    required: frozenset[MessageId] = frozenset()
    """Messages that no budget could have removed."""
    plan: Plan | None = None
    """For the next turn. None under `stability = "recompute"`."""
    batch: Why | None = None
    """What a batch of reductions was made for in this turn; None: there was none."""
    trigger: int | None = None
    """Cost of messages from which a batch is made."""
    target: int | None = None
    """Cost of messages that a batch goes down to."""
    cache: Cache | None = None
    """None: no request before it is known."""


def decide(
    inputs: TurnInputs,
    policy: Policy,
    tokenizer: Tokenizer,
    *,
    reminders: SystemReminderRegistry | None = None,
    memo: Memo | None = None,
) -> Turn | NeedSummary:
    """Decide one request. Deterministic: equal arguments give an equal turn.

    Args:
        inputs: Everything gathered before.
        policy: Every knob.
        tokenizer: The one of `inputs.counter`; it alone drives every decision.
        reminders: Triggers and templates of the host's reminder rules.
        memo: Of the turns before; without it the same comes out, later.

    Returns:
        The turn; or what has to be summarized first: put the text into `inputs.summaries` and decide again.

    Raises:
        BudgetExceeded: What is required does not fit; nothing was truncated.
        SummarizationFailed: A summary is blank, and policy or budget forbid going on without one.
        InvalidRequest: The tokenizer is not the one the inputs were gathered with.
    """
    if inputs.counter != Counter.of(tokenizer):
        raise InvalidRequest(
            f"this turn was counted with {inputs.counter.id} {inputs.counter.version}, "
            f"not with {tokenizer.id} {tokenizer.version}",
            cure="use the tokenizer of the record, with its calibration",
        )
    conversation = inputs.conversation
    context = context_of(inputs, policy, tokenizer, reminders, memo)
    try:
        shaped = _shape(inputs, policy, context)
    except SummaryNeeded as asked:
        return asked.need
    draft, records = shaped.draft, shaped.records
    kept = replace(conversation, messages=draft.messages)
    originals = _originals(_unarchived(conversation.messages, shaped), draft.messages) if inputs.store else {}
    stored = draft.storing(originals.values())
    layout = _layout(kept, context, tokenizer)
    return Turn(
        conversation=kept,
        decisions=draft.decisions,
        before=tokenizer.body(conversation, conversation.model),
        after=tokenizer.body(kept, conversation.model),
        limit=context.total,
        blobs=stored.blobs,
        originals={ident: blob.digest for ident, blob in originals.items()},
        reminder_hits=draft.reminder_hits,
        checkpoint_activated=checkpoint_activated(conversation.messages, policy.checkpoint),
        tools_on=tools_on(inputs.loop),
        events=draft.events,
        records=records,
        required=draft.required,
        plan=None if shaped.plan is None else _with_layout(shaped.plan, layout, conversation.model),
        batch=shaped.batch,
        trigger=shaped.trigger,
        target=shaped.target,
        cache=_cache(inputs, layout),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Shaped:
    draft: Draft
    records: tuple[StepRecord, ...]
    plan: Plan | None = None
    batch: Why | None = None
    trigger: int | None = None
    target: int | None = None


def _shape(inputs: TurnInputs, policy: Policy, context: Context) -> _Shaped:
    """The pipeline as the policy's stability wants it."""
    draft = Draft(inputs.conversation.messages)
    if policy.stability == "recompute":
        done, records = shape(draft, context)
        return _Shaped(draft=done, records=records)
    standing = Standing(
        plan=inputs.plan, asked=inputs.batch_asked, idle_s=inputs.idle_s, dead=_cache_is_dead(inputs)
    )
    shaped = shape_batched(draft, context, standing)
    return _Shaped(
        draft=shaped.draft,
        records=shaped.records,
        plan=shaped.plan,
        batch=shaped.batch,
        trigger=shaped.trigger,
        target=shaped.target,
    )


def _cache_is_dead(inputs: TurnInputs) -> bool:
    """Whether the request before was for another model or had other tools."""
    before = inputs.plan
    if before is None or not before.layout:
        return False
    return before.model != inputs.conversation.model or before.layout[0][1] != tools_digest(
        inputs.conversation
    )


def _layout(kept: Conversation, context: Context, tokenizer: Tokenizer) -> tuple[Region, ...]:
    bare = replace(kept, messages=())
    system = tokenizer.body(replace(bare, tools=()), kept.model).high
    tools = max(0, tokenizer.body(bare, kept.model).high - system)
    return layout_of(kept, context.cost, tools=tools, system=system)


def _with_layout(plan: Plan, layout: tuple[Region, ...], model: str | None) -> Plan:
    return replace(plan, layout=tuple((each.name, each.digest, each.cost) for each in layout), model=model)


def _cache(inputs: TurnInputs, layout: tuple[Region, ...]) -> Cache | None:
    if inputs.plan is None or not inputs.plan.layout:
        return None
    before = tuple(Region(*each) for each in inputs.plan.layout)
    prefix = stable_prefix(before, layout)
    models = (inputs.plan.model, inputs.conversation.model)
    miss = diagnose(before, layout, models=models)
    if miss is not None and miss.change == "model":
        prefix = stable_prefix((), layout)
    return Cache(prefix=prefix, predicted=predict(prefix, layout), miss=miss)


def _unarchived(messages: Sequence[Message], shaped: _Shaped) -> tuple[Message, ...]:
    """Messages that no archive of the plan holds as they came: what it has need not be stored again."""
    if shaped.plan is None:
        return tuple(messages)
    held = {ident for archive in shaped.plan.archives for ident in archive.ids}
    held -= {decision.message for decision in shaped.draft.decisions if decision.step == REPAIR}
    return tuple(message for message in messages if message.id not in held)


def context_of(
    inputs: TurnInputs,
    policy: Policy,
    tokenizer: Tokenizer,
    reminders: SystemReminderRegistry | None = None,
    memo: Memo | None = None,
) -> Context:
    """What the steps of a turn share.

    Raises:
        BudgetExceeded: Reserves, system and tools leave nothing for messages.
    """
    model = inputs.conversation.model
    budget = request_budget(inputs, policy, tokenizer)

    def cost(message: Message) -> int:
        return tokenizer.message(message, model).high

    def count(text: str) -> int:
        return tokenizer.text(text, model).high

    return Context(
        policy=policy,
        cost=cost,
        count=count,
        unit=tokenizer.unit,
        limit=budget.left.low - inputs.wire_overhead,
        total=budget.request,
        fixed=budget.system.high + budget.tools.high,
        standing=sum(map(cost, filter(_is_system, inputs.conversation.messages))),
        tools_cost=budget.tools.high,
        window=inputs.window,
        loop=inputs.loop,
        fences=inputs.fences,
        registry=inputs.registry,
        summaries=inputs.summaries,
        store=inputs.store,
        summarizer=inputs.summarizer,
        pinned=inputs.pinned,
        unpinned=inputs.unpinned,
        tools=tuple(tool.name for tool in inputs.conversation.tools),
        reminders=reminders or SystemReminderRegistry(),
        memo=memo or Memo(),
    )


def _is_system(message: Message) -> bool:
    return message.role == "system"


def _originals(before: Sequence[Message], after: Sequence[Message]) -> dict[MessageId, Blob]:
    """Each message that left or was changed, as neutral JSON."""
    there = {id(message) for message in after}
    return {
        message.id: Blob.of(dump_text(neutral.encode(Conversation(messages=(message,)))["messages"][0]))
        for message in before
        if id(message) not in there
    }


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

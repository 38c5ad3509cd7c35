"""I13 to I20: what holds of a turn beyond its trace."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

from contextrail.compaction.goal import Pin, pins_of
from contextrail.compaction.records import BINDING
from contextrail.core.blobs import HANDLE
from contextrail.core.ids import MessageId, Sha256
from contextrail.core.json_text import dump_text, parse_object
from contextrail.core.tokens import Estimate, Unit
from contextrail.history.draft import Draft
from contextrail.history.obligations import open_messages
from contextrail.history.pins import lost_in
from contextrail.history.repair import repair
from contextrail.invariants.evidence import Broken, Check, Evidence, digest_of
from contextrail.messages.cost import Tokenizer
from contextrail.messages.decision import Decision
from contextrail.messages.model import Conversation, Fence, Message
from contextrail.messages.pairs import pair, units
from contextrail.messages.text import message_text
from contextrail.record import to_record
from contextrail.turn import Counter, Turn, decide
from contextrail.usage.cache import message_digest
from contextrail.wire import neutral
from contextrail.wire.codec import decode
from contextrail.wire.lint import lint
from contextrail.wire.target import parse_target

_NEUTRAL: Final = "neutral"
_HEAD: Final = 40
"""Characters of a record that are looked for."""
_SLACK: Final = 16
"""The limit divided by this may stay free for lines of the wire form and for reminders."""
_ACTING: Final = frozenset(
    {"tool_history", "checkpoint", "fences", "working_memory", "tool_replay", "must_keep", "reminders"}
)
"""Steps that a host, the policy or the budget makes act between batches; each writes down what it changed."""


def no_findings(seen: Evidence) -> Iterator[Broken]:
    """I13: nothing speaks against the encoded request; calls and results are whole pairs."""
    paired = pair(seen.final)
    for at, _ in (*paired.unanswered, *paired.orphans):
        yield Broken(seen.final[at].id, "holds half of a pair")
    request = seen.request
    if request is not None and request.target != _NEUTRAL:
        for finding in lint(request.body, request.target, model=request.sent.model):
            yield Broken(finding.path, finding.rule)


def every_change_decided(seen: Evidence) -> Iterator[Broken]:
    """I14: each message that was lost, changed or added has a decision, in the turn and on the way to the wire."""
    yield from _undecided(seen.originals, seen.final, seen.turn.decisions)
    if seen.request is not None:
        yield from _undecided(seen.final, seen.request.sent.messages, seen.request.decisions)


def cost_within_limit(seen: Evidence) -> Iterator[Broken]:
    """I15: the request costs no more than its limit, as the turn says and when it is counted again."""
    limit, model = seen.turn.limit, seen.turn.conversation.model
    costs = {
        "turn.after": seen.turn.after,
        "turn.conversation": _body(seen.decided.tokenizer, seen.turn.conversation),
    }
    request = seen.request
    if request is not None:
        said = (
            neutral.decode(request.body)
            if request.target == _NEUTRAL
            else decode(request.body, parse_target(request.target).provider)
        )
        costs = {"request.cost": request.cost, "request.body": seen.decided.tokenizer.body(said, model)}
    for name, cost in costs.items():
        if cost.high > limit:
            yield Broken(name, f"costs {cost.high}, the limit is {limit}")


def everything_can_be_fetched(seen: Evidence) -> Iterator[Broken]:
    """I16: what left or was changed comes back byte for byte, and every handle that is shown leads somewhere."""
    if not seen.decided.inputs.store:
        return
    there = {id(message) for message in seen.final}
    shown = {message_text(message) for message in seen.final}
    archived = _archived(seen)
    for message in seen.originals:
        said = message_text(message)
        if id(message) in there or said in shown or said in archived:
            continue
        digest = seen.turn.originals.get(message.id)
        if digest is None:
            if seen.store is not None or not _has_archives(seen):
                yield Broken(message.id, "left or was changed, and nobody kept it")
        elif seen.stored(digest) not in {None, *_forms(seen, message.id)} or (
            seen.stored(digest) is None and seen.store is not None
        ):
            yield Broken(message.id, "is kept otherwise than it was said")
    known = {handle for message in seen.originals for handle in HANDLE.findall(message_text(message))}
    for message in seen.final:
        for handle in HANDLE.findall(message_text(message)):
            if handle not in known and seen.store is not None and not seen.leads_somewhere(handle):
                yield Broken(message.id, f"shows {handle}, under which nothing is kept")


def stable_prefix_kept(seen: Evidence) -> Iterator[Broken]:
    """I17: between batches the messages of the request before stand at the head of this one, as they were."""
    before, turn = seen.before, seen.turn
    if before is None or turn.batch is not None or seen.decided.policy.stability != "batched":
        return
    if (
        before.turn.plan is None
        or before.turn.plan != seen.decided.inputs.plan
        or before.policy != seen.decided.policy
    ):
        return
    if not _grew(before.inputs.conversation, seen.decided.inputs.conversation):
        return
    old, new = _lasting(before.turn.conversation.messages), _lasting(seen.final)
    acted = {
        decision.message
        for decision in turn.decisions
        if decision.step in _ACTING and decision.verdict != "kept"
    }
    for at, message in enumerate(old):
        if at >= len(new) or message_digest(new[at]) != message_digest(message):
            if message.id not in acted and not (at < len(new) and new[at].id in acted):
                yield Broken(message.id, "is not as it was in the request before, and no batch was made")
            return


def nothing_owed_is_lost(seen: Evidence) -> Iterator[Broken]:
    """I18: what is still owed is in the request; what binds the work stands in it word for word, or is reported."""
    there = {message.id for message in seen.final}
    tidy = repair(Draft(seen.originals)).messages
    policy = seen.decided.policy.obligations
    if policy.keep_open:
        for ident in sorted(open_messages(tidy, policy) - there):
            yield Broken(ident, "holds an open obligation, and is not in the request")
    told = lost_in(seen.turn.decisions)
    texts = [message_text(message) for message in seen.final]
    room = _room(seen)
    for pin in _binding(seen, tidy, there):
        if any(_says(text, pin) for text in texts):
            continue
        if pin.message not in told:
            yield Broken(pin.message, f"its {pin.kind} is neither in the request nor reported as left out")
        elif seen.decided.tokenizer.text(pin.text, seen.turn.conversation.model).high * 2 < room:
            yield Broken(pin.message, f"its {pin.kind} is left out, and less important things use {room}")


def _room(seen: Evidence) -> int:
    """What is free, or used by messages that nothing requires: the tool work just done and what binds are not counted."""
    turn = seen.turn
    newest = units(seen.final)[-1] if seen.final else range(0)
    binding = {pin.message for pin in pins_of(seen.final) if pin.kind in BINDING}
    optional = [
        message
        for at, message in enumerate(seen.final)
        if at not in newest and message.id not in turn.required | binding and message.role != "system"
    ]
    tokenizer, model = seen.decided.tokenizer, turn.conversation.model
    used = sum(tokenizer.message(message, model).high for message in optional)
    return turn.limit - turn.after.high + used - turn.limit // _SLACK


def _says(text: str, pin: Pin) -> bool:
    """Whether a text holds what was pinned; of a goal, which may be shortened visibly, a line with its number will do."""
    start = f"[{pin.message}"
    return pin.text in text or (pin.kind == "goal" and (f"{start}] " in text or f"{start} +" in text))


def tokenizer_alone_decides(seen: Evidence) -> Iterator[Broken]:
    """I19: every count is the tokenizer's, it was asked for each message that goes out, and it decides the same again."""
    decided, tokenizer = seen.decided, seen.decided.tokenizer
    if decided.inputs.counter != Counter.of(tokenizer):
        yield Broken("inputs.counter", f"is {decided.inputs.counter.id}, the tokenizer is {tokenizer.id}")
        return
    for name, stated, conversation in (
        ("turn.before", decided.turn.before, decided.inputs.conversation),
        ("turn.after", decided.turn.after, decided.turn.conversation),
    ):
        counted = _body(tokenizer, conversation)
        if stated != counted:
            yield Broken(name, f"is {stated.high}, the tokenizer counts {counted.high}")
    asked = _Asked(tokenizer)
    again = decide(decided.inputs, decided.policy, asked, reminders=decided.reminders)
    if not isinstance(again, Turn) or _outcome(again) != _outcome(decided.turn):
        yield Broken("turn", "is not what this tokenizer decides")
    for message in decided.turn.conversation.messages:
        if message_digest(message) not in asked.messages:
            yield Broken(message.id, "goes out, and the tokenizer was never asked what it costs")


def inputs_not_mutated(seen: Evidence) -> Iterator[Broken]:
    """I20: deciding changes none of its inputs, and what the host gave says what it said before."""
    decided = seen.decided
    before = to_record(decided.inputs, decided.policy)["digest"]
    if decided.inputs.counter == Counter.of(decided.tokenizer):  # else I19 says so
        decide(decided.inputs, decided.policy, decided.tokenizer, reminders=decided.reminders)
    if to_record(decided.inputs, decided.policy)["digest"] != before:
        yield Broken("inputs", "say something else after deciding")
    if seen.given is not None and digest_of(seen.given.value) != seen.given.digest:
        yield Broken("conversation", "says something else than before the build")


def _binding(seen: Evidence, tidy: Sequence[Message], there: set[MessageId]) -> Iterator[Pin]:
    """Records of the whole history that bind the work, of messages that left or were cut; the beginning of each is enough."""
    cut = {each.message for each in seen.turn.decisions if each.detail.get("form") == "excerpt"}
    for pin in pins_of(tidy):
        if (
            pin.kind in BINDING
            and (pin.message not in there or pin.message in cut)
            and pin.message not in seen.decided.inputs.unpinned
        ):
            yield replace(pin, text=pin.text[:_HEAD])


class _Asked:
    """A tokenizer that remembers which messages it was asked about."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        self._tokenizer = tokenizer
        self.id, self.version, self.state = tokenizer.id, tokenizer.version, tokenizer.state
        self.unit: Unit = tokenizer.unit
        self.messages: set[str] = set()

    def text(self, text: str, model: str | None = None) -> Estimate:
        return self._tokenizer.text(text, model)

    def message(self, message: Message, model: str | None = None) -> Estimate:
        self.messages.add(message_digest(message))
        return self._tokenizer.message(message, model)

    def body(self, conversation: Conversation, model: str | None = None) -> Estimate:
        return self._tokenizer.body(conversation, model)


def _body(tokenizer: Tokenizer, conversation: Conversation) -> Estimate:
    return tokenizer.body(conversation, conversation.model)


def _outcome(turn: Turn) -> tuple[object, ...]:
    return (digest_of(turn.conversation), turn.decisions, turn.limit, turn.before, turn.after, turn.batch)


def _undecided(
    before: Sequence[Message], after: Sequence[Message], decisions: Sequence[Decision]
) -> Iterator[Broken]:
    named = {decision.message for decision in decisions if decision.verdict != "kept"}
    joined = {decision.message for decision in decisions if decision.reason == "joined"}
    moved = [part for message in before if message.id in joined for part in message.parts]
    old = {message.id: message for message in before}
    new = {message.id: message for message in after}
    for ident in old:
        if ident not in new and ident not in named:
            yield Broken(ident, "is gone, and no decision says why")
    for ident, message in new.items():
        if {ident, MessageId(ident.split("#")[0])} & named:
            continue
        if ident not in old:
            yield Broken(ident, "was added, and no decision says why")
            continue
        own = old[ident]
        rest = message.parts[len(own.parts) :]
        grew = message.parts[: len(own.parts)] == own.parts and all(part in moved for part in rest)
        if message.role != own.role or not grew:
            yield Broken(ident, "was changed, and no decision says why")


def _forms(seen: Evidence, ident: MessageId) -> set[str]:
    """A message as neutral JSON; several where an id was used more than once."""
    return {
        dump_text(neutral.encode(Conversation(messages=(message,)))["messages"][0])
        for message in seen.originals
        if message.id == ident
    }


def _has_archives(seen: Evidence) -> bool:
    """Whether turns before kept something that only the store can show."""
    return seen.turn.plan is not None and bool(seen.turn.plan.archives)


def _archived(seen: Evidence) -> set[str]:
    """What the archives of the plan hold: the text of each message."""
    plan = seen.turn.plan
    found: set[str] = set()
    for archive in () if plan is None else plan.archives:
        text = seen.stored(Sha256(archive.digest))
        if text is not None:
            messages = neutral.decode(parse_object(text, place="the archive")).messages
            found |= set(map(message_text, messages))
    return found


def _grew(before: Conversation, after: Conversation) -> bool:
    """Whether a history only got longer, and everything before it stayed, after repair as well: a late result does not."""
    if (before.model, before.tools, before.system) != (after.model, after.tools, after.system):
        return False
    if before.messages != after.messages[: len(before.messages)]:
        return False
    old, new = (repair(Draft(each.messages)).messages for each in (before, after))
    return old == new[: len(old)]


def _lasting(messages: Sequence[Message]) -> list[Message]:
    """Messages without what was put there for one turn or one request."""
    found: list[Message] = []
    for message in messages:
        parts = tuple(
            part
            for part in message.parts
            if not (isinstance(part, Fence) and part.lifetime in {"request", "turn-only"})
        )
        if parts:
            found.append(message if len(parts) == len(message.parts) else replace(message, parts=parts))
    return found


CHECKS: Final[Mapping[str, Check]] = {
    "I13_REQUEST_HAS_NO_FINDING": no_findings,
    "I14_EVERY_CHANGE_HAS_A_DECISION": every_change_decided,
    "I15_FINAL_COST_WITHIN_LIMIT": cost_within_limit,
    "I16_DROPPED_TEXT_IS_RETRIEVABLE": everything_can_be_fetched,
    "I17_STABLE_PREFIX_IS_KEPT": stable_prefix_kept,
    "I18_PINS_AND_OBLIGATIONS_PRESENT": nothing_owed_is_lost,
    "I19_TOKENIZER_ALONE_DECIDES": tokenizer_alone_decides,
    "I20_INPUTS_ARE_NOT_MUTATED": inputs_not_mutated,
}

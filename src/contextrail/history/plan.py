"""Plan: what batches have made of a history, kept so that every later turn says the same, byte for byte.

A plan covers the first `covers` messages of a history (after repair and admission). It lists what stands in their
place: runs of messages as they are, and messages word for word. Later messages follow as they come. A plan is a value:
it goes in with one turn, and the plan of the next turn comes out. A history that changed under it makes it invalid.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, Final, Literal, NoReturn

import msgspec

from contextrail.compaction.span import span_digest
from contextrail.core.blobs import Blob
from contextrail.core.digest import canonical_json, sha256
from contextrail.core.errors import InvalidRequest
from contextrail.core.ids import MessageId, Sha256
from contextrail.core.json_text import JsonObject, dump_text, kind_of
from contextrail.history.draft import Draft
from contextrail.messages.decision import Decision, Verdict
from contextrail.messages.memo import Memo
from contextrail.messages.model import Conversation, Message
from contextrail.wire import neutral

STEP: Final = "plan"
VERSION: Final = 1

Why = Literal["over-trigger", "cache-dead", "asked", "history-changed"]
"""What a batch was made for."""


@dataclass(frozen=True, slots=True)
class Run:
    """Messages `[start, stop)` of the history, as they are."""

    start: int
    stop: int


@dataclass(frozen=True, slots=True)
class Gone:
    """Messages `[start, stop)` of the history are not shown, or not as they are, and why."""

    start: int
    stop: int
    verdict: Verdict
    step: str
    reason: str


@dataclass(frozen=True, slots=True)
class Archive:
    """Where the full text of messages is: a blob with these, as neutral JSON, in this order."""

    digest: Sha256
    ids: tuple[MessageId, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """The outcome of all batches so far."""

    batch: int = 0
    """How many there were."""
    why: Why | None = None
    """What the last one was made for; None before the first."""
    covers: int = 0
    digest: Sha256 | None = None
    """Of the messages it covers."""
    entries: tuple[Run | Message, ...] = ()
    gone: tuple[Gone, ...] = ()
    archives: tuple[Archive, ...] = ()
    """Each message that is not shown as it is stands in one of them, where there was a store."""
    layout: tuple[tuple[str, str, int], ...] = ()
    """The regions of the request that was made last: name, first digits of a digest, cost."""
    model: str | None = None
    """Of that request."""
    irreducible: bool = False
    """The host was told that system and tools alone leave too little below the threshold."""
    left: int = 0
    """What the messages cost after the last batch, or when the last one was tried and would have freed nothing."""

    @property
    def inserted(self) -> tuple[Message, ...]:
        """Messages that are in no history."""
        return tuple(entry for entry in self.entries if isinstance(entry, Message))


def apply(plan: Plan, draft: Draft, memo: Memo | None = None) -> Draft | None:
    """Replay a plan: the same messages as when it was made, then what came since.

    Args:
        plan: Of an earlier turn of the same history.
        draft: The history after repair and admission.
        memo: Of the turns before, if there is one.

    Returns:
        The draft with a decision for every message that is not shown as it is; None if the history is not the one
        that the plan was made for.
    """
    if plan.covers == 0:
        return draft
    messages = draft.messages
    covered = messages[: plan.covers]
    memo = memo or Memo()
    if len(messages) < plan.covers or memo.of(span_digest, covered, span_digest) != plan.digest:
        return None
    shown: list[Message] = []
    for entry in plan.entries:
        if isinstance(entry, Message):
            shown.append(entry)
        else:
            shown.extend(messages[entry.start : entry.stop])
    shown.extend(messages[plan.covers :])
    left = _losses(plan, covered, memo)
    there = {message.id for message in messages}
    added = [each.id for each in plan.inserted if each.id not in there]
    replayed = [
        Decision(message=ident, verdict="added", step=STEP, reason="replayed", detail={"batch": plan.batch})
        for ident in added
    ]
    return draft.with_messages(shown, [*left, *replayed]).requiring(added)


def _losses(plan: Plan, covered: Sequence[Message], memo: Memo) -> tuple[Decision, ...]:
    """A decision for each message that a plan does not show as it is."""
    question = (apply, plan.batch, plan.gone, plan.archives)
    return memo.of(question, covered, lambda messages: _decided(plan, messages))


def _decided(plan: Plan, messages: Sequence[Message]) -> tuple[Decision, ...]:
    where = {ident: archive.digest for archive in plan.archives for ident in archive.ids}
    decisions: list[Decision] = []
    for gone in plan.gone:
        for at in range(gone.start, gone.stop):
            ident = messages[at].id
            detail: JsonObject = {"batch": plan.batch, "number": at + 1}
            if ident in where:
                detail["archive"] = where[ident]
            decisions.append(
                Decision(
                    message=ident, verdict=gone.verdict, step=gone.step, reason=gone.reason, detail=detail
                )
            )
    return tuple(decisions)


def extend(
    plan: Plan | None, source: Draft, after: Draft, *, why: Why, store: bool, memo: Memo | None = None
) -> tuple[Plan, tuple[Blob, ...]]:
    """The plan that a batch gives, and what has to be stored so that nothing is lost.

    Args:
        plan: The one before, if it is still valid.
        source: The history after repair and admission.
        after: What the batch made of it.
        why: What it was made for.
        store: Whether full texts can be put aside.
        memo: Of the turns before, if there is one.
    """
    memo = memo or Memo()
    places = {id(message): at for at, message in enumerate(source.messages)}
    entries: list[Run | Message] = []
    shown: set[int] = set()
    for message in after.messages:
        at = places.get(id(message))
        last = entries[-1] if entries else None
        if at is None:
            entries.append(message)
        elif isinstance(last, Run) and last.stop == at:
            entries[-1] = Run(last.start, at + 1)
        else:
            entries.append(Run(at, at + 1))
        if at is not None:
            shown.add(at)
    missing = [at for at in range(len(source.messages)) if at not in shown]
    archives = plan.archives if plan is not None else ()
    kept = {ident for archive in archives for ident in archive.ids}
    new = [source.messages[at] for at in missing if source.messages[at].id not in kept]
    blobs: tuple[Blob, ...] = ()
    if store and new:
        blobs = (archive_blob(new),)
        archives = (*archives, Archive(blobs[0].digest, tuple(each.id for each in new)))
    made = Plan(
        batch=1 + (0 if plan is None else plan.batch),
        why=why,
        covers=len(source.messages),
        digest=memo.of(span_digest, source.messages, span_digest),
        entries=tuple(entries),
        gone=_gone(source, after, missing),
        archives=archives,
    )
    _losses(made, source.messages, memo)  # the next turn asks for them, and has no batch to pay for
    return made, blobs


def archive_blob(messages: Sequence[Message]) -> Blob:
    """Messages as they were, as neutral JSON: decoded, it gives the same messages."""
    return Blob.of(dump_text(neutral.encode(Conversation(messages=tuple(messages)))))


def write_plan(plan: Plan | None) -> JsonObject:
    """A plan as one JSON value, with a digest of its content; `read_plan` gives an equal one.

    Raises:
        InvalidRequest: There is no plan: under `stability = "recompute"` a turn makes none.
    """
    if plan is None:
        raise InvalidRequest(
            "there is no plan to write: the turn made none",
            place="plan",
            cure='write one only where the policy says stability = "batched"',
        )
    inserted = neutral.encode(Conversation(messages=plan.inserted))["messages"]
    numbers = iter(range(len(inserted)))
    entries = [
        {"message": inserted[next(numbers)]} if isinstance(entry, Message) else [entry.start, entry.stop]
        for entry in plan.entries
    ]
    content: JsonObject = {
        "plan": VERSION,
        "batch": plan.batch,
        "why": plan.why,
        "covers": plan.covers,
        "digest": plan.digest,
        "entries": entries,
        "gone": [[each.start, each.stop, each.verdict, each.step, each.reason] for each in plan.gone],
        "archives": [{"digest": each.digest, "ids": list(each.ids)} for each in plan.archives],
        "layout": [list(region) for region in plan.layout],
        "model": plan.model,
        "irreducible": plan.irreducible,
        "left": plan.left,
    }
    return {**content, "content_digest": _content_digest(content)}


def _content_digest(content: JsonObject) -> Sha256:
    return sha256(canonical_json(content))


_Count = Annotated[int, msgspec.Meta(ge=0, le=2**53)]
"""A number that every JSON reader keeps exact."""


class _Archive(msgspec.Struct, forbid_unknown_fields=True):
    digest: str
    ids: list[str]


class _Written(msgspec.Struct, forbid_unknown_fields=True):
    """The JSON form, as it is checked."""

    plan: Literal[1]
    batch: _Count
    why: Why | None
    covers: _Count
    digest: str | None
    entries: list[Any]
    gone: list[tuple[_Count, _Count, Verdict, str, str]]
    archives: list[_Archive]
    layout: list[tuple[str, str, _Count]] = []
    model: str | None = None
    irreducible: bool = False
    left: _Count = 0
    content_digest: str | None = None


def read_plan(given: JsonObject, *, place: str = "plan") -> Plan:
    """Read what `write_plan` wrote.

    Raises:
        InvalidRequest: It is no plan, it was changed after it was written, or its ranges do not fit together;
            fact `place`.
    """
    if not isinstance(given, dict):
        _refuse(place, f"must be a JSON object, not {kind_of(given)}")
    try:
        written = msgspec.convert(given, _Written)
    except (msgspec.ValidationError, OverflowError, UnicodeEncodeError) as error:
        _refuse(place, f"is not a plan: {error}")
    content = {key: value for key, value in given.items() if key != "content_digest"}
    if written.content_digest is None or written.content_digest != _content_digest(content):
        _refuse(place, "was changed after it was written: its content has another digest than it states")
    found = Plan(
        batch=written.batch,
        why=written.why,
        covers=written.covers,
        digest=None if written.digest is None else Sha256(written.digest),
        entries=tuple(_entry(entry, f"{place}.entries[{at}]") for at, entry in enumerate(written.entries)),
        gone=tuple(Gone(*each) for each in written.gone),
        archives=tuple(
            Archive(Sha256(each.digest), tuple(map(MessageId, each.ids))) for each in written.archives
        ),
        layout=tuple(written.layout),
        model=written.model,
        irreducible=written.irreducible,
        left=written.left,
    )
    _check_entries(found, place)
    _check_ranges(found, place)
    return found


def _refuse(place: str, why: str) -> NoReturn:
    raise InvalidRequest(
        f"{place} {why}",
        place=place,
        cure="pass on the plan as it was written, or start without a plan",
    )


def _entry(given: object, place: str) -> Run | Message:
    if isinstance(given, dict) and isinstance(given.get("message"), dict):
        message = neutral.decode({"messages": [given["message"]]}).messages[0]
        run = given["message"].get("run", 0)
        return replace(message, run=run) if isinstance(run, int) and message.run != run else message
    if isinstance(given, list) and len(given) == 2 and all(type(each) is int for each in given):
        return Run(given[0], given[1])
    _refuse(place, "is neither a range nor a message")


def _check_entries(plan: Plan, place: str) -> None:
    """Refuse entries that no batch makes: a message twice, ranges in another order."""
    twice = [ident for ident, uses in Counter(each.id for each in plan.inserted).items() if uses > 1]
    if twice:
        _refuse(place, f"holds the message {twice[0]} twice")
    starts = [entry.start for entry in plan.entries if isinstance(entry, Run)]
    if starts != sorted(starts):
        _refuse(place, "shows messages in another order than the history")


def _check_ranges(plan: Plan, place: str) -> None:
    """Each covered message is in one range: of those that are shown, or of those that are gone."""
    runs = [entry for entry in plan.entries if isinstance(entry, Run)]
    runs += [Run(each.start, each.stop) for each in plan.gone]
    if any(not 0 <= run.start < run.stop <= plan.covers for run in runs):
        _refuse(place, "has a range outside of what it covers")
    at = 0
    for run in sorted(runs, key=lambda each: each.start):
        if run.start != at:
            break
        at = run.stop
    else:
        if at == plan.covers:
            return
    _refuse(place, "does not say of each message, once, what becomes of it")


def _gone(source: Draft, after: Draft, missing: Sequence[int]) -> tuple[Gone, ...]:
    """What became of each message that is not shown as it is, neighbors of one fate together."""
    last: dict[MessageId | None, Decision] = {
        each.message: each for each in after.decisions if each.verdict != "kept"
    }
    found: list[Gone] = []
    for at in missing:
        decision = last.get(source.messages[at].id)
        assert decision is not None, "lost without a decision"
        fate = (decision.verdict, decision.step, decision.reason)
        before = found[-1] if found else None
        if before is not None and before.stop == at and (before.verdict, before.step, before.reason) == fate:
            found[-1] = Gone(before.start, at + 1, *fate)
        else:
            found.append(Gone(at, at + 1, *fate))
    return tuple(found)

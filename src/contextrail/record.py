"""A turn on record: everything it depended on as one JSON value, from which it can be decided again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict

import msgspec

from contextrail.core.digest import canonical_json, sha256
from contextrail.core.errors import IntegrityError, InvalidRequest
from contextrail.core.json_text import JsonObject
from contextrail.history.context import Loop
from contextrail.history.fence_kinds import FenceRegistry, Formatter
from contextrail.history.fence_registry import read_fences, write_fences
from contextrail.history.plan import read_plan, write_plan
from contextrail.history.policy import Policy
from contextrail.policy import policy_from
from contextrail.turn import Counter, TurnInputs
from contextrail.wire import neutral


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
        "loop": None if inputs.loop is None else asdict(inputs.loop),
        "fences": write_fences(inputs.registry or FenceRegistry(), inputs.fences),
        "summaries": dict(inputs.summaries),
        "summarizer": inputs.summarizer,
        "store": inputs.store,
        "plan": None if inputs.plan is None else write_plan(inputs.plan),
        "batch_asked": inputs.batch_asked,
        "idle_s": inputs.idle_s,
        "pinned": sorted(inputs.pinned),
        "unpinned": sorted(inputs.unpinned),
        "policy": msgspec.to_builtins(policy),
    }
    return {**record, "digest": sha256(canonical_json(record))}


def from_record(
    record: JsonObject, *, formatters: Mapping[str, Formatter] | None = None
) -> tuple[TurnInputs, Policy]:
    """Inputs and policy of a recorded turn.

    Args:
        record: What `to_record` gave.
        formatters: Of fence families whose formatter is the host's own, by kind: a record holds no code.

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
    registry, fences = read_fences(record["fences"], place="record", formatters=formatters)
    inputs = TurnInputs(
        conversation=neutral.decode(record["conversation"]),
        counter=Counter(id=counter["id"], version=counter["version"], state=counter["state"]),
        window=record["window"],
        window_from=record["window_from"],
        reserve=record["reserve"],
        reserve_from=record["reserve_from"],
        input_limit=record["input_limit"],
        wire_overhead=record["wire_overhead"],
        loop=None if record["loop"] is None else msgspec.convert(record["loop"], Loop),
        fences=fences,
        registry=registry if registry.descriptors else None,
        summaries=record["summaries"],
        summarizer=record["summarizer"],
        store=record["store"],
        plan=None if record["plan"] is None else read_plan(record["plan"], place="record.plan"),
        batch_asked=record["batch_asked"],
        idle_s=record["idle_s"],
        pinned=frozenset(record["pinned"]),
        unpinned=frozenset(record["unpinned"]),
    )
    return inputs, policy_from(record["policy"], place="record")

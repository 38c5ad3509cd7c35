"""One case of the history policy, run in this process: the same documents that the command line takes and writes."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from contextrail import Moment, Ports, Rail, merge_policies
from contextrail.compaction.need import NeedSummary
from contextrail.core.errors import RailError
from contextrail.core.json_text import JsonObject, dump, parse
from contextrail.history.fence_registry import read_fences
from contextrail.storage.blobs import MemoryBlobs
from contextrail.wire import neutral

Build = Callable[[JsonObject], "Outcome"]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one build gave: a body and a trace, or an error."""

    given: JsonObject
    body: JsonObject | None
    trace: JsonObject
    error: RailError | None
    unchanged: bool
    """Whether the document that went in is still what it was."""


@dataclass(frozen=True, slots=True)
class Finished:
    """The last build of a case, and how to build again."""

    case: JsonObject
    last: Outcome
    again: Callable[[], Outcome]
    """The same input once more."""
    rebuilt: Callable[[], Outcome]
    """What came out as input, without fences."""

    @property
    def given(self) -> JsonObject:
        return self.last.given

    @property
    def out(self) -> JsonObject:
        assert self.last.body is not None, f"refused: {self.last.error}"
        return self.last.body


def run_case(case: JsonObject) -> Finished:
    """Build every turn of a case; what one sends is the history of the next."""
    case = copy.deepcopy(case)
    document: JsonObject = case["input"]
    last = build(case, document)
    for turn in case.get("then", []):
        assert last.body is not None, f"refused before the last turn: {last.error}"
        document = said(last.body)
        document["messages"] = [*document["messages"], *turn["append"]]
        case |= {key: turn[key] for key in ("summaries", "fences", "policy") if key in turn}
        last = build(case, document)
    return Finished(
        case,
        last,
        again=lambda: build(case, document),
        rebuilt=lambda: build({**case, "fences": None}, said(last.body or {})),
    )


def build(case: JsonObject, document: JsonObject) -> Outcome:
    """One call of the library, as the command makes it."""
    before = json.dumps(document)
    policies = case["policy"] if isinstance(case["policy"], list) else [case["policy"]]
    summaries = case.get("summaries")

    def summarize(need: NeedSummary) -> str:
        assert summaries is not None
        return str(summaries.get(need.digest, summaries["default"]))

    try:
        ports = (
            Ports(summarizer="none", store=MemoryBlobs())
            if summaries is None
            else Ports(summarizer="model", summarize=summarize, store=MemoryBlobs())
        )
        moment = Moment()
        if case.get("fences"):
            registry, injections = read_fences(case["fences"])
            moment = Moment(fences=injections, registry=registry)
        rail = Rail(
            merge_policies((f"policy {at}", policy) for at, policy in enumerate(policies)),
            target="neutral",
            window=case["window"],
            reserve_output=case["reserve_output"],
            tokenizer=case["tokenizer"],
            ports=ports,
        )
        request = rail.build(neutral.decode(document), moment=moment)
    except RailError as error:
        return Outcome(document, None, {}, error, json.dumps(document) == before)
    return Outcome(
        document, as_json(request.body), as_json(request.trace()), None, json.dumps(document) == before
    )


def as_json(value: JsonObject) -> JsonObject:
    """What a file would hold."""
    read = parse(dump(value), place="value")
    assert isinstance(read, dict)
    return read


def said(body: JsonObject) -> JsonObject:
    """System and messages of a body, to be sent in again."""
    return {key: copy.deepcopy(body[key]) for key in ("system", "messages") if key in body}


# Reading documents


def parts(message: JsonObject) -> list[JsonObject]:
    """The parts of a message that are objects."""
    return [part for part in message.get("parts", []) if isinstance(part, dict)]


def calls_of(message: JsonObject) -> list[JsonObject]:
    return [part for part in parts(message) if part["type"] == "tool_call"]


def results_of(message: JsonObject) -> list[JsonObject]:
    return [part for part in parts(message) if part["type"] == "tool_call_response"]


def text_of(part: JsonObject) -> str:
    """What a reader sees of a part."""
    if part["type"] == "tool_call":
        return str(part.get("name", "")) + compact(part.get("arguments"))
    if part["type"] == "tool_call_response":
        return compact(part.get("response"))
    return str(part.get("content") or part.get("text") or "")


def compact(value: Any) -> str:
    if value is None or isinstance(value, str):
        return value or ""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def message_text(message: JsonObject) -> str:
    return "\n".join(map(text_of, parts(message)))


def system_text(document: JsonObject) -> str:
    system = document.get("system") or ""
    return system if isinstance(system, str) else "\n".join(map(text_of, system))


def whole_text(document: JsonObject) -> str:
    return "\n".join([system_text(document), *map(message_text, document["messages"])])


def by_id(document: JsonObject) -> dict[str, JsonObject]:
    """The first message of each id."""
    found: dict[str, JsonObject] = {}
    for message in document["messages"]:
        found.setdefault(message.get("id"), message)
    return found


def final_result(document: JsonObject, call: str) -> str | None:
    """The last answer to a call that is no sign of life; such a sign where there is nothing else."""
    told = [part for message in document["messages"] for part in results_of(message) if part["id"] == call]
    final = [part for part in told if part.get("status") != "interim"]
    return text_of((final or told)[-1]) if told else None


def cost(document: JsonObject, tokenizer: str) -> int:
    """Of a document, by the two tokenizers that anybody can count with."""
    kind, _, number = tokenizer.partition(":")
    per = int(number)
    if kind == "message":
        return per * len(document["messages"])
    assert kind == "chars", f"{tokenizer} cannot be counted by hand"
    texts = [len(system_text(document))]
    texts += [sum(len(text_of(part)) for part in parts(message)) for message in document["messages"]]
    return sum(-(-length // per) for length in texts)


def walk(value: Any, path: list[str]) -> Iterator[Any]:
    """Values at a path: `**` is any depth, `*` one step; case and signs of names do not matter."""
    if not path:
        yield value
        return
    children = (
        list(value.items())
        if isinstance(value, dict)
        else list(enumerate(value))
        if isinstance(value, list)
        else []
    )
    if path[0] == "**":
        yield from walk(value, path[1:])
        for _, child in children:
            yield from walk(child, path)
        return
    for key, child in children:
        if path[0] == "*" or squash(key) == squash(path[0]):
            yield from walk(child, path[1:])


def squash(text: object) -> str:
    """Letters and digits only."""
    return "".join(char for char in str(text).lower() if char.isalnum() and char.isascii())

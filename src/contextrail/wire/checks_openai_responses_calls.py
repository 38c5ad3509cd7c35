"""Checks of tool calls in an OpenAI Responses body: pairs, ids, arguments.

Calls and outputs are bound one to one, in order of the items, at any distance.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from contextrail.core.json_text import JsonObject, kind_of
from contextrail.wire.checks_tools import Names, bad_arguments, misnamed
from contextrail.wire.finding import Flaw, Flaws, Path, Request, objects, shown, text

ANSWERED_BY_HOST: Final = frozenset({"function_call", "custom_tool_call", "computer_call"})
"""Calls that need an output in the body. Others are run by the server, or may be."""
LONGEST_ID: Final = 64


@dataclass(slots=True)
class _Calls:
    """The calls met so far."""

    waiting: dict[str, tuple[int, bool]] = field(default_factory=dict)
    """Id of an open call to its place, and whether the host must answer it."""
    called: set[str] = field(default_factory=set)

    def call(self, at: int, kind: str, ident: str) -> Flaws:
        """One call; its id should be new."""
        if ident in self.waiting:
            yield Flaw("call-id-twice", ("input", at), f"{shown(ident)} is the id of a call still open")
        elif ident in self.called:
            yield Flaw("call-id-reused", ("input", at), f"{shown(ident)} is the id of an earlier call")
        self.waiting[ident] = (at, kind in ANSWERED_BY_HOST)
        self.called.add(ident)

    def output(self, at: int, ident: str, *, elsewhere: bool) -> Flaws:
        """One output; it closes its call."""
        if ident not in self.called and not elsewhere:
            yield Flaw("result-stray", ("input", at), f"no call {shown(ident)} before this output")
        elif ident in self.called and ident not in self.waiting:
            yield Flaw("result-twice", ("input", at), f"call {shown(ident)} has an output already")
        self.waiting.pop(ident, None)


def check_pairs(request: Request) -> Flaws:
    """Each call of the host's tools has one output behind it; each output has its call before it."""
    items = objects(request.body.get("input"))
    elsewhere = _continues(request.body)
    calls = _Calls()
    for at, item in items:
        kind, ident = text(item.get("type")), text(item.get("call_id"))
        if kind.endswith("_call") and ident:
            yield from calls.call(at, kind, ident)
        elif kind.endswith("_output") and ident:
            yield from calls.output(at, ident, elsewhere=elsewhere)
    for ident, (at, needed) in calls.waiting.items():
        if needed:
            yield Flaw("result-missing", ("input", at), f"call {shown(ident)} has no output")
    if "deepseek" in request.model:
        yield from _check_interleaved(items)


def _continues(body: JsonObject) -> bool:
    """Whether calls may be known to the server that are not in the body."""
    if body.get("previous_response_id") or body.get("conversation"):
        return True
    return any(item.get("type") == "item_reference" for _, item in objects(body.get("input")))


def _check_interleaved(items: list[tuple[int, JsonObject]]) -> Flaws:
    """DeepSeek: no message between the calls of a batch, or between them and their outputs."""
    waiting: dict[str, int] = {}
    for at, item in items:
        kind, ident = text(item.get("type")), text(item.get("call_id"))
        if kind == "function_call" and ident:
            waiting[ident] = at
        elif kind == "function_call_output":
            waiting.pop(ident, None)
        elif waiting and kind in {"", "message"}:
            for open_id, place in waiting.items():
                yield Flaw(
                    "deepseek-interleaved",
                    ("input", place),
                    f"a message stands between {shown(open_id)} and its output",
                )
            waiting.clear()


def check_call_ids(body: JsonObject) -> Flaws:
    """Call ids are there and not too long."""
    for at, item in objects(body.get("input")):
        kind, ident = text(item.get("type")), item.get("call_id")
        path: Path = ("input", at, "call_id")
        if kind in {"function_call", "custom_tool_call"} and not text(ident):
            yield Flaw("call-id-missing", path, f"a {kind} without call_id")
        elif len(text(ident)) > LONGEST_ID:
            yield Flaw("call-id-long", path, f"{len(text(ident))} characters, {LONGEST_ID} are allowed")


def check_arguments(body: JsonObject, names: Names, *, strict: bool) -> Flaws:
    """Function calls have a name and arguments, outputs have an output."""
    for at, item in objects(body.get("input")):
        path: Path = ("input", at)
        match item.get("type"):
            case "function_call":
                yield from _check_function(path, item, names, strict=strict)
            case "function_call_output" | "custom_tool_call_output" if item.get("output") is None:
                yield Flaw("output-missing", (*path, "output"), "an output item without output")
            case _:
                continue


def _check_function(path: Path, item: JsonObject, names: Names, *, strict: bool) -> Flaws:
    name, arguments = text(item.get("name")), item.get("arguments")
    complaint = misnamed(name, names) if name else "a call without name"
    if complaint:
        yield Flaw("call-name", (*path, "name"), complaint)
    if isinstance(arguments, str):
        if bad := bad_arguments(arguments):
            yield Flaw("call-arguments", (*path, "arguments"), bad)
    elif strict:
        yield Flaw("call-arguments-type", (*path, "arguments"), f"{kind_of(arguments)} instead of a string")

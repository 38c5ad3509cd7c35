"""Call ids for Gemini, where a call or its response may go without one."""

from __future__ import annotations

from collections import OrderedDict, defaultdict
from collections.abc import Iterable
from typing import Any, Final

from contextrail.core.ids import CallId

CALL_KEYS: Final = ("functionCall", "function_call", "functionResponse", "function_response")


class OpenCalls:
    """The calls of one body that wait for a response, in order, by name of the function.

    A call without an id gets one from its place, `gemini-{content}-{part}`: stable while a history
    only grows, and never one that the body itself uses.
    """

    def __init__(self, contents: Iterable[Any]) -> None:
        self._contents = contents
        self._given: frozenset[str] | None = None
        self._made: set[CallId] = set()
        self._seen: set[CallId] = set()
        self._open: defaultdict[str, OrderedDict[CallId, int]] = defaultdict(OrderedDict)

    def call(self, name: str, wire_id: str | None, place: tuple[int, int]) -> CallId:
        """The id of a call; it is open from here on."""
        call_id = CallId(wire_id) if wire_id else self._make(place)
        self._seen.add(call_id)
        waiting = self._open[name]
        waiting[call_id] = waiting.get(call_id, 0) + 1
        return call_id

    def response(self, name: str, wire_id: str | None, place: tuple[int, int], *, final: bool) -> CallId:
        """The id of the call that a response answers.

        With an id: the call of that id, else the oldest open call of the name that came without one.
        Without: the oldest open call of the name. If there is none, the response's own id, or one
        from its place.
        """
        waiting = self._open[name]
        if wire_id:
            call_id = CallId(wire_id)
            if call_id not in self._seen and self._made:
                call_id = next((each for each in waiting if each in self._made), call_id)
        else:
            call_id = next(iter(waiting), None) or self._make(place)
        if final and call_id in waiting:
            waiting[call_id] -= 1
            if not waiting[call_id]:
                del waiting[call_id]
        return call_id

    def _make(self, place: tuple[int, int]) -> CallId:
        if self._given is None:
            self._given = frozenset(_given_ids(self._contents))
        made = f"gemini-{place[0]}-{place[1]}"
        while made in self._given:
            made += "x"
        call_id = CallId(made)
        self._made.add(call_id)
        return call_id


def _given_ids(contents: Iterable[Any]) -> Iterable[str]:
    """Every id that the body gives to a call or response."""
    for content in contents:
        parts = content.get("parts") if isinstance(content, dict) else None
        for part in parts if isinstance(parts, list) else (parts,):
            for key in CALL_KEYS:
                held = part.get(key) if isinstance(part, dict) else None
                if isinstance(held, dict) and isinstance(held.get("id"), str):
                    yield held["id"]

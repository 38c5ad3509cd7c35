"""Gemini contents to messages and back. A content that mixes responses and speech is several messages."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from itertools import groupby
from typing import Any, Final

from contextrail.core.ids import CallId
from contextrail.core.json_text import JsonObject, kind_of
from contextrail.messages.identity import content_id, number_runs
from contextrail.messages.model import Extra, Message, Part, Role, ToolCall, ToolResult
from contextrail.messages.pairs import continues
from contextrail.wire.extras import fields, misshapen, own, rest
from contextrail.wire.gemini_calls import read_call, read_response, write_call, write_response
from contextrail.wire.gemini_ids import OpenCalls
from contextrail.wire.gemini_parts import DATA, PLAIN, WIRE, data_key, read_speech, write_speech

_ROLES: Final[dict[str, Role]] = {
    "model": "assistant",
    "assistant": "assistant",
    "system": "system",
    "developer": "system",
}
"""Roles on the wire that are not the user's; `user`, `function` and everything else are."""


def read_contents(contents: list[Any]) -> tuple[Message, ...]:
    """Read `contents`.

    Raises:
        InvalidRequest: An element is not an object. Facts: `place`, `path`, `cure`.
    """
    calls = OpenCalls(contents)
    messages: list[Message] = []
    for index, content in enumerate(contents):
        if not isinstance(content, dict):
            raise misshapen(f"$.contents[{index}]", "an object", kind_of(content))
        messages.extend(_read_content(index, content, calls))
    return number_runs(messages)


def read_parts(
    value: JsonObject, read: Callable[[Any, int], Part]
) -> tuple[tuple[Part, ...], list[str], JsonObject]:
    """Read the parts of a content: the parts, the fields that are understood, notes on the form.

    One part may stand without its list, as in the first examples of the API's documentation.
    """
    given = value.get("parts")
    if isinstance(given, list):
        return tuple(read(part, at) for at, part in enumerate(given)), ["parts"], {}
    if isinstance(given, dict):
        return (read(given, 0),), ["parts"], {"~parts": "object"}
    return (), [], {"~parts": "missing" if "parts" not in value else "raw"}


def write_parts(written: JsonObject, parts: list[Any], form: object) -> None:
    """Put parts into a content as they stood there, as far as what they are now allows it."""
    if form == "object" and len(parts) == 1 and isinstance(parts[0], dict):
        written["parts"] = parts[0]
    elif parts or form not in ("missing", "raw"):
        written["parts"] = parts


class Contents:
    """The `contents` of a body while they are written, message by message.

    What was read from one content goes back into one. Of messages from elsewhere, consecutive ones of
    one role share a content, since a call's responses must all stand in the one content after it; media
    that came out of a tool stand in a user content after the responses that describe them.
    """

    def __init__(self, model: str | None) -> None:
        self.written: list[JsonObject] = []
        self._nested = _takes_media_in_responses(model)
        self._names: dict[CallId, str] = {}
        self._role: Role | None = None
        """Of the message written last; None before the first."""
        self._content: int | None = None
        """Which content of its body the message written last comes from, if it is a piece of one."""
        self._fresh = False
        """Whether the last content holds nothing but messages from elsewhere."""
        self._media: list[Any] = []
        """Media of tool results that still have to be written."""

    def add(self, message: Message) -> None:
        """Write one message after the others."""
        stored = own(message.extra, WIRE)
        if self._media and (message.role != "tool" or not self._joins(message, stored)):
            self.flush()
        joins = self._joins(message, stored)
        parts = [part for each in message.parts for part in self._part(each)]
        if joins:
            self.written[-1]["parts"].extend(parts)
            self._fresh = self._fresh and stored is None
        elif parts or (stored is not None and not message.parts and "~joined" not in stored):
            self._start(message, stored, parts)
        else:
            return
        self._role = message.role
        self._content = None if stored is None else stored.get("~content")

    def flush(self) -> None:
        """Write the media that are still due."""
        if self._media:
            self.written.append({"role": "user", "parts": self._media})
            self._media, self._role, self._content, self._fresh = [], "user", None, True

    def _joins(self, message: Message, stored: JsonObject | None) -> bool:
        if self._role is None or not isinstance(self.written[-1].get("parts"), list):
            return False
        alike = _turn(message.role) == _turn(self._role)
        if stored is None:
            return alike
        if continues(message):
            return self._content is not None and stored.get("~content") == self._content
        return self._fresh and not stored and alike

    def _start(self, message: Message, stored: JsonObject | None, parts: list[Any]) -> None:
        content = fields(stored or {})
        _write_role(content, message.role, stored)
        write_parts(content, parts, (stored or {}).get("~parts"))
        self.written.append(content)
        self._fresh = stored is None

    def _part(self, part: Part) -> list[Any]:
        if isinstance(part, ToolCall):
            self._names[part.call_id] = part.name
            return [write_call(part)]
        if isinstance(part, ToolResult):
            written, media = write_response(part, self._names, nested=self._nested)
            self._media.extend(media)
            return [written]
        return write_speech(part)


def _read_part(value: Any, calls: OpenCalls, place: tuple[int, int]) -> Part:
    key = data_key(value) if isinstance(value, dict) else None
    found: Part | None = None
    if key is not None and key != "text":
        if DATA[key] == "functionCall":
            found = read_call(value, key, calls, place)
        elif DATA[key] == "functionResponse":
            found = read_response(value, key, calls, place)
    return found or read_speech(value)


def _read_content(index: int, content: JsonObject, calls: OpenCalls) -> Iterable[Message]:
    wire_role = content.get("role")
    role = _ROLES.get(wire_role, "user") if isinstance(wire_role, str) else "user"
    parts, taken, notes = read_parts(content, lambda part, at: _read_part(part, calls, (index, at)))
    pieces = _split(parts, role)
    if wire_role == ("model" if pieces[0][0] == "assistant" else "user"):
        taken.append("role")
    elif "role" not in content:
        notes["~role"] = "missing"
    if len(pieces) > 1:
        notes["~content"] = index
    stored = {**rest(content, *taken), **notes}
    for at, (piece_role, piece) in enumerate(pieces):
        extra = Extra(WIRE, {"~joined": True, "~content": index}) if at else None
        yield Message(
            id=content_id(index, [content, at] if at else content),
            role=piece_role,
            parts=piece,
            extra=extra or (Extra(WIRE, stored) if stored else PLAIN),
        )


def _split(parts: tuple[Part, ...], role: Role) -> list[tuple[Role, tuple[Part, ...]]]:
    """Maximal runs of results, which a tool says, and of everything else; one empty piece for no parts."""
    results = [isinstance(part, ToolResult) for part in parts]
    if not any(results):
        return [(role, parts)]
    runs = groupby(zip(results, parts, strict=True), lambda each: each[0])
    return [("tool" if tool else role, tuple(part for _, part in run)) for tool, run in runs]


def _turn(role: Role) -> Role:
    """Whose turn a message is written in; what the system says in between, the user says."""
    return "user" if role == "system" else role


def _write_role(content: JsonObject, role: Role, stored: JsonObject | None) -> None:
    """Set the role on the wire, unless the one that stood there still says the same."""
    speaker = "model" if role == "assistant" else "user"
    if "role" in content:
        before = content["role"]
        if not isinstance(before, str) or role in ("tool", _ROLES.get(before, "user")):
            return
    elif speaker == "user" and stored is not None and "~role" in stored:
        return
    content["role"] = speaker


def _takes_media_in_responses(model: str | None) -> bool:
    """Gemini takes media inside function responses from its third generation on."""
    found = re.search(r"gemini-(\d+)", model or "")
    return found is not None and int(found[1]) >= 3

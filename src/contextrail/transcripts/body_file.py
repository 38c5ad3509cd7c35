"""Request bodies of the four providers, and logs of agents that hold one.

A log holds a request beside other things: `{"messages", "tools", "response", ...}` (OpenHands),
`{"system_prompt", "messages", ...}` (Hermes), `{"request": body}` or `{"body": body}`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO, Final

from contextrail.core.errors import InvalidRequest
from contextrail.core.json_text import Json, JsonObject, parse_object
from contextrail.messages.model import Message, Origin
from contextrail.transcripts.document import ROOT, Document, read_document
from contextrail.transcripts.notes import Notes, object_at, objects_in, word
from contextrail.transcripts.peek import is_lines, member_names
from contextrail.transcripts.session import Entry, Event, Head, Issue
from contextrail.transcripts.source import HEAD
from contextrail.wire.codec import CODECS, detect_provider
from contextrail.wire.target import PROVIDERS

FORMAT = "body"
FORMATS: Final = PROVIDERS

_LISTS: Final = ("messages", "input", "contents")
"""Members that hold the conversation."""
_INSIDE: Final = ("request", "body", "request_body")
"""Members in which logs keep the body itself."""
_OPENHANDS: Final = frozenset({"response", "raw_response", "kwargs", "context_window", "latency_sec"})
"""Members of the logs of OpenHands that were not sent; two of them tell such a log."""
_HERMES: Final = frozenset({"session_id", "session_start", "platform", "system_prompt", "message_count"})
"""Members of the sessions of Hermes that were not sent; three of them tell such a session."""
_ALONE: Final = frozenset(
    {"max_tokens", "systemInstruction", "instructions", "previous_response_id", "contents"}
)
"""Members that only request bodies have."""
_BESIDE: Final = frozenset({"model", "tools"})
"""Members of request bodies that stand before a list of messages which is too far off to be seen."""
_SHAPES: Final = (
    re.compile(rb'"messages"\s*:\s*\[\s*\{[^]]{0,4000}?"role"\s*:', re.DOTALL),
    re.compile(rb'"contents"\s*:\s*\[\s*\{[^]]{0,4000}?"parts"\s*:', re.DOTALL),
    re.compile(rb'"input"\s*:\s*\[\s*\{[^]]{0,4000}?"(?:role|type)"\s*:', re.DOTALL),
)


def request_in(document: JsonObject) -> JsonObject:
    """The request body that a document is, or holds; the document itself if it is no log that we know."""
    for name in _INSIDE:
        inside = document.get(name)
        if isinstance(inside, dict) and not set(_LISTS).isdisjoint(inside):
            return inside
    if isinstance(document.get("messages"), list):
        if len(_OPENHANDS & document.keys()) >= 2:
            model = word(object_at(document, "response").get("model"))
            sent: JsonObject = {} if model is None else {"model": model}
            return {**sent, **{name: document[name] for name in ("messages", "tools") if name in document}}
        if len(_HERMES & document.keys()) >= 3:
            return _hermes(document)
    return document


def sniff(head: bytes, path: Path) -> float:
    """How sure it is that a file is a request body or holds one, in [0, 1]."""
    if not head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{") or is_lines(head):
        return 0.0
    if len(head) < HEAD:
        try:
            body = request_in(parse_object(head, place=path.name))
        except InvalidRequest:
            pass
        else:
            return 0.6 * max(codec.recognizes(body) for codec in CODECS.values())
    elif (names := set(member_names(head.decode("utf-8", "replace")))) >= _BESIDE or names & _ALONE:
        return 0.4
    return 0.4 if any(shape.search(head) for shape in _SHAPES) else 0.0


def read(stream: BinaryIO, file: str) -> Iterator[Event]:
    """Entries and issues in file order; see `Reader`. Which provider's form it is, the content says."""
    notes = Notes(file)
    document = read_document(stream.read(), file, (*_LISTS, ROOT), _looks)
    elements = [item for item in document.items if not isinstance(item, Issue)]
    if not elements:
        messages = _decoded(document.value, document.origin, notes)
        yield from (item for item in document.items if isinstance(item, Issue))
        yield from notes.take()
        yield _entry("document", document.origin, messages, document.value)
        return
    listed = "messages" if elements[0].list == ROOT else elements[0].list
    yield _entry("document", document.origin, (), {**document.value, listed: []})
    per_element = iter(_per_element(document, [item.value for item in elements], listed, notes))
    yield from notes.take()
    for item in document.items:
        if isinstance(item, Issue):
            yield item
        else:
            messages = tuple(replace(message, origin=item.origin) for message in next(per_element))
            kind = word(item.value.get("role")) or word(item.value.get("type")) or "?"
            yield _entry(kind, item.origin, messages, item.value)


def head(entries: tuple[Entry, ...]) -> Head:
    """Model, instructions and tools, as the request says them."""
    for entry in entries:
        if entry.kind == "document" and isinstance(entry.value, dict):
            body = request_in(entry.value)
            try:
                conversation = CODECS[detect_provider(body)].decode(body)
            except InvalidRequest:
                return Head()
            system = conversation.system
            if entry.message is None:  # the list is empty here: what stands in it, `request_in` put there
                system = (*system, *(part for each in conversation.messages for part in each.parts))
            return Head(model=conversation.model, system=system, tools=conversation.tools)
    return Head()


def _hermes(document: JsonObject) -> JsonObject:
    """What Hermes sent: its prompt first, no records of its own, and tools as the provider has them."""
    sent: JsonObject = {"model": document["model"]} if isinstance(document.get("model"), str) else {}
    tools = [_plain_tool(tool) for tool in objects_in(document.get("tools"))]
    if tools:
        sent["tools"] = tools
    prompt = word(document.get("system_prompt"))
    first = [{"role": "system", "content": prompt}] if prompt else []
    spoken = [each for each in document["messages"] if not _is_meta(each)]
    return {**sent, "messages": [*first, *spoken]}


def _plain_tool(tool: JsonObject) -> JsonObject:
    function = {**object_at(tool, "function")}
    if isinstance(tool.get("description"), str):
        function.setdefault("description", tool["description"])
    if isinstance(tool.get("input_schema"), dict):
        function.setdefault("parameters", tool["input_schema"])
    return {"type": "function", "function": function}


def _is_meta(value: Json) -> bool:
    return isinstance(value, dict) and value.get("role") == "session_meta"


def _entry(kind: str, at: Origin, messages: Sequence[Message], value: Json) -> Entry:
    message = messages[0] if messages else None
    return Entry(kind=kind, origin=at, message=message, more=tuple(messages[1:]), value=value)


def _decoded(value: JsonObject, at: Origin, notes: Notes) -> tuple[Message, ...]:
    """The messages of a body whose list does not stand at the top of the document."""
    body = request_in(value)
    try:
        messages = CODECS[detect_provider(body)].decode(body).messages
    except InvalidRequest as error:
        notes.note("not-a-body", "error", str(error), at)
        return ()
    return tuple(replace(message, origin=at) for message in messages)


def _per_element(
    document: Document, values: list[JsonObject], key: str, notes: Notes
) -> list[tuple[Message, ...]]:
    """The messages of each element of the list under a key: of one, there may be several."""
    spoken = [value for value in values if not _is_meta(value)]
    try:
        codec = CODECS[detect_provider(request_in({**document.value, key: spoken}))]
        messages = iter(codec.decode({key: spoken}).messages)
        counts = [0 if _is_meta(value) else len(codec.decode({key: [value]}).messages) for value in values]
    except InvalidRequest as error:
        notes.note("not-a-body", "error", str(error), document.origin)
        return [() for _ in values]
    return [tuple(next(messages) for _ in range(count)) for count in counts]


def _looks(value: Json) -> bool:
    return isinstance(value, dict) and ("role" in value or "type" in value or "parts" in value)

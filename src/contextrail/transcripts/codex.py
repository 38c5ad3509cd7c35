"""Codex rollouts: one `{"timestamp", "type", "payload"}` a line; what was sent are the `response_item`s.

Events (`event_msg`) repeat for the screen what response items hold, so they are carried along without a
message. A compaction (`compacted`) begins a new segment with the history that the host put in place of
the old one. `thread_rolled_back` takes turns back: what was said in them is a branch that was left.
Sessions of hosts before 0.32 hold bare items; they are read as well.

Source: session files of versions 0.50 to 0.150, and codex-rs/protocol of openai/codex.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from io import BytesIO
from pathlib import Path
from typing import BinaryIO, Final

from contextrail.core.ids import MessageId
from contextrail.core.json_text import Json, JsonObject
from contextrail.core.timestamps import read_timestamp
from contextrail.messages.model import Extra, Fence, Message, Part, Summary, Text, Tool
from contextrail.transcripts.codex_legacy import CALLS, RESULTS, is_legacy, read_legacy
from contextrail.transcripts.codex_state import State, texts_of
from contextrail.transcripts.lines import Record, records
from contextrail.transcripts.notes import ident, object_at, objects_in, word
from contextrail.transcripts.session import Entry, Event, Head, Issue
from contextrail.wire.openai_responses_items import read_item
from contextrail.wire.openai_responses_parts import WIRE

FORMAT = "codex"

_TYPES: Final = frozenset(
    {
        "compacted", "event_msg", "inter_agent_communication", "inter_agent_communication_metadata",
        "response_item", "security_risk_score", "session_meta", "turn_context", "world_state",
    }
)  # fmt: skip
_HOST_ITEMS: Final = frozenset({"ghost_snapshot"})
"""Response items that the host keeps for itself."""
_CONTEXT: Final = (
    "<environment_context>", "<user_instructions>", "# AGENTS.md instructions", "<turn_aborted>",
    "<user_shell_command>", "<skill>", "<subagent_notification>", "<INSTRUCTIONS>", "<model_switch>",
)  # fmt: skip
"""How texts begin that the host wrote in the user's name."""
_HOST_FIELDS: Final = frozenset({"internal_chat_message_metadata_passthrough", "metadata"})
"""Fields of items that are the host's own and no part of the provider's form."""


def sniff(head: bytes, path: Path) -> float:
    """How sure it is that a file is a Codex session, in [0, 1]."""
    values = [item.value for item in records(BytesIO(head), path.name) if isinstance(item, Record)]
    if not values:  # the first line is longer than what was looked at
        return 0.6 if b'"type":"session_meta"' in head and b'"payload":' in head else 0.0
    wrapped = sum(_is_wrapped(value) for value in values)
    if wrapped * 2 > len(values):
        return 0.95
    legacy = sum(map(is_legacy, values))
    if (wrapped + legacy) * 2 > len(values):
        return 0.5 if path.name.startswith("rollout-") else 0.4
    return 0.0


def read(stream: BinaryIO, file: str) -> Iterator[Event]:
    """Entries and issues in file order; see `Reader`."""
    state = State(file)
    last: Record | None = None
    for item in records(stream, file):
        if isinstance(item, Issue):
            yield item
            continue
        entry = _entry(item, state)
        yield from state.notes.take()
        yield entry
        last = item
    if last is not None:
        marker = state.rolled_back_at_the_end(last.origin)
        yield from state.notes.take()
        if marker is not None:
            yield marker


def head(entries: tuple[Entry, ...]) -> Head:
    """Model, base instructions and dynamic tools that were said last; tools of the host itself are not in the file."""
    model: str | None = None
    instructions: str | None = None
    tools: tuple[Tool, ...] = ()
    for entry in entries:
        payload = object_at(entry.value, "payload")
        if entry.kind == "session_meta":
            tools = _tools(payload.get("dynamic_tools")) or tools
        if entry.kind in {"session_meta", "turn_context"}:
            said = payload.get("base_instructions")
            instructions = word(said) or word(object_at(said).get("text")) or instructions
        if entry.kind == "turn_context":
            model = word(payload.get("model")) or model
        elif entry.message is not None and isinstance(entry.value, dict) and "payload" not in entry.value:
            model = word(entry.value.get("model")) or model
    return Head(model=model, system=(Text(text=instructions),) if instructions else (), tools=tools)


def _is_wrapped(value: JsonObject) -> bool:
    return isinstance(value.get("payload"), dict) and word(value.get("type")) in _TYPES


def _entry(record: Record, state: State) -> Entry:
    value = record.value
    kind = word(value.get("type")) or "?"
    payload = value.get("payload")
    messages: tuple[Message, ...] = ()
    boundary = False
    if not isinstance(payload, dict):
        if is_legacy(value):
            messages = _item_messages(value, record, state)
        elif kind not in _TYPES and not {"record_type", "instructions"} & value.keys():
            state.notes.unknown(kind, "records", record.origin)
    elif kind == "response_item":
        messages = _item_messages(payload, record, state)
    elif kind == "compacted":
        messages, boundary = _compacted(payload, record, state), True
    elif kind == "event_msg":
        state.event(payload, record.origin)
    elif kind not in _TYPES:
        state.notes.unknown(kind, "records", record.origin)
    place, parent = state.place(messages, boundary=boundary)
    return Entry(
        kind=kind,
        origin=record.origin,
        id=place,
        parent=parent,
        boundary=boundary,
        message=messages[0] if messages else None,
        more=messages[1:],
        value=value,
        raw=record.raw,
    )


def _item_messages(item: JsonObject, record: Record, state: State) -> tuple[Message, ...]:
    """The message that an item is, wrapped or bare."""
    kind = word(item.get("type"))
    if kind in _HOST_ITEMS:
        return ()
    bare = "payload" not in record.value
    if bare or (kind in CALLS | RESULTS and "call_id" not in item):
        message = read_legacy(item, state.count, state.calls, _read_item)
    else:
        message = _read_item(item, state.count)
    if message is None:
        state.notes.unknown(kind or "?", "items", record.origin)
        return ()
    if message.role == "assistant" and state.speaking:
        own = message.extra.fields if message.extra is not None else {}
        message = replace(message, extra=Extra(WIRE, {**own, "~joined": True}))
    message = replace(message, timestamp=_time(record.value), origin=record.origin)
    state.said(message)
    return (message,)


def _read_item(item: JsonObject, position: int) -> Message:
    """Read an item as the provider's codec does, without what the host added; with the id the host gave."""
    own = {key: field for key, field in item.items() if key not in _HOST_FIELDS}
    message = read_item(own, position)
    parts = tuple(map(_fenced, message.parts)) if message.role == "user" else message.parts
    return replace(message, id=ident(item.get("id")) or message.id, parts=parts)


def _fenced(part: Part) -> Part:
    if isinstance(part, Text) and part.text.lstrip().startswith(_CONTEXT):
        return Fence(family="host-context", text=part.text, extra=part.extra)
    return part


def _compacted(payload: JsonObject, record: Record, state: State) -> tuple[Message, ...]:
    """The history that a compaction put in place of what stood before.

    Hosts before 0.60 did not write it down: they kept the user's messages, newest first up to 20,000
    tokens, and put the summary behind them.
    """
    summary = word(payload.get("message"))
    when = _time(record.value)
    items = payload.get("replacement_history")
    if isinstance(items, list):
        sent = [item for item in objects_in(items) if word(item.get("type")) not in _HOST_ITEMS]
        read = [_read_item(item, state.count + at) for at, item in enumerate(sent)]
        messages = tuple(
            replace(message, timestamp=when, origin=record.origin) for message in _summarized(read, summary)
        )
    else:
        messages = state.users()
        if summary is not None:
            parts: tuple[Part, ...] = (Summary(text=summary),)
            place = MessageId(f"compaction-{state.count}")
            said = Message(id=place, role="user", parts=parts, timestamp=when, origin=record.origin)
            messages = (*messages, said)
    state.compacted(messages)
    return messages


def _summarized(messages: list[Message], summary: str | None) -> list[Message]:
    """Mark the summary, which stands in the last message of the user that says just this text."""
    for at in range(len(messages) - 1, -1, -1):
        message = messages[at]
        if summary is not None and message.role == "user" and summary in texts_of(message):
            parts = tuple(
                Summary(text=part.text, extra=part.extra)
                if isinstance(part, Text) and part.text == summary
                else part
                for part in message.parts
            )
            return [*messages[:at], replace(message, parts=parts), *messages[at + 1 :]]
    return messages


def _tools(given: Json) -> tuple[Tool, ...]:
    """Tools that the user's side added to the host's own, in groups or one by one."""
    found: list[Tool] = []
    for each in [given] if isinstance(given, dict) else objects_in(given):
        group = objects_in(each.get("tools"))
        for tool in group or [each]:
            name = word(tool.get("name"))
            schema = tool.get("inputSchema", tool.get("input_schema", tool.get("parameters")))
            if name is not None and schema is not None:
                found.append(Tool(name=name, description=word(tool.get("description")), parameters=schema))
    return tuple(found)


def _time(value: JsonObject) -> datetime | None:
    return read_timestamp(value.get("timestamp", value.get("created_at")))

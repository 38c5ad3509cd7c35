"""Records of Gemini CLI and Qwen Code to messages: contents of the provider's form, and calls beside them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from contextrail.core.ids import CallId, MessageId
from contextrail.core.json_text import Json, JsonObject
from contextrail.core.timestamps import read_timestamp
from contextrail.messages.identity import content_id
from contextrail.messages.model import Fence, Message, Origin, Text
from contextrail.transcripts.calls import Calls
from contextrail.transcripts.notes import Notes, ident, object_at, objects_in, word
from contextrail.wire.gemini_contents import read_contents

_SPEAKERS: Final = {"user": "user", "gemini": "model", "model": "model", "assistant": "model"}
"""Types of records that speak, and the provider's word for who does."""
SILENT: Final = frozenset({"info", "error", "warning", "system"})


@dataclass(slots=True)
class Told:
    """What reading one record needs to know of those before it."""

    notes: Notes
    count: int = 0
    """Records with messages read so far."""
    calls: Calls = field(default_factory=Calls)
    answered: set[str] = field(default_factory=set)
    """Calls whose result stood beside them; the host may write it a second time as a content."""


def recorded(record: JsonObject, at: Origin, told: Told) -> tuple[Message, ...]:
    """The messages of one record of a session of Gemini CLI; none if it says nothing to the model."""
    kind = word(record.get("type")) or word(record.get("role")) or "?"
    role = _SPEAKERS.get(kind)
    if role is None:
        if kind not in SILENT:
            told.notes.unknown(kind, "records", at)
        return ()
    spoken = _parts(record.get("content")) or _parts(record.get("parts"))
    contents: list[JsonObject]
    if role == "user":
        contents = [{"role": role, "parts": _unanswered(spoken, told)}]
    else:
        calls = objects_in(record.get("toolCalls"))
        made = {word(object_at(part, "functionCall").get("id")) for part in spoken}
        parts = [
            *_thoughts(record, spoken),
            *spoken,
            *(_call(call) for call in calls if word(call.get("id")) not in made),
        ]
        contents = [{"role": role, "parts": parts}]
        results = [part for call in calls for part in _results(call)]
        if results:
            contents.append({"role": "user", "parts": results})
            told.answered.update(_response_ids(results))
    return messages_of(contents, record, at, told)


def messages_of(
    contents: Sequence[JsonObject], record: JsonObject, at: Origin, told: Told, family: str | None = None
) -> tuple[Message, ...]:
    """Read contents as the provider's codec does; ids are the record's.

    Args:
        contents: In the provider's form.
        record: Where they stand; its id and time count for all of them.
        at: Where that is.
        told: What stands before.
        family: Text of these contents was said by nobody and becomes a fence of this family.
    """
    base = ident(record.get("id")) or ident(record.get("uuid")) or content_id(told.count, record)
    contents = [_with_ids(content, f"{base}.{index}", told) for index, content in enumerate(contents)]
    found = [
        message for message in read_contents([each for each in contents if each["parts"]]) if message.parts
    ]
    told.count += bool(found)
    when = read_timestamp(record.get("timestamp", record.get("ts")))
    return tuple(
        replace(
            message,
            id=MessageId(f"{base}#{index}") if index else base,
            parts=tuple(
                Fence(family=family, text=part.text, extra=part.extra)
                if family is not None and isinstance(part, Text)
                else part
                for part in message.parts
            ),
            timestamp=when,
            origin=at,
        )
        for index, message in enumerate(found)
    )


def content_of(value: JsonObject) -> JsonObject:
    """A content of a history, whatever the host calls its speaker."""
    role = word(value.get("role")) or "user"
    return {"role": _SPEAKERS.get(role, role), "parts": _parts(value.get("parts"))}


def _parts(content: Json) -> list[Any]:
    """Content as a list of parts: it may be a text, a part, or a list of both."""
    if isinstance(content, str):
        return [{"text": content}] if content else []
    if isinstance(content, dict):
        return [content]
    if isinstance(content, list):
        return [{"text": part} if isinstance(part, str) else part for part in content if part != ""]
    return []


def _thoughts(record: JsonObject, spoken: Sequence[Any]) -> list[JsonObject]:
    """Summaries of thoughts, where the thoughts themselves are not in the content."""
    if any(object_at(part).get("thought") is True for part in spoken):
        return []
    texts = [
        "\n".join(filter(None, (word(thought.get("subject")), word(thought.get("description")))))
        for thought in objects_in(record.get("thoughts"))
    ]
    return [{"text": text, "thought": True} for text in texts if text]


def _call(call: JsonObject) -> JsonObject:
    return {"functionCall": {key: call[key] for key in ("id", "name", "args") if key in call}}


def _results(call: JsonObject) -> list[Any]:
    """What a call gave, as parts of a content. A result that is no response in the provider's form becomes one."""
    parts = _parts(call.get("result"))
    if not parts or any("functionResponse" in part for part in objects_in(parts)):
        return parts
    text = "\n".join(str(part.get("text", "")) for part in objects_in(parts))
    named = {key: call[key] for key in ("id", "name") if key in call}
    return [{"functionResponse": {**named, "response": {"output": text}}}]


def _response_ids(parts: Sequence[Any]) -> set[str]:
    found = (object_at(part, "functionResponse").get("id") for part in parts)
    return {each for each in found if isinstance(each, str)}


def _unanswered(parts: Sequence[Any], told: Told) -> list[Any]:
    """Parts of a user's content without the results that stood beside their calls already."""
    return [part for part in parts if not _response_ids([part]) & told.answered]


def _with_ids(content: JsonObject, base: str, told: Told) -> JsonObject:
    """Give ids to calls that came without one, and to the results that answer them."""
    parts: list[Any] = []
    for index, part in enumerate(content["parts"]):
        call, response = object_at(part, "functionCall"), object_at(part, "functionResponse")
        if call and not word(call.get("id")):
            told.calls.open.append((word(call.get("name")) or "", CallId(f"{base}.{index}")))
            parts.append({**part, "functionCall": {**call, "id": f"{base}.{index}"}})
        elif response and not word(response.get("id")):
            name = word(response.get("name"))
            parts.append(
                {**part, "functionResponse": {**response, "id": told.calls.take(name) or f"{base}.{index}"}}
            )
        else:
            parts.append(part)
    return {**content, "parts": parts}

"""Records that healing adds to a Codex rollout, and records it rewrites."""

from __future__ import annotations

from contextrail.core.json_text import Json, JsonObject
from contextrail.messages.model import ToolResult
from contextrail.messages.settle import UNKNOWN
from contextrail.messages.text import part_text
from contextrail.transcripts.heal_claude_code import stray_text
from contextrail.transcripts.heal_plan import Insert
from contextrail.wire.openai_responses_items import read_item

PARENT: str | None = None
"""Records follow one another, so that there is nothing to link."""
gap_record = None


def outcome_record(neighbour: JsonObject, insert: Insert) -> JsonObject:
    """An output that says "outcome unknown"."""
    extra = insert.call.extra
    custom = extra is not None and extra.fields.get("type") == "custom_tool_call"
    kind = "custom_tool_call_output" if custom else "function_call_output"
    item = {"type": kind, "call_id": insert.call.call_id, "output": UNKNOWN}
    if "payload" not in neighbour:
        return item
    time = {"timestamp": neighbour["timestamp"]} if "timestamp" in neighbour else {}
    return {**time, "type": "response_item", "payload": item}


def text_record(value: JsonObject, strays: set[int]) -> JsonObject:
    """A record whose outputs without a call are text that says so."""
    payload = value.get("payload")
    if not isinstance(payload, dict):
        return _as_text(value)
    history = payload.get("replacement_history")
    if not isinstance(history, list):
        return {**value, "payload": _as_text(payload)}
    items: list[Json] = []
    nth = 0
    for item in history:
        result = _is_result(item)
        items.append(_as_text(item) if result and nth in strays else item)
        nth += result
    return {**value, "payload": {**payload, "replacement_history": items}}


def _is_result(item: Json) -> bool:
    return isinstance(item, dict) and any(isinstance(part, ToolResult) for part in read_item(item, 0).parts)


def _as_text(item: JsonObject) -> JsonObject:
    message = read_item(item, 0)
    texts = [part_text(each) for part in message.parts if isinstance(part, ToolResult) for each in part.parts]
    call_id = item.get("call_id")
    text = stray_text(call_id if isinstance(call_id, str) else "without id", texts)
    return {"type": "message", "role": "user", "content": [{"type": "input_text", "text": text}]}

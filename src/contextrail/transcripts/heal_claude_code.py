"""Records that healing adds to a Claude Code session, and records it rewrites."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from contextrail.core.ids import MessageId
from contextrail.core.json_text import Json, JsonObject
from contextrail.messages.model import ToolCall, ToolResult
from contextrail.messages.settle import UNKNOWN
from contextrail.messages.text import part_text
from contextrail.transcripts.claude_code import GAP
from contextrail.transcripts.heal_plan import Insert
from contextrail.wire.anthropic_blocks import read_block

PARENT: Final = "parentUuid"

_CARRIED: Final = (
    "isSidechain", "userType", "cwd", "sessionId", "version", "gitBranch", "agentId", "slug", "entrypoint",
)  # fmt: skip
"""Fields of a neighbour that a new record has in common with it."""


def outcome_record(neighbour: JsonObject, insert: Insert) -> JsonObject:
    """A user record that answers calls with "outcome unknown"."""
    content = [_unknown(call) for call in insert.calls]
    return {
        PARENT: insert.parent,
        **_carried(neighbour),
        "type": "user",
        "message": {"role": "user", "content": content},
        "uuid": insert.id,
        **_time(neighbour),
        "toolUseResult": f"Error: {UNKNOWN}",
        "sourceToolAssistantUUID": insert.parent,
    }


def gap_record(neighbour: JsonObject, ident: MessageId, before: MessageId, missing: Json) -> JsonObject:
    """A record that marks a place where the chain was broken."""
    return {
        PARENT: before,
        **_carried(neighbour),
        "type": "system",
        "subtype": "informational",
        "content": "Gap: the record that came next is missing; more than what stands above may have come before",
        "level": "warning",
        "isMeta": True,
        "uuid": ident,
        **_time(neighbour),
        GAP: missing,
    }


def text_record(value: JsonObject, orphans: set[int]) -> JsonObject:
    """A record whose results without a call are text that says so."""
    message = value["message"]
    content: list[Json] = []
    nth = 0
    for block in message["content"]:
        part = read_block(block)
        if isinstance(part, ToolResult):
            content.extend(_as_text(part, block) if nth in orphans else [block])
            nth += 1
        else:
            content.append(block)
    alone = nth == len(orphans) == len(message["content"])
    said = {"isMeta": True} if alone else {}
    return {**value, "message": {**message, "content": content}, **said}


def _as_text(result: ToolResult, block: JsonObject) -> list[Json]:
    given = block.get("content")
    media = [each for each in given if _is_media(each)] if isinstance(given, list) else []
    texts = [
        part_text(part)
        for part, each in zip(result.parts, _blocks(given), strict=False)
        if not _is_media(each)
    ]
    head = f"[result of tool call {result.call_id}, which is not in this session]"
    return [{"type": "text", "text": "\n".join([head, *texts])}, *media]


def _blocks(given: Json) -> Sequence[Json]:
    return given if isinstance(given, list) else [given]


def _is_media(block: Json) -> bool:
    return isinstance(block, dict) and block.get("type") in {"image", "document"}


def _unknown(call: ToolCall) -> JsonObject:
    return {"type": "tool_result", "tool_use_id": call.call_id, "content": UNKNOWN, "is_error": True}


def _carried(neighbour: JsonObject) -> JsonObject:
    return {key: neighbour[key] for key in _CARRIED if key in neighbour}


def _time(neighbour: JsonObject) -> JsonObject:
    return {"timestamp": neighbour["timestamp"]} if "timestamp" in neighbour else {}

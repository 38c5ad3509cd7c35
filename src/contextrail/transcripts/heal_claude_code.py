"""Records that healing adds to a Claude Code session, and records it rewrites."""

from __future__ import annotations

from typing import Final

from contextrail.core.ids import MessageId
from contextrail.core.json_text import Json, JsonObject
from contextrail.messages.model import ToolResult
from contextrail.messages.settle import UNKNOWN
from contextrail.messages.text import part_text
from contextrail.transcripts.claude_code import GAP
from contextrail.transcripts.heal_plan import Insert
from contextrail.wire.anthropic_blocks import read_block

PARENT: str | None = "parentUuid"

_CARRIED: Final = (
    "isSidechain", "userType", "cwd", "sessionId", "version", "gitBranch", "agentId", "slug", "entrypoint",
)  # fmt: skip
"""Fields of a neighbour that a new record has in common with it."""


def outcome_record(neighbour: JsonObject, insert: Insert) -> JsonObject:
    """A user record that answers a call with "outcome unknown"."""
    call = insert.call.call_id
    content = [{"type": "tool_result", "tool_use_id": call, "content": UNKNOWN, "is_error": True}]
    return {
        "parentUuid": insert.parent,
        **_carried(neighbour),
        "type": "user",
        "message": {"role": "user", "content": content},
        "uuid": insert.id,
        **_time(neighbour),
        "toolUseResult": f"Error: {UNKNOWN}",
        "sourceToolAssistantUUID": insert.parent,
    }


def gap_record(neighbour: JsonObject, ident: MessageId, before: MessageId) -> JsonObject:
    """A record that marks a place where the chain was broken."""
    return {
        "parentUuid": before,
        **_carried(neighbour),
        "type": "system",
        "subtype": "informational",
        "content": "Gap: the record that came next is missing; more than what stands above may have come before",
        "level": "warning",
        "isMeta": True,
        "uuid": ident,
        **_time(neighbour),
        GAP: neighbour.get("parentUuid"),
    }


def text_record(value: JsonObject, strays: set[int]) -> JsonObject:
    """A record whose results without a call are text that says so."""
    message = value["message"]
    content = text_blocks(message["content"], strays)
    alone = len(strays) == len(message["content"])
    said = {"isMeta": True} if alone else {}
    return {**value, "message": {**message, "content": content}, **said}


def text_blocks(blocks: list[Json], strays: set[int]) -> list[Json]:
    """Blocks of a message, with those results (counted from 0) that answer no call as text."""
    content: list[Json] = []
    nth = 0
    for block in blocks:
        part = read_block(block)
        if isinstance(part, ToolResult):
            content.extend(_as_text(part, block) if nth in strays else [block])
            nth += 1
        else:
            content.append(block)
    return content


def stray_text(call_id: str, texts: list[str]) -> str:
    """What is said instead of a result whose call is not there."""
    return "\n".join([f"[result of tool call {call_id}, which is not in this session]", *texts])


def _as_text(result: ToolResult, block: Json) -> list[Json]:
    given = block.get("content") if isinstance(block, dict) else None
    media = [each for each in given if _is_media(each)] if isinstance(given, list) else []
    blocks = given if isinstance(given, list) else [given]
    texts = [part_text(part) for part, each in zip(result.parts, blocks, strict=False) if not _is_media(each)]
    return [{"type": "text", "text": stray_text(result.call_id, texts)}, *media]


def _is_media(block: Json) -> bool:
    return isinstance(block, dict) and block.get("type") in ("image", "document")


def _carried(neighbour: JsonObject) -> JsonObject:
    return {key: neighbour[key] for key in _CARRIED if key in neighbour}


def _time(neighbour: JsonObject) -> JsonObject:
    return {"timestamp": neighbour["timestamp"]} if "timestamp" in neighbour else {}

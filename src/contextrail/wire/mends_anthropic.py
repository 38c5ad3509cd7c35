"""How findings in Anthropic bodies are mended where lowering did not."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from contextrail.core.json_text import JsonObject
from contextrail.wire.checks_anthropic_blocks import (
    CACHE_MARKS,
    MEDIA_COUNT,
    MEDIA_COUNT_SMALL,
    claude_version,
    every_block,
)
from contextrail.wire.checks_anthropic_turns import THOUGHTS, read
from contextrail.wire.finding import Path, objects, text
from contextrail.wire.lower_body import object_schema
from contextrail.wire.lower_parts import NO_ERROR_TEXT
from contextrail.wire.mends_blocks import (
    arguments_as_object,
    as_text,
    media_in_words,
    media_left_out,
    role_in_words,
    user_goes_on,
    whole,
)
from contextrail.wire.mends_edit import (
    Cure,
    Scene,
    at,
    block_of,
    drop,
    drop_message,
    dropped,
    edit,
    field_of,
    in_words,
    message_of,
    put,
)
from contextrail.wire.mends_types import TYPE_CURE

MARK: Final = "cache_control"


def content_in_words(body: JsonObject, path: Path, scene: Scene) -> JsonObject:
    """Content, or a block, of the wrong JSON type: what stands there as text; nothing is no content."""
    if isinstance(path[-1], str):
        value = at(body, path)
        return put(body, path, [] if value is None else in_words(value))
    block = at(body, path)
    if isinstance(block, dict) and isinstance(block.get("text"), str) and "type" not in block:
        return put(body, path, {"type": "text", **block})
    return as_text(body, path, scene)


def blanks_left_out(body: JsonObject, path: Path, scene: Scene) -> JsonObject:
    """A message without its blank texts; without the message, if that was all."""
    content = at(body, (*path[:2], "content"))
    if isinstance(content, list):
        kept = [block for block in content if not _blank(block)]
        if kept:
            return put(body, (*path[:2], "content"), kept)
    return drop_message(body, path, scene)


def _blank(block: object) -> bool:
    return isinstance(block, dict) and block.get("type") == "text" and not text(block.get("text")).strip()


def end_trimmed(body: JsonObject, path: Path, scene: Scene) -> JsonObject:
    """The final text without white space behind it."""

    def change(value: Any) -> Any:
        if isinstance(value, dict):
            return {**value, "text": text(value.get("text")).rstrip()}
        return value.rstrip() if isinstance(value, str) else value

    trimmed: JsonObject = edit(body, path, change)
    return trimmed


def error_in_words(body: JsonObject, path: Path, scene: Scene) -> JsonObject:
    """An error result that says so."""
    return put(body, (*path, "content"), NO_ERROR_TEXT)


# Thinking


def thinking_off(body: JsonObject, path: Path, scene: Scene) -> JsonObject:
    """The request without thinking, and without the edits of its context that need thinking."""
    off = drop(body, ("thinking",))
    edits = at(off, ("context_management", "edits"))
    if not isinstance(edits, list):
        return off
    kept = [each for each in edits if not (isinstance(each, dict) and "thinking" in text(each.get("type")))]
    return off if len(kept) == len(edits) else put(off, ("context_management", "edits"), kept)


def turn_without_thinking(body: JsonObject, path: Path, scene: Scene) -> JsonObject:
    """The assistant's turn that the place is in, without any of its thinking."""
    messages = body.get("messages")
    place = path[1]
    if not isinstance(messages, list) or not isinstance(place, int):
        return body
    mended = body
    for index in _turn(messages, place):
        content = at(messages, (index, "content"))
        if not isinstance(content, list):
            continue
        kept = [block for block in content if not (isinstance(block, dict) and block.get("type") in THOUGHTS)]
        if len(kept) < len(content):
            mended = put(mended, ("messages", index, "content"), kept)
    last = len(messages) - 1
    emptied = place == last and at(mended, ("messages", last, "content")) == []
    return drop_message(mended, ("messages", last), scene) if emptied else mended


def _turn(messages: list[Any], place: int) -> range:
    """The assistant's messages in a row around a place."""

    def speaks(index: int) -> bool:
        return 0 <= index < len(messages) and at(messages, (index, "role")) == "assistant"

    start = end = place
    while speaks(start - 1):
        start -= 1
    while speaks(end + 1):
        end += 1
    return range(start, end + 1)


# Cache marks


def few_marks(body: JsonObject, path: Path, scene: Scene) -> JsonObject:
    """At most four marks: the last of tools, of system and of messages, then the latest of the others."""
    marks = list(_marks(body))
    allowed = CACHE_MARKS - isinstance(body.get(MARK), dict)
    last = {place[0]: place for place in marks}
    kept = [last[key] for key in ("messages", "system", "tools") if key in last]
    kept += [place for place in reversed(marks) if place not in kept]
    for place in kept[allowed:]:
        body = drop(body, (*place, MARK))
    return body


def _marks(body: JsonObject) -> Iterator[Path]:
    for index, tool in objects(body.get("tools")):
        if isinstance(tool.get(MARK), dict):
            yield ("tools", index)
    for block in every_block(body, read(body)):
        if isinstance(block.value.get(MARK), dict):
            yield block.path


def mark_of(path: Path) -> Path:
    """The cache mark that a place is in."""
    return path[: path.index(MARK) + 1] if MARK in path else path


# Media


def few_media(body: JsonObject, path: Path, scene: Scene) -> JsonObject:
    """The oldest images and documents beyond the limit as lines that describe them."""
    version = claude_version(scene.model)
    most = MEDIA_COUNT_SMALL if version is not None and version < (4, 6) else MEDIA_COUNT
    places = [
        block.path
        for block in every_block(body, read(body))
        if block.kind in {"image", "document"} and isinstance(block.value.get("source"), dict)
    ]
    for place in places[: max(0, len(places) - most)]:
        body = media_left_out(body, place, scene)
    return body


# Tools


def tool_of(path: Path) -> Path:
    """The definition that a place is in."""
    return path[:2]


def schema_of_object(body: JsonObject, path: Path, scene: Scene) -> JsonObject:
    """A definition whose schema is one of an object."""
    schema = at(body, (*path, "input_schema"))
    return put(body, (*path, "input_schema"), object_schema(schema if schema is not None else {}))


CURES: Final[Mapping[str, Cure]] = {
    "lone-surrogate": Cure("lone-surrogate", whole),
    "body-form": Cure("content-in-words", content_in_words),
    "field-type": TYPE_CURE,
    "field-unknown": Cure("field-left-out", dropped),
    "role-unknown": Cure("role-in-words", role_in_words, message_of),
    "message-empty": Cure("empty", drop_message, message_of),
    "text-empty": Cure("blank-text", dropped),
    "text-blank": Cure("blank-text", blanks_left_out, message_of),
    "prefill-space": Cure("final-white-space", end_trimmed),
    "prefill-model": Cure("user-goes-on", user_goes_on, field_of),
    "prefill-thinking": Cure("user-goes-on", user_goes_on, field_of),
    "call-id-form": Cure("block-as-text", as_text, block_of),
    "call-name": Cure("block-as-text", as_text, block_of),
    "call-input": Cure("arguments-not-an-object", arguments_as_object),
    "error-empty": Cure("error-without-text", error_in_words, block_of),
    "server-result-missing": Cure("unanswered-server-call-as-text", as_text, block_of),
    "server-result-stray": Cure("stray-server-result-as-text", as_text, block_of),
    "thinking-unsigned": Cure("thinking-without-signature", dropped, block_of),
    "thinking-form": Cure("thinking-without-content", dropped, block_of),
    "thinking-place": Cure("misplaced-thinking", dropped, block_of),
    "thinking-last": Cure("thinking-last", turn_without_thinking, message_of),
    "thinking-required": Cure("thinking-turned-off", thinking_off),
    "thinking-budget": Cure("thinking-turned-off", thinking_off, field_of),
    "thinking-forced-tool": Cure("thinking-turned-off", thinking_off),
    "thinking-changed": Cure("thinking-altered", turn_without_thinking, message_of),
    "thinking-in-part": Cure("thinking-in-part", turn_without_thinking, message_of),
    "cache-marks": Cure("cache-mark-removed", few_marks),
    "cache-order": Cure("cache-mark-removed", dropped, mark_of),
    "cache-place": Cure("cache-mark-removed", dropped, mark_of),
    "media-type": Cure("media-as-text", media_in_words, block_of),
    "base64": Cure("media-as-text", media_in_words, block_of),
    "media-mismatch": Cure("media-type-corrected", media_in_words, block_of),
    "image-too-large": Cure("media-as-text", media_left_out, block_of),
    "too-many-media": Cure("media-as-text", few_media, field_of),
    "tool-name": Cure("tool-left-out", dropped, tool_of),
    "tool-twice": Cure("duplicate-tool", dropped, tool_of),
    "tool-schema": Cure("tool-schema-not-an-object", schema_of_object, tool_of),
    "tool-choice-unknown": Cure("tool-choice-left-out", dropped, field_of),
    "tool-choice-alone": Cure("tool-choice-left-out", dropped, field_of),
}
"""By rule, without its provider."""

"""How findings in Responses bodies are mended where lowering did not."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from contextrail.core.digest import canonical_json, sha256
from contextrail.core.json_text import JsonObject
from contextrail.wire.checks_openai_responses import WRONG_FOR_ASSISTANT, kind
from contextrail.wire.finding import Path, text
from contextrail.wire.lower_parts import whole_text
from contextrail.wire.mends_blocks import (
    arguments_as_text,
    as_text,
    media_in_words,
    media_left_out,
    message_as_text,
    role_in_words,
    text_block,
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
    field_of,
    in_words,
    message_of,
    put,
)
from contextrail.wire.mends_types import TYPE_CURE

NO_OUTPUT: Final = "[no output]"

_TEXTS: Final = ("input_text", "output_text", "text")


def item_in_words(body: JsonObject, path: Path, scene: Scene) -> JsonObject:
    """An item, or content, of the wrong JSON type as text; a message without content said nothing."""
    if len(path) == len(("input", 0)):
        return message_as_text(body, path, scene)
    value = at(body, path)
    return drop_message(body, path, scene) if value is None else put(body, path, in_words(value))


def item_or_content(path: Path) -> Path:
    """The item that a place is in, so that it can go as a whole."""
    return path[:2]


def form_mended(body: JsonObject, path: Path, scene: Scene) -> JsonObject:
    """What of an item has the wrong form: its content if it is a message, else all of it."""
    item = at(body, path)
    is_message = isinstance(item, dict) and kind(item) == "message"
    return item_in_words(body, (*path, "content") if is_message else path, scene)


def part_of_role(body: JsonObject, path: Path, scene: Scene) -> JsonObject:
    """A part of a type that its role does not have: text under the right type, all else as text."""
    part = at(body, path)
    if not isinstance(part, dict):
        return body
    said = part.get("text")
    if part.get("type") in _TEXTS and isinstance(said, str):
        right = text_block(said, body, path, scene)["type"]
        return put(body, path, {**part, "type": right})
    if part.get("type") == "image_url":
        image = part.get("image_url")
        url = image.get("url") if isinstance(image, dict) else image
        if isinstance(url, str) and at(body, (*path[:2], "role")) != "assistant":
            return put(body, path, {"type": "input_image", "image_url": url})
    if part.get("type") in WRONG_FOR_ASSISTANT and part.get("type") not in _TEXTS:
        return media_left_out(body, path, scene)
    return as_text(body, path, scene)


def output_in_words(body: JsonObject, path: Path, scene: Scene) -> JsonObject:
    """An output that says there was none."""
    return put(body, path, NO_OUTPUT)


def call_named(body: JsonObject, path: Path, scene: Scene) -> JsonObject:
    """A call with an id, made of what it is and where it stands."""
    return put(body, (*path, "call_id"), f"call_{path[1]}_{sha256(canonical_json(at(body, path)))[:12]}")


# Reasoning and the items it leads to


def summary_empty(body: JsonObject, path: Path, scene: Scene) -> JsonObject:
    """Reasoning with an empty list of summaries."""
    return put(body, (*path, "summary"), [])


def item_left_out(body: JsonObject, path: Path, scene: Scene) -> JsonObject:
    """An item less; if it was reasoning, what it led to no longer goes under the server's id."""
    item, items = at(body, path), body.get("input")
    mended = body
    if isinstance(item, dict) and kind(item) == "reasoning" and isinstance(items, list):
        for index, after in enumerate(items[int(path[1]) + 1 :], int(path[1]) + 1):
            if not isinstance(after, dict) or not _by_model(after):
                break
            if kind(after) != "reasoning":
                mended = drop(mended, ("input", index, "id"))
    return drop_message(mended, path, scene)


def _by_model(item: JsonObject) -> bool:
    """Whether the model made an item in the same go: no message of someone else, no output of a tool, no reference."""
    if kind(item) == "message":
        return item.get("role") == "assistant"
    return not kind(item).endswith("_output") and kind(item) != "item_reference"


def id_left_out(body: JsonObject, path: Path, scene: Scene) -> JsonObject:
    """An item without id; a reference is nothing without one."""
    item: Any = at(body, path)
    if isinstance(item, dict) and text(item.get("type")) == "item_reference":
        return drop_message(body, path, scene)
    return drop(body, (*path, "id"))


def call_in_words(body: JsonObject, path: Path, scene: Scene) -> JsonObject:
    """A call that has no form of one as text of the assistant."""
    said = whole_text(f"[tool call] {in_words(at(body, path))}")
    return put(body, path, {"type": "message", "role": "assistant", "content": said})


CURES: Final[Mapping[str, Cure]] = {
    "lone-surrogate": Cure("lone-surrogate", whole),
    "body-form": Cure("content-in-words", form_mended, item_or_content),
    "field-type": TYPE_CURE,
    "field-unknown": Cure("field-left-out", dropped),
    "item-unknown": Cure("item-as-text", message_as_text),
    "role-unknown": Cure("role-in-words", role_in_words, message_of),
    "content-type": Cure("part-of-another-role", part_of_role, block_of),
    "output-missing": Cure("output-missing", output_in_words),
    "call-id-missing": Cure("call-named", call_named, message_of),
    "call-name": Cure("call-as-text", call_in_words, message_of),
    "call-arguments-type": Cure("arguments-not-text", arguments_as_text),
    "call-arguments": Cure("arguments-not-an-object", arguments_as_text),
    "reasoning-summary": Cure("summary-missing", summary_empty, message_of),
    "reasoning-alone": Cure("reasoning-without-follower", item_left_out, message_of),
    "reasoning-missing": Cure("item-id-left-out", id_left_out, message_of),
    "reasoning-changed": Cure("thinking-altered", item_left_out, message_of),
    "not-stored": Cure("item-not-stored", item_left_out, message_of),
    "item-id-form": Cure("item-id-left-out", id_left_out, message_of),
    "item-id-twice": Cure("item-id-left-out", id_left_out, message_of),
    "media-type": Cure("media-as-text", media_in_words, block_of),
    "base64": Cure("media-as-text", media_in_words, block_of),
    "tool-name": Cure("tool-left-out", dropped, message_of),
    "tool-twice": Cure("duplicate-tool", dropped, message_of),
    "tool-choice-unknown": Cure("tool-choice-left-out", dropped, field_of),
}
"""By rule, without its provider."""

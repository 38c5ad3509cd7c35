"""How findings in Chat Completions bodies are mended where lowering did not."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from contextrail.core.json_text import Json, JsonObject
from contextrail.wire.finding import Path
from contextrail.wire.lower_parts import whole_text
from contextrail.wire.mends_blocks import (
    arguments_as_text,
    as_text,
    media_in_words,
    media_left_out,
    role_in_words,
    text_block,
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
    field_of,
    in_words,
    insert,
    message_of,
    put,
)
from contextrail.wire.mends_types import TYPE_CURE

NO_ANSWER: Final = "[no answer was given here]"
"""What Mistral's assistant says between a result and the user, where it said nothing."""

NO_REASONING: Final = " "
"""DeepSeek refuses calls without reasoning, and its newer models an empty text; a blank is taken, and says nothing.
Sources: the API's guide to thinking mode; NousResearch/hermes-agent pull request 17341 (tested on deepseek-v4-pro)."""


def content_in_words(body: JsonObject, path: Path, scene: Scene) -> JsonObject:
    """Content, or a part, of the wrong JSON type: what stands there as text."""
    if isinstance(path[-1], str):
        return put(body, path, in_words(at(body, path)))
    return as_text(body, path, scene)


def content_or_none(body: JsonObject, path: Path, scene: Scene) -> JsonObject:
    """A result without content had an empty one; any other message without content said nothing."""
    if at(body, (*path, "role")) in ("tool", "function"):
        return put(body, (*path, "content"), "")
    return drop_message(body, path, scene)


def call_in_words(body: JsonObject, path: Path, scene: Scene) -> JsonObject:
    """A call that has no form of one as text of its message."""
    message = at(body, path[:2])
    if len(path) < len(_CALL) or not isinstance(message, dict):
        return body
    rest = drop({"message": message}, ("message", *path[2:4]))["message"]
    if not rest.get("tool_calls"):
        rest = {key: value for key, value in rest.items() if key != "tool_calls"}
    said = text_block(whole_text(f"[tool call] {in_words(at(body, path[:4]))}"), body, path, scene)
    content = rest.get("content")
    before: list[Json] = [] if content in (None, "") else content if isinstance(content, list) else []
    if isinstance(content, str) and content:
        before = [text_block(content, body, path, scene)]
    return put(body, path[:2], {**rest, "content": [*before, said]})


_CALL: Final = ("messages", 0, "tool_calls", 0)


def call_of(path: Path) -> Path:
    """The call that a place is in."""
    return path[: len(_CALL)]


def tools_left_out(body: JsonObject, path: Path, scene: Scene) -> JsonObject:
    """The request without tools, and without what may only be said of tools."""
    return {key: value for key, value in body.items() if key not in _OF_TOOLS}


_OF_TOOLS: Final = ("tools", "tool_choice", "parallel_tool_calls")


def tool_of(path: Path) -> Path:
    """The definition that a place is in."""
    return path[:2]


def assistant_between(body: JsonObject, path: Path, scene: Scene) -> JsonObject:
    """The assistant says that it said nothing, before the message at the place."""
    return insert(body, path, {"role": "assistant", "content": NO_ANSWER})


def blank_reasoning(body: JsonObject, path: Path, scene: Scene) -> JsonObject:
    """Calls with a reasoning that says nothing."""
    return put(body, (*path, "reasoning_content"), NO_REASONING)


def limit_renamed(body: JsonObject, path: Path, scene: Scene) -> JsonObject:
    """The limit on output under the name that Mistral knows; one that stands there already counts."""
    rest = {key: value for key, value in body.items() if key != path[-1]}
    return {"max_tokens": body[str(path[-1])], **rest}


CURES: Final[Mapping[str, Cure]] = {
    "lone-surrogate": Cure("lone-surrogate", whole),
    "body-form": Cure("content-in-words", content_in_words),
    "field-type": TYPE_CURE,
    "field-unknown": Cure("field-left-out", dropped),
    "role-unknown": Cure("role-in-words", role_in_words, message_of),
    "content-missing": Cure("content-missing", content_or_none, message_of),
    "call-id-missing": Cure("call-as-text", call_in_words, call_of),
    "calls-empty": Cure("empty-calls-left-out", dropped),
    "call-name": Cure("call-as-text", call_in_words, call_of),
    "call-arguments-type": Cure("arguments-not-text", arguments_as_text),
    "call-arguments": Cure("arguments-not-an-object", arguments_as_text),
    "media-type": Cure("media-as-text", media_in_words, block_of),
    "base64": Cure("media-as-text", media_in_words, block_of),
    "image-place": Cure("media-as-text", media_left_out, block_of),
    "tool-name": Cure("tool-left-out", dropped, tool_of),
    "tool-twice": Cure("duplicate-tool", dropped, tool_of),
    "tools-empty": Cure("tools-left-out", tools_left_out),
    "tool-choice-unknown": Cure("tool-choice-left-out", dropped, field_of),
    "tool-choice-alone": Cure("tool-choice-left-out", dropped, field_of),
    "mistral-limit": Cure("output-limit-renamed", limit_renamed),
    "mistral-reasoning": Cure("thinking-refused", dropped),
    "mistral-after-tool": Cure("assistant-between", assistant_between),
    "mistral-last-role": Cure("user-goes-on", user_goes_on, field_of),
    "deepseek-reasoning": Cure("blank-reasoning", blank_reasoning),
}
"""By rule, without its provider."""

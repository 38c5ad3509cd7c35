"""How fields of the wrong JSON type are mended: what was said becomes text, a setting or a tool goes."""

from __future__ import annotations

from typing import Final

from contextrail.core.json_text import JsonObject
from contextrail.wire.dialects import MAX_OUTPUT
from contextrail.wire.finding import Path
from contextrail.wire.mends_blocks import text_block
from contextrail.wire.mends_edit import Cure, Scene, at, block_of, drop, in_words, put

_SAID: Final = frozenset({"messages", "input", "contents"})


def type_mended(body: JsonObject, path: Path, scene: Scene) -> JsonObject:
    """The body with one field of the right type, or without it."""
    if path == ("max_tokens",) and scene.provider == "anthropic":
        return put(body, path, MAX_OUTPUT)  # it demands the field
    if path[0] == "tools":
        return drop(body, path if path[-1] == "description" else path[: _tool(path)])
    if path[0] in _SAID and path[-1] != "tool_calls":
        return _said_in_words(body, path, scene)
    return drop(body, path)


def _said_in_words(body: JsonObject, path: Path, scene: Scene) -> JsonObject:
    """What stands where something is said as text; a block that says nothing goes."""
    block, value = block_of(path), at(body, path)
    if path[-1] in ("content", "output") or (path[-1] == "text" and value is not None):
        return put(body, path, in_words(value))
    if block == path or (path[-1] == "type" and block == path[:-1]):
        return put(body, block, text_block(in_words(at(body, block)), body, block, scene))
    return drop(body, block if path[-1] == "text" else path)


def _tool(path: Path) -> int:
    """How much of a place names the definition: a declaration of Gemini stands two steps deeper."""
    return 4 if len(path) >= 4 and isinstance(path[3], int) else 2 if len(path) >= 2 else 1


TYPE_CURE: Final = Cure("field-of-wrong-type", type_mended)

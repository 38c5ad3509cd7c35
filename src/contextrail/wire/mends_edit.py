"""Edits of a JSON body at a place: each gives a new body that shares everything else with the old one.

A place that is not there is no error: an earlier mend may have taken it away. The body comes back as
the same object then, which is how a caller knows that nothing was done.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from contextrail.core.json_text import Json, JsonObject, dump_text
from contextrail.wire.finding import Path
from contextrail.wire.lower_parts import whole_text, whole_value
from contextrail.wire.target import Provider, Target

LISTS: Final[dict[Provider, str]] = {
    "anthropic": "messages",
    "openai-chat": "messages",
    "openai-responses": "input",
    "gemini": "contents",
}
"""The field of a body that holds what was said."""

NO_TEXT: Final = "[no text]"
"""Stands where a message had nothing in it and is the only one."""

MISSING: Final[Any] = object()


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """What a mend may know beside the body."""

    target: Target
    model: str = ""
    """Whom the body is for, in small letters; empty if unknown."""
    before: JsonObject | None = None
    """The body as the host gave it."""

    @property
    def provider(self) -> Provider:
        """The wire form."""
        return self.target.provider

    @property
    def key(self) -> str:
        """The field that holds what was said."""
        return LISTS[self.target.provider]


Mend = Callable[[JsonObject, Path, Scene], JsonObject]
"""A new body with one place mended; the same object if there was nothing to do."""


@dataclass(frozen=True, slots=True)
class Cure:
    """How findings of one rule are mended."""

    reason: str
    """The word for the decision."""
    mend: Mend
    place: Callable[[Path], Path] = lambda path: path
    """Where the mend acts, from where the finding is: it changes nothing outside that could move other places."""


_STEP: Final = re.compile(
    r"""\.([A-Za-z_][A-Za-z0-9_]*)|\[(\d+)\]|\[('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")\]"""
)


def parse_path(text: str) -> Path:
    """A place from its text: the inverse of `finding.json_path`."""
    return tuple(
        int(index) if index else word or str(ast.literal_eval(quoted))
        for word, index, quoted in _STEP.findall(text[1:])
    )


# Places


def message_of(path: Path) -> Path:
    """The message, item or content that a place is in."""
    return path[:2]


def field_of(path: Path) -> Path:
    """The field of the body that a place is in."""
    return path[:1]


def block_of(path: Path) -> Path:
    """The innermost element of a list of content that a place is in; the place itself if it is in none."""
    for end in range(len(path), 1, -1):
        if isinstance(path[end - 1], int) and path[end - 2] in _CONTENT:
            return path[:end]
    return path


_CONTENT: Final = frozenset({"content", "parts", "system", "output"})


def at(value: Any, path: Path, otherwise: Any = None) -> Any:
    """What stands at a place."""
    for step in path:
        if isinstance(step, int):
            if not isinstance(value, list) or step >= len(value):
                return otherwise
            value = value[step]
        else:
            if not isinstance(value, dict) or step not in value:
                return otherwise
            value = value[step]
    return value


# Edits


def edit(value: Any, path: Path, change: Callable[[Any], Any]) -> Any:
    """The value with what stands at a place put through `change`; containers on the way are new."""
    if not path:
        return change(value)
    inside = at(value, path[:1], MISSING)
    if inside is MISSING:
        return value
    changed = edit(inside, path[1:], change)
    if changed is inside:
        return value
    step = path[0]
    if isinstance(step, int):
        return [*value[:step], changed, *value[step + 1 :]]
    return {**value, step: changed}


def put(body: JsonObject, path: Path, value: Json) -> JsonObject:
    """Set what stands at a place; its last step may be a field that is not there yet."""

    def change(holder: Any) -> Any:
        step = path[-1]
        if isinstance(step, str) and isinstance(holder, dict):
            return {**holder, step: value}
        if isinstance(step, int) and isinstance(holder, list) and step < len(holder):
            return [*holder[:step], value, *holder[step + 1 :]]
        return holder

    edited: JsonObject = edit(body, path[:-1], change)
    return edited


def drop(body: JsonObject, path: Path) -> JsonObject:
    """Take away a field or an element."""

    def change(holder: Any) -> Any:
        step = path[-1]
        if isinstance(step, str) and isinstance(holder, dict) and step in holder:
            return {key: value for key, value in holder.items() if key != step}
        if isinstance(step, int) and isinstance(holder, list) and step < len(holder):
            return [*holder[:step], *holder[step + 1 :]]
        return holder

    edited: JsonObject = edit(body, path[:-1], change)
    return edited


def insert(body: JsonObject, path: Path, value: Json) -> JsonObject:
    """Put an element before the one at a place."""

    def change(holder: Any) -> Any:
        step = path[-1]
        if isinstance(step, int) and isinstance(holder, list):
            return [*holder[:step], value, *holder[step:]]
        return holder

    edited: JsonObject = edit(body, path[:-1], change)
    return edited


def drop_message(body: JsonObject, path: Path, scene: Scene) -> JsonObject:
    """Leave out a message; the only one says that it said nothing instead."""
    listed = body.get(scene.key)
    if isinstance(listed, list) and len(listed) == 1:
        return put(body, (scene.key, 0), said_by_user(NO_TEXT, scene))
    return drop(body, path[:2])


def dropped(body: JsonObject, path: Path, scene: Scene) -> JsonObject:
    """The mend that takes away what is at the place."""
    return drop(body, path)


def said_by_user(text: str, scene: Scene) -> JsonObject:
    """A message of the user."""
    if scene.provider == "gemini":
        return {"role": "user", "parts": [{"text": text}]}
    return {"role": "user", "content": text}


def in_words(value: Json) -> str:
    """Something that has no legal form, as text."""
    return value if isinstance(value, str) else whole_text(dump_text(whole_value(value)))

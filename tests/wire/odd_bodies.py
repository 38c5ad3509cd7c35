"""Bodies as they should not be: a sound one with a few of its values replaced, removed, doubled, or renamed."""

from __future__ import annotations

import copy
from typing import Any, Final

from hypothesis import strategies as st

from contextrail.core.json_text import Json, JsonObject
from tests.properties.values import json_values

Place = tuple[Any, Any]
"""A container and a key or index in it."""

_STRAY_KEYS: Final = ("~joined", "~fields", "~form", "", "type", "id", "extra", "role", "cache_control")


@st.composite
def odd(draw: st.DrawFn, sound: st.SearchStrategy[JsonObject], keep: tuple[str, ...] = ()) -> JsonObject:
    """A body with up to four things wrong in it.

    Args:
        draw: Given by Hypothesis.
        sound: Bodies in the form that the codec expects.
        keep: Fields of the body whose own value is left alone, so that most bodies can be read.
    """
    body = copy.deepcopy(draw(sound))
    for _ in range(draw(st.integers(0, 4))):
        places = [place for place in _places(body) if not (place[0] is body and place[1] in keep)]
        if places:
            _spoil(draw, *draw(st.sampled_from(places)))
    return body


def _places(value: Json) -> list[Place]:
    found: list[Place] = []
    if isinstance(value, dict):
        for key, each in value.items():
            found += [(value, key), *_places(each)]
    elif isinstance(value, list):
        for at, each in enumerate(value):
            found += [(value, at), *_places(each)]
    return found


def _spoil(draw: st.DrawFn, holder: Any, key: Any) -> None:
    match draw(st.sampled_from(["replace", "remove", "double", "add", "rename"])):
        case "replace":
            holder[key] = draw(json_values(3))
        case "remove":
            del holder[key]
        case "double" if isinstance(holder, list):
            holder.insert(key, copy.deepcopy(holder[key]))
        case "add" if isinstance(holder, dict):
            holder[draw(st.sampled_from(_STRAY_KEYS))] = draw(json_values(3))
        case "rename" if isinstance(holder, dict):
            holder[draw(st.sampled_from(_STRAY_KEYS))] = holder.pop(key)
        case _:
            holder[key] = None


def optional(**fields: st.SearchStrategy[Any]) -> st.SearchStrategy[JsonObject]:
    """Objects that have any of these fields."""
    return st.fixed_dictionaries({}, optional=fields)


def merged(*parts: st.SearchStrategy[JsonObject]) -> st.SearchStrategy[JsonObject]:
    """Objects with the fields of all."""
    return st.tuples(*parts).map(lambda found: {key: value for each in found for key, value in each.items()})

"""Hypothesis strategies for neutral JSON: known and unknown fields of right and wrong types."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from contextrail.core.json_text import JsonObject
from tests.properties.pieces import digests
from tests.properties.values import WIRES, argument_texts, json_objects, json_values, keys, names, texts

# Neutral JSON


def _loose(
    fields: dict[str, st.SearchStrategy[Any]], needed: tuple[str, ...]
) -> st.SearchStrategy[JsonObject]:
    """Objects with `needed` right, the other known fields right, wrong or missing, and unknown ones."""
    unknown = st.dictionaries(keys().filter(lambda key: key not in fields), json_values(3), max_size=2)
    right = {name: fields[name] for name in needed}
    rest = {name: field | json_values(3) for name, field in fields.items() if name not in needed}
    return st.builds(
        lambda other, known: {**other, **known}, unknown, st.fixed_dictionaries(right, optional=rest)
    )


def neutral_parts() -> st.SearchStrategy[JsonObject]:
    extra = st.fixed_dictionaries({"wire": st.sampled_from(WIRES), "fields": json_objects(4)})
    kinds: list[tuple[str, dict[str, st.SearchStrategy[Any]], tuple[str, ...]]] = [
        ("text", {"content": texts()}, ("content",)),
        (
            "reasoning",
            {
                "content": texts(),
                "signature": texts(),
                "redacted": texts(),
                "wire": texts(),
                "bound": digests(),
            },
            ("content",),
        ),
        (
            "tool_call",
            {"id": texts(), "name": names(), "arguments": json_objects(), "arguments_text": argument_texts()},
            ("name",),
        ),
        (
            "tool_call_response",
            {
                "id": texts(),
                "response": texts() | st.lists(st.just({"type": "text", "content": "x"}), max_size=2),
                "status": st.sampled_from(["ok", "error", "interim", "success"]),
                "name": names(),
            },
            (),
        ),
        (
            "blob",
            {"modality": st.sampled_from(["image", "video", "hologram"]), "content": texts(), "uri": texts()},
            (),
        ),
        (
            "uri",
            {"modality": st.just("image"), "uri": texts(), "mime_type": st.just("IMAGE/PNG")},
            ("modality",),
        ),
        (
            "file",
            {"modality": st.just("file"), "file_id": texts(), "size_bytes": st.integers()},
            ("modality",),
        ),
        ("fence", {"family": texts(), "content": texts()}, ()),
        ("summary", {"content": texts(), "covers": digests()}, ()),
        ("opaque", {"wire": st.sampled_from(WIRES), "kind": texts(), "value": json_values()}, ()),
        ("stream_error", {"detail": texts()}, ()),
    ]
    return st.one_of(
        [
            _loose({"type": st.just(kind), **fields, "extra": extra}, ("type", *needed))
            for kind, fields, needed in kinds
        ]
    )


def neutral_bodies() -> st.SearchStrategy[JsonObject]:
    """Bodies that the neutral codec accepts."""
    extra = st.fixed_dictionaries({"wire": st.sampled_from(WIRES), "fields": json_objects(4)})
    one_message = _loose(
        {
            "id": texts(),
            "role": st.sampled_from(["system", "user", "assistant", "tool"]),
            "parts": st.lists(neutral_parts(), max_size=3),
            "timestamp": st.sampled_from(
                ["2026-05-01T09:00:00Z", "2026-05-01", "yesterday", "2026-05-01T09:00:00+08:00"]
            ),
            "name": names(),
            "run": st.integers(0, 3),
            "origin": st.fixed_dictionaries(
                {"file": texts(), "line": st.integers(), "start": st.integers(), "end": st.integers()}
            ),
            "extra": extra,
        },
        ("role", "parts", "id"),
    )
    without_id = one_message.map(lambda each: {key: field for key, field in each.items() if key != "id"})
    tool = _loose(
        {"name": names(), "description": texts(), "parameters": json_objects(), "extra": extra}, ("name",)
    )
    return _loose(
        {
            "messages": st.lists(one_message | without_id, max_size=4),
            "system": texts() | st.lists(neutral_parts(), max_size=2),
            "tools": st.lists(tool, max_size=2),
            "model": texts(),
            "max_output": st.integers(),
            "extra": extra,
            "wire": st.sampled_from(WIRES),
        },
        ("messages", "system", "tools"),
    )

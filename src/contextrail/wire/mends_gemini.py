"""How findings in Gemini bodies are mended where lowering did not."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from contextrail.core.json_text import JsonObject
from contextrail.wire.checks_gemini import definitions, read
from contextrail.wire.checks_tools import names_of
from contextrail.wire.finding import Path, field, spelled, text
from contextrail.wire.gemini_calls import UNKNOWN_NAME
from contextrail.wire.mends_blocks import (
    SIGNATURES,
    arguments_as_object,
    as_text,
    media_in_words,
    role_in_words,
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
    message_of,
    put,
)
from contextrail.wire.mends_types import TYPE_CURE

PLACEHOLDER: Final = "skip_thought_signature_validator"
"""The signature of a call that this model did not make. Source: ai.google.dev, thought signatures, on histories from
other models and calls that were put in."""


def form_mended(body: JsonObject, path: Path, scene: Scene) -> JsonObject:
    """A single content gets its list; a part of the wrong JSON type becomes text."""
    if path == ("contents",):
        return {**body, "contents": [body["contents"]]} if isinstance(body.get("contents"), dict) else body
    return as_text(body, path, scene)


def parts_or_none(body: JsonObject, path: Path, scene: Scene) -> JsonObject:
    """A single part gets its list; a content without parts goes."""
    parts = at(body, (*path, "parts"))
    if isinstance(parts, dict) and parts:
        return put(body, (*path, "parts"), [parts])
    return drop_message(body, path, scene)


def part_or_none(body: JsonObject, path: Path, scene: Scene) -> JsonObject:
    """A part that only carries a signature gets the empty text it stood with; one that says nothing goes."""
    part = at(body, path)
    if isinstance(part, dict) and any(part.get(key) for key in SIGNATURES):
        return put(body, path, {"text": "", **part})
    return drop(body, path)


def result_named(body: JsonObject, path: Path, scene: Scene) -> JsonObject:
    """A result with the name of the call it answers, by its place among the results."""
    name = UNKNOWN_NAME
    contents = list(read(body))
    here = next((place for place, each in enumerate(contents) if each.at == path[1]), 0)
    calls = contents[here - 1].calls if here else []
    for rank, result in enumerate(contents[here].results if contents else []):
        if result.at == path[3] and rank < len(calls):
            name = text(calls[rank].value.get("name")) or UNKNOWN_NAME
    return put(body, (*path, "name"), name)


def response_as_object(body: JsonObject, path: Path, scene: Scene) -> JsonObject:
    """A response that is an object, which holds what was there."""
    value = at(body, (*path, "response"))
    return put(body, (*path, "response"), {"output": "" if value is None else value})


def inner_arguments(body: JsonObject, path: Path, scene: Scene) -> JsonObject:
    """Arguments that are an object."""
    return arguments_as_object(body, (*path, "args"), scene)


def call_in_words(body: JsonObject, path: Path, scene: Scene) -> JsonObject:
    """A call that has no form of one as text."""
    return as_text(body, path[:4], scene)


# Signatures


def signature_placed(body: JsonObject, path: Path, scene: Scene) -> JsonObject:
    """A call of the current turn with the signature that the API has for calls without one."""
    return put(body, (*path, _signature_key(at(body, path))), PLACEHOLDER)


def signature_left_out(body: JsonObject, path: Path, scene: Scene) -> JsonObject:
    """A part without its signature; one that was nothing else goes."""
    part = at(body, path)
    if not isinstance(part, dict):
        return body
    return put(body, path, {key: value for key, value in part.items() if key not in SIGNATURES})


def signature_put_back(body: JsonObject, path: Path, scene: Scene) -> JsonObject:
    """A call with the signature it had, if it is the call it was; else with the API's own for calls put in."""
    part = at(body, path)
    if not isinstance(part, dict):
        return body
    call = field(part, "functionCall", "function_call")
    for content in read(scene.before or {}):
        for _, was in content.parts:
            signature = field(was, *SIGNATURES)
            if isinstance(signature, str) and field(was, "functionCall", "function_call") == call:
                return put(body, (*path, _signature_key(part)), signature)
    return signature_placed(body, path, scene)


def _signature_key(part: Any) -> str:
    """How the part spells it."""
    if not isinstance(part, dict):
        return SIGNATURES[0]
    snake = any("_" in key for key in part) and not any(key in part for key in ("functionCall", "inlineData"))
    return SIGNATURES[1] if snake else SIGNATURES[0]


# Tools


def declaration_left_out(body: JsonObject, path: Path, scene: Scene) -> JsonObject:
    """One declaration less; without the tool that held it, if it was the only thing there."""
    mended = drop(body, path)
    holder = at(mended, path[:2])
    return drop(mended, path[:2]) if isinstance(holder, dict) and list(holder.values()) == [[]] else mended


def declaration_of(path: Path) -> Path:
    """The declaration that a place is in."""
    return path[:4]


def known_choice(body: JsonObject, path: Path, scene: Scene) -> JsonObject:
    """A choice of functions that are declared; none if none of them is."""
    config = at(body, path)
    if not isinstance(config, dict):
        return body
    calling = spelled(config, "functionCallingConfig", "function_calling_config")
    inner = config.get(calling)
    if not isinstance(inner, dict):
        return body
    allowed = spelled(inner, "allowedFunctionNames", "allowed_function_names")
    declared = set(names_of(definitions(body)))
    kept = [name for name in inner.get(allowed, ()) if isinstance(name, str) and name in declared]
    if kept:
        return put(body, (*path, calling, allowed), kept)
    rest = {key: value for key, value in config.items() if key != calling}
    return put(body, path, rest) if rest else drop(body, path)


CURES: Final[Mapping[str, Cure]] = {
    "lone-surrogate": Cure("lone-surrogate", whole),
    "body-form": Cure("content-in-words", form_mended),
    "field-type": TYPE_CURE,
    "field-unknown": Cure("field-left-out", dropped),
    "parts-empty": Cure("empty", parts_or_none, message_of),
    "part-empty": Cure("part-without-data", part_or_none),
    "role-unknown": Cure("role-in-words", role_in_words, message_of),
    "result-name": Cure("result-named", result_named),
    "result-response": Cure("response-not-an-object", response_as_object),
    "call-name": Cure("call-as-text", call_in_words, block_of),
    "call-args": Cure("arguments-not-an-object", inner_arguments),
    "signature-missing": Cure("signature-placed", signature_placed, block_of),
    "signature-form": Cure("signature-left-out", signature_left_out, block_of),
    "signature-changed": Cure("signature-left-out", signature_left_out, block_of),
    "signature-dropped": Cure("signature-put-back", signature_put_back, block_of),
    "media-type": Cure("media-as-text", media_in_words, block_of),
    "base64": Cure("media-as-text", media_in_words, block_of),
    "tool-name": Cure("tool-left-out", declaration_left_out, declaration_of),
    "tool-twice": Cure("duplicate-tool", declaration_left_out, declaration_of),
    "tool-choice-unknown": Cure("tool-choice-left-out", known_choice, field_of),
}
"""By rule, without its provider."""

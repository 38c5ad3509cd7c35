"""Mends of single blocks, shared by the providers: a block as text, media described or declared right, arguments."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from contextrail.core.json_text import Json, JsonObject, dump_text
from contextrail.messages.model import Media, Part
from contextrail.messages.text import describe_media
from contextrail.wire import anthropic_blocks, gemini_parts, openai_chat_blocks, openai_responses_parts
from contextrail.wire.checks_media import IMAGES, sniff
from contextrail.wire.finding import Path
from contextrail.wire.lower_parts import fit_arguments, whole_text, whole_value
from contextrail.wire.media import data_url, media_from_base64, media_from_url, text_of
from contextrail.wire.mends_edit import Scene, at, edit, in_words, put, said_by_user
from contextrail.wire.target import Provider

GOES_ON: Final = "[the conversation goes on here]"
"""What the user says where a model demands that the user speaks last, and nobody has anything to say."""

LONGEST_ROLE: Final = 40
PDF: Final = frozenset({"application/pdf"})
SIGNATURES: Final = ("thoughtSignature", "thought_signature")


def text_block(text: str, body: JsonObject, path: Path, scene: Scene) -> JsonObject:
    """A block that says a text, for a place in the body."""
    match scene.provider:
        case "gemini":
            return {"text": text}
        case "openai-responses":
            said = at(body, (*path[:2], "role")) == "assistant" and "output" not in path
            return {"type": "output_text" if said else "input_text", "text": text}
        case _:
            return {"type": "text", "text": text}


def as_text(body: JsonObject, path: Path, scene: Scene) -> JsonObject:
    """Any block as text, under the name of its kind. A cache mark stays."""
    block = at(body, path)
    if isinstance(block, dict):
        kind = block.get("type")
        mark = {key: block[key] for key in ("cache_control",) if isinstance(block.get(key), dict)}
        rest = {key: each for key, each in block.items() if key not in {"type", "cache_control"}}
        if set(rest) == {"text"} and isinstance(rest["text"], str):
            said = rest["text"]
        else:
            said = f"[{kind}] {in_words(rest)}" if isinstance(kind, str) else in_words(rest)
    else:
        mark, said = {}, in_words(block)
    return put(body, path, text_block(whole_text(said) or "[empty]", body, path, scene) | mark)


def message_as_text(body: JsonObject, path: Path, scene: Scene) -> JsonObject:
    """A whole message as text of the user; the last resort."""
    text = f"[this could not be sent in its own form] {in_words(at(body, path[:2]))}"
    return put(body, path[:2], said_by_user(text, scene))


def role_in_words(body: JsonObject, path: Path, scene: Scene) -> JsonObject:
    """A message of a role that is none here: the user's, and a first line says whose it was."""
    message = at(body, path[:2])
    if not isinstance(message, dict):
        return body
    said = message.get("role")
    if said in ("model", "assistant"):
        return put(body, (*path[:2], "role"), "model" if scene.provider == "gemini" else "assistant")
    name = whole_text(said[:LONGEST_ROLE]) if isinstance(said, str) else ""
    line = f'[a message of role "{name}"]' if name else "[a message of no known role]"
    head = text_block(line, {}, path, scene)
    key = "parts" if scene.provider == "gemini" else "content"
    content = message.get(key)
    if isinstance(content, str) and content:
        content = [text_block(content, {}, path, scene)]
    marked = [head, *content] if isinstance(content, list) else [head] if content in ("", None) else content
    return put(body, path[:2], {**message, "role": "user", key: marked})


def user_goes_on(body: JsonObject, path: Path, scene: Scene) -> JsonObject:
    """One more message, by which the user lets the assistant speak."""
    listed = body.get(scene.key)
    return {**body, scene.key: [*listed, said_by_user(GOES_ON, scene)]} if isinstance(listed, list) else body


# Media


def media_in_words(body: JsonObject, path: Path, scene: Scene) -> JsonObject:
    """Media that the provider cannot read as a line that describes them; declared right where only that is wrong."""
    block = at(body, path)
    if not isinstance(block, dict):
        return body
    declared = _declared_right(block)
    if declared is not None:
        return put(body, path, declared)
    return media_left_out(body, path, scene)


def media_left_out(body: JsonObject, path: Path, scene: Scene) -> JsonObject:
    """Media as a line that describes them."""
    block = at(body, path)
    if not isinstance(block, dict):
        return body
    part = _READERS[scene.provider](block)
    if isinstance(part, Media):
        line = whole_text(describe_media(part))
    else:
        line = f"[{whole_text(str(block.get('type', 'media')))[:LONGEST_ROLE]} that could not be read]"
    mark = {key: block[key] for key in ("cache_control",) if isinstance(block.get(key), dict)}
    return put(body, path, text_block(line, body, path, scene) | mark)


_READERS: Final[dict[Provider, Callable[[Any], Part]]] = {
    "anthropic": anthropic_blocks.read_block,
    "openai-chat": openai_chat_blocks.read_block,
    "openai-responses": lambda block: openai_responses_parts.read_part(block, "input_text"),
    "gemini": gemini_parts.read_speech,
}


def _declared_right(block: JsonObject) -> JsonObject | None:
    """The block with the type that its bytes have; None if that is not what is wrong, or not all."""
    source = block.get("source")
    if block.get("type") == "document" and isinstance(source, dict):
        if source.get("type") == "text" and isinstance(source.get("data"), str):
            return {**block, "source": {**source, "media_type": "text/plain"}}
        text = text_of(media_from_base64("document", text_type(source), str(source.get("data", ""))))
        if text:
            return {**block, "source": {"type": "text", "media_type": "text/plain", "data": text}}
    fit = {"image": IMAGES, "document": PDF}.get(str(block.get("type")), IMAGES | PDF)
    for holder, key, data, declared in _declarations(block):
        found = sniff(data)
        if found in fit and found != declared:
            return edit_in(block, (*holder, key), found)
    for path, url in _urls(block):
        media = media_from_url("image", url)
        found = sniff(media.data or "")
        if found in IMAGES and media.digest is not None and data_url(found, media.data or "") != url:
            return edit_in(block, path, data_url(found, media.data or ""))
    return None


def text_type(source: JsonObject) -> str | None:
    """The declared type of base64 data, if it is one of text."""
    declared = source.get("media_type")
    return declared.lower() if source.get("type") == "base64" and isinstance(declared, str) else None


def edit_in(block: JsonObject, path: Path, value: Json) -> JsonObject:
    """The block with a value set in it."""
    edited: JsonObject = edit(block, path, lambda _: value)
    return edited


def _declarations(block: JsonObject) -> list[tuple[Path, str, str, str]]:
    """Where the block declares a type beside bytes: holder, key, bytes, type."""
    return [
        ((holder,), key, inner["data"], inner[key].lower())
        for holder in ("source", "inlineData", "inline_data")
        if isinstance(inner := block.get(holder), dict) and isinstance(inner.get("data"), str)
        for key in ("media_type", "mimeType", "mime_type")
        if isinstance(inner.get(key), str)
    ]


def _urls(block: JsonObject) -> list[tuple[Path, str]]:
    """`data:` URLs of images in a block."""
    places: tuple[Path, ...] = (("image_url",), ("image_url", "url"))
    return [
        (path, url)
        for path in places
        if isinstance(url := at(block, path), str) and url[:5].lower() == "data:"
    ]


# Calls


def arguments_as_object(body: JsonObject, path: Path, scene: Scene) -> JsonObject:
    """Call input that is part of the body: an object, which holds what was there."""
    value = at(body, path)
    if isinstance(value, dict):
        return body
    if value is None:
        return put(body, path, {})
    text = value if isinstance(value, str) else dump_text(value)
    return put(body, path, at_json(fit_arguments(text, inside=True)[0]))


def arguments_as_text(body: JsonObject, path: Path, scene: Scene) -> JsonObject:
    """Call arguments that are a text: of a JSON object, which holds what was there."""
    value = at(body, path)
    if isinstance(value, str):
        return put(body, path, fit_arguments(value, inside=False)[0])
    return put(body, path, "{}" if value is None else fit_arguments(dump_text(value), inside=False)[0])


def at_json(text: str) -> Json:
    """The value of arguments that were made legal."""
    return anthropic_blocks.read_arguments(text)


# Text


def whole(body: JsonObject, path: Path, scene: Scene) -> JsonObject:
    """Half of a character becomes U+FFFD. A proof that was given for the text as it was goes."""

    def change(value: Any) -> Any:
        if isinstance(value, dict):
            keys = whole_value(dict.fromkeys(value))
            assert isinstance(keys, dict)
            return dict(zip(keys, value.values(), strict=True))
        return whole_text(value) if isinstance(value, str) else value

    mended: JsonObject = edit(body, path, change)
    part = at(mended, path[:4])
    if (
        scene.provider == "gemini"
        and isinstance(part, dict)
        and path[2:3] == ("parts",)
        and path[-1] == "text"
    ):
        return put(mended, path[:4], {key: each for key, each in part.items() if key not in SIGNATURES})
    return mended

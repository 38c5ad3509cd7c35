"""What only an assistant message of Chat Completions has: reasoning, refusal, audio and tool calls, both ways.

Reasoning stands in fields that vendors added, which become `Thinking` parts: `reasoning_content`
(DeepSeek, Qwen, GLM, Kimi), `reasoning` (Groq, OpenRouter, vLLM) and `reasoning_details`, a list of
items of type `reasoning.text`, `reasoning.summary` and `reasoning.encrypted` (OpenRouter;
openrouter.ai/docs/use-cases/reasoning-tokens).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final

from contextrail.core.digest import text_digest
from contextrail.core.json_text import Json, JsonObject
from contextrail.messages.model import Extra, Opaque, Part, Text, Thinking, ToolCall
from contextrail.wire.contents import copied, notes, put_fields
from contextrail.wire.extras import rest
from contextrail.wire.openai_chat_blocks import FIELD, WIRE
from contextrail.wire.openai_chat_calls import (
    is_legacy,
    read_call,
    read_function_call,
    write_call,
    write_function,
)

_DETAILS: Final = "reasoning_details"
_PLAIN: Final = "reasoning_content"
_DETAIL_TEXT: Final = {"reasoning.text": "text", "reasoning.summary": "summary"}


def read_before(message: JsonObject, taken: list[str]) -> list[Part]:
    """Parts that stand before the content: reasoning. The names of fields that were read go to `taken`."""
    return [
        *_read_field(message, _PLAIN, taken, lambda text: Thinking(text=text, wire=WIRE)),
        *_read_field(
            message,
            "reasoning",
            taken,
            lambda text: Thinking(text=text, wire=WIRE, extra=Extra(WIRE, {"~field": "reasoning"})),
        ),
        *_read_list(message, _DETAILS, taken, _read_detail),
    ]


def read_after(message: JsonObject, taken: list[str]) -> list[Part]:
    """Parts that stand after the content: refusal, audio, calls. The names of fields read go to `taken`."""
    parts: list[Part] = [
        *_read_field(
            message, "refusal", taken, lambda text: Text(text=text, extra=Extra(WIRE, {"~field": "refusal"}))
        ),
        *_read_list(message, "tool_calls", taken, read_call),
    ]
    if message.get("audio") is not None:
        taken.append("audio")
        parts.append(_whole("audio", message["audio"]))
    if message.get("function_call") is not None:
        taken.append("function_call")
        parts.append(read_function_call(message["function_call"]))
    return parts


def write_reply(parts: Iterable[Part]) -> tuple[list[Part], JsonObject]:
    """Write the parts that are not content.

    Returns:
        The parts left for the content, in order, and the fields.
    """
    content: list[Part] = []
    out: JsonObject = {}
    for part in parts:
        match part:
            case Thinking():
                _write_thinking(part, out)
            case ToolCall() if is_legacy(part) and "function_call" not in out:
                out["function_call"] = write_function(part)
            case ToolCall():
                _append(out, "tool_calls", write_call(part))
            case Opaque(kind=kind) if part.wire == WIRE and kind.startswith(FIELD):
                _write_whole(kind.removeprefix(FIELD), part.value, out)
            case Text() if notes(part.extra, WIRE).get("~field") == "refusal" and "refusal" not in out:
                out["refusal"] = part.text
            case _:
                content.append(part)
    return content, out


def _read_field(message: JsonObject, name: str, taken: list[str], make: Callable[[str], Part]) -> list[Part]:
    """A field that should be a text; null is no part, anything else is kept whole."""
    value = message.get(name)
    if value is None:
        return []
    taken.append(name)
    return [make(value) if isinstance(value, str) else _whole(name, value)]


def _read_list(message: JsonObject, name: str, taken: list[str], read: Callable[[Json], Part]) -> list[Part]:
    """A field that should be a list; null and an empty list are no parts, anything else is kept whole."""
    value = message.get(name)
    if value is None or value == []:
        return []
    taken.append(name)
    return list(map(read, value)) if isinstance(value, list) else [_whole(name, value)]


def _whole(name: str, value: Json) -> Opaque:
    return Opaque(wire=WIRE, kind=f"{FIELD}{name}", value=value)


def _write_whole(name: str, value: Json, out: JsonObject) -> None:
    if name.endswith("[]"):
        _append(out, name.removesuffix("[]"), copied(value))
    else:
        out[name] = copied(value)


def _read_detail(value: Json) -> Thinking | Opaque:
    kind = value.get("type") if isinstance(value, dict) else None
    if isinstance(value, dict) and isinstance(kind, str):
        key = _DETAIL_TEXT.get(kind)
        if key is not None and isinstance(value.get(key), str):
            signature = value.get("signature")
            signed = isinstance(signature, str)
            text: str = value[key]
            return Thinking(
                text=text,
                signature=signature if signed else None,
                wire=WIRE,
                bound=text_digest(text) if signed else None,
                extra=_detail(value, key, *(["signature"] if signed else [])),
            )
        if kind == "reasoning.encrypted" and isinstance(value.get("data"), str):
            return Thinking(redacted=value["data"], wire=WIRE, extra=_detail(value, "data"))
    return Opaque(wire=WIRE, kind=f"{FIELD}{_DETAILS}[]", value=value)


def _detail(value: JsonObject, *taken: str) -> Extra:
    return Extra(WIRE, {**rest(value, *taken), "~field": _DETAILS})


def _write_thinking(part: Thinking, out: JsonObject) -> None:
    """Native reasoning goes back to its field; the text of any other to `reasoning_content`."""
    stored = notes(part.extra, WIRE)
    field = stored.get("~field", _PLAIN)
    if field == _DETAILS and part.wire == WIRE:
        key = _DETAIL_TEXT.get(stored.get("type", ""))
        item: JsonObject = {"type": stored.get("type")}
        item |= {"data": part.redacted} if key is None else {key: part.text}
        if part.signature is not None:
            item["signature"] = part.signature
        _append(out, _DETAILS, put_fields(item, stored))
    elif part.wire == WIRE or part.text:
        name = _PLAIN if field == _DETAILS else field
        before = out.get(name)
        out[name] = f"{before}\n{part.text}" if isinstance(before, str) else part.text


def _append(out: JsonObject, name: str, item: Json) -> None:
    """Add to a list; something there that is no list gives way."""
    listed = out.get(name)
    if isinstance(listed, list):
        listed.append(item)
    else:
        out[name] = [item]

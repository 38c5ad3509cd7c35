"""Reading a body that has grown: what was read in the turn before is not read again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

import msgspec

from contextrail.core.json_text import JsonObject
from contextrail.messages.identity import is_user_input
from contextrail.messages.model import Conversation, Message
from contextrail.wire import anthropic, openai_chat
from contextrail.wire.codec import CODECS
from contextrail.wire.target import Provider

Read = Callable[[Sequence[JsonObject], int, int], tuple[Message, ...]]

_READERS: Final[dict[Provider, tuple[str, Read]]] = {
    "anthropic": ("messages", anthropic.read_messages),
    "openai-chat": ("messages", openai_chat.read_messages),
}
"""Forms whose messages can be read one by one, without those before them. In the others a call may have no id of
its own, or what an item means depends on its neighbors: they are read whole."""

_JSON: Final = msgspec.json.Encoder()
_ITEMS: Final = msgspec.json.Decoder(list[msgspec.Raw])


@dataclass(slots=True)
class _Seen:
    """The messages of one body, and what each of them gave."""

    json: bytes = b"["
    """Of the list, without its last bracket: a list that goes on begins with it."""
    pieces: list[tuple[Message, ...]] = field(default_factory=list)
    inputs: list[int] = field(default_factory=list)
    """User inputs up to and including each."""


class Memory:
    """Decodes bodies, and remembers the last one of each form. What it gives is what `decode` gives."""

    def __init__(self) -> None:
        self._seen: dict[Provider, _Seen] = {}

    def decode(self, body: JsonObject, provider: Provider) -> Conversation:
        """Read a body of a known form; errors as in `decode`."""
        if provider not in _READERS:
            return CODECS[provider].decode(body)
        name, read = _READERS[provider]
        values = body.get(name)
        json = _json(values)
        if json is None:
            return CODECS[provider].decode(body)
        around = CODECS[provider].decode({**body, name: []})
        seen = self._seen.get(provider, _Seen())
        same = len(seen.pieces) if json.startswith(seen.json) else _common(json, seen.json)
        pieces, inputs = seen.pieces[:same], seen.inputs[:same]
        said = inputs[-1] if inputs else 0
        assert isinstance(values, list)
        for at in range(same, len(values)):
            piece = read([values[at]], at, said)
            said += sum(map(is_user_input, piece))
            pieces.append(piece)
            inputs.append(said)
        self._seen[provider] = _Seen(json, pieces, inputs)
        return replace(around, messages=tuple(message for piece in pieces for message in piece))


def _json(values: Any) -> bytes | None:
    """The JSON of a list without its last bracket; None if one is not an object, or has no JSON (half a character)."""
    if not isinstance(values, list) or not all(isinstance(value, dict) for value in values):
        return None
    try:
        return _JSON.encode(values)[:-1]
    except (UnicodeEncodeError, TypeError, RecursionError):
        return None


def _common(left: bytes, right: bytes) -> int:
    """How many items two lists have in common at their beginning."""
    ones, others = (_ITEMS.decode(json + b"]") for json in (left, right))
    for at, (one, other) in enumerate(zip(ones, others, strict=False)):
        if one != other:
            return at
    return min(len(ones), len(others))

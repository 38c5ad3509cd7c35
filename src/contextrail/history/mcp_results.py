"""One representation of an MCP result: its content, or its structured content if the content carries nothing.

Servers send both, often the same data twice; a host that writes the result down as JSON doubles it.

Source: Model Context Protocol 2025-06-18, tools: "a tool that returns structured content SHOULD also
return the serialized JSON in a TextContent block".
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal

from contextrail.core.errors import InvalidRequest
from contextrail.core.json_text import Json, dump_text, equal, parse

_SAYS_LITTLE: Final = 80
"""A text of at most so many characters that names nothing of the data is a mere acknowledgement."""
_LOOKED_AT: Final = 500
"""Values of the data that are looked for in the text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OneCopy:
    """What the model reads of an MCP result."""

    text: str
    status: Literal["ok", "error"]
    used: Literal["content", "structured"]
    same: bool
    """Whether what is left out says the same, as JSON values."""


def read_mcp(value: Json) -> OneCopy | None:
    """The one representation of a `CallToolResult` with text content and structured content, else None.

    Content with images or resources is not touched: there is no text that stands for it.
    """
    if not isinstance(value, dict):
        return None
    content, structured = value.get("content"), value.get("structuredContent")
    if not isinstance(content, list) or structured is None:
        return None
    texts = [_text(block) for block in content]
    if any(text is None for text in texts):
        return None
    text = "\n".join(each for each in texts if each is not None)
    status: Literal["ok", "error"] = "error" if value.get("isError") is True else "ok"
    if _same(text, structured):
        return OneCopy(text=text, status=status, used="content", same=True)
    if _carries(text, structured):
        return OneCopy(text=text, status=status, used="content", same=False)
    return OneCopy(text=dump_text(structured), status=status, used="structured", same=not text.strip())


def read_mcp_text(text: str) -> OneCopy | None:
    """As `read_mcp`, of a result that a host wrote down as JSON text; also of an error that is all text."""
    if text.lstrip()[:1] != "{" or not ('"structuredContent"' in text or '"isError"' in text):
        return None
    try:
        value = parse(text, place="tool result")
    except InvalidRequest:
        return None
    return read_mcp(value) or _told_error(value)


def _told_error(value: Json) -> OneCopy | None:
    """What an error says that has no data: its envelope hides from the host's status that the tool failed."""
    match value:
        case {"content": [_, *_] as content, "isError": True, **rest} if rest.keys() <= {"_meta"}:
            texts = [text for block in content if (text := _text(block)) is not None]
            if len(texts) == len(content):
                return OneCopy(text="\n".join(texts), status="error", used="content", same=True)
    return None


def _text(block: Json) -> str | None:
    match block:
        case {"type": "text", "text": str(text)}:
            return text
        case _:
            return None


def _same(text: str, structured: Json) -> bool:
    if text.lstrip()[:1] not in {"{", "["}:
        return False
    try:
        return equal(parse(text, place="content"), structured)
    except InvalidRequest:
        return False


def _carries(text: str, structured: Json) -> bool:
    """Whether a text says something: it is long, or names some value of the data."""
    said = text.strip()
    if not said:
        return False
    if len(said) > _SAYS_LITTLE:
        return True
    values = (value for value, _ in zip(_values(structured), range(_LOOKED_AT), strict=False))
    return any(len(value) > 1 and value in said for value in values)


def _values(value: Json) -> Iterator[str]:
    stack: list[Json] = [value]
    while stack:
        each = stack.pop()
        if isinstance(each, dict):
            stack.extend(reversed(list(each.values())))
        elif isinstance(each, list):
            stack.extend(reversed(each))
        elif isinstance(each, str):
            yield each
        elif isinstance(each, (int, float)) and not isinstance(each, bool):
            yield dump_text(each)

"""The tool an agent calls to read again what a handle stands for: a value that a host puts among its tools and runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from contextrail.core.blobs import digits_of, page
from contextrail.core.errors import InvalidRequest
from contextrail.core.json_text import JsonObject, kind_of
from contextrail.messages.model import Tool
from contextrail.storage.blobs import BlobStore

_DESCRIPTION: Final = (
    "Read again what was left out of this conversation. Lines such as blob:0123456789abcdef are handles: each "
    "stands for a text that is kept word for word. Give the handle; a long text comes in pages."
)
_BORDER: Final = 3
"""A character of UTF-8 has at most this many bytes behind its first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextGetTool:
    """Definition and behavior of the tool. What it answers is never shortened when it enters the history.

    A store that keeps originals of redacted texts gives the redacted ones for the handles that a model sees.
    """

    store: BlobStore
    name: str = "context_get"
    """Providers allow no dot in the name of a tool."""
    description: str = _DESCRIPTION
    page_bytes: int = 24_000
    """Most bytes of one answer."""

    def __post_init__(self) -> None:
        if not self.name.strip():
            raise InvalidRequest("the tool that reads handles has no name")
        if self.page_bytes < _BORDER + 1:
            raise InvalidRequest(f"page_bytes is {self.page_bytes}, not at least {_BORDER + 1}")

    @property
    def tool(self) -> Tool:
        """The definition for the model."""
        handle = {"type": "string", "description": "The handle, as it stands in the conversation."}
        offset = {"type": "integer", "minimum": 0, "description": "Byte to begin at; 0 is the beginning."}
        return Tool(
            name=self.name,
            description=self.description,
            parameters={
                "type": "object",
                "properties": {"handle": handle, "offset": offset},
                "required": ["handle"],
            },
        )

    def run(self, arguments: JsonObject) -> str:
        """Answer one call: the text, or a page of it with a line that says where to go on.

        Raises:
            InvalidRequest: The handle is none, several texts begin so, or the offset is beyond the end.
            NotFound: Nothing is kept under it.
            IntegrityError: What is kept is not what was put there.
        """
        data = self.store.get(self.store.find(_digits(arguments)))
        offset = _offset(arguments, len(data))
        while 0 < offset < len(data) and data[offset] & 0xC0 == 0x80:
            offset -= 1
        piece = page(data, offset, self.page_bytes)
        text = piece.decode("utf-8", "replace")
        end = offset + len(piece)
        if end >= len(data):
            return text
        return f"{text}\n[bytes {offset} to {end} of {len(data)}; go on with offset {end}]"


def _digits(arguments: JsonObject) -> str:
    handle = arguments.get("handle")
    digits = digits_of(handle) if isinstance(handle, str) else None
    if digits is None:
        raise InvalidRequest(
            f"handle is {handle!r}, not a handle",
            path="handle",
            cure="copy one from the conversation, such as blob:0123456789abcdef",
        )
    return digits


def _offset(arguments: JsonObject, length: int) -> int:
    offset = arguments.get("offset", 0)
    if not isinstance(offset, int) or isinstance(offset, bool):
        raise InvalidRequest(
            f"offset is {kind_of(offset)}, not a number", path="offset", cure="give bytes, 0 or more"
        )
    if not 0 <= offset <= length:
        raise InvalidRequest(
            f"offset is {offset}, not within 0 and {length}", path="offset", cure="begin at 0"
        )
    return offset

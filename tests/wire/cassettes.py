"""Recorded exchanges with real providers: `tests/data/provider-cassettes`, one value per request.

A cassette (YAML) is a list of interactions. Those that are a POST to one of the four wire forms are
exchanges; every other file is named in `OTHER_PROTOCOLS` with the reason, every other interaction is
a download that the recording client made.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

import yaml

from contextrail.core.json_text import JsonObject
from contextrail.wire.target import Provider

ROOT: Final = Path(__file__).parent.parent / "data" / "provider-cassettes"

_MATRIX: Final = "models/test_multimodal_tool_returns/test_multimodal_tool_return_matrix"

OTHER_PROTOCOLS: Final[dict[str, str]] = {
    f"{_MATRIX}(tool_return_content-uploaded_file-document-xai).xai.yaml": "gRPC messages of xAI, roles in capitals",
    f"{_MATRIX}(tool_return_content-url_force_download-document-xai).xai.yaml": "gRPC messages of xAI, roles in capitals",
    "realtime/test_google_ws/test_message_history_seeding.yaml": "frames of a live session over a web socket",
    "realtime/test_google_ws/test_tool_call_round.yaml": "frames of a live session over a web socket",
}
"""Files that hold no request body of the four wire forms, and what they hold instead."""

FILES: Final = 55
EXCHANGES: Final[dict[Provider, int]] = {
    "anthropic": 32,
    "openai-chat": 9,
    "openai-responses": 34,
    "gemini": 18,
}
"""How many there are; a test holds them, so that a search that finds nothing fails."""

_PATHS: Final[tuple[tuple[str, Provider], ...]] = (
    (r"/v1/messages$", "anthropic"),
    (r"/chat/completions$", "openai-chat"),
    (r"/responses(/compact)?$", "openai-responses"),
    (r":(stream)?[gG]enerateContent$", "gemini"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """One request and its answer. The values are shared by all tests: do not change them."""

    file: str
    """Relative to `ROOT`."""
    index: int
    """Position among the interactions of the file, from 0."""
    provider: Provider
    uri: str
    request: JsonObject
    status: int
    response: JsonObject | str
    """The answer's JSON object, or the text of an event stream."""

    @property
    def name(self) -> str:
        """Short and unique, to name a test by."""
        path = Path(self.file)
        return f"{path.parent.name}/{path.name.removesuffix('.yaml')}[{self.index}]"


def files() -> list[Path]:
    """Every cassette, sorted by path."""
    return sorted(ROOT.rglob("*.yaml"))


@cache
def exchanges() -> tuple[Exchange, ...]:
    """Every exchange in one of the four wire forms, in order of file and index."""
    return tuple(exchange for path in files() for exchange in _read(path))


def _read(path: Path) -> Iterator[Exchange]:
    file = path.relative_to(ROOT).as_posix()
    if file in OTHER_PROTOCOLS:
        return
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    for index, interaction in enumerate(yaml.load(path.read_text("utf-8"), Loader=loader)["interactions"]):
        request, response = interaction["request"], interaction["response"]
        if request["method"] == "POST":
            yield Exchange(
                file=file,
                index=index,
                provider=_provider(request["uri"]),
                uri=request["uri"],
                request=_content(request),
                status=response["status"]["code"],
                response=_content(response),
            )


def _provider(uri: str) -> Provider:
    path = urlsplit(uri).path
    return next(provider for pattern, provider in _PATHS if re.search(pattern, path))


def _content(half: dict[str, Any]) -> Any:
    """The parsed body if the recorder parsed it, else its text, parsed if it is JSON."""
    if "parsed_body" in half:
        return half["parsed_body"]
    body = half["body"]
    text = body["string"] if isinstance(body, dict) else body
    text = text.decode() if isinstance(text, bytes) else text
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        return text

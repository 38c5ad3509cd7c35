"""Traces of turns as files, and what they refer to: the body that was sent, the session it was made from."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

import msgspec

from contextrail.cli.load import STDIN, load_body, load_input
from contextrail.core.digest import text_digest
from contextrail.core.errors import InvalidRequest, NotFound, RailError
from contextrail.core.json_text import Json, JsonObject, parse
from contextrail.core.shape import shaped
from contextrail.history.trace import json_digest
from contextrail.messages.text import message_text

NO_TRACE: Final = "give the file that build --trace wrote"
"""The cure where a trace is expected and the file is empty."""


class _Reason(msgspec.Struct):
    step: str
    reason: str


class _Origin(msgspec.Struct):
    file: str
    line: int
    start: int
    end: int


class _Row(msgspec.Struct):
    verdict: str
    reasons: list[_Reason]
    id: str | None = None
    role: str | None = None
    cost: int | None = None
    sent_cost: int | None = None
    digest: str | None = None
    sent_digest: str | None = None
    preview: str | None = None
    calls: list[str] = []
    stored: str | None = None
    stored_in: str | None = None
    origin: _Origin | None = None


class _Budget(msgspec.Struct):
    limit: int


class _Interval(msgspec.Struct):
    low: int
    high: int


class _Cost(msgspec.Struct):
    after: _Interval


class _Predicted(msgspec.Struct):
    cached: int
    uncached: int


class _Miss(msgspec.Struct):
    region: str
    change: str
    lost: int


class _Cache(msgspec.Struct):
    predicted: _Predicted
    miss: _Miss | None


class _Batch(msgspec.Struct):
    number: int | None = None
    why: str | None = None
    cache: _Cache | None = None


class _Source(msgspec.Struct):
    file: str
    format: str | None = None


class _Trace(msgspec.Struct):
    """What commands read of a trace; it may say more."""

    trace: Literal[1]
    messages: list[_Row]
    unit: str
    budget: _Budget
    cost: _Cost
    batch: _Batch | None = None
    source: _Source | None = None
    store: str | None = None
    body_file: str | None = None
    body_digest: str | None = None


@dataclass(frozen=True, slots=True)
class Traced:
    """One turn: its trace and where that was read."""

    place: Path
    trace: JsonObject


def load_trace(path: Path) -> JsonObject:
    """Read a trace.

    Raises:
        NotFound: It is not there.
        InvalidRequest: It is something else, or what commands need of it is missing or of another type;
            facts: `place`, `path`.
    """
    value = load_body(path, if_empty=NO_TRACE)
    if not is_trace(value):
        raise InvalidRequest(f"{path} is not a trace", place=str(path), cure="use `build --trace FILE`")
    shaped(value, _Trace, place=str(path))
    return value


def is_trace(value: Json) -> bool:
    """Whether a JSON value says that it is a trace."""
    return isinstance(value, dict) and value.get("trace") == 1 and isinstance(value.get("messages"), list)


def source_of(trace: JsonObject | None) -> Path | None:
    """The session that a trace was made from; None: it does not say, or it was standard input."""
    source = None if trace is None else trace.get("source")
    return None if source is None or source["file"] == STDIN else Path(source["file"])


def load_traces(places: Sequence[Path]) -> list[Traced]:
    """Traces in the order given; those of a folder by name, numbers in it by value.

    Raises:
        NotFound: One is not there, or a folder has none.
        InvalidRequest: A file is no trace; in a folder such files are passed over.
    """
    found: list[Traced] = []
    for place in places:
        if place.is_dir():
            inside = [each for path in sorted(place.glob("*.json"), key=_by_number) for each in _maybe(path)]
            if not inside:
                raise NotFound(
                    f"{place} holds no trace", place=str(place), cure="write them with `build --trace FILE`"
                )
            found += inside
        else:
            found.append(Traced(place, load_trace(place)))
    return found


def body_of(traced: Traced) -> JsonObject | None:
    """The body that a turn sent: where the trace says, or beside the trace; None if it is not there any more."""
    said = traced.trace.get("body_file")
    if said is None:
        return None
    for path in (Path(said), traced.place.parent / Path(said).name):
        try:
            body = load_body(path, if_empty=NO_TRACE)
        except RailError:
            continue
        if json_digest(body) == traced.trace.get("body_digest"):
            return body
    return None


def texts_in(value: Json) -> Iterator[str]:
    """Every text in a JSON value, also in JSON that is written as a text."""
    if isinstance(value, str):
        yield value
        if value[:1] in ("{", "["):
            try:
                inner = parse(value.encode("utf-8", "surrogatepass"), place="text")
            except RailError:
                return
            yield from texts_in(inner)
    elif isinstance(value, dict):
        for each in value.values():
            yield from texts_in(each)
    elif isinstance(value, list):
        for each in value:
            yield from texts_in(each)


class Sources:
    """Sessions that traces were made from, each read once."""

    def __init__(self) -> None:
        self._read: dict[tuple[Path, str | None], dict[str, str]] = {}

    def texts(self, trace: JsonObject) -> dict[str, str]:
        """Whole texts of the messages of a trace by their ids, of those that still read as they did then."""
        file = source_of(trace)
        if file is None:
            return {}
        key = (file, trace["source"].get("format"))
        if key not in self._read:
            self._read[key] = _texts_of(*key)
        texts = self._read[key]
        return {
            row["id"]: texts[row["id"]]
            for row in trace["messages"]
            if row.get("id") in texts and row.get("digest") == text_digest(texts[row["id"]])
        }


def _texts_of(file: Path, form: str | None) -> dict[str, str]:
    if not file.exists():
        return {}
    try:
        messages = load_input(file, form).messages
    except RailError:
        return {}
    return {message.id: message_text(message) for message in messages}


def _maybe(path: Path) -> list[Traced]:
    try:
        value = load_body(path, if_empty=NO_TRACE)
    except RailError:
        return []
    return [Traced(path, load_trace(path))] if is_trace(value) else []


def _by_number(path: Path) -> list[tuple[int, str]]:
    """A key for names in which numbers count by value: turn-2 before turn-10."""
    return [(int(piece), "") if piece.isdecimal() else (-1, piece) for piece in re.split(r"(\d+)", path.name)]

"""Traces of turns as files, and what they refer to: the body that was sent, the session it was made from."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from contextrail.cli.load import load_body, load_input
from contextrail.core.digest import text_digest
from contextrail.core.errors import InvalidRequest, NotFound, RailError
from contextrail.core.json_text import Json, JsonObject, parse
from contextrail.history.trace import json_digest
from contextrail.messages.text import message_text


@dataclass(frozen=True, slots=True)
class Traced:
    """One turn: its trace and where that was read."""

    place: Path
    trace: JsonObject


def load_trace(path: Path) -> JsonObject:
    """Read a trace.

    Raises:
        NotFound: It is not there.
        InvalidRequest: It is something else.
    """
    value = load_body(path)
    if not is_trace(value):
        raise InvalidRequest(f"{path} is not a trace", place=str(path), cure="use `build --trace FILE`")
    return value


def is_trace(value: Json) -> bool:
    """Whether a JSON value is a trace."""
    return isinstance(value, dict) and value.get("trace") == 1 and isinstance(value.get("messages"), list)


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
    if not isinstance(said, str):
        return None
    for path in (Path(said), traced.place.parent / Path(said).name):
        try:
            body = load_body(path)
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
        self._read: dict[tuple[str, str], dict[str, str]] = {}

    def texts(self, trace: JsonObject) -> dict[str, str]:
        """Whole texts of the messages of a trace by their ids, of those that still read as they did then."""
        source = trace.get("source")
        if not isinstance(source, dict):
            return {}
        key = (str(source.get("file")), str(source.get("format")))
        if key not in self._read:
            self._read[key] = _texts_of(*key)
        texts = self._read[key]
        return {
            row["id"]: texts[row["id"]]
            for row in trace["messages"]
            if row.get("id") in texts and row.get("digest") == text_digest(texts[row["id"]])
        }


def _texts_of(file: str, form: str) -> dict[str, str]:
    if not Path(file).exists():
        return {}
    try:
        messages = load_input(Path(file), form).conversation.messages
    except RailError:
        return {}
    return {message.id: message_text(message) for message in messages}


def _maybe(path: Path) -> list[Traced]:
    try:
        value = load_body(path)
    except RailError:
        return []
    return [Traced(path, value)] if is_trace(value) else []


def _by_number(path: Path) -> list[tuple[int, str]]:
    """A key for names in which numbers count by value: turn-2 before turn-10."""
    return [(int(piece), "") if piece.isdecimal() else (-1, piece) for piece in re.split(r"(\d+)", path.name)]

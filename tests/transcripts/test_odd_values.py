"""A value of another type anywhere in a record: readers tell it or carry it along, and never stumble."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contextrail.core.errors import RailError
from contextrail.transcripts.detect import READERS
from contextrail.transcripts.heal import heal
from contextrail.transcripts.heal_hosts import HOSTS
from contextrail.transcripts.health import check
from contextrail.transcripts.left import left_out
from contextrail.transcripts.source import opened
from tests.properties.effort import FEW
from tests.transcripts.hosts import ALL, NUMBERS, session

SMALL: Final = [
    (name, path)
    for name in sorted(NUMBERS)
    for path in sorted((path for other, path in ALL if other == name), key=lambda path: path.stat().st_size)[
        :6
    ]
]
"""The smallest files of each format."""
ODD: Final[st.SearchStrategy[Any]] = st.sampled_from(
    [None, True, False, 0, -1, 7, 10**30, 0.5, "", "x", "\N{SNOWMAN}", [], ["x"], [[]], [5], [None], {}, {"x": "y"},
     {"type": ["x"]}, [{"type": "text", "text": 5}], [{"role": {}}]]
)  # fmt: skip
Place = tuple[str | int, ...]


def places(value: Any, here: Place = ()) -> Iterator[Place]:
    """Where every value of a JSON value stands, itself first."""
    yield here
    if isinstance(value, dict):
        for key, each in value.items():
            yield from places(each, (*here, key))
    elif isinstance(value, list):
        for at, each in enumerate(value):
            yield from places(each, (*here, at))


def replaced(value: Any, place: Place, new: Any) -> Any:
    """A copy of a JSON value with another value at one place."""
    if not place:
        return new
    step, *rest = place
    if isinstance(value, dict):
        return {key: replaced(each, tuple(rest), new) if key == step else each for key, each in value.items()}
    return [replaced(each, tuple(rest), new) if at == step else each for at, each in enumerate(value)]


def oddened(data: bytes, draw: st.DataObject) -> bytes:
    """A file with one value replaced by one of any type; each name of a field is as likely as any other."""
    try:
        whole, lines = [json.loads(data)], False
    except ValueError:
        whole, lines = [_value(line) for line in data.split(b"\n")], True
    found = [(at, place) for at, value in enumerate(whole) for place in places(value) if place]
    names = sorted({name for _, place in found if isinstance(name := place[-1], str)})
    if not names:
        return data
    name = draw.draw(st.sampled_from(names))
    at, place = draw.draw(st.sampled_from([each for each in found if each[1][-1] == name]))
    whole[at] = replaced(whole[at], place, draw.draw(ODD))
    return b"\n".join(json.dumps(value).encode() for value in whole if value is not None or not lines) + b"\n"


def _value(line: bytes) -> Any:
    try:
        return json.loads(line)
    except ValueError:
        return None


@FEW
@pytest.mark.parametrize("name", sorted(NUMBERS))
@given(draw=st.data())
def test_a_value_of_any_type_anywhere_ends_no_reader(
    name: str, draw: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = draw.draw(st.sampled_from([path for other, path in SMALL if other == name]))
    data = oddened(path.read_bytes(), draw)
    if draw.draw(st.booleans()):
        data = oddened(data, draw)
    for reader in READERS.values():
        assert 0 <= reader.sniff(data[:65536], path) <= 1
    read = session(name, data)
    taken = [message.id for message in read.messages]
    left = [each.message.id for each in left_out(read)]
    assert len({*taken, *left}) == len(taken) + len(left)
    file = tmp_path_factory.mktemp("odd") / path.name
    file.write_bytes(data)
    for form in (None, name):
        try:
            with opened(file) as source:
                check(source, form)
                if form in HOSTS:
                    heal(source, file.with_suffix(".healed"), form)
        except RailError as error:
            assert str(error)  # noqa: PT017 - which one depends on what was drawn

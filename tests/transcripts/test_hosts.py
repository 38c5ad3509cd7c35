"""What holds for every reader: found out, read the same each time, nothing lost, written as neutral and read back."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contextrail.core.errors import InvalidRequest
from contextrail.transcripts.assemble import assemble, merge
from contextrail.transcripts.detect import READERS, detect, read_session, reader_of
from contextrail.transcripts.session import Entry
from tests.properties.effort import FEW
from tests.transcripts.hosts import (
    ALL,
    FILES,
    LINES,
    NUMBERS,
    UNKNOWN,
    as_neutral,
    events,
    session,
    unaccounted,
)

SMALL = [(name, path) for name, path in ALL if path.stat().st_size < 200_000 and name != "opencode"]


def label(value: object) -> str:
    return f"{value.parent.name}-{value.stem}" if isinstance(value, Path) else str(value)


def test_the_files_are_there() -> None:
    assert {name: len(paths) for name, paths in FILES.items()} == NUMBERS
    assert len(UNKNOWN) == 23


@pytest.mark.parametrize(("name", "path"), ALL, ids=label)
def test_a_file_is_found_out_by_its_content(name: str, path: Path) -> None:
    assert detect(path) == name


@pytest.mark.parametrize("path", UNKNOWN, ids=label)
def test_a_session_of_another_host_is_refused_with_the_formats_there_are(path: Path) -> None:
    with pytest.raises(InvalidRequest) as caught:
        read_session(path)
    assert "codex" in str(caught.value.facts["cure"])


@pytest.mark.parametrize(("name", "path"), ALL, ids=label)
def test_reading_twice_gives_the_same_and_adds_nothing(name: str, path: Path) -> None:
    first, second = read_session(path), read_session(path)
    assert first == second
    assert merge(first, second, reader_of(name).head) is first


@pytest.mark.parametrize(("name", "path"), ALL, ids=label)
def test_messages_come_back_when_they_were_written_as_neutral(name: str, path: Path, tmp_path: Path) -> None:
    read = read_session(path)
    for at, segment in enumerate(read.segments):
        copy = tmp_path / f"{at}.json"
        copy.write_bytes(as_neutral(segment))
        assert detect(copy) == "neutral"
        assert read_session(copy).messages == segment


@pytest.mark.parametrize(("name", "path"), LINES, ids=label)
def test_every_byte_of_lines_belongs_to_an_entry_or_an_issue(name: str, path: Path) -> None:
    data = path.read_bytes()
    found = events(name, data)
    assert unaccounted(data, found) == b""
    assert all(
        entry.raw == data[entry.origin.start : entry.origin.end]
        for entry in found
        if isinstance(entry, Entry)
    )


@pytest.mark.parametrize(("name", "path"), ALL, ids=label)
def test_messages_know_where_they_were_read(name: str, path: Path) -> None:
    read = read_session(path)
    for message in read.messages:
        assert message.origin is not None
        data = Path(message.origin.file).read_bytes()
        raw = data[message.origin.start : message.origin.end].strip()
        assert raw[:1] == b"{"
        assert raw[-1:] == b"}"
        assert data[: message.origin.start].count(b"\n") + 1 == message.origin.line


def damaged(data: bytes, draw: st.DataObject) -> bytes:
    """The bytes after an accident."""
    at = draw.draw(st.integers(0, len(data)))
    match draw.draw(st.sampled_from(["cut", "flip", "hole", "insert", "shuffle", "double"])):
        case "cut":
            return data[:at]
        case "flip":
            return data[:at] + bytes([draw.draw(st.integers(0, 255))]) + data[at + 1 :]
        case "hole":
            return data[:at] + data[at + draw.draw(st.integers(1, 3000)) :]
        case "insert":
            junk = [
                b"\0" * 8,
                b"{",
                b"}",
                b'"',
                b"]",
                b",",
                b"\n",
                b"\xff",
                b"null",
                b"1e999",
                b"\\ud800",
                b'{"type":"x"}',
            ]
            return data[:at] + draw.draw(st.sampled_from(junk)) + data[at:]
        case "shuffle":
            return b"\n".join(draw.draw(st.permutations(data.split(b"\n"))))
        case _:
            return b"\n".join(line for line in data.split(b"\n") for _ in range(1 + draw.draw(st.booleans())))


@FEW
@pytest.mark.parametrize("name", sorted({name for name, _ in SMALL}))
@given(draw=st.data())
def test_a_damaged_file_is_read_as_far_as_it_goes(name: str, draw: st.DataObject) -> None:
    path = draw.draw(st.sampled_from([path for other, path in SMALL if other == name]))
    data = damaged(path.read_bytes(), draw)
    if draw.draw(st.booleans()):
        data = damaged(data, draw)
    found = events(name, data)
    assert unaccounted(data, found) == b""
    read = assemble(found, format=name, file="session", head=reader_of(name).head)
    assert read == session(name, data)
    for segment in read.segments:
        assert session("neutral", as_neutral(segment)).messages == segment


@FEW
@given(draw=st.data())
def test_no_reader_stumbles_over_what_it_is_asked_to_recognize(draw: st.DataObject) -> None:
    _, path = draw.draw(st.sampled_from(SMALL))
    data = damaged(path.read_bytes(), draw)
    sure = [reader.sniff(data[:65536], path) for reader in READERS.values()]
    assert all(0 <= each <= 1 for each in sure)


@FEW
@pytest.mark.parametrize("name", sorted(NUMBERS))
@given(draw=st.data())
def test_a_reader_reads_what_is_not_its_own(name: str, draw: st.DataObject) -> None:
    _, path = draw.draw(st.sampled_from(SMALL))
    data = path.read_bytes()
    found = list(reader_of(name).read(BytesIO(data), "session"))
    assert unaccounted(data, found) == b""

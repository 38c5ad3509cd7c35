"""A damaged line takes nothing out of a session but itself."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Final

import pytest

from contextrail.messages.model import Fence, Message
from contextrail.transcripts.gaps import TEXT
from contextrail.transcripts.left import left_out
from tests.transcripts.claude import answers, calls, cut, file, read, says, session, user
from tests.transcripts.hosts import ALL
from tests.transcripts.hosts import session as session_of

EXAMPLE: Final = Path(__file__).parents[2] / "examples" / "session.jsonl"
FILES: Final = [
    ("claude-code", EXAMPLE),
    *((name, path) for name, path in ALL if path.suffix == ".jsonl" and path.stat().st_size < 300_000),
]
LINES: Final = 6
"""Lines of a file that are damaged in turn, evenly spread."""
_MADE: Final = re.compile(r"codex-\d+")
"""Call ids that the reader makes from the place of a call."""


def key(message: Message) -> tuple[str, str]:
    return message.role, _MADE.sub("codex", repr(message.parts))


def keys(messages: Iterable[Message]) -> set[tuple[str, str]]:
    return set(map(key, messages))


def ids(messages: Iterable[Message]) -> list[str]:
    return [message.id for message in messages]


def line_of(message: Message) -> int | None:
    return None if message.origin is None else message.origin.line


@pytest.mark.parametrize("how", ["cut", "deleted", "garbage"])
@pytest.mark.parametrize(("name", "path"), FILES, ids=lambda value: getattr(value, "stem", str(value)))
def test_every_other_message_is_sent_or_named(name: str, path: Path, how: str) -> None:
    lines = path.read_bytes().split(b"\n")
    whole = session_of(name, path.read_bytes())
    spoken = [at for at, line in enumerate(lines) if line.strip()]
    for at in spoken[:: max(1, len(spoken) // LINES)]:
        new = {"cut": [lines[at][: len(lines[at]) // 2]], "deleted": [], "garbage": [b'\0\xff not {"json']}[
            how
        ]
        damaged = session_of(name, b"\n".join([*lines[:at], *new, *lines[at + 1 :]]))
        sent = keys(damaged.messages)
        named = sent | keys(each.message for each in left_out(damaged))
        others = [*whole.messages, *(each.message for each in left_out(whole))]
        assert {key(each) for each in others if line_of(each) != at + 1} <= named
        assert {key(each) for each in whole.messages if line_of(each) != at + 1} <= sent


@pytest.mark.parametrize("at", range(1, 20))
def test_what_stands_before_a_damaged_line_is_in_the_conversation_with_one_marked_gap(at: int) -> None:
    lines = EXAMPLE.read_bytes().splitlines(keepends=True)
    whole = read(b"".join(lines)).messages
    lines[at] = lines[at][:-50] + b"\n"
    made = read(b"".join(lines)).messages
    marks = [message for message in made if message.parts == (Fence(family="gap", text=TEXT),)]
    assert len(marks) == 1
    assert [key(each) for each in made if each not in marks] == [
        key(each) for each in whole if line_of(each) != at + 1
    ]


def test_a_mark_never_parts_a_call_from_its_result() -> None:
    made = session(user("u1", None), calls("a1", "u1", "c1"), answers("t1", "ghost", "c1"), says("a2", "t1"))
    assert ids(made.messages) == ["u1", "a1", "t1", "gap-before-a2", "a2"]


def test_a_compaction_stays_one_when_its_own_record_is_damaged() -> None:
    made = session(
        user("u1", None),
        says("a1", "u1"),
        user("s1", "b1", "so far", isCompactSummary=True),
        says("a2", "s1"),
    )
    assert ids(made.messages) == ["s1", "a2"]
    assert [(each.message.id, each.why) for each in left_out(made)] == [
        ("u1", "before-compaction"),
        ("a1", "before-compaction"),
    ]


@pytest.mark.parametrize("gone", ["s1", "u2", "a2"])
def test_a_stretch_that_a_compaction_kept_stays_where_one_of_its_ends_is_damaged(gone: str) -> None:
    kept = {"preservedSegment": {"headUuid": "u2", "anchorUuid": "s1", "tailUuid": "a2"}}
    records = [
        user("u1", None), says("a1", "u1"), user("u2", "a1"), says("x2", "u2"), user("y2", "x2"), says("a2", "y2"),
        cut("b1", logicalParentUuid="a2", compactMetadata=kept),
        user("s1", "b1", "summary", isCompactSummary=True), user("u3", "s1"), says("a3", "u3"),
    ]  # fmt: skip
    made = session(*(each for each in records if each["uuid"] != gone))
    said = [ident for ident in ids(made.messages) if not ident.startswith("gap-")]
    assert said == [ident for ident in ("s1", "u2", "x2", "y2", "a2", "u3", "a3") if ident != gone]


def test_a_parent_that_is_no_text_is_a_damaged_one() -> None:
    made = session(user("u1", None), {**says("a1", "u1"), "parentUuid": ["u1"]})
    assert ids(made.messages) == ["u1", "gap-before-a1", "a1"]


def test_each_message_that_is_not_sent_is_named_once_with_an_id_of_its_own() -> None:
    side = {"isSidechain": True, "agentId": "x"}
    made = session(
        user("u1", None), says("a1", "u1", "half"), says("a1", "u1", "whole"), user("u2", "a1", "old"),
        user("u3", "a1", "new"), {**user("u1", None), **side}, {**says("s1", "u1"), **side},
    )  # fmt: skip
    assert ids(made.messages) == ["u1", "a1", "u3"]
    assert [(each.message.id, each.why, each.lane) for each in left_out(made)] == [
        ("a1~2", "left-branch", None),
        ("u2", "left-branch", None),
        ("s1", "sidechain", "x"),
    ]


def test_a_marked_gap_is_the_same_in_a_file_that_was_read_again() -> None:
    data = file(user("u1", None), says("a1", "u1"), user("u2", "ghost"))
    assert read(data).messages == read(data).messages
    assert ids(read(data).messages) == ["u1", "a1", "gap-before-u2", "u2"]

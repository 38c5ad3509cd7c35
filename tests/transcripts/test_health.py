"""Health of a session: what a host or a provider would stumble over, in memory that does not grow with the text."""

from __future__ import annotations

import tracemalloc
from pathlib import Path

import pytest

from contextrail.core.json_text import JsonObject
from contextrail.transcripts.detect import read_session
from contextrail.transcripts.health import KEPT, Health, check
from contextrail.transcripts.source import opened
from tests.transcripts.claude import (
    DAMAGED,
    FIXTURES,
    SESSIONS,
    answers,
    calls,
    cut,
    file,
    record,
    says,
    user,
)


def health(tmp_path: Path, data: bytes) -> Health:
    path = tmp_path / "s.jsonl"
    path.write_bytes(data)
    with opened(path) as source:
        return check(source, "claude-code")


def found(tmp_path: Path, *records: JsonObject) -> list[tuple[str, str]]:
    return [(issue.kind, issue.severity) for issue in health(tmp_path, file(*records)).issues]


def test_a_whole_session_is_healthy(tmp_path: Path) -> None:
    made = health(
        tmp_path, file(user("u1", None), calls("a1", "u1", "c1"), answers("t1", "a1", "c1"), says("a2", "t1"))
    )
    assert made.healthy
    assert (made.records, made.messages, made.calls, made.results, made.segments) == (4, 4, 1, 1, 1)
    assert made.model == "claude-x"
    assert made.began is not None
    assert made.ended is not None
    assert made.began <= made.ended


def test_a_call_that_was_never_answered_breaks_the_next_request(tmp_path: Path) -> None:
    records = [user("u1", None), calls("a1", "u1", "c1", "c2"), answers("t1", "a1", "c2"), user("u2", "t1")]
    assert found(tmp_path, *records) == [("unanswered-call", "error")]


def test_a_call_still_open_at_the_end_is_only_a_warning(tmp_path: Path) -> None:
    assert found(tmp_path, user("u1", None), calls("a1", "u1", "c1")) == [("unanswered-call", "warning")]
    parallel = [
        user("u1", None), calls("a1", "u1", "c1", reply="r"), calls("a2", "a1", "c2", reply="r"),
        answers("t2", "a2", "c2"),
    ]  # fmt: skip
    assert found(tmp_path, *parallel) == [("unanswered-call", "warning")]


def test_an_open_call_before_the_last_reply_is_an_error(tmp_path: Path) -> None:
    records = [user("u1", None), calls("a1", "u1", "c1"), calls("a2", "a1", "c2"), answers("t2", "a2", "c2")]
    assert found(tmp_path, *records) == [("unanswered-call", "error")]


def test_a_result_without_a_call_and_a_second_result_are_told_apart(tmp_path: Path) -> None:
    records = [
        user("u1", None), calls("a1", "u1", "c1"), answers("t1", "a1", "c1"), answers("t2", "t1", "c1"),
        answers("t3", "t2", "c9"), says("a2", "t3"),
    ]  # fmt: skip
    assert found(tmp_path, *records) == [("duplicate-result", "error"), ("orphan-result", "error")]


def test_repeated_call_ids_pair_by_position(tmp_path: Path) -> None:
    records = [user("u0", None)]
    for at in range(3):
        records += [calls(f"a{at}", str(records[-1]["uuid"]), "c1"), answers(f"t{at}", f"a{at}", "c1")]
    assert found(tmp_path, *records) == []


def test_what_was_compacted_away_is_no_error(tmp_path: Path) -> None:
    records = [
        user("u1", None),
        calls("a1", "u1", "c1"),
        user("u2", "a1"),
        cut("b1", logicalParentUuid="u2"),
        user("u3", "b1"),
    ]
    assert found(tmp_path, *records) == [("unanswered-call", "warning")]


def test_pairs_of_a_sidechain_are_its_own(tmp_path: Path) -> None:
    side = {"isSidechain": True, "agentId": "x"}
    records = [
        user("u1", None),
        {**calls("s1", None, "c1"), **side},
        says("a1", "u1"),
        {**answers("s2", "s1", "c1"), **side},
    ]
    assert found(tmp_path, *records) == [("sidechain", "note")]


def test_issues_of_a_kind_beyond_the_limit_are_counted(tmp_path: Path) -> None:
    made = health(tmp_path, file(user("u1", None)) + b"junk\n" * (KEPT + 5))
    assert made.counts == {"not-json": KEPT + 5}
    assert len(made.issues) == KEPT
    assert made.to_json()["issues_omitted"] == 5


@pytest.mark.parametrize("path", [*SESSIONS, *FIXTURES, DAMAGED], ids=lambda path: path.stem)
def test_health_finds_what_reading_finds(path: Path) -> None:
    with opened(path) as source:
        made = check(source)
    session = read_session(path)
    read = {issue.kind for issue in session.issues if issue.file == str(path)}
    assert read - {"sidechain"} <= set(made.counts) | {"sidechain"}
    assert set(made.counts) - read <= {"unanswered-call", "orphan-result", "duplicate-result"}
    assert made.segments >= len(session.segments)


def test_progress_is_told_to_the_last_byte(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_bytes(file(*(user(f"u{at}", None) for at in range(50))))
    told: list[int] = []
    with opened(path) as source:
        check(source, "claude-code", told.append)
    assert sum(told) == path.stat().st_size


def _peak(path: Path) -> int:
    with opened(path) as source:
        tracemalloc.start()
        check(source, "claude-code")
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    return peak


def test_memory_does_not_grow_with_the_text(tmp_path: Path) -> None:
    """Sixteen times the text in as many records: less than half as much memory again."""

    def made(name: str, size: int) -> Path:
        path = tmp_path / name
        with path.open("wb") as out:
            for at in range(400):
                results = {"toolUseResult": {"stdout": "y" * size}}
                parent = f"u{at - 1}" if at else None
                out.write(file(user(f"u{at}", parent, "x" * size, **results)))
        return path

    small, large = made("small.jsonl", 2_000), made("large.jsonl", 32_000)
    assert large.stat().st_size > 20_000_000
    growth = _peak(large) - _peak(small)
    assert growth < 4_000_000


def test_a_record_of_the_host_without_id_is_counted(tmp_path: Path) -> None:
    assert health(tmp_path, file(record("summary", None, None))).records == 1

"""`contextrail bisect`: which turn lost a text or a message, over real sequences of turns with their plans."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest

from contextrail.core.errors import InvalidRequest, NotFound
from tests.cli.turns import FACT, Folder, run, shown, talk, text

BATCH = 7
"""The turn that makes the first batch."""


@pytest.fixture(scope="module")
def turns(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    """Eleven turns; the seventh and the eleventh make a batch. No test may write there."""
    folder = Folder(tmp_path_factory.mktemp("turns"))
    for count in range(2, 13):
        folder.build(talk(count))
    return folder


@pytest.fixture
def few(tmp_path: Path) -> Folder:
    """Four turns; the last makes a batch."""
    folder = Folder(tmp_path / "few")
    folder.place.mkdir()
    for count in range(2, 6):
        folder.build(talk(count), window=600)
    return folder


def test_the_turn_that_lost_a_text_is_found_with_what_took_it_out(turns: Folder) -> None:
    found = shown("bisect", turns.place, FACT.upper())
    assert (found["outcome"], found["last_with"], found["first_without"]) == ("lost", BATCH - 1, BATCH)
    assert FACT in turns.body(BATCH - 1).read_text("utf-8")
    assert FACT not in turns.body(BATCH).read_text("utf-8")
    (fate,) = found["messages"]
    assert (fate["id"], fate["batch"]) == ("a0", 1)
    assert [(each["step"], each["reason"]) for each in fate["reasons"]] == [("batch", "in-record")]


def test_the_command_it_tells_gives_the_original_back(turns: Folder) -> None:
    (fate,) = shown("bisect", turns.place, FACT)["messages"]
    words = shlex.split(fate["fetch"])
    fetched = run(*words[1:])
    assert words[0] == "contextrail"
    assert fetched.exit_code == 0
    assert json.loads(fetched.stdout_bytes)["parts"][0]["content"] == talk(1)[1]["parts"][0]["content"]
    assert run("uncompact", fate["handle"], "--store", turns.place / "store").exit_code == 0


def test_a_message_is_looked_for_by_its_id_without_any_body(few: Folder) -> None:
    for number in range(1, few.count + 1):
        few.body(number).unlink()
    found = shown("bisect", few.place, "u0")
    assert (found["outcome"], found["first_without"]) == ("lost", 4)
    assert [each["state"] for each in found["turns"]] == ["there", "there", "there", "gone"]


def test_a_text_that_a_record_carries_on_is_lost_only_with_the_record(turns: Folder) -> None:
    found = shown("bisect", turns.place, "lorem3")
    by_id = shown("bisect", turns.place, "a3")
    assert (by_id["first_without"], found["first_without"]) == (BATCH, 11)
    record = found["turns"][BATCH]["only_in"]
    assert record
    assert record[0].startswith("record-")


@pytest.mark.parametrize("query", ["u11", "lorem11 ipsum"])
def test_what_is_there_is_said_to_be_there(turns: Folder, query: str) -> None:
    done = run("bisect", turns.place, query)
    assert done.exit_code == 0
    assert done.output.startswith("still there: the request of turn 11 of 11 has it")
    states = [each["state"] for each in shown("bisect", turns.place, query)["turns"]]
    assert states == ["not-yet"] * 10 + ["there"]


def test_what_no_turn_knows_is_not_found(turns: Folder) -> None:
    assert isinstance(run("bisect", turns.place, "nobody said this").exception, NotFound)


def test_what_was_never_sent_is_said_to_have_been_never_there(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    messages = [text("b", "assistant", "a rare word, then " + "word " * 4_000), text("u", "user", "go on")]
    for _ in range(2):
        folder.build(messages, "--summarizer", "none")
    done = run("bisect", folder.trace(1), folder.trace(2), "a rare word")
    assert done.exit_code == 1
    assert done.output.startswith("never there: none of the 2 requests has it")
    found = shown("bisect", folder.trace(1), folder.trace(2), "a rare word")
    assert (found["outcome"], found["last_with"], found["first_without"]) == ("never-there", None, 1)
    assert found["messages"][0]["reasons"]


def test_a_text_that_comes_back_is_said_to_be_back(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    policy = tmp_path / "each-turn.toml"
    policy.write_text('stability = "recompute"\n', "utf-8")
    for window in (1_000, 330, 1_000):
        folder.build(talk(4), "--policy", policy, "--summarizer", "none", window=window, planned=False)
    found = shown("bisect", folder.place, FACT)
    assert (found["outcome"], found["first_without"], found["back_in"]) == ("lost", 2, 3)
    assert "it is back in turn 3" in run("bisect", folder.place, FACT).output


def test_a_message_that_the_history_does_not_have_any_more_is_told_so(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    folder.build(talk(3))
    folder.build(talk(3)[2:])
    found = shown("bisect", folder.place, "a0")
    assert (found["outcome"], found["first_without"]) == ("lost", 2)
    assert found["messages"][0]["reasons"] == [{"step": "history", "reason": "not-in-the-history"}]
    assert found["messages"][0]["fetch"] is None


def test_without_the_body_a_text_is_found_where_it_was_sent_as_it_is(few: Folder) -> None:
    for number in range(1, few.count + 1):
        few.body(number).write_text("{}", "utf-8")
    early = shown("bisect", *map(few.trace, range(1, 4)), FACT)
    assert early["outcome"] == "still-there"
    refused = run("bisect", few.place, FACT).exception
    assert isinstance(refused, NotFound)
    assert str(few.trace(4)) in str(refused)


def test_a_folder_that_moved_is_searched_with_the_bodies_beside_its_traces(
    few: Folder, tmp_path: Path
) -> None:
    moved = tmp_path / "moved"
    few.place.rename(moved)
    assert shown("bisect", moved, FACT)["first_without"] == 4


def test_turns_of_a_folder_are_taken_by_their_numbers(turns: Folder) -> None:
    numbers = [Path(each["trace"]).stem for each in shown("bisect", turns.place, FACT)["turns"]]
    assert numbers == [f"turn-{number}" for number in range(1, 12)]


def test_wrong_calls_are_refused(turns: Folder, tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    assert isinstance(run("bisect", empty, "x").exception, NotFound)
    assert isinstance(run("bisect", turns.body(1), "x").exception, InvalidRequest)
    assert isinstance(run("bisect", tmp_path / "absent.json", "x").exception, NotFound)
    assert isinstance(run("bisect", turns.trace(1), " ").exception, InvalidRequest)

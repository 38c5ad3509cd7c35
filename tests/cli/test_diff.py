"""`contextrail diff`: what changed between two turns, over real sequences of turns with their plans."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from contextrail.core.errors import InvalidRequest, NotFound
from contextrail.core.json_text import JsonObject
from tests.cli.turns import Folder, run, shown, talk, text


@pytest.fixture(scope="module")
def turns(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    """Eight turns; the seventh makes a batch. No test may write there."""
    folder = Folder(tmp_path_factory.mktemp("turns"))
    for count in range(2, 10):
        folder.build(talk(count))
    return folder


def kinds(found: JsonObject, kind: str) -> dict[str, JsonObject]:
    return {each["id"]: each for each in found["messages"] if each["kind"] == kind}


def test_between_batches_only_new_messages_come(turns: Folder) -> None:
    found = shown("diff", turns.trace(1), turns.trace(2))
    assert [(each["kind"], each["id"], each["how"]) for each in found["messages"]] == [
        ("came", "u2", "new"),
        ("came", "a2", "new"),
    ]
    assert (found["same"], found["settings"]) == (4, [])
    assert found["cache"]["miss"] is None
    before = json.loads(turns.trace(1).read_text("utf-8"))
    assert found["cache"]["predicted"]["cached"] <= before["cost"]["after"]["high"]
    assert {each["path"] for each in found["outcome"]} == {"cost.before.low", "cost.before.high",
                                                           "cost.after.low", "cost.after.high", "body_digest"}  # fmt: skip


def test_a_batch_is_told_with_its_number_its_cause_and_what_stands_in_the_place(turns: Folder) -> None:
    found = shown("diff", turns.trace(6), turns.trace(7))
    went, came = kinds(found, "went"), kinds(found, "came")
    assert "a0" in went
    assert {each["batch"] for each in went.values()} == {1}
    (record,) = (each for each in came.values() if each["how"] == "added")
    assert went["a0"]["reasons"][0]["by"] == record["id"]
    assert found["batches"] == [{"number": 0, "why": None}, {"number": 1, "why": "over-trigger"}]
    assert found["cache"]["miss"]["change"] == "removed"


def test_the_turn_after_a_batch_names_nothing_again(turns: Folder) -> None:
    found = shown("diff", turns.trace(7), turns.trace(8))
    assert {each["kind"] for each in found["messages"]} == {"came"}
    assert {each["how"] for each in found["messages"]} == {"new"}


def test_a_trace_and_itself_are_equal(turns: Folder) -> None:
    done = run("diff", turns.trace(7), turns.trace(7))
    assert done.exit_code == 0
    assert "the two requests are the same" in done.output
    assert shown("diff", turns.trace(7), turns.trace(7))["equal"]


def test_what_differs_leaves_with_1_and_is_told_to_people(turns: Folder) -> None:
    done = run("diff", turns.trace(6), turns.trace(7))
    assert done.exit_code == 1
    for told in (
        "went: a0",
        "batch: in-record",
        "batch 1",
        "number 1, made now: over-trigger",
        "not read from",
    ):
        assert told in done.output


def test_other_settings_are_named_one_by_one(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    folder.build(talk(3))
    folder.build(talk(3), "--model", "gpt-4o", "--tokenizer", "chars:2", "--policy", "compact", window=1_200)
    found = shown("diff", folder.trace(1), folder.trace(2))
    settings = {each["path"]: (each["before"], each["after"]) for each in found["settings"]}
    assert settings["model"] == ("gpt-5", "gpt-4o")
    assert settings["tokenizer.id"] == ("chars:4", "chars:2")
    assert settings["budget.window"] == (1_000, 1_200)
    assert any(path.startswith("policy.") for path in settings)


def test_a_message_of_which_less_is_shown_is_changed_and_comes_back_whole(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    call = {"type": "tool_call", "id": "k", "name": "fetch", "arguments": {}}
    told = {"type": "tool_call_response", "id": "k", "response": "line of output\n" * 100, "status": "ok"}
    messages = [
        *talk(1),
        {"id": "c", "role": "assistant", "parts": [call]},
        {"id": "r", "role": "tool", "parts": [told]},
        *talk(2)[2:],
    ]
    policy = tmp_path / "less.toml"
    policy.write_text("[tool_output.observation_governance]\nmax_chars = 400\n", "utf-8")
    folder.build(messages)
    folder.build(messages, "--policy", policy)
    found = shown("diff", folder.trace(1), folder.trace(2))
    (changed,) = kinds(found, "changed").values()
    assert (changed["id"], changed["how"]) == ("r", "kept to changed")
    assert changed["reasons"][0]["step"] == "tool_output"
    again = shown("diff", folder.trace(2), folder.trace(1))
    assert kinds(again, "changed")["r"]["how"] == "changed to kept"


def test_a_message_that_was_edited_or_taken_out_of_the_history_is_told(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    folder.build(talk(3))
    edited = [text("a1", "assistant", "Something else.") if each["id"] == "a1" else each for each in talk(3)]
    folder.build([each for each in edited if each["id"] not in {"u2", "a2"}] + [text("u3", "user", "go on")])
    found = shown("diff", folder.trace(1), folder.trace(2))
    assert kinds(found, "changed")["a1"]["how"] == "edited"
    assert {ident: each["reasons"][0]["reason"] for ident, each in kinds(found, "went").items()} == {
        "u2": "not-in-the-history",
        "a2": "not-in-the-history",
    }


def test_what_is_new_and_never_fitted_is_left_out(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    folder.build(talk(2), "--summarizer", "none")
    huge = [text(ident, "assistant", f"{ident} word " * 4_000) for ident in "bc"]
    folder.build([*talk(2), *huge, text("u", "user", "go on")], "--summarizer", "none")
    found = shown("diff", folder.trace(1), folder.trace(2))
    assert set(kinds(found, "left-out")) == {"b"}
    assert kinds(found, "left-out")["b"]["reasons"]


def test_what_is_no_trace_or_names_no_message_is_refused(turns: Folder, tmp_path: Path) -> None:
    refused = run("diff", turns.trace(1), turns.body(1)).exception
    assert isinstance(refused, InvalidRequest)
    assert refused.facts["cure"] == "use `build --trace FILE`"
    assert isinstance(run("diff", turns.trace(1), tmp_path / "absent.json").exception, NotFound)
    policy = tmp_path / "quiet.toml"
    policy.write_text("[context_trace]\ninclude_message_ids = false\n", "utf-8")
    quiet = Folder(tmp_path).build(talk(1), "--policy", policy)
    nameless = run("diff", turns.trace(1), quiet).exception
    assert isinstance(nameless, InvalidRequest)
    assert "include_message_ids" in str(nameless.facts["cure"])

"""Reads: repeats point to the first copy, stale results say so, and no line names what is gone."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contextrail.core.blobs import Blob
from contextrail.core.ids import CallId, MessageId
from contextrail.history.draft import Draft
from contextrail.history.file_tools import FILE_TOOLS
from contextrail.history.freshness import standings
from contextrail.history.obligations import find_obligations
from contextrail.history.policy import Policy
from contextrail.history.reads import mend_referrals, reads
from contextrail.messages.decision import Decision
from contextrail.messages.model import Message, Text, ToolCall, ToolResult
from contextrail.messages.settle import UNKNOWN
from contextrail.messages.text import part_text
from tests.history.contexts import context, cost

BODY = "".join(f"line {at} of the file, with some words to make it long\n" for at in range(40))
OTHER = BODY.replace("line", "row")


def step(at: int, tool: str, result: str = BODY, *, failed: bool = False, **arguments: Any) -> list[Message]:
    """A call and its result, as messages `cAT` and `rAT`."""
    ident = CallId(f"k{at}")
    call = ToolCall(call_id=ident, name=tool, arguments=json.dumps(arguments))
    told = ToolResult(call_id=ident, parts=(Text(text=result),), status="error" if failed else "ok")
    return [
        Message(id=MessageId(f"c{at}"), role="assistant", parts=(call,)),
        Message(id=MessageId(f"r{at}"), role="tool", parts=(told,)),
    ]


def draft(*steps: list[Message]) -> Draft:
    return Draft(tuple(message for each in steps for message in each))


def texts(done: Draft) -> dict[str, str]:
    return {each.id: part_text(each.parts[0]) for each in done.messages if each.role == "tool"}


def quiet(start: int) -> list[Message]:
    """Four tool groups that touch no file of interest."""
    return [message for at in range(start, start + 4) for message in step(at, "ls", f"short {at}")]


def dropping(done: Draft, *ids: str) -> Draft:
    decisions = [
        Decision(message=MessageId(ident), verdict="dropped", step="fill", reason="over-budget")
        for ident in ids
    ]
    return done.with_messages([each for each in done.messages if each.id not in ids], decisions)


# What is owed


@pytest.mark.parametrize("told", [UNKNOWN, "Waiting for the approval of the release, request 12 is pending."])
def test_a_result_that_says_that_something_is_owed_is_no_repeat(told: str) -> None:
    policy = {"reads": {"min_tokens": 1}}
    asked = [*step(1, "deploy", told, to="a"), *step(2, "deploy", told, to="b")]
    asked.append(Message(id=MessageId("u"), role="user", parts=(Text(text="go on"),)))
    done = reads(Draft(tuple(asked)), context(policy=policy))
    assert texts(done) == {"r1": told, "r2": told}
    assert len(find_obligations(done.messages, Policy().obligations)) == 2
    same = [*step(1, "deploy", BODY, to="a"), *step(2, "deploy", BODY, to="b")]
    assert texts(reads(Draft(tuple(same)), context(policy=policy)))["r2"] != BODY


# How results stand


def test_the_states_of_stale_superseded_repeated_and_partial_reads() -> None:
    """Identical repeats keep the first copy; a failed edit makes nothing stale; ranges are different reads."""
    events = draft(
        step(1, "read", "v1: x=1", path="a.py"),
        step(2, "read", "v1: x=1", path="a.py"),
        step(3, "edit", "error: old text not found", failed=True, path="a.py"),
        step(4, "read", "b 1-40", path="b.py", range=[1, 40]),
        step(5, "read", "b 41-80", path="b.py", range=[41, 80]),
        step(6, "edit", "ok", path="a.py"),
        step(7, "read", "v2: x=2", path="a.py"),
    )
    found = {each.call: each for each in standings(events.messages, FILE_TOOLS)}
    assert {call for call, each in found.items() if each.stale} == {"k1", "k2"}
    assert {call: each.first for call, each in found.items() if each.first} == {"k2": "k1"}
    assert {call: each.newer for call, each in found.items() if each.newer} == {"k1": "k7", "k2": "k7"}


@pytest.mark.parametrize(
    "told",
    [
        "<tool_use_error>String to replace not found in file.</tool_use_error>",
        "Error: no such file",
        "No replacement was performed, old_str did not appear verbatim",
        "<returncode>1</returncode>\n<output>sed: no such file</output>",
        '{"output": "x", "metadata": {"exit_code": 1}}',
        '{"success": false}',
        "No match found for the given text",
        "错误：未找到",
    ],
)
def test_an_edit_that_failed_without_an_error_status_makes_nothing_stale(told: str) -> None:
    done = draft(step(1, "read", path="a.py"), step(2, "edit", told, path="a.py"), quiet(3))
    assert reads(done, context()) is done


def test_what_is_read_between_two_edits_to_the_same_text_is_not_the_first_copy() -> None:
    done = draft(
        step(1, "read", path="a.py"),
        step(2, "edit", "ok", path="a.py"),
        step(3, "edit", "ok", path="a.py"),
        step(4, "read", path="a.py"),
        step(5, "read", path="a.py"),
    )
    found = {each.call: each.first for each in standings(done.messages, FILE_TOOLS)}
    assert found == {"k1": None, "k2": None, "k3": "k2", "k4": None, "k5": "k4"}


# What may have changed

DOUBTED = "\n[maybe stale: src/a.py may have been changed after this was read]"


@pytest.mark.parametrize(
    ("command", "told", "marked"),
    [
        ("git checkout .", "Updated 3 paths from the index", True),
        ("git stash", "Saved working directory and index state", True),
        ("git stash", "No local changes to save", False),
        ("git stash list", "stash@{0}", False),
        ("black src", "reformatted src/a.py", True),
        ("black src", "1 file left unchanged.", False),
        ("black --check src", "would reformat src/a.py", False),
        ("black other", "reformatted other/b.py", False),
        ("cd /w && ruff format src/", "2 files reformatted", True),
        ("git diff", "diff --git a/src/a.py", False),
        ("cat src/a.py | grep x", "x", False),
    ],
)
def test_what_may_have_changed_a_file_marks_its_reads_and_removes_nothing(
    command: str, told: str, *, marked: bool
) -> None:
    done = draft(step(1, "read", path="src/a.py"), step(2, "bash", told, command=command), quiet(3))
    after = reads(done, context())
    assert texts(after)["r1"] == BODY + (DOUBTED if marked else "")
    assert [each.reason for each in after.decisions] == (["doubt-marked"] if marked else [])
    assert reads(after, context()).messages == after.messages


def test_a_doubt_waits_until_the_file_is_quiet_and_ends_with_a_read_of_the_same_text() -> None:
    doubted = [step(1, "read", path="src/a.py"), step(2, "bash", "x", command="git stash")]
    assert texts(reads(draft(*doubted, quiet(3)[:6]), context()))["r1"] == BODY
    again = reads(draft(*doubted, step(3, "read", path="src/a.py"), quiet(4)), context())
    assert texts(again)["r1"] == BODY
    assert texts(again)["r3"].startswith("[same text as the result of call k1")
    other = reads(draft(*doubted, step(3, "read", OTHER, path="src/a.py"), quiet(4)), context())
    assert texts(other) == {**texts(other), "r1": BODY + DOUBTED, "r3": OTHER}


def test_of_several_commands_of_which_one_failed_a_write_is_a_doubt() -> None:
    command = "sed -i s/a/b/ src/a.py && pytest"
    failed = step(2, "bash", "Exit code 1\n2 failed", failed=True, command=command)
    after = reads(draft(step(1, "read", path="src/a.py"), failed, quiet(3)), context())
    assert texts(after)["r1"] == BODY + DOUBTED
    alone = step(2, "bash", "sed: x", failed=True, command="sed -i s/a/b/ src/a.py")
    assert texts(reads(draft(step(1, "read", path="src/a.py"), alone, quiet(3)), context()))["r1"] == BODY


@pytest.mark.parametrize("path", ["src/a.py", "/w/src/a.py"])
@pytest.mark.parametrize(
    ("folder", "covered"), [("src", True), ("src/a.py", True), (".", True), ("sr", False), ("lib", False)]
)
def test_a_doubt_covers_what_lies_below_its_folder(path: str, folder: str, *, covered: bool) -> None:
    done = draft(step(1, "read", path=path), step(2, "bash", "x", command=f"black {folder}"))
    assert standings(done.messages, FILE_TOOLS)[0].doubtful is covered


@pytest.mark.parametrize("told", ["error.py has been updated", '{"success": true}', "修改成功"])
def test_an_edit_that_went_well_makes_its_read_stale(told: str) -> None:
    done = draft(step(1, "read", path="a.py"), step(2, "edit", told, path="a.py"), quiet(3))
    assert texts(reads(done, context()))["r1"].endswith("[stale: a.py was changed after this was read]")


# The step


def test_a_repeat_points_to_the_first_copy_and_everything_before_it_keeps_its_bytes() -> None:
    done = draft(step(1, "read", path="a.py"), step(2, "ls", "other"), step(3, "read", path="a.py"))
    after = reads(done, context())
    assert after.messages[:5] == done.messages[:5]
    assert texts(after)["r3"] == f"[same text as the result of call k1; all of it: {Blob.of(BODY).handle}]"
    assert after.blobs == (Blob.of(BODY),)
    assert [(each.message, each.reason) for each in after.decisions] == [("r3", "repeat")]


def test_a_stale_read_is_collapsed_if_a_newer_one_is_there_else_marked_and_only_when_the_file_is_quiet() -> (
    None
):
    changed = [step(1, "read", path="a.py"), step(2, "edit", "ok", path="a.py")]
    again = step(3, "read", OTHER, path="a.py")
    assert texts(reads(draft(*changed, again), context()))["r1"] == BODY
    collapsed = reads(draft(*changed, again, quiet(4)), context())
    handle = Blob.of(BODY).handle
    assert texts(collapsed)["r1"] == (
        "[stale: a.py was changed after this was read; its text now: the result of call k3; "
        f"this text: {handle}]"
    )
    assert texts(collapsed)["r3"] == OTHER
    marked = reads(draft(*changed, quiet(3)), context())
    assert texts(marked)["r1"] == f"{BODY}\n[stale: a.py was changed after this was read]"


def test_a_newer_read_of_another_range_does_not_stand_for_the_whole() -> None:
    done = draft(
        step(1, "read", path="a.py"),
        step(2, "edit", "ok", path="a.py"),
        step(3, "read", OTHER, path="a.py", offset=10),
        quiet(4),
    )
    assert texts(reads(done, context()))["r1"].startswith(BODY)


def test_without_a_store_a_stale_text_is_marked_but_not_taken_away() -> None:
    done = draft(
        step(1, "read", path="a.py"),
        step(2, "edit", "ok", path="a.py"),
        step(3, "read", OTHER, path="a.py"),
        quiet(4),
    )
    assert texts(reads(done, context(store=False)))["r1"].startswith(BODY)


@pytest.mark.parametrize(
    ("policy", "kinds"),
    [
        ({"repeats": "keep"}, {"stale-collapsed"}),
        ({"stale": "keep"}, {"repeat"}),
        ({"stale": "mark"}, {"repeat", "stale-marked"}),
        ({"repeats": "keep", "stale": "keep"}, set()),
        ({"minTokens": 10_000}, set()),
    ],
)
def test_the_policy_chooses(policy: dict[str, Any], kinds: set[str]) -> None:
    done = draft(
        step(1, "read", path="a.py"),
        step(2, "edit", "ok", path="a.py"),
        step(3, "read", OTHER, path="a.py"),
        step(4, "read", OTHER, path="a.py"),
        quiet(5),
    )
    after = reads(done, context(policy={"reads": policy}))
    assert {each.reason for each in after.decisions} == kinds


def test_outputs_of_any_tool_may_repeat() -> None:
    done = draft(step(1, "git_status", OTHER), step(2, "git_status", OTHER))
    assert texts(reads(done, context()))["r2"].startswith("[same text as the result of call k1")


def test_twice_is_once_also_from_what_was_sent() -> None:
    done = draft(
        step(1, "read", path="a.py"),
        step(2, "edit", "ok", path="a.py"),
        step(3, "read", OTHER, path="a.py"),
        step(4, "read", OTHER, path="a.py"),
        step(5, "read", path="b.py"),
        step(6, "write", "ok", path="b.py", content="x"),
        quiet(7),
    )
    once = reads(done, context())
    assert reads(Draft(once.messages), context()).messages == once.messages


# No line outlives what it names


def test_a_repeat_whose_first_copy_is_gone_gets_its_text_back_and_others_point_to_it() -> None:
    steps = [step(at, "read", path="a.py") for at in (1, 2, 3)]
    after = mend_referrals(dropping(reads(draft(*steps), context()), "c1", "r1"), context())
    assert texts(after)["r2"] == BODY
    assert texts(after)["r3"].startswith("[same text as the result of call k2;")
    assert [each.reason for each in after.decisions][-2:] == ["brought-back", "pointed-anew"]


def test_a_text_that_does_not_fit_stays_away_but_the_line_names_nothing_that_is_gone() -> None:
    steps = [step(at, "read", path="a.py") for at in (1, 2)]
    gone = dropping(reads(draft(*steps), context()), "c1", "r1")
    tight = sum(map(cost, gone.messages))
    after = mend_referrals(gone, context(tight))
    assert texts(after)["r2"] == f"[same as a text left out; all of it: {Blob.of(BODY).handle}]"
    assert sum(map(cost, after.messages)) <= tight


def test_a_first_copy_that_was_shortened_by_a_later_step_is_gone_too() -> None:
    done = reads(draft(*(step(at, "read", path="a.py") for at in (1, 2))), context())
    cut = done.edit(
        lambda each: (step(1, "read", "only a stub")[1] if each.id == "r1" else each, {}),
        step="fill",
        reason="shortened",
    )
    assert texts(mend_referrals(cut, context()))["r2"] == BODY


def test_a_line_whose_target_still_stands_is_left_alone() -> None:
    done = reads(draft(*(step(at, "read", path="a.py") for at in (1, 2))), context())
    assert mend_referrals(done, context()) is done


def test_a_collapsed_read_whose_newer_one_is_gone_says_where_its_own_text_is() -> None:
    done = draft(
        step(1, "read", path="a.py"),
        step(2, "edit", "ok", path="a.py"),
        step(3, "read", OTHER, path="a.py"),
        quiet(4),
    )
    after = mend_referrals(dropping(reads(done, context()), "c3", "r3"), context())
    handle = Blob.of(BODY).handle
    assert texts(after)["r1"] == f"[stale: a.py was changed after this was read; this text: {handle}]"


def test_lines_from_an_earlier_request_are_watched_too() -> None:
    once = reads(draft(*(step(at, "read", path="a.py") for at in (1, 2))), context())
    sent = tuple(each for each in once.messages if each.id not in {"c1", "r1"})
    after = mend_referrals(reads(Draft(sent), context()), context())
    assert texts(after)["r2"] == f"[same as a text left out; all of it: {Blob.of(BODY).handle}]"


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["read", "edit", "write", "ls"]),
            st.sampled_from(["a.py", "b.py"]),
            st.sampled_from([BODY, OTHER]),
        ),
        max_size=14,
    ),
    st.sets(st.integers(0, 13)),
    st.integers(200, 3_000),
)
def test_no_line_ever_names_a_call_that_is_gone(
    events: list[tuple[str, str, str]], lost: set[int], limit: int
) -> None:
    steps = [step(at, tool, text, path=path) for at, (tool, path, text) in enumerate(events)]
    done = reads(draft(*steps, quiet(20)), context(limit))
    ids = [f"{word}{at}" for at in lost if at < len(events) for word in "cr"]
    gone = dropping(done, *ids)
    before = sum(map(cost, gone.messages))
    after = mend_referrals(gone, context(limit))
    there = {each.id for each in after.messages}
    for text in texts(after).values():
        for at in range(len(events)):
            if f"result of call k{at};" in text:
                assert f"r{at}" in there
    assert sum(map(cost, after.messages)) <= max(limit, before)
    assert {each.id for each in gone.messages} == there


def test_two_texts_cut_alike_without_a_trace_are_not_called_the_same() -> None:
    told = draft(
        step(0, "read_file", "head\n[900 characters left out]\ntail " * 3, path="a.py"),
        step(1, "read_file", "head\n[900 characters left out]\ntail " * 3, path="b.py"),
    )
    assert reads(told, context(policy={"reads": {"min_tokens": 1}})) == told

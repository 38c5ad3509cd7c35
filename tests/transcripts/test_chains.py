"""How records of a tree become segments, sidechains and branches, and what is said of the broken ones."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contextrail.messages.model import Fence
from contextrail.transcripts.chains import lay_out
from contextrail.transcripts.gaps import TEXT
from tests.hostile import in_time, must_end
from tests.transcripts.claude import (
    answers,
    calls,
    cut,
    entries,
    file,
    issues,
    record,
    says,
    segments,
    session,
    user,
)


def test_a_chain_is_one_segment() -> None:
    made = session(user("u1", None), says("a1", "u1"), user("u2", "a1"))
    assert (segments(made), issues(made)) == ([["u1", "a1", "u2"]], [])


def test_records_that_say_nothing_stand_on_the_chain_but_are_no_messages() -> None:
    made = session(user("u1", None), record("progress", "p1", "u1"), says("a1", "p1"))
    assert segments(made) == [["u1", "p1", "a1"]]
    assert [message.id for message in made.messages] == ["u1", "a1"]


def test_a_compaction_begins_a_new_segment() -> None:
    made = session(
        user("u1", None),
        says("a1", "u1"),
        cut("b1", logicalParentUuid="a1"),
        user("u2", "b1"),
        says("a2", "u2"),
    )
    assert (segments(made), issues(made)) == ([["u1", "a1"], ["b1", "u2", "a2"]], [])


def test_a_stretch_that_a_compaction_kept_stands_behind_its_summary() -> None:
    kept = {"preservedSegment": {"headUuid": "u2", "anchorUuid": "s1", "tailUuid": "a2"}}
    made = session(
        user("u1", None), says("a1", "u1"), user("u2", "a1"), says("a2", "u2"),
        cut("b1", logicalParentUuid="a2", compactMetadata=kept),
        user("s1", "b1", "summary", isCompactSummary=True), user("u3", "s1"), says("a3", "u3"),
    )  # fmt: skip
    assert segments(made) == [["u1", "a1"], ["b1", "s1", "u2", "a2", "u3", "a3"]]


@pytest.mark.parametrize(
    "kept", [("ghost", "s1", "a2"), ("a2", "s1", "u2"), ("u2", "ghost", "a2"), ("s1", "s1", "a2")]
)
def test_a_stretch_that_is_not_what_it_says_is_left_where_it_is(kept: tuple[str, str, str]) -> None:
    stretch = dict(zip(("headUuid", "anchorUuid", "tailUuid"), kept, strict=True))
    made = session(
        user("u1", None), user("u2", "u1"), says("a2", "u2"),
        cut("b1", logicalParentUuid="a2", compactMetadata={"preservedSegment": stretch}),
        user("s1", "b1", "summary", isCompactSummary=True),
    )  # fmt: skip
    assert segments(made) == [["u1", "u2", "a2"], ["b1", "s1"]]


def test_behind_a_missing_parent_the_chain_goes_on_with_a_marked_gap_and_is_told() -> None:
    made = session(user("u1", None), says("a1", "u1"), user("u2", "ghost"), says("a2", "u2"))
    assert segments(made) == [["u1", "a1", "u2", "a2"]]
    assert [message.id for message in made.messages] == ["u1", "a1", "gap-before-u2", "u2", "a2"]
    assert made.messages[2].parts == (Fence(family="gap", text=TEXT),)
    assert {issue.kind: issue.severity for issue in made.issues} == {
        "dangling-parent": "error",
        "gap": "warning",
    }


def test_a_missing_parent_of_the_first_record_loses_nothing() -> None:
    made = session(user("u1", "ghost"), says("a1", "u1"))
    assert [(issue.kind, issue.severity) for issue in made.issues] == [("dangling-parent", "warning")]


def test_a_prompt_that_was_taken_back_is_a_branch() -> None:
    made = session(
        user("u1", None), says("a1", "u1"), user("u2", "a1", "old"), says("a2", "u2"),
        user("u3", "a1", "new"), says("a3", "u3"),
    )  # fmt: skip
    assert segments(made) == [["u1", "a1", "u3", "a3"]]
    assert [[message.id for message in branch] for branch in made.branches] == [["u2", "a2"]]
    assert issues(made) == ["fork"]


def test_answers_of_a_parallel_batch_that_hang_beside_the_chain_belong_to_it() -> None:
    made = session(
        user("u1", None), calls("a1", "u1", "c1", reply="r"), calls("a2", "a1", "c2", reply="r"),
        answers("t1", "a1", "c1"), answers("t2", "a2", "c2"), says("a3", "t2"),
    )  # fmt: skip
    assert (segments(made), issues(made)) == ([["u1", "a1", "a2", "t1", "t2", "a3"]], [])


def test_pieces_of_one_reply_that_are_siblings_belong_together() -> None:
    made = session(
        user("u1", None), calls("a1", "u1", "c1", reply="r"), calls("a2", "u1", "c2", reply="r"),
        answers("t1", "a1", "c1"), answers("t2", "a2", "c2"), says("a3", "t1"),
    )  # fmt: skip
    assert (segments(made), issues(made)) == ([["u1", "a1", "a2", "t1", "t2", "a3"]], [])


def test_a_turn_beside_a_chain_of_progress_records_is_not_lost() -> None:
    """The shape of anthropics/claude-code#35024: the next prompt hangs on a record of the host."""
    made = session(
        user("u1", None), record("progress", "p1", "u1"), calls("a1", "u1", "c1"), answers("t1", "a1", "c1"),
        says("a2", "t1"), user("u2", "p1"), says("a3", "u2"),
    )  # fmt: skip
    assert segments(made) == [["u1", "p1", "a1", "t1", "a2", "u2", "a3"]]
    assert issues(made) == ["off-chain"]


def test_what_goes_on_behind_an_answer_beside_the_chain_is_not_lost() -> None:
    made = session(
        user("u1", None), calls("a1", "u1", "c1"), record("progress", "p1", "a1"), answers("t1", "a1", "c1"),
        says("a2", "t1"), user("u2", "p1"),
    )  # fmt: skip
    assert segments(made) == [["u1", "a1", "p1", "t1", "a2", "u2"]]
    assert issues(made) == ["off-chain"]


def test_a_reply_that_was_made_anew_is_a_branch() -> None:
    made = session(user("u1", None), says("a1", "u1", "first"), says("a2", "u1", "second"))
    assert segments(made) == [["u1", "a2"]]
    assert issues(made) == ["fork"]


def test_a_record_written_twice_counts_once() -> None:
    made = session(user("u1", None), says("a1", "u1"), says("a1", "u1"), user("u2", "a1"))
    assert (segments(made), issues(made)) == ([["u1", "a1", "u2"]], ["duplicate"])


def test_of_two_records_with_one_id_the_last_counts_at_the_place_of_the_first() -> None:
    made = session(user("u1", None), says("a1", "u1", "half"), user("u2", "a1"), says("a1", "u1", "whole"))
    assert segments(made) == [["u1", "a1", "u2"]]
    assert "whole" in repr(made.messages[1])
    assert "half" in repr(made.branches)
    assert issues(made) == ["duplicate"]


def test_sub_agents_are_sidechains_by_their_chain() -> None:
    side = {"isSidechain": True}
    made = session(
        user("u1", None), user("s1", None, "one", **side), user("s2", None, "two", **side),
        {**says("s3", "s1"), **side}, says("a1", "u1"), user("s4", None, "three", agentId="x", **side),
    )  # fmt: skip
    assert segments(made) == [["u1", "a1"]]
    assert {lane: [message.id for message in side] for lane, side in made.sidechains.items()} == {
        "s1": ["s1", "s3"],
        "s2": ["s2"],
        "x": ["s4"],
    }
    assert issues(made) == ["sidechain"] * 3


def test_copies_of_the_callers_records_in_a_sub_agent_do_not_replace_them() -> None:
    copy = {**user("u1", None), "isSidechain": True, "agentId": "x"}
    made = session(
        user("u1", None), says("a1", "u1"), copy, {**says("s1", "u1"), "isSidechain": True, "agentId": "x"}
    )
    assert segments(made) == [["u1", "a1"]]
    assert [message.id for message in made.sidechains["x"]] == ["u1", "s1"]


def test_a_file_that_is_one_sidechain_is_read_as_what_it_is_about() -> None:
    made = session(
        *({**each, "isSidechain": True, "agentId": "x"} for each in (user("u1", None), says("a1", "u1")))
    )
    assert (segments(made), made.sidechains, issues(made)) == ([["u1", "a1"]], {}, ["sidechain-only"])


def test_parents_that_lead_in_a_circle_are_told_and_end() -> None:
    made = session(user("u1", "a1"), says("a1", "u1"), user("u2", "u2"))
    assert segments(made) == [["u1", "a1", "u2"]]
    assert [message.id for message in made.messages] == ["u1", "a1", "gap-before-u2", "u2"]
    assert "parent-cycle" in issues(made)


def test_a_record_that_replaced_one_before_its_followers_is_not_hung_behind_them() -> None:
    made = session(user("u1", "u1", "half"), says("a1", "u1"), user("u1", "u1", "whole"), user("u2", "a1"))
    assert segments(made) == [["u1", "a1", "u2"]]
    assert "whole" in repr(made.messages[0])
    assert issues(made) == ["duplicate"]


def test_records_of_old_hosts_without_parents_follow_one_another() -> None:
    old = [user("u1", None), says("a1", None), user("u2", None)]
    for each in old:
        del each["parentUuid"]
    made = session(*old)
    assert (segments(made), issues(made)) == ([["u1", "a1", "u2"]], [])


def test_a_new_beginning_is_a_gap_and_not_stitched() -> None:
    made = session(user("u1", None), says("a1", "u1"), user("u2", None), says("a2", "u2"))
    assert (segments(made), issues(made)) == ([["u1", "a1"], ["u2", "a2"]], ["gap"])


nodes = st.lists(
    st.tuples(
        st.sampled_from(["user", "says", "calls", "answers", "progress", "cut"]),
        st.integers(-2, 12),
        st.booleans(),
        st.integers(0, 12),
    ),
    max_size=12,
)


@given(nodes)
def test_every_message_of_any_tree_stands_in_exactly_one_lane(
    drawn: list[tuple[str, int, bool, int]],
) -> None:
    made = []
    for at, (kind, parent, side, twice) in enumerate(drawn):
        ident = f"n{at if twice < 11 else 0}"
        above = None if parent == -1 else "ghost" if parent == -2 else f"n{parent}"
        makers = {
            "user": user(ident, above),
            "says": says(ident, above, reply=f"r{parent % 2}"),
            "calls": calls(ident, above, f"c{parent % 3}"),
            "answers": answers(ident, above, f"c{twice % 3}"),
            "progress": record("progress", ident, above),
            "cut": cut(ident, above, logicalParentUuid=f"n{twice}"),
        }
        made.append({**makers[kind], "isSidechain": side and at % 3 == 0})
    read = entries(file(*made))
    layout = lay_out(read)
    lanes = [*layout.segments, *layout.sidechains.values(), *layout.branches]
    placed = [at for lane in lanes for at in lane]
    assert len(placed) == len(set(placed))
    spoken = {at for at, entry in enumerate(read) if entry.message is not None}
    assert spoken - set(layout.repeated) <= set(placed)


@pytest.mark.parametrize("shape", ["chain", "fan", "islands", "forks"])
@in_time
def test_laying_out_takes_time_in_proportion(shape: str) -> None:
    read = entries(file(*(user(f"n{at}", _parent(shape, at)) for at in range(40_000))))
    must_end(lambda: lay_out(read))


def _parent(shape: str, at: int) -> str | None:
    match shape:
        case _ if at == 0:
            return None
        case "chain":
            return f"n{at - 1}"
        case "fan":
            return "n0"
        case "islands":
            return f"ghost{at}"
        case _:
            return f"n{max(at // 2 * 2 - 2, 0)}"

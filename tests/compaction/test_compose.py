"""From a summary to the message that stands for a span: goal restored, length limited, records word for word."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contextrail.compaction.compose import Task, compose, shorten, without_goal
from contextrail.compaction.frame import free_text
from contextrail.compaction.goal import KINDS, Pin, pins_of
from contextrail.compaction.records import Room, choose
from contextrail.core.ids import MessageId
from contextrail.messages.model import Message, Text
from tests.builders import transcript
from tests.compaction.spans import WORK
from tests.properties.values import texts


def task(limit: int = 400, records: int = 2000, binding: int = 1000) -> Task:
    return Task(
        covered=WORK,
        pins=pins_of(WORK),
        language="en",
        limit=limit,
        records=records,
        binding=binding,
        count=len,
    )


def test_a_goal_that_a_summary_drops_or_rewrites_is_restored() -> None:
    made = compose(task(), "## Goal\nMove payments to v4.\n## State\nThe client uses v3.", check="off")
    assert "Move payments to v3. Do not touch migrations/. The port is 3307, not 3306." in made.text
    assert "v4" not in made.text
    assert made.summary == "## State\nThe client uses v3."
    assert made.text.index("## Goal") < made.text.index("## Summary")


def test_composing_again_from_its_own_text_keeps_the_records() -> None:
    once = compose(task(), "fine", check="off").text
    message = Message(id=MessageId("s"), role="user", parts=(Text(text=once),))
    again = Task(
        covered=(message,),
        pins=pins_of((message,)),
        language="en",
        limit=400,
        records=2000,
        binding=1000,
        count=len,
    )
    twice = compose(again, free_text(once), check="off").text
    records = once.split("\n## Summary")[0].split("\n", 1)[1]
    assert records in twice


@pytest.mark.parametrize(
    ("check", "became", "there"),
    [("enforce", "cut", False), ("report", "kept", True), ("off", "kept", True)],
)
def test_what_becomes_of_a_false_claim(check: str, became: str, there: bool) -> None:  # noqa: FBT001
    said = "The client uses v3 now.\nRetries stay at 5.\nPort 9999."
    made = compose(task(), said, check=check)  # type: ignore[arg-type]
    assert made.became == became
    assert ("9999" in made.text) == there
    assert [flag.claim for flag in made.flags] == ([] if check == "off" else ["9999"])


def test_a_summary_that_fails_its_check_becomes_extractive() -> None:
    made = compose(task(), "It was pushed to port 9999.", check="enforce")
    assert made.became == "extracted"
    assert "`git commit -m fix`" in made.summary


def test_no_summary_asks_for_an_extractive_one() -> None:
    assert "src/pay/client.py: changed" in compose(task(), None, check="enforce").summary


def test_a_flood_is_cut_with_a_mark_that_says_so() -> None:
    made = compose(task(limit=300), "flood " * 5000, check="off")
    assert len(made.summary) <= 300
    assert f"{made.left_out} characters of this summary are left out" in made.summary
    assert made.summary.startswith("flood flood")


@given(texts(), st.integers(60, 400), st.integers(1, 20))
def test_a_shortened_text_is_within_its_limit_and_made_of_the_text(text: str, limit: int, times: int) -> None:
    long = f"{text} " * times
    short, left_out = shorten(long, limit, count=len, language="en")
    assert len(short) <= max(limit, 80)
    if left_out:
        head = short.split("\n[…", 1)[0]
        assert head in long or head.startswith("[…")
    else:
        assert short == long


def test_only_the_goal_section_goes_from_a_summary() -> None:
    assert without_goal("# Goal\nx\n## Goal detail\ny\n## State\nz") == "## Goal detail\ny\n## State\nz"
    assert without_goal("no heading") == "no heading"
    assert without_goal("## 目标\nx") == ""


def room(limit: int, binding: int = 0) -> Room:
    return Room(limit=limit, binding=binding, count=len, language="en")


def kinds(chosen: tuple[Pin, ...]) -> list[str]:
    return [f"{pin.kind} {pin.message}" for pin in chosen]


def test_with_room_every_user_message_stays_whole_and_the_rules_in_it_are_not_said_twice() -> None:
    chosen = choose(pins_of(WORK), WORK, room(5000))
    assert kinds(chosen.records) == ["goal u1", "decision a5", "change a2", "change a4", "open a6", "said u2"]
    assert chosen.left_out == ()


def test_without_much_room_the_rules_stay_and_whole_messages_go() -> None:
    chosen = choose(pins_of(WORK), WORK, room(0, binding=220))
    assert kinds(chosen.records) == ["goal u1", "rule u2", "rule u2"]


def test_the_newest_rules_stay_where_there_is_not_room_for_all() -> None:
    messages = transcript("u0 user go", *(f"u{n} user Never do thing number {n}." for n in range(1, 9)))
    chosen = choose(pins_of(messages), (), room(0, binding=100))
    assert [pin.message for pin in chosen.records] == ["u0", "u7", "u8"]
    assert [pin.message for pin in chosen.left_out] == ["u1", "u2", "u3", "u4", "u5", "u6"]


def test_a_goal_larger_than_the_room_is_cut_visibly_and_reported() -> None:
    messages = transcript("u0 user " + "word " * 400)
    chosen = choose(pins_of(messages), messages, room(0, binding=300))
    assert "characters of this record are left out" in chosen.records[0].text
    assert [pin.kind for pin in chosen.shortened] == ["goal"]


pins = st.builds(
    Pin, st.sampled_from(KINDS), st.text(min_size=1, max_size=30), st.sampled_from("abc").map(MessageId)
)


@given(st.lists(pins, max_size=10, unique=True), st.integers(0, 300))
def test_records_keep_to_their_room_and_every_pin_is_there_or_named_as_left_out(
    given_pins: list[Pin], limit: int
) -> None:
    space = room(limit)
    chosen = choose(given_pins, (), space)
    whole = [pin for pin in chosen.records if pin in given_pins]
    assert sum(map(space.price, whole)) <= limit
    texts_there = "\n".join(pin.text for pin in chosen.records)
    for pin in given_pins:
        assert pin.text in texts_there or pin in chosen.left_out or pin in chosen.shortened

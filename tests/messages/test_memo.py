"""What was found out about a list of messages is given again for the same objects, and only for them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from hypothesis import given
from hypothesis import strategies as st

from contextrail.core.ids import MessageId
from contextrail.messages.memo import Memo
from contextrail.messages.model import Message, Text


def said(number: int) -> Message:
    return Message(id=MessageId(f"m{number}"), role="user", parts=(Text(text=str(number)),))


WORDS = tuple(map(said, range(4)))


class Asked:
    """Gives the ids of a list, and knows how often it was asked."""

    def __init__(self) -> None:
        self.times = 0

    def __call__(self, messages: Sequence[Message]) -> tuple[str, ...]:
        self.times += 1
        return tuple(message.id for message in messages)


def test_the_same_list_is_looked_at_once() -> None:
    memo, find = Memo(), Asked()
    assert memo.of("ids", WORDS, find) == ("m0", "m1", "m2", "m3")
    assert memo.of("ids", list(WORDS), find) == ("m0", "m1", "m2", "m3")
    assert find.times == 1


def test_a_message_that_is_equal_but_another_object_is_looked_at() -> None:
    memo, find = Memo(), Asked()
    memo.of("ids", WORDS, find)
    memo.of("ids", (*WORDS[:3], replace(WORDS[3])), find)
    assert find.times == 2


def test_questions_are_kept_apart() -> None:
    memo = Memo()
    assert memo.of(("length", 1), WORDS, len) == 4
    assert memo.of(("first", 1), WORDS, lambda messages: messages[0].id) == "m0"
    assert memo.of(("length", 1), WORDS[:2], len) == 2


@given(st.lists(st.tuples(st.integers(0, 30), st.lists(st.sampled_from(WORDS), max_size=5)), max_size=60))
def test_an_answer_is_what_would_be_found_anew(asked: list[tuple[int, list[Message]]]) -> None:
    """With more questions than are remembered, in any order."""
    memo = Memo()

    def answer(question: int, messages: Sequence[Message]) -> tuple[int, list[str]]:
        return question, [message.id for message in messages]

    for question, messages in asked:
        assert memo.of(question, messages, partial(answer, question)) == answer(question, messages)

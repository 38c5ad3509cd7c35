from itertools import pairwise

import pytest
from hypothesis import given

from contextrail.core.ids import CallId, MessageId
from contextrail.messages.decision import Decision
from contextrail.messages.model import Message, ToolCall, ToolResult
from contextrail.messages.pairs import cut_points, in_order, pair, units
from contextrail.messages.repeats import one_call_per_id
from contextrail.messages.settle import UNKNOWN, settle
from tests.builders import show, transcript
from tests.properties.effort import FEW
from tests.properties.strategies import histories, orderly_messages


def settled(*lines: str) -> list[str]:
    return show(settle(transcript(*lines))[0])


def reasons(*lines: str) -> list[tuple[str | None, str]]:
    return [(each.message, each.reason) for each in settle(transcript(*lines))[1]]


def test_a_settled_history_comes_back_as_the_same_objects() -> None:
    history = transcript(
        "u1 user hi", "a1 assistant call c1 ls", "t1 tool result c1 a.py", "a2 assistant done"
    )
    messages, decisions = settle(history)
    assert all(after is before for after, before in zip(messages, history, strict=True))
    assert decisions == ()


def test_a_parallel_batch_answered_by_several_messages_is_settled() -> None:
    history = transcript(
        "a1 assistant call c1 ls + call c2 cat", "t2 tool result c2 text", "t1 tool result c1 a.py"
    )
    assert settle(history) == (history, ())


def test_an_unanswered_call_gets_a_result_that_says_the_outcome_is_unknown() -> None:
    lines = ("u1 user deploy", "a1 assistant call c1 deploy", "u2 user stop")
    assert settled(*lines) == [
        "u1 user deploy",
        "a1 assistant call c1 deploy",
        f"a1~outcome tool error c1 {UNKNOWN}",
        "u2 user stop",
    ]
    assert reasons(*lines) == [("a1~outcome", "unanswered-call")]


def test_a_batch_answered_in_part_keeps_its_answers_and_closes_the_rest() -> None:
    assert settled("a1 assistant call c1 ls + call c2 cat", "t1 tool result c1 a.py", "u1 user go on") == [
        "a1 assistant call c1 ls + call c2 cat",
        "t1 tool result c1 a.py",
        f"a1~outcome tool error c2 {UNKNOWN}",
        "u1 user go on",
    ]


def test_a_result_that_another_than_a_tool_gave_becomes_a_tools_and_that_is_written_down() -> None:
    call = Message(id=MessageId("a"), role="assistant", parts=(ToolCall(call_id=CallId("c"), name="ls"),))
    told = Message(id=MessageId("s"), role="system", parts=(ToolResult(call_id=CallId("c")),))
    messages, decisions = settle((call, told))
    assert [message.role for message in messages] == ["assistant", "tool"]
    assert [(each.message, each.reason) for each in decisions] == [("s", "result-of-no-tool")]


def test_a_result_behind_the_users_words_moves_up_to_its_call() -> None:
    lines = ("a1 assistant call c1 ls", "u1 user wait", "t1 tool result c1 a.py")
    assert settled(*lines) == ["a1 assistant call c1 ls", "t1 tool result c1 a.py", "u1 user wait"]
    assert reasons(*lines) == [("t1", "moved-behind-its-call")]


def test_a_result_recorded_before_its_call_is_still_its_answer() -> None:
    assert settled("u1 user list", "t1 tool result c1 a b", "a1 assistant call c1 ls") == [
        "u1 user list",
        "a1 assistant call c1 ls",
        "t1 tool result c1 a b",
    ]


def test_a_result_without_a_call_becomes_text_that_says_so() -> None:
    lines = ("u1 user hi", "t9 tool result c9 left over")
    assert settled(*lines) == [
        "u1 user hi",
        "t9 user <orphan-result> [result of tool call c9, which is not in this history]\nleft over",
    ]
    assert reasons(*lines) == [("t9", "orphan-result")]


def test_a_second_answer_is_text_and_the_first_stays_the_answer() -> None:
    out = settled("a1 assistant call c1 ls", "t1 tool result c1 one", "t2 tool result c1 two")
    assert out[1] == "t1 tool result c1 one"
    assert out[2].startswith("t2 user <orphan-result>")


def test_a_final_result_replaces_its_interim_ones() -> None:
    lines = ("a1 assistant call c1 make", "t1 tool interim c1 job 7", "t2 tool result c1 214 objects")
    assert settled(*lines) == ["a1 assistant call c1 make", "t2 tool result c1 214 objects"]
    assert ("t1", "interim-superseded") in reasons(*lines)


def test_an_interim_result_alone_stays_and_stays_interim() -> None:
    history = transcript("a1 assistant call c1 approve", "t1 tool interim c1 ticket T-9", "u1 user and now")
    assert settle(history) == (history, ())


def test_speech_beside_a_result_is_not_lost() -> None:
    assert settled("a1 assistant call c1 ls", "t1 tool result c1 a.py + and this", "u1 user ok") == [
        "a1 assistant call c1 ls",
        "t1 tool result c1 a.py",
        "t1#2 user and this",
        "u1 user ok",
    ]


def test_a_call_that_no_assistant_made_becomes_text() -> None:
    assert settled("u1 user call c1 ls") == ["u1 user [tool call] ls {}"]


@FEW
@given(histories())
def test_settling_leaves_every_pair_whole(history: tuple[Message, ...]) -> None:
    messages, _ = settle(one_call_per_id(history, step="repair")[0])
    left = pair(messages)
    assert (left.unanswered, left.orphans, left.interim) == ((), (), {})


@FEW
@given(histories())
def test_settling_twice_is_settling_once(history: tuple[Message, ...]) -> None:
    once, _ = settle(one_call_per_id(history, step="repair")[0])
    assert settle(once) == (once, ())


@FEW
@given(histories())
def test_every_message_that_settling_changes_has_a_decision(history: tuple[Message, ...]) -> None:
    messages, decisions = settle(history)
    kept = {id(message) for message in messages}
    named = {decision.message for decision in decisions}
    for message in history:
        if id(message) not in kept and not any(isinstance(part, ToolResult) for part in message.parts):
            assert message.id in named


@FEW
@given(orderly_messages())
def test_a_healthy_history_is_settled(history: tuple[Message, ...]) -> None:
    assert settle(history) == (history, ())


@FEW
@given(orderly_messages())
def test_cutting_between_units_keeps_pairs_whole(history: tuple[Message, ...]) -> None:
    cuts = cut_points(history)
    for low, high in pairwise(cuts):
        rest = pair((*history[:low], *history[high:]))
        assert (rest.unanswered, rest.orphans) == ((), ())


@FEW
@given(histories())
def test_units_cover_the_history_in_order(history: tuple[Message, ...]) -> None:
    assert [at for unit in units(history) for at in unit] == list(range(len(history)))


@pytest.mark.parametrize("decision", settle(transcript("a1 assistant call c1 x"))[1])
def test_decisions_of_this_step_are_named_repair(decision: Decision) -> None:
    assert decision.step == "repair"


@FEW
@given(histories())
def test_the_quick_look_agrees_with_pairing(history: tuple[Message, ...]) -> None:
    paired = pair(history)
    if in_order(history):
        assert (paired.unanswered, paired.orphans, paired.interim) == ((), (), {})
        assert settle(history) == (history, ())


@FEW
@given(orderly_messages())
def test_units_are_the_same_by_the_quick_way_and_by_pairing(history: tuple[Message, ...]) -> None:
    assert in_order(history)
    stray = ToolResult(call_id=CallId("stray"))
    odd = Message(id=MessageId("odd"), role="tool", parts=(stray,))
    assert units((*history, odd))[:-1] == units(history)


def test_calls_recorded_one_by_one_are_one_batch_and_a_word_behind_a_call_is_not() -> None:
    batch = transcript(
        "a1 assistant call c1 ls", "a2 assistant call c2 cat", "t1 tool result c1 x", "t2 tool result c2 y"
    )
    assert settle(batch) == (batch, ())
    assert settled("a1 assistant call c1 ls", "a2 assistant well", "t1 tool result c1 x") == [
        "a1 assistant call c1 ls",
        "t1 tool result c1 x",
        "a2 assistant well",
    ]

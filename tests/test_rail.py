"""Rail: a body in, a legal body out, each number with its source, memory that changes nothing."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contextrail import (
    BudgetExceeded,
    Conversation,
    InvalidRequest,
    Policy,
    Rail,
    decode,
    lint,
    policy_from,
    tokenizer,
)
from contextrail.core.ids import CallId, MessageId
from contextrail.core.json_text import dump_text
from contextrail.messages.model import Message, Text, Thinking, ToolCall
from contextrail.wire.memory import Memory
from tests.builders import transcript
from tests.properties.effort import FEW
from tests.wire.cassettes import exchanges

BODY: dict[str, Any] = {
    "model": "claude-sonnet-4-5",
    "max_tokens": 700,
    "system": "be brief",
    "messages": [
        {"role": "user", "content": "list the files"},
        {
            "role": "assistant",
            "content": [{"type": "tool_use", "id": "toolu_1", "name": "ls", "input": {"path": "."}}],
        },
        {
            "role": "user",
            "content": [{"type": "tool_result", "tool_use_id": "toolu_1", "content": "a.py b.py"}],
        },
        {"role": "assistant", "content": "a.py and b.py"},
        {"role": "user", "content": "read the first"},
    ],
}


def test_the_five_lines_of_the_front_page() -> None:
    conversation = decode(BODY)
    request = Rail(Policy(), window=32_000).build(conversation)
    assert request.body == BODY
    assert lint(request.body, request.target) == ()
    assert {row["verdict"] for row in request.trace()["messages"]} == {"kept"}


@pytest.mark.parametrize(
    "target", ["openai-chat", "openai-responses", "gemini", "openai-chat:mistral", "neutral"]
)
def test_a_body_of_one_provider_becomes_a_legal_body_of_another(target: str) -> None:
    request = Rail(target=target).build(BODY)
    assert request.findings == ()
    assert "a.py b.py" in str(request.body)


def test_window_and_reserve_say_where_they_come_from() -> None:
    policy = policy_from({"budget": {"max_tokens": 9_000, "reserved_for_response": 500}})
    request = Rail(policy, window=20_000, reserve_output=600).build(BODY)
    assert (request.inputs.window, request.inputs.window_from) == (9_000, "policy")
    assert (request.inputs.reserve, request.inputs.reserve_from) == (700, "body")
    assert Rail().build(BODY).inputs.window_from == "model table"
    assert Rail(model="a-model-nobody-knows").build(BODY).inputs.window == 120_000


def test_the_tokenizer_is_injected_else_named_else_the_policys_else_the_models() -> None:
    policy = policy_from({"token_estimation": {"encoding": "cl100k_base"}})
    assert Rail(policy, tokenizer=tokenizer("bytes")).build(BODY).inputs.counter.id == "bytes"
    assert Rail(policy, tokenizer="o200k").build(BODY).inputs.counter.id == "o200k"
    assert Rail(policy).build(BODY).inputs.counter.id == "cl100k"
    assert Rail().build(BODY).inputs.counter.id == "auto"


def test_a_model_of_another_provider_is_replaced_and_said_so() -> None:
    request = Rail(target="openai-chat").build(BODY)
    assert request.body["model"] == "gpt-5"
    [decision] = [each for each in request.decisions if each.reason == "model-of-another-provider"]
    assert decision.detail == {"was": "claude-sonnet-4-5", "model": "gpt-5"}


def test_a_conversation_without_messages_is_refused() -> None:
    with pytest.raises(InvalidRequest, match="no message"):
        Rail(target="anthropic").build({**BODY, "messages": []})


@pytest.mark.parametrize("target", ["anthropic", "openai-chat", "openai-responses", "gemini"])
def test_a_conversation_that_says_nothing_or_of_which_nothing_fits_is_an_error(target: str) -> None:
    silent = Conversation(messages=transcript("a1 assistant"))
    with pytest.raises(InvalidRequest, match="says anything"):
        Rail(target=target).build(silent)
    large = Conversation(messages=transcript("a1 assistant call c1 ls", "t1 tool result c1 " + "x" * 400))
    with pytest.raises(BudgetExceeded) as caught:
        Rail(target=target, window=5, tokenizer="chars:4").build(large)
    needed, available = (caught.value.facts[name] for name in ("needed", "available"))
    assert isinstance(needed, int)
    assert isinstance(available, int)
    assert needed > available


def test_what_the_whole_conversation_would_meet_is_told() -> None:
    broken = {**BODY, "messages": BODY["messages"][2:]}
    request = Rail(window=32_000).build(broken, compare=True)
    assert {finding.rule for finding in request.before} == {"anthropic.result-stray"}
    assert request.findings == ()


def test_a_rail_that_has_built_before_builds_the_same() -> None:
    small = {**BODY, "max_tokens": 30}
    used = Rail(target="anthropic", window=150, tokenizer="o200k")
    later = {**small, "messages": [*BODY["messages"], {"role": "user", "content": "and the second"}]}
    for body in (small, later, small, {**small, "messages": BODY["messages"][:1]}, later):
        fresh = Rail(target="anthropic", window=150, tokenizer="o200k").build(body)
        again = used.build(body)
        assert (again.body, again.decisions, again.cost) == (fresh.body, fresh.decisions, fresh.cost)


BODIES = [each for each in exchanges() if each.provider in {"anthropic", "openai-chat"}]


@FEW
@given(st.lists(st.sampled_from(BODIES), min_size=1, max_size=4), st.data())
def test_memory_reads_what_decode_reads_after_any_other_bodies(
    given_bodies: list[Any], data: st.DataObject
) -> None:
    memory = Memory()
    for exchange in given_bodies:
        body = exchange.request
        cut = data.draw(st.integers(0, len(body["messages"])))
        for grown in ({**body, "messages": body["messages"][:cut]}, body):
            assert memory.decode(grown, exchange.provider) == decode(grown, exchange.provider)


def test_what_the_target_may_not_hear_takes_no_room_from_what_must_be_kept() -> None:
    thought = Thinking(text="x" * 400, signature="sig", wire="anthropic")
    said = Message(id=MessageId("u1"), role="user", parts=(thought, Text(text="go on")))
    request = Rail(target="openai-responses", window=40, tokenizer="chars:4").build(
        Conversation(messages=(said,))
    )
    assert request.findings == ()
    assert "misplaced-thinking" in {each.reason for each in request.decisions}


def test_what_the_wire_form_adds_leaves_out_just_what_is_in_excess() -> None:
    """Mistral wants a line of the user behind the assistant's last word: without that word the question fits."""
    question = "rename foo to bar in src/app/main.py:12 " * 4
    said = Conversation(messages=transcript(f"u1 user {question.strip()}", "a1 assistant go on"))
    request = Rail(target="openai-chat:mistral", window=44, tokenizer="chars:4", reserve_output=0).build(said)
    assert [message["role"] for message in request.body["messages"]] == ["user"]


CALLS = tuple(
    ToolCall(call_id=CallId(f"call_{at}"), name="read_file", arguments='{"path":"src/app.py"}')
    for at in range(3)
)


@pytest.mark.parametrize("target", ["anthropic", "openai-chat", "openai-responses", "gemini"])
def test_where_one_window_has_room_for_a_message_a_larger_one_has_too_and_no_request_is_a_marker_alone(
    target: str,
) -> None:
    said = Conversation(
        messages=(
            Message(id=MessageId("a1"), role="assistant", parts=CALLS),
            Message(id=MessageId("u0"), role="user", parts=(Text(text=""),)),
        )
    )
    smallest = None
    needed: list[tuple[Any, int]] = []
    for window in range(20, 120, 4):
        try:
            request = Rail(target=target, window=window, tokenizer="chars:4").build(said)
        except BudgetExceeded as error:
            needed.append((error.facts["needed"], window))
        else:
            smallest = smallest or window
            assert "read_file" in dump_text(request.body)
    assert smallest is not None
    assert all(window < smallest and cost > window for cost, window in needed)
    assert smallest < 60


def test_where_a_line_of_the_wire_form_is_one_token_too_much_the_last_answer_gives_way() -> None:
    said = Conversation(
        messages=(
            Message(id=MessageId("u0"), role="user", parts=(Text(text="ok " * 29),)),
            Message(id=MessageId("a1"), role="assistant", parts=(Text(text="rename foo to bar in main"),)),
        )
    )
    whole = Rail(target="openai-chat:mistral", tokenizer="chars:4").build(said)
    short = Rail(target="openai-chat:mistral", tokenizer="chars:4", window=whole.cost.high - 1).build(said)
    assert [message["role"] for message in whole.body["messages"]] == ["user", "assistant", "user"]
    assert [message["role"] for message in short.body["messages"]] == ["user"]

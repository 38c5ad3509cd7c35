"""The last step: any messages as one legal body of a provider; the neutral form as it is."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given

from contextrail import Conversation, InvalidRequest, format_agent_llm_messages, lint
from contextrail.wire import neutral
from tests.builders import transcript
from tests.properties.strategies import conversations

CALLED = Conversation(
    messages=transcript(
        "u1 user Fix it",
        'a1 assistant call c1 read {"path":"a.py"}',
        "t1 tool result c1 x = 1",
        "u2 user Go on",
    ),
    model="any",
)


@pytest.mark.parametrize("target", ["anthropic", "openai-chat", "openai-responses", "gemini"])
@given(conversation=conversations())
def test_what_is_formatted_for_a_provider_has_no_finding(target: str, conversation: Conversation) -> None:
    named = replace(conversation, model="any")
    made = format_agent_llm_messages(named, target, max_output=1_000)
    if made.sent.messages:
        assert made.findings == ()
        assert lint(made.body, target, model=made.sent.model) == ()


def test_the_neutral_form_is_written_as_it_is() -> None:
    made = format_agent_llm_messages(CALLED, "neutral")
    assert made.body == neutral.encode(CALLED)
    assert made.decisions == ()


def test_what_had_to_be_done_is_told_message_by_message() -> None:
    owed = Conversation(messages=CALLED.messages[:2], model="any")
    made = format_agent_llm_messages(owed, "anthropic", max_output=100)
    assert [(each.message, each.reason) for each in made.decisions if each.verdict != "kept"] != []


def test_a_target_nobody_knows_is_refused() -> None:
    with pytest.raises(InvalidRequest):
        format_agent_llm_messages(CALLED, "nobody")

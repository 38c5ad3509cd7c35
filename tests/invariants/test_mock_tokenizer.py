"""The mock tokenizer: plain counts, and a tally of what it was asked."""

from __future__ import annotations

import pytest

from contextrail import Conversation, InvalidRequest, Rail, Tool
from contextrail.messages.model import Text
from contextrail.testing import create_mock_tokenizer
from tests.builders import transcript

MESSAGES = transcript("u user hello", "a assistant a longer answer")


def test_by_default_it_counts_like_the_mock_of_linnkit() -> None:
    mock = create_mock_tokenizer()
    assert mock.message(MESSAGES[0]).high == 50
    assert (mock.text("anything").high, mock.text("").high) == (10, 0)
    assert mock.body(Conversation(messages=MESSAGES)).high == 100


def test_the_body_holds_system_and_tools() -> None:
    mock = create_mock_tokenizer(tokens_per_message=7, tokens_per_text=3)
    tools = (Tool(name="ls"), Tool(name="cat", description="Print a file."))
    conversation = Conversation(system=(Text(text="be brief"),), tools=tools, messages=MESSAGES)
    assert mock.body(conversation).high == 3 * 3 + 2 * 7


def test_it_counts_characters_if_asked() -> None:
    mock = create_mock_tokenizer(chars_per_token=4)
    assert mock.message(MESSAGES[0]).high == 2
    assert mock.text("123456789").high == 3
    assert mock.id == "mock:chars:4"


def test_it_tells_what_it_was_asked() -> None:
    mock = create_mock_tokenizer()
    request = Rail(target="neutral", tokenizer=mock).build(Conversation(messages=MESSAGES))
    assert request.inputs.counter.id == "mock:50:10"
    assert mock.asked >= {"u", "a"}
    assert mock.calls["message"] > 0
    assert mock.calls["body"] > 0
    before = mock.calls["text"]
    mock.text("once more")
    assert mock.calls["text"] == before + 1


@pytest.mark.parametrize(
    "number", [{"tokens_per_message": 0}, {"tokens_per_text": -1}, {"chars_per_token": 0}]
)
def test_numbers_below_one_are_refused(number: dict[str, int]) -> None:
    with pytest.raises(InvalidRequest, match=next(iter(number))):
        create_mock_tokenizer(**number)

"""Dialogues of a public benchmark in which call ids repeat: every result still answers its own call."""

from __future__ import annotations

from typing import Any, Final

import pytest

from contextrail.core.json_text import JsonObject, dump_text, parse_object
from contextrail.messages.model import Conversation, Message, ToolCall, ToolResult
from contextrail.messages.pairs import pair, units
from contextrail.wire.codec import decode
from tests.transcripts.hosts import DATA, as_neutral, session

FILE: Final = DATA / "tau2-airline-gptoss" / "airline_gpt-oss-120b_longest12.json"
DIALOGUES: Final[list[JsonObject]] = parse_object(FILE.read_bytes(), place="tau2")["simulations"]
CASES: Final = pytest.mark.parametrize("dialogue", range(12))


def as_chat(message: JsonObject) -> JsonObject:
    """A message of the benchmark in the provider's form."""
    said: dict[str, Any] = {"role": message["role"], "content": message["content"]}
    if message["role"] == "tool":
        said["tool_call_id"] = message["id"]
    if message.get("tool_calls"):
        said["tool_calls"] = [
            {
                "id": call["id"],
                "type": "function",
                "function": {"name": call["name"], "arguments": dump_text(call["arguments"])},
            }
            for call in message["tool_calls"]
        ]
    return said


def conversation(dialogue: int) -> Conversation:
    return decode({"messages": [as_chat(each) for each in DIALOGUES[dialogue]["messages"]]}, "openai-chat")


def test_there_are_twelve_and_ten_of_them_repeat_an_id() -> None:
    repeated = 0
    for at in range(12):
        ids = [
            part.call_id
            for each in conversation(at).messages
            for part in each.parts
            if isinstance(part, ToolCall)
        ]
        repeated += len(set(ids)) < len(ids)
    assert (len(DIALOGUES), repeated) == (12, 10)


@CASES
def test_every_call_but_those_at_the_end_has_the_result_that_follows_it(dialogue: int) -> None:
    messages = conversation(dialogue).messages
    paired = pair(messages)
    assert paired.orphans == ()
    for call, result in paired.answer.items():
        made, got = messages[call[0]].parts[call[1]], messages[result[0]].parts[result[1]]
        assert isinstance(made, ToolCall)
        assert isinstance(got, ToolResult)
        assert made.call_id == got.call_id
        between = messages[call[0] + 1 : result[0]]
        assert all(each.role == "tool" for each in between)


@CASES
def test_a_reply_and_its_results_are_one_unit(dialogue: int) -> None:
    messages = conversation(dialogue).messages
    for unit in units(messages):
        roles = [messages[at].role for at in unit]
        assert roles[0] != "tool"
        assert roles[1:] == ["tool"] * (len(roles) - 1)


@CASES
def test_dialogues_that_the_assistant_opens_come_back_from_a_neutral_file(dialogue: int) -> None:
    messages: tuple[Message, ...] = conversation(dialogue).messages
    assert messages[0].role == "assistant"
    read = session("neutral", as_neutral(messages)).messages
    assert [(each.id, each.role, each.parts, each.run) for each in read] == [
        (each.id, each.role, each.parts, each.run) for each in messages
    ]

"""The tool that reads handles: whole texts, pages that join, clear refusals."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contextrail import ContextGetTool, Conversation, InvalidRequest, Message, Text, encode
from contextrail.core.blobs import handle_of
from contextrail.core.errors import NotFound
from contextrail.core.ids import CallId, MessageId
from contextrail.core.json_text import JsonObject
from contextrail.history.tool_output import reads_handle
from contextrail.messages.model import ToolCall
from contextrail.testing import MemoryBlobs
from contextrail.wire.lint import lint


def kept(text: str, page_bytes: int = 24_000) -> tuple[ContextGetTool, str]:
    store = MemoryBlobs()
    return ContextGetTool(store=store, page_bytes=page_bytes), handle_of(store.put(text.encode()))


def test_a_handle_gives_the_text_it_stands_for() -> None:
    tool, handle = kept("line one\nline two 店\n")
    assert tool.run({"handle": handle}) == "line one\nline two 店\n"


@given(st.text(min_size=1, max_size=200).filter(lambda text: "[bytes" not in text), st.integers(4, 40))
def test_pages_join_to_the_whole_text(text: str, size: int) -> None:
    tool, handle = kept(text, size)
    joined, offset = "", 0
    while True:
        answer = tool.run({"handle": handle, "offset": offset})
        more = re.search(r"\n\[bytes \d+ to (\d+) of \d+; go on with offset \d+\]\Z", answer)
        if more is None:
            break
        joined += answer[: more.start()]
        offset = int(more[1])
    assert joined + answer == text


def test_what_it_answers_is_known_as_what_a_handle_gave() -> None:
    tool, handle = kept("x")
    assert reads_handle(
        ToolCall(call_id=CallId("c1"), name=tool.name, arguments=f'{{"handle": "see {handle}"}}')
    )


@pytest.mark.parametrize("target", ["anthropic", "openai-chat", "openai-responses", "gemini"])
def test_its_definition_is_legal_for_every_provider(target: str) -> None:
    tool, _ = kept("x")
    said = Message(id=MessageId("u1"), role="user", parts=(Text(text="go on"),))
    conversation = Conversation(messages=(said,), tools=(tool.tool,), model="any", max_output=100)
    assert lint(encode(conversation, target), target) == ()


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        ({}, "handle is None"),
        ({"handle": "the big file"}, "not a handle"),
        ({"handle": "HANDLE", "offset": "3"}, "not a number"),
        ({"handle": "HANDLE", "offset": True}, "not a number"),
        ({"handle": "HANDLE", "offset": 2}, "not within 0 and 1"),
    ],
)
def test_a_call_that_cannot_be_answered_says_what_is_wrong(arguments: JsonObject, word: str) -> None:
    tool, handle = kept("x")
    given = {name: handle if value == "HANDLE" else value for name, value in arguments.items()}
    with pytest.raises(InvalidRequest, match=word):
        tool.run(given)


def test_a_handle_of_nothing_is_not_found() -> None:
    tool, _ = kept("x")
    with pytest.raises(NotFound):
        tool.run({"handle": "blob:" + "0" * 16})


def test_a_tool_without_a_name_or_with_pages_too_short_for_a_character_is_refused() -> None:
    with pytest.raises(InvalidRequest, match="no name"):
        ContextGetTool(store=MemoryBlobs(), name=" ")
    with pytest.raises(InvalidRequest, match="page_bytes"):
        ContextGetTool(store=MemoryBlobs(), page_bytes=3)

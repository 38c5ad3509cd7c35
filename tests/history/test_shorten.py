"""Shorter forms of results and calls."""

from __future__ import annotations

import pytest

from contextrail.core.ids import CallId
from contextrail.core.json_text import dump_text, parse_object
from contextrail.history.shorten import ARGUMENT_CHARS, short_call, shorten
from contextrail.messages.model import ToolCall
from tests.history.contexts import context, words

ODD = ["\ud83d half of a pair", "a \x00 sign", "店铺 👩‍👩‍👧‍👦", '"\\ quoted']


@pytest.mark.parametrize("odd", ODD)
def test_a_call_is_shortened_and_keeps_every_other_value(odd: str) -> None:
    content = "x" * (ARGUMENT_CHARS + 1)
    arguments = dump_text({"path": [odd], "content": content})
    short, blobs = short_call(ToolCall(call_id=CallId("c1"), name="write", arguments=arguments), context())
    shown = parse_object(short.arguments, place="arguments")
    assert shown["path"] == [odd]
    assert len(str(shown["content"])) < ARGUMENT_CHARS
    assert [blob.text for blob in blobs] == [content]


@pytest.mark.parametrize("odd", ODD)
def test_a_text_is_shortened_to_its_limit_and_the_whole_is_kept(odd: str) -> None:
    text = f"FIRST {odd * 100} LAST"
    short, (blob,) = shorten(text, 60, context())
    assert words(short) <= 60
    assert short.startswith("FIRST")
    assert short.endswith("LAST")
    assert blob.text == text
    assert blob.handle in short

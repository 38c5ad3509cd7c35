"""Single mends: what exactly becomes of a place at fault."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from contextrail.core.json_text import JsonObject
from contextrail.wire.finding import json_path
from contextrail.wire.mends_edit import drop, insert, parse_path, put
from contextrail.wire.repair import repair
from tests.wire.lint_case import PNG
from tests.wire.sound_messages import MARK


def user(*blocks: Any) -> JsonObject:
    return {"messages": [{"role": "user", "content": list(blocks)}]}


def test_a_wrong_declaration_is_put_right_and_the_image_stays() -> None:
    for declared in ("image/jpeg", "image/jpg", "application/octet-stream"):
        image = {"type": "image", "source": {"type": "base64", "media_type": declared, "data": PNG}}
        (block,) = repair(user(image), "anthropic").body["messages"][0]["content"]
        assert block["source"] == {"type": "base64", "media_type": "image/png", "data": PNG}
    url = {"type": "image_url", "image_url": {"url": f"data:image/bmp;base64,{PNG}", "detail": "low"}}
    (part,) = repair(user(url), "openai-chat").body["messages"][0]["content"]
    assert part == {
        "type": "image_url",
        "image_url": {"url": f"data:image/png;base64,{PNG}", "detail": "low"},
    }


def test_a_text_sent_as_base64_is_sent_as_text() -> None:
    source = {"type": "base64", "media_type": "text/csv", "data": "YSxi"}
    (block,) = repair(user({"type": "document", "source": source, "title": "t"}), "anthropic").body[
        "messages"
    ][0]["content"]
    assert block == {
        "type": "document",
        "source": {"type": "text", "media_type": "text/plain", "data": "a,b"},
        "title": "t",
    }


def test_the_cache_mark_of_an_image_that_goes_stays_on_the_line_that_describes_it() -> None:
    source = {"type": "base64", "media_type": "image/png", "data": "%%%"}
    image = {"type": "image", "source": source, "cache_control": MARK}
    (block,) = repair(user(image), "anthropic").body["messages"][0]["content"]
    assert block == {"type": "text", "text": "[image: image/png]", "cache_control": MARK}


def test_the_last_marks_of_tools_system_and_messages_are_kept() -> None:
    def marked(text: str) -> JsonObject:
        return {"type": "text", "text": text, "cache_control": MARK}

    tools = [{"name": name, "input_schema": {"type": "object"}, "cache_control": MARK} for name in "ab"]
    body = {**user(marked("1"), marked("2"), marked("3")), "tools": tools, "system": [marked("s")]}
    mended = repair(body, "anthropic").body
    marks = [
        [("cache_control" in each) for each in listed]
        for listed in (mended["tools"], mended["system"], mended["messages"][0]["content"])
    ]
    assert marks == [[False, True], [True], [False, True, True]]


def test_thinking_that_is_turned_off_takes_the_edits_that_need_it_along() -> None:
    edits = [{"type": "clear_thinking_20251015"}, {"type": "clear_tool_uses_20250919"}]
    body = {
        **user({"type": "text", "text": "hi"}),
        "thinking": {"type": "enabled", "budget_tokens": 9},
        "context_management": {"edits": edits},
    }
    mended = repair(body, "anthropic").body
    assert "thinking" not in mended
    assert mended["context_management"] == {"edits": edits[1:]}


def test_a_part_that_only_carries_a_signature_keeps_it() -> None:
    contents = [
        {"role": "user", "parts": [{"text": "hi"}]},
        {"role": "model", "parts": [{"text": "so"}, {"thoughtSignature": "c2ln"}]},
        {"role": "user", "parts": [{"text": "on"}]},
    ]
    mended = repair({"contents": contents}, "gemini").body
    assert mended["contents"][1]["parts"] == [{"text": "so"}, {"text": "", "thoughtSignature": "c2ln"}]


def test_a_call_that_has_no_form_of_one_is_told_in_words() -> None:
    call = {"type": "function", "function": None, "id": "c"}
    body = {
        "messages": [
            {"role": "user", "content": "go"},
            {"role": "assistant", "content": "so", "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "c", "content": "ok"},
        ]
    }
    mended = repair(body, "openai-chat").body["messages"]
    assert "tool_calls" not in mended[1]
    assert [part["text"] for part in mended[1]["content"]] == [
        "so",
        f"[tool call] {json.dumps(call, separators=(',', ':'))}",
    ]
    assert mended[2]["role"] == "user"
    assert mended[2]["content"].endswith("\nok")


def test_a_message_of_an_unknown_role_says_whose_it_was() -> None:
    body = {"messages": [{"role": "wizard", "content": "abracadabra"}]}
    assert repair(body, "anthropic").body["messages"] == [
        {
            "role": "user",
            "content": [
                {"type": "text", "text": '[a message of role "wizard"]'},
                {"type": "text", "text": "abracadabra"},
            ],
        }
    ]


def test_dropped_reasoning_frees_what_it_led_to_from_the_servers_id() -> None:
    reasoning = {"type": "reasoning", "id": "rs_1", "summary": []}
    call = {"type": "function_call", "id": "fc_1", "call_id": "c", "name": "read", "arguments": "{}"}
    done = {"type": "function_call_output", "call_id": "c", "output": "ok"}
    body = {
        "model": "gpt-5",
        "store": False,
        "input": [{"role": "user", "content": "go"}, reasoning, call, done],
    }
    mended = repair(body, "openai-responses").body
    assert mended["input"] == [body["input"][0], {key: call[key] for key in call if key != "id"}, done]  # type: ignore[index]


def test_a_signature_that_was_lost_is_put_back_on_the_same_call_only() -> None:
    def loop(path: str, **signed: str) -> JsonObject:
        call = {"functionCall": {"name": "read", "args": {"path": path}, "id": "c1"}, **signed}
        done = {"functionResponse": {"name": "read", "id": "c1", "response": {"output": "ok"}}}
        ask = {"role": "user", "parts": [{"text": "go"}]}
        return {"contents": [ask, {"role": "model", "parts": [call]}, {"role": "user", "parts": [done]}]}

    signed = loop("a", thoughtSignature="c2ln")
    assert repair(loop("a"), "gemini", before=signed).body == signed
    other = repair(loop("b"), "gemini", before=signed).body
    assert other == loop("b", thoughtSignature="skip_thought_signature_validator")


# Places


@given(st.lists(st.integers(0, 99) | st.text(), max_size=6).map(tuple))
def test_a_place_is_read_back_from_its_text(path: tuple[int | str, ...]) -> None:
    assert parse_path(json_path(path)) == path


def test_an_edit_shares_all_but_the_way_to_the_place_and_changes_nothing_that_is_not_there() -> None:
    body: JsonObject = {"a": [{"b": 1}, {"c": 2}], "d": {}}
    edited = put(body, ("a", 0, "b"), 3)
    assert edited == {"a": [{"b": 3}, {"c": 2}], "d": {}}
    assert edited["a"][1] is body["a"][1]
    assert body == {"a": [{"b": 1}, {"c": 2}], "d": {}}
    assert drop(body, ("a", 0)) == {"a": [{"c": 2}], "d": {}}
    assert insert(body, ("a", 1), 7)["a"] == [{"b": 1}, 7, {"c": 2}]
    for nowhere in (("x", 0), ("a", 9), ("a", "b"), ("a", 0, "b", "c"), ("d", 0)):
        assert put(body, (*nowhere, "x"), 1) is body
        assert drop(body, nowhere) is body

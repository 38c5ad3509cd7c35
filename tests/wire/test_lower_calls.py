"""Pairs, ids, names and reasoning, made legal for one target."""

from __future__ import annotations

from dataclasses import replace

from contextrail.core.digest import text_digest
from contextrail.core.ids import CallId, MessageId
from contextrail.core.json_text import JsonObject
from contextrail.messages.model import (
    Text,
    Thinking,
    ToolCall,
    ToolResult,
)
from contextrail.messages.settle import UNKNOWN
from contextrail.wire.lint import lint
from tests.builders import show
from tests.wire.lowering import ASK, lowered, read, reasons, said, shown

# Pairs


def test_a_parallel_batch_in_several_items_stays_as_it_is_while_its_open_call_is_closed() -> None:
    def call(ident: str) -> JsonObject:
        return {"type": "function_call", "call_id": ident, "name": "read", "arguments": "{}"}

    done = {"type": "function_call_output", "call_id": "a", "output": "ok"}
    body = {"input": [{"role": "user", "content": "go"}, call("a"), call("b"), done]}
    out, _ = read(body, "openai-responses")
    assert out["input"][:4] == body["input"]
    assert out["input"][4] == {"type": "function_call_output", "call_id": "b", "output": UNKNOWN}


def test_a_parallel_batch_in_several_messages_is_one_message_for_chat() -> None:
    lines = (
        "u user go",
        "a1 assistant call c1 ls",
        "a2 assistant call c2 cat",
        "t1 tool result c1 x",
        "t2 tool result c2 y",
    )
    assert shown(*lines, name="openai-chat") == [
        "u user go",
        "a1 assistant call c1 ls + call c2 cat",
        "t1 tool result c1 x",
        "t2 tool result c2 y",
    ]
    assert shown(*lines, name="anthropic") == list(lines)


def test_a_call_that_the_server_runs_gets_no_result_from_us() -> None:
    shell = {"type": "shell_call", "call_id": "s", "action": {"commands": ["ls"]}}
    open_call = {"type": "custom_tool_call", "call_id": "c", "name": "sql", "input": "select 1"}
    out, _ = read({"input": [{"role": "user", "content": "go"}, shell, open_call]}, "openai-responses")
    assert [each.get("type") for each in out["input"][1:]] == [
        "shell_call",
        "custom_tool_call",
        "custom_tool_call_output",
    ]


def test_a_call_whose_result_is_a_picture_of_the_screen_becomes_text() -> None:
    click = {"type": "computer_call", "call_id": "s", "action": {"type": "click", "x": 1, "y": 2}}
    out, decisions = read({"input": [{"role": "user", "content": "go"}, click]}, "openai-responses")
    assert out["input"][1]["role"] == "assistant"
    assert out["input"][1]["content"][0]["text"].startswith("[tool call] computer ")
    assert [each.reason for each in decisions] == ["unanswerable-call-as-text"]


def test_outputs_of_calls_that_the_server_remembers_are_left_alone() -> None:
    done = {"type": "function_call_output", "call_id": "earlier", "output": "ok"}
    open_call = {"type": "function_call", "call_id": "b", "name": "read", "arguments": "{}"}
    body = {"input": [done, open_call], "previous_response_id": "resp_1"}
    out, decisions = read(body, "openai-responses")
    assert out["input"][:2] == body["input"]
    assert [each.reason for each in decisions] == ["unanswered-call"]


def test_old_calls_of_functions_are_left_alone_while_others_are_closed() -> None:
    old = {"role": "assistant", "content": None, "function_call": {"name": "f", "arguments": "{}"}}
    call = {"id": "c", "type": "function", "function": {"name": "g", "arguments": "{}"}}
    new = {"role": "assistant", "content": None, "tool_calls": [call]}
    answer = {"role": "function", "name": "f", "content": "ok"}
    body = {"messages": [old, {"role": "user", "content": "x"}, answer, old, new]}
    out, _ = read(body, "openai-chat")
    assert out["messages"] == [*body["messages"], {"role": "tool", "tool_call_id": "c", "content": UNKNOWN}]


def test_results_of_one_reply_in_several_messages_become_one_for_anthropic() -> None:
    def use(ident: str) -> JsonObject:
        return {"type": "tool_use", "id": ident, "name": "read", "input": {}}

    def done(ident: str) -> JsonObject:
        return {"type": "tool_result", "tool_use_id": ident, "content": "ok"}

    ask = {"role": "user", "content": "go"}
    split = [{"role": "user", "content": [done(ident)]} for ident in ("a", "b")]
    reply = {"role": "assistant", "content": [use("a"), use("b")]}
    out, _ = read({"messages": [ask, reply, *split]}, "anthropic")
    assert out["messages"] == [ask, reply, {"role": "user", "content": [done("a"), done("b")]}]


def test_a_call_right_behind_the_model_is_joined_with_what_it_said_for_gemini() -> None:
    call = {"functionCall": {"name": "read", "args": {}}}
    done = {"role": "user", "parts": [{"functionResponse": {"name": "read", "response": {"output": "ok"}}}]}
    ask = {"role": "user", "parts": [{"text": "go"}]}
    body = {
        "contents": [
            ask,
            {"role": "model", "parts": [{"text": "so"}]},
            {"role": "model", "parts": [call]},
            done,
        ]
    }
    out, _ = read(body, "gemini")
    assert out["contents"] == [ask, {"role": "model", "parts": [{"text": "so"}, call]}, done]


def test_a_result_goes_to_gemini_under_the_name_of_its_call() -> None:
    call = ToolCall(call_id=CallId("c"), name="写文件")
    result = ToolResult(call_id=CallId("c"), name="something else", parts=(Text(text="ok"),))
    messages, _ = lowered(ASK, said("a", "assistant", call), said("t", "tool", result), name="gemini")
    (called,), (answered,) = messages[1].parts, messages[2].parts
    assert isinstance(called, ToolCall)
    assert isinstance(answered, ToolResult)
    assert called.name == answered.name != "写文件"


# Ids and names


def test_a_tool_is_called_by_its_new_name_in_definition_choice_and_calls() -> None:
    call = {"type": "tool_use", "id": "t", "name": "a.b", "input": {}}
    done = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t", "content": "ok"}]}
    body = {
        "tools": [{"name": "a.b", "input_schema": {"type": "object"}}],
        "tool_choice": {"type": "tool", "name": "a.b"},
        "messages": [{"role": "user", "content": "go"}, {"role": "assistant", "content": [call]}, done],
    }
    out, _ = read(body, "anthropic")
    name = out["tools"][0]["name"]
    assert name != "a.b"
    assert out["tool_choice"]["name"] == out["messages"][1]["content"][0]["name"] == name
    assert lint(out, "anthropic") == ()


def test_a_call_without_a_name_is_called_unnamed() -> None:
    call = ToolCall(call_id=CallId("c"), name="")
    result = ToolResult(call_id=CallId("c"), parts=(Text(text="ok"),))
    messages, _ = lowered(ASK, said("a", "assistant", call), said("t", "tool", result), name="openai-chat")
    assert show(messages)[1] == "a assistant call c unnamed"


def test_old_ids_of_openai_stay_where_its_servers_take_them() -> None:
    call = {"id": "fc 1|rs:2", "type": "function", "function": {"name": "a.b", "arguments": "[1]"}}
    body = {
        "model": "llama-3.3-70b",
        "messages": [
            {"role": "user", "content": "go"},
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "fc 1|rs:2", "content": "ok"},
        ],
    }
    assert read(body, "openai-chat") == (body, ())


# Reasoning


def test_altered_thinking_takes_all_thinking_of_its_turn_along_and_no_other() -> None:
    def thought(text: str, given_for: str | None = None) -> Thinking:
        return Thinking(text=text, signature="s", wire="anthropic", bound=text_digest(given_for or text))

    first = said("a1", "assistant", thought("early"), Text(text="hi"))
    turn = said("a2", "assistant", thought("one"), Text(text="x"))
    rest = said("a3", "assistant", thought("two", "another"), Text(text="y"))
    messages, decisions = lowered(ASK, first, replace(ASK, id=MessageId("u2")), turn, rest)
    assert show(messages) == [
        "u user go on",
        "a1 assistant think early + hi",
        "u2 user go on",
        "a2 assistant x",
        "a3 assistant y",
    ]
    assert reasons(decisions) == [("a2", "thinking-altered"), ("a3", "thinking-altered")]


def test_a_turn_may_end_with_redacted_thinking_but_not_with_thinking() -> None:
    redacted = Thinking(redacted="x", wire="anthropic")
    plain = Thinking(text="hm", signature="s", wire="anthropic", bound=text_digest("hm"))
    kept, _ = lowered(ASK, said("a", "assistant", plain, Text(text="x"), redacted), ASK)
    gone, _ = lowered(ASK, said("a", "assistant", plain, Text(text="x"), plain), ASK)
    assert kept[1].parts == (plain, Text(text="x"), redacted)
    assert gone[1].parts == (Text(text="x"),)


def test_what_lost_reasoning_led_to_no_longer_goes_under_the_servers_id() -> None:
    summary = [{"type": "summary_text", "text": "half \ud800"}]
    reasoning = {"type": "reasoning", "id": "rs_1", "summary": summary, "encrypted_content": "x"}
    call = {"type": "function_call", "id": "fc_1", "call_id": "c", "name": "read", "arguments": "{}"}
    done = {"type": "function_call_output", "call_id": "c", "output": "ok"}
    out, _ = read({"input": [{"role": "user", "content": "go"}, reasoning, call, done]}, "openai-responses")
    without_id = {key: value for key, value in call.items() if key != "id"}
    assert out["input"] == [{"role": "user", "content": "go"}, without_id, done]

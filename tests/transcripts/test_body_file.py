"""Request bodies in files, and the logs of agents that hold one."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from contextrail.core.json_text import dump, parse_object
from contextrail.messages.model import Message, Text
from contextrail.transcripts.body_file import request_in
from contextrail.transcripts.detect import detect, read_session
from contextrail.wire.codec import decode
from tests.transcripts.hosts import AGENTS, DATA, calls, kinds, said, session
from tests.wire.cassettes import Exchange, exchanges

BODIES: dict[str, dict[str, Any]] = {
    "anthropic": {
        "model": "claude-sonnet-4-5",
        "max_tokens": 100,
        "system": "be exact",
        "tools": [{"name": "ls", "input_schema": {"type": "object"}}],
        "messages": [
            {"role": "user", "content": "hi"},
            {"role": "assistant", "content": [{"type": "tool_use", "id": "t1", "name": "ls", "input": {}}]},
            {
                "role": "user",
                "content": [
                    {"type": "tool_result", "tool_use_id": "t1", "content": "a"},
                    {"type": "text", "text": "and?"},
                ],
            },
        ],
    },
    "openai-chat": {
        "model": "gpt-5.2",
        "messages": [
            {"role": "system", "content": "be exact"},
            {"role": "user", "content": "hi"},
            {
                "role": "assistant",
                "content": None,
                "tool_calls": [
                    {"id": "c", "type": "function", "function": {"name": "ls", "arguments": "{}"}}
                ],
            },
            {"role": "tool", "tool_call_id": "c", "content": "a"},
        ],
    },
    "openai-responses": {
        "model": "gpt-5.2",
        "instructions": "be exact",
        "input": [
            {"role": "user", "content": "hi"},
            {"type": "function_call", "call_id": "c", "name": "ls", "arguments": "{}"},
            {"type": "function_call_output", "call_id": "c", "output": "a"},
        ],
    },
    "gemini": {
        "systemInstruction": {"parts": [{"text": "be exact"}]},
        "contents": [
            {"role": "user", "parts": [{"text": "hi"}]},
            {"role": "model", "parts": [{"functionCall": {"name": "ls", "args": {}}}]},
            {
                "role": "user",
                "parts": [
                    {"functionResponse": {"name": "ls", "response": {"output": "a"}}},
                    {"text": "and?"},
                ],
            },
        ],
    },
}


def placeless(messages: tuple[Message, ...]) -> tuple[Message, ...]:
    return tuple(replace(message, origin=None) for message in messages)


@pytest.mark.parametrize("provider", BODIES)
def test_a_body_is_found_out_and_read_as_its_codec_reads_it(provider: str, tmp_path: Path) -> None:
    path = tmp_path / "body.json"
    path.write_bytes(dump(BODIES[provider], indent=2))
    read = read_session(path)
    conversation = decode(BODIES[provider], provider)
    assert read.format == provider
    assert placeless(read.messages) == conversation.messages
    assert read.head.model == conversation.model
    assert read.head.tools == conversation.tools
    assert read.head.system == conversation.system
    assert all(message.origin is not None and message.origin.line > 1 for message in read.messages)


@pytest.mark.parametrize("exchange", exchanges(), ids=lambda exchange: exchange.name)
def test_a_recorded_request_is_read_as_its_codec_reads_it(exchange: Exchange, tmp_path: Path) -> None:
    path = tmp_path / "body.json"
    path.write_bytes(dump(exchange.request))
    read = read_session(path)
    conversation = decode(exchange.request)
    assert read.format == conversation.wire
    assert placeless(read.messages) == conversation.messages
    assert (read.head.model, read.head.tools, read.head.system) == (
        conversation.model,
        conversation.tools,
        conversation.system,
    )


def test_a_body_on_one_line_may_say_long_things_before_its_messages(tmp_path: Path) -> None:
    path = tmp_path / "body.json"
    path.write_bytes(dump({**BODIES["anthropic"], "system": "be exact " * 20_000}))
    assert detect(path) == "anthropic"
    assert len(read_session(path).messages) == 4


@pytest.mark.parametrize("provider", BODIES)
def test_a_damaged_body_gives_the_messages_before_the_break(provider: str) -> None:
    body = dump(BODIES[provider])
    start = body.rindex(b'{"role"') if provider != "openai-responses" else body.rindex(b'{"type"')
    read = session(provider, body[: start + 12])
    assert kinds(read) == ["truncated"]
    assert said(read.messages)
    assert len(read.messages) < len(decode(BODIES[provider], provider).messages)


def test_input_that_is_a_text_is_one_message() -> None:
    read = session("openai-responses", dump({"model": "gpt-5.2", "input": "hi"}))
    assert said(read.messages) == [("user", "hi")]


@pytest.mark.parametrize("name", ["request", "body"])
def test_a_body_inside_a_log_is_read(name: str) -> None:
    log = {"time": 1, name: BODIES["anthropic"], "response": {}}
    assert request_in(log) is BODIES["anthropic"]
    assert calls(session("anthropic", dump(log)).messages) == ["t1", "-t1"]


def test_of_a_log_of_openhands_only_the_request_is_read() -> None:
    path = DATA / "openhands-llm-logs" / "function-calling.json"
    log = parse_object(path.read_bytes(), place="log")
    body = request_in(log)
    assert body.keys() == {"model", "messages", "tools"}
    assert detect(path) == "openai-chat"
    read = read_session(path)
    assert placeless(read.messages) == decode(body, "openai-chat").messages
    assert [tool.name for tool in read.head.tools] == ["terminal", "str_replace_editor", "finish"]


def test_of_a_session_of_hermes_the_prompt_and_the_tools_are_read() -> None:
    read = read_session(AGENTS / "hermes" / "large.json")
    assert read.format == "openai-chat"
    assert read.head.system == (Text(text="You are Hermes."),)
    assert [(tool.name, tool.description) for tool in read.head.tools] == [("shell", "Run a shell command")]
    assert calls(read.messages) == ["call_001", "-call_001"]
    assert [entry.kind for entry in read.entries][-1] == "session_meta"


def test_a_list_of_messages_is_read_when_its_form_is_named() -> None:
    read = session("openai-chat", dump(BODIES["openai-chat"]["messages"]))
    assert [message.role for message in read.messages] == ["system", "user", "assistant", "tool"]


def test_what_is_no_body_is_reported() -> None:
    assert kinds(session("anthropic", b'{"model": "x"}')) == ["not-a-body"]

"""Conversations with a secret at each place where one may stand, and secrets of each kind."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace

from contextrail.core.ids import CallId, MessageId
from contextrail.core.json_text import dump_text
from contextrail.messages.model import (
    Conversation,
    Extra,
    Fence,
    Media,
    Message,
    Opaque,
    Part,
    Role,
    Summary,
    Text,
    Thinking,
    Tool,
    ToolCall,
    ToolResult,
)
from tests.core.made import MIXED, made
from tests.core.test_secrets import KEYS

GIVEN_AWAY = {
    "url-password": ("postgres://app:{}@db.internal:5432/prod", "p%40ss-w0rd!7"),
    "env-value": ("AWS_SECRET_ACCESS_KEY={}", made(MIXED + "+", 40)),
    "password": ("DB_PASSWORD={}", "hunter2!xQ"),
    "bearer-token": ("Authorization: Bearer {}", made(MIXED, 40)),
    "quoted": ('"client_secret": "{}"', made(MIXED, 32)),
    "dotted": ('"api_key": "{}"', "v1." + made(MIXED, 90)),
    "account": ("AccountKey={}", made(MIXED, 86) + "=="),
}
"""Text around the value, and the value: secret by its name or its place."""
SECRETS = {**{name: ("the key is {} .", key) for name, key in KEYS.items()}, **GIVEN_AWAY}


def say(ident: str, role: Role, *parts: Part) -> Message:
    return Message(id=MessageId(ident), role=role, parts=parts)


def call(ident: str, arguments: str) -> ToolCall:
    return ToolCall(call_id=CallId(ident), name="bash", arguments=arguments)


def result(ident: str, *parts: Text | Opaque) -> ToolResult:
    return ToolResult(call_id=CallId(ident), name="bash", parts=parts)


def talk(*middle: Message, **around: object) -> Conversation:
    """A conversation of two runs with `middle` in its first."""
    messages = (
        say("u0", "user", Text(text="please deploy the service; never touch port 9107")),
        say("a0", "assistant", Text(text="looking"), call("c0", '{"command": "ls -la"}')),
        say("t0", "tool", result("c0", Text(text="main.py\n" + "row of the table 17\n" * 200))),
        *middle,
        say("a1", "assistant", Text(text="deployed it")),
        say("u1", "user", Text(text="now check the logs")),
    )
    given = Conversation(
        model="claude-sonnet-4-5",
        system=(Text(text="You deploy services."),),
        tools=(Tool(name="bash", description="runs", parameters={"type": "object", "properties": {}}),),
        messages=messages,
    )
    return replace(given, **around)  # type: ignore[arg-type]


def used(arguments: str, *parts: Text | Opaque) -> tuple[Message, Message]:
    return say("a9", "assistant", call("c9", arguments)), say("t9", "tool", result("c9", *parts))


def signed(text: str) -> Message:
    return say("a9", "assistant", Thinking(text=text, signature="c2ln", wire="anthropic"), Text(text="I see"))


PLACES: dict[str, Callable[[str], Conversation]] = {
    "user text": lambda text: talk(say("u9", "user", Text(text=f"see: {text}"))),
    "assistant text": lambda text: talk(say("a9", "assistant", Text(text=text))),
    "last user text": lambda text: talk(
        say("u9", "user", Text(text="x")), say("u99", "user", Text(text=text))
    ),
    "system": lambda text: talk(system=(Text(text=f"Use this. {text}"),)),
    "arguments": lambda text: talk(*used(dump_text({"command": text, "n": 1}), Text(text="ok"))),
    "arguments inside": lambda text: talk(*used(dump_text({"env": [{"a": {"b": text}}]}), Text(text="ok"))),
    "escaped JSON in arguments": lambda text: talk(
        *used(dump_text({"body": dump_text({"k": dump_text({"in": text})})}), Text(text="ok"))
    ),
    "arguments that are no JSON": lambda text: talk(*used('{"command": ' + text, Text(text="ok"))),
    "tool result": lambda text: talk(*used("{}", Text(text=f"line\n{text}\nline\n" * 40))),
    "tool result as JSON": lambda text: talk(*used("{}", Text(text=json.dumps({"out": [text]}, indent=1)))),
    "opaque result": lambda text: talk(
        *used("{}", Opaque(wire="anthropic", kind="document", value={"type": "document", "context": text}))
    ),
    "thinking": lambda text: talk(say("a9", "assistant", Thinking(text=text), Text(text="I see"))),
    "signed thinking": lambda text: talk(signed(text)),
    "fence": lambda text: talk(say("f9", "user", Fence(family="notes", text=f"<notes>{text}</notes>"))),
    "summary": lambda text: talk(say("s9", "user", Summary(text=f"It was said: {text}"))),
    "tool description": lambda text: talk(tools=(Tool(name="bash", description=text, parameters={}),)),
    "tool schema": lambda text: talk(
        tools=(
            Tool(
                name="bash",
                description="runs",
                parameters={
                    "type": "object",
                    "properties": {"key": {"type": "string", "default": text, "enum": [text, "b"]}},
                },
            ),
        )
    ),
    "file name": lambda text: talk(
        say(
            "u9", "user", Media(kind="document", media_type="text/plain", data="aGVsbG8=", name=f"{text}.txt")
        )
    ),
    "path in arguments": lambda text: talk(*used(dump_text({"path": f"/srv/{text}/a.py"}), Text(text="ok"))),
    "field of a block": lambda text: talk(
        say("u9", "user", Text(text="x", extra=Extra("neutral", {"note": {"deep": [text]}})))
    ),
    "name in an object": lambda text: talk(*used(dump_text({text: 1}), Text(text="ok"))),
}

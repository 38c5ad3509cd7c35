"""Redacting messages: no text keeps a secret, no structure breaks."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given

from contextrail.core.ids import CallId, MessageId
from contextrail.core.json_text import JsonObject, dump_text, parse_object
from contextrail.core.secrets import Redactor, redact_text
from contextrail.messages.model import (
    Conversation,
    Extra,
    Fence,
    Media,
    Message,
    Opaque,
    Part,
    Summary,
    Text,
    Thinking,
    Tool,
    ToolCall,
    ToolResult,
)
from contextrail.messages.redact import message_texts, redact_conversation, redact_message
from tests.core.secret_cases_placed import PAIR, SESSION, TOKEN, WEAK
from tests.properties.values import argument_texts

SALT = b"0123456789abcdef"
KEY = "AKIA" + "Q3T7EXAMPLEZZ9P4"


def clean_of(message: Message) -> Message:
    return redact_message(message, Redactor(SALT))


def one(*parts: Part) -> Message:
    return Message(id=MessageId("m"), role="assistant", parts=parts)


@pytest.mark.parametrize(
    "part",
    [
        Text(text=f"use {KEY}"),
        Text(text="x", extra=Extra("anthropic", {"citations": [{"cited_text": KEY}]})),
        Fence(family="notes", text=KEY),
        Summary(text=f"the key is {KEY}"),
        ToolCall(call_id=CallId("c"), name="bash", arguments=dump_text({"command": f"export K={KEY}\n"})),
        ToolCall(call_id=CallId("c"), name="bash", arguments=f'{{"command": "{KEY}'),
        ToolResult(call_id=CallId("c"), parts=(Text(text=KEY), Opaque(wire="x", kind="y", value={"a": [KEY]}))),
        Thinking(text=f"so {KEY}"),
        Thinking(text=f"so {KEY}", signature="sig"),
        Media(kind="image", reference=f"https://host/{KEY}"),
        Opaque(wire="x", kind="y", value={"a": [KEY]}),
    ],
)  # fmt: skip
def test_no_part_keeps_a_secret(part: Part) -> None:
    clean = clean_of(one(part))
    assert KEY not in repr(clean)
    assert KEY[:12] not in repr(clean)
    assert clean_of(clean) is clean


def test_a_message_without_a_secret_is_the_same_object() -> None:
    message = one(Text(text="hello"), ToolCall(call_id=CallId("c"), name="x", arguments='{ "a" : 1 }'))
    assert clean_of(message) is message


def test_signed_thinking_goes_as_a_whole() -> None:
    clean = clean_of(one(Thinking(text=KEY, signature="sig"), Text(text="ok")))
    assert clean.parts == (Text(text="ok"),)


def test_a_password_in_arguments_is_known_by_the_name_beside_it() -> None:
    call = ToolCall(call_id=CallId("c"), name="login", arguments='{"user": "ann", "password": "xK9#mP2$vL5"}')
    clean = clean_of(one(call)).parts[0]
    assert isinstance(clean, ToolCall)
    assert json.loads(clean.arguments)["user"] == "ann"
    assert json.loads(clean.arguments)["password"].startswith("[secret:password:")


def test_a_value_beside_the_field_that_names_it_is_known_by_that_name() -> None:
    env = '{"env": [{"name": "DB_PASSWORD", "value": "Tr0ub4dor&3xK9"}, {"name": "DB_HOST", "value": "db1x2y3z"}]}'
    clean = clean_of(one(ToolCall(call_id=CallId("c"), name="deploy", arguments=env))).parts[0]
    assert isinstance(clean, ToolCall)
    first, second = json.loads(clean.arguments)["env"]
    assert first["value"].startswith("[secret:password:")
    assert second == {"name": "DB_HOST", "value": "db1x2y3z"}


@given(argument_texts())
def test_arguments_that_are_json_stay_json_with_the_same_names(arguments: str) -> None:
    call = ToolCall(call_id=CallId("c"), name="x", arguments=dump_text({"a": arguments, "key": KEY, "n": 1}))
    clean = clean_of(one(call)).parts[0]
    assert isinstance(clean, ToolCall)
    value = json.loads(clean.arguments)
    assert list(value) == ["a", "key", "n"]
    assert value["key"].startswith("[secret:aws-access-key:")


@given(argument_texts())
def test_redacting_a_call_twice_is_redacting_it_once(arguments: str) -> None:
    once = clean_of(one(ToolCall(call_id=CallId("c"), name="x", arguments=arguments + KEY)))
    assert clean_of(once) == once


def test_the_two_messages_of_a_leak_show_the_same_placeholder_and_look_alikes_stay() -> None:
    stays = "commit 9f1c2ab7d0e4c6a1b35f7788aa00bb11cc22dd33\nid 3f2b8c1e-9d54-4f0a-8a77-1c2d3e4f5a6b\nmodel claude-sonnet-4-5-20250929"
    first = f"AWS_ACCESS_KEY_ID={KEY}\nDATABASE_URL=postgres://app:p%40ss-w0rd@db.internal:5432/prod\n{stays}"
    conversation = Conversation(
        system=(Text(text=f"never print {KEY}"),),
        tools=(Tool(name="x", description=f"uses {KEY}"),),
        messages=(
            one(Text(text="it said p@ss-w0rd")),
            one(Text(text=first)),
            one(Text(text=f"export A={KEY}")),
        ),
    )
    clean = redact_conversation(conversation, Redactor(SALT))
    assert KEY not in repr(clean)
    assert "w0rd" not in repr(clean)
    texts = [next(message_texts(message)) for message in clean.messages]
    shown = redact_text(KEY, SALT)
    assert shown in texts[1]
    assert texts[2] == f"export A={shown}"
    assert stays in texts[1]
    assert redact_conversation(clean, Redactor(SALT)) == clean


OBJECTS = (
    ({"pin": 482913, "password": 12345678}, ("482913", "12345678")),
    ({"user": {"pin": 4821}}, ("4821",)),
    ({"pin": "4821"}, ("4821",)),
    ({"db_password": 12345678901234567890}, ("12345678901234567890",)),
    ({"cmd": ["tool", "--password", WEAK]}, (WEAK,)),
    ({"args": ["--password", "swordfish"]}, ("swordfish",)),
    ({"args": ["--pin", 482913]}, ("482913",)),
    ({"args": ["--api-key", TOKEN]}, (TOKEN,)),
    ({"headers": {"Authorization": f"Basic {PAIR}"}}, (PAIR,)),
    ({"headers": {"authorization": f"Bearer {SESSION * 2}"}}, (SESSION,)),
    ({"headers": {"Cookie": f"theme=dark; session={SESSION}"}}, (SESSION,)),
    ({"headers": {"Set-Cookie": [f"sid={SESSION}; Path=/"]}}, (SESSION,)),
    ({"headers": [["Cookie", f"session={SESSION}"]]}, (SESSION,)),
    ({"headers": {"X-Vault-Token": TOKEN}}, (TOKEN,)),
    ({"cookies": {"session": SESSION, "theme": "dark"}}, (SESSION,)),
    ({"cookies": [{"name": "session", "value": SESSION, "domain": "x"}]}, (SESSION,)),
    ({"token": TOKEN}, (TOKEN,)),
    ({"password": "correct horse battery staple"}, ("correct horse",)),
    ({"env": [{"name": "DB_PASSWORD", "value": WEAK}]}, (WEAK,)),
    ({"url": f"https://h/x?token={SESSION}"}, (SESSION,)),
    ({"body": dump_text({"password": 12345678})}, ("12345678",)),
    ({"body": dump_text({"a": dump_text({"pin": 482913, "n": 1})})}, ("482913",)),
)


@pytest.mark.parametrize(("value", "secrets"), OBJECTS)
def test_a_secret_in_an_object_goes_and_the_object_stays_json(
    value: JsonObject, secrets: tuple[str, ...]
) -> None:
    given = one(ToolCall(call_id=CallId("c"), name="x", arguments=dump_text({"first": 1.50, **value})))
    redactor = Redactor(SALT)
    redactor.learn(message_texts(given))
    clean = redact_message(given, redactor)
    (part,) = clean.parts
    assert isinstance(part, ToolCall)
    assert [secret for secret in secrets if secret in part.arguments] == []
    shown = parse_object(part.arguments, place="arguments")
    assert set(shown) == {"first", *value}
    assert redact_message(clean, Redactor(SALT)) == clean
    inner = shown.get("body")
    assert inner is None or "[secret:" in repr(parse_object(inner, place="body"))


def test_a_number_that_is_a_secret_becomes_a_string_and_the_rest_stays_as_it_was_written() -> None:
    arguments = '{ "pin" : 482913,  "n": 482913, "rate": 1.50 }'
    given = one(
        ToolCall(call_id=CallId("c"), name="x", arguments='{ "pin" : 482913,  "n": 7, "rate": 1.50 }')
    )
    (part,) = redact_message(given, Redactor(SALT)).parts
    assert isinstance(part, ToolCall)
    left, _, right = part.arguments.partition('"[secret:password:')
    assert (left, right[8:]) == ('{ "pin" : ', ']",  "n": 7, "rate": 1.50 }')
    both = one(ToolCall(call_id=CallId("c"), name="x", arguments=arguments))
    (part,) = redact_message(both, Redactor(SALT)).parts
    assert isinstance(part, ToolCall)
    assert parse_object(part.arguments, place="arguments")["n"] == 482913


@pytest.mark.parametrize(
    "value",
    [
        {"pin": 13},
        {"password": True},
        {"password": None},
        {"password_length": 482913, "passwords": 12345, "spin": 482913, "token_count": 409600},
        {"args": ["--password-file", "/run/x1"]},
        {"args": ["--password", "$PW"]},
        {"args": ["--password", "--user"]},
        {"args": ["--password", "<password>"]},
        {"args": ["--token-limit", 4096000]},
        {"cookies": {"theme": "dark-mode-2"}},
        {"headers": {"Accept": "text/html", "Cookie": "theme=dark"}},
        {"session_id": "3f2b8c1e-9d54-4f0a-8a77-1c2d3e4f5a6b"},
        {"password": "required"},
        {"password": {"type": "string", "minLength": 8}},
        {"auth": "required1", "token": "<token>"},
    ],
)
def test_an_object_without_a_secret_is_the_same_object(value: JsonObject) -> None:
    given = one(ToolCall(call_id=CallId("c"), name="x", arguments=dump_text(value)))
    assert redact_message(given, Redactor(SALT)) is given


def test_the_id_of_a_message_that_holds_a_secret_gets_a_placeholder() -> None:
    given = replace(one(Text(text="hello")), id=MessageId(f"turn-{KEY}-1"))
    clean = redact_message(given, Redactor(SALT))
    assert clean.id == f"turn-{redact_text(KEY, SALT)}-1"

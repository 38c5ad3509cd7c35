"""Redaction over turns: the same placeholders, no second scan, and earlier messages cleaned of what is learned later."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given

from contextrail.core.ids import MessageId
from contextrail.messages.model import Conversation, Message, Text
from contextrail.messages.redaction import Handling, Redacted, Redaction, salt_for
from tests.properties.effort import FEW
from tests.properties.strategies import histories

KEY = "AKIA" + "Q3T7EXAMPLEZZ9P4"
SALT = b"0123456789abcdef"


def say(ident: str, text: str) -> Message:
    return Message(id=MessageId(ident), role="user", parts=(Text(text=text),))


TALK = Conversation(messages=(say("a", "hello"), say("b", f"export AWS_ACCESS_KEY_ID={KEY}"), say("c", "ok")))


def test_by_default_the_secret_goes_and_is_told_by_kind() -> None:
    done = Redaction("redact", SALT).apply(TALK)
    clean, decisions = done.conversation, done.decisions
    assert KEY not in repr(clean)
    assert [(each.message, each.verdict, each.detail) for each in decisions] == [
        ("b", "changed", {"kinds": {"aws-access-key": 1}})
    ]
    assert [new is old for new, old in zip(clean.messages, TALK.messages, strict=True)] == [True, False, True]


@pytest.mark.parametrize(("how", "told"), [("report", 1), ("off", 0)])
def test_a_host_may_only_be_told_or_not_even_that(how: Handling, told: int) -> None:
    done = Redaction(how, SALT).apply(TALK)
    clean, decisions = done.conversation, done.decisions
    assert clean is TALK
    assert len(decisions) == told


def test_a_turn_that_grew_gives_the_same_messages_before() -> None:
    redaction = Redaction("redact", SALT)
    first = redaction.apply(TALK).conversation
    grown = replace(TALK, messages=(*TALK.messages, say("d", f"and {KEY}")))
    done = redaction.apply(grown)
    second, decisions = done.conversation, done.decisions
    assert all(new is old for new, old in zip(second.messages, first.messages, strict=False))
    assert [each.message for each in decisions] == ["b", "d"]
    assert second == Redaction("redact", SALT).apply(grown).conversation


def test_a_password_learned_later_is_taken_out_of_what_was_said_before() -> None:
    redaction = Redaction("redact", SALT)
    before = Conversation(messages=(say("a", "it prints p@ss-w0rd"),))
    assert redaction.apply(before).conversation == before
    after = replace(before, messages=(*before.messages, say("b", "postgres://app:p%40ss-w0rd@db/x")))
    clean = redaction.apply(after).conversation
    assert "w0rd" not in repr(clean)


def test_other_texts_on_their_way_out_use_the_same_placeholders() -> None:
    redaction = Redaction("redact", SALT)
    clean = redaction.apply(TALK).conversation
    (part,) = clean.messages[1].parts
    assert isinstance(part, Text)
    assert redaction.text(f"export AWS_ACCESS_KEY_ID={KEY}") == part.text


def test_without_a_store_the_salt_is_the_same_in_every_turn_of_a_conversation() -> None:
    grown = replace(TALK, messages=(*TALK.messages, say("d", "x")))
    assert salt_for(TALK) == salt_for(grown)
    assert salt_for(TALK) != salt_for(Conversation(messages=(say("a", "other"),)))
    assert len(salt_for(Conversation())) == 32


@FEW
@given(histories())
def test_any_history_is_redacted_once_and_for_all(history: tuple[Message, ...]) -> None:
    conversation = Conversation(messages=(*history, say("leak", f"key {KEY}")))
    clean = Redaction("redact", SALT).apply(conversation).conversation
    assert KEY not in repr(clean)
    assert Redaction("redact", SALT).apply(clean) == Redacted(conversation=clean)

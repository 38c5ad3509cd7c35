"""Any history, any budget, every provider: a request without findings that fits, or a typed error where nothing can."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contextrail import BudgetExceeded, Conversation, InvalidRequest, Rail, decode, lint, tokenizer
from contextrail.history.draft import Draft
from contextrail.history.interactions import current_start, interactions
from contextrail.history.obligations import open_messages
from contextrail.history.policy import Policy
from contextrail.history.repair import repair
from contextrail.messages.identity import is_user_input
from contextrail.messages.model import Message
from contextrail.wire.target import parse_target
from tests.properties.effort import MANY
from tests.properties.strategies import conversations

TARGETS = (
    "anthropic",
    "openai-chat",
    "openai-responses",
    "gemini",
    "openai-chat:mistral",
    "openai-chat:deepseek",
)
COUNT = tokenizer("chars:4")
SHARES: Counter[tuple[str, str]] = Counter()


@pytest.fixture(scope="module", autouse=True)
def _print_shares() -> Iterator[None]:
    """The shares of requests and of errors, for whoever runs with -s or reads the summary of a failure."""
    yield
    for (target, outcome), count in sorted(SHARES.items()):
        print(f"{target}: {outcome} {count}")


def says_something(message: Message) -> bool:
    return any(getattr(part, "text", True) for part in message.parts)


@pytest.mark.parametrize("target", TARGETS)
@MANY
@given(conversation=conversations(), window=st.integers(40, 4_000))
def test_any_history_becomes_a_legal_request_that_fits_or_a_typed_error(
    target: str, conversation: Conversation, window: int
) -> None:
    rail = Rail(target=target, window=window, tokenizer=COUNT)
    try:
        request = rail.build(conversation)
    except BudgetExceeded:
        SHARES[target, "over budget"] += 1
        core_alone_exceeds(rail, conversation, window)
        return
    except InvalidRequest:
        SHARES[target, "nothing to send"] += 1
        assert not any(map(says_something, conversation.messages))
        return
    SHARES[target, "request"] += 1
    assert lint(request.body, target, model=request.sent.model) == ()
    assert COUNT.body(decode(request.body, parse_target(target).provider)).high <= window


def owed_and_new(messages: tuple[Message, ...]) -> tuple[Message, ...]:
    """Calls still owed an answer, and the newest tool group of the current run: they stay at least as stubs."""
    tidy = repair(Draft(messages)).messages
    groups = [group for group in interactions(tidy) if group.at.start >= current_start(tidy)]
    newest = tidy[groups[-1].at.start : groups[-1].at.stop] if groups else ()
    owed = open_messages(tidy, Policy().obligations)
    return tuple(each for each in tidy if each in newest or each.id in owed)


def core_alone_exceeds(rail: Rail, conversation: Conversation, window: int) -> None:
    """An error is allowed only if system parts, the last user input and open tool work do not fit alone.

    Where the user said nothing there is no core to send: then not one unit fitted.
    """
    room = window - (conversation.max_output or 0)
    last = [each for each in conversation.messages if is_user_input(each)][-1:]
    if room <= 0 or not last:
        return
    core = [each for each in conversation.messages if each.role == "system"]
    kept = owed_and_new(conversation.messages)
    asked = [] if any(each.id == last[0].id for each in kept) else last
    generous = Rail(target=rail.target, window=10**9, tokenizer=COUNT)
    bare = replace(conversation, messages=(*core, *asked, *kept))
    assert generous.build(bare).cost.high >= room

"""The history policy on any history: pairs whole, twice is once, nothing lost in silence, never over budget."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contextrail import BudgetExceeded, Conversation, Policy, Ports, Rail, Request, policy_from, tokenizer
from contextrail.core.blobs import HANDLE
from contextrail.core.ids import Sha256
from contextrail.history.policy import BUILT_IN_RULES
from contextrail.messages.model import Message
from contextrail.messages.pairs import pair
from contextrail.messages.text import message_text
from contextrail.policy import PRESETS, preset
from contextrail.storage.blobs import MemoryBlobs
from tests.properties.strategies import histories

COUNT = tokenizer("chars:4")
QUIET = {"system_reminder": {"disabled_rule_ids": list(BUILT_IN_RULES)}}


def policies() -> st.SearchStrategy[Policy]:
    """Valid policies that differ in what history makes of them."""
    return st.builds(
        lambda stability, tools, fill, thoughts, pairs, reads: policy_from(
            {
                **QUIET,
                "stability": stability,
                "tool_history": {"max_pair_tokens": pairs, "max_output_summary_tokens": 20, **tools},
                "budget": {"working_memory_budget_percentage": fill},
                "reasoning_retention": {"keep_latest_thoughts": thoughts},
                "reads": {"repeats": reads, "min_tokens": 1},
            }
        ),
        st.sampled_from(["recompute", "batched"]),
        st.sampled_from(
            [
                {"strategy": "none"},
                {"strategy": "per-run", "keep_latest_runs": 0},
                {"strategy": "per-run", "keep_latest_runs": 1},
                {"strategy": "per-pair", "keep_latest_tool_pairs": 1},
                {"strategy": "none", "max_interaction_groups": 2},
            ]
        ),
        st.floats(0.1, 1.0),
        st.integers(0, 2),
        st.integers(20, 400),
        st.sampled_from(["point", "keep"]),
    )


def built(
    history: tuple[Message, ...], window: int, policy: Policy, store: MemoryBlobs | None = None
) -> Request | None:
    """The request, or None where what must be kept does not fit."""
    rail = Rail(
        policy,
        target="neutral",
        window=window,
        reserve_output=0,
        tokenizer=COUNT,
        ports=Ports(summarizer="none", store=store),
    )
    with suppress(BudgetExceeded):
        return rail.build(Conversation(messages=history))
    return None


@given(histories(), st.integers(20, 600), policies())
def test_pairs_stay_whole_the_budget_holds_and_every_loss_has_a_decision(
    history: tuple[Message, ...], window: int, policy: Policy
) -> None:
    if not history or (request := built(history, window, policy)) is None:
        return
    out = request.turn.conversation.messages
    left = pair(out)
    assert (left.unanswered, left.orphans) == ((), ())
    assert request.cost.high <= window
    there = {message.id for message in out}
    named = {decision.message for decision in request.turn.decisions}
    assert {message.id for message in history} - there <= named
    before = {message.id: message for message in history}
    changed = {message.id for message in out if message.id in before and before[message.id] is not message}
    assert changed <= named


@given(histories(), st.integers(20, 600), policies())
def test_twice_is_once(history: tuple[Message, ...], window: int, policy: Policy) -> None:
    if not history or (once := built(history, window, policy)) is None:
        return
    sent = once.turn.conversation.messages
    twice = built(sent, window, policy) if sent else None
    assert twice is None or twice.turn.conversation.messages == sent


@given(histories(), st.integers(20, 600), policies())
def test_everything_that_left_can_be_fetched_back_and_every_handle_leads_somewhere(
    history: tuple[Message, ...], window: int, policy: Policy
) -> None:
    store = MemoryBlobs()
    if not history or (request := built(history, window, policy, store)) is None:
        return
    held = {archive_id for archive in archives(request) for archive_id in archive}
    out = {id(message) for message in request.turn.conversation.messages}
    for message in request.inputs.conversation.messages:
        if id(message) not in out:
            assert message.id in held or store.has(request.turn.originals[message.id])
    for message in request.turn.conversation.messages:
        for handle in HANDLE.findall(message_text(message)):
            assert store.find(handle.removeprefix("blob:"))


def archives(request: Request) -> Iterator[tuple[str, ...]]:
    plan = request.turn.plan
    for archive in plan.archives if plan is not None else ():
        assert isinstance(archive.digest, str)
        yield tuple(archive.ids)


@pytest.mark.parametrize("name", PRESETS)
@given(history=histories())
def test_a_history_that_fits_keeps_what_was_said_under_every_preset(
    name: str, history: tuple[Message, ...]
) -> None:
    if not history:
        return
    request = built(history, 1_000_000, preset(name))
    assert request is not None
    users = [message.id for message in history if message.role == "user"]
    there = {message.id.split("#")[0] for message in request.turn.conversation.messages}
    named = {decision.message for decision in request.turn.decisions if decision.step == "working_memory"}
    assert not named & set(users)
    assert there


def test_a_digest_is_what_a_store_wants() -> None:
    assert MemoryBlobs().put(b"x") == Sha256(
        "2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881"
    )

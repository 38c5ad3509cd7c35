"""Real sessions of every kind: read, built for every provider within a budget, no finding, every loss explained."""

from __future__ import annotations

from pathlib import Path

import pytest

from contextrail import Conversation, Rail, Session, lint, read_session, tokenizer
from tests.transcripts.test_repeated_ids import conversation as tau2

DATA = Path(__file__).parent / "data"
SESSIONS = sorted(
    path
    for folder in ("claude-code-sessions", "pi-session", "mini-swe-agent-trajs", "swe-agent-trajs")
    for path in (DATA / folder).iterdir()
    if path.suffix in {".jsonl", ".json", ".traj"} and path.name != "medium-conversation.jsonl"
)
TARGETS = (
    "anthropic",
    "openai-chat",
    "openai-responses",
    "gemini",
    "openai-chat:mistral",
    "openai-chat:deepseek",
)
COUNT = tokenizer("o200k")


def conversation(session: Session) -> Conversation:
    return Conversation(
        model=session.head.model,
        system=session.head.system,
        tools=session.head.tools,
        messages=session.messages,
    )


def test_there_are_sessions_of_four_hosts() -> None:
    assert len({path.parent for path in SESSIONS}) == 4


@pytest.mark.parametrize("path", SESSIONS, ids=lambda path: path.name)
def test_a_real_session_becomes_a_legal_request_for_every_provider(path: Path) -> None:
    given = conversation(read_session(path))
    for target in TARGETS:
        request = Rail(target=target, window=16_000, reserve_output=1_000, tokenizer=COUNT).build(
            given, compare=False
        )
        assert lint(request.body, target, model=request.sent.model) == ()
        assert request.cost.high <= 15_000
        rows = request.trace()["messages"]
        assert all(row["reasons"] for row in rows)
        gone = {row["id"] for row in rows if row["verdict"] == "dropped"}
        named = {decision.message for decision in request.decisions}
        assert gone <= named


@pytest.mark.parametrize("dialogue", range(12))
def test_dialogues_whose_call_ids_repeat_are_legal_for_every_provider(dialogue: int) -> None:
    """Call ids are not unique in ten of these twelve; all begin with the assistant."""
    given = tau2(dialogue)
    assert given.messages[0].role == "assistant"
    for target in TARGETS:
        rail = Rail(target=target, window=8_000, tokenizer=COUNT)
        request = rail.build(given, compare=False)
        assert lint(request.body, target, model=request.sent.model) == ()
        assert request.cost.high <= 8_000


def test_calls_that_an_interrupt_left_unanswered_are_closed_and_said_so() -> None:
    session = read_session(DATA / "pi-session" / "large-session.jsonl")
    request = Rail(target="anthropic", window=200_000, tokenizer=COUNT).build(
        conversation(session), compare=False
    )
    closed = [each for each in request.decisions if each.reason == "unanswered-call"]
    assert closed
    assert all(each.detail["calls"] for each in closed)
    assert request.findings == ()

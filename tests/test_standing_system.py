"""A system prompt costs the same wherever it stands: as a message among the others it makes no more batches."""

from __future__ import annotations

import pytest

from contextrail import Moment, Ports, Rail, decode
from contextrail.core.json_text import JsonObject
from contextrail.history.context import Summarizer


def talk(turns: int, system: str, *, inside: bool) -> JsonObject:
    """A Chat Completions body whose system prompt is a message, or the same for Anthropic beside the messages."""
    said: list[JsonObject] = [{"role": "system", "content": system}] if inside else []
    for turn in range(turns):
        said += [
            {"role": "user", "content": f"q{turn} " + "u" * 60},
            {"role": "assistant", "content": f"a{turn} " + "y" * 120},
        ]
    said.append({"role": "user", "content": "and now?"})
    if inside:
        return {"model": "gpt-5", "messages": said}
    return {"model": "claude-sonnet-4-5", "max_tokens": 9, "system": system, "messages": said}


def batches(share: float, *, inside: bool, summarizer: Summarizer) -> int:
    provider = "openai-chat" if inside else "anthropic"
    ports = (
        Ports(summarizer="model", summarize=lambda _: "They went on.")
        if summarizer == "model"
        else Ports(summarizer=summarizer)
    )
    rail = Rail(target=provider, window=14_000, reserve_output=1_000, tokenizer="bytes", ports=ports)
    plan, count = None, 0
    for turns in range(1, 60):
        body = talk(turns, "s" * int(share * 13_000), inside=inside)
        turn = rail.build(decode(body, provider), compare=False, moment=Moment(plan=plan)).turn
        plan, count = turn.plan, count + (turn.batch is not None)
    return count


@pytest.mark.parametrize("summarizer", ["extract", "model"])
@pytest.mark.parametrize("share", [0.1, 0.6])
def test_a_large_system_message_makes_no_more_batches_than_the_same_text_beside_the_messages(
    share: float, summarizer: Summarizer
) -> None:
    inside = batches(share, inside=True, summarizer=summarizer)
    assert 0 < inside <= batches(share, inside=False, summarizer=summarizer) + 1


def test_a_system_message_that_passes_the_threshold_alone_is_told_once_and_nothing_is_reduced_for_it() -> (
    None
):
    rail = Rail(target="openai-chat", window=14_000, reserve_output=1_000, tokenizer="bytes")
    plan, told, made = None, 0, 0
    for turns in range(1, 8):
        body = talk(turns, "s" * 10_500, inside=True)
        turn = rail.build(decode(body), compare=False, moment=Moment(plan=plan)).turn
        told += sum(event["event"] == "irreducible" for event in turn.events)
        made += turn.batch is not None
        plan = turn.plan
    assert (told, made) == (1, 0)

import json
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contextrail.core.ids import CallId, MessageId
from contextrail.messages.model import Conversation, Message, Text, ToolCall, ToolResult
from contextrail.wire.call_ids import CALL_IDS, NAMES, Alphabet, map_ids
from contextrail.wire.lower import lower
from contextrail.wire.target import parse_target
from tests.properties.effort import FEW

CASE = json.loads((Path(__file__).parents[1] / "data/cases/wire/c13.json").read_text())
TARGETS = {
    "anthropic": r"[a-zA-Z0-9_-]{1,64}",
    "openai-responses": r".{1,64}",
    "openai-chat": r".{1,40}",
    "openai-chat:mistral": r"[a-zA-Z0-9]{9}",
}


def pairs(ids: list[str]) -> tuple[Message, ...]:
    history = [Message(id=MessageId("u"), role="user", parts=(Text(text="go"),))]
    for at, ident in enumerate(ids):
        call = ToolCall(call_id=CallId(ident), name="read")
        result = ToolResult(call_id=CallId(ident), parts=(Text(text="ok"),))
        history.append(Message(id=MessageId(f"a{at}"), role="assistant", parts=(call,)))
        history.append(Message(id=MessageId(f"t{at}"), role="tool", parts=(result,)))
    return tuple(history)


def sent(ids: list[str], target: str) -> list[tuple[str, str]]:
    """Id on the call and id on the result, for each pair as it goes out."""
    out, _ = lower(Conversation(messages=pairs(ids)), parse_target(target))
    parts = [part for message in out.messages for part in message.parts]
    calls = [part.call_id for part in parts if isinstance(part, ToolCall)]
    results = [part.call_id for part in parts if isinstance(part, ToolResult)]
    return list(zip(calls, results, strict=True))


@pytest.mark.parametrize("target", CASE["policy"]["targets"])
def test_case_c13_ids_are_legal_distinct_equal_on_both_sides_and_independent_of_position(target: str) -> None:
    ids = [each["id"] for each in CASE["input"]["pairs"]]
    out = sent(ids, target)
    assert all(call == result for call, result in out)
    assert len(set(out)) == 5
    assert all(re.fullmatch(TARGETS[target], call) for call, _ in out)
    assert sent(ids, target) == out
    assert sent(ids[::-1], target) == out[::-1]
    assert [sent([ident], target)[0] for ident in ids] == out


def test_the_map_of_ids_is_recorded() -> None:
    ids = [each["id"] for each in CASE["input"]["pairs"]]
    _, decisions = lower(Conversation(messages=pairs(ids)), parse_target("anthropic"))
    [mapped] = [decision for decision in decisions if decision.reason == "call-ids-mapped"]
    assert mapped.detail["ids"].keys() == {"functions.read:0", "call_a|fc_1", "call_a|fc_2", "x" * 70}


def test_an_id_that_looks_like_a_made_one_stays_apart_from_it() -> None:
    allowed = CALL_IDS["anthropic"]
    made = allowed.make("a.b")
    mapped = map_ids(["a.b", made], allowed)
    assert mapped[made] == made
    assert mapped["a.b"] != made
    assert allowed.accepts(mapped["a.b"])


@FEW
@given(st.lists(st.text(min_size=0, max_size=80)), st.sampled_from([*CALL_IDS.values(), *NAMES.values()]))
def test_mapping_is_injective_and_legal(ids: list[str], allowed: Alphabet) -> None:
    mapped = map_ids(ids, allowed)
    assert len(set(mapped.values())) == len(set(ids))
    assert all(map(allowed.accepts, mapped.values()))


@FEW
@given(st.lists(st.text(max_size=80)), st.sampled_from([*CALL_IDS.values()]))
def test_mapping_what_was_mapped_changes_nothing(ids: list[str], allowed: Alphabet) -> None:
    once = map_ids(ids, allowed)
    assert map_ids(once.values(), allowed) == {new: new for new in once.values()}

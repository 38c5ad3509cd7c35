"""The assertions of the cases, by their names. Each raises AssertionError with the reason."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable
from typing import Any, Final

from contextrail.core.json_text import JsonObject
from tests.cases.outcome import (
    Finished,
    by_id,
    calls_of,
    cost,
    final_result,
    message_text,
    parts,
    results_of,
    squash,
    system_text,
    text_of,
    walk,
    whole_text,
)

Check = Callable[..., None]
CHECKS: Final[dict[str, Check]] = {}
COMPARE: Final[dict[str, Callable[[Any, Any], bool]]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<=": operator.le,
    ">=": operator.ge,
    "<": operator.lt,
    ">": operator.gt,
    "len<=": lambda value, limit: len(value) <= limit,
    "len>=": lambda value, limit: len(value) >= limit,
    "contains": operator.contains,
}


def check(function: Check) -> Check:
    CHECKS[function.__name__] = function
    return function


def check_all(done: Finished, expected: list[JsonObject]) -> None:
    """All assertions of a list."""
    for each in expected:
        facts = {key: value for key, value in each.items() if key not in {"check", "note"}}
        CHECKS[each["check"]](done, **facts)


@check
def kept(done: Finished, ids: list[str]) -> None:
    assert set(ids) <= by_id(done.out).keys()


@check
def dropped(done: Finished, ids: list[str]) -> None:
    assert set(ids).isdisjoint(by_id(done.out))


@check
def together(done: Finished, ids: list[str]) -> None:
    assert len({ident in by_id(done.out) for ident in ids}) == 1


@check
def unchanged(done: Finished, ids: list[str]) -> None:
    now, then = by_id(done.out), by_id(done.given)
    for ident in ids:
        assert ident in now
        assert now[ident]["role"] == then[ident]["role"]
        before, after = parts(then[ident]), parts(now[ident])
        assert len(before) == len(after)
        for one, other in zip(before, after, strict=True):
            said = {key: value for key, value in one.items() if value is not None}
            assert {key: other.get(key) for key in said} == said or said.get("status") == "ok"


@check
def order(done: Finished, ids: list[str]) -> None:
    there = [ident for ident in by_id(done.out) if ident in ids]
    assert len(there) >= 2
    assert there == [ident for ident in ids if ident in there]


@check
def before(done: Finished, first: str, second: str) -> None:
    places = list(by_id(done.out))
    assert places.index(first) < places.index(second)


@check
def text_contains(done: Finished, texts: list[str]) -> None:
    text = whole_text(done.out)
    assert [each for each in texts if each not in text] == []


@check
def text_lacks(done: Finished, texts: list[str]) -> None:
    text = whole_text(done.out)
    assert [each for each in texts if each in text] == []


@check
def text_order(done: Finished, texts: list[str]) -> None:
    text = whole_text(done.out)
    places = [text.find(each) for each in texts]
    assert -1 not in places
    assert places == sorted(places)


@check
def text_count(done: Finished, text: str, op: str, n: int) -> None:
    assert COMPARE[op](whole_text(done.out).count(text), n)


@check
def text_in_role(done: Finished, text: str, role: str) -> None:
    said = [message_text(each) for each in done.out["messages"] if each["role"] == role]
    assert any(text in each for each in (*said, system_text(done.out) if role == "system" else ""))


@check
def message_contains(done: Finished, id: str, text: str) -> None:  # noqa: A002 - the word of the cases
    assert text in message_text(by_id(done.out)[id])


@check
def last_message_contains(done: Finished, text: str) -> None:
    assert text in message_text(done.out["messages"][-1])


def asked_and_told(document: JsonObject) -> tuple[set[str], set[str]]:
    asked = {part["id"] for message in document["messages"] for part in calls_of(message)}
    return asked, {part["id"] for message in document["messages"] for part in results_of(message)}


@check
def structured(done: Finished, calls: list[str]) -> None:
    asked, told = asked_and_told(done.out)
    assert set(calls) <= asked & told


@check
def not_structured(done: Finished, calls: list[str]) -> None:
    asked, told = asked_and_told(done.out)
    assert set(calls).isdisjoint(asked | told)


@check
def calls_together(done: Finished, calls: list[str]) -> None:
    asked, told = asked_and_told(done.out)
    assert {(call in asked, call in told) for call in calls} in ({(True, True)}, {(False, False)})


@check
def result_contains(done: Finished, call: str, text: str) -> None:
    assert text in (final_result(done.out, call) or "")


@check
def result_intact(done: Finished, call: str) -> None:
    assert final_result(done.out, call) == final_result(done.given, call)


@check
def result_chars_at_most(done: Finished, call: str, n: int) -> None:
    found = final_result(done.out, call)
    assert found is not None
    assert len(found) <= n


@check
def cost_at_most(done: Finished, n: int) -> None:
    assert cost(done.out, done.case["tokenizer"]) <= n


@check
def cost_at_least(done: Finished, n: int) -> None:
    assert cost(done.out, done.case["tokenizer"]) >= n


@check
def pairs_whole(done: Finished) -> None:
    asked: set[str] = set()
    answered: list[str] = []
    waiting: set[str] = set()
    for message in done.out["messages"]:
        for part in calls_of(message):
            assert message["role"] == "assistant"
            assert part["id"] not in asked, f"{part['id']} is asked twice"
            asked.add(part["id"])
        for part in results_of(message):
            assert message["role"] in {"tool", "user"}
            assert part["id"] in asked, f"{part['id']} is answered before it is asked"
            if part.get("status") == "interim":
                waiting.add(part["id"])
            else:
                answered.append(part["id"])
    assert len(answered) == len(set(answered))
    assert asked == {*answered, *waiting}


@check
def every_lost_has_decision(done: Finished) -> None:
    there = by_id(done.out)
    _, told = asked_and_told(done.out)
    named = {each["message"] for each in done.last.trace["decisions"]}
    for message in done.given["messages"]:
        answers = {part["id"] for part in results_of(message)}
        if message["id"] in there or (answers and answers <= told) or message["role"] == "system":
            continue
        assert message["id"] in named, f"{message['id']} went without a word"


@check
def no_dangling_pointer(done: Finished) -> None:
    def names(document: JsonObject) -> set[str]:
        return {*by_id(document), *asked_and_told(document)[0]}

    gone = names(done.given) - names(done.out)
    for message in done.out["messages"]:
        for part in results_of(message):
            now, then = text_of(part), final_result(done.given, part["id"])
            if then is not None and now != then:
                pointed = {name for name in gone if re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", now)}
                assert {name for name in pointed if name not in then} == set()


@check
def idempotent(done: Finished) -> None:
    again = done.rebuilt()
    assert again.body is not None, again.error
    assert again.body["messages"] == done.out["messages"]
    assert system_text(again.body) == system_text(done.out)


@check
def deterministic(done: Finished) -> None:
    assert done.again().body == done.out


@check
def input_unmutated(done: Finished) -> None:
    assert done.last.unchanged


@check
def last_user_kept(done: Finished) -> None:
    asked = [each for each in done.given["messages"] if each["role"] == "user" and not results_of(each)]
    said = [message_text(each) for each in done.out["messages"] if each["role"] == "user"]
    assert any(message_text(asked[-1]) in each for each in said)


@check
def count_role(done: Finished, role: str, op: str, n: int) -> None:
    assert COMPARE[op](sum(each["role"] == role for each in done.out["messages"]), n)


@check
def count_id(done: Finished, id: str, op: str, n: int) -> None:  # noqa: A002 - the word of the cases
    assert COMPARE[op](sum(each["id"] == id for each in done.out["messages"]), n)


@check
def no_empty_messages(done: Finished) -> None:
    for message in done.out["messages"]:
        assert message_text(message).strip() or calls_of(message) or results_of(message), message["id"]


def reasoning(document: JsonObject) -> list[tuple[str | None, str | None]]:
    return [
        (part.get("content"), part.get("signature"))
        for message in document["messages"]
        for part in parts(message)
        if part["type"] == "reasoning"
    ]


@check
def reasoning_unchanged(done: Finished) -> None:
    assert set(reasoning(done.out)) <= set(reasoning(done.given))


@check
def count_reasoning(done: Finished, op: str, n: int) -> None:
    assert COMPARE[op](len(reasoning(done.out)), n)


@check
def valid_unicode(done: Finished) -> None:
    text = whole_text(done.out)
    assert "\ufffd" not in text
    assert not any("\ud800" <= char <= "\udfff" for char in text)


@check
def signals_over_budget(done: Finished) -> None:
    assert done.out is not None
    assert done.last.trace["cost"]["over_budget"] is True


@check
def trace_has(done: Finished, path: str, op: str | None = None, value: object = None) -> None:
    found = list(walk(done.last.trace, path.split(".")))
    assert found, f"the trace has no {path}"
    if op is not None:
        assert any(COMPARE[op](each, value) for each in found)


@check
def trace_lacks(done: Finished, texts: list[str]) -> None:
    text = str(done.last.trace)
    assert [each for each in texts if each in text] == []


@check
def error(done: Finished, codes: tuple[str, ...] = (), mentions: tuple[str, ...] = ()) -> None:
    refusal = done.last.error
    assert refusal is not None, "it was built"
    said = squash(f"{refusal.code} {refusal}")
    assert not codes or any(squash(code) in said for code in codes)
    assert all(squash(each) in said for each in mentions)


@check
def any_of(done: Finished, groups: list[list[JsonObject]]) -> None:
    reasons: list[str] = []
    for group in groups:
        try:
            check_all(done, group)
        except AssertionError as reason:
            reasons.append(str(reason))
        else:
            return
    raise AssertionError(" | ".join(reasons))

"""Hypothesis strategies for whole histories and requests.

| strategy | gives |
|---|---|
| `orderly_messages()` | a history as a healthy agent leaves it: whole pairs, own ids, in order |
| `histories()` | such a history after a crash, an import, an edit: cut, shuffled, doubled, stray halves, repeated ids |
| `conversations()` | a request: system, tools, model, limits and a history |

Below them: `pieces` (`parts()`, `message()`, `extras()`: anything the types allow, sensible or not),
`values` (texts with CJK, emoji, controls, lone surrogates; JSON), `neutral_json` (neutral bodies).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from functools import cache
from typing import Any, Final, Literal, get_args

from hypothesis import strategies as st

from contextrail.core.digest import text_digest
from contextrail.core.ids import CallId, MessageId
from contextrail.core.json_text import dump_text
from contextrail.messages.identity import number_runs
from contextrail.messages.model import (
    Conversation,
    Fence,
    Message,
    Part,
    Text,
    Thinking,
    Tool,
    ToolCall,
    ToolResult,
)
from tests.properties.pieces import maybe_extra, media, message, opaques, text_parts
from tests.properties.values import WIRES, json_objects, names, texts, timestamps

# Histories


@st.composite
def orderly_messages(draw: st.DrawFn, *, max_turns: int = 4, wire: str | None = None) -> tuple[Message, ...]:
    """A history as a healthy agent leaves it.

    User inputs, replies with reasoning, text and batches of calls, each batch answered at once and in
    order, by one message or several. Ids of calls and messages are used once. It starts with a user
    input and may end in the middle of a turn, after results.

    Args:
        draw: Given by Hypothesis.
        max_turns: How many user inputs there are at most.
        wire: Wire form that reasoning comes from; None draws one.
    """
    source = wire or draw(st.sampled_from(WIRES[:4]))
    history: list[Message] = []

    start = draw(st.none() | timestamps())

    def when(place: int) -> datetime | None:
        return None if start is None else start + timedelta(seconds=place)

    def add(role: Any, *said: Part) -> None:
        ident = MessageId(f"{role[0]}{len(history)}")
        history.append(Message(id=ident, role=role, parts=said, timestamp=when(len(history))))

    for turn in range(draw(st.integers(1, max_turns))):
        add("user", Text(text=draw(_said())))
        for step in range(draw(st.integers(0, 3))):
            calls = tuple(
                ToolCall(
                    call_id=CallId(f"call_{turn}_{step}_{index}"),
                    name=draw(_TOOL_NAMES),
                    arguments=draw(_arguments()),
                )
                for index in range(draw(st.integers(1, 3)))
            )
            add("assistant", *_opening(draw, source), *calls)
            results = [draw(_answer(call)) for call in calls]
            if draw(st.booleans()):
                add("tool", *results)
            else:
                for result in results:
                    add("tool", result)
        if turn == 0 or draw(st.booleans()):
            add("assistant", *_opening(draw, source), Text(text=draw(_said())))
    return number_runs(history)


@cache
def _said() -> st.SearchStrategy[str]:
    return texts().map(lambda text: text if text.strip() else "go on")


def _opening(draw: st.DrawFn, wire: str) -> list[Part]:
    said: list[Part] = []
    if draw(st.booleans()):
        text = draw(_said())
        said.append(Thinking(text=text, signature="c2ln", wire=wire, bound=text_digest(text)))
    if draw(st.booleans()):
        said.append(Text(text=draw(_said())))
    return said


def _answer(call: ToolCall) -> st.SearchStrategy[ToolResult]:
    return _ANSWERS.map(
        lambda said: ToolResult(
            call_id=call.call_id, name=call.name, parts=(Text(text=said[0]),), status=said[1]
        )
    )


@cache
def _arguments() -> st.SearchStrategy[str]:
    usual = st.sampled_from(
        ['{"path":"src/app.py"}', '{"cmd":"pytest -q","timeout":30}', "{}", '{"查询":"错误"}']
    )
    return usual | usual | json_objects(3).map(dump_text)


_TOOL_NAMES: Final = st.sampled_from(["read_file", "bash", "search"])
_STATUS: Final = st.sampled_from(get_args(Literal["ok", "error"]))
_ANSWERS: Final[st.SearchStrategy[tuple[str, Literal["ok", "error"]]]] = st.tuples(texts(), _STATUS)


Mutation = Callable[[st.DrawFn, list[Message]], None]


def _place(draw: st.DrawFn, history: list[Message]) -> int:
    return draw(st.integers(0, len(history) - 1))


def _drop(draw: st.DrawFn, history: list[Message]) -> None:
    del history[_place(draw, history)]


def _cut_head(draw: st.DrawFn, history: list[Message]) -> None:
    del history[: _place(draw, history)]


def _cut_tail(draw: st.DrawFn, history: list[Message]) -> None:
    del history[_place(draw, history) :]


def _double(draw: st.DrawFn, history: list[Message]) -> None:
    history.insert(_place(draw, history), history[_place(draw, history)])


def _swap(draw: st.DrawFn, history: list[Message]) -> None:
    left, right = _place(draw, history), _place(draw, history)
    history[left], history[right] = history[right], history[left]


def _insert(draw: st.DrawFn, history: list[Message]) -> None:
    history.insert(_place(draw, history), draw(message()))


def _lose_part(draw: st.DrawFn, history: list[Message]) -> None:
    at = _place(draw, history)
    history[at] = replace(history[at], parts=history[at].parts[1:])


def _empty(draw: st.DrawFn, history: list[Message]) -> None:
    at = _place(draw, history)
    history[at] = replace(history[at], parts=draw(st.sampled_from([(), (Text(text=""),)])))


def _change_role(draw: st.DrawFn, history: list[Message]) -> None:
    at = _place(draw, history)
    history[at] = replace(history[at], role=draw(st.sampled_from(["system", "user", "assistant", "tool"])))


def _same_call_ids(draw: st.DrawFn, history: list[Message]) -> None:
    """Every call of the session has the same id, as hosts leave it that number calls anew in each reply."""

    def renamed(part: Part) -> Part:
        return replace(part, call_id=CallId("call_0")) if isinstance(part, (ToolCall, ToolResult)) else part

    history[:] = [replace(each, parts=tuple(map(renamed, each.parts))) for each in history]


def _same_message_id(draw: st.DrawFn, history: list[Message]) -> None:
    history[_place(draw, history)] = replace(
        history[_place(draw, history)], id=history[_place(draw, history)].id
    )


def _interim(draw: st.DrawFn, history: list[Message]) -> None:
    at = _place(draw, history)

    def sign_of_life(part: Part) -> Part:
        return replace(part, status="interim") if isinstance(part, ToolResult) else part

    history[at] = replace(history[at], parts=tuple(map(sign_of_life, history[at].parts)))


def _shuffle(draw: st.DrawFn, history: list[Message]) -> None:
    history[:] = draw(st.permutations(history))


def _alter_thinking(draw: st.DrawFn, history: list[Message]) -> None:
    at = _place(draw, history)

    def altered(part: Part) -> Part:
        return replace(part, text=part.text + "!") if isinstance(part, Thinking) else part

    history[at] = replace(history[at], parts=tuple(map(altered, history[at].parts)))


MUTATIONS: Final[tuple[Mutation, ...]] = (
    _drop,
    _cut_head,
    _cut_tail,
    _double,
    _swap,
    _insert,
    _lose_part,
    _empty,
    _change_role,
    _same_call_ids,
    _same_message_id,
    _interim,
    _shuffle,
    _alter_thinking,
)


@st.composite
def histories(draw: st.DrawFn, *, max_turns: int = 4, max_mutations: int = 4) -> tuple[Message, ...]:
    """Any history that a crash, an import, a broken edit or a provider could leave; also an empty one."""
    history = list(draw(orderly_messages(max_turns=max_turns)))
    for mutate in draw(st.lists(st.sampled_from(MUTATIONS), max_size=max_mutations)):
        if history:
            mutate(draw, history)
    return number_runs(history)


@cache
def tools() -> st.SearchStrategy[Tool]:
    return st.builds(
        Tool,
        name=names(),
        description=st.none() | texts(),
        parameters=st.none() | json_objects(),
        extra=maybe_extra(),
    )


def conversations(
    messages: st.SearchStrategy[tuple[Message, ...]] | None = None,
) -> st.SearchStrategy[Conversation]:
    """Any request; `messages` gives its history, by default any."""
    system_parts = text_parts() | media() | opaques() | st.builds(Fence, family=names(), text=texts())
    return st.builds(
        Conversation,
        wire=st.none() | st.sampled_from(WIRES),
        model=st.none() | st.sampled_from(["gpt-5.2", "claude-opus-4-5", "gemini-3-pro", "qwen3-coder"]),
        system=st.just(())
        | texts().map(lambda text: (Text(text=text),))
        | st.lists(system_parts, max_size=3).map(tuple),
        system_extra=maybe_extra(),
        tools=st.lists(tools(), max_size=3).map(tuple),
        messages=histories() if messages is None else messages,
        max_output=st.none() | st.integers(1, 200_000),
        extra=maybe_extra(),
    )

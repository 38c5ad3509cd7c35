"""Fields of the wrong JSON type: each is found at its place, repair leaves none, and nothing sound is told."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any, Final

import pytest

from contextrail.core.errors import InvalidRequest
from contextrail.wire.lint import lint
from contextrail.wire.mends_edit import LISTS
from contextrail.wire.repair import repair
from tests.wire.cassettes import exchanges

SCHEMA: Final = {"type": "object"}
SOUND: Final[dict[str, Any]] = {
    "anthropic": {
        "model": "claude-sonnet-4-5",
        "max_tokens": 100,
        "messages": [
            {"role": "user", "content": [{"type": "text", "text": "hi"}]},
            {"role": "assistant", "content": [{"type": "tool_use", "id": "a", "name": "f", "input": {}}]},
            {
                "role": "user",
                "content": [
                    {"type": "tool_result", "tool_use_id": "a", "content": [{"type": "text", "text": "r"}]}
                ],
            },
        ],
        "tools": [{"name": "f", "description": "d", "input_schema": SCHEMA}],
    },
    "openai-chat": {
        "model": "gpt-5",
        "max_completion_tokens": 100,
        "messages": [
            {"role": "user", "content": [{"type": "text", "text": "hi"}]},
            {
                "role": "assistant",
                "tool_calls": [{"id": "a", "type": "function", "function": {"name": "f", "arguments": "{}"}}],
            },
            {"role": "tool", "tool_call_id": "a", "content": "r"},
        ],
        "tools": [{"type": "function", "function": {"name": "f", "parameters": SCHEMA}}],
    },
    "openai-responses": {
        "model": "gpt-5",
        "max_output_tokens": 100,
        "input": [
            {"role": "user", "content": [{"type": "input_text", "text": "hi"}]},
            {"type": "function_call", "call_id": "a", "name": "f", "arguments": "{}"},
            {"type": "function_call_output", "call_id": "a", "output": "r"},
        ],
        "tools": [{"type": "function", "name": "f", "parameters": SCHEMA}],
    },
    "gemini": {
        "contents": [
            {"role": "user", "parts": [{"text": "hi"}]},
            {"role": "model", "parts": [{"functionCall": {"name": "f", "args": {}}}]},
            {"role": "user", "parts": [{"functionResponse": {"name": "f", "response": {"a": 1}}}]},
        ],
        "tools": [{"functionDeclarations": [{"name": "f", "parameters": SCHEMA}]}],
    },
}
JUNK: Final[tuple[Any, ...]] = (5, True, "zz", [], {}, [5], {"x": 1}, 10.5, -5, 1e30)
FREE: Final = {"response", "args", "input", "arguments"}
"""Below these a host may say what it likes, or a rule of its own looks."""
Path = tuple[str | int, ...]


def places(value: Any, path: Path = ()) -> Iterator[Path]:
    """Every place whose type is a provider's, schemas of arguments left out."""
    if path:
        yield path
    if path and path[-1] in {*FREE, "parameters", "input_schema"}:
        return
    pairs = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inside in pairs:
        yield from places(inside, (*path, key))


def replaced(body: Any, path: Path, value: Any) -> Any:
    changed = copy.deepcopy(body)
    holder = changed
    for step in path[:-1]:
        holder = holder[step]
    holder[path[-1]] = value
    return changed


def at(body: Any, path: Path) -> Any:
    for step in path:
        body = body[step]
    return body


def shape(value: Any) -> str:
    return "number" if type(value) in (int, float) else type(value).__name__


WRONG: Final = [
    (provider, path, junk)
    for provider, body in SOUND.items()
    for path in places(body)
    for junk in JUNK
    if shape(at(body, path)) != shape(junk)
    and not (path[-1] in {"content", "output"} and isinstance(junk, (str, list)) and junk != [5])
    and not (path[-1] == "input" and isinstance(junk, str))
    and not (path == ("tools",) and junk == [])
    and not (path[-1] in {"functionDeclarations", "tool_calls", "parts"} and junk == [])
]


@pytest.mark.parametrize("provider", SOUND)
def test_the_bodies_below_are_sound(provider: str) -> None:
    assert lint(SOUND[provider], provider) == ()


def test_a_value_of_another_type_is_found_wherever_it_stands() -> None:
    missed = [
        (provider, path, junk)
        for provider, path, junk in WRONG
        if not lint(replaced(SOUND[provider], path, junk), provider)
    ]
    assert len(WRONG) > 500
    assert missed == []


def test_repair_leaves_no_field_of_the_wrong_type() -> None:
    left = []
    for provider, path, junk in WRONG:
        try:
            mended = repair(replaced(SOUND[provider], path, junk), provider)
        except InvalidRequest:
            continue  # no codec can read it
        left += [
            (provider, path, junk, finding.rule)
            for finding in mended.after
            if finding.rule.endswith("field-type")
        ]
    assert left == []


@pytest.mark.parametrize("limit", ["lots", -5, 10.5, 1e30, 0, True])
def test_a_limit_that_is_no_count_is_told_and_mended(limit: object) -> None:
    body = {**SOUND["anthropic"], "max_tokens": limit}
    assert [each.path for each in lint(body, "anthropic")] == ["$.max_tokens"]
    mended = repair(body, "anthropic")
    assert mended.after == ()
    assert mended.body["max_tokens"] == 4096
    assert [each.reason for each in mended.decisions] == ["field-of-wrong-type"]


def test_no_recorded_body_that_was_accepted_has_a_field_of_the_wrong_type() -> None:
    accepted = [each for each in exchanges() if each.status < 300]
    told = [
        (each.name, finding.path)
        for each in accepted
        for finding in lint(each.request, each.provider)
        if finding.rule.endswith("-type")
    ]
    assert told == []


@pytest.mark.parametrize("provider", SOUND)
@pytest.mark.parametrize("said", ["oops", 5, ["a"], None, ""])
def test_what_is_no_message_is_the_user_s_text_or_goes_as_lint_promised(provider: str, said: object) -> None:
    key = LISTS[provider]  # type: ignore[index]
    body = {**SOUND[provider], key: [*SOUND[provider][key], said]}
    assert all(finding.mendable for finding in lint(body, provider))
    mended = repair(body, provider)
    assert mended.after == ()
    assert ("oops" in str(mended.body)) == (said == "oops")
    assert mended.body[key][: len(SOUND[provider][key])] == SOUND[provider][key]


@pytest.mark.parametrize("provider", ["anthropic", "openai-chat"])
def test_where_nothing_could_hold_messages_no_mend_is_promised(provider: str) -> None:
    (finding,) = lint({**SOUND[provider], "messages": 5}, provider)
    assert not finding.mendable

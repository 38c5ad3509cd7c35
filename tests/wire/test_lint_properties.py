"""What holds of the linter for any value: it judges the same twice, changes nothing, repeats nobody's words."""

from __future__ import annotations

import ast
import copy
import re
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contextrail.wire.lint import lint
from contextrail.wire.target import PROFILES, PROVIDERS
from tests.wire.test_lint import CASES, LARGE, findings

TARGETS: Final = (
    *PROVIDERS,
    *(f"{provider}:{profile}" for provider, profiles in PROFILES.items() for profile in profiles),
)
WORDS: Final = (
    "role", "content", "type", "text", "id", "name", "input", "tool_use_id", "tool_calls", "function", "arguments",
    "call_id", "output", "parts", "functionCall", "functionResponse", "args", "response", "thoughtSignature", "thinking",
    "signature", "summary", "source", "data", "media_type", "cache_control", "ttl", "tools", "tool_choice", "messages",
    "contents", "model", "system", "store", "image_url", "url", "inlineData", "mimeType", "caller", "tool_id",
)  # fmt: skip
VALUES: Final = (
    "user", "assistant", "model", "tool", "system", "text", "tool_use", "tool_result", "thinking", "function_call",
    "function_call_output", "reasoning", "message", "image", "base64", "t1", "", " ", "{}", "[1]", "data:image/png,",
    "enabled", "1h", "\ud800",
)  # fmt: skip


def json_values() -> st.SearchStrategy[Any]:
    """Any JSON value, NaN and lone surrogates included, made of words that the wire forms know."""
    leaves = (
        st.none()
        | st.booleans()
        | st.integers()
        | st.floats()
        | st.sampled_from(VALUES)
        | st.text(max_size=6)
    )
    keys = st.sampled_from(WORDS) | st.text(max_size=4)
    return st.recursive(
        leaves,
        lambda inner: st.lists(inner, max_size=4) | st.dictionaries(keys, inner, max_size=5),
        max_leaves=10,
    )


def known_bodies() -> st.SearchStrategy[Any]:
    small = [each for name, case in CASES.items() if name not in LARGE for each in (case.breaks, case.passes)]
    return st.sampled_from(small)


@st.composite
def damaged_bodies(draw: st.DrawFn) -> Any:
    """A sensible body with values replaced, keys removed and elements doubled in a few places."""
    body = copy.deepcopy(draw(known_bodies()))
    for _ in range(draw(st.integers(1, 4))):
        node = body
        while isinstance(node, (dict, list)) and node:
            keys = list(node) if isinstance(node, dict) else list(range(len(node)))
            key = draw(st.sampled_from(keys[:20]))
            if isinstance(node[key], (dict, list)) and node[key] and draw(st.booleans()):
                node = node[key]
                continue
            match draw(st.sampled_from(["replace", "remove", "double"])):
                case "replace":
                    node[key] = draw(json_values())
                case "double" if isinstance(node, list):
                    node.insert(key, copy.deepcopy(node[key]))
                case _:
                    del node[key]
            break
    return body


@given(json_values() | damaged_bodies(), st.sampled_from(TARGETS), st.none() | known_bodies())
def test_any_value_is_judged_the_same_twice_and_left_as_it_was(body: Any, name: str, before: Any) -> None:
    kept = copy.deepcopy(body)
    first = lint(body, name, before=before)
    assert first == lint(copy.deepcopy(body), name, before=before)
    assert repr(body) == repr(kept)
    assert all("\n" not in each.message and each.message.isascii() and each.path.isascii() for each in first)


STEP: Final = re.compile(r"\.(\w+)|\[(\d+)\]|\[('.*?'|\".*?\")\]")


@given(damaged_bodies(), st.sampled_from(PROVIDERS))
def test_every_finding_points_to_a_place_that_is_there_or_lacks_its_last_step(body: Any, name: str) -> None:
    for each in lint(body, name):
        steps = [
            int(index) if index else word or ast.literal_eval(quoted)
            for word, index, quoted in STEP.findall(each.path.removeprefix("$"))
        ]
        value = body
        for step in steps[:-1]:
            value = value[step]
        if steps:
            assert isinstance(value, list if isinstance(steps[-1], int) else dict)


SECRET: Final = "the-user-said-this"


@pytest.mark.parametrize("name", [name for name in CASES if name not in LARGE])
def test_no_message_repeats_what_was_said(name: str) -> None:
    def spoken(value: Any, key: str = "") -> Any:
        if isinstance(value, dict):
            return {key: spoken(each, key) for key, each in value.items()}
        if isinstance(value, list):
            return [spoken(each, key) for each in value]
        return (
            SECRET
            if key in {"text", "content", "output", "thinking", "arguments"} and isinstance(value, str)
            else value
        )

    assert not any(SECRET in each.message for each in findings(name, spoken(CASES[name].breaks)))

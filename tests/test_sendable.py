"""What a rail hands out can be sent: no error of the linter speaks against it, or a typed error says what to do."""

from __future__ import annotations

import copy
import json
import math
import sys
from pathlib import Path
from typing import Any, Final

import pytest

from contextrail.cli.main import main
from contextrail.core.errors import InvalidRequest, RailError
from contextrail.history.context import Loop
from contextrail.messages.model import Conversation
from contextrail.rail import Moment, Rail
from contextrail.wire.codec import decode
from contextrail.wire.lint import RULES, Finding, lint
from contextrail.wire.sendable import CURES, refuse_no_json, refuse_unsendable
from contextrail.wire.target import PROVIDERS
from tests.wire.test_lint import CASES, LARGE, target

ERRORS: Final = sorted(name for name, rule in RULES.items() if rule.severity == "error")
SPOILED: Final[tuple[object, ...]] = (
    True,
    1.5,
    "",
    [],
    {},
    None,
    -1,
    10**30,
    math.nan,
    "\ud800",
    b"x",
    {1: 2},
)


def errors_of(rail: Rail, body: Any, to: str) -> list[Finding]:
    """Errors of the linter in what is built; none where it is a typed error that says where and what to do."""
    refused: RailError | None = None
    request = None
    try:
        request = rail.build(body)
    except RailError as error:
        refused = error
    if refused is not None:
        assert refused.facts.get("cure"), refused
        assert not isinstance(refused, InvalidRequest) or refused.facts.get("place"), refused
        return []
    assert request is not None
    json.dumps(request.body, allow_nan=False)
    return [each for each in lint(request.body, to, model=request.sent.model) if each.severity == "error"]


@pytest.mark.parametrize("name", [name for name in ERRORS if name not in LARGE])
def test_what_breaks_a_rule_is_mended_or_refused(name: str) -> None:
    to = target(name, CASES[name])
    assert errors_of(Rail(target=to, model=CASES[name].model), CASES[name].breaks, to) == []


@pytest.mark.parametrize(
    "name", [name for name in ERRORS if name not in LARGE and not name.endswith(".input-empty")]
)
def test_what_breaks_no_rule_is_never_refused(name: str) -> None:
    to = target(name, CASES[name])
    request = Rail(target=to, model=CASES[name].model, window=10**7).build(CASES[name].passes)  # type: ignore[arg-type]
    assert [each for each in request.findings if each.severity == "error"] == []


@pytest.mark.parametrize("name", [name for name in ERRORS if RULES[name].mend is None])
def test_each_rule_without_a_mend_has_a_cure_in_words(name: str) -> None:
    assert name.partition(".")[2] in CURES


@pytest.mark.parametrize("spoiled", SPOILED, ids=repr)
@pytest.mark.parametrize("provider", PROVIDERS)
def test_one_wrong_value_anywhere_is_mended_or_refused(provider: str, spoiled: object) -> None:
    sound: Any = CASES[f"{provider}.call-name"].passes
    rail = Rail(target=provider)
    for path in _paths(sound):
        body = copy.deepcopy(sound)
        holder = body
        for step in path[:-1]:
            holder = holder[step]
        holder[path[-1]] = spoiled
        assert errors_of(rail, body, provider) == [], path


def _paths(value: Any) -> list[tuple[Any, ...]]:
    steps = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path for key, each in steps for path in [(key,), *((key, *below) for below in _paths(each))]]


EMPTY: Final = {
    "anthropic": {"model": "claude-sonnet-4-5", "max_tokens": 10, "messages": []},
    "openai-chat": {"model": "gpt-4o", "messages": []},
    "openai-responses": {"model": "gpt-5", "input": ""},
    "gemini": {"contents": []},
}


@pytest.mark.parametrize("provider", PROVIDERS)
def test_the_command_writes_no_request_without_a_message(
    provider: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    source, written = tmp_path / "in.json", tmp_path / "out.json"
    source.write_text(json.dumps(EMPTY[provider]))
    args = ["build", str(source), "--from", provider, "--to", provider, "--out", str(written), "--no-store"]
    monkeypatch.setattr(sys, "argv", ["contextrail", *args])
    with pytest.raises(SystemExit) as left:
        main()
    assert left.value.code == 2
    assert not written.exists()
    said = capsys.readouterr().err
    assert "message" in said
    assert "cure: " in said


@pytest.mark.parametrize(
    ("body", "path"),
    [
        ({"model": "gpt-4o", "temperature": math.inf}, "$.temperature"),
        ({"model": "gpt-4o", "metadata": {"a": [1, math.nan]}}, "$.metadata.a[1]"),
        ({"model": "gpt-4o", "stop": {"a"}}, "$.stop"),
        ({"model": "gpt-4o", "stop": b"a"}, "$.stop"),
        (
            {
                "model": "gpt-4o",
                "tools": [{"type": "function", "function": {"name": "f", "parameters": {"x": -math.inf}}}],
            },
            "$.tools[0].function.parameters.x",
        ),
    ],
)
def test_what_json_has_no_form_for_is_named_with_its_place(body: dict[str, Any], path: str) -> None:
    with pytest.raises(InvalidRequest) as caught:
        Rail().build({**body, "messages": [{"role": "user", "content": ""}]})
    assert caught.value.facts["path"] == path
    assert "finite number" in str(caught.value.facts["cure"])


def test_a_key_that_is_no_text_is_named() -> None:
    with pytest.raises(InvalidRequest) as caught:
        Rail().build({"model": "gpt-4o", 1: 2, "messages": [{"role": "user", "content": "a"}]})  # type: ignore[dict-item]
    assert caught.value.facts["path"] == "$"


def test_nan_in_a_conversation_is_named_as_well() -> None:
    read = decode(
        {
            "model": "claude-sonnet-4-5",
            "max_tokens": 9,
            "tools": [{"name": "f", "input_schema": {"type": "object", "x": math.nan}}],
            "messages": [{"role": "user", "content": "a"}],
        },
        "anthropic",
    )
    assert isinstance(read, Conversation)
    with pytest.raises(InvalidRequest) as caught:
        Rail(target="anthropic").build(read)
    assert str(caught.value.facts["path"]).endswith(".x")


def test_a_fault_that_is_not_the_bodys_stays_what_it_is() -> None:
    refuse_no_json({"a": [1, 2.5, None, True, {"b": "\ud800"}]}, place="body")


def test_a_body_without_end_is_refused() -> None:
    endless: list[Any] = []
    endless.append(endless)
    with pytest.raises(InvalidRequest, match="nested deeper"):
        refuse_no_json(endless, place="body")


def test_warnings_speak_against_nothing() -> None:
    finding = Finding(
        rule="anthropic.x", path="$", severity="warning", message="m", answer=None, mendable=False
    )
    refuse_unsendable([finding], "anthropic")


def test_what_nothing_mends_is_named_before_what_was_left_because_of_it() -> None:
    body = {
        "model": "claude-sonnet-4-5",
        "max_tokens": True,
        "messages": [{"role": "user", "content": [{"type": "text", "text": ""}]}],
        "temperature": math.nan,
    }
    with pytest.raises(InvalidRequest) as caught:
        Rail(target="anthropic").build(body)
    assert caught.value.facts["rule"] == "anthropic.not-json"


@pytest.mark.parametrize("provider", PROVIDERS)
def test_findings_are_those_of_the_body_with_tools_switched_off(provider: str) -> None:
    body: Any = CASES[f"{provider}.tool-name"].passes
    loop = Loop(step=9, max_steps=9, phase="force_final_answer")
    request = Rail(target=provider).build(body, moment=Moment(loop=loop))
    assert request.findings == lint(request.body, provider, model=request.sent.model)

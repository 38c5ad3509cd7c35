"""The linter finds what a provider refuses, and nothing in what one has accepted."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any, Final

import pytest

from contextrail.core.errors import InvalidRequest
from contextrail.wire.finding import json_path, position
from contextrail.wire.lint import RULES, Finding, Rule, lint
from contextrail.wire.target import PROVIDERS
from tests.wire import (
    cassettes,
    lint_cases_anthropic,
    lint_cases_gemini,
    lint_cases_openai_chat,
    lint_cases_openai_responses,
)
from tests.wire.lint_case import Case

CASES: Final[dict[str, Case]] = {
    f"{provider}.{name}": each
    for provider, module in (
        ("anthropic", lint_cases_anthropic),
        ("openai-chat", lint_cases_openai_chat),
        ("openai-responses", lint_cases_openai_responses),
        ("gemini", lint_cases_gemini),
    )
    for name, each in module.CASES.items()
}
LARGE: Final = {
    "anthropic.body-too-large",
    "anthropic.too-many-messages",
    "anthropic.image-too-large",
    "anthropic.image-large",
    "gemini.body-too-large",
    "gemini.body-large",
    "openai-chat.text-too-long",
    "openai-responses.text-too-long",
    "anthropic.too-many-media",
    "openai-chat.too-many-tools",
    "openai-responses.too-many-tools",
}
"""Cases whose bodies are so large that other tests leave them out."""

REFUSED: Final = {
    "test_deepseek_responses/test_deepseek_responses_rejects_interleaved_function_calls[0]": {
        "openai-responses.deepseek-interleaved": ["$.input[1]"],
    }
}
"""Recorded requests that the provider refused for their form, with what must be found."""

LOGS: Final = Path(__file__).parent.parent / "data" / "openhands-llm-logs"


def target(name: str, each: Case) -> str:
    provider = name.partition(".")[0]
    return f"{provider}:{each.profile}" if each.profile else provider


def findings(name: str, body: object) -> tuple[Finding, ...]:
    each = CASES[name]
    return lint(body, target(name, each), before=each.before, model=each.model)


# The table


def test_every_rule_has_a_body_that_breaks_it_and_one_that_does_not() -> None:
    assert CASES.keys() == RULES.keys()


@pytest.mark.parametrize("name", CASES)
def test_a_body_breaks_exactly_its_rule(name: str) -> None:
    provider = name.partition(".")[0]
    found = {finding.rule for finding in findings(name, CASES[name].breaks)}
    assert found == {name, *(f"{provider}.{other}" for other in CASES[name].also)}


@pytest.mark.parametrize("name", CASES)
def test_its_neighbor_breaks_no_rule(name: str) -> None:
    assert findings(name, CASES[name].passes) == ()


@pytest.mark.parametrize("each", RULES.values(), ids=RULES)
def test_a_rule_says_what_breaks_and_where_it_is_written(each: Rule) -> None:
    assert each.id.partition(".")[0] == each.provider
    assert each.link.startswith("https://")
    for line in (each.breaks, each.answer, each.mend):
        assert line is None or (line and "\n" not in line and line == line.strip() and not line.endswith("."))


# What was recorded


@pytest.mark.parametrize("exchange", cassettes.exchanges(), ids=lambda each: each.name)
def test_a_recorded_request_has_findings_only_if_it_was_refused(exchange: cassettes.Exchange) -> None:
    found = lint(exchange.request, exchange.provider, model=exchange.uri.rpartition("models/")[2])
    wanted = REFUSED.get(exchange.name, {})
    assert bool(wanted) == (exchange.status >= 300)
    assert {finding.rule: finding.path for finding in found} == {
        rule: paths[0] for rule, paths in wanted.items()
    }


def test_what_the_provider_answered_is_what_the_finding_says() -> None:
    refused = next(each for each in cassettes.exchanges() if each.status >= 300)
    (found,) = lint(refused.request, refused.provider)
    assert found.answer is not None
    assert found.answer in json.dumps(refused.response)


def test_recorded_requests_of_mistral_keep_the_rules_of_its_profile() -> None:
    recorded = [each for each in cassettes.exchanges() if "mistral.ai" in each.uri]
    assert len(recorded) == 2
    assert [lint(each.request, "openai-chat:mistral") for each in recorded] == [(), ()]


@pytest.mark.parametrize("path", sorted(LOGS.glob("*.json")), ids=lambda path: path.stem)
def test_requests_of_an_agent_that_were_answered_have_no_findings(path: Path) -> None:
    log = json.loads(path.read_text("utf-8"))
    body = {"messages": log["messages"], "tools": log["kwargs"]["tools"]}
    assert len(body["messages"]) > 5
    assert lint(body, "openai-chat") == ()


# What a caller can rely on


def test_findings_come_by_place_then_rule() -> None:
    body = {
        "model": "m",
        "max_tokens": 1,
        "system": [{"type": "text", "text": ""}],
        "messages": [
            *[{"role": "user", "content": "hi"}] * 10,
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "a:b"}]},
            {"role": "user", "content": [{"type": "text", "text": ""}]},
        ],
    }
    assert [(each.path, each.rule) for each in lint(body, "anthropic")] == [
        ("$.messages[10].content[0]", "anthropic.result-stray"),
        ("$.messages[10].content[0].tool_use_id", "anthropic.call-id-form"),
        ("$.messages[11].content[0]", "anthropic.text-empty"),
        ("$.system[0]", "anthropic.text-empty"),
    ]


def test_a_place_is_written_as_a_json_path() -> None:
    assert json_path(()) == "$"
    assert json_path(("messages", 3, "content", 0)) == "$.messages[3].content[0]"
    assert json_path(("a b", "it's", "\ud83d")) == "$['a b'][\"it's\"]['\\ud83d']"
    assert sorted([("b",), ("a", 10), ("a", 9, "z"), ("a",), ()], key=position) == [
        (),
        ("a",),
        ("a", 9, "z"),
        ("a", 10),
        ("b",),
    ]


def test_a_finding_tells_severity_answer_and_cure_of_its_rule() -> None:
    (found,) = lint({"model": "m", "messages": [{"role": "user", "content": "hi"}]}, "anthropic")
    assert found == Finding(
        rule="anthropic.max-tokens-missing",
        path="$",
        severity="error",
        message="no max_tokens",
        answer="max_tokens: Field required",
        mendable=True,
    )


@pytest.mark.parametrize("name", ["", "openai", "anthropic:x", "OPENAI-CHAT"])
def test_an_unknown_provider_is_refused(name: str) -> None:
    with pytest.raises(InvalidRequest):
        lint({}, name)


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize("body", [None, [], "text", 7, True, 1.5])
def test_a_body_that_is_no_object_is_one_finding(provider: str, body: object) -> None:
    assert [each.rule for each in lint(body, provider)] == [f"{provider}.body-form"]


@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_body_nested_without_measure_is_one_finding(provider: str) -> None:
    deep: list[Any] = []
    for _ in range(100_000):
        deep = [deep]
    assert [each.rule for each in lint({"messages": deep}, provider)] == [f"{provider}.not-json"]


def test_a_body_that_holds_itself_is_one_finding() -> None:
    body: dict[str, Any] = {"messages": [], "temperature": float("nan")}
    body["messages"].append(body)
    assert [each.rule for each in lint(body, "anthropic")] == ["anthropic.not-json"]


def test_a_model_named_beside_the_body_counts_and_one_in_it_does_too() -> None:
    body = CASES["gemini.signature-missing"].breaks
    assert isinstance(body, dict)
    assert lint(body, "gemini") == ()
    assert [each.rule for each in lint(body, "gemini", model="models/gemini-3.1-pro")] == [
        "gemini.signature-missing"
    ]
    assert lint(body | {"model": "models/gemini-3-flash"}, "gemini") != ()
    assert lint(body, "gemini", model="gemini-2.5-pro") == ()


# Severities and exceptions that evidence asks for


def chat(ident: str, model: str | None = None) -> dict[str, Any]:
    call = {"id": ident, "type": "function", "function": {"name": "read", "arguments": "{}"}}
    return {
        **({} if model is None else {"model": model}),
        "messages": [
            {"role": "user", "content": "hi"},
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": ident, "content": "ok"},
        ],
    }


@pytest.mark.parametrize("model", [None, "gpt-5.6-sol", "o3", "ft:gpt-4o:acme"])
def test_limits_of_openai_hold_for_its_models_and_where_none_is_named(model: str | None) -> None:
    assert {each.rule for each in lint(chat("c" * 41, model), "openai-chat")} == {"openai-chat.call-id-long"}


@pytest.mark.parametrize(
    "model", ["openai.gpt-5.6-luna", "grok-4", "llama-3.3-70b", "openai/gpt-5", "deepseek-chat"]
)
def test_limits_of_openai_are_not_held_against_models_that_others_serve(model: str) -> None:
    assert lint(chat("c" * 41, model), "openai-chat") == ()


@pytest.mark.parametrize(
    ("model", "version_rule"),
    [
        ("claude-3-opus-20240229", "anthropic.system-model"),
        ("claude-3-7-sonnet-latest", "anthropic.system-model"),
        ("us.anthropic.claude-sonnet-4-20250514-v1:0", "anthropic.system-model"),
        ("claude-haiku-4-5", "anthropic.system-model"),
        ("claude-opus-4-8", None),
        ("claude-sonnet-5", None),
        ("claude-fable-5", None),
        ("my-deployment", None),
    ],
)
def test_a_system_message_inside_is_judged_by_the_model(model: str, version_rule: str | None) -> None:
    body = {
        "model": model,
        "max_tokens": 9,
        "messages": [{"role": "user", "content": "hi"}, {"role": "system", "content": "be brief"}],
    }
    assert [each.rule for each in lint(body, "anthropic")] == ([] if version_rule is None else [version_rule])


def test_a_reply_may_be_sent_back_unfinished_while_the_provider_runs_its_tool() -> None:
    paused = {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {"query": "x"}}
    body = {
        "model": "claude-opus-4-8",
        "max_tokens": 9,
        "messages": [{"role": "user", "content": "hi"}, {"role": "assistant", "content": [paused]}],
    }
    assert lint(body, "anthropic") == ()


def test_code_that_calls_tools_may_wait_for_them_over_several_turns() -> None:
    runs = {"type": "server_tool_use", "id": "srvtoolu_1", "name": "code_execution", "input": {}}
    caller = {"type": "code_execution_20260120", "tool_id": "srvtoolu_1"}
    call = {"type": "tool_use", "id": "t1", "name": "read", "input": {}, "caller": caller}
    body = {
        "model": "claude-opus-4-8",
        "max_tokens": 9,
        "messages": [
            {"role": "user", "content": "hi"},
            {"role": "assistant", "content": [runs, call]},
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "ok"}]},
            {"role": "assistant", "content": "done"},
            {"role": "user", "content": "more"},
        ],
    }
    assert lint(body, "anthropic") == ()


def test_thinking_may_stand_only_at_the_start_of_a_tool_loop() -> None:
    """Without interleaved thinking a model thinks once, then calls tools step by step."""

    def step(ident: str, *first: dict[str, Any]) -> list[dict[str, Any]]:
        call = {"type": "tool_use", "id": ident, "name": "read", "input": {}}
        answer = {"type": "tool_result", "tool_use_id": ident, "content": "ok"}
        return [{"role": "assistant", "content": [*first, call]}, {"role": "user", "content": [answer]}]

    thought = {"type": "thinking", "thinking": "", "signature": "x"}
    body = {
        "model": "claude-sonnet-4-5",
        "max_tokens": 9000,
        "thinking": {"type": "enabled", "budget_tokens": 1024},
        "messages": [{"role": "user", "content": "hi"}, *step("t1", thought), *step("t2"), *step("t3")],
    }
    assert lint(body, "anthropic") == ()


def test_an_open_call_at_the_end_is_found_for_every_provider() -> None:
    for name in PROVIDERS:
        rule = f"{name}.result-missing"
        body: Any = copy.deepcopy(CASES[rule].breaks)
        key = {"openai-responses": "input", "gemini": "contents"}.get(name, "messages")
        body[key].pop()
        assert rule in {each.rule for each in lint(body, name)}

"""`contextrail lint`: a table for people, JSON for programs, exit codes for scripts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

import pytest
import typer
from typer.testing import CliRunner, Result

from contextrail.cli.lint import lint_command
from contextrail.cli.main import app as main_app
from contextrail.core.errors import EXIT_FOUND, InvalidRequest, NotFound
from contextrail.wire.lint import lint

APP: Final = typer.Typer()
APP.command()(lint_command)

CLEAN: Final[dict[str, Any]] = {
    "model": "claude-sonnet-4-5",
    "max_tokens": 64,
    "messages": [{"role": "user", "content": [{"type": "text", "text": "hi"}]}],
}
CALL: Final = {"type": "tool_use", "id": "toolu_1", "name": "read", "input": {}}
UNANSWERED: Final = CLEAN | {
    "messages": [
        *CLEAN["messages"],
        {"role": "assistant", "content": [CALL]},
        {"role": "user", "content": [{"type": "text", "text": "go on"}]},
    ]
}


def run(*arguments: str | Path, text: str | None = None) -> Result:
    return CliRunner().invoke(APP, [*map(str, arguments)], input=text)


@pytest.fixture
def clean(tmp_path: Path) -> Path:
    path = tmp_path / "clean.json"
    path.write_text(json.dumps(CLEAN), "utf-8")
    return path


@pytest.fixture
def broken(tmp_path: Path) -> Path:
    path = tmp_path / "broken.json"
    path.write_text(json.dumps(UNANSWERED), "utf-8")
    return path


def test_a_clean_body_is_one_line_and_exit_code_0(clean: Path) -> None:
    done = run(clean)
    assert (done.exit_code, done.output) == (0, "anthropic: nothing found\n")


def test_findings_are_a_table_and_exit_code_1(broken: Path) -> None:
    done = run(broken)
    assert done.exit_code == EXIT_FOUND
    words = " ".join(done.output.split())
    for part in ("result-missing", "$.messages[1].content[0]", "error", "'toolu_1'", "mends it"):
        assert part in words
    assert "without `tool_result` blocks immediately after" in words
    assert done.output.splitlines()[-1] == "anthropic: 1 error, 0 warnings; repair mends 1"


def test_json_gives_every_finding_as_the_library_does(broken: Path) -> None:
    done = run(broken, "--json")
    assert done.exit_code == EXIT_FOUND
    (found,) = lint(UNANSWERED, "anthropic")
    assert json.loads(done.output) == {
        "provider": "anthropic",
        "findings": [
            {
                "rule": found.rule,
                "path": found.path,
                "severity": "error",
                "message": found.message,
                "answer": found.answer,
                "mendable": True,
            }
        ],
        "errors": 1,
        "warnings": 0,
    }


def test_a_body_may_come_from_standard_input(clean: Path) -> None:
    done = run("-", "--json", text=clean.read_text("utf-8"))
    assert done.exit_code == 0
    assert json.loads(done.output) == {"provider": "anthropic", "findings": [], "errors": 0, "warnings": 0}


def test_a_profile_and_a_model_can_be_named(tmp_path: Path) -> None:
    path = tmp_path / "gemini.json"
    call = {"functionCall": {"name": "read", "args": {}}}
    answer = {"functionResponse": {"name": "read", "response": {}}}
    contents = [
        {"role": "user", "parts": [{"text": "hi"}]},
        {"role": "model", "parts": [call]},
        {"role": "user", "parts": [answer]},
    ]
    path.write_text(json.dumps({"contents": contents}), "utf-8")
    assert run(path, "--provider", "gemini").exit_code == 0
    assert "signature-missing" in run(path, "--model", "gemini-3-pro").output
    chat = tmp_path / "chat.json"
    chat.write_text(
        json.dumps({"messages": [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "x"}]})
    )
    assert run(chat, "--provider", "openai-chat").exit_code == 0
    assert (
        json.loads(run(chat, "--provider", "openai-chat:mistral", "--json").output)["provider"]
        == "openai-chat:mistral"
    )


def test_a_very_long_table_is_cut_and_says_so(tmp_path: Path) -> None:
    path = tmp_path / "many.json"
    stray = {"type": "tool_result", "tool_use_id": "toolu_9", "content": "x"}
    path.write_text(json.dumps(CLEAN | {"messages": [{"role": "user", "content": [stray] * 250}]}), "utf-8")
    done = run(path)
    assert done.output.splitlines()[-2:] == [
        "50 more findings; --json prints all",
        "anthropic: 250 errors, 0 warnings; repair mends 250",
    ]
    assert len(json.loads(run(path, "--json").output)["findings"]) == 250


@pytest.mark.parametrize(
    ("content", "error"),
    [
        (b"", InvalidRequest),
        (b"[]", InvalidRequest),
        (b"{", InvalidRequest),
        (b"\xff\xfe", InvalidRequest),
        (b'{"messages": NaN}', InvalidRequest),
        (b'{"a": 1, "a": 2}', InvalidRequest),
        (b'{"nothing": "known"}', InvalidRequest),
        (b"[" * 100_000, InvalidRequest),
    ],
)
def test_input_that_is_no_body_is_a_typed_error(
    tmp_path: Path, content: bytes, error: type[Exception]
) -> None:
    path = tmp_path / "body.json"
    path.write_bytes(content)
    assert isinstance(run(path).exception, error)


def test_a_missing_file_a_directory_and_an_unknown_provider_are_typed_errors(clean: Path) -> None:
    assert isinstance(run(clean.with_name("none.json")).exception, NotFound)
    assert isinstance(run(clean.parent).exception, InvalidRequest)
    assert isinstance(run(clean, "--provider", "openai").exception, InvalidRequest)


def test_half_a_character_is_a_finding_not_a_crash(tmp_path: Path) -> None:
    path = tmp_path / "half.json"
    path.write_text(
        '{"model": "m", "max_tokens": 1, "messages": [{"role": "user", "content": "cut \\ud83d"}]}'
    )
    for options in ([], ["--json"]):
        done = run(path, "--provider", "anthropic", *options)
        assert done.exit_code == EXIT_FOUND
        assert "lone-surrogate" in done.output


def test_help_shows_examples() -> None:
    assert "contextrail lint - --json" in run("--help").output


def test_no_mend_is_promised_of_a_body_that_repair_cannot_read(tmp_path: Path) -> None:
    """A finding of a kind that is mended elsewhere is not mended here, for `repair` reads the whole body first."""
    path, out = tmp_path / "body.json", tmp_path / "out.json"
    for messages in ([*CLEAN["messages"], "oops"], [5], {"role": "user"}, 5):
        path.write_text(json.dumps(CLEAN | {"messages": messages}), "utf-8")
        out.unlink(missing_ok=True)
        words = [str(path), "--provider", "anthropic"]
        said = json.loads(run(*words, "--json").output)
        refused = CliRunner().invoke(main_app, ["repair", *words, "-o", str(out)])
        if isinstance(refused.exception, InvalidRequest):
            assert not any(finding["mendable"] for finding in said["findings"])
            assert said["not_mendable_because"] in str(refused.exception)
            assert refused.exception.facts["place"] == str(path)
            assert f"repair cannot read this body: {said['not_mendable_because']}" in run(*words).output
            assert not out.exists()
        else:
            assert "not_mendable_because" not in said
            assert run(out).exit_code == 0


def test_what_repair_mends_is_what_lint_said(broken: Path, tmp_path: Path) -> None:
    said = json.loads(run(broken, "--json").output)
    assert "not_mendable_because" not in said
    assert all(finding["mendable"] for finding in said["findings"])
    assert (
        CliRunner().invoke(main_app, ["repair", str(broken), "-o", str(tmp_path / "m.json")]).exit_code == 0
    )


@pytest.mark.parametrize("named", ["openai-chat", "openai-chat:mistral"])
def test_a_body_of_another_form_is_not_called_clean(tmp_path: Path, named: str) -> None:
    path = tmp_path / "body.json"
    result = {"type": "tool_result", "tool_use_id": "toolu_1", "content": "x"}
    messages = [
        *CLEAN["messages"],
        {"role": "assistant", "content": [CALL]},
        {"role": "user", "content": [result]},
    ]
    path.write_text(json.dumps(CLEAN | {"messages": messages}), "utf-8")
    assert run(path).exit_code == 0
    done = run(path, "--provider", named)
    assert done.exit_code == EXIT_FOUND
    assert "this is a body for anthropic" in done.output
    assert json.loads(run(path, "--provider", named, "--json").output)["form_of"] == "anthropic"


def test_a_body_that_may_be_of_either_form_is_checked_as_it_was_named(tmp_path: Path) -> None:
    path = tmp_path / "body.json"
    path.write_text(
        json.dumps({"model": "m", "max_tokens": 9, "messages": [{"role": "user", "content": "hi"}]})
    )
    assert run(path, "--provider", "anthropic").exit_code == 0
    assert run(path, "--provider", "openai-chat").exit_code == 0

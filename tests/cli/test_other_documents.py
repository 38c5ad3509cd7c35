"""What is given is something else than what is asked for: the error says what it is, or what there is."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from contextrail.cli.load import load_input
from contextrail.cli.main import main
from contextrail.history.policy import Policy
from contextrail.policy import PRESETS
from contextrail.rail import Rail
from contextrail.record import to_record
from contextrail.wire.target import PROFILES, PROVIDERS

CLAUDE = "session.jsonl"


@pytest.fixture
def refused(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, samples: Path) -> Any:
    """Run a command among the samples that ends with an error; gives the exit code and the error."""
    monkeypatch.chdir(samples)

    def call(*words: str) -> tuple[int, dict[str, Any]]:
        before = sorted(samples.iterdir())
        monkeypatch.setattr(sys, "argv", ["contextrail", *words, "--json"])
        with pytest.raises(SystemExit) as left:
            main()
        said = capsys.readouterr()
        assert said.out == ""
        assert sorted(samples.iterdir()) == before
        assert isinstance(left.value.code, int)
        return left.value.code, json.loads(said.err)["error"]

    return call


@pytest.fixture
def documents(samples: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Path:
    """The samples, with a trace, a plan and a record of a build in which something left."""
    monkeypatch.chdir(samples)
    words = ["build", CLAUDE, "--window", "4000", "--reserve-output", "500", "--no-store"]
    written = ["--out", "body.json", "--trace", "trace.json", "--plan-out", "plan.json"]
    monkeypatch.setattr(sys, "argv", ["contextrail", *words, *written])
    with pytest.raises(SystemExit) as left:
        main()
    assert not left.value.code
    capsys.readouterr()
    request = Rail(Policy(), target="anthropic", window=32_000).build(
        load_input(samples / CLAUDE, None).conversation
    )
    (samples / "record.json").write_text(json.dumps(to_record(request.inputs, request.policy)))
    return samples


@pytest.mark.parametrize("kind", ["trace", "plan", "record"])
@pytest.mark.parametrize(
    "words",
    [
        ["lint", "FILE"],
        ["lint", "FILE", "--provider", "anthropic"],
        ["repair", "FILE", "-o", "mended.json"],
        ["repair", "FILE", "-o", "mended.json", "--provider", "gemini"],
        ["build", "FILE"],
        ["build", "FILE", "--from", "anthropic"],
        ["build", "FILE", "--from", "neutral"],
    ],
    ids=" ".join,
)
def test_a_document_of_ours_is_no_body(documents: Path, refused: Any, kind: str, words: list[str]) -> None:
    code, error = refused(*(f"{kind}.json" if word == "FILE" else word for word in words))
    assert (code, error["code"]) == (2, "invalid_request")
    assert f"this is a {kind} of contextrail, not a request body" in error["message"]
    assert error["facts"]["place"] == f"{kind}.json"
    assert "--out" in error["facts"]["cure"]


def test_the_body_of_the_same_build_is_one(
    documents: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["contextrail", "lint", "body.json"])
    with pytest.raises(SystemExit) as left:
        main()
    assert not left.value.code, capsys.readouterr().err


@pytest.mark.parametrize(
    ("summarizer", "variable"),
    [("anthropic", "ANTHROPIC_API_KEY"), ("openai:https://example.org/v1", "OPENAI_API_KEY")],
)
@pytest.mark.parametrize("value", [None, "", "  "])
@pytest.mark.parametrize("window", ["4000", "200000"])
def test_a_summarizer_without_a_key_is_refused_before_anything_is_built(
    refused: Any,
    monkeypatch: pytest.MonkeyPatch,
    summarizer: str,
    variable: str,
    value: str | None,
    window: str,
) -> None:
    """Also where the window is so large that nobody would be asked."""
    if value is None:
        monkeypatch.delenv(variable, raising=False)
    else:
        monkeypatch.setenv(variable, value)
    code, error = refused("build", CLAUDE, "--summarizer", summarizer, "--window", window)
    assert (code, error["code"]) == (2, "invalid_request")
    assert variable in error["message"]
    assert variable in error["facts"]["cure"]


def test_a_policy_that_is_neither_a_file_nor_a_preset_lists_the_presets(refused: Any) -> None:
    code, error = refused("build", CLAUDE, "--policy", "nosuch")
    assert (code, error["code"]) == (4, "not_found")
    assert "nosuch" in error["message"]
    assert [name for name in PRESETS if name not in error["message"]] == []


def test_a_target_that_does_not_exist_lists_all_that_do(refused: Any) -> None:
    code, error = refused("build", CLAUDE, "--to", "foo")
    assert (code, error["code"]) == (2, "invalid_request")
    profiles = [f"{provider}:{each}" for provider, known in PROFILES.items() for each in known]
    listed = error["message"].split("there are: ")[1].split(", ")
    assert listed == [*PROVIDERS, *profiles, "neutral"]


def test_neutral_is_listed_only_where_it_is_taken(refused: Any) -> None:
    _, error = refused("lint", "refused.json", "--provider", "foo")
    assert "neutral" not in error["message"]


def test_a_session_read_as_another_format_names_the_format_that_it_seems_to_have(refused: Any) -> None:
    code, error = refused("build", CLAUDE, "--from", "codex")
    assert (code, error["code"]) == (2, "invalid_request")
    assert error["facts"]["place"] == CLAUDE
    assert "claude-code" in error["facts"]["cure"]


@pytest.mark.parametrize(("file", "form"), [(CLAUDE, "swe-agent"), ("refused.json", "claude-code")])
def test_a_file_of_which_nothing_can_be_read_may_have_another_format(
    refused: Any, file: str, form: str
) -> None:
    code, error = refused("build", file, "--from", form)
    assert (code, error["code"]) == (2, "invalid_request")
    assert f"may be another than {form}: leave --from away" in error["facts"]["cure"]


def test_a_session_without_messages_says_that_it_holds_none(refused: Any, samples: Path) -> None:
    empty = samples / "empty.jsonl"
    empty.write_text(
        json.dumps({"type": "summary", "summary": "Fix the build", "leafUuid": "a38fd547"}) + "\n", "utf-8"
    )
    code, error = refused("build", "empty.jsonl", "--from", "claude-code")
    assert (code, error["code"]) == (2, "invalid_request")
    assert "holds no message" in error["message"]
    assert "holds no messages" in error["facts"]["cure"]

"""`contextrail repair`: a mended copy, a list of what was done, the input untouched."""

import json
from pathlib import Path

from typer.testing import CliRunner, Result

from contextrail.cli.main import app
from contextrail.core.errors import EXIT_FOUND, InvalidRequest


def run(*words: str | Path) -> Result:
    return CliRunner().invoke(app, [*map(str, words)])


def test_a_refused_body_is_mended_and_told_rule_by_rule(samples: Path) -> None:
    refused, mended = samples / "refused.json", samples / "mended.json"
    before = refused.read_bytes()
    told = run("repair", refused, "--out", mended)
    assert told.exit_code == 0
    assert "0 after" in told.output
    assert "unanswered-call" in told.output
    assert refused.read_bytes() == before
    assert run("lint", mended).exit_code == 0


def test_programs_get_decisions_and_counts(samples: Path) -> None:
    told = json.loads(run("repair", samples / "refused.json", "-o", samples / "m.json", "--json").output)
    assert told["provider"] == "anthropic"
    assert told["findings_before"]["anthropic.text-empty"] == 1
    assert told["findings_after"] == {}
    assert told["decisions"]


def test_a_clean_body_comes_out_as_the_same_value(samples: Path) -> None:
    mended, again = samples / "mended.json", samples / "again.json"
    assert run("repair", samples / "refused.json", "-o", mended).exit_code == 0
    told = json.loads(run("repair", mended, "-o", again, "--json").output)
    assert told["decisions"] == []
    assert json.loads(again.read_bytes()) == json.loads(mended.read_bytes())


def test_what_cannot_be_mended_is_told_and_exit_code_1(tmp_path: Path) -> None:
    body = tmp_path / "body.json"
    body.write_text(json.dumps({"model": "claude-sonnet-4-5", "max_tokens": 9, "messages": []}), "utf-8")
    told = run("repair", body, "--provider", "anthropic", "-o", tmp_path / "out.json")
    assert told.exit_code == EXIT_FOUND
    assert "not mended: anthropic." in told.output


def test_an_unknown_provider_writes_nothing(samples: Path) -> None:
    told = run("repair", samples / "refused.json", "--provider", "acme", "-o", samples / "out.json")
    assert isinstance(told.exception, InvalidRequest)
    assert not (samples / "out.json").exists()


def test_a_name_with_brackets_is_told_whole_in_one_line(samples: Path) -> None:
    """Brackets are markup to the library that prints, and a pipe is narrower than some names."""
    folder = samples / ("a long name " * 9).strip() / "[red]"
    folder.mkdir(parents=True)
    mended, built = folder / "mended[bold].json", folder / "built[bold].json"
    assert f"wrote {mended}\n" in run("repair", samples / "refused.json", "-o", mended).output
    assert f"wrote {built}\n" in run("build", mended, "-o", built).output

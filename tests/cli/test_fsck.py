"""`contextrail fsck`: health of files and folders, healed copies, exit codes."""

from __future__ import annotations

import json
import os
import pty
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner, Result

from contextrail.cli.fsck import fsck_command
from contextrail.core.errors import InvalidRequest, NotFound
from tests.transcripts.claude import DAMAGED, SESSIONS, calls, file, says, user

app = typer.Typer()
app.command()(fsck_command)

WHOLE = file(user("u1", None), says("a1", "u1"))


def run(*args: str | Path) -> Result:
    return CliRunner().invoke(app, list(map(str, args)))


def report(*args: str | Path) -> tuple[int, dict[str, Any]]:
    result = run(*args, "--json")
    return result.exit_code, json.loads(result.stdout)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two sessions, one of them damaged, and a file of another kind."""
    made = tmp_path / "sessions"
    (made / "deep").mkdir(parents=True)
    (made / "whole").mkdir()
    (made / "whole" / "s.jsonl").write_bytes(WHOLE)
    shutil.copy(DAMAGED, made / "deep" / "damaged.jsonl")
    (made / "package.json").write_text('{"name": "x"}')
    return made


def test_a_healthy_file_leaves_by_zero(folder: Path) -> None:
    code, said = report(folder / "whole" / "s.jsonl")
    assert code == 0
    (made,) = said["files"]
    assert (made["verdict"], made["records"], made["issues"]) == ("healthy", 2, [])


def test_a_damaged_file_leaves_by_one_and_every_finding_has_its_place() -> None:
    code, said = report(DAMAGED)
    assert code == 1
    (made,) = said["files"]
    assert made["verdict"] == "damaged"
    assert made["counts"]["glued-records"] == 7
    assert all(isinstance(issue["line"], int) and isinstance(issue["byte"], int) for issue in made["issues"])


def test_a_folder_is_searched_and_what_was_passed_over_is_named(folder: Path) -> None:
    code, said = report(folder)
    assert code == 1
    assert said["verdicts"] == {"damaged": 1, "healthy": 1}
    assert said["skipped"] == [str(folder / "package.json")]


def test_a_session_with_warnings_only_is_suspect(tmp_path: Path) -> None:
    path = tmp_path / "open.jsonl"
    path.write_bytes(file(user("u1", None), calls("a1", "u1", "c1")))
    code, said = report(path)
    assert (code, said["files"][0]["verdict"]) == (1, "suspect")


@pytest.mark.parametrize("path", SESSIONS, ids=lambda path: path.stem)
def test_the_table_names_the_session(path: Path) -> None:
    result = run(path)
    assert path.name in result.stdout.replace("\n", "")
    assert "claude-code" in result.stdout


def test_findings_of_one_file_are_shown_with_line_and_byte() -> None:
    out = run(DAMAGED).stdout
    assert "glued-records" in out
    assert "5,186" in out


def test_file_names_that_no_terminal_can_show_are_shown_escaped(tmp_path: Path) -> None:
    path = Path(os.fsdecode(os.fsencode(tmp_path) + b"/od\xffd[red]\x1b.jsonl"))
    path.write_bytes(WHOLE)
    result = run(path)
    assert result.exit_code == 0
    assert "\x1b" not in result.stdout
    assert report(path)[0] == 0


# Files that cannot be read


def test_one_file_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    assert isinstance(run(tmp_path / "no.jsonl").exception, NotFound)


def test_among_several_files_one_that_cannot_be_read_is_named_and_leaves_by_two(folder: Path) -> None:
    code, said = report(folder / "whole" / "s.jsonl", folder / "no.jsonl", folder / "package.json")
    assert code == 2
    assert [made["verdict"] for made in said["files"]] == ["healthy", "unreadable", "unreadable"]
    assert [made.get("error", {}).get("code") for made in said["files"]] == [
        None,
        "not_found",
        "invalid_request",
    ]


def test_a_folder_without_sessions_is_an_error(tmp_path: Path) -> None:
    assert isinstance(run(tmp_path).exception, InvalidRequest)


def test_a_format_that_does_not_exist_is_an_error(folder: Path) -> None:
    assert isinstance(run(folder / "whole" / "s.jsonl", "--format", "nope").exception, InvalidRequest)


# Healing


@pytest.mark.parametrize("options", [["--repair"], ["-o", "out.jsonl"]])
def test_repair_and_out_go_together(folder: Path, options: list[str]) -> None:
    assert isinstance(run(folder / "whole" / "s.jsonl", *options).exception, InvalidRequest)


def test_a_healed_copy_is_written_and_the_original_stays(tmp_path: Path) -> None:
    source, out = tmp_path / "s.jsonl", tmp_path / "healed.jsonl"
    source.write_bytes(WHOLE + b'{"cut')
    code, said = report(source, "--repair", "-o", out)
    assert code == 0
    made = said["files"][0]
    assert (made["verdict"], made["healed"]["mends"]) == ("healed", {"truncated": 1})
    assert source.read_bytes() == WHOLE + b'{"cut'
    assert out.read_bytes() == WHOLE
    assert Path(made["healed"]["lost"]).read_bytes().count(b"\n") == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "healed.jsonl",
        "healed.jsonl.lost",
        "s.jsonl",
    ]


def test_what_healing_cannot_know_is_left_and_leaves_by_one(tmp_path: Path) -> None:
    code, said = report(DAMAGED, "--repair", "-o", tmp_path / "out.jsonl")
    assert code == 1
    made = said["files"][0]
    assert made["verdict"] == "mended"
    assert made["healed"]["health"]["severities"]["error"] == 0


def test_of_a_folder_the_damaged_files_are_written_under_their_names(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "healed"
    code, _ = report(folder, "--repair", "-o", out)
    assert code == 1
    written = sorted(str(path.relative_to(out)) for path in out.rglob("*"))
    assert written == ["deep", "deep/damaged.jsonl", "deep/damaged.jsonl.lost"]


def test_several_files_cannot_be_healed_into_one(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "one.jsonl"
    out.write_text("x")
    assert isinstance(run(folder, "--repair", "-o", out).exception, InvalidRequest)
    assert out.read_text() == "x"


def test_what_was_done_is_told_in_words(tmp_path: Path) -> None:
    source, out = tmp_path / "s.jsonl", tmp_path / "healed.jsonl"
    source.write_bytes(WHOLE + b'{"cut')
    said = run(source, "--repair", "-o", out).stdout
    assert f"wrote {out}: truncated 1" in said
    assert f"{out}.lost" in said
    assert "the copy has 0 errors, 0 warnings" in said


def test_findings_of_several_files_are_told_by_kind(folder: Path) -> None:
    said = run(folder, folder / "no.jsonl").stdout
    assert "glued-records 7" in said
    assert "no.jsonl does not exist" in said
    assert "1 other files are in no known format" in said


def test_a_session_that_cannot_be_healed_is_told_and_leaves_by_two(tmp_path: Path) -> None:
    path = tmp_path / "s.json"
    path.write_text('{"messages": [{"role": "user", "content": "hi"}, {"role": "assi')
    code, said = report(path, "--repair", "-o", tmp_path / "out.json")
    assert (code, said["files"][0]["verdict"]) == (2, "not healed")
    assert not (tmp_path / "out.json").exists()


def test_a_terminal_sees_how_far_it_is_and_the_report_stays_clean(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_bytes(file(*(user(f"u{at}", None, "x" * 1000) for at in range(200))))
    master, slave = pty.openpty()
    code = "from tests.cli.test_fsck import app; app()"
    done = subprocess.run(
        [sys.executable, "-c", code, str(path), "--json"], stdout=subprocess.PIPE, stderr=slave, check=False
    )
    os.close(slave)
    shown = os.read(master, 100_000).decode()
    os.close(master)
    assert "reading" in shown
    assert json.loads(done.stdout)["files"][0]["records"] == 200


def test_standard_input_is_checked() -> None:
    result = CliRunner().invoke(app, ["-", "--json"], input=WHOLE)
    assert (result.exit_code, json.loads(result.stdout)["files"][0]["file"]) == (0, "-")

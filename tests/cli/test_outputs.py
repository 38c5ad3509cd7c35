"""Where results go: never over what was read, never two in one file, through links, into pipes, with the mode kept."""

from __future__ import annotations

import json
import os
import shutil
import stat
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from contextrail.cli.main import app
from contextrail.core.errors import InvalidRequest
from contextrail.transcripts.files import whole_file
from tests.transcripts.claude import calls, file, says, user

WHOLE = file(user("u1", None), says("a1", "u1"))
OPEN = file(user("u1", None), calls("a1", "u1", "c1"))


def run(*words: str | Path) -> Result:
    return CliRunner().invoke(app, [*map(str, words)])


def everything(folder: Path) -> dict[str, bytes]:
    """Names and bytes of all files below a folder."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def refused(folder: Path, *words: str | Path) -> InvalidRequest:
    """The error of a command that may write nothing at all, also no store."""
    before = everything(folder)
    error = run(*words).exception
    assert isinstance(error, InvalidRequest), (words, error)
    assert everything(folder) == before
    assert not any(path.name == ".contextrail" for path in folder.iterdir())
    return error


@pytest.fixture
def here(samples: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the samples, in which the command runs."""
    monkeypatch.chdir(samples)
    return samples


def linked(here: Path, name: str) -> Path:
    (here / "link").symlink_to(name)
    return Path("link")


def hard(here: Path, name: str) -> Path:
    (here / "hard").hardlink_to(here / name)
    return Path("hard")


def spelled(here: Path, name: str) -> Path:
    return Path("..") / here.name / name


SAME: list[Callable[[Path, str], Path]] = [lambda _, name: Path(name), linked, hard, spelled]
WAYS = pytest.mark.parametrize("way", SAME, ids=["name", "link", "hard link", "spelling"])


@WAYS
@pytest.mark.parametrize("option", ["--out", "--trace", "--plan-out"])
def test_build_does_not_write_over_its_session(
    here: Path, way: Callable[[Path, str], Path], option: str
) -> None:
    place = way(here, "session.jsonl")
    error = refused(here, "build", "session.jsonl", option, place)
    assert "session.jsonl are the same file" in str(error)
    assert f"{option} {place}" in str(error)


@WAYS
def test_repair_does_not_write_over_its_body(here: Path, way: Callable[[Path, str], Path]) -> None:
    place = way(here, "refused.json")
    error = refused(here, "repair", "refused.json", "-o", place)
    assert f"--out {place} and FILE refused.json are the same file" in str(error)


@WAYS
def test_fsck_does_not_write_over_its_session(here: Path, way: Callable[[Path, str], Path]) -> None:
    (here / "open.jsonl").write_bytes(OPEN)
    refused(here, "fsck", "open.jsonl", "--repair", "-o", way(here, "open.jsonl"))


def test_the_input_may_be_in_a_folder_that_was_named(here: Path) -> None:
    (here / "in").mkdir()
    shutil.copy("session.jsonl", "in/s.jsonl")
    assert "in/s.jsonl" in str(refused(here, "build", "in", "--out", "in/s.jsonl"))


@pytest.mark.parametrize("option", ["--policy", "--fences", "--summaries", "--plan-in"])
def test_nothing_else_that_build_reads_is_written_over(here: Path, option: str) -> None:
    (here / "given.json").write_text("{}")
    error = refused(here, "build", "session.jsonl", option, "given.json", "--out", "given.json")
    assert f"{option} given.json" in str(error)


@pytest.mark.parametrize(
    ("one", "other"), [("--out", "--trace"), ("--trace", "--plan-out"), ("--out", "--plan-out")]
)
def test_two_results_are_two_files(here: Path, one: str, other: str) -> None:
    error = refused(here, "build", "session.jsonl", one, "x.json", other, "./x.json")
    assert "x.json" in str(error)
    assert one in str(error)
    assert other in str(error)
    (here / "link").symlink_to("not-yet.json")
    refused(here, "build", "session.jsonl", one, "link", other, "not-yet.json")


def test_a_store_is_a_folder_of_its_own(here: Path) -> None:
    for option in ("--out", "--trace", "--plan-out"):
        error = refused(here, "build", "session.jsonl", option, "kept", "--store", "kept")
        assert "kept" in str(error)
        refused(here, "build", "session.jsonl", option, "kept/salt", "--store", "kept")
    assert "not a directory" in str(refused(here, "build", "session.jsonl", "--store", "session.jsonl"))


def test_uncompact_writes_over_neither_trace_nor_session_nor_store(here: Path) -> None:
    built = run(
        "build", "session.jsonl", "--window", "2000", "--reserve-output", "500", "--trace", "t.json", "--store", "kept"
    )  # fmt: skip
    assert built.exit_code == 0, built.output
    trace = json.loads((here / "t.json").read_bytes())
    ident = next(row["id"] for row in trace["messages"] if row["verdict"] == "dropped")
    pack = next(path for path in (here / "kept").rglob("*") if path.is_file())
    for place in ("t.json", "session.jsonl", pack):
        refused(here, "uncompact", ident, "--trace", "t.json", "--store", "kept", "--out", place)
    assert run("uncompact", ident, "--trace", "t.json", "--store", "kept", "--out", "m.txt").exit_code == 0
    assert (here / "m.txt").read_bytes()


def test_copies_of_several_sessions_do_not_meet(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "s.jsonl").write_bytes(OPEN)
    error = refused(
        tmp_path, "fsck", tmp_path / "a/s.jsonl", tmp_path / "b/s.jsonl", "--repair", "-o", tmp_path / "out"
    )
    assert f"the copy of {tmp_path / 'b/s.jsonl'}" in str(error)
    assert not (tmp_path / "out").exists()


def test_a_copy_is_not_written_over_another_session_nor_its_side_file_over_this_one(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / f"{name}.jsonl").write_bytes(OPEN)
    (tmp_path / "b" / "a.jsonl").write_bytes(WHOLE)
    refused(tmp_path, "fsck", tmp_path / "a", tmp_path / "b", "--repair", "-o", tmp_path / "b")
    (tmp_path / "x.jsonl.lost").write_bytes(WHOLE + b'{"cut')
    refused(tmp_path, "fsck", tmp_path / "x.jsonl.lost", "--repair", "-o", tmp_path / "x.jsonl")


def test_a_healed_copy_is_a_file(tmp_path: Path) -> None:
    (tmp_path / "s.jsonl").write_bytes(OPEN)
    os.mkfifo(tmp_path / "pipe")
    refused(tmp_path, "fsck", tmp_path / "s.jsonl", "--repair", "-o", tmp_path / "pipe")


# What is there already


def write(path: Path, data: bytes, _meanwhile: object = None, *, fail: bool = False) -> None:
    with whole_file(path) as file:
        file.write(data)
        if fail:
            raise ZeroDivisionError


def test_a_link_is_followed_and_stays(here: Path) -> None:
    (here / "far").mkdir()
    (here / "far" / "body.json").write_text("old")
    for link, target in (("old", "far/body.json"), ("new", "far/new.json")):
        (here / link).symlink_to(target)
        assert run("build", "session.jsonl", "--no-store", "-o", link).exit_code == 0
        assert (here / link).is_symlink()
        assert "messages" in json.loads((here / target).read_bytes())
    assert sorted(path.name for path in (here / "far").iterdir()) == ["body.json", "new.json"]


def test_a_link_to_itself_and_a_link_into_nowhere_are_refused(here: Path) -> None:
    (here / "ring").symlink_to("ring")
    (here / "nowhere").symlink_to("no/such/folder.json")
    refused(here, "build", "session.jsonl", "-o", "ring")
    refused(here, "build", "session.jsonl", "-o", "nowhere")


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o664])
def test_the_mode_of_a_file_that_is_replaced_is_kept(here: Path, mode: int) -> None:
    place = here / "body.json"
    place.write_text("old")
    place.chmod(mode)
    assert run("build", "session.jsonl", "--no-store", "-o", place).exit_code == 0
    assert stat.S_IMODE(place.stat().st_mode) == mode


def test_a_new_file_has_the_mode_that_the_user_asks_of_new_files(here: Path) -> None:
    before = os.umask(0o027)
    try:
        assert run("build", "session.jsonl", "--no-store", "-o", "body.json").exit_code == 0
    finally:
        os.umask(before)
    assert stat.S_IMODE((here / "body.json").stat().st_mode) == 0o640


@pytest.mark.parametrize("command", ["build", "repair"])
def test_a_pipe_gets_the_whole_body_and_stays_a_pipe(here: Path, command: str) -> None:
    pipe = here / "pipe"
    os.mkfifo(pipe)
    words = {"build": ["build", "session.jsonl", "--no-store"], "repair": ["repair", "refused.json"]}[command]
    with ThreadPoolExecutor() as pool:
        read = pool.submit(pipe.read_bytes)
        assert run(*words, "-o", "pipe").exit_code == 0
        assert "messages" in json.loads(read.result(30))
    assert pipe.is_fifo()


def test_a_pipe_whose_reader_left_is_an_error_with_its_name(here: Path) -> None:
    pipe = here / "pipe"
    os.mkfifo(pipe)
    with ThreadPoolExecutor() as pool, pytest.raises(InvalidRequest, match="pipe cannot be written"):
        write(pipe, b"x" * 1_000_000, pool.submit(lambda: pipe.open("rb", buffering=0).close()))
    assert pipe.is_fifo()


def test_nothing_goes_into_a_pipe_or_a_file_if_the_writer_fails(tmp_path: Path) -> None:
    pipe, place = tmp_path / "pipe", tmp_path / "place"
    os.mkfifo(pipe)
    place.write_text("old")
    for path in (pipe, place):
        with pytest.raises(ZeroDivisionError):
            write(path, b"half", fail=True)
    assert place.read_text() == "old"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["pipe", "place"]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everything")
def test_a_file_that_may_not_be_written_is_not_replaced(tmp_path: Path) -> None:
    place = tmp_path / "place"
    place.write_text("old")
    place.chmod(0o400)
    with pytest.raises(InvalidRequest, match="may not be written"):
        write(place, b"new")
    assert place.read_text() == "old"


# Standard input and output


def test_no_file_gets_the_name_of_standard_input(here: Path) -> None:
    refused(here, "build", "session.jsonl", "--out", "-")
    refused(here, "repair", "refused.json", "--out", "-")
    refused(here, "fsck", "session.jsonl", "--repair", "--out", "-")


def command(*words: str | Path, cwd: Path, **more: object) -> subprocess.CompletedProcess[bytes]:
    code = "from contextrail.cli.main import main; main()"
    return subprocess.run([sys.executable, "-c", code, *map(str, words)], cwd=cwd, check=False, **more)  # type: ignore[call-overload,no-any-return]


def test_the_file_that_standard_input_comes_from_is_an_input_too(here: Path) -> None:
    before = everything(here)
    with (here / "refused.json").open("rb") as stdin:
        done = command("repair", "-", "-o", "refused.json", cwd=here, stdin=stdin, stderr=subprocess.PIPE)
    assert done.returncode == 2
    assert b"are the same file" in done.stderr
    assert everything(here) == before


def test_the_file_that_standard_output_goes_to_is_an_output_too(here: Path) -> None:
    with (here / "both.json").open("wb") as stdout:
        done = command(
            "build", "session.jsonl", "--no-store", "-o", "both.json",
            cwd=here, stdout=stdout, stderr=subprocess.PIPE,
        )  # fmt: skip
    assert done.returncode == 2
    assert b"standard output" in done.stderr


def test_a_reader_that_goes_away_ends_the_command_by_zero(here: Path) -> None:
    for words in (["build", "session.jsonl", "--no-store", "--json"], ["policy", "show"], ["--help"]):
        end, start = os.pipe()
        os.close(end)
        done = command(*words, cwd=here, stdout=start, stderr=subprocess.PIPE)
        os.close(start)
        assert (done.returncode, done.stderr) == (0, b""), words


@pytest.mark.parametrize("words", [["policy", "show"], ["policy", "schema"], ["--version"], ["--help"]])
def test_an_output_that_is_full_is_an_error_with_its_reason(tmp_path: Path, words: list[str]) -> None:
    code = (
        "import resource, signal, sys; signal.signal(signal.SIGXFSZ, signal.SIG_IGN);"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (10, 10));"
        "from contextrail.cli.main import main; main()"
    )
    with (tmp_path / "out").open("wb") as stdout:
        stdout.write(b"0123456789")
        stdout.flush()
        done = subprocess.run(
            [sys.executable, "-B", "-c", code, *words], stdout=stdout, stderr=subprocess.PIPE, check=False
        )
    assert done.returncode == 7
    assert done.stderr.startswith(
        b"contextrail: unavailable: standard output cannot be written: file too large"
    )


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "utf-8"])
def test_characters_that_a_terminal_lacks_are_shown_as_escapes(tmp_path: Path, encoding: str) -> None:
    session = {"messages": [{"role": "user", "content": "读取端口 9107 \ud83d"}]}
    (tmp_path / "body.json").write_text(json.dumps(session))
    env = {**os.environ, "PYTHONIOENCODING": encoding}
    built = command(
        "build", "body.json", "--to", "openai-chat", "--trace", "t.json", "--no-store", cwd=tmp_path, env=env
    )
    assert built.returncode == 0
    done = command("explain", "t.json", "9107", cwd=tmp_path, env=env, stdout=subprocess.PIPE)
    assert done.returncode == 0
    assert ("读取" if encoding == "utf-8" else r"\u8bfb\u53d6") in done.stdout.decode(encoding)


def test_a_trace_of_standard_input_names_no_file(here: Path) -> None:
    done = command(
        "build", "-", "--no-store", "--trace", "t.json", cwd=here, input=(here / "session.jsonl").read_bytes()
    )
    assert done.returncode == 0
    trace = json.loads((here / "t.json").read_bytes())
    assert trace["source"] == {"file": "-", "format": "claude-code", "sha256": None}
    ident = trace["messages"][0]["id"]
    assert ident in run("explain", "t.json", ident).output

"""`contextrail uncompact`: what left a request comes back byte for byte."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

import pytest
import typer
from typer.testing import CliRunner, Result

from contextrail.cli.build import build_command
from contextrail.cli.uncompact import uncompact_command
from contextrail.core.blobs import HANDLE, Blob
from contextrail.core.errors import IntegrityError, InvalidRequest, NotFound

APP: Final = typer.Typer()
APP.command("build")(build_command)
APP.command("uncompact")(uncompact_command)

LONG: Final = "BEGIN 店铺 👩‍👩‍👧‍👦\n" + "filler\r\n" * 9_000 + "END"


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(APP, [*map(str, arguments)])


@pytest.fixture
def built(tmp_path: Path) -> Path:
    """A folder with a session, the request built from it, its trace and its store."""
    call = {"type": "tool_call", "id": "k", "name": "fetch", "arguments": {}}
    told = {"type": "tool_call_response", "id": "k", "response": LONG, "status": "ok"}
    session: dict[str, Any] = {
        "messages": [
            {"id": "u1", "role": "user", "parts": [{"type": "text", "content": "old talk " * 800}]},
            {"id": "a1", "role": "assistant", "parts": [{"type": "text", "content": "old answer " * 800}]},
            {"id": "u2", "role": "user", "parts": [{"type": "text", "content": "fetch it"}]},
            {"id": "c", "role": "assistant", "parts": [call]},
            {"id": "r", "role": "tool", "parts": [told]},
        ]
    }
    (tmp_path / "in.json").write_text(json.dumps(session), "utf-8")
    (tmp_path / "policy.json").write_text('{"toolOutput": {"observationGovernance": {"maxChars": 2000}}}')
    done = run(
        *("build", tmp_path / "in.json", "--from", "neutral", "--to", "neutral", "--tokenizer", "chars:4"),
        *("--policy", tmp_path / "policy.json", "--window", "2000", "--reserve-output", "100"),
        *("--out", tmp_path / "out.json", "--trace", tmp_path / "trace.json"),
        *("--store", tmp_path / "store", "--summarizer", "none"),
    )
    assert done.exit_code == 0, done.output
    return tmp_path


def uncompact(built: Path, what: str, *more: str | Path) -> Result:
    return run("uncompact", what, "--store", built / "store", *more)


def test_a_handle_in_the_request_gives_back_all_of_the_result(built: Path) -> None:
    handle = HANDLE.search((built / "out.json").read_text("utf-8"))
    assert handle is not None
    done = uncompact(built, handle.group())
    assert (done.exit_code, done.stdout_bytes) == (0, LONG.encode())
    assert uncompact(built, Blob.of(LONG).digest).stdout_bytes == LONG.encode()


def test_pages_join_to_the_whole(built: Path) -> None:
    handle, got = Blob.of(LONG).handle, b""
    while piece := uncompact(built, handle, "--offset", str(len(got)), "--limit", "30001").stdout_bytes:
        piece.decode()
        got += piece
    assert got == LONG.encode()


def test_it_writes_to_a_file(built: Path) -> None:
    done = uncompact(built, Blob.of(LONG).handle, "--out", built / "got.txt")
    assert done.stdout_bytes == b""
    assert (built / "got.txt").read_bytes() == LONG.encode()


def test_a_message_that_was_left_out_is_found_through_the_trace(built: Path) -> None:
    done = uncompact(built, "a1", "--trace", built / "trace.json")
    assert done.exit_code == 0
    assert b"old answer " * 800 in done.stdout_bytes


def without_store(built: Path) -> Path:
    """The trace without what it says of the store."""
    trace = json.loads((built / "trace.json").read_text("utf-8"))
    for row in trace["messages"]:
        row.pop("stored", None)
        row.pop("stored_in", None)
    (built / "bare.json").write_text(json.dumps(trace), "utf-8")
    return built / "bare.json"


def test_a_message_that_a_batch_put_aside_with_others_needs_no_session(built: Path) -> None:
    rows = {row["id"]: row for row in json.loads((built / "trace.json").read_text("utf-8"))["messages"]}
    (built / "in.json").unlink()
    assert "stored" not in rows["a1"]
    done = uncompact(built, "a1", "--trace", built / "trace.json")
    assert json.loads(done.stdout_bytes)["parts"][0]["content"] == "old answer " * 800
    archive = json.loads(uncompact(built, rows["a1"]["stored_in"]).stdout_bytes)
    assert json.loads(done.stdout_bytes) in archive["messages"]


def test_a_message_that_was_not_stored_comes_from_its_session(built: Path) -> None:
    done = uncompact(built, "a1", "--trace", without_store(built))
    assert done.stdout_bytes == b"old answer " * 800
    assert uncompact(built, "k", "--trace", without_store(built)).exit_code == 0


def test_a_session_that_reads_otherwise_now_is_refused(built: Path) -> None:
    bare = without_store(built)
    (built / "in.json").write_text(
        (built / "in.json").read_text("utf-8").replace("old answer", "new answer"), "utf-8"
    )
    assert isinstance(uncompact(built, "a1", "--trace", bare).exception, IntegrityError)
    (built / "in.json").unlink()
    assert isinstance(uncompact(built, "a1", "--trace", bare).exception, NotFound)


@pytest.mark.parametrize(
    ("what", "error"),
    [("blob:" + "0" * 16, NotFound), ("a1", InvalidRequest), ("blob:12", InvalidRequest)],
)
def test_what_means_nothing_is_refused(built: Path, what: str, error: type[Exception]) -> None:
    assert isinstance(uncompact(built, what).exception, error)


def test_a_trace_that_is_none_or_does_not_know_the_message_is_refused(built: Path) -> None:
    assert isinstance(uncompact(built, "a1", "--trace", built / "in.json").exception, InvalidRequest)
    assert isinstance(uncompact(built, "zz", "--trace", built / "trace.json").exception, NotFound)


def test_damage_in_the_store_is_found(built: Path) -> None:
    digest = Blob.of(LONG).digest
    kept = [file for file in (built / "store").rglob("*") if file.is_file()]
    (file,) = [each for each in kept if LONG.encode() in each.read_bytes()]
    file.write_bytes(file.read_bytes().replace(LONG.encode(), LONG[::-1].encode()))
    assert isinstance(uncompact(built, digest).exception, IntegrityError)

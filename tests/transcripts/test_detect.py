"""Find out what a file is by its content, and say plainly why one cannot be read."""

from __future__ import annotations

import gzip
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from contextrail.core.errors import AccessDenied, InvalidRequest, NotFound
from contextrail.transcripts.detect import (
    FORMATS,
    READERS,
    detect,
    detect_damaged,
    find_sessions,
    read_session,
)
from contextrail.transcripts.source import opened
from tests.transcripts.claude import FIXTURES, SESSIONS, file, says, user

TALK = file(user("u1", None), says("a1", "u1"))


@pytest.fixture
def talk(tmp_path: Path) -> Path:
    path = tmp_path / "talk.jsonl"
    path.write_bytes(TALK)
    return path


@pytest.mark.parametrize("path", [*SESSIONS, *FIXTURES], ids=lambda path: path.stem)
def test_real_claude_code_files_are_recognized_and_read(path: Path) -> None:
    assert detect(path) == "claude-code"
    assert read_session(path).format == "claude-code"


def test_every_format_has_one_name_and_one_reader() -> None:
    assert len(FORMATS) == len(set(FORMATS)) == len(READERS) + 3
    assert all(name == reader.FORMAT for name, reader in READERS.items())


def test_a_format_that_is_given_is_taken(talk: Path) -> None:
    assert len(read_session(talk, "claude-code").messages) == 2


def test_a_format_that_does_not_exist_is_refused_with_those_that_do(talk: Path) -> None:
    with pytest.raises(InvalidRequest, match="claude-code") as caught:
        read_session(talk, "clod-code")
    assert caught.value.facts["format"] == "clod-code"


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(NotFound) as caught:
        detect(tmp_path / "nowhere.jsonl")
    assert caught.value.facts["place"] == str(tmp_path / "nowhere.jsonl")


@pytest.mark.skipif(os.geteuid() == 0, reason="the superuser may read everything")
def test_a_file_that_may_not_be_read(talk: Path) -> None:
    talk.chmod(0)
    with pytest.raises(AccessDenied):
        read_session(talk)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "is empty"),
        (b" \n\n\t", "is empty"),
        (b"hello world", "none of the known formats"),
        (b"\x00" * 5000, "none of the known formats"),
        (gzip.compress(TALK), "gzip"),
        (TALK.decode().encode("utf-16"), "UTF-16"),
        (b"SQLite format 3\0", "database"),
        (b"PK\x03\x04zip", "zip"),
    ],
)
def test_a_file_that_is_no_session_says_why_and_what_to_do(tmp_path: Path, data: bytes, words: str) -> None:
    path = tmp_path / "x.jsonl"
    path.write_bytes(data)
    with pytest.raises(InvalidRequest, match=words) as caught:
        read_session(path)
    assert caught.value.facts["place"] == str(path)
    assert caught.value.facts["cure"]


def test_a_body_is_told_by_its_provider(tmp_path: Path) -> None:
    path = tmp_path / "body.json"
    path.write_text('{"model": "claude-x", "max_tokens": 5, "messages": [{"role": "user", "content": "hi"}]}')
    assert detect(path) in {"anthropic", "openai-chat"}
    assert [message.role for message in read_session(path).messages] == ["user"]


def test_a_damaged_body_can_still_be_looked_at(tmp_path: Path) -> None:
    path = tmp_path / "body.json"
    path.write_text('{"model": "claude-x", "messages": [{"role": "user", "content": "hi"}, {"role"')
    with opened(path) as source:
        assert detect_damaged(source) == "body"
    with pytest.raises(InvalidRequest):
        detect(path)


def test_a_sub_agent_file_that_cannot_be_read_is_told(project: Iterator[Path]) -> None:
    folder = next(project)
    (folder / "abc" / "subagents" / "agent-x9.jsonl").write_bytes(b"")
    made = read_session(folder / "abc.jsonl")
    assert [issue.kind for issue in made.issues if issue.severity == "warning"] == ["unreadable-sidechain"]


# Pipes


def test_a_pipe_is_read(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_bytes, args=(TALK,))
    writer.start()
    with opened(pipe) as source:
        assert len(read_session(source).messages) == 2
        assert source.size == len(TALK)
    writer.join()


def test_standard_input_is_read() -> None:
    code = "from pathlib import Path; from contextrail.transcripts.detect import *; print(len(read_session(Path('-')).messages))"
    done = subprocess.run([sys.executable, "-c", code], input=TALK, capture_output=True, check=True)
    assert done.stdout == b"2\n"


def test_an_error_of_who_reads_is_not_taken_for_one_of_the_file(talk: Path) -> None:
    with pytest.raises(BrokenPipeError), opened(talk):
        raise BrokenPipeError


# Folders


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Path]:
    """A project folder as Claude Code has it: a session, its sub-agents, and other files."""
    side = {"isSidechain": True, "agentId": "x1", "sessionId": "abc"}
    (tmp_path / "abc.jsonl").write_bytes(TALK)
    (tmp_path / "abc" / "subagents").mkdir(parents=True)
    (tmp_path / "abc" / "subagents" / "agent-x1.jsonl").write_bytes(file({**user("s1", None), **side}))
    (tmp_path / "agent-x2.jsonl").write_bytes(file({**user("s2", None), **side, "agentId": "x2"}))
    (tmp_path / "agent-x3.jsonl").write_bytes(file({**user("s3", None), **side, "sessionId": "other"}))
    (tmp_path / "notes.json").write_text('{"a": 1}')
    (tmp_path / "empty.jsonl").write_text("")
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "x.jsonl").write_bytes(TALK)
    return iter([tmp_path])


def test_a_session_is_read_with_its_sub_agents(project: Iterator[Path]) -> None:
    made = read_session(next(project) / "abc.jsonl")
    assert [message.id for message in made.messages] == ["u1", "a1"]
    assert {lane: [message.id for message in side] for lane, side in made.sidechains.items()} == {
        "x1": ["s1"],
        "x2": ["s2"],
    }


def test_a_folder_with_one_session_is_that_session(project: Iterator[Path]) -> None:
    folder = next(project)
    assert read_session(folder).file == str(folder / "abc.jsonl")


def test_a_folder_with_several_sessions_names_them(project: Iterator[Path]) -> None:
    folder = next(project)
    (folder / "def.jsonl").write_bytes(TALK)
    with pytest.raises(InvalidRequest, match=r"2 sessions: abc\.jsonl, def\.jsonl"):
        read_session(folder)


def test_a_folder_without_sessions(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="holds no session"):
        read_session(tmp_path)
    with pytest.raises(InvalidRequest, match="is a directory"):
        detect(tmp_path)


def test_a_folder_is_searched_in_order_and_without_what_is_hidden_in_git(project: Iterator[Path]) -> None:
    folder = next(project)
    found = {str(path.relative_to(folder)): known for path, known in find_sessions(folder)}
    assert list(found) == sorted(found, key=lambda name: (name.count("/"), name))
    assert [name for name, known in found.items() if known] == [
        "abc.jsonl",
        "agent-x2.jsonl",
        "agent-x3.jsonl",
        "abc/subagents/agent-x1.jsonl",
    ]
    assert found["empty.jsonl"] is False

"""Input that is wrong: a typed error with place and cure, the exit code of the table, no traceback, no partial file."""

from __future__ import annotations

import json
import os
import stat
import sys
from pathlib import Path
from typing import Any

import pytest

from contextrail.cli.main import main
from contextrail.transcripts.health import check

BODY = {
    "model": "claude-sonnet-4-5",
    "max_tokens": 100,
    "messages": [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "hello"}],
}
GOOD = json.dumps(BODY).encode()
DEEP = b'{"messages":' + b"[" * 100_000 + b"]" * 100_000 + b"}"


class Ran:
    """Exit code, standard output and standard error of one command."""

    def __init__(self, code: int, out: str, err: str) -> None:
        self.code, self.out, self.err = code, out, err


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch):  # type: ignore[no-untyped-def]
    def call(*words: str | Path) -> Ran:
        monkeypatch.setattr(sys, "argv", ["contextrail", *map(str, words)])
        with pytest.raises(SystemExit) as left:
            main()
        said = capsys.readouterr()
        code = left.value.code
        return Ran(code if isinstance(code, int) else 0, said.out, said.err)

    return call


@pytest.fixture
def body(tmp_path: Path) -> Path:
    path = tmp_path / "body.json"
    path.write_bytes(GOOD)
    return path


WRONG_BYTES = {
    "not JSON": (b"this is no json at all", "none of the known formats"),
    "half JSON": (GOOD[:-20], "not JSON"),
    "UTF-16": (GOOD.decode().encode("utf-16"), "UTF-16"),
    "UTF-32": (GOOD.decode().encode("utf-32"), "UTF-32"),
    "UTF-32, large end first": (b"\x00\x00\xfe\xff" + GOOD.decode().encode("utf-32-be"), "UTF-32"),
    "two byte order marks": (b"\xef\xbb\xbf" * 2 + GOOD, "more than one byte order mark"),
    "5,000 digits": (GOOD.replace(b"100", b"1" * 5_000), "too many digits to be read"),
    "latin-1": (b'{"messages":[{"role":"user","content":"caf\xe9"}]}', "not UTF-8"),
    "empty": (b"", "empty"),
    "white space": (b" \r\n\t ", "empty"),
    "depth 100,000": (DEEP, "nested deeper"),
    "duplicate keys": (b'{"messages":[{"role":"user","role":"user","content":"x"}]}', "twice"),
    "NaN": (b'{"messages":[{"role":"user","content":"x","p":NaN}]}', "NaN"),
    "Infinity": (b'{"messages":[{"role":"user","content":"x","p":-Infinity}]}', "Infinity"),
    "a number": (b"12", "known formats"),
    "an array": (b"[1,2,3]", "known formats"),
    "a binary": (bytes(range(256)) * 4, "known formats"),
    "gzip": (b"\x1f\x8b\x08\x00aaaa", "compressed"),
}


@pytest.mark.parametrize("name", WRONG_BYTES)
def test_wrong_bytes_are_a_typed_error_with_the_place_and_nothing_is_written(
    run: Any, tmp_path: Path, name: str
) -> None:
    data, words = WRONG_BYTES[name]
    path = tmp_path / "input.json"
    path.write_bytes(data)
    out = tmp_path / "out.json"
    for command in (
        ["build", path, "--out", out, "--trace", tmp_path / "t.json"],
        ["lint", path],
        ["repair", path, "-o", out],
    ):
        ran = run(*command)
        assert ran.code == 2, (command, ran.err)
        assert "input.json" in ran.err
        assert "Traceback" not in ran.err
        assert sorted(each.name for each in tmp_path.iterdir()) == ["input.json"]
    ran = run("build", path)
    assert words.lower() in ran.err.lower()


@pytest.mark.parametrize(
    "wrap", [lambda data: b"\xef\xbb\xbf" + data, lambda data: data.replace(b", ", b",\r\n")]
)
def test_a_byte_order_mark_and_crlf_are_read(run, tmp_path, wrap) -> None:  # type: ignore[no-untyped-def]
    path = tmp_path / "input.json"
    path.write_bytes(wrap(GOOD))
    ran = run("build", path, "--json")
    assert ran.code == 0
    assert json.loads(ran.out)["messages_after"] >= 2


def test_a_lone_surrogate_is_mended_and_what_goes_out_is_whole(run, tmp_path) -> None:  # type: ignore[no-untyped-def]
    path = tmp_path / "input.json"
    path.write_bytes(
        b'{"model":"claude-sonnet-4-5","max_tokens":9,"messages":[{"role":"user","content":"cut \\ud83d"}]}'
    )
    assert run("lint", path).code == 1
    out = tmp_path / "out.json"
    assert run("build", path, "--out", out).code == 0
    assert "�" in json.loads(out.read_text("utf-8"))["messages"][0]["content"]
    assert run("lint", out).code == 0


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        (["build", "absent.json"], 4, "does not exist"),
        (["lint", "absent.json"], 4, "does not exist"),
        (["fsck", "absent.json"], 4, "does not exist"),
        (["explain", "absent.json", "x"], 4, "does not exist"),
        (["lint", "."], 2, "is a directory"),
        (["build", "body.json", "--to", "cohere"], 2, "'cohere' is not a provider"),
        (["build", "body.json", "--to", "openai-chat:acme"], 2, "not a profile"),
        (["build", "body.json", "--from", "word"], 2, "'word' is not a format"),
        (["lint", "body.json", "--provider", "cohere"], 2, "'cohere' is not a provider"),
        (["build", "body.json", "--tokenizer", "bert"], 2, "o200k"),
        (["build", "body.json", "--tokenizer", "chars:0"], 2, "chars"),
        (["build", "body.json", "--window", "0"], 2, "--window"),
        (["build", "body.json", "--window", "-5"], 2, "--window"),
        (["build", "body.json", "--reserve-output", "-1"], 2, "--reserve-output"),
        (
            ["build", "body.json", "--window", "50", "--reserve-output", "60"],
            6,
            "need 138 of a window of 50: the output reserve 100",
        ),
        (["build", "body.json", "--window", "101", "--tokenizer", "o200k"], 6, "need"),
        (["build", "body.json", "--window", "many"], 2, "--window"),
        (["build"], 2, "Missing argument"),
        (["build", "body.json", "--nonsense"], 2, "nonsense"),
        (["explain", "body.json", "x"], 2, "is not a trace"),
        (["build", "body.json", "--out", "no/such/place.json"], 2, "not a directory"),
        (["build", "body.json", "--out", "."], 2, "directory"),
    ],
)
def test_a_wrong_call_names_what_is_wrong(run, body, monkeypatch, words, code, says) -> None:  # type: ignore[no-untyped-def]
    monkeypatch.chdir(body.parent)
    ran = run(*words)
    assert (ran.code, says.lower() in ran.err.lower()) == (code, True), ran.err
    assert "Traceback" not in ran.err
    assert [each.name for each in body.parent.iterdir()] == ["body.json"]


@pytest.mark.parametrize(
    ("policy", "path"),
    [
        ('{"budget": {"max_tokens": "many"}}', "$.budget.max_tokens"),
        ('{"budget": {"max_token": 5}}', "$.budget.max_token"),
        ('{"budgets": {}}', "$.budgets"),
        ('{"budget": {"maxTokens": 0}}', "$.budget.max_tokens"),
        ('{"budget": 5}', "$.budget"),
        ("[]", "$"),
    ],
)
def test_a_wrong_policy_names_the_path(run, body, policy: str, path: str) -> None:  # type: ignore[no-untyped-def]
    file = body.parent / "policy.json"
    file.write_text(policy)
    ran = run("build", body, "--policy", file, "--json")
    error = json.loads(ran.err)["error"]
    assert (ran.code, error["code"], error["facts"]["path"]) == (2, "invalid_request", path)
    assert error["facts"]["place"].endswith("policy.json")


def test_a_policy_may_be_toml_and_later_policies_win(run, body) -> None:  # type: ignore[no-untyped-def]
    first, second = body.parent / "a.toml", body.parent / "b.json"
    first.write_text("[budget]\nmax_tokens = 5000\nreserved_for_response = 900\n")
    second.write_text('{"budget": {"maxTokens": 4000}}')
    ran = run("build", body, "--policy", first, "--policy", second, "--json")
    said = json.loads(ran.out)
    assert (said["window"], said["window_from"], said["reserve_output"]) == (4000, "policy", 900)


def test_an_empty_folder_holds_no_session(run, tmp_path) -> None:  # type: ignore[no-untyped-def]
    ran = run("build", tmp_path)
    assert (ran.code, "no session" in ran.err) == (4, True)


@pytest.mark.parametrize("indent", [None, 2])
def test_a_session_that_is_not_in_lines_is_told_to_be_unreadable(run, samples, indent: int | None) -> None:  # type: ignore[no-untyped-def]
    session = samples / "session.jsonl"
    records = [json.loads(line) for line in session.read_bytes().splitlines()]
    said = (
        json.dumps(records) if indent is None else "\n".join(json.dumps(each, indent=2) for each in records)
    )
    session.write_text(said)
    ran = run("build", session, "--no-store", "--json")
    error = json.loads(ran.err)["error"]
    assert (ran.code, error["code"], error["facts"]["format"]) == (2, "invalid_request", "claude-code")
    assert f"nothing in {session} can be read as a message" in error["message"]
    assert "one record on each line" in error["facts"]["cure"]


def test_budget_exceeded_says_the_numbers_and_writes_nothing(run, body) -> None:  # type: ignore[no-untyped-def]
    out = body.parent / "out.json"
    ran = run("build", body, "--window", "101", "--tokenizer", "o200k", "--out", out, "--json")
    error = json.loads(ran.err)["error"]
    assert error["code"] == "budget_exceeded"
    assert error["facts"]["needed"] > error["facts"]["available"]
    assert not out.exists()


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_that_may_not_be_read_is_access_denied(run, body) -> None:  # type: ignore[no-untyped-def]
    body.chmod(0)
    assert run("build", body).code == 3
    body.chmod(stat.S_IRUSR)


def test_a_pipe_is_read_like_a_file(run, tmp_path) -> None:  # type: ignore[no-untyped-def]
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    child = os.fork()
    if child == 0:
        pipe.write_bytes(GOOD)
        os._exit(0)
    ran = run("lint", pipe)
    os.waitpid(child, 0)
    assert ran.code == 0


@pytest.mark.parametrize(
    "words",
    [
        ["build"],
        ["build", "body.json", "--nonsense"],
        ["build", "body.json", "--window", "0"],
        ["lint"],
        ["nothing"],
    ],
)
def test_a_wrong_call_is_json_if_json_was_asked_for(run, words: list[str]) -> None:  # type: ignore[no-untyped-def]
    ran = run(*words, "--json")
    error = json.loads(ran.err)["error"]
    assert (ran.code, error["code"], ran.out) == (2, "invalid_request", "")
    assert error["message"]


def test_a_fault_of_ours_is_json_if_json_was_asked_for(run, body, monkeypatch) -> None:  # type: ignore[no-untyped-def]
    monkeypatch.setattr("contextrail.cli.lint.lint", lambda *_, **__: 1 / 0)
    ran = run("lint", body, "--json")
    assert ran.code == 70
    error = json.loads(ran.err)["error"]
    assert (error["code"], error["facts"]["cure"]) == ("internal_fault", "please report it")
    assert error["message"].startswith("ZeroDivisionError at test_wrong_input.py:")


def test_a_fault_of_ours_on_one_session_leaves_the_others_checked(run, tmp_path, monkeypatch) -> None:  # type: ignore[no-untyped-def]
    for name in ("a", "b", "c"):
        (tmp_path / f"{name}.jsonl").write_text('{"role":"user","content":"hi"}\n')

    def failing(source: Any, *more: Any) -> Any:
        return 1 / 0 if source.path.name == "b.jsonl" else check(source, *more)

    monkeypatch.setattr("contextrail.cli.fsck.check", failing)
    ran = run("fsck", *(tmp_path / f"{name}.jsonl" for name in ("a", "b", "c")), "--json")
    files = json.loads(ran.out)["files"]
    assert [each["verdict"] == "internal fault" for each in files] == [False, True, False]
    assert (ran.code, files[1]["error"]["code"]) == (70, "internal_fault")
    ran = run("fsck", *(tmp_path / f"{name}.jsonl" for name in ("a", "b", "c")))
    assert "b.jsonl: ZeroDivisionError at" in ran.out
    assert run("fsck", tmp_path / "b.jsonl").code == 70


@pytest.mark.parametrize(
    ("option", "given"),
    [
        ("--policy", {"summarization": {"trigger_threshold": "\ud800"}}),
        ("--policy", {"profile_id": "\ud800"}),
        ("--policy", {"\ud800": 1}),
        ("--policy", {"budget": {"\ud800": 1}}),
        ("--fences", {"descriptors": [{"kind": "a", "llmRole": "\ud800"}]}),
        ("--fences", {"descriptors": [{"\ud800": "a"}]}),
        ("--fences", {"\ud800": []}),
        ("--fences", {"injections": [{"kind": "\ud800", "content": "x"}]}),
        ("--plan-in", {"plan": 1, "batch": 0, "why": "\ud800"}),
        ("--plan-in", {"\ud800": 1}),
    ],
)
def test_half_a_character_in_a_setting_is_a_typed_error(run, body, option: str, given: Any) -> None:  # type: ignore[no-untyped-def]
    file = body.parent / "given.json"
    file.write_text(json.dumps(given))
    ran = run("build", body, option, file, "--no-store", "--json")
    assert (ran.code, json.loads(ran.err)["error"]["code"]) == (2, "invalid_request")
    assert "Unicode" not in ran.err
    assert run("build", body, option, file, "--no-store").code == 2


@pytest.mark.parametrize(
    ("option", "cure"),
    [
        ("--plan-in", "--plan-out wrote"),
        ("--fences", "give fences"),
        ("--summaries", "give summaries"),
        ("--policy", "give a policy"),
    ],
)
def test_an_empty_file_is_told_with_the_cure_of_its_own_kind(run, body, option: str, cure: str) -> None:  # type: ignore[no-untyped-def]
    file = body.parent / "empty.json"
    file.write_text(" \n")
    ran = run("build", body, option, file, "--no-store")
    assert ran.code == 2
    assert cure in ran.err
    assert "give a session" not in ran.err


def test_an_empty_trace_is_told_with_its_own_cure(run, body) -> None:  # type: ignore[no-untyped-def]
    file = body.parent / "empty.json"
    file.write_text("")
    ran = run("explain", file, "x")
    assert ran.code == 2
    assert "build --trace wrote" in ran.err


@pytest.mark.parametrize("kept", [{"mustKeep": True}, {}])
def test_a_fence_that_must_stay_is_kept_by_core_context(run, body, kept) -> None:  # type: ignore[no-untyped-def]
    fences, policy, trace = (body.parent / f"{name}.json" for name in ("fences", "policy", "trace"))
    kind = {"llmRole": "user", "placement": "before-current-user", "lifetime": "turn-only"}
    kinds = [{**kind, "kind": "rules", **kept}, {**kind, "kind": "other"}]
    injected = [{"kind": "rules", "content": "never push"}, {"kind": "other", "content": "hello"}]
    fences.write_text(json.dumps({"descriptors": kinds, "injections": injected}))
    policy.write_text(json.dumps({} if kept else {"mustKeep": {"alwaysKeepFenceKinds": ["rules"]}}))
    ran = run("build", body, "--fences", fences, "--policy", policy, "--no-store", "--trace", trace)
    assert ran.code == 0, ran.err
    events = json.loads(trace.read_bytes())["context_trace"]["events"]
    reasons = [each["reason"] for each in events if each.get("types") == ["context_injection"]]
    assert sorted(reasons) == ["kept_by_CORE_CONTEXT", "kept_by_fences"]


def test_half_a_character_in_what_is_injected_is_mended_like_in_a_message(run, body) -> None:  # type: ignore[no-untyped-def]
    file, out = body.parent / "given.json", body.parent / "out.json"
    kind = {"kind": "note", "llmRole": "user", "placement": "before-current-user", "lifetime": "turn-only"}
    injected = {"kind": "note", "content": "cut \ud83d", "attrs": {"a": "\ud83d"}}
    file.write_text(json.dumps({"descriptors": [kind], "injections": [injected]}))
    ran = run("build", body, "--fences", file, "--no-store", "--out", out, "--trace", body.parent / "t.json")
    assert ran.code == 0, ran.err
    assert "cut \ufffd" in json.dumps(json.loads(out.read_bytes()), ensure_ascii=False)
    assert run("lint", out).code == 0


def test_a_fault_of_ours_exits_70_and_says_so(run, body, monkeypatch) -> None:  # type: ignore[no-untyped-def]
    monkeypatch.setattr("contextrail.cli.lint.lint", lambda *_, **__: 1 / 0)
    ran = run("lint", body)
    assert ran.code == 70
    assert "internal_fault: ZeroDivisionError" in ran.err
    assert "Traceback" not in ran.err

"""A secret, wherever it stands in a conversation, is on no way out; who reads the store has the original."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from contextrail.admission import StoredPreview, admit
from contextrail.cli.main import app
from contextrail.compaction.need import NeedSummary
from contextrail.compaction.prompt import Settings, plain_request
from contextrail.core.blobs import HANDLE, digits_of
from contextrail.core.ids import CallId, MessageId
from contextrail.core.json_text import dump, dump_text, parse_object
from contextrail.history.fence_kinds import FenceDescriptor, FenceInjection, FenceRegistry
from contextrail.history.groups import ObservationPolicy
from contextrail.history.plan import write_plan
from contextrail.history.policy import Policy
from contextrail.messages.model import (
    Conversation,
    Text,
    ToolCall,
    ToolResult,
)
from contextrail.policy import policy_from
from contextrail.rail import Moment, Ports, Rail
from contextrail.record import from_record, to_record
from contextrail.request import Request
from contextrail.storage.blobs import DirectoryBlobs
from contextrail.testing import MemoryBlobs, check_turn
from contextrail.turn import decide
from contextrail.wire import neutral
from contextrail.wire.tokenizers import tokenizer
from tests.core.made import HEX, made
from tests.core.test_secrets import KEYS
from tests.planted import PLACES, SECRETS, say, talk, used
from tests.properties.effort import FEW

COUNT = tokenizer("chars:4")
TARGETS = ("anthropic", "openai-chat", "openai-responses", "gemini", "neutral")
REGISTRY = FenceRegistry(
    (FenceDescriptor(kind="notes", llm_role="user", placement="before-current-user", lifetime="turn-only"),)
)


def spellings(value: str) -> set[str]:
    """How a value may be written in JSON, in a URL, or in JSON inside of JSON."""
    escaped = dump_text(value)[1:-1]
    return {value, quote(value, safe=""), escaped, dump_text(escaped)[1:-1]}


def leaks(exit_text: str, value: str) -> bool:
    return any(spelling in exit_text for spelling in spellings(value))


def exits(request: Request, needs: list[NeedSummary]) -> Iterator[tuple[str, str]]:
    """Every way out of a build, as text."""
    yield "body", dump_text(request.body)
    yield "trace", dump_text(request.trace())
    yield "record", dump_text(to_record(request.inputs, request.policy))
    yield "decisions", repr(request.decisions)
    yield "events", repr(request.events)
    yield "turn", repr(request.turn.conversation)
    yield "blobs", "".join(blob.text for blob in request.turn.blobs)
    if request.turn.plan is not None:
        yield "plan", dump_text(write_plan(request.turn.plan))
    for need in needs:
        yield "need", repr(need)
        yield "question", repr(plain_request(need, Settings()))


def build(
    given: Conversation, target: str, window: int, store: MemoryBlobs, *, summary: str = "it went well"
) -> tuple[Request, list[NeedSummary]]:
    needs: list[NeedSummary] = []

    def summarize(need: NeedSummary) -> str:
        needs.append(need)
        return summary

    rail = Rail(
        policy_from({"summarization": {"check": "off"}}),
        target=target,
        window=window,
        reserve_output=50,
        tokenizer=COUNT,
        ports=Ports(store=store, summarizer="model", summarize=summarize),
    )
    return rail.build(given), needs


@FEW
@given(
    st.sampled_from(sorted(SECRETS)),
    st.sampled_from(sorted(PLACES)),
    st.sampled_from(TARGETS),
    st.sampled_from([1_500, 100_000]),
)
def test_a_secret_is_on_no_way_out_and_its_original_is_in_the_store(
    name: str, place: str, target: str, window: int
) -> None:
    around, value = SECRETS[name]
    given = PLACES[place](around.format(value))
    store = MemoryBlobs()
    request, needs = build(given, target, window, store)
    for what, text in exits(request, needs):
        assert not leaks(text, value), f"{what} holds the {name} from: {place}"
    assert request.findings == ()
    told = [each for each in request.decisions if each.step == "redaction"]
    assert told
    assert {each.reason for each in told} == {"secret"}
    originals = [
        store.get(store.original(store.find(str(digits_of(each.detail["stored"]))))) for each in told
    ]
    assert any(leaks(original.decode(), value) for original in originals)
    by_id = {message.id: message for message in given.messages}
    for each, original in zip(told, originals, strict=True):
        if each.message is not None:
            (message,) = neutral.decode({"messages": [parse_object(original, place="original")]}).messages
            assert replace(message, run=0) == replace(by_id[each.message], run=0)


@pytest.mark.parametrize("place", sorted(PLACES))
@pytest.mark.parametrize("target", TARGETS)
def test_every_place_for_every_target(place: str, target: str) -> None:
    key = KEYS["aws-access-key"]
    for window in (1_500, 100_000):
        request, needs = build(PLACES[place](f"use {key} ."), target, window, MemoryBlobs())
        assert [what for what, text in exits(request, needs) if leaks(text, key)] == []
        assert request.findings == ()


def test_what_is_no_secret_does_not_change() -> None:
    key = KEYS["github-token"]
    arguments = f'{{ "command" :  "echo  {key}  caf\\u00e9",  "n": 1.50 }}'
    given = talk(*used(arguments, Text(text="ok")))
    request, _ = build(given, "neutral", 100_000, MemoryBlobs())
    by_id = {message.id: message for message in request.turn.conversation.messages}
    same = [message for message in given.messages if message.id != "a9"]
    assert all(by_id[message.id] is message for message in same)
    (part,) = by_id[MessageId("a9")].parts
    assert isinstance(part, ToolCall)
    left, _, right = part.arguments.partition("[secret:github-token:")
    assert (left, right[8:]) == ('{ "command" :  "echo  ', ']  caf\\u00e9",  "n": 1.50 }')


def test_a_fence_of_the_host_and_a_summary_of_the_host_are_redacted_as_well() -> None:
    key = KEYS["openai-key"]
    needs: list[NeedSummary] = []

    def summarize(need: NeedSummary) -> str:
        needs.append(need)
        return f"the key {key} was used"

    rail = Rail(
        policy_from({"summarization": {"check": "off"}}),
        target="anthropic",
        window=1_500,
        reserve_output=50,
        tokenizer=COUNT,
        ports=Ports(summarizer="model", summarize=summarize, store=MemoryBlobs()),
    )
    fence = FenceInjection(kind="notes", content=f"remember {key}", attrs={"by": key})
    request = rail.build(
        talk(*used("{}", Text(text="row of the table 23\n" * 200))),
        moment=Moment(fences=(fence,), registry=REGISTRY),
    )
    assert needs
    body = dump_text(request.body)
    assert "remember [secret:openai-key:" in body
    assert "the key [secret:openai-key:" in body
    assert [what for what, text in exits(request, needs) if leaks(text, key)] == []


def test_what_the_core_put_aside_is_there_in_the_original_byte_for_byte() -> None:
    password = "p%40ss-w0rd!7"
    output = f"postgres://app:{password}@db/prod\n" + "and the password p@ss-w0rd!7 again\n" * 3_000
    given = talk(*used(dump_text({"command": f"echo {password}"}), Text(text=output)))
    store = MemoryBlobs()
    request, _ = build(given, "anthropic", 3_000, store)
    blobs = request.turn.blobs
    assert blobs
    originals = {blob.digest: store.get(store.original(blob.digest)).decode() for blob in blobs}
    assert output in "\n".join(originals.values()) or dump_text(output)[1:-1] in "\n".join(originals.values())
    for blob in blobs:
        assert not leaks(blob.text, password)
        if blob.text.startswith('{"messages"'):
            back = {
                message.id: message
                for message in neutral.decode(parse_object(originals[blob.digest], place="x")).messages
            }
            assert all(
                replace(back[each.id], run=0) == replace(each, run=0)
                for each in given.messages
                if each.id in back
            )


@pytest.mark.parametrize("keeps", [True, False])
def test_a_session_that_grows_has_the_same_beginning_in_every_turn(keeps: bool, tmp_path: Path) -> None:  # noqa: FBT001
    key, later = KEYS["gitlab-token"], KEYS["npm-token"]
    first = talk(*used(dump_text({"command": key}), Text(text=key)))
    bodies = []
    rails = [Rail(target="anthropic", window=100_000, ports=Ports(store=DirectoryBlobs(tmp_path) if keeps else None)) for _ in range(2)]  # fmt: skip
    more = (*first.messages, say("a2", "assistant", Text(text=f"and {later}")), say("u2", "user", Text(text="go")))  # fmt: skip
    plan = None
    for rail, grown in ((rails[0], first), (rails[0], replace(first, messages=more)), (rails[1], replace(first, messages=more))):  # fmt: skip
        request = rail.build(grown, moment=Moment(plan=plan))
        plan = request.turn.plan
        bodies.append(request.body)
    before = bodies[0]["messages"][:-1]
    assert bodies[1]["messages"][: len(before)] == before
    assert dump(bodies[1]) == dump(bodies[2])
    assert "[secret:gitlab-token:" in dump_text(bodies[2])


def test_a_turn_decided_again_from_its_record_is_the_same() -> None:
    key = KEYS["stripe-key"]
    request, _ = build(PLACES["tool result"](key), "anthropic", 1_500, MemoryBlobs())
    inputs, policy = from_record(to_record(request.inputs, request.policy))
    again = decide(inputs, policy, COUNT)
    assert again == request.turn


def test_reporting_says_where_secrets_are_and_changes_nothing() -> None:
    key = KEYS["slack-token"]
    given = PLACES["tool result"](f"use {key}")
    request = Rail(policy_from({"redaction": "report"}), target="anthropic", window=100_000).build(given)
    off = Rail(policy_from({"redaction": "off"}), target="anthropic", window=100_000).build(given)
    assert request.body == off.body
    assert key in dump_text(request.body)
    (told,) = [each for each in request.decisions if each.step == "redaction"]
    assert (told.message, told.verdict, told.detail["kinds"]) == ("t9", "kept", {"slack-token": 40})
    assert request.events[0] == {
        "event": "secrets_found", "kinds": {"slack-token": 40}, "messages": 1, "redacted": False,
    }  # fmt: skip
    assert not any(each.step == "redaction" for each in off.decisions)
    assert key not in repr(request.decisions)


def test_one_conversation_does_not_change_another() -> None:
    rail = Rail(target="anthropic", window=100_000, ports=Ports(store=MemoryBlobs()))
    plain = talk(say("u9", "user", Text(text="it printed p@ss-w0rd!7")))
    alone = dump(rail.build(plain).body)
    rail.build(talk(say("u9", "user", Text(text="postgres://app:p%40ss-w0rd!7@db/x"))))
    assert dump(rail.build(plain).body) == alone


def test_no_output_of_a_command_holds_the_secret(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    key = "dapi" + made(HEX, 32)
    given = PLACES["tool result"](f"export TOKEN={key}")
    Path("talk.json").write_text(dump_text(neutral.encode(given)), encoding="utf-8")
    runner = CliRunner()
    build_it = ["build", "talk.json", "--to", "anthropic", "--window", "1500", "--tokenizer", "chars:4"]
    built = runner.invoke(app, [*build_it, "--json", "--trace", "t.json", "--plan-out", "p.json"])
    assert built.exit_code == 0, built.output
    body = json.loads(built.stdout)["body"]
    Path("body.json").write_text(json.dumps(body), encoding="utf-8")
    shown = runner.invoke(app, ["explain", "t.json", "t9"])
    as_json = runner.invoke(app, ["explain", "t.json", "t9", "--json"])
    linted = runner.invoke(app, ["lint", "body.json", "--json"])
    assert [each.exit_code for each in (shown, as_json, linted)] == [0, 0, 0]
    for each in (built, shown, as_json, linted):
        assert key not in each.output
    assert key not in Path("t.json").read_text() + Path("p.json").read_text()
    original = runner.invoke(app, ["uncompact", "t9", "--trace", "t.json"])
    assert original.exit_code == 0, original.output
    assert key in original.output
    placeholders = runner.invoke(app, ["uncompact", "t9", "--trace", "t.json", "--redacted"])
    assert key not in placeholders.output
    assert "[secret:databricks-token:" in placeholders.output


def test_without_a_store_a_message_comes_back_from_its_session(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    key = KEYS["npm-token"]
    Path("talk.json").write_text(dump_text(neutral.encode(PLACES["tool result"](key))), encoding="utf-8")
    runner = CliRunner()
    built = runner.invoke(app, ["build", "talk.json", "--to", "anthropic", "--no-store", "--trace", "t.json", "-o", "b.json"])  # fmt: skip
    assert built.exit_code == 0, built.output
    assert not (tmp_path / ".contextrail").exists()
    assert key in runner.invoke(app, ["uncompact", "t9", "--trace", "t.json"]).output
    shown = runner.invoke(app, ["uncompact", "t9", "--trace", "t.json", "--redacted"]).output
    assert key not in shown
    assert "[secret:npm-token:" in shown


def test_a_store_is_not_touched_where_there_is_nothing_to_keep(tmp_path: Path) -> None:
    root = tmp_path / "store"
    rail = Rail(Policy(), target="anthropic", window=100_000, ports=Ports(store=DirectoryBlobs(root)))
    rail.build(talk())
    assert not root.exists()


def test_a_long_output_is_cut_after_its_secrets_were_taken_out(tmp_path: Path) -> None:
    """Else half a key would stay, which has no form that anybody knows."""
    key = KEYS["anthropic-key"]
    store = DirectoryBlobs(tmp_path)
    for shift in range(0, 120, 7):
        output = "x" * (600 + shift) + f" {key} " + "row of the table\n" * 2_000
        result = admit(
            output,
            ToolCall(call_id=CallId("c"), name="bash", arguments="{}"),
            policy=ObservationPolicy(max_chars=1_200),
            port=StoredPreview(store),
        )
        (shown,) = result.parts
        assert isinstance(shown, Text)
        assert not any(key[at : at + 12] in shown.text for at in range(len(key) - 12))
        (handle,) = HANDLE.findall(shown.text)
        digest = store.find(str(digits_of(handle)))
        assert store.get(store.original(digest)).decode() == output
        assert key not in store.get(digest).decode()


def test_look_alikes_stay_and_a_second_build_gives_equal_bytes(tmp_path: Path) -> None:
    key = "AKIA" + "Q3T7EXAMPLEZZ9P4"
    stays = (
        "commit 9f1c2ab7d0e4c6a1b35f7788aa00bb11cc22dd33\nid 3f2b8c1e-9d54-4f0a-8a77-1c2d3e4f5a6b\n"
        "model claude-sonnet-4-5-20250929"
    )
    first = f"AWS_ACCESS_KEY_ID={key}\nDATABASE_URL=postgres://app:p%40ss-w0rd@db.internal:5432/prod\n{stays}"
    conversation = talk(
        *used('{"command": "env"}', Text(text=first)),
        say("a8", "assistant", ToolCall(call_id=CallId("c8"), name="bash", arguments='{"command": "tail"}')),
        say(
            "t8",
            "tool",
            ToolResult(call_id=CallId("c8"), parts=(Text(text=f"export AWS_ACCESS_KEY_ID={key}"),)),
        ),
    )
    requests = []
    for _ in range(2):
        rail = Rail(target="openai-chat", window=100_000, ports=Ports(store=DirectoryBlobs(tmp_path)))
        request = rail.build(conversation)
        requests.append(request)
        for what, text in exits(request, []):
            assert not any(each in text for each in (key[:12], "p%40ss-w0rd", "p@ss-w0rd")), what
    assert dump(requests[0].body) == dump(requests[1].body)
    shown = [message["content"] for message in requests[0].body["messages"] if message["role"] == "tool"]
    assert stays in shown[1]
    assert shown[1].split("\n")[0].removeprefix("AWS") == shown[2].removeprefix("export AWS")


@pytest.mark.parametrize("place", sorted(PLACES))
def test_a_turn_with_a_secret_holds_what_every_turn_must_hold(place: str) -> None:
    store = MemoryBlobs()
    request, _ = build(PLACES[place](f"use {KEYS['github-token']} ."), "anthropic", 1_500, store)
    check_turn(request, store=store)


def test_a_finding_of_the_linter_quotes_no_secret(tmp_path: Path) -> None:
    """A role or an id stands in the message of a finding, and may be anything."""
    key = KEYS["aws-access-key"]
    body = {"model": "claude-sonnet-4-5", "max_tokens": 9, "messages": [{"role": key, "content": "x"}]}
    file = tmp_path / "body.json"
    file.write_text(json.dumps(body), encoding="utf-8")
    done = CliRunner().invoke(app, ["lint", str(file), "--provider", "anthropic", "--json"])
    assert done.exit_code == 1
    assert key not in done.output
    assert "'[secret:aws-access-key:" in done.output


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", ["github-token", "openai-key", "jwt", "slack-token"])
def test_a_secret_that_stands_as_the_id_of_a_call_goes_and_the_pair_stays(name: str, target: str) -> None:
    key = KEYS[name]
    pair = (
        say("a9", "assistant", ToolCall(call_id=CallId(key), name="bash", arguments='{"command": "ls"}')),
        say("t9", "tool", ToolResult(call_id=CallId(key), name="bash", parts=(Text(text="ok then"),))),
    )
    store = MemoryBlobs()
    request, needs = build(talk(*pair), target, 100_000, store)
    assert [what for what, text in exits(request, needs) if leaks(text, key)] == []
    assert request.findings == ()
    ids = [
        part.call_id
        for message in request.turn.conversation.messages
        for part in message.parts
        if isinstance(part, (ToolCall, ToolResult)) and message.id in {"a9", "t9"}
    ]
    assert len(ids) == 2
    assert len(set(ids)) == 1
    assert "ok then" in dump_text(request.body)
    told = [each for each in request.decisions if each.step == "redaction"]
    assert [each.message for each in told] == ["a9", "t9"]
    for each in told:
        original = store.get(store.original(store.find(str(digits_of(each.detail["stored"])))))
        assert key in original.decode()

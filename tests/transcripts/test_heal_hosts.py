"""Healing in the words of each host: what is added is what the host itself would have written."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from contextrail.core.json_text import JsonObject, dump
from contextrail.messages.settle import UNKNOWN
from contextrail.transcripts.gaps import TEXT
from contextrail.transcripts.heal import Healing, heal
from contextrail.transcripts.health import Health, check
from contextrail.transcripts.source import opened

TIME = "2026-05-01T09:00:00.000Z"


def healed(format_name: str, records: list[JsonObject], folder: Path) -> tuple[Health, Healing, list[Any]]:
    """Health before, what was done, the records after; the copy is checked on the way."""
    path, out = folder / "s.jsonl", folder / "out.jsonl"
    path.write_bytes(b"".join(dump(each) + b"\n" for each in records))
    with opened(path) as source:
        before = check(source, format_name)
        healing = heal(source, out, format_name)
    with opened(out) as source:
        assert check(source, format_name).severities["error"] == 0
        assert heal(source, folder / "twice.jsonl", format_name).mends == {}
    assert (folder / "twice.jsonl").read_bytes() == out.read_bytes()
    return before, healing, list(map(json.loads, out.read_bytes().splitlines()))


# Codex


def item(**payload: Any) -> JsonObject:
    return {"timestamp": TIME, "type": "response_item", "payload": payload}


def said(text: str) -> JsonObject:
    return item(type="message", role="user", content=[{"type": "input_text", "text": text}])


META: JsonObject = {"timestamp": TIME, "type": "session_meta", "payload": {"id": "s", "cwd": "/"}}


@pytest.mark.parametrize(
    ("call", "output"),
    [
        ({"type": "function_call", "name": "shell", "arguments": "{}"}, "function_call_output"),
        ({"type": "custom_tool_call", "name": "apply_patch", "input": "x"}, "custom_tool_call_output"),
    ],
)
def test_an_open_call_of_codex_gets_an_output_of_its_kind(
    call: JsonObject, output: str, tmp_path: Path
) -> None:
    records = [META, said("go"), item(call_id="c1", **call), said("and?")]
    before, healing, after = healed("codex", records, tmp_path)
    assert before.counts == {"unanswered-call": 1}
    assert healing.mends == {"unanswered-call": 1}
    assert after == [*records[:3], item(type=output, call_id="c1", output=UNKNOWN), records[3]]


def test_an_output_of_codex_without_call_becomes_text(tmp_path: Path) -> None:
    records = [META, said("go"), item(type="function_call_output", call_id="c9", output="forty-two")]
    _, healing, after = healed("codex", records, tmp_path)
    assert healing.mends == {"orphan-result": 1}
    assert after[2]["payload"]["role"] == "user"
    assert "c9" in after[2]["payload"]["content"][0]["text"]
    assert "forty-two" in after[2]["payload"]["content"][0]["text"]


def test_an_output_in_the_history_that_a_compaction_left_becomes_text(tmp_path: Path) -> None:
    history = [said("go")["payload"], {"type": "function_call_output", "call_id": "c9", "output": "old"}]
    compacted = {
        "timestamp": TIME,
        "type": "compacted",
        "payload": {"message": "", "replacement_history": history},
    }
    _, _, after = healed("codex", [META, said("go"), compacted, said("on")], tmp_path)
    left = after[2]["payload"]["replacement_history"]
    assert (left[0], left[1]["type"]) == (history[0], "message")


# Pi


def entry(ident: str | None, parent: str | None, **message: Any) -> JsonObject:
    tree = {} if ident is None else {"id": ident, "parentId": parent}
    return {"type": "message", **tree, "timestamp": TIME, "message": message}


HEADER: JsonObject = {"type": "session", "version": 3, "id": "s", "timestamp": TIME, "cwd": "/"}
CALL = {"type": "toolCall", "id": "c1", "name": "bash", "arguments": {}}


def test_an_open_call_of_pi_gets_a_result_and_what_followed_follows_it(tmp_path: Path) -> None:
    records = [
        HEADER,
        entry("u1", None, role="user", content="go"),
        entry("a1", "u1", role="assistant", content=[CALL, {**CALL, "id": "c2"}]),
        entry("u2", "a1", role="user", content="and?"),
    ]
    before, healing, after = healed("pi", records, tmp_path)
    assert before.counts == {"unanswered-call": 2}
    assert healing.mends == {"relinked": 1, "unanswered-call": 2}
    results = after[3:5]
    assert [each["message"]["toolCallId"] for each in results] == ["c1", "c2"]
    assert [each["parentId"] for each in after[2:]] == ["u1", "a1", results[0]["id"], results[1]["id"]]


def test_an_open_call_of_an_old_pi_session_gets_a_result_without_id(tmp_path: Path) -> None:
    records = [
        entry(None, None, role="user", content="go"),
        entry(None, None, role="assistant", content=[CALL]),
        entry(None, None, role="user", content="and?"),
    ]
    _, _, after = healed("pi", records, tmp_path)
    assert "id" not in after[2]
    assert after[2]["message"]["role"] == "toolResult"
    assert [*after[:2], after[3]] == records


def test_a_result_of_pi_without_call_becomes_text_and_keeps_its_images(tmp_path: Path) -> None:
    image = {"type": "image", "data": "aGk=", "mimeType": "image/png"}
    stray = entry(
        "t1",
        "u1",
        role="toolResult",
        toolCallId="c9",
        toolName="bash",
        content=[{"type": "text", "text": "42"}, image],
    )
    records = [HEADER, entry("u1", None, role="user", content="go"), stray]
    _, healing, after = healed("pi", records, tmp_path)
    assert healing.mends == {"orphan-result": 1}
    first, second = after[2]["message"]["content"]
    assert ("c9" in first["text"], "42" in first["text"], second) == (True, True, image)


def test_a_broken_chain_of_pi_is_linked_over_a_mark_that_the_host_reads(tmp_path: Path) -> None:
    records = [
        HEADER,
        entry("u1", None, role="user", content="go"),
        entry("u2", "ghost", role="user", content="on"),
    ]
    _, healing, after = healed("pi", records, tmp_path)
    assert healing.mends == {"relinked": 1}
    mark = after[2]
    assert (mark["type"], mark["parentId"], mark["content"]) == ("custom_message", "u1", TEXT)
    assert after[3]["parentId"] == mark["id"]

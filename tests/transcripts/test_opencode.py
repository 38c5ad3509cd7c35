"""OpenCode: exports, and sessions in folders."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from contextrail.core.digest import text_digest
from contextrail.core.errors import InvalidRequest
from contextrail.core.json_text import dump
from contextrail.messages.model import Fence, Media, Opaque, Summary, Thinking, ToolResult
from contextrail.transcripts.detect import read_session
from contextrail.transcripts.session import Session
from tests.transcripts.hosts import AGENTS, calls, kinds, said, session

STORAGE = AGENTS / "opencode" / "storage_v2"


def message(ident: str, role: str, *parts: dict[str, Any], **info: Any) -> dict[str, Any]:
    about = {"id": ident, "sessionID": "s", "role": role, "time": {"created": 1_730_000_101_000}, **info}
    return {"info": about, "parts": list(parts)}


def text(said_text: str, **more: Any) -> dict[str, Any]:
    return {"type": "text", "text": said_text, **more}


def tool(call: str, status: str = "completed", **state: Any) -> dict[str, Any]:
    return {
        "type": "tool",
        "callID": call,
        "tool": "bash",
        "state": {"status": status, "input": {"command": "ls"}, **state},
    }


def exported(*messages: dict[str, Any]) -> Session:
    return session(
        "opencode", dump({"info": {"id": "s", "projectID": "p"}, "messages": list(messages)}, indent=1)
    )


def ids(messages: Any) -> list[str]:
    return [each.id for each in messages]


STEP = {"type": "step-start"}


def test_each_step_of_a_reply_is_a_message_with_its_results_behind_it() -> None:
    read = exported(
        message("u", "user", text("go")),
        message(
            "a",
            "assistant",
            STEP,
            text("first"),
            tool("c1", output="A"),
            tool("c2", output="B"),
            STEP,
            text("done"),
        ),
    )
    assert [each.role for each in read.messages] == ["user", "assistant", "tool", "tool", "assistant"]
    assert calls(read.messages) == ["c1", "c2", "-c1", "-c2"]
    assert ids(read.messages) == ["u", "a", "a#1", "a#2", "a#3"]


def test_where_steps_are_not_marked_speech_behind_a_result_begins_one() -> None:
    read = exported(message("a", "assistant", tool("c1", output="A"), text("done")))
    assert [each.role for each in read.messages] == ["assistant", "tool", "assistant"]


@pytest.mark.parametrize("status", ["pending", "running"])
def test_a_call_that_did_not_end_has_no_result(status: str) -> None:
    assert calls(exported(message("a", "assistant", tool("c1", status))).messages) == ["c1"]


def test_a_failed_call_has_a_failed_result() -> None:
    read = exported(message("a", "assistant", tool("c1", "error", error="boom")))
    result = read.messages[-1].parts[0]
    assert isinstance(result, ToolResult)
    assert (result.status, said(read.messages)[-1][1]) == ("error", "boom")


def test_attachments_of_a_result_are_in_it() -> None:
    image = {"mime": "image/png", "url": "data:image/png;base64,AAAA", "filename": "a.png"}
    read = exported(message("a", "assistant", tool("c1", output="shot", attachments=[image])))
    result = read.messages[-1].parts[0]
    assert isinstance(result, ToolResult)
    assert isinstance(result.parts[1], Media)


def test_reasoning_goes_back_to_the_provider_it_came_from() -> None:
    thought = {"type": "reasoning", "text": "hm", "metadata": {"anthropic": {"signature": "sig"}}}
    read = exported(message("a", "assistant", thought, text("ho"), providerID="anthropic", modelID="claude"))
    assert read.messages[0].parts[0] == Thinking(
        text="hm", signature="sig", wire="anthropic", model="claude", bound=text_digest("hm")
    )
    assert read.head.model == "claude"


def test_what_the_host_put_in_is_a_fence_and_what_it_ignores_is_not_said() -> None:
    read = exported(
        message("u", "user", text("go"), text("context", synthetic=True), text("hidden", ignored=True))
    )
    assert [type(part).__name__ for part in read.messages[0].parts] == ["Text", "Fence"]
    assert isinstance(read.messages[0].parts[1], Fence)


def test_images_of_the_user_are_media_and_files_that_were_written_out_are_not() -> None:
    image = {"type": "file", "mime": "image/png", "url": "data:image/png;base64,AAAA"}
    listed = {"type": "file", "mime": "text/plain", "url": "file:///x/a.py"}
    read = exported(message("u", "user", text("look"), image, listed))
    assert [type(part) for part in read.messages[0].parts[1:]] == [Media]


def test_a_compaction_begins_a_segment_with_its_summary_and_the_tail_it_kept() -> None:
    read = exported(
        message("u1", "user", text("one")),
        message("a1", "assistant", text("1")),
        message("u2", "user", text("two")),
        message("c", "user", {"type": "compaction", "auto": True, "tail_start_id": "u2"}),
        message("s", "assistant", text("so far"), parentID="c", summary=True),
        message("u3", "user", text("three")),
    )
    assert [ids(segment) for segment in read.segments] == [["u1", "a1", "u2"], ["s", "u2", "u3"]]
    assert isinstance(read.messages[0].parts[0], Summary)


def test_parts_that_are_not_known_are_kept() -> None:
    read = exported(message("u", "user", text("go"), {"type": "hologram"}))
    assert read.messages[0].parts[1] == Opaque(wire="opencode", kind="hologram", value={"type": "hologram"})
    assert kinds(read) == ["unknown-type"]


def test_a_session_in_folders_is_read_from_its_own_file() -> None:
    read = read_session(STORAGE / "session" / "proj_test" / "ses_s_stage0_small.json")
    assert said(read.messages) == [
        ("user", "Hello"),
        ("assistant", 'bash {"command":"ls","cwd":"/tmp/repo"}'),
        ("tool", "a.txt\nb.txt\n"),
        ("assistant", "Found 2 files."),
    ]
    assert len(read.entries) == 1 + 2 + 3


def test_parts_of_old_hosts_stand_in_one_folder() -> None:
    read = read_session(
        AGENTS / "opencode" / "storage_legacy" / "session" / "proj_test" / "ses_s_stage0_drift.json"
    )
    assert calls(read.messages) == ["call_legacy_1", "-call_legacy_1"]
    assert kinds(read) == ["no-content"]


def test_a_folder_with_one_session_is_read(tmp_path: Path) -> None:
    shutil.copytree(AGENTS / "opencode" / "storage_legacy", tmp_path / "storage")
    assert read_session(tmp_path / "storage").format == "opencode"


def test_a_folder_with_several_sessions_asks_for_one() -> None:
    with pytest.raises(InvalidRequest, match="2 sessions"):
        read_session(STORAGE)


def test_a_damaged_part_is_reported_and_the_others_are_read(tmp_path: Path) -> None:
    shutil.copytree(STORAGE, tmp_path / "storage")
    broken = tmp_path / "storage" / "part" / "m_assistant_small" / "001.json"
    broken.write_bytes(broken.read_bytes()[:-20])
    read = read_session(tmp_path / "storage" / "session" / "proj_test" / "ses_s_stage0_small.json")
    assert [(issue.kind, issue.file) for issue in read.issues] == [("truncated", str(broken))]
    assert said(read.messages) == [("user", "Hello"), ("assistant", "bash {}\nFound 2 files.")]


def test_a_session_whose_messages_are_gone_is_reported(tmp_path: Path) -> None:
    shutil.copytree(STORAGE / "session", tmp_path / "session")
    read = read_session(tmp_path / "session" / "proj_test" / "ses_s_stage0_small.json")
    assert kinds(read) == ["no-messages"]
    assert read.messages == ()


def test_a_truncated_export_gives_the_messages_before_the_break() -> None:
    whole = dump(
        {
            "info": {"id": "s", "projectID": "p"},
            "messages": [message("u", "user", text("go")), message("a", "assistant", text("ho"))],
        }
    )
    read = session("opencode", whole[:-30])
    assert said(read.messages) == [("user", "go")]
    assert kinds(read) == ["truncated"]

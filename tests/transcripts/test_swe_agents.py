"""Trajectories of SWE-agent and mini-SWE-agent."""

from __future__ import annotations

from typing import Any

from contextrail.core.json_text import dump
from contextrail.messages.model import Conversation, Fence, Text, Thinking
from contextrail.messages.pairs import pair
from contextrail.transcripts.detect import read_session
from contextrail.wire import openai_chat
from tests.transcripts.hosts import DATA, calls, kinds, said, session

SWE = DATA / "swe-agent-trajs"
MINI = DATA / "mini-swe-agent-trajs"


def test_a_trajectory_with_tool_calls_is_its_history() -> None:
    (path,) = SWE.glob("replay__*.traj")
    read = read_session(path)
    assert [message.role for message in read.messages[:4]] == ["system", "user", "assistant", "tool"]
    assert len(read.messages) == 28
    assert len(pair(read.messages).answer) == 13
    assert read.head.model == "replay"


def test_a_trajectory_of_text_stays_text_and_its_demonstration_is_a_fence() -> None:
    (path,) = SWE.glob("gpt4__*.traj")
    read = read_session(path)
    assert calls(read.messages) == []
    assert isinstance(read.messages[1].parts[0], Fence)
    assert isinstance(read.messages[2].parts[0], Text)
    assert [message.run for message in read.messages[:4]] == [0, 0, 0, 0]


def history(*messages: dict[str, Any], **more: Any) -> bytes:
    return dump({"environment": "main", "trajectory": [], "history": list(messages), **more})


def test_what_the_agent_noted_beside_a_message_is_not_sent() -> None:
    call = {"id": "c1", "type": "function", "function": {"name": "bash", "arguments": "{}"}}
    read = session(
        "swe-agent",
        history(
            {
                "role": "assistant",
                "content": "look",
                "thought": "look",
                "action": "ls",
                "agent": "main",
                "tool_calls": [call],
            },
            {
                "role": "tool",
                "content": "a.txt",
                "agent": "main",
                "tool_call_ids": ["c1"],
                "message_type": "observation",
            },
        ),
    )
    assert openai_chat.encode(Conversation(messages=read.messages))["messages"] == [
        {"role": "assistant", "content": "look", "tool_calls": [call]},
        {"role": "tool", "content": "a.txt", "tool_call_id": "c1"},
    ]


def test_thinking_blocks_are_reasoning_of_their_provider() -> None:
    block = {"type": "thinking", "thinking": "hm", "signature": "sig"}
    read = session("swe-agent", history({"role": "assistant", "content": "go", "thinking_blocks": [block]}))
    thinking = read.messages[0].parts[0]
    assert isinstance(thinking, Thinking)
    assert (thinking.text, thinking.signature, thinking.wire) == ("hm", "sig", "anthropic")


def test_one_result_for_several_calls_is_reported() -> None:
    read = session("swe-agent", history({"role": "tool", "content": "x", "tool_call_ids": ["a", "b"]}))
    assert kinds(read) == ["several-calls"]


def test_a_trajectory_without_history_gives_its_steps() -> None:
    step = {"action": "ls", "observation": "a.txt", "response": "I look.\n```\nls\n```", "thought": "I look."}
    read = session("swe-agent", dump({"trajectory": [step], "info": {}}))
    assert said(read.messages) == [("assistant", step["response"]), ("user", "a.txt")]


def test_a_truncated_trajectory_gives_the_messages_before_the_break() -> None:
    (path,) = SWE.glob("gpt4__*.traj")
    data = path.read_bytes()
    whole = session("swe-agent", data)
    cut = session("swe-agent", data[: data.index(b'"history"') + 40_000])
    assert kinds(cut) == ["truncated"]
    assert 0 < len(cut.messages) < len(whole.messages)
    assert cut.messages == whole.messages[: len(cut.messages)]


def test_real_runs_of_mini_swe_agent_are_read_whole() -> None:
    steps = {}
    for name in ("pylint-dev__astroid-1268", "sqlfluff__sqlfluff-1517"):
        read = read_session(MINI / f"{name}.traj.json")
        steps[name] = sum(message.role == "assistant" for message in read.messages)
        assert read.messages[0].role == "system"
        assert len(pair(read.messages).unanswered) == 1
        assert pair(read.messages).orphans == ()
        assert kinds(read) == []
        assert read.head.model == "deepseek/deepseek-chat"
    assert steps == {"pylint-dev__astroid-1268": 96, "sqlfluff__sqlfluff-1517": 113}


def mini(*messages: dict[str, Any]) -> bytes:
    return dump(
        {"info": {"model_stats": {}}, "messages": list(messages), "trajectory_format": "mini-swe-agent-1"}
    )


def test_commands_in_text_stay_text() -> None:
    read = session(
        "mini-swe-agent",
        mini(
            {"role": "user", "content": "fix"},
            {"role": "assistant", "content": "```bash\nls\n```", "extra": {"cost": 1}},
            {"role": "user", "content": "<output>a</output>"},
        ),
    )
    assert [message.role for message in read.messages] == ["user", "assistant", "user"]
    assert all(message.extra is None or not message.extra.fields for message in read.messages)


def test_items_of_responses_are_read() -> None:
    response = {
        "object": "response",
        "output": [{"type": "function_call", "call_id": "c1", "name": "bash", "arguments": "{}"}],
    }
    output = {
        "type": "function_call_output",
        "call_id": "c1",
        "output": "a",
        "extra": {"timestamp": 1775794569.4},
    }
    read = session("mini-swe-agent", mini(response, output))
    assert calls(read.messages) == ["c1", "-c1"]
    assert read.messages[1].timestamp is not None


def test_the_last_record_of_a_run_is_carried_along() -> None:
    read = session(
        "mini-swe-agent", mini({"role": "user", "content": "fix"}, {"role": "exit", "content": "diff"})
    )
    assert said(read.messages) == [("user", "fix")]
    assert [entry.kind for entry in read.entries] == ["document", "user", "exit"]
    assert kinds(read) == []

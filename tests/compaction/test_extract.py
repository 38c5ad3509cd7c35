"""The extractive summary: no model, no word of its own but headings and outcomes, within its limit."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contextrail import read_session
from contextrail.compaction.check import Checker
from contextrail.compaction.extract import extract
from contextrail.compaction.facts import Evidence, facts
from contextrail.compaction.frame import render
from contextrail.compaction.goal import pins_of
from contextrail.compaction.language import Language, conversation_language
from contextrail.compaction.promises import promises
from contextrail.core.ids import MessageId
from contextrail.messages.model import Message, Summary
from contextrail.messages.text import message_text
from tests.builders import transcript
from tests.compaction.spans import CHINESE, WORK, call
from tests.properties.pieces import message as any_message


def summary(messages: tuple[Message, ...], limit: int = 4000, language: Language = "en") -> str:
    return extract(messages, limit=limit, count=len, language=language)


def test_it_tells_files_commands_errors_decisions_and_what_is_open() -> None:
    text = summary(WORK)
    for line in (
        "## Goal\n- Move payments to v3. Do not touch migrations/. The port is 3307, not 3306.",
        "- Always run ruff.",
        "## Files touched\n- src/pay/client.py: changed",
        "- `pytest tests/test_pay.py` → failed: 1 failed, 3 passed in 0.41s",
        "- `git commit -m fix` → ok",
        "E ConnectionError: refused on 3306",
        "not resolved here",
        "- assistant: I will report back once the review is done.",
    ):
        assert line in text


def test_what_an_error_became_is_told() -> None:
    after = transcript(
        "a1 assistant " + call("d1", "bash", command="pytest tests/test_pay.py"), "r1 tool result d1 4 passed"
    )
    text = summary((*WORK, *after))
    assert "then ok" in text
    assert "`pytest tests/test_pay.py` → repeated, last ok: 4 passed" in text


def test_it_is_in_the_language_of_the_conversation() -> None:
    text = summary(CHINESE, language="zh")
    assert "## 目标\n- 把支付迁移到 v3。" in text
    assert "`pytest tests/test_pay.py` → 失败: 连接失败: 端口 3306" in text
    assert "Goal" not in text


def test_calls_without_an_answer_are_open() -> None:
    messages = transcript(
        "u1 user pay it",
        "a1 assistant " + call("c1", "ask_legal", invoice=88),
        "r1 tool interim c1 waiting, case L-402",
        "a2 assistant " + call("c2", "build", target="all"),
    )
    text = summary(messages)
    assert '- ask_legal {"invoice":88}: still running: waiting, case L-402' in text
    assert '- build {"target":"all"}: outcome unknown' in text


def test_an_earlier_record_merges_and_does_not_nest() -> None:
    earlier = render(
        [("goal", "u1", "Ship.")], "## Files touched\n- a.py: changed\n- b.py: read", count=4, language="en"
    )
    part = Message(id=MessageId("s"), role="user", parts=(Summary(text=earlier),))
    text = summary((part, *WORK[1:]))
    assert "- a.py: changed" in text
    assert text.count("## Files touched") == 1
    assert "[Record" not in text


def test_promises_are_of_later_and_kept_word_for_word() -> None:
    messages = transcript(
        "a1 assistant I will read the file now.",
        "a2 assistant I'll let you know when the build is done.",
        "a3 assistant 构建完成后我会通知你。",
    )
    assert promises(messages) == ("I'll let you know when the build is done.", "构建完成后我会通知你。")


def test_nothing_to_tell_is_an_empty_text() -> None:
    assert summary(()) == ""
    assert summary(WORK, limit=0) == ""


@given(st.integers(0, 1500), st.sampled_from(["en", "zh"]))
def test_it_is_never_longer_than_its_limit(limit: int, language: Language) -> None:
    assert len(summary(WORK, limit, language)) <= limit


@given(st.integers(100, 1500))
def test_every_fact_of_it_is_in_the_span(limit: int) -> None:
    evidence = Evidence([*map(message_text, WORK), '{"path":"src/pay/client.py"}'])
    lines = [line for line in summary(WORK, limit).splitlines() if not line.startswith("#")]
    assert [fact for line in lines for fact in facts(line) if not evidence.holds(fact)] == []


def test_it_passes_the_check_of_summaries() -> None:
    assert Checker(WORK, (), "en").flags(summary(WORK)) == ()


@given(st.lists(any_message(), max_size=6))
def test_any_messages_give_a_text_and_the_same_one_again(messages: list[Message]) -> None:
    text = summary(tuple(messages), 600)
    assert len(text) <= 600
    assert summary(tuple(messages), 600) == text


DATA = Path(__file__).parents[1] / "data"
SESSIONS = sorted(
    path
    for folder in ("claude-code-sessions", "pi-session", "mini-swe-agent-trajs", "swe-agent-trajs")
    for path in (DATA / folder).iterdir()
    if path.suffix in {".jsonl", ".json", ".traj"} and path.name != "medium-conversation.jsonl"
)


@pytest.mark.parametrize("path", SESSIONS, ids=lambda path: path.name)
def test_it_passes_the_check_on_real_sessions(path: Path) -> None:
    messages = read_session(path).messages
    language = conversation_language(messages)
    text = summary(messages, 6_000, language)
    assert text
    assert Checker(messages, pins_of(messages), language).flags(text) == ()


def test_colors_of_a_terminal_are_no_part_of_a_told_line() -> None:
    messages = transcript(
        "u1 user Run the tests",
        "a1 assistant " + call("c1", "bash", command="pytest"),
        "r1 tool error c1 \x1b[31mE   ValueError: port 3306\x1b[0m\n\x1b[1m1 failed\x1b[0m in 0.41s",
    )
    text = extract(messages, limit=2_000, count=len, language="en")
    assert "ValueError: port 3306 (pytest" in text
    assert "1 failed in 0.41s" in text
    assert "\x1b" not in text

"""What is owed and what binds the work, over turns in which batches are made: it is in every request."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from contextrail import Moment, Policy, policy_from
from contextrail.core.ids import MessageId
from contextrail.messages.decision import Decision
from contextrail.messages.identity import number_runs
from contextrail.messages.model import Conversation, Message, Text
from contextrail.messages.text import message_text
from contextrail.policy import PRESETS, preset
from contextrail.testing import Decided, failures_of
from tests.builders import transcript
from tests.properties.effort import FEW
from tests.properties.test_history import Host, Setting

OWED = (
    "Approval pending, ticket APRV-{n}X",
    "Job started in background, id job_{n}x",
    "已提交，等待经理批准，单号 CR-{n}",
    "still running",
)
SAID = (
    "Never push to branch release-{n}.",
    "Keep port {n}7 open at all times.",
    "不允许删除表 orders_{n}。",
    "and now?",
)
PROMISED = ("I'll run migration {n} in the next step.", "我会在备份后运行迁移 {n}。", "done with part {n}")
TEN_LINES = "\n".join(f"line {at} of a file that nobody asks for again" for at in range(10))
MARK = '{"data": {"_type": "context_checkpoint", "summary": "half way"}, "observation": "saved"}'


@st.composite
def work(draw: st.DrawFn) -> tuple[Message, ...]:
    """A session with rules, promises, things pending, calls without answers and checkpoints among reads."""
    lines = ["u0 user Migrate the billing service to port 3307"]
    for n in range(draw(st.integers(4, 30))):
        kind = draw(st.sampled_from(["read", "read", "read", "owed", "said", "promise", "lost", "mark"]))
        if kind == "read":
            lines += [
                f'c{n} assistant call k{n} read_file {{"path":"src/f{n}.py"}}',
                f"t{n} tool result k{n} {n} {TEN_LINES}",
            ]
        elif kind == "owed":
            lines += [
                f"c{n} assistant call k{n} ask",
                f"t{n} tool result k{n} {draw(st.sampled_from(OWED)).format(n=n)}",
            ]
        elif kind == "said":
            lines.append(f"u{n} user {draw(st.sampled_from(SAID)).format(n=n)}")
        elif kind == "promise":
            lines.append(f"a{n} assistant {draw(st.sampled_from(PROMISED)).format(n=n)}")
        elif kind == "lost":
            lines += [
                f"c{n} assistant call k{n} build + call j{n} build",
                f"t{n} tool result k{n} built",
            ]
        else:
            lines += [
                f"c{n} assistant call k{n} context_checkpoint",
                f"t{n} tool result k{n} {MARK}",
            ]
    return number_runs(transcript(*lines))


@FEW
@given(work(), st.integers(1, 6), st.integers(500, 3_000), st.sampled_from(["extract", "none", "model"]))
def test_over_turns_with_batches_every_check_holds(
    history: tuple[Message, ...], steps: int, window: int, summarizer: str
) -> None:
    host = Host(Policy(), Setting(summarizer=summarizer, window=window))
    for step in range(1, steps + 1):
        built = host.turn(history[: -(-len(history) * step // steps)])
        assert built is None or built.cost.high <= window


@pytest.mark.parametrize("name", PRESETS)
@FEW
@given(work(), st.integers(800, 3_000))
def test_under_every_preset_every_check_holds(name: str, history: tuple[Message, ...], window: int) -> None:
    host = Host(preset(name), Setting(window=window))
    for upto in (len(history) // 2, len(history)):
        built = host.turn(history[:upto])
        assert built is None or built.cost.high <= window


@pytest.mark.parametrize("policy", [{}, {"compaction": {"target": 0.2}}])
@pytest.mark.parametrize("summarizer", ["extract", "none"])
def test_rules_stand_in_the_request_while_the_window_has_room_for_them(
    policy: dict[str, Any], summarizer: str
) -> None:
    rules = [f"Never touch the table ledger_{at} of region {at}, whoever asks for it." for at in range(20)]
    lines = ["u0 user Migrate the billing service. " + " ".join(rules), "a0 assistant Understood."]
    for n in range(40):
        lines += [
            f'c{n} assistant call k{n} read_file {{"path":"src/f{n}.py"}}',
            f"t{n} tool result k{n} {n} {TEN_LINES}",
        ]
    lines.append("u9 user go on")
    request = Host(policy_from(policy), Setting(summarizer=summarizer, window=1_500)).turn(transcript(*lines))
    assert request is not None
    sent = "\n".join(message_text(message) for message in request.sent.messages)
    assert [rule for rule in rules if rule not in sent] == []
    assert not [each for each in request.decisions if each.reason == "record-without-room"]


RULE = "Never drop the legacy_id column."


def crowded() -> tuple[Message, ...]:
    """A goal with a rule, long reads, a second question that is long itself, and more long reads."""
    rows = " ".join(f"row {at} value {at * 7}" for at in range(90))
    groups = [(f"c{n} assistant call k{n} bash", f"t{n} tool result k{n} {rows}") for n in range(11)]
    details = " ".join(f"detail {at}" for at in range(300))
    lines = [f"u0 user Find out why the export job fails and fix it. {RULE}"]
    lines += [line for group in groups[:8] for line in group]
    lines += ["a0 assistant I read the logs.", f"u1 user Here is more detail, go on. {details}"]
    lines += [line for group in groups[8:] for line in group]
    return transcript(*lines)


@pytest.mark.parametrize("name", ["archive", "balanced", "compact"])
@pytest.mark.parametrize("window", [1_050, 1_200, 1_500, 2_000, 2_500])
@pytest.mark.parametrize("summarizer", ["extract", "none"])
@pytest.mark.parametrize("stability", ["batched", "recompute"])
def test_goal_and_rules_stay_where_what_must_stay_leaves_little_room(
    name: str, window: int, summarizer: str, stability: str
) -> None:
    policy = msgspec.structs.replace(preset(name), stability=stability)
    setting = Setting(window=window, target="openai-chat", summarizer=summarizer)
    request = Host(policy, setting).turn(crowded())
    assert request is not None
    assert any(RULE in message_text(message) for message in request.sent.messages)


def test_goal_and_rules_that_have_no_room_are_told_of() -> None:
    request = Host(Policy(), Setting(window=820, target="openai-chat")).turn(crowded())
    assert request is not None
    told = [each.detail["kind"] for each in request.decisions if each.reason == "record-without-room"]
    assert told == ["goal", "rule"]


@pytest.mark.parametrize("stability", ["batched", "recompute"])
def test_of_a_long_message_that_has_no_room_the_rules_stay_word_for_word(stability: str) -> None:
    first = "Never touch the table ledger."
    last = "Every query must have a limit of 50 rows."
    story = " ".join(f"Then I looked at page {at} of the report." for at in range(120))
    lines = ["u0 user Fix the export.", "a0 assistant Yes.", f"u1 user {first} {story} {last}"]
    for n in range(4):
        lines += [f"c{n} assistant call k{n} bash", f"t{n} tool result k{n} {TEN_LINES * 4}"]
    lines += [
        "a9 assistant Done.",
        "u9 user go on",
        "c9 assistant call k9 bash",
        f"t9 tool result k9 {TEN_LINES}",
    ]
    policy = msgspec.structs.replace(Policy(), stability=stability)
    request = Host(policy, Setting(window=600, summarizer="none")).turn(transcript(*lines))
    assert request is not None
    (cut,) = (message for message in request.turn.conversation.messages if message.id == "u1")
    (blob,) = (blob for blob in request.turn.blobs if blob.text.startswith(first))
    assert message_text(cut).split("\n")[1:] == [last, first]
    assert message_text(cut).startswith(
        f"[{len(blob.text) - len(first) - len(last) - 1} characters left out: {blob.handle}]"
    )


def test_a_history_without_its_goal_does_not_pass_where_there_was_room() -> None:
    request = Host(Policy(), Setting(window=1_500, summarizer="none")).turn(crowded())
    assert request is not None
    left = tuple(each for each in request.turn.conversation.messages if RULE not in message_text(each))
    told = Decision(message=MessageId("u0"), verdict="dropped", step="x", reason="record-without-room")
    for decisions, what in (
        (request.turn.decisions, "reported"),
        ((*request.turn.decisions, told), "less important"),
    ):
        turn = replace(
            request.turn,
            conversation=replace(request.turn.conversation, messages=left),
            decisions=decisions,
        )
        broken = failures_of(replace(Decided.of(request), turn=turn))
        assert [each for each in broken if each.name.startswith("I18") and what in str(each)]


def test_a_result_without_its_call_leaves_with_the_batch() -> None:
    lines = ["u0 user Start.", f"t9 tool result kx {TEN_LINES * 10}"]
    for n in range(2):
        lines += [
            f"c{n} assistant call k{n} bash",
            f"t{n} tool result k{n} {TEN_LINES * 5 * n}ok",
            f"a{n} assistant Done.",
            f"u{n + 1} user Go on.",
        ]
    host = Host(Policy(), Setting(window=1_200))
    first = host.turn(transcript(*lines))
    assert first is not None
    assert first.turn.batch == "over-trigger"
    assert "t9" not in [message.id for message in first.turn.conversation.messages]
    again = host.rail.build(
        Conversation(messages=transcript(*lines, "a8 assistant Yes.", "u8 user And?")),
        moment=Moment(plan=first.turn.plan),
    )
    assert again.turn.batch is None
    assert failures_of(again, before=first) == ()  # without the store, which has what left before


def test_messages_of_white_space_say_nothing() -> None:
    history = transcript(
        "u0 user Fix it.", "a0 assistant x", "u1 user y", "a1 assistant Done.", "u2 user Go on."
    )
    blank = tuple(
        replace(each, parts=(Text(text=" \n\t "),)) if each.id in ("a0", "u1") else each for each in history
    )
    request = Host(Policy(), Setting(window=2_000)).turn(blank)
    assert request is not None
    assert [message.id for message in request.turn.conversation.messages] == ["u0", "a1", "u2"]


def test_where_nearly_everything_must_stay_batches_are_rare() -> None:
    lines = ["u0 user Migrate the billing service."]
    for n in range(27):
        lines += [
            f"c{n} assistant call k{n} bash",
            f"t{n} tool result k{n} Approval pending, ticket APRV-{n}X {'of the migration ' * 12}",
        ]
    host = Host(Policy(), Setting(window=2_000))
    made: list[bool] = []
    for more in range(12):
        lines += [f"c9{more} assistant call k9{more} bash", f"t9{more} tool result k9{more} listed {more}"]
        request = host.turn(transcript(*lines))
        assert request is not None
        made.append(request.turn.batch is not None)
        assert request.turn.after.high > 0.8 * 2_000
        assert request.turn.trigger is not None
        assert request.turn.after.high < request.turn.trigger or request.turn.trigger == request.turn.limit
    assert sum(made) <= 2

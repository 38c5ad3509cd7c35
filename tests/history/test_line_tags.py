"""Lines of a record that tell of a file as it no longer is say so; all others stand as they are."""

from __future__ import annotations

import json
from typing import Any

import pytest

from contextrail import Conversation, Policy, TurnInputs, decide, tokenizer
from contextrail.compaction.lines import Line, pieces
from contextrail.compaction.sources import call_lines, replaced_lines
from contextrail.core.ids import CallId, MessageId
from contextrail.history.file_tools import FILE_TOOLS
from contextrail.history.line_tags import LineTags
from contextrail.messages.model import Message, Summary, Text, ToolCall, ToolResult
from contextrail.messages.text import part_text
from contextrail.turn import Counter, Turn
from tests.hostile import in_time, must_end

FILE = "PORT = 3306\nHOST_NAME = 'a'\nretry_limit = 5"


def did(*steps: tuple[str, dict[str, Any], str]) -> tuple[Message, ...]:
    """Calls with their results; one that begins with "error" failed."""
    made: list[Message] = []
    for at, (name, arguments, output) in enumerate(steps):
        ident = CallId(f"c{at}")
        call = ToolCall(call_id=ident, name=name, arguments=json.dumps(arguments))
        result = ToolResult(
            call_id=ident,
            parts=(Text(text=output),),
            status="error" if output.startswith("error") else "ok",
        )
        made.append(Message(id=MessageId(f"a{at}"), role="assistant", parts=(call,)))
        made.append(Message(id=MessageId(f"t{at}"), role="tool", parts=(result,)))
    return tuple(made)


def lines_of(messages: tuple[Message, ...], at: int) -> list[Line]:
    """Every line of one message."""
    (part,) = messages[at].parts
    if isinstance(part, ToolCall):
        out = replaced_lines(part)
        return [Line(text, at, order, 1.0, 0, text in out) for order, text in enumerate(call_lines(part))]
    return [Line(text, at, order, 1.0) for order, text in enumerate(pieces(part_text(part)))]


def ages(messages: tuple[Message, ...], at: int) -> dict[str, str]:
    """How each line of one message stands at the end."""
    tags = LineTags(messages, FILE_TOOLS, "en")
    return {line.text: tags.age(line) for line in lines_of(messages, at)}


def read(path: str = "src/db.py", text: str = FILE) -> tuple[str, dict[str, Any], str]:
    return "read", {"path": path}, text


def edit(old: str, new: str, path: str = "src/db.py", output: str = "ok") -> tuple[str, dict[str, Any], str]:
    return "edit", {"path": path, "old_string": old, "new_string": new}, output


CHANGED = {"PORT = 3306": "changed", "HOST_NAME = 'a'": "current", "retry_limit = 5": "current"}
UNSURE = dict.fromkeys(CHANGED, "unsure")
CURRENT = dict.fromkeys(CHANGED, "current")


@pytest.mark.parametrize(
    ("later", "expected"),
    [
        (edit("PORT = 3306", "PORT = 3307"), CHANGED),
        (edit("3306", "3307"), CHANGED),
        (edit("PORT = 3306\nHOST_NAME = 'a'", "PORT = 3307\nHOST_NAME = 'a'"), CHANGED),
        (
            ("multiedit", {"file_path": "src/db.py", "edits": [{"oldText": "3306", "newText": "1"}]}, "ok"),
            CHANGED,
        ),
        (("write", {"path": "src/db.py", "content": "HOST_NAME = 'a'\nretry_limit = 5\n"}, "ok"), CHANGED),
        (edit("PORT = 3306", "PORT = 3307", path="/repo/src/db.py"), CHANGED),
        (edit("PORT = 3306", "PORT = 3307", path="./src/db.py"), CHANGED),
        (
            (
                "apply_patch",
                {"input": "*** Begin Patch\n*** Update File: src/db.py\n-PORT = 3306\n+PORT = 1\n"},
                "ok",
            ),
            CHANGED,
        ),
        (("bash", {"command": "sed -i s/3306/3307/ src/db.py"}, ""), UNSURE),
        (("bash", {"command": "cp other.py src/db.py"}, ""), UNSURE),
        (edit("PORT = 3306", "PORT = 3307", output="error: not found"), CURRENT),
        (edit("PORT = 3306", "PORT = 3307", path="src/other.py"), CURRENT),
        (edit("PORT = 3306", "PORT = 3307", path="lib/db.py"), CURRENT),
        (edit("time_out = 9", "time_out = 8"), CURRENT),
        (("texteditor", {"command": "insert", "path": "src/db.py", "new_str": "new_one = 1"}, "ok"), CURRENT),
        (("bash", {"command": "grep 3306 src/db.py"}, ""), CURRENT),
    ],
)
def test_lines_of_a_read_stand_as_later_changes_left_them(
    later: tuple[str, dict[str, Any], str], expected: dict[str, str]
) -> None:
    assert ages(did(read(), later), 1) == expected


def test_line_numbers_and_commands_do_not_hide_a_change() -> None:
    numbered = did(read(text="   1\tPORT = 3306\n   2\tretry_limit = 5"), edit("PORT = 3306", "PORT = 3307"))
    assert ages(numbered, 1) == {"1\tPORT = 3306": "changed", "2\tretry_limit = 5": "current"}
    shown = did(("bash", {"command": "cat src/db.py"}, FILE), edit("PORT = 3306", "PORT = 3307"))
    assert ages(shown, 1)["PORT = 3306"] == "changed"
    found = did(
        ("grep", {"pattern": "PORT"}, "src/db.py:1:PORT = 3306\nsrc/b.py:1:PORT = 3306 # b"),
        edit("PORT = 3306", "PORT = 3307"),
    )
    assert ages(found, 1) == {"src/db.py:1:PORT = 3306": "changed", "src/b.py:1:PORT = 3306 # b": "current"}


def test_a_line_that_came_back_is_current_and_one_read_again_too() -> None:
    away, back = edit("PORT = 3306", "PORT = 3307"), edit("PORT = 3307", "PORT = 3306")
    assert ages(did(read(), away, back), 1) == CURRENT
    assert ages(did(read(), away, back, away), 1) == CHANGED
    undone = did(
        ("read", {"path": "src/db.py"}, "PORT = 3306"),
        edit("PORT = 3306", "PORT = 3307"),
        ("bash", {"command": "sed -i s/x/y/ src/db.py"}, ""),
        ("write", {"path": "src/db.py", "content": "PORT = 3307\nold_port = 1"}, "ok"),
        ("read", {"path": "src/db.py"}, "PORT = 3307\nold_port = 1"),
    )
    assert ages(undone, 1) == {"PORT = 3306": "changed"}
    assert set(ages(undone, 9).values()) == {"current"}


def test_what_an_edit_takes_out_and_what_a_later_one_replaced_is_of_the_past() -> None:
    messages = did(edit("PORT = 3306", "PORT = 3307"), edit("PORT = 3307", "PORT = 3308"))
    assert ages(messages, 0)["edit src/db.py"] == "current"
    assert ages(messages, 0)["PORT = 3306"] == "changed"
    assert ages(messages, 2)["PORT = 3307"] == "changed"
    assert ages(messages, 2)["PORT = 3308"] == "current"
    written = did(("write", {"path": "a.py", "content": FILE}, "ok"), edit("3306", "3307", path="a.py"))
    assert ages(written, 0) == {"write a.py": "current", **CHANGED}
    failed = did(edit("PORT = 3306", "PORT = 3307", output="error: not found"))
    assert set(ages(failed, 0).values()) == {"current"}


def test_a_tool_that_the_host_names_counts() -> None:
    table = {**FILE_TOOLS, "put": FILE_TOOLS["edit"]}
    messages = did(read(), ("put", {"path": "src/db.py", "old": "3306", "new": "3307"}, "ok"))
    port = lines_of(messages, 1)[0]
    assert LineTags(messages, table, "en").age(port) == "changed"
    assert LineTags(messages, FILE_TOOLS, "en").age(port) == "current"


def test_lines_of_one_age_stand_behind_one_tag() -> None:
    messages = did(read(text="PORT = 3306\nold_port = 3306\nretry_limit = 5"), edit("3306", "3307"))
    lines = lines_of(messages, 1)
    assert LineTags(messages, FILE_TOOLS, "en").write(lines).split("\n") == [
        "[#2, changed since] PORT = 3306",
        "old_port = 3306",
        "[#2] retry_limit = 5",
    ]
    assert LineTags(messages, FILE_TOOLS, "zh").write(lines[:1]) == "[#2，之后已改] PORT = 3306"


def test_the_record_of_a_batch_marks_a_value_that_was_changed_later() -> None:
    noise = [read(f"src/part_{n}.py", f"part_limit_{n} = {n}; " * 40) for n in range(12)]
    steps = [read(text="db_port = 3306\ndb_name = 'x'"), edit("db_port = 3306", "db_port = 3307"), *noise]
    asked = Message(id=MessageId("u"), role="user", parts=(Text(text="Find the ports."),))
    count = tokenizer("chars:4")
    inputs = TurnInputs(
        conversation=Conversation(messages=(asked, *did(*steps))),
        counter=Counter.of(count),
        window=1_200,
        summarizer="extract",
        store=True,
    )
    turn = decide(inputs, Policy(), count)
    assert isinstance(turn, Turn)
    record = next(p.text for m in turn.conversation.messages for p in m.parts if isinstance(p, Summary))
    told = [line for line in record.split("\n") if "db_port = 3306" in line]
    assert told
    assert all(", changed since]" in line for line in told)


@in_time
def test_one_file_that_is_edited_over_and_over_costs_linear_time() -> None:
    steps = [
        each
        for n in range(20_000)
        for each in (
            read(text=f"row_{n} = {n}\nother_name = 1"),
            edit(f"row_{n} = {n}", f"row_{n + 1} = 1"),
        )
    ]
    messages = did(*steps)
    lines = [line for at in range(300) for line in lines_of(messages, at)]
    must_end(lambda: LineTags(messages, FILE_TOOLS, "en").write(lines))

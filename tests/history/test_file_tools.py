"""Which calls touch which files, by the names of tools and of their arguments."""

import json
from typing import Any

import pytest

from contextrail.core.ids import CallId
from contextrail.history.file_tools import FILE_TOOLS, FileTool, doubted, tool_key, touches
from contextrail.history.touch import Touch, plain_path, same_file
from contextrail.messages.model import ToolCall


@pytest.mark.parametrize(
    ("tool", "arguments", "expected"),
    [
        ("Read", {"file_path": "/w/a.py"}, [("read", "/w/a.py", "")]),
        ("Read", {"file_path": "a.py", "offset": 5, "limit": None}, [("read", "a.py", '{"offset":5}')]),
        ("Write", {"file_path": "./a.py", "content": "x"}, [("write", "a.py", "")]),
        ("MultiEdit", {"file_path": "a.py", "edits": []}, [("edit", "a.py", "")]),
        ("NotebookEdit", {"notebook_path": "a.ipynb"}, [("edit", "a.ipynb", "")]),
        ("read", {"filePath": "src/../a.py"}, [("read", "a.py", "")]),
        ("read_file", {"absolute_path": "/w/a.py"}, [("read", "/w/a.py", "")]),
        ("replace", {"file_path": "a.py"}, [("edit", "a.py", "")]),
        ("mcp__fs__read_text_file", {"path": "a.py", "head": 3}, [("read", "a.py", '{"head":3}')]),
        (
            "str_replace_editor",
            {"command": "view", "path": "/a", "view_range": [1, 9]},
            [("read", "/a", '{"view_range":[1,9]}')],
        ),
        ("str_replace_based_edit_tool", {"command": "create", "path": "/a"}, [("write", "/a", "")]),
        ("str_replace_editor", {"command": "undo_edit", "path": "/a"}, [("edit", "/a", "")]),
        ("str_replace_editor", {"command": "nope", "path": "/a"}, []),
        ("move_file", {"source": "a", "destination": "b"}, [("write", "a", ""), ("write", "b", "")]),
        (
            "apply_patch",
            {"input": "*** Begin Patch\n*** Update File: a.py\n*** Move to: b.py\n*** Add File: c.py\n"},
            [("edit", "a.py", ""), ("edit", "b.py", ""), ("edit", "c.py", "")],
        ),
        ("apply_patch", {"patch": "--- a/x.py\n+++ b/x.py\n"}, [("edit", "x.py", "")]),
        ("shell", {"command": ["bash", "-lc", "cat a.py"]}, [("read", "a.py", "")]),
        (
            "shell",
            {"command": ["apply_patch", "*** Begin Patch\n*** Delete File: a.py\n"]},
            [("edit", "a.py", "")],
        ),
        ("exec_command", {"cmd": "sed -n '1,40p' src/a.py"}, [("read", "src/a.py", "1,40p")]),
        ("bash", {"command": "cd /w && nl -ba a.py | sed -n 1,9p"}, [("read", "/w/a.py", "sed -n 1,9p")]),
        ("bash", {"command": "head -n 5 a.py"}, [("read", "a.py", "head -n 5")]),
        ("bash", {"command": "tail -5 a.py"}, [("read", "a.py", "tail -5")]),
        ("bash", {"command": "cat a.py b.py"}, []),
        ("bash", {"command": "cat a.py | grep x"}, []),
        ("bash", {"command": "cat a.py; rm b.py"}, [("write", "b.py", "")]),
        ("bash", {"command": "cat > a.py <<'EOF'\nx > y\nEOF"}, [("write", "a.py", "")]),
        ("bash", {"command": "sed -i 's/a/b/' src/a.py && pytest"}, [("edit", "src/a.py", "")]),
        (
            "bash",
            {"command": "echo x >> log 2>&1 | tee -a b.txt"},
            [("write", "log", ""), ("write", "b.txt", "")],
        ),
        ("bash", {"command": "python x.py > /dev/null 2>&1"}, []),
        (
            "bash",
            {"command": "cp a b && mv c d"},
            [("write", "b", ""), ("write", "c", ""), ("write", "d", "")],
        ),
        ("bash", {"command": "git checkout -- a.py"}, [("write", "a.py", "")]),
        ("bash", {"command": "git restore a.py"}, [("write", "a.py", "")]),
        ("bash", {"command": "git checkout main"}, []),
        ("bash", {"command": "echo 'unbalanced"}, []),
        ("bash", {"command": 3}, []),
        ("Read", {"path": 3}, []),
        (
            "multi_edit_files",
            {"edits": [{"file_path": "a.py", "old_string": "x"}, {"path": "b.py"}, {"path": "./a.py"}]},
            [("edit", "a.py", ""), ("edit", "b.py", "")],
        ),
        (
            "MultiEdit",
            {"edits": [{"filePath": "a.py"}, "odd", 3]},
            [("edit", "a.py", ""), ("edit", "odd", "")],
        ),
        (
            "apply_patch",
            {"changes": {"a.py": {"update": {}}, "b.py": {}}},
            [("edit", "a.py", ""), ("edit", "b.py", "")],
        ),
        (
            "apply_patch",
            {"patch": "--- a.py\t2026-01-01\n+++ a.py\n@@ -1 +1 @@\n-x\n+y\n--- /dev/null\n+++ b/new.py\n"},
            [("edit", "a.py", ""), ("edit", "new.py", "")],
        ),
        ("apply_patch", {"patch": "a text with\n--- a rule\nand no file"}, []),
        ("read_many_files", {"paths": ["a.py", "b.py"]}, [("read", "a.py", ""), ("read", "b.py", "")]),
        ("edit_notebook", {"target_notebook": "a.ipynb"}, [("edit", "a.ipynb", "")]),
        ("copy_file", {"source": "a", "destination": "b"}, [("write", "b", "")]),
        ("Glob", {"path": "a.py"}, []),
    ],
)
def test_tools_are_recognized_by_name_and_arguments(
    tool: str, arguments: dict[str, Any], expected: list[tuple[str, str, str]]
) -> None:
    call = ToolCall(call_id=CallId("1"), name=tool, arguments=json.dumps(arguments))
    assert [(each.act, each.path, each.span) for each in touches(call)] == expected


def test_arguments_that_are_plain_text_are_taken_as_such() -> None:
    patch = ToolCall(
        call_id=CallId("1"), name="apply_patch", arguments="*** Begin Patch\n*** Update File: a.py\n"
    )
    command = ToolCall(call_id=CallId("1"), name="bash", arguments="cat a.py")
    assert touches(patch) == (Touch(act="edit", path="a.py"),)
    assert touches(command) == (Touch(act="read", path="a.py"),)


@pytest.mark.parametrize(
    ("command", "expected"),
    [("git checkout .", ("",)), ("black src/ a.py", ("src", "a.py")), ("sed -i s/a/b/ a.py", ()), ("ls", ())],
)
def test_what_a_command_may_have_changed_is_no_touch(command: str, expected: tuple[str, ...]) -> None:
    call = ToolCall(call_id=CallId("1"), name="bash", arguments=json.dumps({"command": command}))
    assert doubted(call) == expected
    assert "doubt" not in {each.act for each in touches(call)}


def test_a_host_adds_its_own_tools() -> None:
    table = {**FILE_TOOLS, tool_key("my-server.Slurp"): FileTool(act="read", path=("where",))}
    call = ToolCall(call_id=CallId("1"), name="my-server.Slurp", arguments='{"where": "a.py"}')
    assert touches(call, table) == (Touch(act="read", path="a.py"),)


@pytest.mark.parametrize(
    ("left", "right", "same"),
    [
        ("a.py", "a.py", True),
        ("src/a.py", "/repo/src/a.py", True),
        ("a.py", "/repo/src/a.py", False),
        ("../src/a.py", "/repo/src/a.py", False),
        ("/x/src/a.py", "/repo/src/a.py", False),
        ("rc/a.py", "/repo/src/a.py", False),
    ],
)
def test_two_paths_are_one_file_as_far_as_can_be_told(left: str, right: str, same: bool) -> None:  # noqa: FBT001
    assert same_file(left, right) is same
    assert same_file(right, left) is same


@pytest.mark.parametrize(
    ("path", "plain"),
    [
        ("./a//b/../c.py", "a/c.py"),
        ("/../a", "/../a"),
        ("file:///w/a.py", "/w/a.py"),
        ("a\\b.py", "a/b.py"),
        ("", ""),
    ],
)
def test_paths_are_written_without_detours(path: str, plain: str) -> None:
    assert plain_path(path) == plain

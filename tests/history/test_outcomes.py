"""Whether a result says that its call failed, in English and Chinese, as text and as JSON."""

import pytest

from contextrail.history.outcomes import changed_nothing, edit_failed, says_failure
from tests.hostile import in_time, must_end, text_of


@pytest.mark.parametrize(
    "told",
    [
        "error.py has been updated",
        "errors.ts has been updated successfully.",
        "failed_jobs.py was edited",
        "Failed.md has been updated",
        "Error handling was added to a.py",
        "Error messages updated.",
        "not_found.html has been created",
        "The file /w/a.py has been edited. Here's the result of running `cat -n`:\n 1\traise Error('not found in file')",
        "The file src/cannot.py has been updated.",
        "Applied 1 edit to a.py",
        "Successfully replaced text in a.py",
        "ok",
        "",
        "Done!",
        "Success. Updated the following files:\nM error.py",
        '{"success": true}',
        '{"success": true, "error": null, "message": "0 errors"}',
        '{"ok": true, "errors": []}',
        '{"status": "ok", "content": "error: not found in file"}',
        '{"exit_code": 0, "output": "failed: 0"}',
        "文件 错误.py 已更新",
        "错误.py 已成功更新",
        "修改成功",
        "已成功替换 1 处",
        "文件已更新：失败.md",
        "error.py: 2 replacements made",
        "Fixed: failed to parse when empty",
    ],
)
def test_an_edit_that_went_well_is_known(told: str) -> None:
    assert not edit_failed(told)


@pytest.mark.parametrize(
    "told",
    [
        "Error: no such file",
        "ERROR - could not write",
        "Error",
        "Error editing file: x",
        "edit failed",
        "The edit was not applied",
        "Failed to apply patch",
        "FileNotFoundError: a.py",
        "No match found for the given text",
        "No matches found.",
        "No changes were made.",
        "No replacement was performed, old_str did not appear verbatim",
        "Could not find the text in a.py",
        "Unable to write a.py",
        "<tool_use_error>String to replace not found in file.</tool_use_error>",
        "String to replace not found in file.\nString: x",
        "old_string not found in a.py",
        "Found 3 matches of the string to replace, but replace_all is false: not unique",
        "File has not been read yet. Read it first before writing to it.",
        "File has been modified since read",
        "old_string and new_string are exactly the same.",
        "error: patch failed: a.py:1\nerror: a.py: patch does not apply",
        "patching file a.py\nHunk #1 FAILED at 3.",
        "The user doesn't want to proceed with this tool use.",
        "User rejected the edit",
        "Permission denied",
        "Request timed out"[8:],
        "Traceback (most recent call last):\n  x",
        "Exit code 1\nsed: x",
        "<returncode>1</returncode>",
        "unsuccessful",
        '{"success": false}',
        '{"success": "false", "message": "x"}',
        '{"ok": false}',
        '{"error": "not found"}',
        '{"isError": true, "content": []}',
        '{"status": "failed"}',
        '{"result": {"success": false}}',
        '{"output": "x", "metadata": {"exit_code": 1}}',
        '{"exitCode": 2, "stdout": ""}',
        "错误：未找到",
        "错误: 找不到文件",
        "失败",
        "修改失败：文件不存在",
        "编辑未成功",
        "未找到要替换的文本",
        "没有找到匹配的内容",
        "无法写入 a.py",
        "替换操作失败",
        "文件没有被修改",
        "❌ 更新失败",
        "用户拒绝了此操作",
        "要替换的文本不唯一",
    ],
)
def test_an_edit_that_failed_is_known(told: str) -> None:
    assert edit_failed(told)


@pytest.mark.parametrize(
    ("told", "failed"),
    [
        ("error: this is a line of a log\nmore", False),
        ('{"success": false}', False),
        ('{"error": "text of a fixture"}', False),
        ("def failed(): ...", False),
        ("错误：一行日志", False),
        ("<tool_use_error>File does not exist.</tool_use_error>", True),
        ('{"output": "", "metadata": {"exit_code": 1}}', True),
        ("Exit code 1\ncat: a.py: No such file", True),
    ],
)
def test_what_a_file_says_is_no_failure_of_its_read(told: str, failed: bool) -> None:  # noqa: FBT001
    assert says_failure(told) is failed


@pytest.mark.parametrize(
    ("told", "nothing"),
    [
        ("All done! ✨ 🍰 ✨\n1 file left unchanged.", True),
        ("a.js 20ms (unchanged)", True),
        ("No local changes to save", True),
        ("Already up to date.", True),
        ("reformatted a.py\n1 file reformatted, 2 files left unchanged.", False),
        ("Saved working directory and index state", False),
        ("", False),
    ],
)
def test_a_formatter_that_changed_nothing_says_so(told: str, nothing: bool) -> None:  # noqa: FBT001
    assert changed_nothing(told) is nothing


@pytest.mark.parametrize("text", ["error ", "no match ", "string ", "{", "未", "a" * 50 + " ", "\n"])
@in_time
def test_hostile_results_are_read_in_linear_time(text: str) -> None:
    whole = text_of(text)
    must_end(lambda: edit_failed(whole), lambda: says_failure(whole), lambda: changed_nothing(whole))

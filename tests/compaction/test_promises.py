"""What the assistant says it will do later, in two languages, and what only sounds like it."""

from __future__ import annotations

import pytest

from contextrail.compaction.promises import is_promise

PROMISES = """\
我会在备份后运行迁移
我会在备份完成后运行迁移。
I'll run the migration in the next step.
I will report back once the review is done.
I will run the tests after the backup.
I'll fix the docs next week.
I'll do that in the next commit.
I'm going to clean this up tomorrow.
I will let you know.
Next, I will update the docs.
I plan to remove it before the release.
I'll get to the docs shortly.
We'll migrate the rest in a later step.
I'll handle the second file in the following turn.
I will check again in five minutes.
I'll push it on Friday.
稍后我会更新文档
备份完成后我会运行迁移
等测试通过后我再提交
下一步我会更新文档
接下来我会部署
我稍后处理
明天我会继续
我将在合并之后删除分支
我打算下周重构
CI 通过后我就合并
我会在下一步处理
一旦批准我会部署
备份后我会运行迁移
"""
NO_PROMISES = """\
I will use the new client.
I'll add a retry loop.
I will be able to do it later.
Shall I run it later?
Should I run the migration after the backup?
The tests pass.
I'll take the next port.
I will write a report generator.
我会修改 A、B 等文件
我会在后台运行
我将文件移到后端
我会说中文
已经完成
测试之后通过了
我修改了后端
我会用新的客户端
要我稍后运行吗？
I ran it after the backup.
I'll add an after hook?
"""


@pytest.mark.parametrize("sentence", PROMISES.splitlines())
def test_what_is_to_be_done_later_is_a_promise(sentence: str) -> None:
    assert is_promise(sentence)


@pytest.mark.parametrize("sentence", NO_PROMISES.splitlines())
def test_what_is_done_now_or_asked_is_none(sentence: str) -> None:
    assert not is_promise(sentence)

"""Sentences about work that went well: what was done may be said, what was not may not."""

from __future__ import annotations

import pytest

from contextrail.compaction.check import Checker
from contextrail.compaction.goal import pins_of
from contextrail.compaction.ruled import ruled_out
from contextrail.messages.model import Message
from tests.builders import transcript
from tests.compaction.spans import call
from tests.hostile import in_time, must_end, text_of

ENGLISH: tuple[Message, ...] = transcript(
    "u1 user Add pagination to the orders API in src/orders.py. Do not change the schema. Deploy to production when CI is green.",
    "a1 assistant " + call("c1", "read_file", path="src/orders.py"),
    "r1 tool result c1 def list_orders(): ...",
    "a2 assistant " + call("c2", "edit_file", path="src/orders.py"),
    "r2 tool result c2 ok",
    "a3 assistant " + call("c3", "bash", command="pytest -q"),
    "r3 tool error c3 FAILED tests/test_orders.py::test_limit\n2 failed, 86 passed in 9.1s",
    "a4 assistant " + call("c4", "edit_file", path="tests/test_orders.py"),
    "r4 tool result c4 ok",
    "a5 assistant " + call("c5", "bash", command="cd app && python -m pytest -q"),
    "r5 tool result c5 88 passed in 9.4s",
    "a6 assistant " + call("c6", "bash", command="npm run build"),
    "r6 tool result c6 built in 12s, 0 errors",
    "a7 assistant " + call("c7", "bash", command="git commit -am 'orders: pages' && git push origin main"),
    "r7 tool result c7 [main 77aa01b] orders: pages\n 2 files changed, 40 insertions(+)\n   1111111..77aa01b  main -> main",
    "a8 assistant " + call("c8", "bash", command="gh run watch 991"),
    "r8 tool result c8 run 991 completed with success",
    "a9 assistant " + call("c9", "bash", command="kubectl apply -f prod.yaml"),
    "r9 tool result c9 deployment.apps/orders configured in namespace production",
    "a10 assistant All tests pass, and the pagination works now. The change is live in production. Done.",
    "u2 user Great. You may change the schema after all.",
)

HAN: tuple[Message, ...] = transcript(
    "u1 user 给订单接口加分页。不要修改 schema。",
    "a1 assistant " + call("c1", "edit_file", path="src/orders.py"),
    "r1 tool result c1 ok",
    "a2 assistant " + call("c2", "bash", command="pytest -q"),
    "r2 tool result c2 88 passed in 9.4s",
    "a3 assistant " + call("c3", "bash", command="git commit -am x && git push origin main"),
    "r3 tool result c3 [main 77aa01b] x\n main -> main",
    "a4 assistant " + call("c4", "bash", command="./deploy.sh production"),
    "r4 tool result c4 production: 部署成功",
    "a5 assistant 分页已实现，所有测试都通过，已部署到生产环境，任务完成。",
    "u2 user 好的，现在可以修改 schema 了。",
)

TRUE = (
    "All tests pass now.",
    "All 88 tests pass.",
    "The tests passed after the fix of tests/test_orders.py.",
    "At first two tests failed, then all 88 passed.",
    "Initially 2 tests failed.",
    "The build succeeded.",
    "CI is green.",
    "The change was committed as 77aa01b and pushed to main.",
    "It was deployed to production.",
    "The change is live in production.",
    "Pagination was added to src/orders.py.",
    "The pagination works now.",
    "The task is done.",
    "Everything is done.",
    "All done: tests pass, CI is green, and it is live.",
    "The work is complete.",
    "src/orders.py and tests/test_orders.py were updated.",
    "2 files changed, 40 insertions.",
    "The user allowed schema changes after all.",
    "The user changed his mind about the schema.",
    "The schema may be changed.",
    "The rule about the schema was lifted by the user.",
    "No tests fail.",
    "There are no failures.",
    "The suite is green with 88 passed.",
    "The deployment to production succeeded.",
    "The release is live.",
    "The failing tests were fixed in tests/test_orders.py.",
    "The test failures were resolved.",
    "Nothing else was changed.",
    "The build took 12s without errors.",
)  # fmt: skip

FALSE = (
    "86 tests failed.",
    "2 of 88 tests still fail and 2 passed.",
    "Deployed to staging.",
    "It was pushed to develop.",
    "The branch was merged.",
    "Legal approved the change.",
    "The database was migrated and 40 tables were dropped.",
    "The mail was sent to all customers.",
    "src/schema.py was updated.",
    "The package was published to PyPI and docs were published.",
    "The lint is clean.",
)  # fmt: skip

TRUE_HAN = (
    "所有测试都通过了。",
    "88 个测试全部通过。",
    "代码已提交并推送到 main。",
    "已部署到生产环境。",
    "部署完毕。",
    "任务完成。",
    "分页已实现。",
    "全部测试通过，任务已完成。",
    "用户已允许修改 schema。",
    "现在可以修改 schema。",
    "没有失败的测试。",
    "src/orders.py 已更新。",
    "不仅代码已提交，而且已经部署。",
)  # fmt: skip

FALSE_HAN = (
    "已部署到预发环境。",
    "分支已合并到开发分支。",
    "2 个测试失败。",
    "法务已批准。",
    "src/schema.py 已更新。",
    "构建成功。",
    "邮件已发送。",
)  # fmt: skip

CHECK = Checker(ENGLISH, pins_of(ENGLISH), "en")
CHECK_HAN = Checker(HAN, pins_of(HAN), "zh")


@pytest.mark.parametrize("sentence", TRUE)
def test_what_was_done_may_be_said(sentence: str) -> None:
    assert CHECK.flags(sentence) == ()


@pytest.mark.parametrize("sentence", FALSE)
def test_what_was_not_done_may_not(sentence: str) -> None:
    assert CHECK.flags(sentence)


@pytest.mark.parametrize("sentence", TRUE_HAN)
def test_what_was_done_may_be_said_in_chinese(sentence: str) -> None:
    assert [flag for flag in CHECK_HAN.flags(sentence) if flag.kind != "wrong-language"] == []


@pytest.mark.parametrize("sentence", FALSE_HAN)
def test_what_was_not_done_may_not_in_chinese(sentence: str) -> None:
    assert [flag for flag in CHECK_HAN.flags(sentence) if flag.kind != "wrong-language"]


@pytest.mark.parametrize("piece", ["deadbeef", "等", "a.", "a not ", "x 不是 "])
@in_time
def test_what_is_ruled_out_is_looked_for_in_linear_time(piece: str) -> None:
    must_end(lambda: ruled_out([text_of(piece, 200_000)]))

"""Deeds that leave no trace, states, and changes: what never happened, or the other way round, is flagged."""

from __future__ import annotations

import pytest

from contextrail.compaction.changes import Changes, edits_of
from contextrail.compaction.check import Checker
from contextrail.compaction.days import weekdays
from contextrail.compaction.goal import pins_of
from contextrail.compaction.states import healthy
from contextrail.messages.model import Message
from tests.builders import transcript
from tests.compaction.spans import call
from tests.hostile import in_time, must_end, text_of

ENGLISH: tuple[Message, ...] = transcript(
    "u1 user The mail worker loses jobs since Wednesday. Find out why. I have edited docs/ops.md myself.",
    "a1 assistant " + call("c1", "grep", pattern="retry", path="mail/"),
    "r1 tool result c1 mail/worker.py:12: RETRY = 3\nmail/queue.py:40: def pop(retry=3):\nmail/api.py:7: retry()",
    "a2 assistant " + call("c2", "edit_file", path="mail/worker.py", old_string="RETRY = 3", new_string="RETRY = 9"),
    "r2 tool result c2 ok",
    "a3 assistant " + call("c3", "bash", command="sed -i 's/timeout = 20/timeout = 45/' mail/conf.toml"),
    "r3 tool result c3 exit code 0",
    "a4 assistant " + call("c4", "bash", command="systemctl restart mail-worker"),
    "r4 tool result c4 exit code 0",
    "a5 assistant " + call("c5", "bash", command="git commit -am retry && git push origin retry"),
    "r5 tool result c5 [retry 8c1f2aa] retry\n2 files changed\n ! [remote rejected] retry -> retry (hook declined)\nexit code 1",
    "a6 assistant " + call("c6", "bash", command="git mv mail/queue.py mail/jobs.py"),
    "r6 tool result c6 exit code 0",
    "a7 assistant " + call("c7", "bash", command="curl -s localhost/health"),
    'r7 tool result c7 {"status": "degraded", "backlog": 512}',
    "a8 assistant The worker drops a job after 3 attempts, I raised that to 9. The push was declined by the hook.",
    "u2 user Nora is back on Thursday.",
)  # fmt: skip
FALSE = (
    "A pull request was opened.",
    "The agent opened a pull request for the fix.",
    "A merge request has been created.",
    "An issue was filed about the lost jobs.",
    "A PR was submitted.",
    "mail/api.py was edited.",
    "The agent modified mail/api.py.",
    "The file `mail/api.py` has been changed.",
    "mail/api.py was patched as well.",
    "The commit went to main.",
    "The fix reached origin.",
    "The change made it to main.",
    "The health check is OK.",
    "The health check succeeded.",
    "The health endpoint returned ok.",
    "The service is healthy again.",
    "All workers are running.",
    "RETRY went from 9 to 3.",
    "The retry count was changed from 9 to 3.",
    "The retry count was lowered to 9.",
    "The timeout was cut from 45 to 20.",
    "timeout: 45 -> 20",
    "The timeout was reduced to 45.",
    "The session cookie was renamed.",
    "The database was migrated.",
    "The migration was applied.",
    "The cache was cleared.",
    "The job queue has been flushed.",
    "The API tokens were rotated.",
    "The certificate was renewed.",
    "The deploy was rolled back.",
    "Redis was upgraded.",
    "Grafana was upgraded.",
    "The endpoint is up and healthy.",
    "A backup was made before the change.",
    "Nora is back on Friday.",
    "Jobs are lost since Monday.",
)  # fmt: skip
TRUE = (
    "No pull request was opened.",
    "A pull request still has to be opened.",
    "Next: open a pull request.",
    "It is unclear whether a pull request was opened.",
    "mail/worker.py was edited.",
    "The agent modified `mail/worker.py` and mail/conf.toml.",
    "The user edited docs/ops.md.",
    "mail/api.py was read, not edited.",
    "mail/api.py was not changed.",
    "mail/api.py should be edited next.",
    "The commit has not reached origin.",
    "The push of the branch retry was declined by a hook.",
    "The commit is 8c1f2aa on the branch retry.",
    "The health check reports a degraded status.",
    "The service is not healthy.",
    "The service must be healthy before the deploy.",
    "The health endpoint has a backlog of 512.",
    "The status is degraded.",
    "RETRY went from 3 to 9.",
    "The retry count was raised to 9.",
    "Retries were increased from 3 to 9.",
    "The timeout changed from 20 to 45.",
    "timeout: 20 -> 45",
    "The worker was restarted.",
    "mail-worker has been restarted.",
    "mail/queue.py was renamed to mail/jobs.py.",
    "The queue module was renamed.",
    "Nothing was migrated.",
    "The cache was not cleared.",
    "No backup was made.",
    "The tokens should be rotated.",
    "Redis was not upgraded.",
    "Nora returns on Thursday.",
    "The worker has been losing jobs since Wednesday.",
    "About 500 jobs are in the backlog.",
    "The backlog holds more than 500 jobs.",
    "Roughly 510 entries are waiting.",
)  # fmt: skip

HAN: tuple[Message, ...] = transcript(
    "u1 user 登录接口周二起变慢，请排查。",
    "a1 assistant " + call("c1", "grep", pattern="pool", path="auth/"),
    "r1 tool result c1 auth/db.py:5: POOL = 4\nauth/view.py:9: pool()",
    "a2 assistant " + call("c2", "edit_file", path="auth/db.py", old="POOL = 4", new="POOL = 32"),
    "r2 tool result c2 已更新",
    "a3 assistant " + call("c3", "bash", command="docker restart auth"),
    "r3 tool result c3 auth\nexit code 0",
    "a4 assistant " + call("c4", "bash", command="curl -s localhost/health"),
    'r4 tool result c4 {"status": "degraded", "p95_ms": 18452}',
    "a5 assistant 连接池从 4 改为 32，服务仍然降级。",
    "u2 user 李雷周四回来。",
)
FALSE_HAN = (
    "已创建合并请求。",
    "提交了一个 PR。",
    "合并请求已创建。",
    "修改了 auth/view.py。",
    "auth/view.py 已被修改。",
    "提交已进入主分支。",
    "健康检查正常。",
    "服务状态已恢复正常。",
    "服务健康。",
    "连接池从 32 改为 4。",
    "连接池由 32 降到 4。",
    "连接池降低到 32。",
    "会话 cookie 已重命名。",
    "缓存已清空。",
    "数据库迁移已执行。",
    "密钥已轮换。",
    "已回滚部署。",
    "Redis 已升级。",
    "已备份数据库。",
    "李雷周五回来。",
    "登录接口星期一起变慢。",
)  # fmt: skip
TRUE_HAN = (
    "还没有创建合并请求。",
    "下一步：创建合并请求。",
    "修改了 auth/db.py。",
    "auth/db.py 已修改。",
    "没有修改 auth/view.py。",
    "读取了 auth/view.py。",
    "健康检查显示 degraded。",
    "服务尚未恢复正常。",
    "服务状态不正常。",
    "连接池从 4 改为 32。",
    "连接池由 4 提高到 32。",
    "连接池增加到 32。",
    "auth 服务已重启。",
    "缓存没有清空。",
    "尚未回滚。",
    "Redis 没有升级。",
    "李雷星期四回来。",
    "登录接口自周二起变慢。",
    "p95 约 1.8 万毫秒。",
    "p95 超过 18000 毫秒。",
)  # fmt: skip

CHECK = Checker(ENGLISH, pins_of(ENGLISH), "en")
CHECK_HAN = Checker(HAN, pins_of(HAN), "zh")


@pytest.mark.parametrize("sentence", FALSE)
def test_what_never_happened_is_flagged(sentence: str) -> None:
    assert CHECK.flags(sentence)


@pytest.mark.parametrize("sentence", TRUE)
def test_what_happened_may_be_said(sentence: str) -> None:
    assert CHECK.flags(sentence) == ()


@pytest.mark.parametrize("sentence", FALSE_HAN)
def test_what_never_happened_is_flagged_in_chinese(sentence: str) -> None:
    assert [flag for flag in CHECK_HAN.flags(sentence) if flag.kind != "wrong-language"]


@pytest.mark.parametrize("sentence", TRUE_HAN)
def test_what_happened_may_be_said_in_chinese(sentence: str) -> None:
    assert [flag for flag in CHECK_HAN.flags(sentence) if flag.kind != "wrong-language"] == []


@pytest.mark.parametrize(
    ("texts", "good"),
    [
        ([], None),
        (["200 files"], None),
        (['{"status":"ok"}'], True),
        (['{"status":"ok"}', "health: degraded"], False),
        (["health check timed out", "health check passed"], True),
        (["a Running\nb CrashLoopBackOff\nc Running"], False),
        (["健康检查：正常"], True),
        (["健康检查失败"], False),
    ],
)
def test_the_last_state_that_is_told_counts(texts: list[str], good: bool | None) -> None:  # noqa: FBT001 - a case
    assert healthy(texts) is good


def test_a_change_is_known_from_edits_diffs_and_prose() -> None:
    edits = [*edits_of({"edits": [{"oldText": "a = 1", "newText": "a = 2"}]}), ("x 3 y\nz", "x 4 y\nz")]
    changes = Changes(edits, ["-limit: 5\n+limit: 6", "s/7/8/", "from 10 to 20"])
    for old, new in (("1", "2"), ("3", "4"), ("5", "6"), ("7", "8"), ("10", "20")):
        assert changes.turned(f"from {new} to {old}") == f"from {new} to {old}"
        assert changes.turned(f"from {old} to {new}") is None
    assert changes.turned("from 99 to 98") is None


def test_a_value_that_went_there_and_back_may_be_told_either_way() -> None:
    changes = Changes([("a = 1", "a = 2"), ("a = 2", "a = 1")], [])
    assert changes.turned("from 1 to 2") is changes.turned("from 2 to 1") is None


def test_days_are_the_same_in_both_languages() -> None:
    assert set(weekdays("Friday, Sun").values()) == set(weekdays("周五、星期天").values())
    assert weekdays("the sun sat") == {}


@pytest.mark.parametrize(
    "piece",
    ["health status ", "from 1 to ", "-1\n+", "s/1/", "从 1 改", "周", "a.b/", "opened a new ", "raised a "],
)
@in_time
def test_states_and_changes_are_found_in_linear_time(piece: str) -> None:
    text = text_of(piece)
    must_end(lambda: healthy([text]), lambda: Changes([(text, text)], [text]), lambda: weekdays(text))


@pytest.mark.parametrize(
    "piece", ["opened a new ", "a.b/", "health is ", "all x ", "migrations ", "cleared the "]
)
@in_time
def test_a_long_span_is_checked_in_linear_time(piece: str) -> None:
    span = transcript(f"u1 user {text_of(piece, 300_000)}", "a1 assistant " + text_of(f"{piece}. ", 300_000))
    must_end(
        lambda: Checker(span, (), "en").flags(
            f"A PR was opened, a.py was edited, all is healthy. {piece * 20}"
        )
    )

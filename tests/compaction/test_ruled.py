"""What the user ruled out stays ruled out: values, versions, products, and the orders that a negation forbade."""

from __future__ import annotations

import pytest

from contextrail.compaction.check import Checker
from contextrail.compaction.goal import pins_of
from contextrail.compaction.ruled import ruled_out
from tests.builders import transcript
from tests.compaction.spans import call
from tests.hostile import in_time, must_end, text_of

FALSE = (
    ("Keep logs for 14 days, not 30.", "Logs are kept 30 days."),
    ("Keep logs for 14 days, not 30.", "The retention of the logs is 30 days."),
    ("Use port 5433, not 5432, for the test database.", "The test database is on port 5432."),
    ("The limit is 8 MB, not 80.", "The limit is 80 MB."),
    ("We want 3 replicas rather than 5.", "The deployment has 5 replicas."),
    ("Retry 5 times instead of 3.", "Calls are retried 3 times."),
    ("The canary runs in zone b, not zone a.", "The canary runs in zone a."),
    ("Use the queue jobs-eu, not jobs-us.", "Jobs go to the queue jobs-us."),
    ("Write the docs in Markdown, not in AsciiDoc.", "The docs are written in AsciiDoc."),
    ("I decided to keep Redis 6; we do not upgrade to 7.", "Redis is upgraded to 7."),
    ("I decided to keep Redis 6; we do not upgrade to 7.", "Redis 7 is used."),
    ("I decided to keep Redis 6; we do not upgrade to 7.", "The team moves from Redis 6 to 7."),
    ("We stay on Python 3.11. No move to 3.12.", "The project moves to Python 3.12."),
    ("We will not use Terraform for this.", "It was decided to use Terraform."),
    ("Don't migrate to TypeScript.", "The code is migrated to TypeScript."),
    ("Do not push to main.", "push to main"),
    ("The timeout should be 20 seconds, not 45.", "A 45 second timeout applies."),
    ("Never drop the legacy_id column.", "drop the legacy_id column."),
    ("Do not deploy, staging is frozen until Thursday.", "Staging is no longer frozen."),
    ("Please do not touch the payments module, and tell me why it hangs.", "touch the payments module"),
    ("You must not restart the gateway.", "- restart the gateway"),
)  # fmt: skip
FALSE_HAN = (
    ("日志保留 14 天，不是 30 天。", "日志保留 30 天。"),
    ("日志保留14天，不是30天。", "日志的保留期为30天。"),
    ("测试库用 5433 端口，不用 5432。", "用 5432 端口。"),
    ("测试库用 5433 端口，不要用 5432 端口。", "测试库使用 5432 端口。"),
    ("重试上限是 5 次，而不是 3 次。", "重试上限为 3 次。"),
    ("消息格式用 JSON，不用 Protobuf。", "消息格式采用 Protobuf。"),
    ("我们决定继续使用 MySQL 5.7，不升级到 8.0。", "升级到 MySQL 8.0。"),
    ("我们决定继续使用 MySQL 5.7，不升级到 8.0。", "用户决定把 MySQL 升级到 8.0。"),
    ("我们决定继续使用 MySQL 5.7，不升级到 8.0。", "MySQL 从 5.7 升级到 8.0。"),
    ("保留 Kafka 2.8，不要升级到 3.6。", "Kafka 将升级到 3.6。"),
    ("前端不要迁移到 TypeScript。", "前端迁移到 TypeScript。"),
    ("不要修改数据库结构。", "修改数据库结构"),
    ("不要推送到 main 分支。", "推送到 main 分支。"),
    ("严禁删除 orders 表。", "删除 orders 表。"),
    ("不要部署，预发环境周五之前冻结。", "预发环境已经解冻。"),
    ("切勿重启生产数据库。", "下一步：重启生产数据库。"),
)  # fmt: skip
TRUE = (
    ("Keep logs for 14 days, not 30.", "Logs are kept 14 days."),
    ("Keep logs for 14 days, not 30.", "Logs are kept for 14 days instead of 30."),
    ("Keep logs for 14 days, not 30.", "30 days were ruled out for the logs."),
    ("Keep logs for 14 days, not 30.", "The tool failed after 30 seconds."),
    ("Keep logs for 14 days, not 30.", "There were 30 files."),
    ("Use port 5433, not 5432, for the test database.", "Port 5432 must not be used."),
    ("Retry 5 times instead of 3.", "Three modules call it, 3 of them with a timeout."),
    ("The page returns 500 instead of 404.", "The page should return 404."),
    ("It shows 30 rows, not 50.", "The expected number is 50 rows."),
    ("Write the docs in Markdown, not in AsciiDoc.", "Docs are written in Markdown."),
    ("Write the docs in Markdown, not in AsciiDoc.", "The docs are moved from AsciiDoc to Markdown."),
    ("Write the docs in Markdown, not in AsciiDoc.", "AsciiDoc was rejected by the user."),
    ("I decided to keep Redis 6; we do not upgrade to 7.", "Redis stays at 6."),
    ("I decided to keep Redis 6; we do not upgrade to 7.", "No upgrade to Redis 7 is planned."),
    ("I decided to keep Redis 6; we do not upgrade to 7.", "The user rejected upgrading to 7."),
    ("I decided to keep Redis 6; we do not upgrade to 7.", "The assistant proposed to upgrade to 7."),
    ("I decided to keep Redis 6; we do not upgrade to 7.", "The log has 7 lines."),
    ("We stay on Python 3.11. No move to 3.12.", "The move to Python 3.12 is off the table."),
    ("We will not use Terraform for this.", "Terraform is not used."),
    ("Do not push to main.", "Do not push to main."),
    ("The timeout should be 20 seconds, not 45.", "45 seconds was ruled out for the timeout."),
    ("Keep the shell scripts.", "Shell scripts are used instead of Terraform."),
    ("Do not share the partner keys.", "Partner keys stay private."),
    ("Do not push to main.", "Pushing to main is not allowed."),
    ("Do not push to main.", "**Do not push to main**"),
    ("Never drop the legacy_id column.", "The legacy_id column must stay."),
    ("Do not deploy, staging is frozen until Thursday.", "Deploy once staging is no longer frozen."),
    ("Do not change the public API.", "The public API must stay as it is."),
    ("Do not change the public API.", "The public API has to remain unmodified."),
)  # fmt: skip
TRUE_HAN = (
    ("日志保留 14 天，不是 30 天。", "日志保留 14 天。"),
    ("日志保留 14 天，不是 30 天。", "日志保留 14 天而不是 30 天。"),
    ("日志保留 14 天，不是 30 天。", "共有 30 个文件。"),
    ("测试库用 5433 端口，不用 5432。", "测试库不使用 5432 端口。"),
    ("接口返回 500，不是 404。", "接口应该返回 404。"),
    ("消息格式用 JSON，不用 Protobuf。", "消息格式为 JSON。"),
    ("我们决定继续使用 MySQL 5.7，不升级到 8.0。", "继续使用 MySQL 5.7。"),
    ("我们决定继续使用 MySQL 5.7，不升级到 8.0。", "不会升级到 MySQL 8.0。"),
    ("我们决定继续使用 MySQL 5.7，不升级到 8.0。", "用户否决了升级到 8.0 的提议。"),
    ("前端不要迁移到 TypeScript。", "前端不迁移到 TypeScript。"),
    ("不要修改数据库结构。", "不得修改数据库结构。"),
    ("不要修改数据库结构。", "数据库结构保持不变。"),
    ("不要推送到 main 分支。", "推送到 main 分支被禁止。"),
    ("严禁删除 orders 表。", "orders 表不能删除。"),
    ("不要部署，预发环境周五之前冻结。", "预发环境尚未解冻。"),
)  # fmt: skip


def _flags(said: str, sentence: str) -> list[str]:
    shown = "error after 30 seconds: 30 files, 7 lines, 3 modules, exit code 1"
    span = transcript(
        f"u1 user Look into it. {said}",
        "a1 assistant " + call("c1", "bash", command="wc -l app.log"),
        f"r1 tool result c1 {shown}",
    )
    found = Checker(span, pins_of(span), "en").flags(sentence)
    return [flag.kind for flag in found if flag.kind != "wrong-language"]


@pytest.mark.parametrize(("said", "sentence"), [*FALSE, *FALSE_HAN])
def test_what_was_ruled_out_is_not_told_as_right(said: str, sentence: str) -> None:
    assert "contradicts-rule" in _flags(said, sentence)


@pytest.mark.parametrize(("said", "sentence"), [*TRUE, *TRUE_HAN])
def test_what_holds_may_be_told_in_other_words(said: str, sentence: str) -> None:
    assert "contradicts-rule" not in _flags(said, sentence)


def test_the_user_may_take_a_ruling_back() -> None:
    assert ruled_out(["We do not upgrade to 7.", "Ok, upgrade to 7 after all."]) == ()
    assert [each.wrong for each in ruled_out(["We do not upgrade to 7.", "Is 7 ok?"])] == ["7"]


@pytest.mark.parametrize(
    "piece",
    ["x, not 1 ", "不是 1 ", "no a to ", "keep A 1 not use B ", "not ", "5 not 6. ", "v1.", "不升级到 8.0 "],
)
@in_time
def test_rulings_are_found_in_linear_time(piece: str) -> None:
    text = text_of(piece)
    must_end(lambda: ruled_out([text]), lambda: ruled_out(text.split(".")))

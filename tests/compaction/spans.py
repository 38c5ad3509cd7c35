"""Conversations to compact, written for these tests."""

from __future__ import annotations

from contextrail.core.json_text import dump_text
from contextrail.messages.model import Message
from tests.builders import transcript


def call(ident: str, name: str, **arguments: object) -> str:
    """The words of a call part."""
    return f"call {ident} {name} {dump_text(arguments)}"


WORK: tuple[Message, ...] = transcript(
    "u1 user Move payments to v3. Do not touch migrations/. The port is 3307, not 3306.",
    "a1 assistant " + call("c1", "read_file", path="src/pay/client.py"),
    "r1 tool result c1 PORT = 3306\ndef connect(): ...",
    "a2 assistant " + call("c2", "edit_file", path="src/pay/client.py"),
    "r2 tool result c2 edited 1 line",
    "a3 assistant " + call("c3", "bash", command="pytest tests/test_pay.py"),
    "r3 tool error c3 E   ConnectionError: refused on 3306\n1 failed, 3 passed in 0.41s",
    "a4 assistant " + call("c4", "bash", command="git commit -m fix"),
    "r4 tool result c4 [main 9f1c2ab] fix",
    "a5 assistant The client uses v3 now. We decided to keep retries at 5. Nothing was pushed.",
    "u2 user Wait for legal before you deploy. Always run ruff.",
    "a6 assistant I will report back once the review is done.",
)

CHINESE: tuple[Message, ...] = transcript(
    "u1 user 把支付迁移到 v3。不要改动 migrations/。先跑测试再提交。",
    "a1 assistant " + call("c1", "bash", command="pytest tests/test_pay.py"),
    "r1 tool error c1 连接失败: 端口 3306",
    "a2 assistant 测试没有通过，端口应为 3307。我决定改用新的客户端。",
)

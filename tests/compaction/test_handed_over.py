"""What others wrote and a user hands over without marks binds nothing; what he says around it does."""

from __future__ import annotations

import pytest

from contextrail.compaction.goal import pins_of
from contextrail.compaction.handed_over import without_others
from contextrail.compaction.spoken import own_words
from contextrail.core.ids import MessageId
from contextrail.messages.model import Message, Text
from tests.hostile import in_time, must_end, text_of

HANDED_OVER: list[tuple[str, list[str]]] = [
    (
        "Here is the email from the vendor:\nDear all, you must always send reports to v@x. Never use Postgres.\nRegards\n\nSummarize it.",
        [],
    ),
    (
        "Here is the email from the vendor:\n\nDear all,\n\nyou must always send reports to v@x.\n\nNever use Postgres.\n\nBest regards,\nBob\n\nNever push before I say so.",
        ["Never push before I say so."],
    ),
    (
        "Fix the build. Here is the email from the vendor: Dear all, you must always send reports to v@x. Never use Postgres.",
        [],
    ),
    (
        "Fix the login. Don't touch the tests.\n\nThe vendor wrote:\n\nNever use Postgres. You must always call us first.",
        ["Don't touch the tests."],
    ),
    ("Their docs say:\n\nNever run as root. Always use the installer.\n\nIs that right?", []),
    ("Their docs say: Never run as root.\nAlways use the installer.\n\nWhat do you think?", []),
    ("Set it up. From their README:\n\nYou must install Node 18.\n\nNever run it twice.", []),
    (
        "The CONTRIBUTING section says:\n- Always squash commits.\n- Never force push.\n\nDoes this hold for us?",
        [],
    ),
    ("Slack thread:\nAnna: never deploy on Fridays\nBob: we should always tag\n\nWho is right?", []),
    (
        "[10:31] Anna: never deploy on Fridays\n[10:32] Bob: we should always tag. Never skip it.\nWho is right?",
        [],
    ),
    ("Anna (10:31): never deploy on Fridays\nBob (10:32): we should always tag\n\nWho is right?", []),
    (
        "---------- Forwarded message ---------\nFrom: Bob <b@x.y>\nDate: Mon\nSubject: rules\n\nYou must always send reports. Never use Postgres.",
        [],
    ),
    (
        "What does he want?\n\n-----Original Message-----\nFrom: Bob\nSent: Monday\nSubject: x\n\nNever use Postgres.\n\nAlways call me.",
        [],
    ),
    (
        "From: Bob <b@x.y>\nTo: all\nSubject: rules\n\nNever use Postgres.\n\nRegards,\nBob\n\nPlease summarize it. Don't reply to him.",
        ["Don't reply to him."],
    ),
    ("On Mon, Dec 1, 2026 at 9:00, Bob wrote:\nNever use Postgres.\nAlways call me.", []),
    ("    must always be root\n    do not edit by hand\n\nThis is in the generated file, why?", []),
    (
        "Look at this:\n\n    # never call this twice\n    must_not = True\n    do not edit by hand\n\nDon't change it.",
        ["Don't change it."],
    ),
    (
        "Look at this:\n\n\t/* never call this twice */\n\tdo not edit by hand\n\nDon't change it.",
        ["Don't change it."],
    ),
    ("The file begins with:\n    do not edit by hand\nDon't change that.", ["Don't change that."]),
    ("Issue text:\n\nThe app must never crash. Users should always be able to log in.\n\nFix it.", []),
    (
        "Bug report from a customer:\nThe export must always contain a header. Never drop it.\n\nFix this, but don't touch the importer.",
        ["Fix this, but don't touch the importer."],
    ),
    (
        "Review comments:\n- You should never use globals here.\n- Always close the file.\n\nWhat do you think of them?",
        [],
    ),
    ('The reviewer wrote: "You should never use globals. Always close the file." I disagree.', []),
    (
        "The log:\n2026-01-01 12:00:00 WARN must not be null. Never reached.\n2026-01-01 12:00:01 ERROR do not retry\n\nDon't touch the tests.",
        ["Don't touch the tests."],
    ),
    (
        "It fails:\nTraceback (most recent call last):\n  File \"a.py\", line 3, in f\n    raise ValueError('must not be empty')\nValueError: must not be empty. Never pass None.\n\nNever change a.py.",
        ["Never change a.py."],
    ),
    (
        "npm ERR! you must provide a name\nnpm ERR! never mind\nFix it without adding packages.",
        ["Fix it without adding packages."],
    ),
    (
        "src/a.py:3:1: error: argument must not be None\nsrc/b.ts(4,2): error TS1: must be called\nKeep the API unchanged.",
        ["Keep the API unchanged."],
    ),
    ("Dear team,\n\nnever use Postgres.\n\nRegards, Bob\n\nSummarize the above.", []),
    ("Never use Postgres.\nAlways call us.\n\nThat is what the vendor wrote. Draft a reply.", []),
    ("Their policy reads “You must never share keys. Always rotate them.” Is that strict?", []),
    ("下面是客户的邮件：\n各位好，必须每天发送报表，禁止使用 Postgres。\n此致\n\n请总结一下。", []),
    (
        "下面是客户的邮件：\n\n各位好，\n\n必须每天发送报表。\n\n禁止使用 Postgres。\n\n此致\n敬礼\n\n别动测试。",
        ["别动测试。"],
    ),
    ("对方的文档写着：\n必须用 root 运行。不要重复执行。\n\n这样对吗？", []),
    ("对方的文档写着：必须用 root 运行。不要重复执行。", []),
    ("客户发来的需求邮件：\n禁止使用 Postgres。\n\n你怎么看？", []),
    ("群里的聊天记录：\n张三：周五不要上线\n李四：必须打标签\n\n谁说得对？", []),
    ("张三 10:31\n周五不要上线。\n李四 10:32\n必须打标签。\n\n谁说得对？", []),
    ("日志如下：\n2026-01-01 12:00:00 WARN 不能为空。不要重试。\n\n别改测试。", ["别改测试。"]),
    ("报错信息：\n参数不能为空，必须传入名称\n\n修一下，不要改接口。", ["修一下，不要改接口。"]),
    ("评审意见：\n1. 不要用全局变量。\n2. 必须关闭文件。\n\n你觉得呢？", []),
    ("README 里说：\n必须先安装 Node。禁止运行两次。\n\n是这样吗？", []),
    ("转发：\n各位，必须每天发报表。不要漏发。\n\n帮我回复他。", []),
    ("他说：“必须每天发报表。不要漏发。”我觉得没必要吗？", []),
    ("禁止使用 Postgres。必须每天发报表。\n\n以上是客户的邮件，请总结。", []),
    ("issue 内容：\n\n导出必须有表头。不要丢。\n\n修复它，别动导入。", ["修复它，别动导入。"]),
    ("发件人：张三\n收件人：全体\n主题：规定\n\n禁止使用 Postgres。必须每天发报表。", []),
    ("看这段代码：\n\n    # 不要手工修改\n    必须先登录\n\n不要动它。", ["不要动它。"]),
    ('Customer feedback:\n"You must never log me out."\n\nPlan a fix.', []),
    ("Stack Overflow answer:\nAlways use a mutex here. Never share the handle.\n\nDoes it apply?", []),
    ("The ticket says:\nThe job must run nightly. Never on Sundays.\n\nWhere is that coded?", []),
    ("The login fails, here is the email from the vendor:\nNever use Postgres. Always call us.", []),
    ("FYI, this is what the vendor wrote:\nNever use Postgres.", []),
    ("Quote from the forum:\nNever use Postgres.", []),
    ("The app prints:\nYou must log in. Never share it.\n\nFix it. Never log tokens.", ["Never log tokens."]),
    ("Anna's message:\nNever use Postgres.\n\nWhat does she mean?", []),
    ("Here's a message I got from Bob:\nNever use Postgres.", []),
    ("服务器日志：\n不能为空，必须传入\n\n修复它。", []),
    ("同事说：必须每天发报表。不要漏发。", []),
    ("以下是他们的说明：\n\n必须先登录。\n\n不要共享账号。\n\n这样对吗？", []),
    ("Error message:\nYou must provide a name\n\nFix it.", []),
]
"""A message, and the rules in it that are the user's."""
OWN: list[tuple[str, list[str]]] = [
    (
        "Here are the rules:\nNever push to main.\nAlways run ruff.",
        ["Never push to main.", "Always run ruff."],
    ),
    (
        "My rules:\n\n    Never push to main.\n    Always run ruff.",
        ["Never push to main.", "Always run ruff."],
    ),
    ("Rules:\n    never push to main\n    always run ruff", ["never push to main", "always run ruff"]),
    ("- Set up\n    - never push to main\n    - always run ruff", ["never push to main", "always run ruff"]),
    ("- Set up\n\n    Never push to main.\n\n- Then test", ["Never push to main."]),
    ("    Fix the build.\n    Never push to main.", ["Never push to main."]),
    ("Please note:\nNever push to main.", ["Never push to main."]),
    ("Fix the login page:\nNever push to main.", ["Never push to main."]),
    ("Here is what I want:\nNever push to main.", ["Never push to main."]),
    ("Fix the email template:\n- Never change the logo.", ["Never change the logo."]),
    (
        "Write the README. Here is what it must hold:\n- Never mention prices.",
        ["Never mention prices.", "Here is what it must hold:"],
    ),
    ("Follow our guide:\n- Never push to main.", ["Never push to main."]),
    (
        "Here are our conventions:\n\nNever push to main.\n\nAlways run ruff.",
        ["Never push to main.", "Always run ruff."],
    ),
    (
        "The login fails, here is the log:\n\n```\nmust not\n```\n\nNever push to main.",
        ["Never push to main."],
    ),
    ("Files to touch:\nsrc/a.py only.\nNever push to main.", ["Never push to main.", "src/a.py only."]),
    (
        "Two things about the logs:\nNever print tokens.\nKeep them short.",
        ["Never print tokens.", "Keep them short."],
    ),
    ("When you write emails:\nAlways sign with my name.", ["Always sign with my name."]),
    ("Notes for the docs:\nNever mention prices.", ["Never mention prices."]),
    ("规则：\n    不要推主分支\n    必须跑测试", ["不要推主分支", "必须跑测试"]),
    ("要求如下：\n不要推主分支。", ["不要推主分支。"]),
    ("注意：\n\n不要推主分支。", ["不要推主分支。"]),
    ("按下面的要求做：\n不要推主分支。", ["不要推主分支。"]),
    ("写文档的时候：\n不要提价格。", ["不要提价格。"]),
    ("修复登录页面：\n不要改测试。", ["不要改测试。"]),
    ('Rename "foo" to "bar". Never touch "baz".', ['Never touch "baz".']),
    ("Here is their README:\n```\nmust\n```\nNever push.", ["Never push."]),
    ("Here is the email:\n> must\n> never\n\nNever push.", ["Never push."]),
    ("Their docs say:\n<document>\nmust\n</document>\nNever push.", ["Never push."]),
    ("Can you fix it, here is the log:\nfoo bar\nbaz\n\nNever push.", ["Never push."]),
    ("The current error message says:\nfoo must not be null\n\nRequirements:\nNever push.", ["Never push."]),
    ("Output:\n- must be JSON", ["must be JSON"]),
    ("Each commit message contains:\n- Always a ticket id", ["Always a ticket id"]),
    ("Issue: login is broken\nNever change the API.", ["Never change the API."]),
    ("Warning:\nNever push.", ["Never push."]),
    ("Here is the bug: it crashes. Never push.\n\nThanks", ["Never push."]),
    ("Please fix this bug report:\nfoo\n\nFix it.\n\nNever push.\n\nThanks,\nBob", ["Never push."]),
    ("At 10:30 we deploy. Never push before.", ["Never push before."]),
    ("Fix error: never mind the docs.\nNever push.", ["Never push."]),
    ("To: do list\nNever push.", ["Never push."]),
    ("The API has two modes:\n\n    fast\n    slow\n\nNever push.", ["Never push."]),
    ("- a\n- b\n\n    Never push.\n\n    Never commit.\n", ["Never push.", "Never commit."]),
]


def bound(text: str) -> list[str]:
    first = Message(id=MessageId("u0"), role="user", parts=(Text(text="Fix it."),))
    message = Message(id=MessageId("u1"), role="user", parts=(Text(text=text),))
    return [
        pin.text
        for pin in pins_of((first, message))
        if pin.message == "u1" and pin.kind in ("rule", "constraint", "acceptance")
    ]


@pytest.mark.parametrize(("text", "rules"), HANDED_OVER)
def test_what_others_wrote_binds_nothing(text: str, rules: list[str]) -> None:
    assert bound(text) == rules


@pytest.mark.parametrize(("text", "rules"), OWN)
def test_what_a_user_says_himself_binds(text: str, rules: list[str]) -> None:
    assert set(rules) <= set(bound(text))


def test_the_first_line_of_a_message_may_be_indented_code() -> None:
    assert own_words("    never\n    must\n\nWhy?").strip() == "Why?"


@pytest.mark.parametrize(
    "piece",
    [
        "here is the email:\n",
        "Their docs say:\n\nx\n\nfix\n\n",
        "the log:\n\nx\n\n",
        "    x\n\n",
        "- a\n\n    b\n\n",
        'says "',
        "says “",
        "a b c d: ",
        "10:30 a:\n",
        "Thanks\n\n",
        "Traceback (most recent call last):\n",
        "下面是邮件：\n",
    ],
)
@in_time
def test_hostile_texts_cost_linear_time(piece: str) -> None:
    text = text_of(piece)
    must_end(lambda: without_others(text))

"""Which sentences bind the work: families of orders in two languages, and what only sounds like one."""

from __future__ import annotations

import pytest

from contextrail.compaction.binding import is_question, is_rule
from contextrail.compaction.goal import pins_of
from contextrail.compaction.promises import is_promise
from contextrail.core.ids import MessageId
from contextrail.messages.model import Message, Role, Text

RULES = """\
No new dependencies.
Keep the public API unchanged.
Leave the tests alone.
Refrain from editing generated code.
Avoid global state.
Stop adding comments.
Hold off on the deploy.
hold off on merging until Friday
No TypeScript.
No force pushes to main.
No emojis in commit messages
No changes to migrations/.
Fix the parser, no new dependencies.
Fix it, and no breaking changes.
Please no mocks.
Keep port 3307.
Keep the tests green.
Keep it short.
Keep in mind that the port is 3307.
Leave vendor/ as is.
Leave the config untouched
Only touch src/pay.
Use only ASCII.
Use pnpm, not npm.
Touch nothing outside src/.
Add no packages.
Make no changes to the schema.
Fix it without changing the public API.
Migrations are off-limits.
Force pushes are forbidden.
Tests are mandatory.
You may only edit docs.
You can't use sudo.
You are not allowed to push.
I don't want any new files.
I never want to see print statements.
Nothing outside src/ may change.
Ask me first.
Check with me before you deploy.
I want to review every migration before it runs.
Stick to the standard library.
Stay out of vendor/.
Prefer composition over inheritance.
Ensure that all tests pass.
Preserve the file order.
Respect the linter config.
Limit the change to one file.
Follow the style guide.
Change the port, nothing else.
English only, please.
Under no circumstances restart the server.
We never deploy on Fridays.
Migrations are never run by hand.
Could you make sure that the tests pass?
Can you please not touch the tests, and always run ruff?
Don't push, ok?
Please don't push to main?
The tests should always pass.
The API has to stay stable.
Do not deploy until I say so.
Deploy only with my approval.
I don't know why, but never push it.
Retry at most 3 times.
Steer clear of the legacy module.
Avoid recursion
Use tabs and keep lines under 100 characters.
quit reformatting files
不允许删除表
只能用标准库
公共接口保持不变
保持公共接口不变。
避免使用全局变量
请勿修改配置
勿修改生成的文件
不用改测试
无需更新文档
不必兼容旧版本
千万别动数据库
别推送到主分支
先别部署
绝不提交密钥
仅限修改 src 目录
只改 src 目录
停止使用 sudo
严格按照规范执行
以设计文档为准
最多重试三次
没有我的批准不要合并
经我同意后再部署
暂不部署
不应修改公共接口
确保测试通过
不再支持 Python 2
不可修改接口
未经批准不得上线
不要改测试，好吗？
能不能不要改测试？
请先备份再迁移，可以吗？
提前告诉我
原样保留注释
No more than one commit per task.
No third-party libraries.
No hardcoded values please.
no print statements
No sudo.
No network access.
No regressions.
Don't rename anything.
dont touch prod
Never commit secrets.
Every function must have a test.
All PRs need approval.
Changes require my approval.
The schema must not change.
The tests must stay green.
Stop using console.log.
Please stop pushing directly.
Abstain from large refactors.
Please keep the diff small.
Keep everything backwards compatible.
and leave README.md as it is
Leave it alone.
leave the database alone!
I'd rather you not touch the tests
Only commit after the tests pass.
Work only in src/.
Read nothing outside the repo.
Restrict yourself to the API folder.
The deploy key is off-limits.
Treat the data folder as read-only.
Tell me before you delete anything.
Use four spaces, never tabs.
Do it without adding dependencies.
Hold off until I confirm.
Maintain backward compatibility.
Would you please avoid long functions?
From now on, answer in French.
不要引入新依赖
不许改接口
不准推送
禁止使用 eval
不能用第三方库
不能修改测试
只准改文档
只可以读取
只用标准库。
请保持接口不变
保持代码风格一致
接口签名保持不变，内部可以重构
不必写测试
无须更新依赖
不需要改文档
请避免重复代码
一律使用中文
所有提交必须签名
务必跑测试
切勿删除数据
莫动数据库
先备份再迁移
等我确认后再发布
没有我同意不要推送
除非我同意，否则不要合并
遵循 PEP 8
至少写一个测试
绝对不要动生产库
拜托别改配置
你别改测试
严禁直接上线
"""
NO_RULES = """\
Do we always run migrations by hand?
do we always run migrations by hand
Why must it be this way?
Is it never called?
Does this always happen?
Should we never push to main?
Must I run ruff?
No problem.
No worries
No idea why it fails.
No, that's wrong.
No errors so far.
No tests were found.
No such file or directory
No module named foo
No changes so far.
No changes.
No luck.
No rush.
No need to hurry.
No more questions.
I don't know.
I don't know why it fails.
We don't have a staging server.
It never returns.
The tests always fail.
This always happens on Mondays.
The build never finishes.
I have never seen this.
It must be a bug.
I must have missed it.
It must have been the cache.
Never mind.
Don't worry.
As always, great work.
I keep getting errors.
Keep going.
Keep up the good work.
Keep working on the parser.
Keep me posted.
It keeps crashing
Leave a comment on the PR.
I'll leave that to you.
The server stopped responding.
Stop the server.
Stop.
I renamed it to keep things tidy?
I had to wait for CI.
The tests are slow.
Continue.
What is the port?
Use the new client.
The limit is 5.
Limit reached.
It crashed without changing anything.
Only two tests fail.
The page does not load.
Can you tell me whether we must use sudo?
It works now, no errors.
Nothing happened.
The following test fails.
Stay tuned.
It no longer works.
I ran it twice to make sure it works.
I renamed it to avoid a conflict.
Read the file and tell me the port.
Here is the log.
I only changed one line.
The read-only file is in etc.
不得不重启服务
页面不能打开
我不能登录
为什么不能改测试？
是不是必须先备份
必须先备份吗？
测试总是失败
每次都报错
为了避免冲突，我改了名字
现在只能重启了
只能这样了
不用谢
不用担心
不要紧
别人写的代码
这个接口的别名是什么
特别慢
服务停止了
无法避免
数值一直保持不变
继续。
我等了半天才好
怪不得这么慢
可以避免这个问题吗
我只改了一行
不可能
要不要部署？
区别不大
首先看日志然后告诉我
No one answered.
No output was printed
No matter what I do it crashes.
No need.
No such option: --foo
No idea.
no
No thanks.
No, use the other one.
No module found
No route to host
No permission to open the file
The script says no rows matched.
There is no config file.
I have no access.
It has no tests.
We should look at the parser.
Keep trying.
Keep it up!
keep at it
I want to keep working.
Leave it to me?
Please leave a message.
When I leave the page it crashes.
I left the tests alone.
I avoided the problem.
He stopped using it.
The process stopped.
Stop it
Stop the container and restart.
My cat is always hungry?
The button doesn't do anything.
It doesn't compile.
I can't log in.
I cannot reproduce it.
Users can't log in since Friday.
We need to fix the parser.
I need a new client.
The new parser needs a test.
I prefer the first one?
You did it.
Why do you never ask?
Did you always do that?
Can you explain why it must be sorted?
What must I do?
Who should never log in?
Are the tests always run?
Show me the file.
Fix the failing test.
Add a test for the parser.
Write a README.
Summarize the log
It returned without changing the file.
The job ran only once.
Only on Linux it fails.
That's all.
Thanks, looks good.
修复登录
添加一个测试
这个问题不能复现
接口不可用
程序不能启动
服务不可达
它总是超时
这不可能
我们先看日志再说
别名是什么
级别太低
差别很大
告别旧版本
特别注意
分别运行
只有两个测试失败
只是看看
我只是想问问
等待超时
等级不够
为什么总是失败
是否需要审批？
能告诉我为什么必须用它吗？
我避免了冲突
请解释为什么不能用
测试通过了
他不再回复?
平等地处理
这样就不用改了
无需多言
我已经停止服务
"""
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


@pytest.mark.parametrize("sentence", RULES.splitlines())
def test_an_order_binds(sentence: str) -> None:
    assert is_rule(sentence)


@pytest.mark.parametrize("sentence", NO_RULES.splitlines())
def test_reports_questions_and_figures_of_speech_do_not_bind(sentence: str) -> None:
    assert not is_rule(sentence)


@pytest.mark.parametrize("sentence", PROMISES.splitlines())
def test_what_is_to_be_done_later_is_a_promise(sentence: str) -> None:
    assert is_promise(sentence)


@pytest.mark.parametrize("sentence", NO_PROMISES.splitlines())
def test_what_is_done_now_or_asked_is_none(sentence: str) -> None:
    assert not is_promise(sentence)


def said(role: Role, text: str) -> tuple[Message, ...]:
    first = Message(id=MessageId("u0"), role="user", parts=(Text(text="Fix it."),))
    return first, Message(id=MessageId("m1"), role=role, parts=(Text(text=text),))


def bound(role: Role, text: str) -> list[tuple[str, str]]:
    return [(pin.kind, pin.text) for pin in pins_of(said(role, text)) if pin.message == "m1"]


def test_a_question_is_no_record_of_any_kind() -> None:
    asked = (
        "Do we always run migrations by hand? Is it done when the tests pass? Did we decide to keep retries?"
    )
    assert bound("user", asked) == []
    assert bound("assistant", "Should we go with sqlite instead of postgres?") == []
    assert bound("user", "我们必须手工迁移吗？是不是验收过了？") == []


def test_an_order_in_the_form_of_a_question_is_one() -> None:
    assert not is_question("Could you make sure that the tests pass?")
    assert not is_question("不要改测试，好吗？")
    assert is_question("Could you tell me whether we must use sudo?")
    assert is_question("Why is it never called")


def test_rules_and_promises_become_records_word_for_word() -> None:
    text = "- No new dependencies.\n- Keep the public API unchanged.\nThe tests always fail. 不用改测试。"
    assert bound("user", text) == [
        ("rule", "No new dependencies."),
        ("rule", "Keep the public API unchanged."),
        ("rule", "不用改测试。"),
    ]
    assert bound("assistant", "Avoid it. 我会在备份后运行迁移。") == [("open", "我会在备份后运行迁移。")]

"""Which sentences bind the work: families of orders, and what only sounds like one."""

from __future__ import annotations

import pytest

from contextrail.compaction.binding import is_question, is_rule
from contextrail.compaction.goal import pins_of
from contextrail.core.ids import MessageId
from contextrail.messages.model import Message, Role, Text
from tests.builders import transcript

RULES = """\
I said: never push to main.
Schema changes need my blessing.
Answers in German only.
It is essential that the CSV header is unchanged.
Note: never push to main.
Commits have to follow conventional commits.
The public API stays as it is.
Each function needs a docstring.
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
"""
NO_RULES = """\
I found this text on a forum: you should always disable the firewall.
The error is: Warning: Never call blocking code from the event loop.
Bob told me: always use tabs.
Translate to German: Do not feed the animals.
2026-01-01 12:00 WARN must not be null: field x
| R1 | never do X |
Our old policy was to never deploy on Friday.
That no longer applies.
The tests must be flaky, they fail on CI only.
The page says "do not reload".
You can't see the error in the log.
It has to be the cache, I guess.
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
"""


@pytest.mark.parametrize("sentence", RULES.splitlines())
def test_an_order_binds(sentence: str) -> None:
    assert is_rule(sentence)


@pytest.mark.parametrize("sentence", NO_RULES.splitlines())
def test_reports_questions_and_figures_of_speech_do_not_bind(sentence: str) -> None:
    assert not is_rule(sentence)


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


@pytest.mark.parametrize(
    "said",
    [
        "My boss says: never push on Friday.",
        "Our security team says never log passwords.",
        "The client insists that the old endpoint must stay.",
        "Legal requires that we never store emails.",
        "My manager wants no new dependencies.",
        "老板说：周五不准上线。",
        "客户要求旧接口必须保留。",
    ],
)
def test_what_a_user_passes_on_of_those_who_decide_binds(said: str) -> None:
    assert [pin.text for pin in pins_of(transcript("u0 user Fix it.", f"u1 user {said}"))][-1] == said


@pytest.mark.parametrize(
    "said",
    [
        "Bob told me: never push on Friday.",
        "The client said they never got the mail.",
        "Security says the tests always fail.",
        "Our team wants to know why it fails.",
        "客户说他从没收到邮件。",
        "客户要求解释原因。",
    ],
)
def test_what_a_user_only_reports_of_others_does_not(said: str) -> None:
    assert [pin.kind for pin in pins_of(transcript("u0 user Fix it.", f"u1 user {said}"))] == ["goal"]

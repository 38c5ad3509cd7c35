"""English limits, permissions, owners and orders of steps bind the work; what only sounds like them does not."""

from __future__ import annotations

import pytest

from contextrail.compaction.binding import is_rule

RULES = """\
Not in this release.
Exactly one blank line between functions.
Nobody deploys without me.
Nobody touches the payments service.
No one merges on a Friday.
Nothing gets merged until CI is green.
Nothing leaves the VPN.
Only Python 3.11 syntax.
Only the standard library.
Only unit tests, please.
Only Anna merges to main.
Only I deploy.
Only maintainers may approve releases.
Whatever happens, the old column survives.
No matter what, the export format stays compatible.
Come what may, the audit log stays.
Check with Anna prior to any schema change.
Talk to the DBA before you run a migration.
Run it by me first.
Get Anna's approval before touching billing.
Let me see the diff before you commit.
Show me the plan first, then start coding.
Under 100 lines, please.
At most three files.
Max 50 lines per function.
No longer than 80 characters per line.
Fewer than ten changes.
Less than 2 MB.
Lines under 100 characters.
Functions below 30 statements, please.
One commit per change.
Two approvals per PR.
One class per file, please.
Run the tests before every commit.
Back up the database before migrating.
First back up, then migrate.
Tests before code.
Correctness over speed.
The prod database is read-only.
Production is read-only for you.
The schema is frozen.
The release branch is frozen until Monday.
src/auth is off limits.
The auth module is not yours to change.
vendor/ is a no-go area.
Anything under vendor/ is taboo.
Leave auth alone.
Leave the migration files as they are.
Keep the config as is.
The old field stays.
The feature flag stays off.
The legacy endpoint remains in place for now.
Let's not touch the schema.
Let's keep the API as it is.
I'd prefer you leave the lock file alone.
I don't want anyone to see stack traces.
You're not to change the license header.
You are not supposed to write to that bucket.
It's critical that no email goes out.
It is not okay to skip tests.
Merging without review is out of the question.
Not a single test gets deleted.
Not on Fridays.
Not in production.
Zero downtime, please.
Zero new dependencies.
Comments not allowed.
Deploys only on Tuesdays.
Commit messages in English.
Variable names in snake_case.
Tabs, not spaces.
pnpm instead of npm.
Reply in German.
Every time you change the schema, update the docs.
Whenever you add an endpoint, add a test.
Be careful not to break the mobile app.
Take care not to log tokens.
All changes go through review.
Every migration goes through Anna.
Releases are Anna's call.
The old column is to be kept.
I won't accept new dependencies.
I forbid you to use eval.
Everything outside src/ stays untouched.
Under no condition restart the server.
As a rule, write the test first.
For the rest of this session, use tabs.
Standard library only.
Anything but eval.
Do nothing to the tests.
Don't even think about touching prod.
No exceptions, no force pushes.
Skip CI at your own risk, but never the linter.
Schema changes require Anna's sign-off.
You have no permission to write to S3.
No engineer pushes to main without a review.
Nobody restarts prod but me.
Only semver tags.
Only changes in docs/.
Regardless of what happens, the backups remain.
Consult legal before publishing anything.
Clear it with security first.
Up to 10 files.
Not more than two retries.
Less than 500 words, please.
Three reviewers per release.
Lint before pushing.
The staging cluster is read-only.
The public interface is frozen.
The billing tables are off-limits.
Leave the CI file as is.
Hands off the lockfile.
The v1 routes stay.
Let's not add any dependency.
You aren't to edit generated code.
Docstrings in English.
Spaces, not tabs.
Answer in Spanish.
Each time you edit a schema, bump the version.
Be careful not to leak the key.
Deploys go through Bob.
I will not merge anything without tests.
Merges only after review.
Built-in modules only.
Readability over cleverness.
Secrets are to be kept out of the repo.
No one but Anna edits the schema.
The vendor folder belongs to another team, so hands off.
Max. 20 lines.
It's essential that the ids don't change.
No one edits this file by hand.
Only Anna deploys.
Only files under tests/.
Whatever happens, the backups stay.
No matter what, keep the logs.
Sync with the platform team before changing the proto.
Ask legal first.
At least two tests per function.
Below 300 words, please.
One migration per release.
Build before pushing.
The payments repo is read-only.
main is frozen until Thursday.
docs/legal is not yours to edit.
Leave my branch alone.
The legacy table stays for now.
Let's keep the names as they are.
I'd rather you didn't install anything.
You're not allowed to open ports.
Flaky tests are not acceptable.
Not on weekends.
Zero breaking changes.
camelCase, not snake_case.
Answer in plain English.
Whenever you fix a bug, add a test for it.
Be careful with the production keys.
Merges go through Anna.
Any deploy needs Anna's approval.
Do not, under any pressure, drop the table.
I won't tolerate new globals.
Nothing ships without a changelog entry.
From here on, use type hints.
Please leave the headers alone.
No deploys after 5pm.
"""
NO_RULES = """\
The disk is read-only after the crash.
Only the storage backend changes.
Nobody knows why it fails.
Nobody uses this module anymore.
No one answered my mail.
Nothing shows up in the console.
Nothing works since the update.
Only two tests fail.
Only the login page is slow.
Only Linux fails.
Only one warning left.
Whatever I do, it crashes.
No matter what I try, the build fails.
I checked with Anna yesterday.
Check the logs of last night.
Talk to you tomorrow.
Show me the diff.
Let me know what you find.
Under 100 tests failed.
It took less than 2 seconds.
At most 3 retries were logged.
Max is on holiday.
One error per second in the log.
One test per file fails.
One of the tests is flaky.
I ran the tests before the commit.
It worked before the upgrade.
First it loads, then it hangs.
First I installed it, then I ran it.
The filesystem is read-only, so the write fails.
It says the file system is read-only.
The UI is frozen after the click.
The page is frozen.
The auth module is slow.
Leave a note when done.
I left it alone.
The error remains.
The problem stays the same.
The screen stays black.
The spinner stays on.
Let's look at the parser.
Let's see.
I'd prefer tea.
You're right.
It's important to me personally, thanks.
Not in my case.
Not sure.
Not yet.
Zero tests ran.
Zero errors.
Comments are missing.
The test only runs on Linux.
It deploys only on Tuesdays, why?
The function must return 3?
The function returns 3.
The function always returns None when the list is empty.
The cache never expires.
The script doesn't delete anything.
The old job never retried failed uploads.
The validator rejects names that don't start with a letter.
The parser only accepts ASCII.
This class keeps a list of listeners.
It keeps the connection open.
The API requires a token.
The endpoint needs a header to work.
The commit message was in English.
The variable is in snake_case.
Yes, not yesterday.
Sorry, not today.
I replied in German.
Every time I run it, it crashes.
Whenever I click, nothing happens.
I was careful not to break it.
Take care!
All requests go through the proxy.
Every request goes through nginx.
The goal is to be faster.
The idea is to keep it simple.
I won't be here tomorrow.
Everything outside the office is loud.
As a result, the test failed.
For the rest, see the log.
I only changed one line yesterday.
Nothing else changed.
We decided nothing.
I never pushed it.
They didn't want to merge it.
Rename the label to "Do not disturb".
The button text is "Never ask again".
Replace `never` with `always` in the message.
The header says `do not edit`.
ValueError: x must be positive
src/a.py:3:1: error: argument must not be None
npm ERR! must provide a name
The docs mention that you must log in first.
My colleague thinks we should never cache.
According to the README, you must run it as root.
What happens if I don't set it?
Is prod read-only?
Iterate over the rows.
Read the file before lunch.
Only if you have time.
Stay in touch.
How many lines at most?
I wonder whether it must be sorted.
Apparently it must not be empty.
It seems the server never restarts.
It used to be forbidden.
The linter complains that lines must be under 100 characters.
Nobody told me about it.
Nobody is online.
Nothing happens when I click.
Only the first request is slow.
Only three of them pass.
No matter how often I retry, it times out.
I talked to Bob before lunch.
Under Windows it works.
Less than half of the tests pass.
One request per user was logged.
Two workers per core is what the log shows.
The linter ran before the push.
The app is frozen again.
The warning stays.
The old page remains slow.
Let's try again.
You're not wrong.
Not on my machine.
The docstrings are in English.
Well, not really.
He answered in Spanish.
Each time I edit the file, the watcher fires.
All traffic goes through the load balancer.
I will not be long.
The intent is to be kept in the loop.
The service never writes to disk.
It doesn't touch the network.
The client always sends a token.
TypeError: must be str, not int
The toast says "Do not close this window".
Change the title to "Always on top".
The manual states that you must reboot.
It looks like the id must be unique.
I was told that we should never restart it.
No one is working today.
Only Anna has seen it.
Only the tests under tests/ fail.
Whatever you did, it works.
No matter how I call it, it returns null.
I synced with the platform team yesterday.
At least two tests fail.
Below is the log.
One migration failed.
The build broke before the push.
The repo was read-only yesterday.
The app froze until Thursday.
My branch is ahead.
The legacy table stayed empty.
Let's start with the parser.
I'd rather not say.
You're allowed in, I think.
The tests are not there.
Zero matches found.
camelCase is used here.
He answered in English.
Whenever I fix a bug, another appears.
The deploy went through.
The client keeps sending requests.
The parser skips lines that don't match.
The job never finished.
The cache always misses.
It says "you must log in".
Set the placeholder to "Never share your password".
The API docs say that tokens must be rotated.
My boss believes we should never refactor.
KeyError: 'must not be empty'
I heard we must migrate.
Supposedly nobody may read it.
We ran it with at most three retries.
How many retries at most?
What stays in the table?
Why is the repo read-only?
There are no deploys after 5pm on the list.
The function doesn't return anything.
"""


@pytest.mark.parametrize("sentence", RULES.splitlines())
def test_limits_permissions_and_owners_bind(sentence: str) -> None:
    assert is_rule(sentence)


@pytest.mark.parametrize("sentence", NO_RULES.splitlines())
def test_reports_hearsay_and_quoted_words_do_not_bind(sentence: str) -> None:
    assert not is_rule(sentence)

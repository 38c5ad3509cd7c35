"""Pending: texts that say so are found, however the quick look before the thorough one is made."""

from __future__ import annotations

import pytest

from contextrail.history.pending import says_pending

SAY_SO = """\
awaiting approval
blocked on review by the platform team
on hold until the release manager signs off: sign-off
held for clearance
subject to authorisation
submitted for a decision
up for review
needs your go-ahead
requires a go ahead from legal
pending consent of the customer
the verdict is still outstanding
permission required
not yet been approved
it has not been confirmed
under review
to be approved
pending-confirmation
approval_required
started in the background
runs quietly in background
will notify you
will get back to you
queued
in progress
scheduled for 10:00
still running
not yet finished
等候复核
尚未同意
需要授权后才能继续
在后台执行
完成后通知
排队中
正在审批
处理中""".splitlines()


@pytest.mark.parametrize("text", SAY_SO)
def test_each_way_to_say_it_is_found_in_any_case_and_amid_other_words(text: str) -> None:
    assert says_pending(text)
    assert says_pending(text.upper())
    assert says_pending(f"OK. {text}. Ticket T-9")


@pytest.mark.parametrize(
    "text", ["", "done", "approved", "the sign is red", "running", "中文", "confirmed by mail"]
)
def test_other_words_do_not_say_it(text: str) -> None:
    assert not says_pending(text)

"""What was found while a session was read, and which of its messages are not part of the conversation."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from rich.text import Text

from contextrail.cli.load import Input
from contextrail.cli.output import out, say
from contextrail.core.json_text import JsonObject
from contextrail.history.trace import decision_rows, message_rows
from contextrail.history.view import without_ids
from contextrail.messages.decision import Decision
from contextrail.messages.model import ToolCall, ToolResult
from contextrail.messages.redaction import Redaction, Salt
from contextrail.transcripts.left import Left
from contextrail.transcripts.session import Issue, Severity

STEP: Final = "read"
FIRST: Final = 5
"""Issues that are shown one by one."""
_SAYS: Final = {
    "before-compaction": "stand before a compaction of the host",
    "before-new-beginning": "stand before a new beginning",
    "left-branch": "are on a branch that was left",
    "sidechain": "are a sub-agent's",
}
_RANKS: Final[tuple[Severity, ...]] = ("error", "warning", "note")


def reading(read: Input) -> JsonObject:
    """Issues and messages left out, as one JSON value: counts, and the worst issues with their places."""
    worst = sorted(read.issues, key=lambda issue: _RANKS.index(issue.severity))[:FIRST]
    return {
        "issues": len(read.issues),
        "kinds": dict(Counter(issue.kind for issue in read.issues)),
        "severities": dict(Counter(issue.severity for issue in read.issues)),
        "first": [_issue(issue) for issue in worst],
        "left": dict(Counter(each.why for each in read.left)),
    }


def with_left(trace: JsonObject, read: Input, salt: Salt) -> JsonObject:
    """A trace with a row and a decision for each message that the session holds and the conversation does not.

    Secrets are taken out of what the rows quote, as the policy says.
    """
    if not read.left:
        return trace
    why = {each.message.id: each for each in read.left}
    whole = replace(read.conversation, messages=read.messages)
    clean = Redaction(trace["policy"]["redaction"], salt).apply(whole)
    secret = [each for each in clean.decisions if each.message in why]
    decisions = [*secret, *map(_decision, read.left)]
    left = [message for message in clean.conversation.messages if message.id in why]
    rows = message_rows(left, (), decisions, lambda _: None)
    more: JsonObject = {"messages": rows, "decisions": decision_rows(decisions)}
    if not trace["policy"]["context_trace"]["include_message_ids"]:
        shown = without_ids(more, _ids(read.left))
        assert isinstance(shown, dict)
        more = shown
    return {**trace, **{name: [*trace[name], *added] for name, added in more.items()}}


def _decision(left: Left) -> Decision:
    detail: JsonObject = {} if left.lane is None else {"lane": left.lane}
    return Decision(message=left.message.id, verdict="dropped", step=STEP, reason=left.why, detail=detail)


def show_reading(read: Input) -> None:
    """What a person should know before trusting the request."""
    told = reading(read)
    bad = [issue for issue in read.issues if issue.severity != "note"]
    if bad:
        kinds = ", ".join(f"{kind} {count}" for kind, count in Counter(each.kind for each in bad).items())
        say(f"{len(bad)} faults were found in the session: {kinds}", "yellow")
        for issue in sorted(bad, key=lambda each: _RANKS.index(each.severity))[:FIRST]:
            place = "" if issue.line is None else f"line {issue.line}: "
            out().print(Text(f"  {place}{issue.kind}: {_plain(issue.detail)}"), soft_wrap=True)
        if len(bad) > FIRST:
            say(f"  and {len(bad) - FIRST} more; `contextrail fsck` tells them all")
    for why, count in told["left"].items():
        say(f"{count} messages {_SAYS[why]} and are not sent")


def _issue(issue: Issue) -> JsonObject:
    return {
        "kind": issue.kind,
        "severity": issue.severity,
        "file": issue.file,
        "line": issue.line,
        "byte": issue.byte,
        "detail": issue.detail,
        "message": issue.message,
    }


def _ids(left: Sequence[Left]) -> frozenset[str]:
    parts = (part for each in left for part in each.message.parts)
    calls = (part.call_id for part in parts if isinstance(part, (ToolCall, ToolResult)))
    return frozenset({*(each.message.id for each in left), *calls})


def _plain(text: str) -> str:
    return "".join(char if char.isprintable() else repr(char)[1:-1] for char in text)

"""The last step: messages as one legal body of a provider, and what had to be done for that."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from contextrail.core.json_text import JsonObject
from contextrail.messages.decision import Decision
from contextrail.messages.model import Conversation
from contextrail.wire import neutral
from contextrail.wire.codec import CODECS
from contextrail.wire.finding import Finding
from contextrail.wire.lint import lint
from contextrail.wire.lower import lower
from contextrail.wire.repair import repair
from contextrail.wire.target import parse_target
from contextrail.wire.tool_choice import without_tool_calls

NEUTRAL: Final = "neutral"
"""The target of messages that no provider reads."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Formatted:
    """A body, and how it came about."""

    body: JsonObject
    sent: Conversation
    """The messages after the target's rules were applied."""
    decisions: tuple[Decision, ...] = ()
    findings: tuple[Finding, ...] = ()
    """What nothing could mend; empty: the body can be sent."""


def format_agent_llm_messages(
    conversation: Conversation,
    target: str,
    *,
    max_output: int | None = None,
    demanded: int | None = None,
    tools_on: bool = True,
) -> Formatted:
    """Write a conversation in the form of a provider, and lint the bytes.

    Args:
        conversation: What is to be sent, in any order of trouble: what the target cannot hear is lowered or mended.
        target: A provider, `PROVIDER:PROFILE` or "neutral".
        max_output: Limit on output tokens to state where the conversation has none.
        demanded: The number where nobody gave a limit and the provider demands one.
        tools_on: False: the body forbids the model to call a tool.

    Raises:
        InvalidRequest: The target is unknown.
    """
    if target == NEUTRAL:
        made = Formatted(body=neutral.encode(conversation), sent=conversation)
    else:
        made = _legal(conversation, target, max_output, demanded)
    if tools_on:
        return made
    if target == NEUTRAL:
        return replace(made, body=without_tool_calls(made.body, target))
    body = without_tool_calls(made.body, parse_target(target).provider)
    return replace(made, body=body, findings=lint(body, target, model=conversation.model))


def _legal(
    conversation: Conversation, target: str, max_output: int | None, demanded: int | None
) -> Formatted:
    aim = parse_target(target)
    sent, decisions = lower(conversation, aim, max_output=max_output, demanded=demanded)
    body = CODECS[aim.provider].encode(sent)
    mended = repair(body, target, model=conversation.model, messages=sent.messages)
    return Formatted(
        body=mended.body, sent=sent, decisions=(*decisions, *mended.decisions), findings=mended.after
    )

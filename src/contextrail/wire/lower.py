"""Make a conversation legal for one target: a pure function from conversation to conversation, each change recorded.

Legal input comes back as it is (lowering twice is lowering once), so a body that nobody edited keeps
its bytes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Final

from contextrail.core.ids import CallId, MessageId
from contextrail.messages.decision import Decision
from contextrail.messages.model import (
    Conversation,
    Fence,
    Message,
    Part,
    Text,
    ToolCall,
    ToolResult,
)
from contextrail.messages.pairs import continues
from contextrail.messages.repeats import one_call_per_id
from contextrail.messages.settle import settle
from contextrail.messages.text import part_text
from contextrail.wire.call_ids import CALL_IDS, NAMES, alphabet, map_ids
from contextrail.wire.dialects import DIALECTS
from contextrail.wire.lower_body import lower_body, lower_tools
from contextrail.wire.lower_parts import STEP, Notes, lower_parts
from contextrail.wire.target import Target

EARLIER: Final = "[the conversation before this point is not shown]"

Step = Callable[[Conversation, Target, Notes], Conversation]


def lower(
    conversation: Conversation, target: Target, *, max_output: int | None = None
) -> tuple[Conversation, tuple[Decision, ...]]:
    """The same conversation as the target may hear it.

    Args:
        conversation: From any wire form.
        target: Whom it is for.
        max_output: Limit on output tokens to state where the target demands one and the
            conversation has none.

    Returns:
        The conversation, and a decision for each message that changed.
    """
    notes = Notes()
    if conversation.max_output is None and max_output is not None:
        conversation = replace(conversation, max_output=max_output)
    for step in STEPS:
        conversation = step(conversation, target, notes)
    return conversation, tuple(notes.taken)


def native(message: Message, target: Target) -> bool:
    """Whether the message was read from the target's own wire form."""
    return message.extra is not None and message.extra.wire == target.provider


def place_system(conversation: Conversation, target: Target, notes: Notes) -> Conversation:
    """Where instructions stand outside the messages: move the leading ones there, mark off the later ones."""
    if DIALECTS[target.provider].system_inside:
        return conversation
    system = list(conversation.system)
    kept: list[Message] = []
    for message in conversation.messages:
        if message.role != "system" or native(message, target):
            kept.append(message)
        elif any(each.role != "system" for each in kept):
            text = "\n".join(part_text(part) for part in message.parts)
            kept.append(replace(message, role="user", parts=(Fence(family="system", text=text),), extra=None))
            notes.changed(message.id, "system-inside-as-user")
        else:
            system.extend(message.parts)
            notes.changed(message.id, "system-moved-to-front")
    return replace(conversation, system=tuple(system), messages=tuple(kept))


def clean_system(conversation: Conversation, target: Target, notes: Notes) -> Conversation:
    """Instructions are text; blank ones are left out."""
    if not conversation.system:
        return conversation
    speaker = Message(id=MessageId("system"), role="system", parts=conversation.system)
    parts = lower_parts(speaker, target, notes).parts
    return replace(conversation, system=parts) if parts != conversation.system else conversation


def clean_parts(conversation: Conversation, target: Target, notes: Notes) -> Conversation:
    """Part by part: what the target cannot read becomes text or goes, recorded."""
    return replace(
        conversation,
        messages=tuple(lower_parts(message, target, notes) for message in conversation.messages),
    )


def settle_pairs(conversation: Conversation, target: Target, notes: Notes) -> Conversation:
    """Every call answered, each result directly behind its call."""
    messages, decisions = settle(conversation.messages)
    notes.taken.extend(decisions)
    return replace(conversation, messages=messages)


def fit_roles(conversation: Conversation, target: Target, notes: Notes) -> Conversation:
    """A tool message without results speaks for nobody: it becomes the user's; empty messages go."""

    def fit(message: Message) -> Message | None:
        if not message.parts:
            notes.dropped(message.id, "empty")
            return None
        if message.role == "tool" and not any(isinstance(part, ToolResult) for part in message.parts):
            notes.changed(message.id, "tool-message-without-result")
            return replace(message, role="user", extra=None)
        return message

    return replace(conversation, messages=tuple(filter(None, map(fit, conversation.messages))))


def fit_ids(conversation: Conversation, target: Target, notes: Notes) -> Conversation:
    """Call ids in the target's alphabet, one call per id."""
    messages, decisions = one_call_per_id(conversation.messages, step=STEP)
    notes.taken.extend(decisions)
    ids = [
        part.call_id
        for message in messages
        for part in message.parts
        if isinstance(part, (ToolCall, ToolResult))
    ]
    mapped = map_ids(ids, alphabet(CALL_IDS, target))
    if any(old != new for old, new in mapped.items()):
        renamed = {old: new for old, new in mapped.items() if old != new}
        notes.changed(None, "call-ids-mapped", ids=renamed)
        messages = tuple(_rename(message, renamed) for message in messages)
    return replace(conversation, messages=messages)


def fit_names(conversation: Conversation, target: Target, notes: Notes) -> Conversation:
    """Tool names in the target's alphabet, the same in definitions, calls and results."""
    names = [tool.name for tool in conversation.tools if tool.parameters is not None]
    names += [
        part.name for message in conversation.messages for part in message.parts if isinstance(part, ToolCall)
    ]
    mapped = map_ids(names, alphabet(NAMES, target))
    renamed = {old: new for old, new in mapped.items() if old != new}
    if not renamed:
        return conversation
    notes.changed(None, "tool-names-mapped", names=renamed)

    def name(part: Part) -> Part:
        if isinstance(part, ToolCall) and part.name in renamed:
            return replace(part, name=renamed[part.name])
        if isinstance(part, ToolResult) and part.name is not None and part.name in renamed:
            return replace(part, name=renamed[part.name])
        return part

    tools = tuple(
        replace(tool, name=renamed[tool.name])
        if tool.name in renamed and tool.parameters is not None
        else tool
        for tool in conversation.tools
    )
    messages = tuple(
        replace(message, parts=tuple(map(name, message.parts))) for message in conversation.messages
    )
    return replace(conversation, tools=tools, messages=messages)


def join_pieces(conversation: Conversation, target: Target, notes: Notes) -> Conversation:
    """Pieces of one reply become one message again where the target has no word for pieces of that host."""
    out: list[Message] = []
    for message in conversation.messages:
        before = out[-1] if out else None
        if before is not None and before.role == message.role and _join(before, message, target):
            notes.changed(message.id, "joined", into=before.id)
            out[-1] = replace(before, parts=(*before.parts, *message.parts))
        else:
            out.append(message)
    return replace(conversation, messages=tuple(out))


def start_with_user(conversation: Conversation, target: Target, notes: Notes) -> Conversation:
    """Where the user must speak first: say that what came before is not shown."""
    if not DIALECTS[target.provider].starts_with_user or not conversation.messages:
        return conversation
    first = conversation.messages[0]
    if first.role == "user":
        return conversation
    ident = MessageId(f"{first.id}~earlier")
    notes.added(ident, "first-message-not-by-user")
    marker = Message(id=ident, role="user", parts=(Fence(family="earlier-context", text=EARLIER),))
    return replace(conversation, messages=(marker, *conversation.messages))


def trim_last(conversation: Conversation, target: Target, notes: Notes) -> Conversation:
    """A final assistant message may not end in white space."""
    if target.provider != "anthropic" or not conversation.messages:
        return conversation
    last = conversation.messages[-1]
    if last.role != "assistant" or not last.parts or not isinstance(last.parts[-1], Text):
        return conversation
    text = last.parts[-1].text.rstrip()
    if text == last.parts[-1].text:
        return conversation
    notes.changed(last.id, "final-white-space")
    parts = (*last.parts[:-1], *((replace(last.parts[-1], text=text),) if text else ()))
    return replace(conversation, messages=(*conversation.messages[:-1], replace(last, parts=parts)))


STEPS: Final[tuple[Step, ...]] = (
    place_system,
    clean_system,
    clean_parts,
    settle_pairs,
    fit_roles,
    fit_ids,
    fit_names,
    join_pieces,
    start_with_user,
    trim_last,
    lower_tools,
    lower_body,
)


def _rename(message: Message, renamed: dict[str, str]) -> Message:
    def name(part: Part) -> Part:
        if isinstance(part, (ToolCall, ToolResult)) and part.call_id in renamed:
            return replace(part, call_id=CallId(renamed[part.call_id]))
        return part

    parts = tuple(map(name, message.parts))
    same = all(a is b for a, b in zip(parts, message.parts, strict=True))
    return message if same else replace(message, parts=parts)


def _join(before: Message, message: Message, target: Target) -> bool:
    if native(before, target) and native(message, target):
        return False
    if DIALECTS[target.provider].one_turn_per_role:
        return True
    return continues(message) and message.role == "assistant"

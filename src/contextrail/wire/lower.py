"""Make a conversation legal for one target: a pure function from conversation to conversation, each change recorded.

Legal input comes back as it is, so a body that nobody edited keeps its bytes. What concerns a single
place of the body, once written (a field, a mark, an image), is left to `repair`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Final

from contextrail.core.ids import MessageId
from contextrail.messages.decision import Decision
from contextrail.messages.model import (
    Conversation,
    Extra,
    Fence,
    Media,
    Message,
    Opaque,
    Part,
    Summary,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
)
from contextrail.messages.pairs import continues
from contextrail.messages.text import part_text
from contextrail.wire.dialects import MAX_OUTPUT, Aim, aim_at
from contextrail.wire.lower_body import lower_body, lower_tools
from contextrail.wire.lower_names import fit_ids, fit_names, name_results
from contextrail.wire.lower_pairs import is_legacy, settle_pairs
from contextrail.wire.lower_parts import Notes, altered, lower_parts, unfit, whole_text
from contextrail.wire.target import Target

EARLIER: Final = "[the conversation before this point is not shown]"
NOTHING_SAID: Final = "[nothing was said]"

SYSTEM_SINCE: Final = (4, 8)
"""Claude takes system messages among the others from this version on; see the rule anthropic.system-model."""

PASSES: Final = 6
"""What one pass leaves out can bring neighbors together, which the next one joins; two or three do."""

Step = Callable[[Conversation, Aim, Notes], Conversation]


def lower(
    conversation: Conversation,
    target: Target,
    *,
    max_output: int | None = None,
    demanded: int | None = None,
    model: str | None = None,
) -> tuple[Conversation, tuple[Decision, ...]]:
    """The same conversation as the target may hear it. Lowering twice is lowering once.

    Args:
        conversation: From any wire form.
        target: Whom it is for.
        max_output: Limit on output tokens to state where the conversation has none.
        demanded: The number where nobody gave a limit and the target demands one.
        model: Whom it is for, where the conversation does not say it.

    Returns:
        The conversation, and a decision for each message that changed.
    """
    notes = Notes()
    if conversation.max_output is None and max_output is not None:
        notes.changed(None, "output-limit-set", max_output=max_output)
        conversation = replace(conversation, max_output=max_output)
    for _ in range(PASSES):
        done = len(notes.taken)
        lowered = _one_pass(
            conversation, replace(aim_at(conversation, target, model), limit=demanded or MAX_OUTPUT), notes
        )
        if lowered is conversation or len(notes.taken) == done:
            return lowered, tuple(notes.taken)
        conversation = lowered
    return conversation, tuple(notes.taken)


def _one_pass(conversation: Conversation, aim: Aim, notes: Notes) -> Conversation:
    lowered = conversation
    for step in STEPS:
        lowered = step(lowered, aim, notes)
    if conversation.messages and not lowered.messages:
        ident = MessageId(f"{conversation.messages[-1].id}~nothing")
        notes.added(ident, "nothing-left-to-say")
        said = Fence(family="nothing-said", text=NOTHING_SAID)
        return replace(lowered, messages=(Message(id=ident, role="user", parts=(said,)),))
    return lowered


def _with_messages(conversation: Conversation, messages: Iterable[Message]) -> Conversation:
    """The conversation with these messages; the same object if they are the same."""
    given = tuple(messages)
    before = conversation.messages
    if len(given) == len(before) and all(a is b for a, b in zip(given, before, strict=True)):
        return conversation
    return replace(conversation, messages=given)


# Who speaks


def fit_roles(conversation: Conversation, aim: Aim, notes: Notes) -> Conversation:
    """A tool message without results speaks for nobody: it becomes the user's."""

    def fit(message: Message) -> Message:
        if message.role != "tool" or aim.native(message):
            return message
        if not message.parts or any(isinstance(part, ToolResult) for part in message.parts):
            return message
        notes.changed(message.id, "tool-message-without-result")
        return replace(message, role="user", extra=None)

    return _with_messages(conversation, map(fit, conversation.messages))


def place_system(conversation: Conversation, aim: Aim, notes: Notes) -> Conversation:
    """Where instructions stand outside the messages: move the leading ones there, mark off the later ones."""
    if aim.dialect.system_inside or not any(each.role == "system" for each in conversation.messages):
        return conversation
    system = list(conversation.system)
    kept: list[Message] = []
    for at, message in enumerate(conversation.messages):
        if message.role != "system" or _may_stay(
            message, kept[-1:], conversation.messages[at + 1 :][:1], aim
        ):
            kept.append(message)
        elif kept:
            text = "\n".join(part_text(part) for part in message.parts)
            kept.append(replace(message, role="user", parts=(Fence(family="system", text=text),), extra=None))
            notes.changed(message.id, "system-inside-as-user")
        else:
            system.extend(map(_as_words, message.parts))
            notes.changed(message.id, "system-moved-to-front")
    return replace(conversation, system=tuple(system), messages=tuple(kept))


def _as_words(part: Part) -> Part:
    return part if isinstance(part, (Text, Fence, Summary)) else Text(text=part_text(part))


def _may_stay(message: Message, before: list[Message], after: tuple[Message, ...], aim: Aim) -> bool:
    """Whether a system message may stand where it does: behind the user's turn, before the assistant's or at the end."""
    native = aim.native(message)
    if aim.provider != "anthropic":
        return native
    if native and not message.parts:
        return aim.claude is None or aim.claude >= SYSTEM_SINCE
    known = aim.claude is not None and aim.claude >= SYSTEM_SINCE
    if not (known or (native and aim.claude is None)) or not before:
        return False
    return (before[0].role in {"user", "tool"} or _ended_by_server(before[0])) and all(
        each.role == "assistant" for each in after
    )


def _ended_by_server(message: Message) -> bool:
    last = message.parts[-1] if message.parts else None
    return message.role == "assistant" and isinstance(last, Opaque) and last.kind.endswith("_tool_result")


def clean_system(conversation: Conversation, aim: Aim, notes: Notes) -> Conversation:
    """Instructions are text; blank ones are left out."""
    if not conversation.system or aim.own or aim.wrote(conversation.system_extra):
        return conversation
    speaker = Message(id=MessageId("system"), role="system", parts=conversation.system)
    parts = lower_parts(speaker, aim, notes).parts
    return conversation if parts is conversation.system else replace(conversation, system=parts)


# What is said


def clean_parts(conversation: Conversation, aim: Aim, notes: Notes) -> Conversation:
    """Part by part: what the target cannot read becomes text or goes; messages left with nothing go."""
    out: list[Message] = []
    for message in conversation.messages:
        lowered = lower_parts(message, aim, notes)
        if message.role == "system" and not aim.native(message):
            lowered = _only_words(lowered)
        if not lowered.parts and (message.parts or not aim.native(message)):
            notes.dropped(message.id, "empty")
        else:
            out.append(lowered)
    return _with_messages(conversation, out)


def _only_words(message: Message) -> Message:
    """Calls and results can no more be there; whatever is no text is written as text by every codec."""
    if all(isinstance(part, (Text, Fence, Summary, Opaque, Media)) for part in message.parts):
        return message
    return replace(message, parts=tuple(map(_as_words, message.parts)))


def whole_thinking(conversation: Conversation, aim: Aim, notes: Notes) -> Conversation:
    """Anthropic: thinking is as it was written or gone from all of its turn, and a turn does not end with it."""
    if aim.provider != "anthropic":
        return conversation
    out: list[Message | None] = list(conversation.messages)
    for turn in _turns(conversation.messages):
        reason = _broken_thinking([part for at in turn for part in conversation.messages[at].parts])
        for at in turn if reason is not None else ():
            message = conversation.messages[at]
            kept = tuple(part for part in message.parts if not isinstance(part, Thinking))
            if len(kept) < len(message.parts):
                notes.changed(message.id, str(reason))
                out[at] = replace(message, parts=kept) if kept else None
            if message.parts and not kept:
                notes.dropped(message.id, "empty")
    return _with_messages(conversation, filter(None, out))


def _turns(messages: tuple[Message, ...]) -> list[range]:
    """Runs of the assistant's messages."""
    found: list[range] = []
    for at, message in enumerate(messages):
        if message.role != "assistant":
            continue
        if found and found[-1].stop == at:
            found[-1] = range(found[-1].start, at + 1)
        else:
            found.append(range(at, at + 1))
    return found


def _broken_thinking(parts: list[Part]) -> str | None:
    thoughts = [part for part in parts if isinstance(part, Thinking) and part.wire == "anthropic"]
    if any(map(altered, thoughts)):
        return "thinking-altered"
    last = thoughts[-1] if thoughts else None
    redacted = last is not None and last.redacted is not None and not last.text and last.signature is None
    return "thinking-last" if last is not None and last is parts[-1] and not redacted else None


def free_followers(conversation: Conversation, aim: Aim, notes: Notes) -> Conversation:
    """Responses: what reasoning led to that must go, no longer goes under the server's id, which asks for it."""
    if aim.provider != "openai-responses":
        return conversation
    out: list[Message] = []
    led = False
    for message in conversation.messages:
        freed = message
        if message.role != "assistant":
            led = False
        elif any(isinstance(part, Thinking) and unfit(part, message, aim) for part in message.parts):
            led = True
        elif led:
            freed = _without_item_id(message, aim)
        if freed is not message:
            notes.changed(message.id, "item-id-left-out")
        out.append(freed)
    return _with_messages(conversation, out)


def _without_item_id(message: Message, aim: Aim) -> Message:
    def free(part: Part) -> Part:
        if isinstance(part, ToolCall) and (extra := _without_id(part.extra, aim)) is not part.extra:
            return replace(part, extra=extra)
        return part

    parts, extra = tuple(map(free, message.parts)), _without_id(message.extra, aim)
    if extra is message.extra and all(a is b for a, b in zip(parts, message.parts, strict=True)):
        return message
    return replace(message, parts=parts, extra=extra)


def _without_id(extra: Extra | None, aim: Aim) -> Extra | None:
    if extra is None or not aim.wrote(extra) or "id" not in extra.fields:
        return extra
    return Extra(extra.wire, {key: value for key, value in extra.fields.items() if key != "id"})


# Who speaks with whom


def join_neighbors(conversation: Conversation, aim: Aim, notes: Notes) -> Conversation:
    """One reply, and all its results, each in one message where the target wants them so."""
    out: list[Message] = []
    for message in conversation.messages:
        before = out[-1] if out else None
        if before is not None and before.role == message.role and _joins(before, message, aim):
            notes.changed(message.id, "joined", into=before.id)
            extra = message.extra if aim.native(message) and not aim.native(before) else before.extra
            out[-1] = replace(before, parts=(*before.parts, *message.parts), extra=extra)
        else:
            out.append(message)
    return _with_messages(conversation, out)


def _joins(before: Message, message: Message, aim: Aim) -> bool:
    """Whether two messages of one role must be one for the target. What came from elsewhere, a codec joins itself."""
    native = aim.native(message)
    if message.role == "assistant" and continues(message) and not native:
        return True
    match aim.provider:
        case "anthropic":
            return message.role == "tool" and (native or aim.native(before))
        case "openai-chat":  # results stand right behind their calls
            calls = any(isinstance(part, ToolCall) and not is_legacy(part, aim) for part in before.parts)
            return message.role == "assistant" and calls
        case "gemini" if native and not continues(message):
            calls = any(isinstance(part, ToolCall) for part in message.parts)
            return message.role == "tool" or (message.role == "assistant" and calls)
        case _:
            return False


def start_with_user(conversation: Conversation, aim: Aim, notes: Notes) -> Conversation:
    """Where the user must speak first: say that what came before is not shown."""
    first = next(iter(conversation.messages), None)
    if first is None or first.role != "assistant" or not aim.dialect.starts_with_user:
        return conversation
    calls = any(isinstance(part, ToolCall) for part in first.parts)
    if aim.own and aim.provider == "gemini" and not calls:
        return conversation
    ident = MessageId(f"{first.id}~earlier")
    notes.added(ident, "first-message-not-by-user")
    marker = Message(id=ident, role="user", parts=(Fence(family="earlier-context", text=EARLIER),))
    return replace(conversation, messages=(marker, *conversation.messages))


def name_speakers(conversation: Conversation, aim: Aim, notes: Notes) -> Conversation:
    """Names of speakers are whole text."""

    def fit(message: Message) -> Message:
        if message.name is None or whole_text(message.name) == message.name:
            return message
        notes.changed(message.id, "lone-surrogate")
        return replace(message, name=whole_text(message.name))

    return _with_messages(conversation, map(fit, conversation.messages))


STEPS: Final[tuple[Step, ...]] = (
    lower_tools,
    settle_pairs,
    fit_roles,
    place_system,
    clean_system,
    whole_thinking,
    free_followers,
    clean_parts,
    name_speakers,
    fit_ids,
    fit_names,
    name_results,
    join_neighbors,
    start_with_user,
    lower_body,
)

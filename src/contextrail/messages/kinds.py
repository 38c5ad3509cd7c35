"""What a message is, in the words of the policy: `user_input`, `final_answer`, `tool_output` and so on."""

from __future__ import annotations

from collections.abc import Sequence

from contextrail.messages.identity import is_user_input
from contextrail.messages.model import Fence, Media, Message, Opaque, Summary, Text, Thinking, ToolCall


def types_of(message: Message) -> frozenset[str]:
    """All types that a message is of; one with thinking and a call is a `thought` and `tool_calls`.

    | type | message |
    |---|---|
    | system_prompt | of the system, with something else than fences and summaries |
    | history_summary | holds a summary |
    | context_injection | nothing but fences |
    | user_input | something the user said |
    | image | of the user, with an image |
    | thought | holds thinking |
    | final_answer | of the assistant, with text and no call |
    | tool_calls | holds a call |
    | tool_output | of a tool |
    """
    parts = message.parts
    found: set[str] = set()
    if any(isinstance(part, Summary) for part in parts):
        found.add("history_summary")
    if parts and all(isinstance(part, Fence) for part in parts):
        found.add("context_injection")
    elif message.role == "system":
        if not parts or not all(isinstance(part, (Summary, Fence)) for part in parts):
            found.add("system_prompt")
    elif message.role == "user":
        found |= _of_user(message)
    elif message.role == "assistant":
        found |= _of_assistant(message)
    elif message.role == "tool":
        found.add("tool_output")
    return frozenset(found)


def current_input(messages: Sequence[Message]) -> int | None:
    """Index of the user input that began the current run, or None if no user spoke."""
    for at in range(len(messages) - 1, -1, -1):
        if is_user_input(messages[at]):
            return at
    return None


def _of_user(message: Message) -> set[str]:
    found = {"user_input"} if is_user_input(message) else set()
    if any(isinstance(part, Media) and part.kind == "image" for part in message.parts):
        found.add("image")
    return found


def _of_assistant(message: Message) -> set[str]:
    found = {"thought"} if any(isinstance(part, Thinking) for part in message.parts) else set()
    if any(isinstance(part, ToolCall) for part in message.parts):
        found.add("tool_calls")
    elif any(isinstance(part, (Text, Media, Opaque)) for part in message.parts):
        found.add("final_answer")
    return found

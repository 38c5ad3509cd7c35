"""Short words for building values in tests. One line in a test should be one fact."""

from __future__ import annotations

from contextrail.core.ids import CallId, MessageId
from contextrail.messages.identity import number_runs
from contextrail.messages.model import Fence, Message, Part, Role, Text, Thinking, ToolCall, ToolResult
from contextrail.messages.text import part_text


def transcript(*lines: str) -> tuple[Message, ...]:
    """Messages from lines `ID ROLE PART + PART`.

    A part is `call ID NAME [ARGS]`, `result ID TEXT`, `error ID TEXT`, `interim ID TEXT`, `think TEXT` or text.
    """
    return number_runs(map(_message, lines))


def show(messages: tuple[Message, ...]) -> list[str]:
    """The inverse of `transcript`."""
    return [f"{each.id} {each.role} {' + '.join(map(_show, each.parts))}".strip() for each in messages]


def _message(line: str) -> Message:
    ident, role, *words = line.split(maxsplit=2)
    parts = tuple(map(_part, words[0].split(" + "))) if words else ()
    return Message(id=MessageId(ident), role=_role(role), parts=parts)


def _role(word: str) -> Role:
    match word:
        case "system" | "user" | "assistant" | "tool":
            return word
        case _:
            raise ValueError(word)


def _part(words: str) -> Part:
    match words.split(maxsplit=3):
        case ["call", ident, name, *arguments]:
            return ToolCall(call_id=CallId(ident), name=name, arguments=arguments[0] if arguments else "{}")
        case [("result" | "error" | "interim") as kind, ident, *_]:
            text = words.split(maxsplit=2)[2]
            status = {"result": "ok", "error": "error", "interim": "interim"}[kind]
            return ToolResult(call_id=CallId(ident), parts=(Text(text=text),), status=status)  # type: ignore[arg-type]
        case ["think", *_]:
            return Thinking(text=words.removeprefix("think "), signature="sig", wire="anthropic")
        case _:
            return Text(text=words)


def _show(part: Part) -> str:
    match part:
        case ToolCall():
            return f"call {part.call_id} {part.name}" + (
                f" {part.arguments}" if part.arguments != "{}" else ""
            )
        case ToolResult():
            kind = {"ok": "result", "error": "error", "interim": "interim"}[part.status]
            return f"{kind} {part.call_id} {part_text(part)}"
        case Thinking():
            return f"think {part.text}"
        case Fence():
            return f"<{part.family}> {part.text}"
        case _:
            return part_text(part)

"""Ids of calls and names of tools in a target's alphabet, the same wherever they stand."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any, Final, TypeVar

from contextrail.core.ids import CallId
from contextrail.messages.model import Conversation, Extra, Message, Part, Tool, ToolCall, ToolResult
from contextrail.wire.call_ids import CALL_IDS, NAMES, alphabet
from contextrail.wire.dialects import Aim
from contextrail.wire.lower_pairs import is_function, is_legacy
from contextrail.wire.lower_parts import Notes, whole_text

LONGEST_CALL_NAME: Final = 200
"""Of a call in an Anthropic body; see the rule anthropic.call-name."""

UNNAMED: Final = "unnamed"
CHOICES: Final = ("tool_choice", "toolConfig", "tool_config")
"""Fields of a body that name tools."""

Ident = TypeVar("Ident", bound=str)


def fit_ids(conversation: Conversation, aim: Aim, notes: Notes) -> Conversation:
    """Call ids in the target's alphabet, the same on call and result."""
    if aim.own and aim.provider == "gemini":
        return conversation
    ids = [
        part.call_id
        for message in conversation.messages
        for part in message.parts
        if isinstance(part, (ToolCall, ToolResult)) and not (is_legacy(part, aim) or is_function(message))
    ]
    allowed = alphabet(CALL_IDS, aim.target)
    renamed = _renamed(ids, _id_allowed(aim), allowed.make)
    if not renamed:
        return conversation
    notes.changed(None, "call-ids-mapped", ids={str(given): made for given, made in renamed.items()})

    def name(part: Part) -> Part:
        if isinstance(part, (ToolCall, ToolResult)) and part.call_id in renamed and not is_legacy(part, aim):
            return replace(part, call_id=renamed[part.call_id])
        return part

    return replace(
        conversation, messages=tuple(_each_part(name, message) for message in conversation.messages)
    )


def _id_allowed(aim: Aim) -> Callable[[str], bool]:
    """What the target takes as a call id; of its own ids, all that the linter has nothing against."""
    allowed = alphabet(CALL_IDS, aim.target)
    lax = aim.own and aim.provider in {"openai-chat", "openai-responses"} and allowed.exact is None
    longest = allowed.longest if aim.strict else None

    def accepts(ident: str) -> bool:
        if whole_text(ident) != ident:
            return False
        if lax:
            return bool(ident) and (longest is None or len(ident) <= longest)
        return allowed.accepts(ident)

    return accepts


def _renamed(
    idents: Iterable[Ident], accepts: Callable[[str], bool], make: Callable[[str, int], str]
) -> dict[Ident, Ident]:
    """A new id for each that is not accepted; injective, and nothing but the id decides, if none fall together."""
    given = list(dict.fromkeys(idents))
    taken: set[str] = {ident for ident in given if accepts(ident)}
    renamed: dict[Ident, Ident] = {}
    for ident in given:
        if ident in taken:
            continue
        salt = 0
        while (made := make(ident, salt)) in taken:
            salt += 1
        taken.add(made)
        renamed[ident] = type(ident)(made)
    return renamed


def _each_part(change: Callable[[Part], Part], message: Message) -> Message:
    parts = tuple(map(change, message.parts))
    same = all(a is b for a, b in zip(parts, message.parts, strict=True))
    return message if same else replace(message, parts=parts)


# Names


def fit_names(conversation: Conversation, aim: Aim, notes: Notes) -> Conversation:
    """Tool names in the target's alphabet, the same in definitions, choice, calls and results."""
    of_tools = [tool.name for tool in conversation.tools if defined_by_host(tool, aim)]
    of_calls = [
        part.name for message in conversation.messages for part in message.parts if isinstance(part, ToolCall)
    ]
    tool_ok, call_ok = _names_allowed(aim)
    wrong = {name for name in of_tools if not tool_ok(name)} | {
        name for name in of_calls if not call_ok(name)
    }
    if not wrong:
        return conversation
    allowed = alphabet(NAMES, aim.target)

    def make(name: str, salt: int) -> str:
        return UNNAMED if not name and not salt else allowed.make(name, salt)

    every = [*of_tools, *of_calls, *(tool.name for tool in conversation.tools)]
    renamed = _renamed(every, lambda name: name not in wrong, make)
    notes.changed(None, "tool-names-mapped", names=dict(renamed))

    def name(part: Part) -> Part:
        if isinstance(part, (ToolCall, ToolResult)) and part.name is not None and part.name in renamed:
            return replace(part, name=renamed[part.name])
        return part

    return replace(
        conversation,
        tools=tuple(
            replace(tool, name=renamed[tool.name])
            if tool.name in renamed and defined_by_host(tool, aim)
            else tool
            for tool in conversation.tools
        ),
        messages=tuple(_each_part(name, message) for message in conversation.messages),
        extra=_chosen(conversation.extra, renamed, aim),
    )


def defined_by_host(tool: Tool, aim: Aim) -> bool:
    """Whether a tool is a function of the host that its codec writes from name and schema."""
    fields = {} if tool.extra is None else tool.extra.fields
    if not tool.name and aim.wrote(tool.extra):
        return False
    if tool.parameters is not None:
        return True
    return aim.provider == "anthropic" and (
        tool.extra is None or (aim.wrote(tool.extra) and fields.get("type") in (None, "custom"))
    )


def _names_allowed(aim: Aim) -> tuple[Callable[[str], bool], Callable[[str], bool]]:
    """What the target takes as the name of a tool, and of a call."""
    accepts = alphabet(NAMES, aim.target).accepts
    if aim.own and aim.provider == "anthropic":
        return accepts, lambda name: 0 < len(name) <= LONGEST_CALL_NAME
    if aim.own and aim.provider in {"openai-chat", "openai-responses"} and not aim.strict:
        return bool, bool
    return accepts, accepts


def _chosen(extra: Extra | None, renamed: dict[str, str], aim: Aim) -> Extra | None:
    """The fields of the request with the choice of tools under their new names."""
    if extra is None or not aim.wrote(extra) or not any(key in extra.fields for key in CHOICES):
        return extra

    def name(value: Any) -> Any:
        match value:
            case str():
                return renamed.get(value, value)
            case list():
                return [name(each) for each in value]
            case dict():
                return {key: name(each) for key, each in value.items()}
            case _:
                return value

    fields = {key: name(value) if key in CHOICES else value for key, value in extra.fields.items()}
    return Extra(extra.wire, fields)


def name_results(conversation: Conversation, aim: Aim, notes: Notes) -> Conversation:
    """Gemini: a result says the name of the function that was called."""
    if aim.provider != "gemini":
        return conversation
    names: dict[CallId, str] = {}
    out: list[Message] = []
    for message in conversation.messages:
        parts: list[Part] = []
        for part in message.parts:
            if isinstance(part, ToolCall):
                names[part.call_id] = part.name
            parts.append(_named(part, names, aim) if isinstance(part, ToolResult) else part)
        if any(a is not b for a, b in zip(parts, message.parts, strict=True)):
            notes.changed(message.id, "result-named")
            message = replace(message, parts=tuple(parts))  # noqa: PLW2901 - the same message, named
        out.append(message)
    same = all(a is b for a, b in zip(out, conversation.messages, strict=True))
    return conversation if same else replace(conversation, messages=tuple(out))


def _named(result: ToolResult, names: dict[CallId, str], aim: Aim) -> ToolResult:
    called = names.get(result.call_id)
    if not called or result.name == called:
        return result
    if aim.wrote(result.extra) or aim.own:
        return result if result.name else replace(result, name=called)
    return result if result.name is None else replace(result, name=called)

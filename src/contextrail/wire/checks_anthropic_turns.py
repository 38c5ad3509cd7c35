"""Checks of Anthropic messages as turns: roles, what a turn may end with, and pairs of calls and results.

Messages of one role in a row are one turn, as the API combines them. A tool call must be answered in the
turn that follows its own, before anything else that turn says.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from contextrail.core.json_text import JsonObject
from contextrail.wire.finding import Flaw, Flaws, Path, objects, shown, text

ROLES: Final = frozenset({"user", "assistant", "system"})
CALL: Final = "tool_use"
RESULT: Final = "tool_result"
SERVER_CALLS: Final = frozenset({"server_tool_use", "mcp_tool_use"})
THOUGHTS: Final = frozenset({"thinking", "redacted_thinking"})


class Block(NamedTuple):
    """One content block; a bare string is one text block whose path is that of the content."""

    path: Path
    kind: str
    value: JsonObject


class Message(NamedTuple):
    """One message that has a message's form."""

    at: int
    role: str
    content: object
    blocks: list[Block]


@dataclass(frozen=True, slots=True)
class Turn:
    """Messages of one role in a row."""

    role: str
    at: int
    """Index of the first message."""
    blocks: list[Block]

    def of(self, kind: str) -> Iterator[Block]:
        """The blocks of one kind."""
        return (block for block in self.blocks if block.kind == kind)

    def of_server(self) -> bool:
        """Whether the provider's own tools spoke in it: such a turn may be sent back unfinished."""
        return any(block.kind in SERVER_CALLS or is_server_result(block.kind) for block in self.blocks)


def read(body: JsonObject) -> list[Message]:
    """The messages of a body with their blocks. What has no message's form is left out; `check_form` reports it."""
    found: list[Message] = []
    for at, message in objects(body.get("messages")):
        content = message.get("content")
        found.append(Message(at, text(message.get("role")), content, blocks(("messages", at), content)))
    return found


def turns(messages: Sequence[Message]) -> list[Turn]:
    """The messages, combined."""
    found: list[Turn] = []
    for message in messages:
        if found and found[-1].role == message.role and message.role != "system":
            found[-1].blocks.extend(message.blocks)
        else:
            found.append(Turn(message.role, message.at, list(message.blocks)))
    return found


def blocks(path: Path, content: object) -> list[Block]:
    """The blocks of one content."""
    if isinstance(content, str):
        return [Block((*path, "content"), "text", {"text": content})]
    inside = (*path, "content")
    return [Block((*inside, at), text(value.get("type")), value) for at, value in objects(content)]


def is_server_result(kind: str) -> bool:
    """Whether a block is the result of one of the provider's own tools."""
    return kind.endswith("_tool_result")


def check_form(body: JsonObject) -> Flaws:
    """Messages are objects with a known role and content that is text or blocks."""
    messages = body.get("messages")
    if not isinstance(messages, list):
        yield Flaw("body-form", ("messages",), "messages must be an array")
        return
    for at, message in enumerate(messages):
        path: Path = ("messages", at)
        if not isinstance(message, dict):
            yield Flaw("body-form", path, "a message must be an object")
            continue
        role = message.get("role")
        if role not in ROLES if isinstance(role, str) else True:
            yield Flaw("role-unknown", (*path, "role"), f"{shown(role)} is no role")
        yield from _content_form((*path, "content"), message.get("content"))


def _content_form(path: Path, content: object) -> Flaws:
    if isinstance(content, str):
        return
    if not isinstance(content, list):
        yield Flaw("body-form", path, "content must be a string or an array of blocks")
        return
    for at, block in enumerate(content):
        if not isinstance(block, dict) or not isinstance(block.get("type"), str):
            yield Flaw("body-form", (*path, at), "a block must be an object with a type")


def check_roles(found: Sequence[Turn], version: tuple[int, int] | None) -> Flaws:
    """The user speaks first; system messages stand where newer models take them, and older ones nowhere."""
    for index, turn in enumerate(found):
        path: Path = ("messages", turn.at)
        if turn.role == "assistant" and index == 0:
            yield Flaw("first-role", path, "the first message is the assistant's")
        if turn.role != "system":
            continue
        if version is not None and version < SYSTEM_SINCE:
            yield Flaw("system-model", path, "this model takes no system messages among the others")
        elif turn.blocks and (complaint := _misplaced(found, index)):
            yield Flaw("system-place", path, complaint)


def _misplaced(found: Sequence[Turn], index: int) -> str | None:
    before = found[index - 1] if index else None
    after = found[index + 1] if index + 1 < len(found) else None
    if before is None:
        return "the first message is a system message"
    ended_by_server = bool(before.blocks) and is_server_result(before.blocks[-1].kind)
    if before.role != "user" and not (before.role == "assistant" and ended_by_server):
        return f"a system message after one of role {shown(before.role)}"
    if after is not None and after.role != "assistant":
        return f"a system message before one of role {shown(after.role)}"
    return None


def check_end(body: JsonObject, found: Sequence[Turn], version: tuple[int, int] | None) -> Flaws:
    """What a body that ends with the assistant must keep to: a prefill, or an unfinished turn sent back."""
    if not found or found[-1].role != "assistant" or any(found[-1].of(CALL)):
        return
    last = found[-1]
    final = last.blocks[-1] if last.blocks else None
    said = text(final.value.get("text")) if final is not None and final.kind == "text" else ""
    if final is not None and said.strip() and said != said.rstrip():
        yield Flaw(
            "prefill-space", final.path, f"ends with {len(said) - len(said.rstrip())} blank characters"
        )
    if last.of_server():
        return
    thinking = body.get("thinking")
    enabled = isinstance(thinking, dict) and thinking.get("type") == "enabled"
    if version is not None and version >= NO_PREFILL_SINCE:
        yield Flaw("prefill-model", ("messages", last.at), "the last message is the assistant's")
    elif enabled and (final is None or last.blocks[0].kind not in THOUGHTS):
        yield Flaw("prefill-thinking", ("messages", last.at), "a prefill, and thinking is enabled")


def check_pairs(found: Sequence[Turn]) -> Flaws:
    """Each call answered once in the next turn, and each result the answer to a call of the turn before."""
    empty = Turn("", -1, [])
    for index, turn in enumerate(found):
        before = found[index - 1] if index else empty
        after = found[index + 1] if index + 1 < len(found) else empty
        yield from _check_answers(turn, before if before.role == "assistant" else empty)
        if turn.role == "assistant":
            answered = {text(block.value.get("tool_use_id")) for block in after.of(RESULT)}
            for call in turn.of(CALL):
                ident = call.value.get("id")
                if after.role != "user" or not isinstance(ident, str) or ident not in answered:
                    yield Flaw(
                        "result-missing", call.path, f"call {shown(ident)} has no result in the next message"
                    )
            misplaced, place = turn.of(RESULT), "result-place"
        else:
            misplaced, place = turn.of(CALL), "call-place"
        for block in misplaced:
            yield Flaw(place, block.path, f"a {block.kind} block in a message of role {shown(turn.role)}")


def _check_answers(turn: Turn, before: Turn) -> Flaws:
    """The results of one turn, against the calls of the assistant's turn before it."""
    if turn.role == "assistant":
        return
    open_calls = Counter(text(call.value.get("id")) for call in before.of(CALL))
    asked = set(open_calls)
    first_message: object = None
    other = False
    for block in turn.blocks:
        if block.kind != RESULT:
            other = True
            continue
        ident = text(block.value.get("tool_use_id"))
        if ident not in asked:
            yield Flaw("result-stray", block.path, f"no call {shown(ident)} in the message before")
            continue
        if not open_calls[ident]:
            yield Flaw("result-twice", block.path, f"call {shown(ident)} has a result already")
            continue
        open_calls[ident] -= 1
        if other:
            yield Flaw(
                "result-not-first", block.path, f"the result of {shown(ident)} stands behind other content"
            )
        if first_message is None:
            first_message = block.path[1]
        elif block.path[1] != first_message and not other:
            yield Flaw(
                "results-split", block.path, f"the result of {shown(ident)} is in a message of its own"
            )


def check_server_pairs(found: Sequence[Turn]) -> Flaws:
    """The provider's own tools: a result follows its call, and a call is not left open by a turn that ended.

    A call may wait for its result while client tools run, and while code that it runs calls client tools.
    """
    waiting: dict[str, Block] = {}
    called: set[str] = set()
    for turn in found:
        for block in turn.blocks if turn.role == "assistant" else ():
            if block.kind in SERVER_CALLS and (ident := text(block.value.get("id"))):
                called.add(ident)
                waiting[ident] = block
            elif is_server_result(block.kind) and (ident := text(block.value.get("tool_use_id"))):
                waiting.pop(ident, None)
                if ident not in called:
                    yield Flaw(
                        "server-result-stray", block.path, f"no call {shown(ident)} before this {block.kind}"
                    )
            elif block.kind == CALL and isinstance(caller := block.value.get("caller"), dict):
                waiting.pop(text(caller.get("tool_id")), None)
        if turn.role == "user" and any(block.kind != RESULT for block in turn.blocks):
            for ident, block in waiting.items():
                name = shown(block.value.get("name"))
                yield Flaw("server-result-missing", block.path, f"{name} call {shown(ident)} has no result")
            waiting.clear()


def check_call_ids(found: Sequence[Turn]) -> Flaws:
    """Ids of calls: each once in the body, in the alphabet, not too long."""
    seen: set[str] = set()
    for turn in found:
        for block in turn.blocks:
            if block.kind not in {CALL, RESULT}:
                continue
            key = "id" if block.kind == CALL else "tool_use_id"
            ident = block.value.get(key)
            if not isinstance(ident, str) or not ID_ALPHABET.issuperset(ident) or not ident:
                yield Flaw(
                    "call-id-form",
                    (*block.path, key),
                    f"{shown(ident)} is not made of letters, digits, _ and -",
                )
            elif len(ident) > LONGEST_ID:
                yield Flaw(
                    "call-id-long", (*block.path, key), f"{len(ident)} characters, {LONGEST_ID} are safe"
                )
            if block.kind == CALL and isinstance(ident, str):
                if ident in seen:
                    yield Flaw("call-id-twice", block.path, f"{shown(ident)} is the id of an earlier call")
                seen.add(ident)


ID_ALPHABET: Final = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-")
LONGEST_ID: Final = 64
"""Of the same models behind Bedrock Converse; the API's own pattern has no length."""
SYSTEM_SINCE: Final = (4, 8)
NO_PREFILL_SINCE: Final = (4, 6)
"""Claude versions; platform.claude.com, mid-conversation system messages, and API errors."""

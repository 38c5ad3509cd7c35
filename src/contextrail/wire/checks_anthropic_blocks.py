"""Checks of Anthropic content block by block: texts, thinking, calls, media, cache marks."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from contextrail.core.json_text import JsonObject, kind_of
from contextrail.wire.checks_anthropic_turns import CALL, RESULT, THOUGHTS, Block, Message, Turn, blocks
from contextrail.wire.checks_media import IMAGES, check_base64, check_declared, check_type
from contextrail.wire.finding import Flaw, Flaws, Path, objects, shown, text

MIB: Final = 1024 * 1024
LONGEST_NAME: Final = 200
DOCUMENTS: Final = {"base64": ("application/pdf",), "text": ("text/plain",)}
IMAGE_SIZES: Final = (("image-too-large", 10 * MIB), ("image-large", 5 * MIB))
"""Of the base64 text. Source: the API's error texts "exceeds 10 MB maximum" and, of older routes, "5 MB"."""
MEDIA_COUNT: Final = 600
MEDIA_COUNT_SMALL: Final = 100
"""For models with a window of 200,000 tokens, here those before 4.6. platform.claude.com, vision."""
CACHE_MARKS: Final = 4


def check_texts(body: JsonObject, messages: Sequence[Message]) -> Flaws:
    """No message is empty but the last of the assistant; no text is empty; a message says more than blanks."""
    for message in messages:
        final = message is messages[-1] and message.role == "assistant"
        if message.content in ("", []) and not final and message.role != "system":
            yield Flaw("message-empty", ("messages", message.at), "no content")
        if isinstance(message.content, list):
            yield from _empty_texts(message.blocks)
        yield from _blank(message.blocks)
    yield from _empty_texts(system_blocks(body))


def _empty_texts(found: Iterable[Block]) -> Flaws:
    for block in found:
        if block.kind == "text" and block.value.get("text") == "":
            yield Flaw("text-empty", block.path, "an empty text block")


def _blank(found: Sequence[Block]) -> Flaws:
    """Texts of a message that are all white space, with nothing beside them but calls and reasoning."""
    texts = [block for block in found if block.kind == "text"]
    if any(text(block.value.get("text")).strip() for block in texts):
        return
    beside = {block.kind for block in found} - {"text", CALL} - THOUGHTS
    first = next((block for block in texts if text(block.value.get("text"))), None)
    if first is not None and not beside:
        yield Flaw("text-blank", first.path, "white space only")


def check_blocks(found: Sequence[Turn]) -> Flaws:
    """Reasoning, calls and results have their fields."""
    for turn in found:
        for block in turn.blocks:
            if block.kind in THOUGHTS:
                yield from _check_thought(block, turn.role)
            elif block.kind == CALL:
                yield from _check_call(block)
            elif block.kind == RESULT and _fails_without_a_word(block.value):
                yield Flaw("error-empty", block.path, "an error result without content")
        if turn.role == "assistant" and turn.blocks and turn.blocks[-1].kind == "thinking":
            yield Flaw("thinking-last", turn.blocks[-1].path, "nothing follows the thinking block")


def _fails_without_a_word(result: JsonObject) -> bool:
    return result.get("is_error") is True and result.get("content") in (None, "", [])


def _check_thought(block: Block, role: str) -> Flaws:
    if role != "assistant":
        yield Flaw("thinking-place", block.path, f"a {block.kind} block in a message of role {shown(role)}")
    if block.kind == "redacted_thinking":
        if not text(block.value.get("data")):
            yield Flaw("thinking-form", block.path, "redacted thinking without data")
        return
    if not isinstance(block.value.get("thinking"), str):
        yield Flaw("thinking-form", block.path, "a thinking block without its text")
    if not text(block.value.get("signature")):
        yield Flaw("thinking-unsigned", block.path, "a thinking block without signature")


def _check_call(block: Block) -> Flaws:
    name = block.value.get("name")
    if not text(name) or len(text(name)) > LONGEST_NAME:
        yield Flaw(
            "call-name",
            (*block.path, "name"),
            f"{len(text(name))} characters, 1 to {LONGEST_NAME} are allowed",
        )
    if not isinstance(block.value.get("input"), dict):
        yield Flaw(
            "call-input", (*block.path, "input"), f"{kind_of(block.value.get('input'))} instead of an object"
        )


def check_thinking(body: JsonObject, found: Sequence[Turn]) -> Flaws:
    """Thinking asked for in a way that the rest of the body allows."""
    thinking = body.get("thinking")
    if not isinstance(thinking, dict) or thinking.get("type") not in ("enabled", "adaptive"):
        return
    choice = body.get("tool_choice")
    if isinstance(choice, dict) and choice.get("type") in ("any", "tool"):
        yield Flaw(
            "thinking-forced-tool",
            ("tool_choice",),
            f"thinking with a choice of type {shown(choice['type'])}",
        )
    if thinking.get("type") == "adaptive":
        return
    yield from _check_budget(body, thinking.get("budget_tokens"))
    opened = _open_loop(found)
    if opened is not None and not any(turn.blocks[0].kind in THOUGHTS for turn in opened if turn.blocks):
        yield Flaw("thinking-required", ("messages", opened[0].at), "no thinking block opens this reply")


def _check_budget(body: JsonObject, budget: object) -> Flaws:
    path: Path = ("thinking", "budget_tokens")
    if not isinstance(budget, int) or isinstance(budget, bool):
        yield Flaw("thinking-budget", path, f"{kind_of(budget)} instead of a number of tokens")
    elif budget < SMALLEST_BUDGET:
        yield Flaw("thinking-budget", path, f"{budget} tokens, at least {SMALLEST_BUDGET} are needed")
    elif isinstance(limit := body.get("max_tokens"), int) and budget >= limit and not body.get("tools"):
        yield Flaw("thinking-budget", path, f"{budget} tokens of {limit} in all")


def _open_loop(found: Sequence[Turn]) -> list[Turn] | None:
    """The assistant's turns since the user last spoke, if the last of them waits on the results at the end."""
    if not found or found[-1].role != "user" or any(block.kind != RESULT for block in found[-1].blocks):
        return None
    opened: list[Turn] = []
    for turn in reversed(found[:-1]):
        if turn.role == "assistant":
            opened.insert(0, turn)
        elif any(block.kind != RESULT for block in turn.blocks):
            break
    return opened if opened and any(opened[-1].of(CALL)) else None


def check_media(found: Iterable[Block], version: tuple[int, int] | None) -> Flaws:
    """Images and documents: type, data, size, number."""
    most = MEDIA_COUNT_SMALL if version is not None and version < (4, 6) else MEDIA_COUNT
    count = 0
    for block in found:
        source = block.value.get("source") if block.kind in {"image", "document"} else None
        if not isinstance(source, dict):
            continue
        count += 1
        if count == most + 1:
            yield Flaw("too-many-media", block.path, f"more than {most} images and documents")
        form = text(source.get("type"))
        data, media_type = text(source.get("data")), text(source.get("media_type"))
        path = (*block.path, "source")
        if block.kind == "image" and form == "base64":
            yield from check_type(media_type, IMAGES, (*path, "media_type"))
            yield from check_base64(data, (*path, "data"))
            yield from check_declared(media_type, data, (*path, "data"))
            yield from _image_size(len(data), (*path, "data"))
        elif block.kind == "document" and form in DOCUMENTS:
            yield from check_type(media_type, DOCUMENTS[form], (*path, "media_type"))
            yield from check_base64(data, (*path, "data")) if form == "base64" else ()


def _image_size(size: int, path: Path) -> Flaws:
    for name, limit in IMAGE_SIZES:
        if size > limit:
            yield Flaw(name, path, f"{size} bytes of base64, {limit} are allowed")
            return


def every_block(body: JsonObject, messages: Sequence[Message]) -> Iterator[Block]:
    """The blocks of system and messages in order, those inside tool results too."""
    yield from system_blocks(body)
    for message in messages:
        for block in message.blocks:
            yield block
            if block.kind == RESULT:
                yield from blocks(block.path, block.value.get("content"))


def system_blocks(body: JsonObject) -> Iterator[Block]:
    """The blocks of the system prompt; none where it is a string."""
    for at, value in objects(body.get("system")):
        yield Block(("system", at), text(value.get("type")), value)


def check_cache(body: JsonObject, found: Iterable[Block]) -> Flaws:
    """At most four cache marks, the longer-lived first, none on thinking or on an empty text."""
    marks: list[tuple[Path, JsonObject]] = []
    for at, tool in objects(body.get("tools")):
        if isinstance(mark := tool.get("cache_control"), dict):
            marks.append((("tools", at), mark))
    for block in found:
        mark = block.value.get("cache_control")
        if not isinstance(mark, dict):
            continue
        marks.append((block.path, mark))
        if block.kind in THOUGHTS or (block.kind == "text" and block.value.get("text") == ""):
            yield Flaw("cache-place", (*block.path, "cache_control"), f"on a block of type {block.kind}")
    allowed = CACHE_MARKS - isinstance(body.get("cache_control"), dict)
    if len(marks) > allowed:
        yield Flaw(
            "cache-marks", (*marks[allowed][0], "cache_control"), f"{len(marks)} marks, {allowed} are allowed"
        )
    shorter = False
    for path, mark in marks:
        if mark.get("ttl") == "1h" and shorter:
            yield Flaw("cache-order", (*path, "cache_control", "ttl"), "1h after 5m")
        shorter = shorter or mark.get("ttl", "5m") == "5m"


def check_unchanged(found: Sequence[Turn], before: Sequence[Turn]) -> Flaws:
    """Thinking is as the provider wrote it, or gone with all of its turn."""
    texts = {key: block.value for turn in before for block in turn.blocks if (key := _proof(block))}
    home = {key: turn for turn in before for block in turn.blocks if (key := _proof(block))}
    for turn in found:
        kept = [block for block in turn.blocks if _proof(block)]
        for block in kept:
            known = texts.get(_proof(block))
            if known is not None and known.get("thinking") != block.value.get("thinking"):
                yield Flaw(
                    "thinking-changed",
                    block.path,
                    "a signature on another text than the one it was given for",
                )
        origin = next((home[key] for block in kept if (key := _proof(block)) in home), None)
        if origin is None:
            continue
        there = {_proof(block) for block in kept}
        lost = [block for block in origin.blocks if (key := _proof(block)) and key not in there]
        if lost:
            yield Flaw(
                "thinking-in-part",
                ("messages", turn.at),
                f"{len(lost)} of {len(lost) + len(kept)} blocks are gone",
            )


def _proof(block: Block) -> str:
    """What identifies a block of reasoning; empty for any other block."""
    match block.kind:
        case "thinking":
            return text(block.value.get("signature"))
        case "redacted_thinking":
            return text(block.value.get("data"))
        case _:
            return ""


def claude_version(model: str) -> tuple[int, int] | None:
    """The version in a model's name, as (4, 5); None if it names none that is known."""
    if re.search(r"claude-(fable|mythos)", model):
        return (5, 0)
    if (old := re.search(r"claude-(\d)(?:[.-](\d))?-(?:opus|sonnet|haiku)", model)) is not None:
        return int(old[1]), int(old[2] or 0)
    if re.search(r"claude-(?:instant|[12])(?!\d)", model):
        return (2, 0)
    named = re.search(r"claude-(?:opus|sonnet|haiku)-(\d{1,2})(?:[.-](\d{1,2}))?(?!\d)", model)
    return None if named is None else (int(named[1]), int(named[2] or 0))


SMALLEST_BUDGET: Final = 1024

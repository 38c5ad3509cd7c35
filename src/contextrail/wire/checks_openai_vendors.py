"""What the vendors of OpenAI's forms differ in: whose model it is, and rules of Mistral and DeepSeek."""

from __future__ import annotations

import re
from typing import Final

from contextrail.core.json_text import JsonObject
from contextrail.wire.checks_body import walk
from contextrail.wire.finding import Flaw, Flaws, Path, Request, objects, shown, text

LONGEST_TEXT: Final = 10 * 1024 * 1024
"""Characters. Source: OpenAI's error text "Expected a string with maximum length 10485760"."""

_OPENAI: Final = re.compile(r"(gpt-|chatgpt|codex-|computer-use|o\d|ft:|$)")
_REASONING: Final = ("reasoning_content", "reasoning", "reasoning_details")
"""Fields of other vendors for what a model thought."""
_MISTRAL_ID: Final = re.compile(r"[a-zA-Z0-9]{9}")


def openai_model(model: str) -> bool:
    """Whether a model is served by OpenAI, as far as its name tells; true if there is no name."""
    return _OPENAI.match(model) is not None


def long_texts(request: Request) -> Flaws:
    """Strings longer than OpenAI takes; a `data:` URL has limits of its own."""
    if request.size_bytes <= LONGEST_TEXT:
        return
    for path, value in walk(request.body):
        if isinstance(value, str) and len(value) > LONGEST_TEXT and not value.startswith("data:"):
            yield Flaw("text-too-long", path, f"{len(value)} characters, {LONGEST_TEXT} are allowed")


def check_vendor(request: Request) -> Flaws:
    """The rules of the profile of a Chat Completions body."""
    messages = objects(request.body.get("messages"))
    match request.profile:
        case "mistral":
            yield from _check_mistral_fields(request, messages)
            yield from _check_mistral_ids(messages)
            yield from _check_mistral_roles(messages)
        case "deepseek":
            yield from _check_deepseek(request, messages)
        case _:
            return


def _check_mistral_fields(request: Request, messages: list[tuple[int, JsonObject]]) -> Flaws:
    if "max_completion_tokens" in request.body:
        yield Flaw(
            "mistral-limit", ("max_completion_tokens",), "the limit on output is called max_tokens there"
        )
    for at, message in messages:
        for name in _REASONING:
            if name in message:
                yield Flaw("mistral-reasoning", ("messages", at, name), f"a message with {name}")


def _check_mistral_ids(messages: list[tuple[int, JsonObject]]) -> Flaws:
    for at, message in messages:
        places: list[tuple[Path, object]] = [
            (("messages", at, "tool_calls", index, "id"), call.get("id"))
            for index, call in objects(message.get("tool_calls"))
        ]
        if message.get("role") == "tool":
            places.append((("messages", at, "tool_call_id"), message.get("tool_call_id")))
        for path, ident in places:
            if text(ident) and not _MISTRAL_ID.fullmatch(text(ident)):
                yield Flaw("mistral-call-id", path, f"{shown(ident)} is not 9 letters and digits")


def _check_mistral_roles(messages: list[tuple[int, JsonObject]]) -> Flaws:
    before = ""
    for at, message in messages:
        role = text(message.get("role"))
        if before == "tool" and role not in {"tool", "assistant"}:
            yield Flaw(
                "mistral-after-tool",
                ("messages", at),
                f"a message of role {shown(role)} after a tool message",
            )
        before = role
    if messages and before not in {"user", "tool"} and messages[-1][1].get("prefix") is not True:
        yield Flaw(
            "mistral-last-role", ("messages", messages[-1][0]), f"the last message has role {shown(before)}"
        )


def _check_deepseek(request: Request, messages: list[tuple[int, JsonObject]]) -> Flaws:
    """In thinking mode, which is on unless it is turned off, each message with calls keeps its reasoning."""
    thinking = request.body.get("thinking")
    off = isinstance(thinking, dict) and thinking.get("type") == "disabled"
    if off or request.model.endswith("deepseek-chat"):
        return
    for at, message in messages:
        calls = message.get("role") == "assistant" and bool(message.get("tool_calls"))
        if calls and not isinstance(message.get("reasoning_content"), str):
            yield Flaw("deepseek-reasoning", ("messages", at), "calls without reasoning_content")

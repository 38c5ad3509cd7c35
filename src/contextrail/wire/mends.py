"""The table of mends: how findings of each rule are cured, by lowering the conversation or at their place in the body."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from contextrail.wire import mends_anthropic, mends_gemini, mends_openai_chat, mends_openai_responses
from contextrail.wire.mends_edit import Cure

CURES: Final[Mapping[str, Cure]] = MappingProxyType(
    {
        f"{provider}.{rule}": cure
        for provider, module in (
            ("anthropic", mends_anthropic),
            ("openai-chat", mends_openai_chat),
            ("openai-responses", mends_openai_responses),
            ("gemini", mends_gemini),
        )
        for rule, cure in module.CURES.items()
    }
)
"""Mends of one place, by rule."""

LOWERED: Final = frozenset(
    {
        "anthropic.lone-surrogate",
        "anthropic.max-tokens-missing",
        "anthropic.first-role",
        "anthropic.system-model",
        "anthropic.system-place",
        "anthropic.result-missing",
        "anthropic.result-stray",
        "anthropic.result-twice",
        "anthropic.result-not-first",
        "anthropic.results-split",
        "anthropic.result-place",
        "anthropic.call-place",
        "anthropic.call-id-twice",
        "anthropic.call-id-form",
        "anthropic.call-id-long",
        "anthropic.call-name",
        "anthropic.thinking-unsigned",
        "anthropic.thinking-form",
        "anthropic.thinking-place",
        "anthropic.thinking-last",
        "anthropic.tool-name",
        "openai-chat.lone-surrogate",
        "openai-chat.result-missing",
        "openai-chat.result-stray",
        "openai-chat.result-twice",
        "openai-chat.result-id-missing",
        "openai-chat.call-id-missing",
        "openai-chat.call-id-long",
        "openai-chat.call-id-twice",
        "openai-chat.call-id-reused",
        "openai-chat.call-name",
        "openai-chat.tool-name",
        "openai-chat.mistral-call-id",
        "openai-responses.lone-surrogate",
        "openai-responses.result-missing",
        "openai-responses.result-stray",
        "openai-responses.result-twice",
        "openai-responses.call-id-long",
        "openai-responses.call-id-twice",
        "openai-responses.call-id-reused",
        "openai-responses.call-name",
        "openai-responses.tool-name",
        "openai-responses.deepseek-interleaved",
        "gemini.lone-surrogate",
        "gemini.call-place",
        "gemini.result-missing",
        "gemini.result-count",
        "gemini.result-stray",
        "gemini.result-name",
        "gemini.call-name",
        "gemini.tool-name",
    }
)
"""Rules whose findings the conversation is lowered for: pairs, order, ids, names, roles, reasoning. What is left of
them, because a codec could not read it, is mended at its place."""

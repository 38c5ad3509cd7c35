"""Sound messages with all that a mend elsewhere might lose: proofs, marks, unknown fields, odd spellings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from contextrail.wire.target import Provider

MARK: Final = {"type": "ephemeral"}
BEFORE: Final[Mapping[Provider, list[Any]]] = {
    "anthropic": [
        {"role": "user", "content": "look"},
        {
            "role": "assistant",
            "content": [
                {"type": "thinking", "thinking": "well", "signature": "proof-1"},
                {"type": "text", "text": "I look", "citations": [{"type": "page_location"}]},
                {"type": "text", "text": " "},
                {
                    "type": "tool_use",
                    "id": "own_1",
                    "name": "read",
                    "input": {"n": 1.0},
                    "caller": {"type": "direct"},
                },
            ],
        },
        {
            "role": "user",
            "content": [
                {"type": "tool_result", "tool_use_id": "own_1", "content": "a", "cache_control": MARK},
                {"type": "text", "text": "and now?", "citations": None},
            ],
        },
        {
            "role": "assistant",
            "content": [
                {"type": "compaction", "content": "x", "unknown": None},
                {"type": "text", "text": "so"},
            ],
        },
        {"role": "user", "content": [{"type": "text", "text": "next"}]},
    ],
    "openai-chat": [
        {"role": "developer", "content": "be brief"},
        {"role": "user", "content": [{"type": "text", "text": "look", "unknown": 1}], "name": "ann"},
        {
            "role": "assistant",
            "content": None,
            "reasoning_content": "well",
            "annotations": [],
            "tool_calls": [
                {
                    "id": "ownabcde1",
                    "type": "function",
                    "function": {"name": "read", "arguments": '{"n": 1.0 }'},
                }
            ],
        },
        {"role": "tool", "tool_call_id": "ownabcde1", "content": "a", "name": "read"},
        {"role": "assistant", "content": "so", "refusal": None},
        {"role": "user", "content": "next"},
    ],
    "openai-responses": [
        {"role": "user", "content": "look"},
        {"type": "reasoning", "id": "rs_own", "summary": [], "encrypted_content": "x", "status": None},
        {
            "type": "function_call",
            "id": "fc_own",
            "call_id": "own_1",
            "name": "read",
            "arguments": '{"n": 1.0 }',
        },
        {"type": "function_call", "id": "fc_own2", "call_id": "own_2", "name": "read", "arguments": ""},
        {"type": "function_call_output", "call_id": "own_2", "output": [{"type": "input_text", "text": "b"}]},
        {"type": "function_call_output", "call_id": "own_1", "output": "a"},
        {"type": "web_search_call", "id": "ws_1", "status": "completed"},
        {
            "type": "message",
            "id": "msg_own",
            "role": "assistant",
            "content": [{"type": "output_text", "text": "so", "annotations": [], "logprobs": []}],
        },
        {"role": "user", "content": "next"},
    ],
    "gemini": [
        {"role": "user", "parts": [{"text": "look"}]},
        {
            "role": "model",
            "parts": [
                {"text": "well", "thought": True},
                {"functionCall": {"name": "read", "args": {"n": 1.0}}, "thoughtSignature": "b3du"},
            ],
        },
        {"role": "user", "parts": [{"functionResponse": {"name": "read", "response": {"result": [1]}}}]},
        {"role": "model", "parts": [{"text": "so", "thoughtSignature": "b3duMg=="}]},
        {"parts": [{"text": "next"}]},
    ],
}
"""Sound messages with all that a mend elsewhere might lose: proofs, marks, unknown fields, odd spellings."""

AFTER: Final[Mapping[Provider, list[Any]]] = {
    "anthropic": [
        {"role": "user", "content": "thanks"},
        {"role": "assistant", "content": [{"type": "text", "text": "bye", "cache_control": MARK}]},
        {"role": "user", "content": "one more"},
    ],
    "openai-chat": [
        {"role": "user", "content": "thanks"},
        {"role": "assistant", "content": "bye", "audio": None},
        {"role": "user", "content": "one more"},
    ],
    "openai-responses": [
        {"role": "user", "content": "thanks"},
        {"role": "assistant", "content": [{"type": "output_text", "text": "bye"}], "phase": "final"},
        {"role": "user", "content": "one more"},
    ],
    "gemini": [
        {"role": "user", "parts": [{"text": "thanks"}]},
        {"role": "model", "parts": [{"text": "bye", "unknown": 1}]},
        {"role": "user", "parts": [{"text": "one more"}]},
    ],
}

"""Messages and bodies of every form, written down from the providers' references: one of each kind, and odd ones."""

from __future__ import annotations

from typing import Any, Final

from contextrail.core.json_text import JsonObject
from contextrail.wire.target import Provider

PIXEL: Final = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
"""A PNG of one pixel, 70 bytes."""

_ANTHROPIC: Final[tuple[Any, ...]] = (
    {"role": "user", "content": "hi"},
    {"role": "user", "content": ""},
    {"role": "user", "content": None},
    {"role": "user"},
    {"role": "user", "content": []},
    {"role": "user", "content": 5},
    {"role": "user", "content": [{"type": "text", "text": "one block"}]},
    {"role": "user", "content": "named", "name": "ann"},
    {"role": "system", "content": "from now on, in French"},
    {"role": "developer", "content": "unknown here"},
    {"content": "nobody"},
    {"role": ["user"], "content": "a list"},
    {
        "role": "user",
        "content": [
            {"type": "tool_result", "tool_use_id": "t1", "content": "done"},
            {
                "type": "tool_result",
                "tool_use_id": "t2",
                "is_error": True,
                "content": [{"type": "text", "text": "no"}],
            },
            {"type": "text", "text": "and now?", "cache_control": {"type": "ephemeral", "ttl": "1h"}},
            {"type": "tool_result", "tool_use_id": "t3"},
        ],
    },
    {
        "role": "user",
        "content": [
            {"type": "text", "text": "before"},
            {"type": "tool_result", "tool_use_id": "t1", "is_error": False, "content": None},
            {"type": "tool_result", "tool_use_id": "t1", "is_error": None, "content": []},
            {"type": "tool_result", "tool_use_id": "t1", "content": {"type": "text"}, "cache_control": None},
        ],
    },
    {
        "role": "user",
        "content": [
            {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PIXEL}},
            {"type": "image", "source": {"type": "base64", "media_type": "image/PNG", "data": "not base64!"}},
            {"type": "image", "source": {"type": "url", "url": "https://example.org/a.png"}},
            {"type": "image", "source": {"type": "url", "url": f"data:image/png;base64,{PIXEL}"}},
            {"type": "image", "source": {"type": "file", "file_id": "file_1", "more": 1}},
            {"type": "image", "source": "nothing"},
        ],
    },
    {
        "role": "user",
        "content": [
            {
                "type": "document",
                "source": {"type": "text", "media_type": "text/plain", "data": "Plain words"},
                "title": "Words",
                "context": "of the user",
                "citations": {"enabled": True},
            },
            {"type": "document", "source": {"type": "text", "data": "no type"}, "title": None},
            {"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": "\ud800"}},
            {"type": "document", "source": {"type": "base64", "media_type": "text/plain", "data": "aGk="}},
            {
                "type": "document",
                "source": {"type": "base64", "media_type": "application/pdf", "data": "JVBERi0="},
            },
            {"type": "document", "source": {"type": "content", "content": [{"type": "text", "text": "a"}]}},
            {"type": "document", "source": {"type": "url", "url": "plain"}},
            {
                "type": "search_result",
                "source": "s",
                "title": "t",
                "content": [{"type": "text", "text": "x"}],
            },
            {"type": "container_upload", "file_id": "file_2"},
        ],
    },
    {
        "role": "assistant",
        "content": [
            {"type": "thinking", "thinking": "let me see", "signature": "c2ln"},
            {"type": "redacted_thinking", "data": "ZGF0YQ=="},
            {"type": "text", "text": "I look", "citations": [{"type": "char_location", "cited_text": "x"}]},
            {
                "type": "tool_use",
                "id": "t1",
                "name": "read",
                "input": {"path": "a.py", "n": [1, 1.0, None, True]},
            },
            {
                "type": "tool_use",
                "id": "t2",
                "name": "read",
                "input": "wrong",
                "cache_control": {"type": "ephemeral"},
            },
            {"type": "tool_use", "id": "t3", "name": "read"},
            {"type": "tool_use", "id": "t4", "name": "read", "input": None, "caller": {"type": "direct"}},
        ],
    },
    {
        "role": "assistant",
        "content": [
            {"type": "thinking", "thinking": "", "signature": "only"},
            {"type": "thinking", "thinking": "unsigned"},
            {"type": "thinking", "thinking": "x", "signature": None},
            {"type": "redacted_thinking", "data": 5},
            {"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {"query": "q"}},
            {
                "type": "web_search_tool_result",
                "tool_use_id": "s1",
                "content": [{"type": "web_search_result"}],
            },
            {"type": "mcp_tool_use", "id": "m1", "name": "echo", "server_name": "s", "input": {}},
            {"type": "compaction", "content": "summary"},
            {"type": "tool_result", "tool_use_id": "t1", "content": "in the wrong mouth"},
            {"type": "tool_use", "id": 5, "name": "no id", "input": {}},
            "a bare string",
            None,
        ],
    },
)

_CHAT: Final[tuple[Any, ...]] = (
    {"role": "system", "content": "be brief"},
    {"role": "developer", "content": [{"type": "text", "text": "be brief"}], "name": "dev"},
    {"role": "user", "content": "hi", "name": "ann"},
    {"role": "user", "content": ""},
    {"role": "user", "content": None},
    {"role": "user"},
    {"role": "user", "content": []},
    {"role": "user", "content": {"type": "text", "text": "not in a list"}},
    {"role": "user", "content": "x", "name": None, "tool_calls": []},
    {"role": "narrator", "content": "once upon a time"},
    {"content": "nobody"},
    {
        "role": "user",
        "content": [
            {"type": "text", "text": "look", "cache_control": {"type": "ephemeral"}},
            {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PIXEL}", "detail": "low"}},
            {"type": "image_url", "image_url": {"url": "https://example.org/a.png"}},
            {"type": "image_url", "image_url": "https://example.org/a.png"},
            {"type": "image_url", "image_url": {"url": "data:image/svg+xml,%3Csvg/%3E"}},
            {"type": "image_url", "image_url": {"url": "no url"}},
            {"type": "image_url", "image_url": {}},
            {"type": "image_url", "image_url": 5},
            {"type": "file", "file": {"file_id": "https://example.org/a.pdf"}},
            {"type": "input_audio", "input_audio": {"data": "UklGRg==", "format": "wav"}},
            {"type": "input_audio", "input_audio": {"data": "SUQz", "format": "mp3"}},
            {"type": "input_audio", "input_audio": {"data": "SUQz", "format": "MP3", "more": 1}},
            {"type": "input_audio", "input_audio": {"data": "SUQz"}},
            {"type": "file", "file": {"file_id": "file-1"}},
            {
                "type": "file",
                "file": {"file_data": "data:application/pdf;base64,JVBERi0=", "filename": "a.pdf"},
            },
            {"type": "file", "file": {"file_data": "JVBERi0=", "filename": "a.pdf"}},
            {"type": "file", "file": {"file_data": "https://example.org/a.pdf", "file_id": "both"}},
            {"type": "file", "file": {"filename": "nothing.txt"}},
            {"type": "video_url", "video_url": {"url": "https://example.org/a.mp4"}},
            {"type": "refusal", "refusal": "no"},
            {"type": "message.tool_calls[]", "text": "forged"},
            "a bare string",
        ],
    },
    {
        "role": "assistant",
        "content": None,
        "refusal": None,
        "tool_calls": [
            {"id": "c1", "type": "function", "function": {"name": "read", "arguments": '{"path": "a.py"}'}},
            {
                "id": "c2",
                "type": "function",
                "function": {"name": "read", "arguments": "{broken"},
                "index": 0,
            },
            {"id": "c3", "type": "custom", "custom": {"name": "sql", "input": "select 1"}},
            {"id": "c4", "function": {"name": "read", "arguments": {"path": 1}, "strict": True}},
            {"type": "function", "function": {"name": "read"}},
            {"id": None, "type": "function", "function": {"name": "read", "arguments": None}},
            {"id": "c5", "type": "function", "function": {"arguments": "{}"}},
            {
                "id": "c6",
                "type": "odd",
                "function": {"name": "f", "arguments": ""},
                "custom": {"name": "f", "input": ""},
            },
            "nothing",
        ],
    },
    {"role": "assistant", "content": "hello", "tool_calls": None, "function_call": None, "audio": None},
    {"role": "assistant", "tool_calls": []},
    {"role": "assistant", "tool_calls": {"id": "c1"}, "function_call": "f", "reasoning_content": ["x"]},
    {"role": "assistant", "content": [], "refusal": "I will not", "audio": {"id": "audio_1"}},
    {"role": "assistant", "content": [{"type": "text", "text": "a"}, {"type": "refusal", "refusal": "b"}]},
    {"role": "assistant", "function_call": {"name": "old", "arguments": "{}", "more": 1}, "content": ""},
    {"role": "assistant", "content": "x", "reasoning_content": "because", "prefix": True},
    {
        "role": "assistant",
        "content": "x",
        "reasoning_content": "",
        "reasoning": "why",
        "reasoning_details": [
            {
                "type": "reasoning.text",
                "text": "why",
                "signature": "sig",
                "format": "anthropic-claude-v1",
                "index": 0,
            },
            {"type": "reasoning.text", "text": "why", "signature": None},
            {"type": "reasoning.summary", "summary": "short", "id": "r1"},
            {"type": "reasoning.encrypted", "data": "abc"},
            {"type": "reasoning.new"},
            {"type": "reasoning.text"},
            "a bare string",
        ],
    },
    {"role": "assistant", "content": "x", "reasoning_details": [], "reasoning": None, "annotations": []},
    {"role": "tool", "tool_call_id": "c1", "content": "done"},
    {"role": "tool", "tool_call_id": "c1", "content": [{"type": "text", "text": "done"}], "name": "read"},
    {"role": "tool", "tool_call_id": None, "content": None},
    {"role": "tool", "content": []},
    {"role": "tool", "tool_call_id": "", "content": 7, "name": ["x"]},
    {"role": "function", "name": "old", "content": "done"},
    {"role": "function", "content": "done", "tool_call_id": "c1"},
)

_RESPONSES: Final[tuple[Any, ...]] = (
    {"role": "user", "content": "hi"},
    {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "hi"}]},
    {"type": "function_call", "call_id": "c1", "name": "read", "arguments": "{}", "id": "fc_1"},
    {"type": "function_call_output", "call_id": "c1", "output": "done"},
    {"type": "function_call_output", "call_id": "c1", "output": [{"type": "input_text", "text": "done"}]},
    {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "abc"},
    {"type": "custom_tool_call", "call_id": "c2", "name": "sql", "input": "select 1"},
    {"type": "item_reference", "id": "msg_1"},
)

_GEMINI: Final[tuple[Any, ...]] = (
    {"role": "user", "parts": [{"text": "hi"}]},
    {"parts": [{"text": "nobody"}]},
    {
        "role": "model",
        "parts": [{"text": "hm", "thought": True}, {"text": "hello", "thoughtSignature": "c2ln"}],
    },
    {
        "role": "model",
        "parts": [{"functionCall": {"name": "read", "args": {"path": "a.py"}}, "thoughtSignature": "c2ln"}],
    },
    {"role": "user", "parts": [{"functionResponse": {"name": "read", "response": {"result": 1}}}]},
    {"role": "user", "parts": [{"inlineData": {"mimeType": "image/png", "data": PIXEL}}, {"text": "what?"}]},
)

MESSAGES: Final[dict[Provider, tuple[Any, ...]]] = {
    "anthropic": _ANTHROPIC,
    "openai-chat": _CHAT,
    "openai-responses": _RESPONSES,
    "gemini": _GEMINI,
}

BODIES: Final[dict[Provider, tuple[JsonObject, ...]]] = {
    "anthropic": (
        {},
        {"model": "claude-sonnet-4-5", "max_tokens": 100, "system": "be brief"},
        {"model": None, "max_tokens": 1.0, "system": None, "tools": None},
        {"system": [], "tools": [], "temperature": 0.5, "metadata": {"user_id": "u"}},
        {
            "system": [{"type": "text", "text": "be brief"}],
            "tools": [
                {"name": "read", "description": "Reads", "input_schema": {"type": "object"}},
                {"name": "read", "description": None, "input_schema": None, "type": "custom", "strict": True},
                {"type": "web_search_20250305", "name": "web_search", "max_uses": 3},
                {"type": "nameless"},
                "no tool",
            ],
            "tool_choice": {"type": "auto"},
        },
        {
            "system": [
                {"type": "text", "text": "a", "cache_control": {"type": "ephemeral"}},
                {"type": "text", "text": "b"},
            ]
        },
        {"system": {"type": "text", "text": "not a list"}, "max_tokens": True},
    ),
    "openai-chat": (
        {},
        {"model": "gpt-5", "max_completion_tokens": 100, "temperature": 1},
        {"model": "mistral-small", "max_tokens": 100, "safe_prompt": True},
        {"model": 5, "max_tokens": 1, "max_completion_tokens": 2},
        {"max_tokens": None, "max_completion_tokens": "many", "tools": [], "functions": None},
        {
            "tools": [
                {
                    "type": "function",
                    "function": {"name": "read", "parameters": {"type": "object"}, "strict": True},
                },
                {"type": "function", "function": {"name": "now", "description": "The time"}},
                {"function": {"name": "now", "description": None, "parameters": None}, "cache_control": {}},
                {
                    "type": "custom",
                    "custom": {"name": "sql", "description": "SQL", "format": {"type": "text"}},
                },
                {"type": "web_search_preview"},
                "no tool",
            ],
            "functions": [{"name": "old", "parameters": {}}, {"description": "nameless"}],
            "tool_choice": "auto",
        },
    ),
    "openai-responses": ({}, {"model": "gpt-5", "instructions": "be brief", "max_output_tokens": 100}),
    "gemini": (
        {},
        {"systemInstruction": {"parts": [{"text": "be brief"}]}, "generationConfig": {"maxOutputTokens": 9}},
    ),
}

"""Responses bodies to test on, sound and odd, and short words for reading and writing items."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from contextrail.core.ids import MessageId
from contextrail.core.json_text import JsonObject
from contextrail.messages.model import Conversation, Message, Part, Role
from contextrail.wire.openai_responses import decode, encode
from tests.properties.values import json_objects, names, texts
from tests.wire.odd_bodies import merged, optional

# Bodies that the form allows, in all its variety

IDS = st.sampled_from(["call_1", "call_2", "fc_3"])
STATUS = st.sampled_from(["completed", "in_progress"])
TEXT_PARTS = st.one_of(
    st.builds(lambda text: {"type": "input_text", "text": text}, texts()),
    st.builds(lambda text: {"type": "output_text", "text": text, "annotations": []}, texts()),
    st.builds(lambda text: {"type": "output_text", "text": text}, texts()),
    st.builds(lambda text: {"type": "text", "text": text}, texts()),
    st.builds(lambda text: {"type": "refusal", "refusal": text}, texts()),
)
URLS = st.sampled_from(
    [
        "https://example.com/a.png",
        "data:image/png;base64,iVBORw0KGgo=",
        "data:IMAGE/PNG;base64,AA=",
        "data:,hi",
        "",
    ]
)
MEDIA_PARTS = st.one_of(
    st.builds(
        lambda kind, key, held, more: {"type": kind, key: held, **more},
        st.sampled_from(["input_image", "computer_screenshot", "input_file"]),
        st.sampled_from(["image_url", "file_id", "file_data", "file_url"]),
        URLS | st.just("JVBERi0=") | st.none(),
        optional(detail=st.just("auto"), filename=names() | st.none(), file_id=IDS),
    ),
    st.just({"type": "input_audio", "input_audio": {"data": "UklGRg==", "format": "wav"}}),
    st.just({"type": "input_audio", "input_audio": {"data": "", "format": None, "~x": 1}}),
)
PARTS = st.one_of(TEXT_PARTS, MEDIA_PARTS, json_objects(3))
CONTENT = st.one_of(
    texts(),
    st.lists(TEXT_PARTS, max_size=3),
    st.lists(MEDIA_PARTS, min_size=1, max_size=2),
    st.lists(PARTS, max_size=3),
)
MESSAGES = merged(
    st.fixed_dictionaries(
        {
            "role": st.sampled_from(["user", "assistant", "system", "developer", "critic"]),
            "content": CONTENT | st.none(),
        }
    ),
    optional(type=st.just("message"), id=IDS, status=STATUS, phase=st.just("commentary")),
)
SUMMARIES = st.lists(st.builds(lambda text: {"type": "summary_text", "text": text}, texts()), max_size=2)
REASONING = merged(
    st.just({"type": "reasoning"}),
    optional(
        id=IDS,
        summary=SUMMARIES,
        content=st.none() | st.lists(st.just({"type": "reasoning_text", "text": "so"}), max_size=2),
        encrypted_content=st.none() | st.just("gAAAAA"),
        status=STATUS,
    ),
)
CALLS = st.one_of(
    merged(
        st.just({"type": "function_call"}),
        optional(
            call_id=IDS,
            name=names(),
            arguments=st.sampled_from(["{}", "", '{"a": 1}', "{broken"]) | json_objects(2),
            id=IDS,
            status=STATUS,
            namespace=names(),
        ),
    ),
    st.builds(
        lambda call_id, text: {"type": "custom_tool_call", "call_id": call_id, "name": "sh", "input": text},
        IDS,
        texts(),
    ),
    merged(
        st.fixed_dictionaries(
            {
                "type": st.sampled_from(
                    [
                        "computer_call",
                        "local_shell_call",
                        "shell_call",
                        "apply_patch_call",
                        "tool_search_call",
                    ]
                )
            }
        ),
        optional(call_id=IDS | st.none(), action=json_objects(3), id=IDS, status=STATUS),
    ),
)
OUTPUTS = merged(
    st.fixed_dictionaries(
        {
            "type": st.sampled_from(
                [
                    "function_call_output",
                    "custom_tool_call_output",
                    "computer_call_output",
                    "shell_call_output",
                    "tool_search_output",
                    "future_call_output",
                ]
            )
        }
    ),
    optional(
        call_id=IDS,
        output=CONTENT | PARTS | st.none(),
        tools=st.lists(json_objects(3), max_size=2),
        id=IDS,
        status=STATUS,
    ),
)
OTHER_ITEMS = st.sampled_from(
    [
        {
            "type": "web_search_call",
            "id": "ws_1",
            "status": "completed",
            "action": {"type": "search", "query": "x"},
        },
        {"type": "mcp_list_tools", "id": "m", "server_label": "s", "tools": []},
        {"type": "mcp_approval_request", "id": "mr", "server_label": "s", "name": "n", "arguments": "{}"},
        {"type": "mcp_approval_response", "approval_request_id": "mr", "approve": True},
        {"type": "compaction", "id": "cmp_1", "encrypted_content": "gAAAAA"},
        {"type": "item_reference", "id": "msg_1"},
        {"type": "image_generation_call", "id": "ig_1", "result": "iVBORw0KGgo="},
        {"id": "msg_1"},
        {"type": None},
        {},
    ]
)
ITEMS = st.one_of(MESSAGES, REASONING, CALLS, OUTPUTS, OTHER_ITEMS)
TOOLS = st.one_of(
    merged(
        st.just({"type": "function"}),
        optional(
            name=names(),
            description=texts() | st.none(),
            parameters=json_objects(3) | st.none(),
            strict=st.booleans() | st.none(),
        ),
    ),
    st.sampled_from(
        [
            {"type": "web_search"},
            {"type": "custom", "name": "sh", "description": "shell", "format": {"type": "text"}},
            {
                "type": "namespace",
                "name": "crm",
                "description": "d",
                "tools": [{"type": "function", "name": "f"}],
            },
        ]
    ),
)
BODIES = merged(
    optional(
        model=names(),
        instructions=texts() | st.none() | st.lists(MESSAGES, max_size=1),
        max_output_tokens=st.integers() | st.none(),
        tools=st.lists(TOOLS, max_size=3) | st.none(),
        tool_choice=st.sampled_from(["auto", "none"]),
        previous_response_id=IDS,
        reasoning=json_objects(2),
    ),
    optional(input=texts() | st.none() | st.lists(ITEMS, max_size=6)),
)


def read(*items: JsonObject) -> tuple[Message, ...]:
    return decode({"input": list(items)}).messages


def written(*messages: Message, **facts: Any) -> list[Any]:
    found = encode(Conversation(messages=messages, **facts))["input"]
    assert isinstance(found, list)
    return found


def said(role: Role, *parts: Part) -> Message:
    return Message(id=MessageId("m"), role=role, parts=parts)


CALL = {"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}"}
OUTPUT = {"type": "function_call_output", "call_id": "c"}
SHOT = {"type": "computer_screenshot", "image_url": "https://example.com/a.png"}
ODD_ITEMS: list[JsonObject] = [
    {**CALL, "arguments": {"a": 1}},
    {**CALL, "arguments": None},
    {**CALL, "name": None},
    {"type": "function_call", "call_id": "c"},
    {"type": "function_call", "name": "f", "arguments": "{}"},
    {"type": "custom_tool_call", "call_id": "c", "name": "f", "input": None},
    {"type": "custom_tool_call", "call_id": "c", "name": "f", "input": ""},
    {"type": "shell_call", "call_id": None, "action": {}},
    {"type": "shell_call", "call_id": "c", "~joined": True},
    OUTPUT,
    {**OUTPUT, "output": None},
    {**OUTPUT, "output": 7},
    {**OUTPUT, "output": ""},
    {**OUTPUT, "output": []},
    {**OUTPUT, "output": [{"type": "input_text", "text": "a"}, None, "b"]},
    {**OUTPUT, "output": {"type": "input_text", "text": "a"}},
    {**OUTPUT, "output": {"rows": [1]}},
    {"type": "computer_call_output", "call_id": "c", "output": SHOT, "acknowledged_safety_checks": []},
    {"type": "tool_search_output", "call_id": "c", "tools": [{"type": "function", "name": "f"}]},
    {"type": "function_call_output", "output": "of no call"},
    {"type": "future_call_output", "call_id": "c"},
    {"type": "mcp_approval_response", "approval_request_id": "m", "approve": True},
    {"type": "reasoning"},
    {"type": "reasoning", "summary": None, "content": "x", "encrypted_content": None},
    {"type": "message", "role": "user"},
    {"type": "message", "role": "critic", "content": "x"},
    {"role": "user", "content": None},
    {"role": "user", "content": {}},
    {"role": "user", "content": []},
    {"role": "assistant", "content": ""},
    {
        "role": "assistant",
        "content": [{"type": "refusal", "refusal": "no"}, {"type": "output_text", "text": 1}],
    },
    {"role": "user", "content": [{"type": "input_image", "image_url": None, "file_id": "file-1"}]},
    {
        "role": "user",
        "content": [{"type": "input_image", "image_url": {"url": "x"}}, {"type": "input_image"}],
    },
    {
        "role": "user",
        "content": [{"type": "input_image", "image_url": "data:IMAGE/PNG;base64,AA==", "detail": "low"}],
    },
    {"role": "user", "content": [{"type": "input_file", "file_data": "JVBERi0=", "filename": "a.pdf"}]},
    {
        "role": "user",
        "content": [{"type": "input_file", "file_data": "data:application/pdf;base64,", "filename": None}],
    },
    {
        "role": "user",
        "content": [{"type": "input_file", "file_url": "https://example.com/a.pdf", "~from": 1}],
    },
    {
        "role": "user",
        "content": [{"type": "input_audio", "input_audio": {"data": "", "format": "wav", "~x": 1}}],
    },
    {"role": "user", "content": [{"type": "input_audio", "input_audio": {"format": "wav"}}]},
    {"~item": True, "role": "user", "content": "x"},
    {},
]
ODD_BODIES: list[JsonObject] = [
    {},
    {"input": None},
    {"input": "", "instructions": ""},
    {"input": [], "instructions": None, "model": None, "tools": None, "max_output_tokens": None},
    {"input": [], "instructions": [{"role": "user", "content": "x"}], "max_output_tokens": True, "tools": []},
    {"~input": "string", "~fields": {"~fields": 1}, "input": [{"role": "user", "content": "x"}]},
    {
        "tools": [
            "web_search",
            None,
            {"type": "function"},
            {"type": "function", "name": "f", "parameters": None},
        ]
    },
    {"tools": [{"type": "custom", "name": "f", "description": None}, {"type": [], "name": 1}, {"~value": 1}]},
]

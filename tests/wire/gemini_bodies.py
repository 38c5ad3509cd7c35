"""Gemini bodies to test on, sound and odd, and short words for reading and writing contents."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from contextrail.core.ids import MessageId
from contextrail.core.json_text import JsonObject
from contextrail.messages.model import Conversation, Message, Part, Role
from contextrail.wire.gemini import decode, encode
from tests.properties.values import json_objects, json_values, names, texts
from tests.wire.odd_bodies import merged, optional

# Bodies that the form allows, in all its variety


def either(camel: str, snake: str, value: st.SearchStrategy[Any]) -> st.SearchStrategy[JsonObject]:
    """An object with one field, in either spelling."""
    return st.builds(lambda key, held: {key: held}, st.sampled_from([camel, snake]), value)


FUNCTIONS = st.sampled_from(["read", "write", ""])
SIGNED = optional(
    thoughtSignature=st.just("c2ln"), thought_signature=st.just("c2ln"), thought=st.booleans() | st.none()
)
BLOBS = optional(
    data=st.sampled_from(["aGk=", "", "no base64!"]),
    fileUri=st.just("https://example.com/a"),
    file_uri=st.just("gs://b/o"),
    mimeType=st.sampled_from(["image/png", "Audio/WAV", "text/plain"]),
    mime_type=st.just("application/pdf"),
    displayName=names(),
)
MEDIA = either("inlineData", "inline_data", BLOBS) | either("fileData", "file_data", BLOBS)
CALLS = either(
    "functionCall",
    "function_call",
    optional(
        name=FUNCTIONS,
        args=json_objects(3) | json_values(2),
        id=st.sampled_from(["a", "b", "gemini-0-0", ""]),
    ),
)
BODY = st.one_of(
    st.builds(
        lambda key, text: {key: text}, st.sampled_from(["output", "result", "content", "error", "x"]), texts()
    ),
    json_objects(3),
    json_values(2),
)
RESPONSES = either(
    "functionResponse",
    "function_response",
    optional(
        name=FUNCTIONS,
        response=BODY,
        id=st.sampled_from(["a", "b", "c"]),
        scheduling=st.just("WHEN_IDLE"),
        willContinue=st.booleans(),
        parts=st.lists(MEDIA, max_size=2) | st.none(),
    ),
)
PARTS = st.one_of(
    st.builds(lambda text, more: {"text": text, **more}, texts(), SIGNED),
    SIGNED,
    st.builds(lambda call, more: {**call, **more}, CALLS, SIGNED),
    RESPONSES,
    merged(MEDIA, SIGNED),
    st.sampled_from(
        [
            {"executableCode": {"language": "PYTHON", "code": "1"}},
            {"codeExecutionResult": {"outcome": "OUTCOME_OK", "output": "1"}},
            {"text": "x", "functionCall": {"name": "read"}},
            {"text": None},
            {},
        ]
    ),
)
CONTENTS = merged(
    optional(role=st.sampled_from(["user", "model", "function", "system", "assistant", "x"]) | st.none()),
    st.fixed_dictionaries({"parts": st.lists(PARTS, max_size=4) | PARTS}),
)
DECLARATIONS = optional(
    name=names(),
    description=texts() | st.none(),
    parameters=json_objects(3)
    | st.just({"type": "OBJECT", "properties": {"a": {"type": "STRING", "nullable": True}}}),
    parametersJsonSchema=json_objects(3),
    parameters_json_schema=st.just({"type": "object", "properties": {}}),
    response=json_objects(2),
)
TOOLS = st.one_of(
    merged(
        either("functionDeclarations", "function_declarations", st.lists(DECLARATIONS, max_size=2)),
        optional(googleSearch=st.just({}), codeExecution=st.just({})),
    ),
    st.sampled_from([{"googleSearch": {}}, {"urlContext": {}, "~x": 1}, {}]),
)
CONFIG = optional(
    maxOutputTokens=st.integers(),
    max_output_tokens=st.integers(),
    topK=st.just(40.0),
    thinkingConfig=json_objects(2),
)
BODIES = st.one_of(
    merged(
        optional(
            contents=st.lists(CONTENTS, max_size=5) | CONTENTS | st.none(),
            tools=st.lists(TOOLS, max_size=3) | st.none(),
            generationConfig=CONFIG,
            generation_config=CONFIG,
            systemInstruction=texts() | CONTENTS | st.none() | st.lists(texts(), max_size=1),
            system_instruction=CONTENTS,
            toolConfig=json_objects(2),
            model=names(),
        )
    ),
    st.builds(lambda contents: {"contents": contents}, st.lists(CONTENTS, min_size=1, max_size=5)),
)
KEEP = "contents"


def read(*contents: JsonObject) -> tuple[Message, ...]:
    return decode({"contents": list(contents)}).messages


def written(*messages: Message, **facts: Any) -> list[Any]:
    found = encode(Conversation(messages=messages, **facts))["contents"]
    assert isinstance(found, list)
    return found


def said(role: Role, *parts: Part) -> Message:
    return Message(id=MessageId("m"), role=role, parts=parts)


def call(name: str, ident: str | None = None) -> JsonObject:
    return {"functionCall": {"name": name, "args": {}, **({} if ident is None else {"id": ident})}}


def response(name: str, ident: str | None = None, **fields: Any) -> JsonObject:
    held = {"name": name, "response": {"output": "ok"}, **fields}
    return {"functionResponse": {**held, **({} if ident is None else {"id": ident})}}


BLOB = {"mimeType": "Image/PNG", "data": "iVBORw0KGgo=", "displayName": "a", "~x": 1}
ODD_PARTS: list[Any] = [
    None,
    "text",
    {},
    {"text": 1},
    {"text": None, "thoughtSignature": "s"},
    {"text": "", "thought_signature": "s"},
    {"text": "x", "thought_signature": "s"},
    {"text": "x", "thought": False},
    {"text": "x", "thought": True, "thoughtSignature": "s", "thought_signature": "t"},
    {"thought": True, "thoughtSignature": "s"},
    {"text": "x", "functionCall": {"name": "f"}},
    {"text": "x", "inlineData": None},
    {"inlineData": BLOB, "mediaResolution": {}},
    {"inline_data": {"mime_type": "audio/wav", "data": ""}},
    {"inlineData": {"data": None}},
    {"inlineData": "x"},
    {"fileData": {"fileUri": "gs://b/o"}},
    {"file_data": {"file_uri": "x", "mime_type": "TEXT/plain", "display_name": 1}},
    {"functionCall": None},
    {"functionCall": "f"},
    {"functionCall": {}},
    {"functionCall": {"name": "", "id": "", "args": None}},
    {"function_call": {"name": "f", "args": [1], "~x": 1}, "thought_signature": "s", "~key": 1},
    {"functionResponse": "f"},
    {"functionResponse": {}},
    {"functionResponse": {"id": "a", "response": "x"}},
    {"functionResponse": {"name": "f", "response": {}, "parts": None}},
    {"functionResponse": {"name": "f", "response": {"error": ""}, "parts": []}},
    {"functionResponse": {"name": "f", "response": {"result": "5"}, "will_continue": True}},
    {"functionResponse": {"name": "f", "parts": [{"inlineData": BLOB}, {"fileData": {}}, {"text": "x"}, 1]}},
    {"function_response": {"name": "f", "response": {"~fields": 1}, "scheduling": "SILENT"}},
    {"executable_code": {"code": "1"}},
]
ODD_BODIES: list[JsonObject] = [
    {},
    {"contents": None},
    {"contents": [], "tools": [], "generationConfig": {}, "systemInstruction": None, "model": "models/m"},
    {"contents": {"parts": {"text": "hi"}}},
    {
        "contents": [
            {},
            {"role": None, "parts": None},
            {"role": 5, "parts": "x"},
            {"role": "function", "parts": []},
        ]
    },
    {"contents": [{"parts": [response("f"), {"text": "x"}], "role": None, "~joined": True}]},
    {"contents": [{"parts": [response("f"), {"text": "x"}, response("f")], "role": "model"}]},
    {"~contents": "object", "~fields": 1, "contents": [{"role": "user", "parts": [{"text": "x"}]}]},
    {
        "system_instruction": {"parts": []},
        "systemInstruction": "",
        "generation_config": {"maxOutputTokens": 5},
    },
    {"systemInstruction": {"parts": [call("f"), response("f"), {"inlineData": BLOB}], "role": "system"}},
    {
        "systemInstruction": ["x"],
        "generationConfig": {"maxOutputTokens": True, "max_output_tokens": 5, "~x": 1},
    },
    {"systemInstruction": {"text": "x"}, "generationConfig": 1, "tools": {}},
    {
        "tools": [
            None,
            "x",
            {},
            {"functionDeclarations": []},
            {"functionDeclarations": None, "googleSearch": {}},
        ]
    },
    {
        "tools": [
            {"function_declarations": [{"name": "f"}, {}, None], "functionDeclarations": [{"name": "g"}]}
        ]
    },
    {
        "tools": [
            {"functionDeclarations": [{"name": "f", "parameters": {"type": "OBJECT", "nullable": True}}]}
        ]
    },
    {"tools": [{"functionDeclarations": [{"name": "f", "parameters": None, "parametersJsonSchema": {}}]}]},
    {
        "tools": [
            {
                "functionDeclarations": [
                    {"name": "f", "parameters_json_schema": {"type": "object", "properties": {}}}
                ]
            }
        ]
    },
]

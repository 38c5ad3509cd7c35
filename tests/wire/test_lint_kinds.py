"""One rule, many ways to break it: more bodies for the rules of the linter, and what looks wrong but is not."""

from __future__ import annotations

import base64
from typing import Any, Final

import pytest

from contextrail.wire.lint import lint
from tests.wire import lint_cases_anthropic as anthropic
from tests.wire import lint_cases_gemini as gemini
from tests.wire import lint_cases_openai_chat as chat
from tests.wire import lint_cases_openai_responses as responses
from tests.wire.lint_case import JPEG, MIB, PDF, PNG

GIF: Final = base64.b64encode(b"GIF89a" + bytes(24)).decode()
WEBP: Final = base64.b64encode(b"RIFF\x10\x00\x00\x00WEBPVP8 " + bytes(16)).decode()
TEXT_DOCUMENT: Final = {
    "type": "document",
    "source": {"type": "text", "media_type": "text/plain", "data": "hi"},
}
ADAPTIVE: Final = {"type": "adaptive"}
LOADED: Final = [{"type": "mcp_toolset", "mcp_server_name": "files"}]

ask, say = anthropic.ASK, anthropic.SAY
body, user, reply, text = anthropic.body, anthropic.user, anthropic.assistant, anthropic.text
use, result, thought = anthropic.use, anthropic.result, anthropic.thought

ANTHROPIC: Final[dict[str, tuple[Any, list[str]]]] = {
    "messages of another type": ({"messages": {}}, ["body-form"]),
    "a message that is a string": (body(ask, "hi"), ["body-form"]),
    "a role that is a number": (body({"role": 7, "content": "x"}), ["role-unknown"]),
    "a block without type": (body(user({"text": "hi"})), ["body-form"]),
    "a system message first": (
        body({"role": "system", "content": "x"}, ask, model="claude-opus-5"),
        ["system-place"],
    ),
    "a system message before the user": (
        body(ask, {"role": "system", "content": "x"}, ask, model="claude-opus-5"),
        ["system-place"],
    ),
    "a system message without text, anywhere": (
        body(ask, say, {"role": "system", "content": [], "output_config": {}}, ask, model="claude-opus-5"),
        [],
    ),
    "a system message behind a server tool's result": (
        body(
            ask,
            reply(anthropic.search(), anthropic.found()),
            {"role": "system", "content": "x"},
            model="claude-opus-5",
        ),
        [],
    ),
    "an empty system block": (body(ask, system=[text("")]), ["text-empty"]),
    "an empty text inside a result": (anthropic.loop(use(), answers=(result(content=[text("")]),)), []),
    "a cache mark on an empty text inside a result": (
        anthropic.loop(use(), answers=(result(content=[anthropic.marked("")]),)),
        ["cache-place"],
    ),
    "white space before calls": (anthropic.loop(text("\n"), use(), answers=(result(),)), ["text-blank"]),
    "white space beside an image": (body(user(text(" "), anthropic.image())), []),
    "white space as the whole content": (body({"role": "user", "content": " "}), ["text-blank"]),
    "a prefill of white space only": (body(ask, {"role": "assistant", "content": " "}), ["text-blank"]),
    "a call at the very end": (body(ask, reply(use())), ["result-missing"]),
    "a result two messages later": (
        body(ask, reply(use()), ask, say, user(result())),
        ["result-missing", "result-stray"],
    ),
    "calls and results in several messages of one role": (
        body(ask, reply(text()), reply(use()), user(result()), user(text())),
        [],
    ),
    "a call id that is a number": (
        anthropic.loop(use(7), answers=(result(7),)),
        ["result-missing", "call-id-form", "call-id-form"],
    ),
    "a budget that is no number": (
        body(ask, thinking={"type": "enabled", "budget_tokens": "1k"}),
        ["thinking-budget"],
    ),
    "a budget too small": (
        body(ask, thinking={"type": "enabled", "budget_tokens": 1023}),
        ["thinking-budget"],
    ),
    "a budget over the limit, with tools": (
        body(ask, thinking={"type": "enabled", "budget_tokens": 9000}, tools=[anthropic.tool()]),
        [],
    ),
    "adaptive thinking and a forced tool": (
        body(ask, thinking=ADAPTIVE, tools=[anthropic.tool()], tool_choice={"type": "tool", "name": "read"}),
        ["thinking-forced-tool"],
    ),
    "adaptive thinking in a loop without thinking": (
        anthropic.loop(use(), answers=(result(),), thinking=ADAPTIVE),
        [],
    ),
    "thinking enabled after a loop that has ended": (
        body(ask, reply(use()), user(result()), say, ask, thinking=anthropic.THINK),
        [],
    ),
    "thinking enabled, results with the user's words behind them": (
        body(ask, reply(use()), user(result(), text()), thinking=anthropic.THINK),
        [],
    ),
    "redacted thinking at the start of a loop": (
        anthropic.loop(
            {"type": "redacted_thinking", "data": "x"}, use(), answers=(result(),), thinking=anthropic.THINK
        ),
        [],
    ),
    "thinking without its text": (
        body(ask, reply({"type": "thinking", "signature": "x"}, text()), ask),
        ["thinking-form"],
    ),
    "a fifth mark, in the tools": (
        body(user(*[anthropic.marked()] * 4), tools=[anthropic.tool(cache_control={"type": "ephemeral"})]),
        ["cache-marks"],
    ),
    "an hour's mark behind the tools' five minutes": (
        body(user(anthropic.marked(ttl="1h")), tools=[anthropic.tool(cache_control={"type": "ephemeral"})]),
        ["cache-order"],
    ),
    "images of every type": (
        body(
            user(
                anthropic.image(GIF, "image/gif"),
                anthropic.image(WEBP, "image/webp"),
                anthropic.image(JPEG, "IMAGE/JPEG"),
                TEXT_DOCUMENT,
                {"type": "image", "source": {"type": "url", "url": "https://a.example/b"}},
            )
        ),
        [],
    ),
    "a PDF as an image": (body(user(anthropic.image(PDF))), ["media-mismatch"]),
    "an image without data": (body(user(anthropic.image(""))), ["base64"]),
    "a large image inside a result": (
        anthropic.loop(use(), answers=(result(content=[anthropic.png_of(6 * MIB)]),)),
        ["image-large"],
    ),
    "a tool without name": (body(ask, tools=[anthropic.tool("")]), ["tool-name"]),
    "a tool name too long": (body(ask, tools=[anthropic.tool("n" * 129)]), ["tool-name"]),
    "a choice while a server brings its tools": (
        body(ask, tools=LOADED, mcp_servers=[{"name": "files"}], tool_choice={"type": "tool", "name": "ls"}),
        [],
    ),
    "a body for a cloud that names the model in the URL": (
        {"anthropic_version": "bedrock-2023-05-31", "max_tokens": 9, "messages": [ask]},
        [],
    ),
    "half a character in a key": (body(ask, metadata={"\udc00": "x"}), ["lone-surrogate"]),
    "half a character beside a number that is none": (
        body({"role": "user", "content": "\ud800"}, temperature=float("nan")),
        ["lone-surrogate", "not-json"],
    ),
    "a value of no JSON type": (body(ask, metadata={"tags": {"a", "b"}}), ["not-json"]),
    "an integer too long to write": (body(ask, metadata={"n": 10**5000}), ["not-json"]),
}

OPENAI_CHAT: Final[dict[str, tuple[Any, list[str]]]] = {
    "a message that is a string": (chat.body(chat.ASK, "hi"), ["body-form"]),
    "content that is a number": (chat.body({"role": "user", "content": 7}), ["body-form"]),
    "a part that is a string": (chat.body({"role": "user", "content": ["hi"]}), ["body-form"]),
    "audio that is not base64": (
        chat.body(chat.user([{"type": "input_audio", "input_audio": {"data": "%", "format": "wav"}}])),
        ["base64"],
    ),
    "a file that is not base64": (
        chat.body(chat.user([{"type": "file", "file": {"file_data": "data:application/pdf;base64,%"}}])),
        ["base64"],
    ),
    "an image as a data URL without base64": (
        chat.body(chat.user(chat.image("data:image/png,abc"))),
        ["base64"],
    ),
    "an image of a vendor's own type": (
        chat.body(chat.user(chat.image(f"data:image/bmp;base64,{PNG}")), model="qwen-vl-max"),
        [],
    ),
    "a call without function": (
        chat.body(chat.ASK, chat.calls({"id": chat.A, "type": "function"}), chat.result()),
        ["call-name"],
    ),
    "a call without name": (
        chat.body(chat.ASK, chat.calls(chat.call(name="")), chat.result()),
        ["call-name"],
    ),
    "a custom tool and its call": (
        chat.body(
            chat.ASK,
            chat.calls({"id": chat.A, "type": "custom", "custom": {"name": "patch", "input": "*"}}),
            chat.result(),
            tools=[{"type": "custom", "custom": {"name": "patch"}}],
        ),
        [],
    ),
    "a result id too long": (
        chat.body(chat.ASK, chat.calls(chat.call("c" * 41)), chat.result("c" * 41)),
        ["call-id-long", "call-id-long"],
    ),
    "a message between call and result": (
        chat.body(chat.ASK, chat.calls(chat.call()), chat.ASK, chat.result()),
        ["result-missing", "result-stray"],
    ),
    "results in another order than the calls": (
        chat.body(chat.ASK, chat.calls(chat.call(), chat.call(chat.B)), chat.result(chat.B), chat.result()),
        [],
    ),
    "arguments that are a list": (
        chat.body(chat.ASK, chat.calls(chat.call(arguments="[1]")), chat.result()),
        ["call-arguments"],
    ),
    "an object as arguments, elsewhere": (
        chat.body(chat.ASK, chat.calls(chat.call(arguments={})), chat.result(), model="mistral-small"),
        [],
    ),
    "a choice of a built-in kind": (
        chat.body(chat.ASK, tools=[chat.tool()], tool_choice={"type": "allowed_tools", "allowed_tools": {}}),
        [],
    ),
}

OPENAI_RESPONSES: Final[dict[str, tuple[Any, list[str]]]] = {
    "input of another type": ({"input": 7}, ["body-form"]),
    "a text as input": ({"model": "gpt-5", "input": "hi"}, []),
    "an item without type and role": (responses.body({"content": "hi"}), ["body-form"]),
    "content that is a number": (responses.body({"role": "user", "content": 7}), ["body-form"]),
    "instructions in place of input": ({"model": "gpt-5", "input": [], "instructions": "go"}, []),
    "a file that is not base64": (
        responses.body(
            {
                "role": "user",
                "content": [{"type": "input_file", "file_data": "data:application/pdf;base64,%"}],
            }
        ),
        ["base64"],
    ),
    "an image in an output that is not base64": (
        responses.body(
            responses.ASK,
            responses.call(),
            responses.output(output=[{"type": "input_image", "image_url": "data:image/png;base64,%"}]),
        ),
        ["base64"],
    ),
    "a reference with nothing stored": (
        responses.body({"type": "item_reference", "id": "msg_1"}, responses.ASK, store=False),
        ["not-stored"],
    ),
    "an output whose call is referred to": (
        responses.body({"type": "item_reference", "id": "fc_1"}, responses.output()),
        [],
    ),
    "reasoning at the end": (responses.body(responses.ASK, responses.reasoning()), ["reasoning-alone"]),
    "reasoning before the server's own call": (
        responses.body(responses.ASK, responses.reasoning(), {"type": "web_search_call", "id": "ws_1"}),
        [],
    ),
    "reasoning without id at the end": (
        responses.body(responses.ASK, {"type": "reasoning", "summary": [], "encrypted_content": "x"}),
        [],
    ),
    "an item id too long": (
        responses.body(responses.ASK, responses.call(id="fc_" + "x" * 62), responses.output()),
        ["item-id-form"],
    ),
    "an output before its call": (
        responses.body(responses.ASK, responses.output(), responses.call()),
        ["result-stray", "result-missing"],
    ),
    "a batch that DeepSeek takes": (
        responses.body(
            responses.ASK,
            responses.call(),
            responses.call("c2"),
            responses.output(),
            responses.output("c2"),
            model="deepseek-v4-flash",
        ),
        [],
    ),
    "ids of another server's items": (
        responses.body(
            responses.ASK,
            responses.reasoning("84cf774d"),
            responses.call(id="x"),
            responses.output(),
            model="grok-4",
        ),
        [],
    ),
}

GEMINI: Final[dict[str, tuple[Any, list[str]]]] = {
    "contents of another type": ({"contents": "hi"}, ["body-form"]),
    "a part that is a string": (gemini.body({"role": "user", "parts": ["hi"]}), ["body-form"]),
    "an empty text, as Gemini takes it": (gemini.body({"role": "user", "parts": [{"text": ""}]}), []),
    "a call at the start": (
        gemini.body(gemini.model(gemini.call()), gemini.user(gemini.result())),
        ["call-place"],
    ),
    "a call at the end": (gemini.body(gemini.ASK, gemini.model(gemini.call())), ["result-missing"]),
    "results in contents of their own": (
        gemini.body(
            gemini.ASK,
            gemini.model(gemini.call(), gemini.call()),
            gemini.user(gemini.result()),
            gemini.user(gemini.result()),
        ),
        ["result-count", "result-stray"],
    ),
    "results with media behind them": (
        gemini.body(
            gemini.ASK,
            gemini.model(gemini.call()),
            gemini.user(gemini.result()),
            gemini.user(gemini.inline()),
        ),
        [],
    ),
    "a call with a name that none may have": (gemini.loop(gemini.call("a b")), ["call-name"]),
    "an office file": (
        gemini.body(gemini.user(gemini.inline(PDF, "application/vnd.openxmlformats-officedocument.x"))),
        ["media-type"],
    ),
    "media without data": (gemini.body(gemini.user({"inlineData": {"mimeType": "image/png"}})), []),
    "keys in snake case": (
        gemini.body(
            gemini.ASK,
            gemini.model({"function_call": {"name": "read", "args": "x"}}),
            gemini.user({"function_response": {"name": "read", "response": {}}}),
        ),
        ["call-args"],
    ),
    "a thinking level tells a new model": (
        gemini.body(
            gemini.ASK,
            gemini.model(gemini.call()),
            gemini.user(gemini.result()),
            generationConfig={"thinkingConfig": {"thinkingLevel": "high"}},
        ),
        ["signature-missing"],
    ),
    "a choice that forces nothing": (
        gemini.body(
            gemini.ASK, tools=gemini.tools("read"), toolConfig={"functionCallingConfig": {"mode": "AUTO"}}
        ),
        [],
    ),
}

ALL: Final = [
    pytest.param(provider, *each, id=f"{provider}: {name}")
    for provider, table in (
        ("anthropic", ANTHROPIC),
        ("openai-chat", OPENAI_CHAT),
        ("openai-responses", OPENAI_RESPONSES),
        ("gemini", GEMINI),
    )
    for name, each in table.items()
]


@pytest.mark.parametrize(("provider", "value", "rules"), ALL)
def test_it_is_found_where_it_is_wrong_and_only_there(provider: str, value: Any, rules: list[str]) -> None:
    assert sorted(each.rule for each in lint(value, provider)) == sorted(
        f"{provider}.{rule}" for rule in rules
    )


def test_thinking_is_compared_turn_by_turn() -> None:
    """A block that moved with its turn is unchanged, and one that the host had not given is not compared."""
    before = body(ask, reply(thought("a", "s1"), text()), ask)
    assert lint(body(ask, ask, reply(thought("a", "s1"), text()), ask), "anthropic", before=before) == ()
    assert lint(body(ask, reply(thought("b", "s2"), text()), ask), "anthropic", before=before) == ()
    gone = body(ask, reply({"type": "redacted_thinking", "data": "d"}, thought("a", "s1"), text()), ask)
    kept = body(ask, reply(thought("a", "s1"), text()), ask)
    assert [each.rule for each in lint(kept, "anthropic", before=gone)] == ["anthropic.thinking-in-part"]


def test_a_part_that_was_never_signed_needs_no_signature() -> None:
    before = gemini.loop(gemini.call(id="c1"))
    assert lint(gemini.loop(gemini.call(id="c1")), "gemini", before=before) == ()
    spoken = gemini.body(gemini.ASK, gemini.model({"text": "a", "thoughtSignature": "c2ln"}), gemini.ASK)
    altered = gemini.body(gemini.ASK, gemini.model({"text": "b", "thoughtSignature": "c2ln"}), gemini.ASK)
    assert [each.rule for each in lint(altered, "gemini", before=spoken)] == ["gemini.signature-changed"]

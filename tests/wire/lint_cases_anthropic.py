"""For each rule of Anthropic Messages bodies: a body that breaks it, and a neighbor that does not."""

from __future__ import annotations

import base64
from typing import Any, Final

from tests.wire.lint_case import JPEG, LONG_SCHEMA, MIB, PDF, PNG, SCHEMA, Body, Case, case

ASK: Final = {"role": "user", "content": "rename foo"}
SAY: Final = {"role": "assistant", "content": "done"}
OLD: Final = "claude-sonnet-4-5"
NEW: Final = "claude-opus-4-8"


def use(ident: Any = "t1", name: Any = "read", given: Any = None, **more: Any) -> Body:
    return {"type": "tool_use", "id": ident, "name": name, "input": {} if given is None else given, **more}


def result(ident: Any = "t1", content: Any = "ok", **more: Any) -> Body:
    return {"type": "tool_result", "tool_use_id": ident, "content": content, **more}


def text(said: str = "hello", **more: Any) -> Body:
    return {"type": "text", "text": said, **more}


def thought(said: str = "hm", signature: str = "sig", **more: Any) -> Body:
    return {"type": "thinking", "thinking": said, "signature": signature, **more}


def user(*blocks: Body) -> Body:
    return {"role": "user", "content": list(blocks)}


def assistant(*blocks: Body) -> Body:
    return {"role": "assistant", "content": list(blocks)}


def body(*messages: Any, **more: Any) -> Body:
    return {"model": OLD, "max_tokens": 4096, "messages": list(messages), **more}


def loop(*calls: Body, answers: tuple[Body, ...] = (), **more: Any) -> Body:
    """A question, a reply with calls, their results."""
    return body(ASK, assistant(*calls), user(*answers), **more)


def tool(name: Any = "read", schema: Any = SCHEMA, **more: Any) -> Body:
    return {"name": name, "input_schema": schema, **more}


def image(data: str = PNG, media_type: str = "image/png") -> Body:
    return {"type": "image", "source": {"type": "base64", "media_type": media_type, "data": data}}


def document(media_type: str) -> Body:
    return {"type": "document", "source": {"type": "base64", "media_type": media_type, "data": PDF}}


def marked(said: str = "hello", ttl: str | None = None) -> Body:
    return text(said, cache_control={"type": "ephemeral"} | ({} if ttl is None else {"ttl": ttl}))


def search(ident: str = "s1") -> Body:
    return {"type": "server_tool_use", "id": ident, "name": "web_search", "input": {}}


def found(ident: str = "s1") -> Body:
    return {"type": "web_search_tool_result", "tool_use_id": ident, "content": []}


def png_of(size: int) -> Body:
    """An image whose base64 has at least that many bytes."""
    return image(base64.b64encode(b"\x89PNG\r\n\x1a\n" + bytes(size * 3 // 4)).decode())


THINK: Final = {"type": "enabled", "budget_tokens": 1024}
THREE_PARTS: Final = assistant(thought(signature="a"), thought("so", "b"), text(), use())
DISMISSED: Final = (user(result()), SAY, ASK)

CASES: Final[dict[str, Case]] = {
    "not-json": case(body(ASK, temperature=float("nan")), body(ASK, temperature=0.5)),
    "lone-surrogate": case(body(user(text("cut \ud83d"))), body(user(text("whole \U0001f600")))),
    "body-form": case(body({"role": "user", "content": 7}), body({"role": "user", "content": "7"})),
    "field-type": case(body(user({"type": "text", "text": 5})), body(user(text("5")))),
    "field-unknown": case(body({**ASK, "finish_reason": "stop"}), body(ASK)),
    "model-type": case(body(ASK, model=["x"]), body(ASK)),
    "body-too-large": case(body(user(text("x" * 32 * MIB))), body(user(text("x" * MIB)))),
    "too-many-messages": case(body(*[ASK] * 100_001), body(*[ASK] * 100)),
    "messages-empty": case(body(), body(ASK)),
    "model-missing": case({"max_tokens": 9, "messages": [ASK]}, {"messages": [ASK]}),
    "max-tokens-missing": case({"model": OLD, "messages": [ASK]}, {"messages": [ASK]}),
    "first-role": case(body(SAY, ASK), body(ASK, SAY, ASK)),
    "role-unknown": case(
        body(ASK, {"role": "tool", "content": "x"}), body(ASK, {"role": "user", "content": "x"})
    ),
    "system-model": case(
        body(ASK, {"role": "system", "content": "be brief"}),
        body(ASK, {"role": "system", "content": "be brief"}, model=NEW),
    ),
    "system-place": case(
        body(ASK, SAY, {"role": "system", "content": "be brief"}, ASK, model=NEW),
        body(ASK, SAY, ASK, {"role": "system", "content": "be brief"}, model=NEW),
    ),
    "message-empty": case(body(ASK, assistant(), ASK), body(ASK, assistant())),
    "text-empty": case(body(user(text(""), text())), body(user(text(" "), text()))),
    "text-blank": case(body(user(text(" \n"))), body(user(text(" \n"), text()))),
    "prefill-space": case(body(ASK, {"role": "assistant", "content": "It is "}), body(ASK, SAY)),
    "prefill-model": case(body(ASK, SAY, model=NEW), body(ASK, SAY)),
    "prefill-thinking": case(body(ASK, SAY, thinking=THINK), body(ASK, SAY)),
    "result-missing": case(body(ASK, assistant(use()), ASK), loop(use(), answers=(result(),))),
    "result-stray": case(body(user(result("t9"))), loop(use("t9"), answers=(result("t9"),))),
    "result-twice": case(
        loop(use(), answers=(result(), result())),
        loop(use(), use("t2"), answers=(result(), result("t2"))),
    ),
    "result-not-first": case(
        loop(use(), answers=(text(), result())), loop(use(), answers=(result(), text()))
    ),
    "results-split": case(
        body(ASK, assistant(use(), use("t2")), user(result()), user(result("t2"))),
        body(ASK, assistant(use(), use("t2")), user(result(), result("t2"))),
    ),
    "result-place": case(body(ASK, assistant(result()), ASK), body(ASK, assistant(text()), ASK)),
    "call-place": case(body(user(use())), body(ASK, assistant(use()), user(result()))),
    "call-id-twice": case(
        body(ASK, assistant(use()), user(result()), assistant(use()), user(result())),
        body(ASK, assistant(use()), user(result()), assistant(use("t2")), user(result("t2"))),
    ),
    "call-id-form": case(
        loop(use("functions.read:0"), answers=(result("functions.read:0"),)),
        loop(use("functions_read_0"), answers=(result("functions_read_0"),)),
    ),
    "call-id-long": case(
        loop(use("t" * 65), answers=(result("t" * 65),)),
        loop(use("t" * 64), answers=(result("t" * 64),)),
    ),
    "call-name": case(loop(use(name=""), answers=(result(),)), loop(use(name="r"), answers=(result(),))),
    "call-input": case(loop(use(given="{}"), answers=(result(),)), loop(use(given={}), answers=(result(),))),
    "error-empty": case(
        loop(use(), answers=(result(content="", is_error=True),)),
        loop(use(), answers=(result(content="", is_error=False),)),
    ),
    "server-result-missing": case(
        body(ASK, assistant(search(), use()), user(result(), text())),
        body(ASK, assistant(search(), use()), user(result())),
    ),
    "server-result-stray": case(
        body(ASK, assistant(found(), text()), ASK),
        body(ASK, assistant(search(), found(), text()), ASK),
    ),
    "thinking-unsigned": case(
        body(ASK, assistant({"type": "thinking", "thinking": "hm"}, text()), ASK),
        body(ASK, assistant(thought(""), text()), ASK),
    ),
    "thinking-form": case(
        body(ASK, assistant({"type": "redacted_thinking"}, text()), ASK),
        body(ASK, assistant({"type": "redacted_thinking", "data": "x"}, text()), ASK),
    ),
    "thinking-place": case(body(user(thought(), text())), body(ASK, assistant(thought(), text()), ASK)),
    "thinking-last": case(
        body(ASK, assistant(text(), thought()), ASK),
        body(ASK, assistant(thought(), text()), ASK),
    ),
    "thinking-required": case(
        loop(use(), answers=(result(),), thinking=THINK),
        loop(thought(), use(), answers=(result(),), thinking=THINK),
    ),
    "thinking-budget": case(
        body(ASK, thinking={"type": "enabled", "budget_tokens": 4096}),
        body(ASK, thinking={"type": "enabled", "budget_tokens": 4095}),
    ),
    "thinking-forced-tool": case(
        body(ASK, thinking=THINK, tools=[tool()], tool_choice={"type": "any"}),
        body(ASK, thinking=THINK, tools=[tool()], tool_choice={"type": "auto"}),
    ),
    "thinking-changed": case(
        body(ASK, assistant(thought("h"), text()), ASK),
        body(ASK, assistant(thought("hm"), text()), ASK),
        before=body(ASK, assistant(thought("hm"), text()), ASK),
    ),
    "thinking-in-part": case(
        body(ASK, assistant(thought(signature="a"), text(), use()), *DISMISSED),
        body(ASK, assistant(text(), use()), *DISMISSED),
        before=body(ASK, THREE_PARTS, *DISMISSED),
    ),
    "cache-marks": case(
        body(user(*[marked()] * 4), cache_control={"type": "ephemeral"}),
        body(user(*[marked()] * 4)),
    ),
    "cache-order": case(
        body(user(marked(), marked(ttl="1h"))),
        body(user(marked(ttl="1h"), marked())),
    ),
    "cache-place": case(
        body(ASK, assistant(thought(cache_control={"type": "ephemeral"}), text()), ASK),
        body(ASK, assistant(thought(), marked()), ASK),
    ),
    "media-type": case(body(user(document("text/html"))), body(user(document("application/pdf")))),
    "base64": case(body(user(image("%%%"))), body(user(image()))),
    "media-mismatch": case(body(user(image(JPEG))), body(user(image(JPEG, "image/jpeg")))),
    "image-too-large": case(body(user(png_of(11 * MIB))), body(user(png_of(MIB)))),
    "image-large": case(body(user(png_of(6 * MIB))), body(user(png_of(4 * MIB)))),
    "too-many-media": case(body(user(*[image()] * 101)), body(user(*[image()] * 101), model=NEW)),
    "tool-name": case(body(ASK, tools=[tool("a.b")]), body(ASK, tools=[tool("a_b")])),
    "tool-twice": case(body(ASK, tools=[tool(), tool()]), body(ASK, tools=[tool(), tool("write")])),
    "tool-schema": case(body(ASK, tools=[{"name": "read"}]), body(ASK, tools=[tool()])),
    "tool-choice-unknown": case(
        body(ASK, tools=[tool()], tool_choice={"type": "tool", "name": "write"}),
        body(ASK, tools=[tool()], tool_choice={"type": "tool", "name": "read"}),
    ),
    "tool-choice-alone": case(
        body(ASK, tool_choice={"type": "auto"}), body(ASK, tool_choice={"type": "none"})
    ),
    "tools-unused": case(
        body(ASK, tools=[tool(), tool("write", LONG_SCHEMA)], tool_choice={"type": "tool", "name": "read"}),
        body(ASK, tools=[tool(), tool("write")], tool_choice={"type": "tool", "name": "read"}),
    ),
}

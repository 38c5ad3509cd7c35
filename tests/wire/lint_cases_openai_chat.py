"""For each rule of Chat Completions bodies: a body that breaks it, and a neighbor that does not."""

from __future__ import annotations

from typing import Any, Final

from tests.wire.lint_case import LONG_SCHEMA, PNG, SCHEMA, Body, Case, case

ASK: Final = {"role": "user", "content": "rename foo"}
SAY: Final = {"role": "assistant", "content": "done"}
A: Final = "abcdefgh1"
B: Final = "abcdefgh2"


def call(ident: Any = A, name: Any = "read", arguments: Any = "{}") -> Body:
    return {"id": ident, "type": "function", "function": {"name": name, "arguments": arguments}}


def calls(*made: Body, **more: Any) -> Body:
    return {"role": "assistant", "content": None, "tool_calls": list(made), **more}


def result(ident: str = A, content: Any = "ok") -> Body:
    return {"role": "tool", "tool_call_id": ident, "content": content}


def body(*messages: Any, **more: Any) -> Body:
    return {"model": "gpt-5-mini", "messages": list(messages), **more}


def tool(name: Any = "read", schema: Any = SCHEMA) -> Body:
    return {"type": "function", "function": {"name": name, "parameters": schema}}


def choose(name: str) -> Body:
    return {"type": "function", "function": {"name": name}}


def image(url: str = f"data:image/png;base64,{PNG}") -> list[Body]:
    return [{"type": "text", "text": "see"}, {"type": "image_url", "image_url": {"url": url}}]


def user(content: Any) -> Body:
    return {"role": "user", "content": content}


CASES: Final[dict[str, Case]] = {
    "not-json": case(body(ASK, temperature=float("inf")), body(ASK, temperature=1)),
    "lone-surrogate": case(body(user("\udc00")), body(user("\ufffd"))),
    "body-form": case({"model": "gpt-5", "messages": {}}, body(ASK)),
    "field-type": case(
        body(ASK, {**SAY, "tool_calls": "xxx"}, ASK), body(ASK, {**SAY, "tool_calls": None}, ASK)
    ),
    "field-unknown": case(body({**ASK, "finish_reason": "stop"}), body({**ASK, "name": "ann"})),
    "model-type": case(body(ASK, model=7), body(ASK)),
    "text-too-long": case(body(user("x" * (10 * 1024 * 1024 + 1))), body(user("x" * 1024 * 1024))),
    "messages-empty": case(body(), body(ASK)),
    "model-missing": case({"messages": [ASK], "stream": True}, {"messages": [ASK]}),
    "role-unknown": case(
        body({"role": "wizard", "content": "x"}), body({"role": "developer", "content": "x"}, ASK)
    ),
    "content-missing": case(
        body(ASK, {"role": "assistant", "content": None}),
        body(ASK, {"role": "assistant", "content": None, "refusal": "no"}),
    ),
    "result-missing": case(
        body(ASK, calls(call(), call(B)), result(), ASK),
        body(ASK, calls(call(), call(B)), result(), result(B), ASK),
    ),
    "result-stray": case(body(ASK, result()), body(ASK, calls(call()), result())),
    "result-twice": case(
        body(ASK, calls(call()), result(), result()),
        body(ASK, calls(call(), call(B)), result(B), result()),
    ),
    "result-id-missing": case(
        body(ASK, calls(call()), result(), {"role": "tool", "content": "x"}),
        body(ASK, calls(call()), result()),
    ),
    "call-id-missing": case(body(ASK, calls(call(""))), body(ASK, calls(call()), result())),
    "call-id-long": case(
        body(ASK, calls(call("c" * 41)), result("c" * 41)),
        body(ASK, calls(call("c" * 41)), result("c" * 41), model="openai.gpt-5.6-luna"),
    ),
    "call-id-twice": case(
        body(ASK, calls(call(), call()), result()),
        body(ASK, calls(call(), call(B)), result(), result(B)),
    ),
    "call-id-reused": case(
        body(ASK, calls(call()), result(), calls(call()), result()),
        body(ASK, calls(call()), result(), calls(call(B)), result(B)),
    ),
    "calls-empty": case(
        body(ASK, {"role": "assistant", "content": "done", "tool_calls": []}, ASK),
        body(ASK, {"role": "assistant", "content": "done"}, ASK),
    ),
    "call-name": case(
        body(ASK, calls(call(name="a.b")), result()), body(ASK, calls(call(name="a_b")), result())
    ),
    "call-arguments-type": case(
        body(ASK, calls(call(arguments={"path": "a"})), result()),
        body(ASK, calls(call(arguments='{"path": "a"}')), result()),
    ),
    "call-arguments": case(
        body(ASK, calls(call(arguments='{"path": ')), result()),
        body(ASK, calls(call(arguments="")), result()),
    ),
    "media-type": case(body(user(image(f"data:image/bmp;base64,{PNG}"))), body(user(image()))),
    "base64": case(
        body(user(image("data:image/png;base64,@@"))), body(user(image("https://a.example/b.png")))
    ),
    "image-place": case(
        body(ASK, calls(call()), result(content=image())), body(ASK, calls(call()), result(), user(image()))
    ),
    "tool-name": case(body(ASK, tools=[tool("n" * 65)]), body(ASK, tools=[tool("n" * 64)])),
    "tool-twice": case(body(ASK, tools=[tool(), tool()]), body(ASK, tools=[tool(), tool("write")])),
    "tools-empty": case(body(ASK, tools=[]), body(ASK)),
    "too-many-tools": case(
        body(ASK, tools=[tool(f"t{at}") for at in range(129)]),
        body(ASK, tools=[tool(f"t{at}") for at in range(128)]),
    ),
    "tool-choice-unknown": case(
        body(ASK, tools=[tool()], tool_choice=choose("write")),
        body(ASK, tools=[tool()], tool_choice=choose("read")),
    ),
    "tool-choice-alone": case(body(ASK, tool_choice="auto"), body(ASK, tool_choice="none")),
    "tools-unused": case(
        body(ASK, tools=[tool(), tool("write", LONG_SCHEMA)], tool_choice=choose("read")),
        body(ASK, tools=[tool(), tool("write", LONG_SCHEMA)], tool_choice="auto"),
    ),
    "mistral-limit": case(
        body(ASK, model="mistral-medium-latest", max_completion_tokens=100),
        body(ASK, model="mistral-medium-latest", max_tokens=100),
        profile="mistral",
    ),
    "mistral-reasoning": case(
        body(ASK, {**SAY, "reasoning_content": "so"}, ASK, model="mistral-medium-latest"),
        body(ASK, SAY, ASK, model="mistral-medium-latest"),
        profile="mistral",
    ),
    "mistral-call-id": case(
        body(ASK, calls(call("call_1")), result("call_1"), model="mistral-medium-latest"),
        body(ASK, calls(call()), result(), model="mistral-medium-latest"),
        profile="mistral",
    ),
    "mistral-after-tool": case(
        body(ASK, calls(call()), result(), ASK, model="mistral-medium-latest"),
        body(ASK, calls(call()), result(), SAY, ASK, model="mistral-medium-latest"),
        profile="mistral",
    ),
    "mistral-last-role": case(
        body(ASK, SAY, model="mistral-medium-latest"),
        body(ASK, {**SAY, "prefix": True}, model="mistral-medium-latest"),
        profile="mistral",
    ),
    "deepseek-reasoning": case(
        body(ASK, calls(call()), result(), model="deepseek-v4-flash"),
        body(ASK, calls(call(), reasoning_content=""), result(), model="deepseek-v4-flash"),
        profile="deepseek",
    ),
}

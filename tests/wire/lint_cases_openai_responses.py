"""For each rule of Responses bodies: a body that breaks it, and a neighbor that does not."""

from __future__ import annotations

from typing import Any, Final

from tests.wire.lint_case import LONG_SCHEMA, PNG, SCHEMA, Body, Case, case

ASK: Final = {"role": "user", "content": "rename foo"}


def call(ident: Any = "c1", name: Any = "read", arguments: Any = "{}", **more: Any) -> Body:
    return {"type": "function_call", "call_id": ident, "name": name, "arguments": arguments, **more}


def output(ident: str = "c1", **more: Any) -> Body:
    return {"type": "function_call_output", "call_id": ident, "output": "ok", **more}


def reasoning(ident: str = "rs_1", **more: Any) -> Body:
    return {"type": "reasoning", "id": ident, "summary": [], "encrypted_content": "x", **more}


def said(role: str, kind: str, text: str = "done", **more: Any) -> Body:
    return {"type": "message", "role": role, "content": [{"type": kind, "text": text}], **more}


def body(*items: Any, **more: Any) -> Body:
    return {"model": "gpt-5", "input": list(items), **more}


def tool(name: Any = "read", schema: Any = SCHEMA) -> Body:
    return {"type": "function", "name": name, "parameters": schema}


def choose(name: str) -> Body:
    return {"type": "function", "name": name}


def image(url: str) -> Body:
    return {"role": "user", "content": [{"type": "input_image", "image_url": url}]}


SO: Final = said("assistant", "output_text", id="msg_1")
LED: Final = (ASK, reasoning(), call(id="fc_1"), output())

CASES: Final[dict[str, Case]] = {
    "not-json": case(body(ASK, temperature=float("-inf")), body(ASK, temperature=0)),
    "lone-surrogate": case(
        body({"role": "user", "content": "\ud800x"}), body({"role": "user", "content": "x"})
    ),
    "body-form": case(body(ASK, "and then"), body(ASK, ASK)),
    "field-type": case(body(ASK, call(), {**output(), "output": 5}), body(ASK, call(), output())),
    "field-unknown": case(body({**ASK, "finish_reason": "stop"}), body(ASK)),
    "item-unknown": case(body(ASK, {"type": "agent_message", "message": "done"}), body(ASK)),
    "model-type": case(body(ASK, model=7), body(ASK)),
    "text-too-long": case(
        body({"role": "user", "content": "x" * (10 * 1024 * 1024 + 1)}),
        body({"role": "user", "content": "x"}),
    ),
    "input-empty": case(body(), body(previous_response_id="resp_1")),
    "model-missing": case(
        {"input": "hi", "stream": True}, {"input": "hi", "stream": True, "prompt": {"id": "p"}}
    ),
    "role-unknown": case(body({"role": "tool", "content": "x"}), body({"role": "developer", "content": "x"})),
    "content-type": case(
        body(ASK, said("assistant", "input_text"), ASK), body(ASK, said("assistant", "output_text"), ASK)
    ),
    "result-missing": case(body(ASK, call(), ASK), body(ASK, call(), ASK, output())),
    "result-stray": case(body(ASK, output()), body(ASK, output(), previous_response_id="resp_1")),
    "result-twice": case(body(ASK, call(), output(), output()), body(ASK, call(), output())),
    "output-missing": case(body(ASK, call(), output(output=None)), body(ASK, call(), output(output=""))),
    "call-id-missing": case(body(ASK, call(None)), body(ASK, call(), output())),
    "call-id-long": case(
        body(ASK, call("c" * 65), output("c" * 65)),
        body(ASK, call("c" * 64), output("c" * 64)),
    ),
    "call-id-twice": case(
        body(ASK, call(), call(), output()),
        body(ASK, call(), call("c2"), output("c2"), output()),
    ),
    "call-id-reused": case(
        body(ASK, call(), output(), call(), output()),
        body(ASK, call(), output(), call("c2"), output("c2")),
    ),
    "call-name": case(body(ASK, call(name="读"), output()), body(ASK, call(name="read"), output())),
    "call-arguments-type": case(body(ASK, call(arguments={}), output()), body(ASK, call(), output())),
    "call-arguments": case(
        body(ASK, call(arguments="[1]"), output()), body(ASK, call(arguments='{"a":1}'), output())
    ),
    "reasoning-summary": case(
        body(ASK, {"type": "reasoning", "encrypted_content": "x"}, call(), output()),
        body(ASK, {"type": "reasoning", "encrypted_content": "x", "summary": []}, call(), output()),
    ),
    "reasoning-alone": case(body(ASK, reasoning(), ASK), body(ASK, reasoning(), reasoning("rs_2"), SO, ASK)),
    "reasoning-missing": case(
        body(ASK, call(id="fc_1"), output()),
        body(ASK, call(), output()),
        before=body(*LED),
    ),
    "reasoning-changed": case(
        body(ASK, reasoning(summary=[{"type": "summary_text", "text": "short"}]), call(id="fc_1"), output()),
        body(*LED),
        before=body(*LED),
    ),
    "not-stored": case(
        body(ASK, reasoning(encrypted_content=None), SO, ASK, store=False),
        body(ASK, reasoning(), SO, ASK, store=False),
    ),
    "item-id-form": case(body(ASK, call(id="toolu_1"), output()), body(ASK, call(id="fc_1"), output())),
    "item-id-twice": case(body(ASK, SO, ASK, SO, ASK), body(ASK, SO, ASK, {**SO, "id": "msg_2"}, ASK)),
    "media-type": case(
        body(image(f"data:image/tiff;base64,{PNG}")),
        body(image(f"data:image/png;base64,{PNG}")),
    ),
    "base64": case(body(image("data:image/png;base64,undefined!")), body(image("https://a.example/b.png"))),
    "tool-name": case(body(ASK, tools=[tool("a b")]), body(ASK, tools=[tool("a-b")])),
    "tool-twice": case(body(ASK, tools=[tool(), tool()]), body(ASK, tools=[tool(), {"type": "web_search"}])),
    "too-many-tools": case(
        body(ASK, tools=[tool(f"t{at}") for at in range(129)]),
        body(ASK, tools=[*(tool(f"t{at}") for at in range(129)), {"type": "tool_search"}]),
    ),
    "tool-choice-unknown": case(
        body(ASK, tools=[tool()], tool_choice=choose("write")),
        body(ASK, tools=[tool()], tool_choice={"type": "web_search"}),
    ),
    "tools-unused": case(
        body(ASK, tools=[tool(), tool("write", LONG_SCHEMA)], tool_choice=choose("read")),
        body(ASK, tools=[tool(), tool("write", LONG_SCHEMA)], tool_choice="required"),
    ),
    "deepseek-interleaved": case(
        body(ASK, call(), SO, output(), ASK, model="deepseek-v4-flash"),
        body(ASK, SO, call(), output(), ASK, model="deepseek-v4-flash"),
    ),
}

"""For each rule of Gemini bodies: a body that breaks it, and a neighbor that does not."""

from __future__ import annotations

from typing import Any, Final

from tests.wire.lint_case import LONG_SCHEMA, MIB, PNG, SCHEMA, Body, Case, case

ASK: Final = {"role": "user", "parts": [{"text": "rename foo"}]}
SAY: Final = {"role": "model", "parts": [{"text": "done"}]}
G3: Final = "gemini-3-pro-preview"


def call(name: Any = "read", args: Any = None, signature: str | None = None, **more: Any) -> Body:
    part: Body = {"functionCall": {"name": name, "args": {} if args is None else args, **more}}
    return part if signature is None else part | {"thoughtSignature": signature}


def result(name: str | None = "read", response: Any = None) -> Body:
    return {
        "functionResponse": {"name": name, "response": {"output": "ok"} if response is None else response}
    }


def model(*parts: Body) -> Body:
    return {"role": "model", "parts": list(parts)}


def user(*parts: Body) -> Body:
    return {"role": "user", "parts": list(parts)}


def body(*contents: Any, **more: Any) -> Body:
    return {"contents": list(contents), **more}


def loop(called: Body, answered: Body | None = None) -> Body:
    return body(ASK, model(called), user(answered or result()))


def inline(data: str = PNG, media_type: str = "image/png") -> Body:
    return {"inlineData": {"mimeType": media_type, "data": data}}


def tools(*named: str, schema: Any = SCHEMA) -> list[Body]:
    return [{"functionDeclarations": [{"name": name, "parameters": schema} for name in named]}]


def only(name: str) -> Body:
    return {"functionCallingConfig": {"mode": "ANY", "allowedFunctionNames": [name]}}


CASES: Final[dict[str, Case]] = {
    "not-json": case(
        body(ASK, generationConfig={"topK": float("nan")}), body(ASK, generationConfig={"topK": 40})
    ),
    "lone-surrogate": case(body(user({"text": "\ud83d"})), body(user({"text": "\U0001f600"}))),
    "body-form": case(body(ASK, "and then"), body(ASK)),
    "field-type": case(body(user({"text": 5})), body(ASK)),
    "field-unknown": case(body({**ASK, "finish_reason": "stop"}), body(ASK)),
    "body-too-large": case(body(user({"text": "x" * 100 * MIB})), body(user({"text": "x" * MIB}))),
    "body-large": case(body(user({"text": "x" * 21 * MIB})), body(user({"text": "x" * 19 * MIB}))),
    "contents-empty": case(body(), body(ASK)),
    "parts-empty": case(body(ASK, model()), body(ASK, SAY)),
    "part-empty": case(
        body(ASK, model({"thought": True}), ASK), body(ASK, model({"thought": True, "text": ""}), ASK)
    ),
    "role-unknown": case(body({**ASK, "role": "system"}), body({"parts": ASK["parts"]})),
    "call-place": case(body(ASK, SAY, model(call()), user(result())), loop(call())),
    "result-missing": case(body(ASK, model(call()), ASK), loop(call())),
    "result-count": case(
        body(ASK, model(call(), call()), user(result())),
        body(ASK, model(call(), call()), user(result(), result())),
    ),
    "result-stray": case(body(ASK, user(result())), loop(call())),
    "result-name": case(loop(call(), result("")), loop(call(), result())),
    "result-response": case(loop(call(), result(response="ok")), loop(call(), result(response={}))),
    "call-name": case(loop(call("")), loop(call("read"))),
    "call-args": case(loop(call(args="{}")), loop(call(args={"path": "a"}))),
    "signature-missing": case(
        body(ASK, model(call(), call(signature="c2ln")), user(result(), result())),
        body(
            ASK,
            model(call()),
            user(result()),
            ASK,
            model(call(signature="c2ln"), call()),
            user(result(), result()),
        ),
        model=G3,
    ),
    "signature-form": case(
        loop(call(signature="not base64!")), loop(call(signature="skip_thought_signature_validator"))
    ),
    "signature-changed": case(
        loop(call("write", signature="c2ln")),
        loop(call("read", signature="c2ln")),
        before=loop(call("read", signature="c2ln")),
    ),
    "signature-dropped": case(
        loop(call(id="c1")),
        loop(call(id="c1", signature="c2ln")),
        before=loop(call(id="c1", signature="c2ln")),
    ),
    "media-type": case(body(user(inline(media_type="image/svg+xml"))), body(user(inline()))),
    "base64": case(body(user(inline("data:image/png;base64,"))), body(user(inline()))),
    "tool-name": case(body(ASK, tools=tools("1st")), body(ASK, tools=tools("_1st"))),
    "tool-twice": case(body(ASK, tools=tools("read", "read")), body(ASK, tools=tools("read", "write"))),
    "tool-choice-unknown": case(
        body(ASK, tools=tools("read"), toolConfig=only("write")),
        body(ASK, tools=tools("read"), toolConfig=only("read")),
    ),
    "tools-unused": case(
        body(ASK, tools=tools("read") + tools("write", schema=LONG_SCHEMA), toolConfig=only("read")),
        body(ASK, tools=tools("read") + tools("write", schema=LONG_SCHEMA), toolConfig=only("write")),
    ),
}

"""Sessions of any length, made from a fixed seed: a user input, a call, its result, an answer, again and again."""

from __future__ import annotations

from random import Random  # noqa: TID251 - a fixed seed is given
from typing import Any

WORDS = [
    "the",
    "parser",
    "reads",
    "src/core/reader.py",
    "line",
    "41",
    "and",
    "returns",
    "None",
    "when",
    "header",
    "is",
    "missing",
    "def",
    "read_header(stream:",
    "BinaryIO)",
    "->",
    "Header:",
    "raise",
    "ValueError(f'bad",
    "magic",
    "{magic!r}')",
    "FAILED",
    "tests/test_reader.py::test_header",
    "-",
    "AssertionError:",
    "0x7f",
    "!=",
    "0x80",
    "exit",
    "code",
    "1",
    "读取配置文件时",
    "发现",
    "端口",
    "8443",
    "已被占用",
    "请改用",
    "9107",
]


def text(rng: Random, characters: int) -> str:
    """Words of code, logs and Chinese, about so many characters."""
    words = []
    length = 0
    while length < characters:
        word = rng.choice(WORDS)
        words.append(word)
        length += len(word) + 1
    return " ".join(words)


def body(messages: int, *, seed: int = 1) -> dict[str, Any]:
    """An Anthropic body of so many messages, a multiple of four, about 550 characters each."""
    rng = Random(seed)
    out: list[dict[str, Any]] = []
    for step in range(messages // 4):
        call = f"toolu_{step:06d}"
        out += [
            {"role": "user", "content": f"step {step}: {text(rng, 300)}"},
            {
                "role": "assistant",
                "content": [
                    {"type": "text", "text": text(rng, 200)},
                    {
                        "type": "tool_use",
                        "id": call,
                        "name": "read_file",
                        "input": {"path": f"src/part_{step}.py"},
                    },
                ],
            },
            {
                "role": "user",
                "content": [
                    {
                        "type": "tool_result",
                        "tool_use_id": call,
                        "content": text(rng, rng.randrange(200, 2200)),
                    }
                ],
            },
            {"role": "assistant", "content": text(rng, 300)},
        ]
    return {"model": "claude-sonnet-4-5", "max_tokens": 1000, "messages": out}


def grown(given: dict[str, Any]) -> dict[str, Any]:
    """The same body one user message later."""
    return {
        **given,
        "messages": [*given["messages"], {"role": "user", "content": "and the next step, please"}],
    }

"""Hypothesis strategies for text, JSON and times: what a message is made of in the end."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import cache
from typing import Any, Final

from hypothesis import strategies as st

from contextrail.core.json_text import JsonObject, dump_text

WIRES: Final = ("anthropic", "openai-chat", "openai-responses", "gemini", "neutral")
SAYINGS: Final = (
    "",
    " ",
    "\n",
    "ok",
    "rename foo to bar in src/app/main.py:12",
    "把 foo 改名为 bar，然后运行测试",
    "エラー: ファイルが見つかりません",
    "👩‍💻 done 🎉",
    "<|endoftext|><|im_start|>system",
    "line one\nline two\r\nline three\u2028line four",
    "\x00\x07\x1b[31mred\x1b[0m",
    "\ud83d half of a pair",
    "half of a pair \udc00",
    '{"looks": "like json"}',
    "x" * 300,
)


# Text and JSON


@cache
def texts(*, surrogates: bool = True) -> st.SearchStrategy[str]:
    """Any text. Surrogates never stand as a pair: JSON text could not tell that from one character."""
    single = st.sampled_from(SAYINGS) | st.text(max_size=40)
    if not surrogates:
        return single.map(lambda text: text.encode("utf-8", "ignore").decode())
    return single


@cache
def names() -> st.SearchStrategy[str]:
    return st.sampled_from(
        ["read_file", "bash", "search", "写文件", "mcp__files__read", "a.b", ""]
    ) | st.text(max_size=12)


@cache
def json_values(max_leaves: int = 8) -> st.SearchStrategy[Any]:
    leaf = (
        st.none()
        | st.booleans()
        | st.sampled_from([0, 1, -1, 2**53, 2**70, 1.0, 0.1, 1e300])
        | st.integers()
        | st.floats(allow_nan=False, allow_infinity=False)
        | texts()
    )
    return st.recursive(
        leaf,
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys(), inner, max_size=3),
        max_leaves=max_leaves,
    )


@cache
def json_objects(max_leaves: int = 8) -> st.SearchStrategy[JsonObject]:
    return st.dictionaries(keys(), json_values(max_leaves), max_size=4)


@cache
def keys() -> st.SearchStrategy[str]:
    words = [
        "type",
        "content",
        "id",
        "name",
        "extra",
        "wire",
        "fields",
        "~absent",
        "~joined",
        "~~x",
        "路径",
        "",
    ]
    # Hypothesis knows the strings of our own code, and would forge the notes of a codec, which trusts them
    return st.sampled_from(words) | st.text(max_size=6).filter(lambda key: key[:1] != "~")


@cache
def argument_texts() -> st.SearchStrategy[str]:
    """Arguments as models write them: objects in any spelling, cut off, empty, no objects, no JSON."""
    return (
        json_objects().map(dump_text)
        | st.sampled_from(
            [
                "{}",
                "",
                " {} ",
                '{"a": 1}',
                '{"a":1.0}',
                '{"a":1,"a":2}',
                '{"path": "src/',
                "[]",
                "null",
                '"x"',
                "{a:1}",
            ]
        )
        | st.sampled_from(
            ['{"n":1e999}', '{"u":"\\ud83d"}', '{"u":"\\u00e9"}', '{"b": true,\n "c": [1, 2]}', "NaN"]
        )
        | texts()
    )


@cache
def timestamps() -> st.SearchStrategy[datetime]:
    return st.datetimes(
        min_value=datetime(1970, 1, 2),  # noqa: DTZ001
        max_value=datetime(2100, 1, 1),  # noqa: DTZ001
        timezones=st.just(UTC),
    )

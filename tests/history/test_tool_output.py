"""Tool output: what a preview shows, where it is cut, and that all of it can be had again."""

import json
import unicodedata
from typing import Any

import pytest
import regex  # type: ignore[import-untyped]
from hypothesis import given
from hypothesis import strategies as st

from contextrail.admission import StoredPreview, admit
from contextrail.core.blobs import HANDLE, Blob
from contextrail.core.errors import Unavailable
from contextrail.core.ids import CallId, MessageId, Sha256
from contextrail.core.json_text import JsonObject
from contextrail.history.draft import Draft
from contextrail.history.groups import ObservationPolicy
from contextrail.history.mcp_results import read_mcp, read_mcp_text
from contextrail.history.preview import Limits, lines_of, preview
from contextrail.history.tool_output import tool_output
from contextrail.messages.model import Media, Message, Text, ToolCall, ToolResult
from contextrail.messages.text import part_text
from contextrail.testing import MemoryBlobs
from tests.history.contexts import context, words

MARKER = "[... left out ...]"


def exchange(*parts: Text | Media, name: str = "fetch", arguments: str = "{}", status: Any = "ok") -> Draft:
    call = Message(
        id=MessageId("c"),
        role="assistant",
        parts=(ToolCall(call_id=CallId("1"), name=name, arguments=arguments),),
    )
    result = Message(
        id=MessageId("r"), role="tool", parts=(ToolResult(call_id=CallId("1"), parts=parts, status=status),)
    )
    return Draft((call, result))


def governed(draft: Draft, chars: int = 200, lines: int = 1_200, **more: Any) -> Draft:
    policy = {"toolOutput": {"observationGovernance": {"maxChars": chars, "maxLines": lines}}}
    return tool_output(draft, context(policy=policy, **more))


def shown(draft: Draft) -> str:
    return part_text(draft.messages[1].parts[0])


# Previews of texts


@given(
    st.text(alphabet="ab \n漢é👩‍👩‍👧‍👦🇩🇪", max_size=400),
    st.integers(1, 300),
    st.integers(1, 20),
    st.none() | st.integers(1, 60),
)
def test_a_preview_is_within_all_limits(text: str, chars: int, lines: int, tokens: int | None) -> None:
    limits = Limits(chars=chars, lines=lines, tokens=tokens)
    made = preview(text, limits, MARKER, words)
    assert limits.hold(made, words)
    assert preview(made, limits, MARKER, words) == made


@given(st.text(alphabet="ab \n漢é👩‍👩‍👧‍👦🇩🇪", min_size=60, max_size=300), st.integers(30, 59))
def test_a_preview_is_made_of_the_head_and_the_tail_cut_between_characters(text: str, chars: int) -> None:
    made = preview(text, Limits(chars=chars, lines=1_000), MARKER, words)
    head, found, tail = made.partition(MARKER)
    borders = {0, len(text), *(match.start() for match in regex.finditer(r"\X", text))}
    assert found
    assert any(text.startswith(each) and len(each) in borders for each in (head, head.removesuffix("\n")))
    tail = tail.removeprefix("\n")
    assert text.endswith(tail)
    assert len(text) - len(tail) in borders


def test_a_text_exactly_at_the_limits_is_whole() -> None:
    text = "x\n" * 50
    assert preview(text, Limits(chars=100, lines=50), MARKER, words) == text
    assert preview(text, Limits(chars=99, lines=50), MARKER, words) != text
    assert preview(text, Limits(chars=100, lines=49), MARKER, words) != text


def test_lines_are_whole_where_that_costs_little() -> None:
    text = "".join(f"line {at:03}\n" for at in range(200))
    made = preview(text, Limits(chars=300, lines=1_000), MARKER, words)
    kept = [line for line in made.split("\n") if line and line != MARKER]
    assert all(line in text.split("\n") for line in kept)
    assert made.startswith("line 000\n")
    assert made.endswith("line 199\n")


def test_one_long_line_is_cut_inside() -> None:
    made = preview("x" * 5_000, Limits(chars=300, lines=1_000), MARKER, words)
    assert 280 <= len(made) <= 300


def test_the_room_is_used() -> None:
    text = "".join(f"line {at}\n" for at in range(3_000))
    for limits in (Limits(chars=2_000, lines=10_000), Limits(chars=10**6, lines=100)):
        made = preview(text, limits, MARKER, words)
        assert len(made) > 0.9 * limits.chars or lines_of(made) > 0.9 * limits.lines


@pytest.mark.parametrize(
    ("text", "lines"), [("", 0), ("a", 1), ("a\n", 1), ("a\nb", 2), ("\n", 1), ("\n\n", 2)]
)
def test_lines_are_counted_as_an_editor_does(text: str, lines: int) -> None:
    assert lines_of(text) == lines


# The step


def test_a_long_result_shows_head_and_tail_and_a_handle_to_all_of_it() -> None:
    text = "TITLE\n" + "filler line\n" * 400 + "THE END"
    draft = governed(exchange(Text(text=text)))
    assert len(shown(draft)) <= 200
    assert shown(draft).startswith("TITLE\n")
    assert shown(draft).endswith("THE END")
    assert draft.blobs == (Blob.of(text),)
    assert draft.blobs[0].handle in shown(draft)
    assert f"{len(text):,} characters" in shown(draft)
    assert draft.decisions[0].detail["handles"] == [draft.blobs[0].handle]


def test_twice_is_once() -> None:
    once = governed(exchange(Text(text="word " * 1_000)))
    assert governed(once) is once


@pytest.mark.parametrize(
    "more",
    [{"store": False}, {"policy": {"toolOutput": {"observationGovernance": {"enabled": False}}}}],
)
def test_nothing_is_previewed_where_nothing_can_be_stored_or_it_is_switched_off(more: dict[str, Any]) -> None:
    draft = exchange(Text(text="word " * 100_000))
    assert tool_output(draft, context(**more)) is draft


def test_of_an_error_the_end_is_kept() -> None:
    trace = (
        "".join(f'  File "m{at}.py", line {at}\n' for at in range(500)) + "ValueError: port 3307 is taken\n"
    )
    for status in ("error", "ok"):
        text = shown(
            governed(exchange(Text(text="Traceback (most recent call last):\n" + trace), status=status), 400)
        )
        head, _, tail = text.partition("[... shown")
        assert "ValueError: port 3307 is taken" in tail
        assert len(tail) > 1.5 * len(head)


def test_a_family_emoji_or_a_flag_is_never_cut() -> None:
    text = "MOODS " + "👩‍👩‍👧‍👦🇩🇪👍🏽" * 500
    for chars in range(150, 190):
        made = shown(governed(exchange(Text(text=text)), chars))
        pieces = regex.findall(r"\X", made.replace("\n", ""))
        odd = {piece for piece in pieces if unicodedata.category(piece[0]) in {"So", "Sk"}}
        assert odd <= {"👩‍👩‍👧‍👦", "🇩🇪", "👍🏽"}


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("context.get", '{"handle": "blob:0123456789abcdef", "offset": 0}'),
        ("mcp__rail__context_get", '{"what": "blob:0123456789abcdef"}'),
        ("bash", '{"command": "contextrail uncompact blob:0123456789abcdef"}'),
    ],
)
def test_what_a_handle_gave_back_is_never_previewed_again(name: str, arguments: str) -> None:
    draft = exchange(Text(text="word " * 1_000), name=name, arguments=arguments)
    assert governed(draft) is draft


def test_a_handle_that_is_only_mentioned_does_not_count() -> None:
    draft = exchange(
        Text(text="word " * 1_000), name="bash", arguments='{"command": "grep blob:0123456789abcdef -r ."}'
    )
    assert governed(draft) is not draft


def test_a_checkpoint_stays_whole() -> None:
    text = json.dumps({"_type": "context_checkpoint", "summary": "x" * 5_000})
    draft = exchange(Text(text=text), name="context_checkpoint")
    assert governed(draft) is draft


def test_the_form_of_an_observation_is_kept() -> None:
    text = json.dumps({"data": {"rows": 3}, "observation": "BEGIN " + "word " * 1_000 + "END"})
    made = shown(governed(exchange(Text(text=text)), 400))
    value = json.loads(made)
    assert len(made) <= 400
    assert value["data"] == {"rows": 3, "tool_output_store": {"blob_id": Blob.of(text).handle}}
    assert value["observation"].startswith("BEGIN")
    assert value["observation"].endswith("END")


def test_several_texts_share_the_limit_each_with_its_handle_and_media_stay() -> None:
    image = Media(kind="image", data="eA==")
    draft = governed(exchange(Text(text="a " * 500), Text(text="short"), image, Text(text="b " * 500)), 600)
    result = draft.messages[1].parts[0]
    assert isinstance(result, ToolResult)
    texts = [part.text for part in result.parts if isinstance(part, Text)]
    assert result.parts[2] is image
    assert texts[1] == "short"
    assert sum(map(len, texts)) <= 600
    assert [HANDLE.findall(text) for text in texts] == [
        [Blob.of("a " * 500).handle],
        [],
        [Blob.of("b " * 500).handle],
    ]


# One representation of an MCP result

ROWS = {"rows": [{"name": f"店铺-{at}", "mood": "👩‍👩‍👧‍👦"} for at in range(300)]}


@pytest.mark.parametrize(
    ("text", "used", "same"),
    [
        (json.dumps(ROWS, indent=1), "content", True),
        ("ok", "structured", False),
        ("", "structured", True),
        ("done.", "structured", False),
        ("the best is 店铺-7", "content", False),
        ("x" * 200, "content", False),
    ],
)
def test_content_wins_unless_it_carries_nothing(text: str, used: str, same: bool) -> None:  # noqa: FBT001
    found = read_mcp({"content": [{"type": "text", "text": text}], "structuredContent": ROWS})
    assert found is not None
    assert (found.used, found.same) == (used, same)
    assert found.text == text if used == "content" else json.loads(found.text) == ROWS


@pytest.mark.parametrize(
    "value",
    [
        {"content": [{"type": "text", "text": "x"}]},
        {"content": [{"type": "image", "data": "eA=="}], "structuredContent": ROWS},
        {"structuredContent": ROWS},
        {"content": "x", "structuredContent": ROWS},
        ["x"],
        None,
    ],
)
def test_what_has_no_two_representations_is_left_alone(value: Any) -> None:
    assert read_mcp(value) is None


def test_a_result_that_a_host_wrote_down_whole_reaches_the_model_once() -> None:
    text = json.dumps(
        {"content": [{"type": "text", "text": "ok"}], "structuredContent": ROWS, "isError": True}
    )
    draft = governed(exchange(Text(text=text)), 10**6)
    result = draft.messages[1].parts[0]
    assert isinstance(result, ToolResult)
    assert json.loads(shown(draft)) == ROWS
    assert result.status == "error"
    assert draft.blobs == (Blob.of(text),)
    assert governed(draft, 10**6) is draft


def test_without_a_store_only_a_true_copy_is_left_out() -> None:
    for text, left_out in ((json.dumps(ROWS), True), ("ok", False)):
        whole = json.dumps({"content": [{"type": "text", "text": text}], "structuredContent": ROWS})
        draft = exchange(Text(text=whole))
        assert (tool_output(draft, context(store=False)) is not draft) is left_out


# Admission, right after a tool ran

CALL = ToolCall(call_id=CallId("1"), name="shops")


def admitted(output: str | JsonObject, store: MemoryBlobs, chars: int = 2_000, **more: Any) -> ToolResult:
    policy = ObservationPolicy(max_chars=chars)
    return admit(output, more.pop("call", CALL), policy=policy, port=StoredPreview(store), **more)


def text_of(result: ToolResult) -> str:
    return "\n".join(part.text for part in result.parts if isinstance(part, Text))


@pytest.mark.parametrize("text", [json.dumps(ROWS, ensure_ascii=False) * 40, "ok"])
def test_a_huge_mcp_result_is_one_copy_cut_safely_and_can_be_fetched_exactly(text: str) -> None:
    store = MemoryBlobs()
    output = {"content": [{"type": "text", "text": text}], "structuredContent": ROWS, "isError": False}
    made = text_of(admitted(output, store))
    assert len(made) <= 2_000
    json.dumps(made, ensure_ascii=False).encode()
    handle = HANDLE.search(made)
    assert handle is not None
    data = store.get(store.find(handle.group().removeprefix("blob:")))
    assert data.decode() == text if text != "ok" else json.loads(data) == ROWS


def test_an_error_keeps_its_status_and_its_last_lines() -> None:
    text = "frame\n" * 50_000 + "KeyError: 'shop'"
    made = admitted({"content": [{"type": "text", "text": text}], "isError": True}, MemoryBlobs())
    assert made.status == "error"
    assert text_of(made).endswith("KeyError: 'shop'")


def test_no_handle_is_shown_if_the_store_fails() -> None:
    class Full(MemoryBlobs):
        def put(self, data: bytes) -> Sha256:
            raise Unavailable("no space left", bytes=len(data))

    assert text_of(admitted("word " * 1_000, Full())) == "word " * 1_000


def test_what_is_short_or_read_by_a_handle_is_admitted_whole_and_nothing_is_stored() -> None:
    store = MemoryBlobs()
    reader = ToolCall(
        call_id=CallId("1"), name="context.get", arguments='{"handle": "blob:0123456789abcdef"}'
    )
    assert text_of(admitted("short", store)) == "short"
    assert text_of(admitted("word " * 1_000, store, call=reader)) == "word " * 1_000
    assert not store.has(Blob.of("word " * 1_000).digest)


def test_other_outputs_are_admitted_in_their_form() -> None:
    assert text_of(admitted({"rows": 3}, MemoryBlobs())) == '{"rows":3}'
    blocks: JsonObject = {
        "content": [
            {"type": "image", "data": "eA==", "mimeType": "image/png"},
            {"type": "resource_link", "uri": "file:///x"},
            {"type": "text", "text": "x"},
            3,
        ]
    }
    kinds = [type(part).__name__ for part in admitted(blocks, MemoryBlobs()).parts]
    assert kinds == ["Media", "Opaque", "Text", "Opaque"]
    assert admitted("x", MemoryBlobs(), failed=True).status == "error"


def test_an_error_that_a_host_wrote_down_as_a_result_that_is_well_is_an_error_in_its_own_words() -> None:
    said = {"content": [{"type": "text", "text": "Traceback"}, {"type": "text", "text": "ValueError: no"}]}
    found = read_mcp_text(json.dumps({**said, "isError": True}))
    assert found is not None
    assert (found.text, found.status, found.same) == ("Traceback\nValueError: no", "error", True)
    assert read_mcp_text(json.dumps({**said, "isError": False})) is None
    assert read_mcp_text(json.dumps({**said, "isError": True, "more": 1})) is None
    assert (
        read_mcp_text(json.dumps({"content": [{"type": "image", "data": "eA=="}], "isError": True})) is None
    )

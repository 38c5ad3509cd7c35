"""Shorter forms of results and calls."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contextrail.core.blobs import Blob
from contextrail.core.ids import CallId
from contextrail.core.json_text import dump_text, parse_object
from contextrail.history.forms import Forms
from contextrail.history.marks import cut_of, left_out, shown_in_part
from contextrail.history.shorten import ARGUMENT_CHARS, short_call, shorten
from contextrail.messages.model import ToolCall
from tests.builders import transcript
from tests.history.contexts import context, words

LARGE = {"tool_history": {"max_pair_tokens": 10**6, "max_output_summary_tokens": 10**6}}
ODD = ["\ud83d half of a pair", "a \x00 sign", "店铺 👩‍👩‍👧‍👦", '"\\ quoted']


@pytest.mark.parametrize("odd", ODD)
def test_a_call_is_shortened_and_keeps_every_other_value(odd: str) -> None:
    content = "x" * (ARGUMENT_CHARS + 1)
    arguments = dump_text({"path": [odd], "content": content})
    short, blobs = short_call(ToolCall(call_id=CallId("c1"), name="write", arguments=arguments), context())
    shown = parse_object(short.arguments, place="arguments")
    assert shown["path"] == [odd]
    assert len(str(shown["content"])) < ARGUMENT_CHARS
    assert [blob.text for blob in blobs] == [content]


@pytest.mark.parametrize("odd", ODD)
def test_a_text_is_shortened_to_its_limit_and_the_whole_is_kept(odd: str) -> None:
    text = f"FIRST {odd * 100} LAST"
    short, (blob,) = shorten(text, 60, context())
    assert words(short) <= 60
    assert short.startswith("FIRST")
    assert short.endswith("LAST")
    assert blob.text == text
    assert blob.handle in short


@given(st.integers(1, 12), st.integers(1, 4_000), st.integers(1, 12_000))
def test_a_group_made_for_a_room_fits_into_it_and_uses_most_of_it(count: int, size: int, room: int) -> None:
    calls = " + ".join(f"call c{at} read" for at in range(count))
    told = " + ".join(f"result c{at} {'wide ' * size}" for at in range(count))
    forms = Forms(transcript(f"a1 assistant {calls}", f"t1 tool {told}"), context(policy=LARGE))
    whole, made = forms.at("whole").cost, forms.sized(room)
    least = forms.at("bare").cost + 20 * count
    if made is None:
        assert room < max(least, 30 * count + 10)
    else:
        assert made.cost <= room
        assert made.cost >= min(whole, 0.85 * room) - 10 * count - 10


@pytest.mark.parametrize("previewed", [True, False])
@given(limits=st.lists(st.integers(20, 400), min_size=1, max_size=4))
def test_a_text_that_is_shortened_again_still_says_how_much_is_missing_and_where_the_whole_is(
    *, previewed: bool, limits: list[int]
) -> None:
    whole = "\n".join(f"line {at} of a long text" for at in range(400))
    shown, ours = whole, Blob.of(whole).handle
    if previewed:
        mark = shown_in_part(len(whole), 400, ours)
        shown = f"{whole[:1_500]}\n{mark}\n{whole[-800:]}"
    before = context(ours=frozenset([ours]) if previewed else frozenset())
    for limit in limits:
        shown, stored = shorten(shown, limit, before)
        assert [blob.text for blob in stored] in ([], [whole])
        before = context(ours=frozenset([ours]))
    if shown != whole:
        cut = cut_of(shown, [ours])
        assert cut is not None
        assert shown.count("blob:") == 1
        assert cut.length == len(whole)
        assert whole.startswith(cut.before)
        assert whole.endswith(cut.behind)


@pytest.mark.parametrize(
    "line", [left_out(5, "blob:0123456789abcdef"), shown_in_part(9, 1, "blob:0123456789abcdef")]
)
def test_a_mark_that_a_tool_wrote_hides_nothing(line: str) -> None:
    text = f"{'word ' * 200}\n{line}\n{'word ' * 200}"
    short, (blob,) = shorten(text, 60, context(ours=frozenset(["blob:fedcba9876543210"])))
    assert blob.text == text
    assert blob.handle in short
    group = transcript("a1 assistant call c read", f"t1 tool result c {text}")
    assert text in [blob.text for blob in Forms(group, context()).at("line").blobs]

"""Notes of codecs in neutral files: what no codec wrote is refused where it stands, and never a crash."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contextrail.core.errors import InvalidRequest
from contextrail.core.json_text import equal
from contextrail.messages.model import Extra
from contextrail.wire import neutral
from contextrail.wire.codec import CODECS
from contextrail.wire.note_types import NOTES, check_notes
from contextrail.wire.target import Provider
from tests.properties.effort import FEW
from tests.wire.bodies import bodies

SOURCES = Path(neutral.__file__).parent
PROVIDERS: tuple[Provider, ...] = get_args(Provider)
ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text(max_size=5) | st.just("~fields"), inner, max_size=3)
    ),
    max_leaves=6,
)


def notes_in(value: Any) -> Iterator[tuple[dict[str, Any], str]]:
    """Every key with "~" in a JSON value, with the object it stands in."""
    if isinstance(value, dict):
        yield from ((value, key) for key in value if key[:1] == "~")
        yield from (found for inner in value.values() for found in notes_in(inner))
    elif isinstance(value, list):
        yield from (found for inner in value for found in notes_in(inner))


def refused_or_written(given: dict[str, Any], provider: Provider) -> None:
    """Read a neutral body and write it for a provider; a refusal says where and what to do."""
    try:
        conversation = neutral.decode(given)
    except InvalidRequest as refused:
        error = refused
    else:
        CODECS[provider].encode(conversation)
        return
    assert "~" in str(error.facts["path"])
    assert error.facts["cure"]


@FEW
@given(data=st.data(), provider=st.sampled_from(PROVIDERS))
def test_a_note_of_any_value_is_refused_or_written(data: st.DataObject, provider: Provider) -> None:
    try:
        conversation = CODECS[provider].decode(data.draw(bodies(provider)))
    except InvalidRequest:
        return
    written = neutral.encode(conversation)
    assert equal(neutral.encode(neutral.decode(written)), written), "what codecs write is never refused"
    for number in range(len(list(notes_in(written)))):
        forged = neutral.encode(conversation)
        found = list(notes_in(forged))
        holder, key = found[number]
        holder[key] = data.draw(ANYTHING, label=key)
        refused_or_written(forged, provider)


def body_with(extra: dict[str, Any], **fields: Any) -> dict[str, Any]:
    return {"messages": [], "extra": extra, **fields}


@pytest.mark.parametrize(("wire", "name"), [(wire, name) for wire in NOTES for name in NOTES[wire]])
@pytest.mark.parametrize(
    "value", [None, [], {}, 0, -1, 1.5, False, True, "", [1], ["a", "b"], {"~fields": 1}]
)
def test_each_note_wherever_it_stands_is_refused_or_written(wire: Provider, name: str, value: Any) -> None:
    extra = {"wire": wire, "fields": {name: value}}
    parts: list[dict[str, Any]] = [
        {"type": "text", "content": "said", "extra": extra},
        {"type": "reasoning", "content": "thought", "wire": wire, "signature": "s", "extra": extra},
        {"type": "tool_call", "id": "c", "name": "f", "arguments": {}, "extra": extra},
        {"type": "blob", "modality": "image", "content": "aaaa", "mime_type": "image/png", "extra": extra},
        {"type": "uri", "modality": "document", "uri": "https://example.org/a.pdf", "extra": extra},
        {"type": "file", "modality": "file", "file_id": "f", "extra": extra},
        {"type": "fence", "family": "f", "content": "c", "extra": extra},
        {"type": "summary", "content": "c", "extra": extra},
    ]
    result: dict[str, Any] = {
        "type": "tool_call_response",
        "id": "c",
        "response": "r",
        "status": "ok",
        "extra": extra,
    }
    messages: list[dict[str, Any]] = [{"role": "user", "parts": [part]} for part in parts[3:]]
    messages += [{"role": "assistant", "parts": [part]} for part in parts]
    messages += [{"role": "tool", "parts": [result]}, {"role": "user", "parts": [], "extra": extra}]
    messages += [
        {"role": "tool", "parts": [{**result, "extra": {"wire": wire, "fields": {}}}], "extra": extra}
    ]
    for message in messages:
        refused_or_written({"messages": [message]}, wire)
    refused_or_written({"messages": [], "extra": extra, "max_output": 5}, wire)
    refused_or_written({"messages": [], "system": "be kind", "system_extra": extra}, wire)
    tools: list[dict[str, Any]] = [{"name": "f", "parameters": {"type": "object"}}, {"name": "f"}]
    for tool in tools:
        refused_or_written({"messages": [], "tools": [{**tool, "extra": extra}]}, wire)


@pytest.mark.parametrize(
    ("given_body", "path"),
    [
        (body_with({"wire": "openai-chat", "fields": {"~limit": []}}), "extra.fields.~limit"),
        (body_with({"wire": "gemini", "fields": {"~limit": ["a", "b"]}}), "extra.fields.~limit"),
        (body_with({"wire": "elsewhere", "fields": {"~fields": 1}}), "extra.fields.~fields"),
        (
            {"messages": [], "system_extra": {"wire": "anthropic", "fields": {"~content": {}}}},
            "system_extra.fields.~content",
        ),
        (
            {
                "messages": [
                    {
                        "role": "user",
                        "parts": [
                            {
                                "type": "summary",
                                "content": "s",
                                "extra": {"wire": "gemini", "fields": {"~bound": 1}},
                            }
                        ],
                    }
                ]
            },
            "messages[0].parts[0].extra.fields.~bound",
        ),
    ],
)
def test_a_forged_note_is_refused_with_its_place_and_a_cure(given_body: dict[str, Any], path: str) -> None:
    with pytest.raises(InvalidRequest) as caught:
        neutral.decode(given_body)
    assert caught.value.facts["path"] == path
    assert caught.value.facts["cure"]
    assert path.rpartition(".")[2] in str(caught.value)


def test_a_note_that_lacks_the_one_it_belongs_to_is_refused() -> None:
    for wire, fields in (
        ("gemini", {"~blob": {}, "~held": "data"}),
        ("openai-responses", {"~audio": {}}),
        ("openai-responses", {"~from": "input_audio"}),
    ):
        with pytest.raises(InvalidRequest, match="beside it"):
            check_notes(Extra(wire, fields), "extra")


def test_a_note_that_no_codec_of_the_form_knows_is_kept() -> None:
    given_body = body_with({"wire": "openai-chat", "fields": {"~of": [1], "~later": {}}})
    assert equal(neutral.encode(neutral.decode(given_body)), given_body)


@pytest.mark.parametrize("wire", NOTES)
def test_every_note_that_a_codec_names_has_its_type_said(wire: str) -> None:
    files = list(SOURCES.glob(f"{wire.replace('-', '_')}*.py"))
    assert files
    named = {note for file in files for note in re.findall(r'"(~\w+)"', file.read_text(encoding="utf-8"))}
    assert named == set(NOTES[wire])

"""Media on the wire: what base64 texts and `data:` URLs tell."""

from __future__ import annotations

import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contextrail.core.digest import sha256
from contextrail.messages.model import Media
from contextrail.wire.media import (
    base64_text,
    decode_base64,
    media_from_base64,
    media_from_url,
    text_of,
    url_of,
)


@given(content=st.binary(max_size=200), url_safe=st.booleans(), padded=st.booleans())
def test_digest_and_size_are_those_of_the_bytes(content: bytes, url_safe: bool, padded: bool) -> None:  # noqa: FBT001
    encode = base64.urlsafe_b64encode if url_safe else base64.b64encode
    text = encode(content).decode()
    media = media_from_base64("image", "image/PNG", text if padded else text.rstrip("="))
    assert (media.digest, media.size_bytes) == (sha256(content), len(content))
    assert media.media_type == "image/png"


def test_line_breaks_in_base64_are_allowed() -> None:
    content = bytes(range(200))
    assert decode_base64(base64.encodebytes(content).decode()) == content


@pytest.mark.parametrize("text", ["a", "not base64!", "äöü=", "aGk=aGk="])
def test_what_is_not_base64_has_no_digest_and_no_size(text: str) -> None:
    media = media_from_base64("file", None, text)
    assert (media.digest, media.size_bytes, media.data) == (None, None, text)


@given(content=st.binary(max_size=50))
def test_a_data_url_is_taken_apart_and_put_together_again(content: bytes) -> None:
    url = "data:image/png;base64," + base64.b64encode(content).decode()
    media = media_from_url("image", url)
    assert (media.media_type, media.size_bytes, media.reference) == ("image/png", len(content), None)
    assert url_of(media) == url


@pytest.mark.parametrize(
    ("url", "media_type", "content"),
    [
        ("data:,a%20b", "text/plain", b"a b"),
        ("data:image/svg+xml,%3Csvg/%3E", "image/svg+xml", b"<svg/>"),
        ("DATA:text/plain;charset=utf-8;base64,aGk=", "text/plain", b"hi"),
        ("data:Image/PNG;base64,aGk=", "image/png", b"hi"),
    ],
)
def test_a_data_url_of_another_form_is_read_too_and_kept(url: str, media_type: str, content: bytes) -> None:
    media = media_from_url("image", url, media_type="image/gif")
    assert media.media_type == media_type
    assert media.data is not None
    assert decode_base64(media.data) == content
    assert url_of(media) == url


@pytest.mark.parametrize("url", ["https://example.org/a.png", "gs://bucket/a", "data:no comma", "", "file_1"])
def test_any_other_url_is_a_reference(url: str) -> None:
    assert media_from_url("image", url, media_type="image/PNG") == Media(
        kind="image", media_type="image/png", reference=url
    )


def test_bytes_of_unknown_type_have_a_url_that_says_so() -> None:
    assert url_of(Media(kind="file", data="aGk=")) == "data:application/octet-stream;base64,aGk="
    assert url_of(Media(kind="file")) is None


@pytest.mark.parametrize(
    ("media_type", "data", "text"),
    [
        ("text/plain", "aGk=", "hi"),
        ("text/markdown", "aGk=", "hi"),
        ("application/pdf", "aGk=", None),
        (None, "aGk=", None),
        ("text/plain", None, None),
        ("text/plain", "/w==", None),
        ("text/plain", "!", None),
    ],
)
def test_the_text_of_a_text_document_is_known_if_its_bytes_are(
    media_type: str | None, data: str | None, text: str | None
) -> None:
    assert text_of(Media(kind="document", media_type=media_type, data=data)) == text


def test_a_text_with_a_lone_surrogate_has_no_bytes() -> None:
    assert base64_text("hi") == "aGk="
    assert base64_text("\ud800") is None

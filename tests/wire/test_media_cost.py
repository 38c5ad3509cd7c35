"""Media: sizes from headers, tokens by the route's formula, never base64 as text unless the route bills so."""

from __future__ import annotations

import base64
import struct
import zlib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contextrail.core.errors import InvalidRequest
from contextrail.core.tokens import Estimate, exactly
from contextrail.messages.model import Media
from contextrail.wire.image_size import image_size
from contextrail.wire.media_cost import FORMULAS, check_formula, media_cost

SIDES = st.integers(1, 9000)
NAMES = [
    "anthropic",
    "anthropic-high",
    "tiles:85:170",
    "patches:1536:1.62",
    "gemini-tiles",
    "gemini-3",
    "capped:384",
]


def png(width: int, height: int) -> bytes:
    header = struct.pack(">II5B", width, height, 8, 2, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + struct.pack(">I", 13)
        + b"IHDR"
        + header
        + struct.pack(">I", zlib.crc32(header))
    )


def gif(width: int, height: int) -> bytes:
    return b"GIF89a" + struct.pack("<HH", width, height) + b"\x00\x00\x00"


def jpeg(width: int, height: int, *, before: int = 0) -> bytes:
    frame = b"\xff\xc2\x00\x11\x08" + struct.pack(">HH", height, width) + b"\x03" + bytes(9)
    profile = b"\xff\xe1" + struct.pack(">H", 2 + 1000) + bytes(1000)
    return b"\xff\xd8" + profile * before + b"\xff\xff\xdb\x00\x04\x00\x00" + frame + b"\xff\xd9"


def webp(kind: bytes, width: int, height: int) -> bytes:
    match kind:
        case b"VP8X":
            body = bytes(4) + (width - 1).to_bytes(3, "little") + (height - 1).to_bytes(3, "little")
        case b"VP8L":
            body = b"\x2f" + ((width - 1) | (height - 1) << 14).to_bytes(4, "little")
        case _:
            body = b"\x00\x00\x00\x9d\x01\x2a" + struct.pack("<HH", width, height)
    return b"RIFF\x00\x00\x00\x00WEBP" + kind + struct.pack("<I", len(body)) + body + bytes(8)


def text64(content: bytes) -> str:
    return base64.b64encode(content).decode()


def image(content: bytes | None, **more: Any) -> Media:
    return Media(
        kind="image", media_type="image/png", data=None if content is None else text64(content), **more
    )


def cost(media: Media, formula: str | None) -> Estimate:
    return media_cost(media, formula, lambda text: exactly(len(text)))


@given(st.integers(1, 16_000), st.integers(1, 16_000))
def test_size_is_read_from_the_header(width: int, height: int) -> None:
    for content in (
        png(width, height),
        gif(width, height),
        jpeg(width, height),
        jpeg(width, height, before=60),
    ):
        assert image_size(text64(content)) == (width, height)
    for kind in (b"VP8X", b"VP8L", b"VP8 "):
        assert image_size(text64(webp(kind, width, height))) == (width, height)


@given(
    st.binary(max_size=80)
    | st.builds(lambda n: jpeg(5, 5)[:n], st.integers(0, 40))
    | st.builds(lambda n: png(5, 5)[:n], st.integers(0, 25))
)
def test_any_bytes_have_a_size_or_none(content: bytes) -> None:
    found = image_size(text64(content))
    assert found is None or min(found) >= 1


@pytest.mark.parametrize("data", ["", "not base64!", "iVBORw0KGgo", "AAAA", "\ud800"])
def test_what_is_no_image_has_no_size(data: str) -> None:
    assert image_size(data) is None


@pytest.mark.parametrize(
    "content",
    [
        b"RIFF\x00\x00\x00\x00WEBPALPH" + bytes(30),
        b"\xff\xd8\x00\x00" + bytes(30),
        b"\xff\xd8\xff\xe0\x00\x10" + bytes(14),
        png(0, 5),
    ],
)
def test_a_header_that_is_not_understood_gives_no_size(content: bytes) -> None:
    assert image_size(text64(content)) is None


def test_markers_without_a_length_are_passed_over() -> None:
    assert image_size(text64(b"\xff\xd8\xff\x01\xff\xd0" + jpeg(30, 20)[2:])) == (30, 20)


def test_line_breaks_in_base64_are_passed_over() -> None:
    data = text64(png(640, 480))
    assert image_size(data[:10] + "\r\n" + data[10:30] + "\n" + data[30:]) == (640, 480)


@pytest.mark.parametrize(
    ("formula", "width", "height", "tokens"),
    [
        # Worked examples of the vendors' pages.
        ("tiles:85:170", 1024, 1024, Estimate(85, 765)),
        ("tiles:85:170", 2048, 4096, Estimate(85, 1105)),
        ("tiles:85:170", 512, 512, Estimate(85, 255)),
        ("patches:1536:1", 1024, 1024, Estimate(85, 1024)),
        ("anthropic", 200, 200, Estimate(54, 64)),
        ("anthropic", 1000, 1000, Estimate(1296, 1334)),
        ("anthropic", 1092, 1092, Estimate(1521, 1568)),
        ("anthropic-high", 2000, 1000, Estimate(2592, 2667)),
        ("gemini-tiles", 384, 300, Estimate(258, 258)),
        ("gemini-tiles", 1500, 700, Estimate(258, 516)),
        ("capped:384", 5000, 5000, Estimate(1, 384)),
    ],
)
def test_images_cost_what_the_vendor_says(formula: str, width: int, height: int, tokens: Estimate) -> None:
    assert cost(image(png(width, height)), formula) == tokens


@given(SIDES, SIDES)
def test_no_image_costs_more_than_its_formula_allows(width: int, height: int) -> None:
    caps = dict(zip(NAMES, [1568, 4784, 85 + 8 * 170, 2489, 258 * 144, 1120, 384], strict=True))
    for formula, cap in caps.items():
        found = cost(image(png(width, height)), formula)
        assert 0 < found.low <= found.high <= cap, formula


@pytest.mark.parametrize("formula", [*NAMES, None])
def test_an_image_of_unknown_size_costs_up_to_the_cap(formula: str | None) -> None:
    unknown = cost(image(None, reference="https://example.org/a.png"), formula)
    known = cost(image(png(1400, 900)), formula)
    assert unknown.low <= known.low <= known.high <= unknown.high


@pytest.mark.parametrize("formula", [*NAMES, None])
def test_base64_is_not_counted_as_text(formula: str | None) -> None:
    large = png(1600, 1200) + bytes(400_000)
    assert cost(image(large), formula).high < 10_000


def test_a_route_that_bills_base64_as_text_is_counted_so() -> None:
    media = image(png(10, 10) + bytes(9000))
    assert cost(media, "text") == exactly(len(media.data or ""))
    assert cost(image(None, reference="https://example.org/a.png"), "text") == exactly(25)


def test_a_document_that_is_text_costs_its_text() -> None:
    media = Media(kind="document", media_type="text/plain", data=text64("Grüße".encode()))
    assert cost(media, "anthropic") == exactly(5)


def test_a_pdf_costs_by_its_pages() -> None:
    pages = b"%PDF-1.7" + b"<< /Type /Pages >> << /Type /Page >> << /Type/Page /X 1 >>"
    found = cost(Media(kind="document", media_type="application/pdf", data=text64(pages)), "anthropic")
    assert (found.low, found.high) == (2 * 1500, 2 * (3000 + 1568))
    hidden = cost(
        Media(kind="document", media_type="application/pdf", data=text64(b"%PDF" + bytes(8000))), None
    )
    assert (hidden.low, hidden.high) == (258, 3 * 7784)


@pytest.mark.parametrize(
    ("formula", "most"), [("anthropic", 45_680), ("gemini-tiles", 2_580), (None, 77_840)]
)
def test_a_document_that_is_only_referred_to_is_taken_to_have_ten_pages_at_most(
    formula: str | None, most: int
) -> None:
    referred = Media(kind="document", media_type="application/pdf", reference="https://example.org/a.pdf")
    assert cost(referred, formula).high == most


def test_sound_and_film_cost_by_the_duration_their_size_allows() -> None:
    sound = cost(Media(kind="audio", media_type="audio/wav", size_bytes=400_000), "gemini-3")
    assert sound.low == 2 * 10
    assert sound.high == 100 * 32
    film = cost(Media(kind="video", media_type="video/mp4", reference="files/1"), None)
    assert 0 < film.low < film.high


@pytest.mark.parametrize("name", ["", "tiles", "tiles:a:b", "patches:10", "openai", "capped:-1", "text "])
def test_an_unknown_formula_is_refused_with_the_names_that_exist(name: str) -> None:
    with pytest.raises(InvalidRequest, match="tiles:BASE:TILE"):
        check_formula(name)
    assert len(FORMULAS) == 8

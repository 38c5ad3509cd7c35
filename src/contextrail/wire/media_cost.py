"""What an image, a document, a sound or a film costs in tokens, by the formula of the route.

A formula is a name, so that a row of the model table can hold it:

| formula | who | image |
|---|---|---|
| `anthropic` | Claude before Opus 4.7 | patches of 28 x 28, fitted to 1,568 pixels and 1,568 patches; (w x h) / 750 in older pages |
| `anthropic-high` | Opus 4.7 and later | the same with 2,576 pixels and 4,784 patches |
| `tiles:BASE:TILE` | GPT-4o, 4.1, o1, o3, GPT-5 | fitted to 2,048, short side to 768, BASE + TILE per 512 x 512; low detail: BASE |
| `patches:MOST:FACTOR` | GPT-4.1-mini, GPT-5.2 and later | patches of 32 x 32, fitted to MOST of them, times FACTOR |
| `gemini-tiles` | Gemini up to 2.5 | 258 up to 384 x 384, else 258 per 768 x 768 |
| `gemini-3` | Gemini 3 and later | 280 to 1,120 by resolution setting |
| `capped:MOST` | DeepSeek | at most MOST |
| `text` | a gateway that bills base64 as text | the base64 itself |

Sources: platform.claude.com/docs build-with-claude/vision and /pdf-support; developers.openai.com/api/docs
guides/images-vision; ai.google.dev/gemini-api/docs tokens and media-resolution. Read in November 2026.
What the bytes do not tell (a detail setting, a duration, compressed pages) widens the interval.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from math import ceil, sqrt
from typing import Final

from contextrail.core.errors import InvalidRequest
from contextrail.core.tokens import Estimate
from contextrail.messages.model import Media
from contextrail.wire.image_size import Size, image_size
from contextrail.wire.media import decode_base64, text_of, url_of

Measure = Callable[[str], Estimate]

FORMULAS: Final = (
    "anthropic",
    "anthropic-high",
    "tiles:BASE:TILE",
    "patches:MOST:FACTOR",
    "gemini-tiles",
    "gemini-3",
    "capped:MOST",
    "text",
)
_FORM: Final = re.compile(
    r"anthropic|anthropic-high|tiles:\d+:\d+|patches:\d+:\d+(\.\d+)?|gemini-tiles|gemini-3|capped:\d+|text"
)
_ANTHROPIC: Final = {"anthropic": (1568, 1568), "anthropic-high": (2576, 4784)}
"""Long edge in pixels, patches in all."""
_UNKNOWN_IMAGE: Final = Estimate(85, 4784)
"""An image whose route is not known: from the cheapest to the dearest of the table's common cases."""
_PAGE_TEXT: Final = Estimate(1500, 3000)
"""Text of one page of a PDF, beside its picture, by Claude's page on PDFs."""
_PAGE: Final = Estimate(258, _PAGE_TEXT.high + _UNKNOWN_IMAGE.high)
"""One page where the route is not known: Gemini's 258, to Claude's text beside the largest picture."""
_PAGE_BYTES: Final = 3000
"""A page compressed further than that is rare; it bounds the number of pages that cannot be counted."""
_MOST_PAGES: Final = 100
"""Most pages that a request may have where a limit is stated."""
_UNKNOWN_PAGES: Final = 10
"""A document whose size is not known is taken to have at most ten pages: nobody can count it before it is fetched."""
_SECOND: Final = {"audio": (10, 32), "video": (70, 300)}
"""Tokens per second: OpenAI takes 10 of audio, Gemini 32; Gemini 70 to 300 of video."""
_RATE: Final = {"audio": (4_000, 200_000), "video": (12_500, 2_500_000)}
"""Bytes per second, lowest and highest: 32 kbit/s speech to CD, 100 kbit/s to 20 Mbit/s film."""
_UNKNOWN_SECONDS: Final = (1, 600)
"""A sound or film whose size is not known is taken to last at most ten minutes."""


def check_formula(name: str) -> str:
    """The name, if it is one of a formula.

    Raises:
        InvalidRequest: It is not; the formulas are in the message.
    """
    if not _FORM.fullmatch(name):
        raise InvalidRequest(
            f"{name!r} is not a media formula; there are: {', '.join(FORMULAS)}", formula=name
        )
    return name


def media_cost(media: Media, formula: str | None, measure: Measure) -> Estimate:
    """Tokens of one piece of media.

    Args:
        media: By bytes, by reference, or both.
        formula: Of the route; None: unknown, so the interval spans the known ones.
        measure: Tokens of a text, for documents that are text and for routes that bill base64 as text.

    Returns:
        An interval; exact where the formula leaves nothing open.
    """
    if formula == "text":
        return measure(media.data if media.data is not None else url_of(media) or "")
    text = text_of(media)
    if text is not None:
        return measure(text)
    if media.kind == "image" or (media.media_type or "").startswith("image/"):
        return _image(None if media.data is None else image_size(media.data), formula)
    if media.kind in _SECOND:
        return _lasting(media.kind, media.size_bytes)
    return _document(media, formula)


def _image(size: Size | None, formula: str | None) -> Estimate:
    name, _, rest = (formula or "").partition(":")
    if name in _ANTHROPIC:
        return _anthropic(size, *_ANTHROPIC[name])
    match name:
        case "tiles":
            base, tile = (int(number) for number in rest.split(":"))
            return Estimate(base, base + tile * (_tiles(size) if size else 2 * 4))
        case "patches":
            most, factor = rest.split(":")
            patches = _patches(size, int(most)) if size else int(most)
            return Estimate(min(85, ceil(patches * float(factor))), ceil(patches * float(factor)))
        case "gemini-tiles":
            return _gemini(size)
        case "gemini-3":
            return Estimate(280, 1120)
        case "capped":
            return Estimate(1, int(rest))
        case _:
            return _UNKNOWN_IMAGE


def _anthropic(size: Size | None, edge: int, most: int) -> Estimate:
    """Patches of 28 pixels, or a 750th of the pixels: newer and older pages of the vendor."""
    if size is None:
        return Estimate(1, most)
    width, height = size
    shrink = min(1.0, edge / max(width, height), sqrt(most * 28 * 28 / (width * height)))
    width, height = max(1, int(width * shrink)), max(1, int(height * shrink))
    patches = min(ceil(width / 28) * ceil(height / 28), most)
    area = min(ceil(width * height / 750), most)
    return Estimate(min(patches, area), max(patches, area))


def _tiles(size: Size) -> int:
    """Tiles of 512 pixels after both reductions."""
    width, height = size
    shrink = min(1.0, 2048 / max(width, height))
    width, height = int(width * shrink), int(height * shrink)
    shrink = min(1.0, 768 / max(1, min(width, height)))
    return max(1, ceil(int(width * shrink) / 512)) * max(1, ceil(int(height * shrink) / 512))


def _patches(size: Size, most: int) -> int:
    """Patches of 32 pixels, at most as many as the budget."""
    width, height = size
    return min(ceil(width / 32) * ceil(height / 32), most)


def _gemini(size: Size | None) -> Estimate:
    if size is None:
        return Estimate(258, 258 * 16)
    if max(size) <= 384:
        return Estimate(258, 258)
    tiles = ceil(size[0] / 768) * ceil(size[1] / 768)
    return Estimate(258, 258 * max(2, tiles))


def _page(formula: str | None) -> Estimate:
    name = (formula or "").partition(":")[0]
    if name in _ANTHROPIC:
        return Estimate(_PAGE_TEXT.low, _PAGE_TEXT.high + _ANTHROPIC[name][1])
    return Estimate(258, 258) if name == "gemini-tiles" else _PAGE


def _document(media: Media, formula: str | None) -> Estimate:
    """A PDF or another document: text and picture of every page."""
    page = _page(formula)
    content = None if media.data is None else decode_base64(media.data)
    pages = 0 if content is None else len(re.findall(rb"/Type\s*/Page(?![A-Za-z])", content))
    if pages:
        return Estimate(page.low * pages, page.high * pages)
    size = len(content) if content is not None else media.size_bytes
    most = _UNKNOWN_PAGES if size is None else min(_MOST_PAGES, ceil(size / _PAGE_BYTES))
    return Estimate(page.low, page.high * max(1, most))


def _lasting(kind: str, size_bytes: int | None) -> Estimate:
    """Sound or film by its duration, which only its size bounds."""
    least, most = _UNKNOWN_SECONDS
    if size_bytes is not None:
        slow, fast = _RATE[kind]
        least, most = max(1, size_bytes // fast), max(1, ceil(size_bytes / slow))
    low, high = _SECOND[kind]
    return Estimate(least * low, most * high)

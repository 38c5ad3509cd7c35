"""Media that is only referred to: it stays what it is on the way to every provider, and fits an ordinary window."""

from __future__ import annotations

import pytest

from contextrail import BudgetExceeded, Conversation, Media, Message, Rail, Text, decode, encode, lint
from contextrail.core.ids import MessageId

TARGETS = ["anthropic", "openai-chat", "openai-responses", "gemini"]
IMAGE = Media(kind="image", reference="https://example.org/photo.png")
PDF = Media(kind="document", media_type="application/pdf", reference="https://example.org/a.pdf")


def asked(media: Media, say: str = "What is this?") -> Conversation:
    return Conversation(
        messages=(Message(id=MessageId("u1"), role="user", parts=(Text(text=say), media)),), model="any"
    )


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("source", TARGETS[:3])
def test_an_image_by_url_stays_an_image_for_every_provider(source: str, target: str) -> None:
    body = encode(asked(IMAGE), source)
    request = Rail(target=target, window=20_000).build(decode(body, source))
    assert lint(request.body, target) == ()
    (kept,) = [part for part in decode(request.body, target).messages[0].parts if isinstance(part, Media)]
    assert (kept.kind, kept.reference) == ("image", IMAGE.reference)
    assert request.cost.high < 6_000


def test_the_type_of_an_image_by_url_is_guessed_for_gemini_and_the_guess_is_told() -> None:
    request = Rail(target="gemini", window=20_000).build(asked(IMAGE))
    assert "image/png" in str(request.body)
    assert [each.detail for each in request.decisions if each.reason == "media-type-guessed"] == [
        {"media_type": "image/png"}
    ]


@pytest.mark.parametrize("target", TARGETS)
def test_a_document_by_url_fits_a_default_window(target: str) -> None:
    assert Rail(target=target).build(asked(PDF)).cost.high < 100_000


def test_media_that_is_too_much_is_refused_with_true_numbers() -> None:
    with pytest.raises(BudgetExceeded) as caught:
        Rail(target="gemini", window=300).build(asked(IMAGE))
    needed, available = (caught.value.facts[name] for name in ("needed", "available"))
    assert isinstance(needed, int)
    assert isinstance(available, int)
    assert needed > available > 0

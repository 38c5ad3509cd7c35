"""The language of a conversation, as far as headings and summaries need it: English or Chinese."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final, Literal

from contextrail.messages.identity import is_user_input
from contextrail.messages.model import Message, Text

Language = Literal["en", "zh"]

_HAN: Final = re.compile("[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]")
_KANA: Final = re.compile("[\u3040-\u30ff]")
_WORD: Final = re.compile(r"[^\W\d_]{2,}")
_SAMPLE: Final = 200_000
"""Characters looked at: more do not change the answer."""


def language_of(text: str) -> Language | None:
    """The language most of a text is written in; None: too little text to say, or another language.

    A Han character counts as a word, and so does a run of letters; code and paths are full of the latter, so a
    third of Han makes a text Chinese. Japanese, which is written with Han as well, is none of the two.
    """
    text = text[:_SAMPLE]
    han = len(_HAN.findall(text))
    kana = len(_KANA.findall(text))
    if kana * 4 > han and kana > 1:
        return None
    latin = sum(1 for word in _WORD.findall(_HAN.sub(" ", text)) if word.isascii())
    if han + latin < 3:
        return None
    return "zh" if han * 2 >= latin else "en"


def conversation_language(messages: Iterable[Message]) -> Language:
    """The language the user writes in; else the one the assistant writes in; else English."""
    user: list[str] = []
    other: list[str] = []
    for message in messages:
        texts = [part.text for part in message.parts if isinstance(part, Text)]
        if is_user_input(message):
            user += texts
        elif message.role == "assistant":
            other += texts
    return language_of("\n".join(user)) or language_of("\n".join(other)) or "en"

"""Memo: what was found out about a list of messages is not worked out again for the same list.

Lists are the same if they hold the same objects: messages are never changed in place. It only saves work, so what is
remembered must depend on the question and on the messages alone.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from operator import is_
from typing import Any, Final, TypeVar

from contextrail.messages.model import Message

_MOST: Final = 16
"""Questions that are remembered."""

Answer = TypeVar("Answer")


class Memo:
    """The last list of messages of each question, and the answer."""

    def __init__(self) -> None:
        self._known: dict[Hashable, tuple[tuple[Message, ...], Any]] = {}

    def of(
        self, question: Hashable, messages: Sequence[Message], find: Callable[[Sequence[Message]], Answer]
    ) -> Answer:
        """What `find(messages)` gives, or gave. The answer is shared, so it must not be changed."""
        known = self._known.pop(question, None)
        if known is None or len(known[0]) != len(messages) or not all(map(is_, known[0], messages)):
            known = (tuple(messages), find(messages))
        self._known[question] = known
        while len(self._known) > _MOST:
            del self._known[next(iter(self._known))]
        answer: Answer = known[1]
        return answer

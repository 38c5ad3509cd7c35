"""Which pinned records stand beside a summary, within what there is room for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from contextrail.compaction.frame import told_texts
from contextrail.compaction.goal import KINDS, Pin
from contextrail.compaction.language import Language
from contextrail.compaction.sentences import sentences
from contextrail.compaction.spoken import request
from contextrail.core.ids import MessageId
from contextrail.messages.model import Message

_CUT: Final[dict[Language, str]] = {
    "en": "[… {count} characters of this record are left out …]",
    "zh": "[… 此记录省略了 {count} 个字符 …]",
}
_GOAL: Final = 3
"""A goal that is shortened gets at least the room divided by this."""
BINDING: Final = ("goal", "constraint", "acceptance", "rule")


@dataclass(frozen=True, slots=True, kw_only=True)
class Room:
    """What records may cost, and how that is counted."""

    limit: int
    """For all of them."""
    binding: int
    """For goal, constraints, acceptance and rules, if that is more than `limit`."""
    count: Callable[[str], int]
    language: Language

    def price(self, pin: Pin) -> int:
        """What one record costs where it stands."""
        return self.count(f"- [{pin.message}] {pin.text}\n") + 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    """The records that stand beside a summary, and what found no room."""

    records: tuple[Pin, ...]
    left_out: tuple[Pin, ...]
    shortened: tuple[Pin, ...]
    """As they were."""


def choose(pins: Sequence[Pin], covered: Sequence[Message], room: Room) -> Chosen:
    """Take records by importance: the goal, what binds the work, then whole user messages, then the rest.

    Within a kind the newest come first when there is not room for all. A user message that is kept whole makes the
    records taken from it superfluous. Only a goal that passes the room by itself is shortened, visibly: it gets what
    the rules leave, and at least a third.
    """
    taking = _Taking(room)
    newest = tuple(reversed(pins))
    binding = [pin for kind in BINDING for pin in newest if pin.kind == kind]
    large = [pin for pin in binding if pin.kind == "goal" and room.price(pin) > taking.limit]
    for pin in binding:
        if pin not in large:
            taking.bind(pin, keep=taking.limit // _GOAL if large else 0)
    for pin in large:
        taking.bind(pin)
    told = {pin.text for pin in pins}
    said = [pin for pin in _said(covered) if pin.text not in told]
    rest = [pin for pin in pins if pin.kind not in (*BINDING, "said")]
    carried = [pin for pin in pins if pin.kind == "said"]
    for pin in [*reversed(said), *reversed(rest), *reversed(carried)]:
        taking.fit(pin)
    order = {pin: at for at, pin in enumerate([*pins, *said])}
    records = tuple(sorted(taking.taken, key=lambda pin: (KINDS.index(pin.kind), order.get(pin, 0))))
    kept = Told(pin.text for pin in records)
    left = tuple(pin for pin in order if not kept.holds(pin.text) and pin not in taking.shortened)
    return Chosen(records=records, left_out=left, shortened=tuple(taking.shortened))


class Told:
    """Texts, and whether they hold a piece word for word: most pieces are found without reading a text again."""

    def __init__(self, texts: Iterable[str] = ()) -> None:
        self._texts: list[str] = []
        self._sentences: set[str] = set()
        for text in texts:
            self.add(text)

    def add(self, text: str) -> None:
        """One more text; a single sentence holds nothing but itself."""
        pieces = sentences(text)
        self._sentences.update(pieces, [text])
        if pieces != [text]:
            self._texts.append(text)

    def holds(self, piece: str) -> bool:
        """Whether one of the texts says it."""
        return piece in self._sentences or any(piece in text for text in self._texts)


@dataclass(slots=True)
class _Taking:
    """Records taken so far."""

    room: Room
    spent: int = 0
    taken: list[Pin] = field(default_factory=list)
    told: dict[MessageId, Told] = field(default_factory=dict)
    """What of each message."""
    shortened: list[Pin] = field(default_factory=list)

    @property
    def limit(self) -> int:
        """Most that what binds the work may cost."""
        return max(self.room.limit, self.room.binding)

    def bind(self, pin: Pin, *, keep: int = 0) -> None:
        """Take what binds the work, unless a record of the same message holds it already; `keep` stays free."""
        limit = self.limit - keep
        if pin.message in self.told and self.told[pin.message].holds(pin.text):
            return
        if self.spent + self.room.price(pin) > limit:
            if pin.kind != "goal":
                return
            self.shortened.append(pin)
            pin = _shortened(pin, limit - self.spent, self.room)
        self._add(pin)

    def fit(self, pin: Pin) -> None:
        """Take a record if there is room; a whole message takes the place of what was taken from it."""
        inside: set[Pin] = set()
        if pin.kind == "said" and pin.message in self.told:
            whole = Told([pin.text])
            inside = {
                each
                for each in self.taken
                if each.message == pin.message and each.kind != "goal" and whole.holds(each.text)
            }
        saved = sum(map(self.room.price, inside))
        if self.spent - saved + self.room.price(pin) <= self.room.limit:
            self.taken = [each for each in self.taken if each not in inside]
            self.spent -= saved
            self._add(pin)

    def _add(self, pin: Pin) -> None:
        self.taken.append(pin)
        self.told.setdefault(pin.message, Told()).add(pin.text)
        self.spent += self.room.price(pin)


def _said(covered: Sequence[Message]) -> list[Pin]:
    """Each user message whole, as far as a user said it."""
    found: list[Pin] = []
    for message in covered:
        if message.role == "user":
            text = "\n".join(text for text in told_texts(message) if request(text)).strip()
            if text:
                found.append(Pin("said", text, message.id))
    return found


def _shortened(pin: Pin, limit: int, room: Room) -> Pin:
    """Head and tail of a record with a mark between, as long as there is room for."""
    low, high = 0, len(pin.text)
    best = replace(pin, text=_CUT[room.language].format(count=len(pin.text)))
    while low <= high:
        keep = (low + high) // 2
        head, tail = pin.text[: keep - keep // 3], pin.text[len(pin.text) - keep // 3 :]
        mark = _CUT[room.language].format(count=len(pin.text) - keep)
        tried = replace(pin, text=f"{head}\n{mark}\n{tail}".strip())
        if room.price(tried) <= limit:
            best, low = tried, keep + 1
        else:
            high = keep - 1
    return best

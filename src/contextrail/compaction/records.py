"""Which pinned records stand beside a summary, within what there is room for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from contextrail.compaction.frame import summary_text
from contextrail.compaction.goal import KINDS, Pin
from contextrail.compaction.language import Language
from contextrail.messages.identity import is_user_input
from contextrail.messages.model import Message, Text

_CUT: dict[Language, str] = {
    "en": "[… {count} characters of this record are left out …]",
    "zh": "[… 此记录省略了 {count} 个字符 …]",
}
_BINDING = ("goal", "constraint", "acceptance", "rule")


@dataclass(frozen=True, slots=True, kw_only=True)
class Room:
    """What records may cost, and how that is counted."""

    limit: int
    """For all of them."""
    binding: int
    """For goal, constraints, acceptance and rules, if that is more than `limit`."""
    count: Callable[[str], int]
    language: Language


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
    records taken from it superfluous. Only a goal that passes the room by itself is shortened, visibly.
    """
    spent = 0
    taken: list[Pin] = []
    shortened: list[Pin] = []

    def price(pin: Pin) -> int:
        return room.count(f"- [{pin.message}] {pin.text}\n") + 1

    said = [pin for pin in _said(covered) if not any(pin.text == each.text for each in pins)]
    binding = [pin for pin in pins if pin.kind in _BINDING]
    rest = [pin for pin in pins if pin.kind not in (*_BINDING, "said")]
    carried = [pin for pin in pins if pin.kind == "said"]
    for pin in sorted(binding[::-1], key=lambda each: KINDS.index(each.kind)):
        limit = max(room.limit, room.binding)
        if spent + price(pin) <= limit:
            taken.append(pin)
        elif pin.kind == "goal":
            shortened.append(pin)
            taken.append(_shortened(pin, limit - spent, room))
        else:
            continue
        spent += price(taken[-1])
    for pin in [*reversed(said), *reversed(rest), *reversed(carried)]:
        inside = [
            each
            for each in taken
            if each.message == pin.message and each.text in pin.text and each.kind != "goal"
        ]
        saved = sum(map(price, inside)) if pin.kind == "said" else 0
        if spent - saved + price(pin) <= room.limit:
            if pin.kind == "said":
                taken = [each for each in taken if each not in inside]
                spent -= saved
            taken.append(pin)
            spent += price(pin)
    order = {pin: at for at, pin in enumerate([*pins, *said])}
    records = tuple(sorted(taken, key=lambda pin: (KINDS.index(pin.kind), order.get(pin, 0))))
    kept = "\n".join(pin.text for pin in records)
    left = tuple(pin for pin in [*pins, *said] if pin.text not in kept and pin not in shortened)
    return Chosen(records=records, left_out=left, shortened=tuple(shortened))


def _said(covered: Sequence[Message]) -> list[Pin]:
    """Each user message whole."""
    found: list[Pin] = []
    for message in covered:
        if is_user_input(message) and summary_text(message) is None:
            text = "\n".join(part.text for part in message.parts if isinstance(part, Text)).strip()
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
        if room.count(f"- [{pin.message}] {tried.text}\n") + 1 <= limit:
            best, low = tried, keep + 1
        else:
            high = keep - 1
    return best

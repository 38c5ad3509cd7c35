"""Pinned records: what no summary may drop or reword. Found by rule, kept word for word, with their source.

A user message counts as far as the user says it himself, see `spoken`: tool output that stands in one, a document that
is handed over and a command to the host bind nothing.

| kind | what it is | where it is found |
|---|---|---|
| goal | what the work is for | the newest `## Goal` section of a user message, else the first thing the user asked |
| constraint, acceptance | limits, and when it is done | sections of these names; sentences that say so |
| rule | "do not", "always", "avoid", "keep", "wait for", and their Chinese forms, see `binding` | sentences of the user |
| decision | what was chosen | sentences of user and assistant |
| open | what was promised for later | sentences of the assistant |
| change | a path or a command that changed something | calls of tools that write, and their outcome |

Source: the goal rule is that of A3S Code's manual, section on compaction.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, Literal, get_args

from contextrail.compaction.actions import Action, actions
from contextrail.compaction.binding import LONGEST, is_question, is_rule
from contextrail.compaction.frame import records_of, summary_text, told_texts
from contextrail.compaction.promises import promises
from contextrail.compaction.sentences import sentences
from contextrail.compaction.spoken import own_words, request
from contextrail.core.ids import MessageId
from contextrail.messages.model import Message, Text

PinKind = Literal["goal", "constraint", "acceptance", "rule", "decision", "change", "open", "said"]
KINDS: Final[tuple[PinKind, ...]] = get_args(PinKind)
"""In order of importance. "said": a whole user message, kept as far as there is room."""

_HEADING: Final = re.compile(r"^#{1,2} +(.+?)[ :：]*$", re.MULTILINE)
_SECTIONS: Final[dict[str, PinKind]] = {
    "goal": "goal", "goals": "goal", "objective": "goal", "目标": "goal", "任务目标": "goal",
    "constraint": "constraint", "constraints": "constraint", "limits": "constraint", "约束": "constraint", "限制": "constraint",
    "rules": "rule", "rule": "rule", "规则": "rule", "要求": "rule",
    "acceptance": "acceptance", "acceptance criteria": "acceptance", "definition of done": "acceptance",
    "验收": "acceptance", "验收标准": "acceptance", "完成标准": "acceptance",
}  # fmt: skip
_Patterns = tuple[re.Pattern[str], re.Pattern[str]]
"""English and Chinese. Apart, and with the first letters in front, they are found several times as fast."""


def _says(letters: str, english: str, chinese: str) -> _Patterns:
    return re.compile(rf"\b(?=[{letters}])(?:{english})", re.IGNORECASE), re.compile(chinese)


_ACCEPTANCE: Final = _says(
    "adfis",
    r"(?:done when|finished when|acceptance|is (?:only )?(?:done|complete) (?:when|if|once)|success means|accepted (?:when|if))\b",
    r"验收|才算完成|才算通过|完成标准",
)
_DECISION: Final = _says(
    "adgilosw",
    r"(?:decid\w+ (?:to|on|that|against|for)|decision|we(?:['’]ll| will) (?:use|go with|keep|stay with)|(?:was|were|is) chosen|(?:I|we) chose|"
    r"going with|settled on|agreed (?:to|on|that)|let['’]s (?:use|go with|keep)|opted (?:for|to)|instead of)\b",
    r"决定|选定|选择了|改用|采用|定为|商定|约定",
)


@dataclass(frozen=True, slots=True)
class Pin:
    """One record, word for word."""

    kind: PinKind
    text: str
    message: MessageId
    """The message it comes from."""


def pins_of(messages: Sequence[Message]) -> tuple[Pin, ...]:
    """Every record of some messages, in order of kind, then as they were said; each text once.

    Records that an earlier summary among the messages carries are taken over as they stand there, before newer ones.
    """
    carried = _carried(messages)
    found = [
        *carried,
        *_goals(messages, carried=any(pin.kind == "goal" for pin in carried)),
        *(pin for message in messages for pin in _spoken(message)),
        *_promised(messages),
        *map(_change, filter(lambda each: each.changed, actions(messages))),
    ]
    newest_goal = next((pin for pin in reversed(found) if pin.kind == "goal"), None)
    kept: dict[tuple[PinKind, str], Pin] = {}
    for pin in found:
        if pin.kind != "goal" or pin == newest_goal:
            kept.setdefault((pin.kind, pin.text), pin)
    return tuple(sorted(kept.values(), key=lambda pin: KINDS.index(pin.kind)))


def goal_of(messages: Sequence[Message]) -> Pin | None:
    """What the work is for, or None if no user ever spoke."""
    return next((pin for pin in pins_of(messages) if pin.kind == "goal"), None)


def pinned(messages: Iterable[Message], records: Iterable[Pin]) -> bool:
    """Whether each record stands word for word somewhere in the messages."""
    texts = [text for message in messages for text in _texts(message)]
    return all(any(pin.text in text for text in texts) for pin in records)


def sections(text: str) -> list[tuple[PinKind, str]]:
    """Named sections of a text: what follows a `# ` or `## ` heading with a known name, to the next such heading."""
    marks = list(_HEADING.finditer(text))
    found: list[tuple[PinKind, str]] = []
    for at, mark in enumerate(marks):
        kind = _SECTIONS.get(mark[1].strip().casefold())
        end = marks[at + 1].start() if at + 1 < len(marks) else len(text)
        body = text[mark.end() : end].strip()
        if kind is not None and body:
            found.append((kind, body))
    return found


def _carried(messages: Iterable[Message]) -> list[Pin]:
    """Records of earlier summaries; what a whole user message there binds is found in it anew."""
    found: list[Pin] = []
    for message in messages:
        for kind, source, text in records_of(message, KINDS):
            found.append(Pin(kind, text, MessageId(source)))
            if kind in ("said", "goal"):
                found += [Pin(of, each, MessageId(source)) for of, each in _bound_by(text, user=True)]
    return found


def _goals(messages: Sequence[Message], *, carried: bool) -> list[Pin]:
    """The first request unless an earlier summary has a goal, then each goal section: the last of them counts."""
    named: list[Pin] = []
    first: Pin | None = None
    for message in messages:
        if message.role != "user":
            continue
        texts = told_texts(message)
        if first is None and not carried:
            text = "\n".join(filter(None, map(request, texts)))
            first = Pin("goal", text, message.id) if text else None
        named += [
            Pin("goal", body, message.id)
            for text in texts
            for kind, body in sections(own_words(text))
            if kind == "goal"
        ]
    return named if first is None else [first, *named]


def _spoken(message: Message) -> list[Pin]:
    """Records in what a user or the assistant said."""
    if message.role not in ("user", "assistant"):
        return []
    user = message.role == "user"
    return [
        Pin(kind, body, message.id)
        for text in told_texts(message)
        for kind, body in _bound_by(text, user=user)
    ]


def _bound_by(text: str, *, user: bool) -> list[tuple[PinKind, str]]:
    """Sections and sentences of a text that bind the work."""
    if user:
        text = own_words(text)
    named = [each for each in sections(text) if each[0] != "goal"] if user else []
    told = [(kind, each) for each in sentences(text) if (kind := _kind(each, user=user)) is not None]
    return [*named, *told]


def _promised(messages: Sequence[Message]) -> list[Pin]:
    return [Pin("open", text, message.id) for message in messages for text in promises((message,))]


def _kind(sentence: str, *, user: bool) -> PinKind | None:
    if len(sentence) > LONGEST or is_question(sentence):
        return None
    if user and _found(_ACCEPTANCE, sentence):
        return "acceptance"
    if user and is_rule(sentence):
        return "rule"
    return "decision" if _found(_DECISION, sentence) else None


def _found(patterns: _Patterns, sentence: str) -> bool:
    return any(pattern.search(sentence) for pattern in patterns)


def _change(action: Action) -> Pin:
    exits = "" if action.exit_code in (None, 0) else f", exit {action.exit_code}"
    target = action.target.strip()
    if len(target) > LONGEST:
        target = target[:LONGEST].rsplit(" ", 1)[0] + " …"
    return Pin("change", f"{action.tool}: {target} ({action.outcome}{exits})", action.message)


def _texts(message: Message) -> list[str]:
    own = summary_text(message)
    return [own] if own is not None else [part.text for part in message.parts if isinstance(part, Text)]

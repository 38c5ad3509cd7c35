"""A summary without a model: what was done, with what outcome, in lines taken word for word. Deterministic.

Sections, each only if it has lines, in the language of the conversation: goal and rules (unless they are pinned
beside it), earlier record, files touched with their last known state, commands with their outcome, errors and what
resolved them, what was said, open items. Lines are chosen by importance and news until the limit is met.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from contextrail.compaction.actions import Action, actions
from contextrail.compaction.facts import worth
from contextrail.compaction.frame import free_text_of, told_texts
from contextrail.compaction.goal import pins_of
from contextrail.compaction.language import Language
from contextrail.compaction.promises import promises
from contextrail.compaction.sentences import sentences
from contextrail.compaction.spoken import foreign
from contextrail.compaction.terminal import shown
from contextrail.messages.identity import is_user_input
from contextrail.messages.model import Message

Section = Literal["goal", "rules", "earlier", "files", "commands", "errors", "said", "open"]

HEADINGS: Final[dict[Language, dict[Section, str]]] = {
    "en": {
        "goal": "Goal", "rules": "Rules", "earlier": "Earlier", "files": "Files touched", "commands": "Commands run",
        "errors": "Errors", "said": "What was said", "open": "Open",
    },
    "zh": {
        "goal": "目标", "rules": "规则", "earlier": "更早的记录", "files": "涉及的文件", "commands": "执行的命令",
        "errors": "错误", "said": "对话要点", "open": "未完成",
    },
}  # fmt: skip
_WORDS: Final[dict[Language, dict[str, str]]] = {
    "en": {
        "read": "read", "write": "changed", "ok": "ok", "error": "failed", "interim": "still running",
        "unknown": "outcome unknown", "resolved": "then ok", "unresolved": "not resolved here",
        "user": "user", "assistant": "assistant", "again": "repeated, last",
    },
    "zh": {
        "read": "已读", "write": "已改", "ok": "成功", "error": "失败", "interim": "仍在运行",
        "unknown": "结果未知", "resolved": "之后成功", "unresolved": "此处未解决",
        "user": "用户", "assistant": "助手", "again": "多次，最后",
    },
}  # fmt: skip
_ERROR: Final = re.compile(
    r"\b(?:error|exception|traceback|failed|failure|fatal|panic|cannot|not found|denied|refused|undefined|invalid|timed? out)\b"
    r"|错误|失败|异常|找不到|超时|拒绝",
    re.IGNORECASE,
)
_THROWN: Final = re.compile(r"\b[A-Za-z_.]*(?:Error|Exception|Panic)\b|^(?:fatal|panic):")
_OUTCOME: Final = re.compile(
    r"\b\d+ (?:passed|failed|errors?|warnings?|tests?|files? changed|insertions|deletions)\b|\bexit(?:ed)?\b|\bok\b",
    re.IGNORECASE,
)
_WIDEST: Final = 240
"""Characters of a line; a longer one is cut at a word, with a mark."""
_SHARE: Final[dict[Section, int]] = {
    "earlier": 20,
    "files": 20,
    "commands": 25,
    "errors": 25,
    "said": 25,
    "open": 20,
}
"""Hundredths of the limit that a section may take before all others had their turn."""


@dataclass(frozen=True, slots=True)
class _Line:
    section: Section
    rank: int
    """Smaller is more important, within its section."""
    order: int
    """Place in the section."""
    text: str


def extract(
    messages: Sequence[Message],
    *,
    limit: int,
    count: Callable[[str], int],
    language: Language,
    pins: Literal["include", "leave out"] = "include",
) -> str:
    """Summarize a span without a model.

    Args:
        messages: The span, whole pairs.
        limit: Most that the text may cost; 0 gives "".
        count: Upper bound of what a text costs.
        language: Of headings and of the few words that are not taken from the span.
        pins: Goal and rules are part of the text, or stand beside it already.

    Returns:
        Lines of the span word for word under headings; "" if there is nothing to tell.
    """
    lines = _lines(messages, language, pins)
    chosen: set[int] = set()
    spent = dict.fromkeys(HEADINGS[language], 0)
    total = 0
    prices = [count(f"- {line.text}\n") + 1 for line in lines]
    heads = {section: count(f"\n\n## {word}\n") + 1 for section, word in HEADINGS[language].items()}
    ranked = sorted(
        range(len(lines)), key=lambda at: (lines[at].section not in ("goal", "rules"), lines[at].rank, at)
    )
    for generous in (False, True):
        for at in ranked:
            section = lines[at].section
            price = prices[at] + (0 if spent[section] else heads[section])
            share = 100 if generous else _SHARE.get(section, 100)
            if at in chosen or total + price > limit or (spent[section] + price) * 100 > limit * share:
                continue
            chosen.add(at)
            spent[section] += price
            total += price
    text = _render([lines[at] for at in chosen], language)
    while chosen and count(text) > limit:
        chosen.discard(max(chosen, key=lambda at: (lines[at].rank, at)))
        text = _render([lines[at] for at in chosen], language)
    return text


def told_lines(messages: Sequence[Message], language: Language) -> frozenset[str]:
    """Every line that a summary of these messages may hold, without list marks: each is true to them."""
    return frozenset(line.text for line in _lines(messages, language, "include"))


def _render(lines: Iterable[_Line], language: Language) -> str:
    there = list(lines)
    blocks: list[str] = []
    for section, word in HEADINGS[language].items():
        body = sorted((line for line in there if line.section == section), key=lambda line: line.order)
        if body:
            blocks.append("\n".join([f"## {word}", *(f"- {line.text}" for line in body)]))
    return "\n\n".join(blocks)


def _lines(messages: Sequence[Message], language: Language, pins: str) -> list[_Line]:
    done = actions(messages)
    words = _WORDS[language]
    bound = _pin_lines(messages)
    pinned = {line.text for line in bound}
    lines = bound if pins == "include" else []
    lines += _earlier(messages)
    lines += _files(done, words)
    lines += _commands(done, words)
    lines += _errors(done, words)
    lines += [line for line in _said(messages, words) if line.text.partition(": ")[2] not in pinned]
    lines += _open(() if pins == "leave out" else messages, done, words)
    seen: set[str] = set()
    return [line for line in lines if not (line.text in seen or seen.add(line.text))]  # type: ignore[func-returns-value]


def _pin_lines(messages: Sequence[Message]) -> list[_Line]:
    sections: dict[str, Section] = {
        "goal": "goal",
        "rule": "rules",
        "constraint": "rules",
        "acceptance": "rules",
    }
    return [
        _Line(sections[pin.kind], at, at, " ".join(pin.text.split()))
        for at, pin in enumerate(pins_of(messages))
        if pin.kind in sections
    ]


def _earlier(messages: Sequence[Message]) -> list[_Line]:
    """Lines of earlier summaries, so that they merge instead of nesting."""
    texts = [text for message in messages if (text := free_text_of(message)) is not None]
    lines = [line.strip().removeprefix("- ") for text in texts for line in text.splitlines()]
    told = [line for line in lines if line and not line.startswith("#")]
    return [_Line("earlier", max(0, 40 - 4 * worth(line)), at, _fit(line)) for at, line in enumerate(told)]


def _files(done: Sequence[Action], words: dict[str, str]) -> list[_Line]:
    """Each path once, with what was last done to it; changed ones first."""
    last: dict[str, Action] = {}
    changed: set[str] = set()
    for action in done:
        if action.path is not None:
            last[action.path] = action
            if action.changed and action.succeeded:
                changed.add(action.path)
    found: list[_Line] = []
    for at, (path, action) in enumerate(last.items()):
        verb = words["write"] if path in changed else words["read"] if action.kind == "read" else action.tool
        state = "" if action.outcome == "ok" else f" ({action.tool}: {words[action.outcome]})"
        age = len(last) - at
        found.append(
            _Line("files", (0 if path in changed else 20) + age, at, f"{_one_line(path)}: {verb}{state}")
        )
    return found


def _commands(done: Sequence[Action], words: dict[str, str]) -> list[_Line]:
    """Each command once, with its last outcome and the line of its output that tells most."""
    last: dict[str, tuple[Action, int]] = {}
    for action in done:
        if action.command is not None:
            last[action.command] = (action, last.pop(action.command, (action, 0))[1] + 1)
    found: list[_Line] = []
    for at, (command, (action, times)) in enumerate(last.items()):
        outcome = words[action.outcome] if action.exit_code is None else f"exit {action.exit_code}"
        if times > 1:
            outcome = f"{words['again']} {outcome}"
        telling = _telling(action.result)
        weight = 0 if action.changed else 5 if action.tested else 15
        text = f"`{_fit(command)}` → {outcome}" + (f": {telling}" if telling else "")
        found.append(_Line("commands", weight + len(last) - at, at, text))
    return found


def _errors(done: Sequence[Action], words: dict[str, str]) -> list[_Line]:
    """The error line of each failed call, and whether the same call went well later."""
    found: list[_Line] = []
    for at, action in enumerate(done):
        if action.succeeded or action.outcome in ("interim", "unknown"):
            continue
        line = _error_line(action.result)
        if line is None:
            continue
        later = [
            each
            for each in done[at + 1 :]
            if each.tool == action.tool and (each.path, each.command) == (action.path, action.command)
        ]
        state = words["resolved"] if any(each.succeeded for each in later) else words["unresolved"]
        where = _fit(_one_line(action.path or action.command or action.tool), 80)
        rank = len(done) - at + (30 if state == words["resolved"] else 0)
        found.append(_Line("errors", rank, at, f"{line} ({where}; {state})"))
    return found


def _said(messages: Sequence[Message], words: dict[str, str]) -> list[_Line]:
    """Telling sentences of what was said: user first, then the assistant's, the newest before older ones."""
    found: list[_Line] = []
    for at, message in enumerate(messages):
        if message.role not in ("user", "assistant"):
            continue
        user = is_user_input(message)
        texts = [text for text in told_texts(message) if not (user and foreign(text))]
        told = [each for text in texts for each in sentences(text)]
        best = sorted(range(len(told)), key=lambda n: (-min(worth(told[n]), 12), n))[:3]
        for n in sorted(best):
            if (worth(told[n]) or user or n == 0) and len(told[n]) > 1:
                rank = len(messages) - at + (0 if user else 10) - min(worth(told[n]), 12)
                speaker = words["user" if user else "assistant"]
                found.append(_Line("said", max(0, rank), at * 1000 + n, f"{speaker}: {_fit(told[n])}"))
    return found


def _open(messages: Sequence[Message], done: Sequence[Action], words: dict[str, str]) -> list[_Line]:
    """Calls that are still running or whose outcome is unknown, and what was promised last."""
    waiting = [
        _Line(
            "open",
            0,
            at,
            f"{action.tool} {_fit(_one_line(action.target))}: {words[action.outcome]}" + _after(action),
        )
        for at, action in enumerate(done)
        if action.outcome in ("interim", "unknown")
    ]
    told = [
        _Line("open", 5, len(done) + at, f"{words['assistant']}: {_fit(promise)}")
        for at, promise in enumerate(promises(messages))
    ]
    return [*waiting, *told]


def _after(action: Action) -> str:
    text = _fit(_one_line(action.result))
    return f": {text}" if text else ""


def _telling(result: str) -> str:
    """The line of a result that tells most: counts and errors before others, the later of equals."""
    best, score = "", 0
    for line in shown(result[-20_000:]).splitlines():
        stripped = line.strip()
        if not stripped or len(stripped) > 2 * _WIDEST:
            continue
        points = (
            min(worth(stripped), 6)
            + (8 if _OUTCOME.search(stripped) else 0)
            + (6 if _ERROR.search(stripped) else 0)
        )
        if points and points >= score:
            best, score = stripped, points
    return _fit(best)


def _error_line(result: str) -> str | None:
    """The last line with the name of an error, else the last that speaks of one, else the last line; None for an empty result."""
    lines = [line.strip() for line in shown(result[-20_000:]).splitlines() if line.strip()]
    thrown = [line for line in lines if _THROWN.search(line)]
    named = thrown or [line for line in lines if _ERROR.search(line)]
    return _fit((named or lines)[-1]) if lines else None


def _one_line(text: str) -> str:
    return " ".join(shown(text).split())


def _fit(text: str, width: int = _WIDEST) -> str:
    """One line of at most `width` characters, cut between words, with a mark where something is missing."""
    line = _one_line(text)
    if len(line) <= width:
        return line
    head = line[:width]
    cut = head.rfind(" ")
    if cut > 0:
        return head[:cut] + " …"
    return re.sub(r"[\w./\\-]+$", "", head, flags=re.ASCII) + "…"

"""Whether a summary is true to what it covers, by rule and without a model.

| flag | what is wrong |
|---|---|
| unsupported-fact | a number, path, identifier, quote, commit or address occurs nowhere in the span or its actions |
| unsupported-done | "done", "pushed", "tests pass": no action and no sentence of the span says so |
| contradicts-rule | it turns a pinned rule round, or names the value that was ruled out ("3307, not 3306") |
| wrong-language | it is not in the language of the conversation |
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from contextrail.compaction.actions import Action, actions, arguments_of
from contextrail.compaction.claims import (
    Said,
    done_claim,
    negated,
    past,
    ruled_out,
    supported_by_action,
    terms,
)
from contextrail.compaction.facts import Evidence, facts
from contextrail.compaction.goal import Pin
from contextrail.compaction.language import Language, language_of
from contextrail.compaction.sentences import bare, spans
from contextrail.messages.model import Message, ToolCall
from contextrail.messages.text import message_text

FlagKind = Literal["unsupported-fact", "unsupported-done", "contradicts-rule", "wrong-language"]

_ROUNDS: Final = 4
_LEAST_LEFT: Final = 0.4
"""Share of a summary's characters; if less is left after cutting, the rest is no summary any more."""


@dataclass(frozen=True, slots=True)
class Flag:
    """One claim without support, in the sentence at `[start, end)` characters of the summary."""

    kind: FlagKind
    claim: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Checked:
    """A summary after its check."""

    text: str | None
    """None: too little is left, or its language is wrong; another summary has to take its place."""
    flags: tuple[Flag, ...]
    """Everything that was found, places as in the text that was given."""


class Checker:
    """Checks summaries of one span. Built once from the span; asked as often as needed."""

    def __init__(self, covered: Sequence[Message], pins: Iterable[Pin], language: Language) -> None:
        """Reads the span.

        Args:
            covered: Exactly what the summary stands for.
            pins: What is kept word for word beside it.
            language: Of the conversation.
        """
        self._pins = tuple(pins)
        self._language = language
        self._actions: tuple[Action, ...] = actions(covered)
        texts = [
            *_texts(covered),
            *(pin.text for pin in self._pins),
            *(f"{pin.message}" for pin in self._pins),
        ]
        self._evidence = Evidence(texts)
        self._said = Said(texts)
        self._ruled_out = ruled_out(pin.text for pin in self._pins)

    def flags(self, summary: str) -> tuple[Flag, ...]:
        """Every claim of a summary that nothing supports, in order."""
        found = [
            flag
            for start, end in spans(summary, code="include")
            for flag in self._sentence(summary, start, end)
        ]
        spoken = language_of(summary)
        if spoken is not None and spoken != self._language:
            found.append(Flag("wrong-language", spoken, 0, len(summary)))
        return tuple(found)

    def enforce(self, summary: str) -> Checked:
        """Cut every sentence with a flag, until none is left; what stays is as it was, word for word."""
        first = flags = self.flags(summary)
        text = summary
        for _ in range(_ROUNDS):
            if not flags:
                break
            if any(flag.kind == "wrong-language" for flag in flags):
                return Checked(None, first)
            text = _without(text, [(flag.start, flag.end) for flag in flags])
            flags = self.flags(text)
        if flags or len(text.strip()) < _LEAST_LEFT * len(summary.strip()):
            return Checked(None, first)
        return Checked(text, first)

    def _sentence(self, summary: str, start: int, end: int) -> Iterator[Flag]:
        sentence = bare(summary[start:end])
        if not sentence:
            return
        for fact in facts(sentence):
            if not self._evidence.holds(fact):
                yield Flag("unsupported-fact", fact.text, start, end)
        claim = done_claim(sentence)
        if claim is not None and not self._done(claim, sentence):
            yield Flag("unsupported-done", claim, start, end)
        against = self._against_rule(sentence)
        if against is not None:
            yield Flag("contradicts-rule", against, start, end)

    def _done(self, claim: str, sentence: str) -> bool:
        verdict = supported_by_action(claim, sentence, self._actions)
        return self._said.supports(claim, sentence) if verdict is None else verdict

    def _against_rule(self, sentence: str) -> str | None:
        """The rule, or the value, that a sentence contradicts."""
        if any(sentence in pin.text for pin in self._pins):
            return None
        for wrong, right in self._ruled_out:
            if (
                _names(sentence, wrong)
                and not negated(sentence)
                and not past(sentence)
                and not (right and _names(sentence, right))
            ):
                return wrong
        mine = terms(sentence)
        for pin in self._pins:
            if pin.kind not in ("rule", "constraint") or negated(pin.text) == negated(sentence):
                continue
            binding = terms(pin.text)
            if binding and len(binding & mine) >= max(2, 0.6 * len(binding)):
                return pin.text
        return None


def _names(sentence: str, value: str) -> bool:
    return re.search(rf"(?<![\w.]){re.escape(value)}(?![\w])", sentence, re.IGNORECASE | re.ASCII) is not None


def _texts(covered: Sequence[Message]) -> Iterator[str]:
    """Everything that may support a claim: what was said, results, calls with their arguments unescaped, ids."""
    for message in covered:
        yield message_text(message)
        yield str(message.id)
        for part in message.parts:
            if isinstance(part, ToolCall):
                yield from _strings(arguments_of(part))


def _strings(value: Any) -> Iterator[str]:
    match value:
        case str():
            yield value
        case list():
            for each in value:
                yield from _strings(each)
        case dict():
            for key, each in value.items():
                yield str(key)
                yield from _strings(each)
        case _:
            pass


def _without(text: str, cut: Iterable[tuple[int, int]]) -> str:
    """The text without some sentences, and without headings that nothing follows any more."""
    at = 0
    kept: list[str] = []
    for start, end in sorted(set(cut)):
        kept.append(text[at:start])
        at = max(at, end)
    kept.append(text[at:])
    lines = "".join(kept).split("\n")
    lines = [line for line in lines if not re.fullmatch(r"\s*(?:[-*+•]|\d{1,3}[.)])\s*", line)]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(_used_headings(lines))).strip()


def _used_headings(lines: Sequence[str]) -> list[str]:
    kept: list[str] = []
    body = False
    for line in reversed(lines):
        heading = re.match(r"#{1,6} ", line) is not None
        if heading and not body:
            continue
        body = not heading if line.strip() else body
        kept.append(line)
    return kept[::-1]

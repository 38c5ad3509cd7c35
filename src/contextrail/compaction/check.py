"""Whether a summary is true to what it covers, by rule and without a model.

| flag | what is wrong |
|---|---|
| unsupported-fact | a number, path, identifier, quote, commit or address occurs nowhere in the span or its actions, or a number only of another thing ("41 failed" of "3 failed, 41 passed"), or a change is told the wrong way round ("from 64 to 8"). A number that is said to be rounded needs one close to it |
| unsupported-done | "done", "pushed", "tests pass", "a.py was edited", "the service is healthy": the last such action failed, or there is none and no sentence of the span says so; a test named as passing failed when last told of; nobody asked for a number that something was "set to", and no call did it |
| contradicts-rule | it turns a pinned rule round, takes it back, gives its order without its "not", or names what was ruled out ("14 days, not 30", "we do not upgrade to 7") |
| wrong-language | it is not in the language of the conversation |

Lines that the record itself gives, and what is quoted from its speaker word for word, have none.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, Literal

from contextrail.compaction.actions import Action, actions, arguments_of
from contextrail.compaction.breaches import Rules
from contextrail.compaction.changes import Changes, edits_of, tells_change
from contextrail.compaction.claims import Claim, Said, Speaker, done_claims
from contextrail.compaction.clauses import negated
from contextrail.compaction.days import weekdays
from contextrail.compaction.deeds import Record, named_paths
from contextrail.compaction.extract import told_lines
from contextrail.compaction.facts import Evidence, facts
from contextrail.compaction.goal import Pin
from contextrail.compaction.language import Language, language_of
from contextrail.compaction.named_tests import fails, said_to_pass
from contextrail.compaction.quantities import Told, lines, quantities
from contextrail.compaction.rounded import rounded
from contextrail.compaction.sentences import bare, spans
from contextrail.compaction.set_values import said_set, supported
from contextrail.compaction.spoken import own_words
from contextrail.compaction.states import healthy
from contextrail.messages.identity import is_user_input
from contextrail.messages.model import Message, Summary, Text, ToolCall, ToolResult
from contextrail.messages.text import message_text

FlagKind = Literal["unsupported-fact", "unsupported-done", "contradicts-rule", "wrong-language"]

_USER: Final = re.compile(r"\buser\b|用户", re.IGNORECASE)
_ROUNDS: Final = 4
_ROUNDS_OFF: Final = re.compile(
    r"about|around|roughly|approx|circa|close to|nearly|almost|over|than|above|least|most|under|below|up to|quite|[~≈<>约近超多大过到足少小低高概接余右下万千百亿]|\dk|\d\s?M\b|thousand|million",
    re.IGNORECASE,
)
_LAST: Final = 1_000
"""Characters at the end of what was said, in which it says that all tests pass."""
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
        pinned = tuple(pins)
        self._covered = tuple(covered)
        self._pins = pinned
        self._language = language
        self._actions: tuple[Action, ...] = actions(covered)
        self._texts = [
            *_texts(covered),
            *(pin.text for pin in pinned),
            *(f"{pin.message}" for pin in pinned),
        ]
        self._evidence = Evidence(self._texts)
        self._record = Record(self._actions)
        self._sayings = [*_sayings(covered, self._actions)]
        self._said = Said([*self._sayings, *(("user", pin.text) for pin in pinned if pin.kind == "said")])
        self._rules = Rules(
            pinned, (text for who, text in _sayings(covered, ()) if who == "user"), self._names_elsewhere
        )
        self._elsewhere: dict[str, bool] = {}
        self._told: Told | None = None
        self._lines: frozenset[str] | None = None

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
        heading = re.match(r"\s*#{1,6} ", summary[start:end]) is not None
        found = [*self._facts(sentence), *self._deeds(sentence, heading=heading)]
        against = None if heading else self._rules.against(sentence)
        if against is not None:
            found.append(("contradicts-rule", against))
        if found and not self._quoted(summary, start, end):
            yield from (Flag(kind, claim, start, end) for kind, claim in dict.fromkeys(found))

    def _facts(self, sentence: str) -> Iterator[tuple[FlagKind, str]]:
        excused = (
            rounded(sentence, self._amounts, self._shares) if _ROUNDS_OFF.search(sentence) else frozenset()
        )
        missing = {
            fact.text
            for fact in facts(sentence)
            if fact.text not in excused
            and not self._evidence.holds(fact)
            and not (fact.kind == "number" and self._sources.counts(fact.text))
        }
        yield from (("unsupported-fact", text) for text in sorted(missing))
        for quantity in quantities(sentence):
            codes = self._record.exits(sentence) if quantity.unit == "exit" else None
            told = self._sources.holds(quantity) if codes is None else quantity.value in codes
            if (
                quantity.value not in missing
                and quantity.value not in excused
                and not told
                and not self._rules.rules_out(quantity.value)
            ):
                yield "unsupported-fact", quantity.text
        if tells_change(sentence) and not negated(sentence):
            turned = self._changes.turned(sentence)
            if turned is not None:
                yield "unsupported-fact", turned
        for name, number in weekdays(sentence).items():
            if number not in self._days:
                yield "unsupported-fact", name
        for line in lines(sentence):
            if not self._names_line(line.path, line.line):
                yield "unsupported-fact", f"{line.path}:{line.line}"

    def _deeds(self, sentence: str, *, heading: bool) -> Iterator[tuple[FlagKind, str]]:
        for claim in done_claims(sentence):
            if not (heading and claim.kind == "done") and not self._done(claim, sentence):
                yield "unsupported-done", claim.kind
        for name in said_to_pass(sentence):
            if fails(name, self._tested):
                yield "unsupported-done", name
        for value in said_set(sentence):
            held = all(self._evidence.holds(fact) for fact in facts(sentence) if fact.text == value)
            if held and not supported(value, self._wanted, self._shown):
                yield "unsupported-done", value

    def _done(self, claim: Claim, sentence: str) -> bool:
        if claim.told:
            return self._said.supports(claim, by=("user", "assistant", "result", "file"))
        if claim.kind == "approve":
            granted = _USER.search(sentence) is not None and self._rules.granted(sentence)
            return granted or self._said.supports(claim, by=("user", "result"))
        if claim.kind == "health" and self._healthy is not None:
            return self._healthy
        named = named_paths(claim.clause) if claim.kind in ("edit", "change", "fix") else ()
        verdict = self._record.bears_out(claim.kind, claim.clause, whole=claim.whole, earlier=claim.earlier)
        if verdict is False and claim.kind in ("edit", "open"):
            return self._said.supports(claim, by=("user",), named=named)
        return self._said.supports(claim, named=named) if verdict is None else verdict

    @cached_property
    def _healthy(self) -> bool | None:
        """How a service stood when last told: by a tool or the user, else by the assistant."""
        shown = [text for who, text in self._sayings if who in ("result", "file", "user")]
        state = healthy(shown)
        return (
            state if state is not None else healthy(text for who, text in self._sayings if who == "assistant")
        )

    @cached_property
    def _tested(self) -> tuple[tuple[str, bool], ...]:
        """What was said and shown, in order, and whether it tells that all tests pass."""
        well = {each.action.call_id for each in self._record.tries("test") if each.well and not each.narrow}
        told: list[tuple[str, bool]] = []
        for message in self._covered:
            calls = {part.call_id for part in message.parts if isinstance(part, ToolResult)}
            for who, text in _sayings([message], self._actions):
                said = who in ("user", "assistant") and any(
                    each.kind == "test" and each.whole for each in done_claims(text[-_LAST:])
                )
                told.append((text, said or bool(calls & well)))
        return tuple(told)

    @cached_property
    def _wanted(self) -> tuple[str, ...]:
        """What was said, and what calls that do more than read were given."""
        given = (f"{each.target}\n{each.given}" for each in self._actions if each.kind != "read")
        said = (text for who, text in self._sayings if who in ("user", "assistant"))
        return (*said, *(pin.text for pin in self._pins), *given)

    @cached_property
    def _shown(self) -> tuple[str, ...]:
        """What calls that do more than read showed."""
        return tuple(each.result for each in self._actions if each.kind != "read")

    @cached_property
    def _changes(self) -> Changes:
        calls = (part for message in self._covered for part in message.parts if isinstance(part, ToolCall))
        return Changes((pair for part in calls for pair in edits_of(arguments_of(part))), self._texts)

    @cached_property
    def _amounts(self) -> tuple[float, ...]:
        return tuple(sorted([*self._evidence.numbers, *map(float, self._sources.totals)]))

    @cached_property
    def _shares(self) -> tuple[float, ...]:
        return tuple(sorted(self._sources.shares))

    @cached_property
    def _days(self) -> frozenset[int]:
        return frozenset(number for text in self._texts for number in weekdays(text).values())

    @property
    def _sources(self) -> Told:
        if self._told is None:
            exits = [each.exit_code for each in self._actions if each.exit_code is not None]
            exits += [0 for each in self._actions if each.command is not None and each.succeeded]
            changed = {each.path for each in self._actions if each.changed and each.path is not None}
            self._told = Told(self._texts, exits, len(changed))
        return self._told

    def _names_elsewhere(self, value: str) -> bool:
        """Whether a value stands in something that the user did not say."""
        if value not in self._elsewhere:
            named = re.compile(rf"(?<![\w.]){re.escape(value)}(?![\w.]\w)", re.IGNORECASE | re.ASCII)
            self._elsewhere[value] = any(
                named.search(text)
                for message in self._covered
                if not is_user_input(message)
                for text in _texts([message])
                if value in text
            )
        return self._elsewhere[value]

    def _names_line(self, path: str, line: str) -> bool:
        """Whether a line of a file is named in the sources, or is numbered in what a call showed of the file."""
        name = re.split(r"[/\\]", path)[-1]
        named = re.compile(
            rf"{re.escape(name)}[^\w\n]{{0,4}}(?:\s*(?:at |on |in )?(?:lines?|ln|L|第)[^\w\n]{{0,3}})?(?<!\d){line}(?!\d)"
            rf"|(?:line|第) ?{line}(?: ?行)? (?:of|in) \S{{0,200}}{re.escape(name)}",
            re.IGNORECASE,
        )
        if any(name in text and named.search(text) for text in self._texts):
            return True
        shown = re.compile(rf"^\W{{0,8}}{line}(?:[:\t→|-]|\s{{2}}|$)", re.MULTILINE)
        return any(
            name in each.target
            and (shown.search(each.result) or re.search(rf"(?<!\d){line}(?!\d)", each.target))
            for each in self._actions
        )

    def _quoted(self, summary: str, start: int, end: int) -> bool:
        """Whether a sentence stands in a line that the record gives word for word."""
        if self._lines is None:
            self._lines = told_lines(self._covered, self._language)
        first = end - len(summary[start:end].lstrip())
        begin = summary.rfind("\n", 0, first) + 1
        close = summary.find("\n", first)
        line = summary[begin : close if close >= 0 else len(summary)].strip()
        return line.removeprefix("- ") in self._lines


def _sayings(covered: Sequence[Message], done: Sequence[Action]) -> Iterator[tuple[Speaker, str]]:
    """What was said, and by whom."""
    kinds = {each.call_id: each.kind for each in done}
    for message in covered:
        if message.role == "tool":
            mine = {kinds.get(part.call_id) for part in message.parts if isinstance(part, ToolResult)}
            yield ("file" if mine <= {"read"} else "result"), message_text(message)
        else:
            text = "\n".join(part.text for part in message.parts if isinstance(part, Text | Summary))
            if is_user_input(message):
                own = own_words(text)
                yield "user", own
                if own != text:
                    yield "result", text
            else:
                yield ("file" if message.role == "system" else "assistant"), text


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

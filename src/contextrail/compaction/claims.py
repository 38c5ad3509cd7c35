"""What a sentence claims to be done, what was said of it in the span, and what a text is about."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from contextrail.compaction.clauses import told_in
from contextrail.compaction.facts import facts
from contextrail.compaction.numerals import digits
from contextrail.compaction.sentences import sentences
from contextrail.compaction.wording import DEEDS, STEMS, WHOLE, WORDS, Deed

_STOP: Final = frozenset(
    [
        "that",
        "this",
        "with",
        "from",
        "have",
        "been",
        "were",
        "will",
        "would",
        "should",
        "must",
        "shall",
        "never",
        "always",
        "please",
        "what",
        "when",
        "where",
        "which",
        "while",
        "about",
        "after",
        "before",
        "into",
        "onto",
        "over",
        "under",
        "your",
        "their",
        "there",
        "they",
        "them",
        "then",
        "than",
        "also",
        "only",
        "just",
        "make",
        "sure",
        "because",
        "until",
        "does",
        "doing",
        "done",
        "being",
        "could",
        "each",
        "every",
        "some",
        "any",
        "all",
        "not",
        "for",
        "and",
        "the",
        "you",
        "are",
        "was",
        "has",
        "had",
        "its",
        "our",
        "out",
        "off",
        "use",
        "used",
        "now",
        "everything",
        "anything",
        "nothing",
        "something",
        "everyone",
        "successfully",
        "finally",
        "already",
        "fully",
        "again",
        "ever",
        "yet",
        "still",
        "has",
        "gone",
        "via",
        "per",
        "but",
        "can",
        "may",
        "did",
        "get",
        "got",
        "him",
        "her",
        "his",
        "she",
        "who",
        "how",
        "why",
        "let",
        "too",
        "very",
    ]
)
_WORD: Final = re.compile(r"[A-Za-z][A-Za-z'’]{1,}")
_HAN: Final = re.compile("[\u4e00-\u9fff]{2,}")
_HAN_STOP: Final = re.compile(
    "不要|不得|不能|不许|不准|不可以?|必须|务必|禁止|严禁|切勿|请勿|一定|始终|永远|总是|可以|允许|应该?|需要?|没有|[不没未无别已都了的是在把被请再就也和与]"
)
_MADE_GOOD: Final[dict[Deed, tuple[Deed, ...]]] = {
    "fix": ("fix", "change"),
    "change": ("fix", "change"),
    "work": ("work", "fix", "done"),
    "edit": ("edit", "change", "fix"),
    "health": ("health", "work"),
    "done": DEEDS,
}
"""Kinds of saying that make a claim good; of others, only their own."""
_COUNTED: Final = re.compile(r"\d\s*[%％]?\s*(?:个|条|项|of the|more|other|new|\w+ing)?\s*$", re.IGNORECASE)
"""A number before "tests pass": it says how many, and is looked up as a number."""
_GENERAL: Final = frozenset(
    [
        "task",
        "mission",
        "work",
        "job",
        "goal",
        "project",
        "request",
        "assignment",
        "user",
        "任务",
        "工作",
        "目标",
    ]
)
"""What makes "is complete" a claim without exception."""
LONGEST: Final = 1_000
"""Characters: a longer "sentence" is data, nobody says so much in one."""
_RESULT: Final = 2_000
"""Characters at the end of a result in which it says how it ended."""

Speaker = Literal["user", "assistant", "result", "file"]


@dataclass(frozen=True, slots=True)
class Claim:
    """That something was done, in one clause of a sentence."""

    kind: Deed
    clause: str
    whole: bool
    """It leaves no exception: all tests, everything."""
    earlier: bool
    """It tells of a former state."""
    told: bool
    """It tells what somebody said."""
    denied: bool


def claims(sentence: str) -> tuple[Claim, ...]:
    """What a sentence says was done, or was not; what is planned, asked for or a condition is none."""
    found = [claim for kind in DEEDS for claim in _claims(sentence, kind)]
    return tuple(dict.fromkeys(found))


def done_claims(sentence: str) -> tuple[Claim, ...]:
    """What a sentence says was done."""
    return tuple(claim for claim in claims(sentence) if not claim.denied)


@dataclass(frozen=True, slots=True)
class _Saying:
    claim: Claim
    about: frozenset[str]
    speaker: Speaker


class Said:
    """What a span says was done, or was not. Each kind of deed is looked for when it is first asked for."""

    def __init__(self, texts: Iterable[tuple[Speaker, str]]) -> None:
        """Takes what was said, in order, and by whom; of results, only their ends count."""
        self._texts = [(who, text if who != "result" else text[-_RESULT:]) for who, text in texts]
        self._sayings: dict[Deed, tuple[_Saying, ...]] = {}
        self._split: list[tuple[Speaker, str, str]] | None = None

    def supports(
        self,
        claim: Claim,
        *,
        by: Sequence[Speaker] = ("user", "assistant", "result"),
        named: Sequence[str] = (),
    ) -> bool:
        """Whether the span says the same of the same things, and nothing later takes it back.

        What is the same: a word or a fact in common, if there are any. A claim without exception needs one.
        Of the paths in `named`, if there are any, one has to be there by its name.
        """
        mine = _about(claim)
        bare = claim.whole and claim.kind in ("work", "done")
        for kind in _MADE_GOOD.get(claim.kind, (claim.kind,)):
            if bare and kind not in ("work", "done"):
                continue
            for saying in reversed(self._of(kind)):
                if saying.speaker not in by or not _same(mine, saying, named):
                    continue
                if saying.claim.denied:
                    break
                if not claim.whole or saying.claim.whole or (kind == "done" and not saying.about):
                    return True
        return False

    def _of(self, kind: Deed) -> tuple[_Saying, ...]:
        if kind not in self._sayings:
            self._sayings[kind] = tuple(
                _Saying(claim, _about(claim), who)
                for who, sentence, folded in self._sentences()
                if any(stem in folded for stem in STEMS[kind])
                for claim in _claims(sentence, kind)
            )
        return self._sayings[kind]

    def _sentences(self) -> list[tuple[Speaker, str, str]]:
        if self._split is None:
            self._split = [
                (who, sentence, sentence.casefold())
                for who, text in self._texts
                for sentence in sentences(text)
                if len(sentence) <= LONGEST
            ]
        return self._split


def _same(mine: frozenset[str], saying: _Saying, named: Sequence[str]) -> bool:
    """Whether a saying is of the same things: of a named path, if there is one, else with a word in common."""
    if named:
        return any(path.rpartition("/")[2] in saying.claim.clause.casefold() for path in named)
    return not mine or not saying.about or bool(mine & saying.about)


def terms(text: str) -> frozenset[str]:
    """What a text is about: its facts, the stems of its words, pairs of Han characters."""
    found = {fact.text.casefold().strip("`\"'“”/") for fact in facts(text)}
    for word in _WORD.findall(text):
        folded = word.casefold()
        if folded not in _STOP and len(folded) > 2 and not folded.endswith(("n't", "n’t")):
            found.add(_stem(folded))
    for run in _HAN.findall(_HAN_STOP.sub(" ", text)):
        found |= {run[at : at + 2] for at in range(len(run) - 1)}
    return frozenset(found)


def _claims(sentence: str, kind: Deed) -> Iterable[Claim]:
    for _, around in told_in(sentence, WORDS[kind]):
        if around.open:
            continue
        clause = around.clause.strip()
        whole = WHOLE.search(clause) is not None
        if kind == "test" and not whole and _COUNTED.search(digits(around.before)):
            continue
        if kind in ("work", "done") and not whole:
            whole = terms(WORDS[kind].sub(" ", clause)) <= _GENERAL
        yield Claim(kind, clause, whole, around.earlier, around.told, around.denied)


def _about(claim: Claim) -> frozenset[str]:
    return terms(WORDS[claim.kind].sub(" ", claim.clause))


def _stem(word: str) -> str:
    for ending in ("ations", "ation", "ments", "ment", "ings", "ing", "ies", "ied", "ed", "es", "s", "e"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)]
    return word

"""Clauses: what stands around a word in its sentence, and how it is meant. Denied, planned, conditional, past, reported."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import Final

_FAR: Final = 400
"""Characters around words that are looked at."""
_MOST: Final = 32
"""Places of some words in one sentence that are looked at."""
_BREAK: Final = re.compile(
    r"[,;，；:：、—–]|\s-\s|\b(?:and|but|while|whereas|although|though|so|then|or|nor)\b"
    r"|但是?|不过|而且|并且|(?<!合)并(?![发行入排])|然后|以及|(?<![从反进然])而(?!不是|非)",
    re.IGNORECASE,
)
_JOINS: Final = re.compile(r"and|or|nor|、|以及|并且?", re.IGNORECASE)
"""Breaks over which "not", "will" and "once" reach: nothing was committed or pushed."""
_ONE_WORD: Final = re.compile(r"[A-Za-z-]+")
"""What has its subject elsewhere: "pushed", not "tests pass"."""
_LISTED: Final = re.compile("、|以及|并且?")
_NO_SUBJECT: Final = re.compile(
    r"[\s,，]*(?:(?:and|or|nor|also|then|even|now|been|be|being|fully|successfully|it|they|have|has|已|也|都|被)\b\s*)*",
    re.IGNORECASE,
)
_HAN_NOT: Final = (
    "不(?!过|仅|但|只|止|断|同(?!意)|少|久|再(?:失败|报错|崩溃|出错))|没(?!问题)|(?<!从)未(?!来)|从未|尚未|无(?!论|缝|须|误)"
    "|(?<![特级类识分区个差辨])别(?!的|名|人|处)|禁止|严禁|切勿|请勿"
)
_DENIAL: Final = re.compile(
    r"\b(?:not(?! only)|never|no|none|nothing|nobody|neither|nor|cannot|hardly|barely|\w{1,12}n['’]t|"
    r"fail(?:s|ed)? to|unable to|refus(?:e|es|ed) to|far from|yet to|instead of|rather than|unfinished|undone|"
    r"(?:wrongly|falsely|incorrectly) (?:said|claimed|reported))\b"
    rf"|{_HAN_NOT}",
    re.IGNORECASE,
)
_NEGATION: Final = re.compile(
    rf"{_DENIAL.pattern}|\b(?:without|avoid(?:s|ed|ing)?|forbid(?:s|den)?|forbade|prohibit(?:s|ed)?|ban(?:s|ned)?|"
    r"disallow(?:s|ed)?|off[- ]limits|untouched|unchanged|unmodified|intact|as (?:it|they) (?:is|are)|(?:to|must|shall|should) (?:stay|remain|be (?:kept|preserved|retained|left))|refrain|fail(?:s|ed)? to|stay(?:s|ed)? (?:out|away|off)|"
    r"keep(?:s|ing)? (?:out|away|off)|leave .{1,40} alone|left .{1,40} alone|read-only|protected|refus(?:e|es|ed|ing)|"
    r"blocked|against|object(?:s|ed|ing)? to|oppos(?:e|es|ed|ing))\b|不许|禁止|避免|反对|拒绝|驳回|原样|原封",
    re.IGNORECASE,
)
_DENIED_BEHIND: Final = re.compile(
    r"\s*(?:\w+\s+){0,1}(?:nothing|none|nowhere|neither|no (?!error|issue|problem|failure|longer))\b|\s*(?:失败|被拒)",
    re.IGNORECASE,
)
_OPEN: Final = re.compile(
    r"\b(?:if|once|when|whenever|until|till|unless|before|as soon as|in case|provided|whether|so that|will|shall|would|should|"
    r"must|could|might|may|can|to be|needs?|(?:has|have|had) to|going to|about to|due to be|plan(?:s|ned|ning)?|wants?|wanted|"
    r"ask(?:s|ed)?|requires?|required|(?<!pull )(?<!merge )requests?|requested|expects?|expected|pending|remain(?:s|ing)?|next|todo|to-do|goals?|"
    r"acceptance|criteri(?:on|a)|ensure[sd]?|make sure|be sure|verify (?:that|if|whether)|check(?:ing)? (?:that|if|whether)|"
    r"wait(?:s|ed|ing)?|await(?:s|ed|ing)?|let|hop(?:e|es|ed|ing)|try(?:ing)?|tried|supposed|attempt(?:s|ed|ing)? to|decided to|"
    r"in order to|(?:done|finished|complete|accepted) (?:when|once|if)|only after|intend(?:s|ed)?|wish(?:es|ed)?|aims?|want|"
    r"(?:make|making|get|getting|have) (?:all|the|every|these|those)|rules?|tell|told|how|why|almost|nearly|partly|half|partially)\b"
    r"|\[ \]|^\W*(?:push|merge|deploy|ship|run|commit|release)\b"
    r"|如果|若|一旦|假如|等(?=.{0,20}(?:后|再|才|通过|完成|批准|同意|确认))|待|只有|只要|直到|之前|以前|(?:需要?|必须|应该?|须)|"
    r"(?<![主重摘概只])要(?!点|求是)|将(?!.{0,6}(?:改为|改成|从))|(?<![机社])会(?![话议计])|计划|准备|打算|希望|请(?!求)|确保|保证|是否|能否|目标|"
    r"验收|尚|规则|(?<!转)让|差点|几乎|部分",
    re.IGNORECASE,
)
_IF: Final = re.compile(r"\b(?:if|unless|whether|in case|provided)\b|如果|若|一旦|假如|是否", re.IGNORECASE)
_WHEN: Final = re.compile(r"\b(?:once|when|whenever|as soon as|after|until)\b|等|之后|以后", re.IGNORECASE)
_HAPPENED: Final = re.compile(
    r"\b(?:was|were|has|have|had|now|already|passed|succeeded)\b|已|了|现在", re.IGNORECASE
)
_BUT_FOR: Final = re.compile(
    r"\s*(?:now\s*)?(?:,?\s*(?:but|except|apart from|aside from|save for|other than|if|unless|when|only|provided|locally only)\b"
    r"|了?(?:之后|以后|之前|以前|后(?=再|才|[，,])|前|才|再|的话|时(?=[，,再才])|的条件)|[，,]?\s*(?:除了?|除外|仅当|但.{0,12}(?:失败|未通过)))",
    re.IGNORECASE,
)
_EARLIER: Final = re.compile(
    r"\b(?:initially|earlier|previously|at first|originally|formerly|back then|used to|at the start|until then|had)\b"
    r"|最初|起初|之前|此前|原先|原来|曾|早些时候",
    re.IGNORECASE,
)
_PAST: Final = re.compile(
    r"\b(?:was|were|had|used to|previously|formerly|old|before|earlier)\b|原来|之前|曾|以前|旧", re.IGNORECASE
)
_TOLD: Final = re.compile(
    r"\b(?:assistant|agent|user|model|it|he|she|they|teammate|colleague|i)\b\s+(?:\w+\s+)?(?:said|says|claimed|claims|"
    r"reported|reports|stated|wrote|believed|thought|announced|confirmed)\b|(?:助手|用户|模型).{0,4}(?:说|称|表示|报告|认为)",
    re.IGNORECASE,
)


def past(sentence: str) -> bool:
    """Whether a sentence speaks of how something was before."""
    return _PAST.search(sentence) is not None


def negated(sentence: str) -> bool:
    """Whether a sentence says that something is not so, or shall not be."""
    return _NEGATION.search(sentence) is not None


def clauses(sentence: str) -> list[str]:
    """The clauses of a sentence, in order, without what joins them."""
    return [each for piece in _BREAK.split(sentence) if (each := piece.strip(" .。!！"))]


class Around:
    """What stands around the words at `[start, end)` of a sentence."""

    def __init__(self, sentence: str, start: int, end: int) -> None:
        """Finds the clause; a clause without a subject of its own belongs to the one before it."""
        self._sentence = sentence
        self._start = start
        breaks = [(each.start(), each.end()) for each in _BREAK.finditer(sentence) if each.end() <= start]
        begin = 0
        while breaks:
            left, right = breaks[-1]
            own = sentence[right:start]
            joined = _NO_SUBJECT.fullmatch(own) is not None and (
                _ONE_WORD.fullmatch(sentence[start:end]) or _LISTED.fullmatch(sentence[left:right].strip())
            )
            if not joined and not (
                _JOINS.fullmatch(sentence[left:right].strip()) and self._reaches(sentence[:left], own)
            ):
                begin = right
                break
            breaks.pop()
        behind = _BREAK.search(sentence, end)
        self.before = sentence[begin:start]
        """The clause up to the words."""
        self.behind = sentence[end : behind.start() if behind else len(sentence)]
        """The clause from the words on."""
        self.clause = sentence[begin : end + len(self.behind)]
        self._rest = sentence[end:]

    @property
    def denied(self) -> bool:
        """Whether the clause says that it is not so."""
        return _DENIAL.search(self.before) is not None or _DENIED_BEHIND.match(self.behind) is not None

    @property
    def open(self) -> bool:
        """Whether it is asked, planned, wanted, a condition, or holds with an exception only."""
        ahead = self._sentence[: self._start]
        if self._sentence.rstrip(" \"'”’」`").endswith(("?", "？", "吗", "吗。")):
            return True
        if _OPEN.search(self.before) or _BUT_FOR.match(self._rest) or _IF.search(ahead):
            return True
        whole = self._sentence[self._start : len(self._sentence) - len(self._rest)]
        return _WHEN.search(ahead) is not None and not _HAPPENED.search(self.before + whole)

    @property
    def earlier(self) -> bool:
        """Whether it tells how things stood before."""
        return _EARLIER.search(self.before) is not None

    @property
    def told(self) -> bool:
        """Whether it tells what somebody said."""
        return _TOLD.search(self._sentence[: self._start]) is not None

    @staticmethod
    def _reaches(before: str, own: str) -> bool:
        """Whether a condition or a plan before "and" holds for what follows it: once a is green and b is green."""
        pieces = _BREAK.split(before)
        return _WHEN.search(pieces[-1]) is not None and not _HAPPENED.search(own)

    @property
    def stated(self) -> bool:
        """Whether it is said to be so, now, by whoever says the sentence."""
        return not (self.open or self.denied or self.earlier or self.told)


def told_in(sentence: str, words: re.Pattern[str]) -> Iterator[tuple[re.Match[str], Around]]:
    """The first places of some words in a sentence, each with what stands around it."""
    for match in islice(words.finditer(sentence), _MOST):
        begin = max(0, match.start() - _FAR)
        near = sentence[begin : match.end() + _FAR]
        yield match, Around(near, match.start() - begin, match.end() - begin)

"""What a sentence claims: that something is done, that something is not so, and what supports the former."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Final

from contextrail.compaction.actions import Action
from contextrail.compaction.facts import facts
from contextrail.compaction.sentences import sentences

_NEGATION: Final = re.compile(
    r"\b(?:not|never|no|none|nothing|nobody|neither|nor|without|cannot|\w+n['’]t|fail(?:s|ed)? to|"
    r"unable to|avoid(?:ed)?|forbid(?:den)?|prohibit(?:ed)?|refus(?:e|ed)|unfinished|undone)\b"
    r"|不|没|未|无(?!论)|别|禁止|严禁|切勿|请勿",
    re.IGNORECASE,
)
_NOT_YET: Final = re.compile(
    r"\b(?:to be|will|shall|should|must|needs?|has to|have to|going to|plan(?:s|ned)? to|want(?:s|ed)? to|ask(?:s|ed)? to|"
    r"pending|remains?|still|next|todo|once|when|if|until|before)\b|待|需要|将要|计划|准备|尚|等",
    re.IGNORECASE,
)
_PAST: Final = re.compile(
    r"\b(?:was|were|had|used to|previously|formerly|old|before|earlier)\b|原来|之前|曾|以前|旧", re.IGNORECASE
)
_DONE_WORDS: Final[dict[str, tuple[str, str]]] = {
    "push": ("pushed", "推送了|推送完|已推送"),
    "commit": ("committed", "已提交|提交了"),
    "merge": ("merged", "已合并|合并了"),
    "deploy": ("deployed|released|published|rolled out", "已部署|已发布|已上线|部署了|发布了|上线了"),
    "install": ("installed", "已安装|安装了"),
    "test": (
        (
            r"tests? (?:now |all |still )?(?:pass(?:ed|es)?|succeed(?:ed)?|are green|is green|were green)|"
            r"(?:passed|passing) (?:all )?(?:the )?tests?|all (?:\w+ )?(?:tests?|checks?) (?:pass|passed|are green)"
        ),
        "测试(?:全部|都|已)?通过|通过了?(?:全部|所有)?测试",
    ),
    "delete": ("deleted|removed|dropped", "已删除|删除了|已移除|移除了"),
    "send": ("sent|emailed|notified", "已发送|发送了|已通知"),
    "approve": ("approved", "已批准|批准了|已同意"),
    "change": (
        "fixed|resolved|implemented|added|renamed|updated|created|migrated|refactored|rewrote|rewritten|reverted|replaced",
        "已修复|修复了|已解决|解决了|已实现|实现了|已添加|添加了|已更新|更新了|已创建|创建了|已迁移|迁移了|已重命名|已替换",
    ),
    "done": ("done|finished|completed|complete|succeeded|verified", "已完成|完成了|全部完成|已验证|成功"),
}
_DONE: Final = {
    kind: re.compile(rf"\b(?:{english})\b|{chinese}", re.IGNORECASE)
    for kind, (english, chinese) in _DONE_WORDS.items()
}
_COMMANDS: Final[dict[str, re.Pattern[str]]] = {
    "push": re.compile(r"\bgit\b.*\bpush\b|\bdocker\b.*\bpush\b", re.DOTALL),
    "commit": re.compile(r"\bgit\b.*\b(?:commit|cherry-pick|revert|merge|am)\b", re.DOTALL),
    "merge": re.compile(r"\bmerge\b"),
    "deploy": re.compile(
        r"deploy|release|publish|\b(?:kubectl|helm|terraform)\b.*\b(?:apply|install|upgrade|rollout)\b",
        re.DOTALL,
    ),
    "install": re.compile(r"\b(?:install|add|sync)\b"),
    "delete": re.compile(r"\b(?:rm|rmdir|unlink|drop|delete|remove|prune)\b", re.IGNORECASE),
}
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
    ]
)
_WORD: Final = re.compile(r"[A-Za-z][A-Za-z'’]{2,}")
_HAN: Final = re.compile("[\u4e00-\u9fff]{2,}")
_INSTEAD: Final = re.compile(
    r"(?P<right>[\w./:-]+)[`\"”]?,? (?:and )?(?:not|never|rather than|instead of) (?P<wrong>[`\"“]?[\w./:-]+)"
    r"|(?P<right2>[\w./:-]+)[，,]?\s*(?:而不是|而非|不是)\s*(?P<wrong2>[\w./:-]+)"
)


def past(sentence: str) -> bool:
    """Whether a sentence speaks of how something was before."""
    return _PAST.search(sentence) is not None


def negated(sentence: str) -> bool:
    """Whether a sentence says that something is not so, or shall not be."""
    return _NEGATION.search(sentence) is not None


def done_claim(sentence: str) -> str | None:
    """The kind of deed a sentence says was done ("push", "test", "change", ...), or None.

    What is denied, planned, asked for or conditional is no claim.
    """
    for kind, words in _DONE.items():
        match = words.search(sentence)
        if match is not None:
            before = sentence[max(0, match.start() - 60) : match.start()]
            return None if negated(sentence) or _NOT_YET.search(before) else kind
    return None


def supported_by_action(kind: str, sentence: str, done: Sequence[Action]) -> bool | None:
    """Whether the action record bears a claim out: True, False (it says otherwise), or None (it is silent).

    Tests: the last run counts. A claim that names paths needs a change of one of them.
    """
    if kind == "test":
        tested = [action for action in done if action.tested]
        return tested[-1].succeeded if tested else None
    if kind != "change" and kind not in _COMMANDS:
        return None
    tries = [action for action in done if _fits(kind, action)]
    named = [fact.text.casefold() for fact in facts(sentence) if fact.kind == "path"]
    if named:
        about = [each for each in tries if any(name in each.target.casefold() for name in named)]
        tries = about or [each for each in tries if each.command is not None]
    if any(action.succeeded for action in tries):
        return True
    return False if tries else None


def _fits(kind: str, action: Action) -> bool:
    if kind == "change":
        return action.changed
    return _COMMANDS[kind].search(action.command or action.tool) is not None


class Said:
    """The sentences of a span in which something is said to be done, by kind."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._by_kind: defaultdict[str, list[frozenset[str]]] = defaultdict(list)
        for text in texts:
            if any(words.search(text) for words in _DONE.values()):
                for sentence in sentences(text):
                    kind = done_claim(sentence)
                    if kind is not None:
                        self._by_kind[kind].append(terms(sentence))

    def supports(self, kind: str, sentence: str) -> bool:
        """Whether a sentence of the span makes the same kind of claim about the same things.

        "done" is made good by any kind of claim. What is the same: a word or a fact in common, if there are any.
        """
        mine = terms(sentence)
        told = [each for of, all_of in self._by_kind.items() if kind in (of, "done") for each in all_of]
        return any(not mine or not each or mine & each for each in told)


def terms(sentence: str) -> frozenset[str]:
    """What a sentence is about: its facts, the stems of its longer words, pairs of Han characters."""
    found = {fact.text.casefold().strip("`\"'“”/") for fact in facts(sentence)}
    for word in _WORD.findall(sentence):
        if word.casefold() not in _STOP and not negated(word) and done_claim(word) is None:
            found.add(_stem(word.casefold()))
    for run in _HAN.findall(_NEGATION.sub(" ", sentence)):
        found |= {run[at : at + 2] for at in range(len(run) - 1)}
    return frozenset(found)


def ruled_out(texts: Iterable[str]) -> tuple[tuple[str, str], ...]:
    """Values that were ruled out, with the value that holds: ("3306", "3307") from "3307, not 3306"."""
    found: list[tuple[str, str]] = []
    for text in texts:
        for match in _INSTEAD.finditer(text):
            wrong = (match["wrong"] or match["wrong2"]).strip('`"“.:,')
            right = (match["right"] or match["right2"]).strip('`"“.:,')
            if wrong and right and wrong != right and any(fact.text == wrong for fact in facts(wrong)):
                found.append((wrong, right))
    return tuple(dict.fromkeys(found))


def _stem(word: str) -> str:
    for ending in ("ations", "ation", "ings", "ing", "ies", "ied", "ed", "es", "s", "e"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)]
    return word

"""Which sentences bind the work, and which only sound like it: reports, questions, figures of speech.

Each question is asked in English and in Chinese. What is no order is taken out first: "the tests always fail", "I don't
know", "不得不". In what is left, words that bind wherever they stand are looked for, then orders: a word that binds
only where a sentence or a clause begins with it, such as "avoid", "keep" and "no".
"""

from __future__ import annotations

import re
from typing import Final

from contextrail.compaction import orders_chinese, orders_english
from contextrail.compaction.limits_english import limits
from contextrail.compaction.reported import HANDED_ON, own_part, passed_on

LONGEST: Final = 600
"""Characters: a longer "sentence" is pasted text, not a rule."""

_LETTERS: Final = re.compile(r"[a-z']+")
_WORDS: Final = frozenset([
    "don't", "dont", "not", "never", "always", "must", "mustn't", "may", "shall", "should", "shouldn't", "cannot", "can't",
    "no", "circumstances", "account", "means", "case", "point", "times", "now", "forward", "wait", "sure", "remember",
    "only", "first", "ask", "tell", "consult", "ping", "notify", "warn", "check", "talk", "confirm", "without", "approval",
    "consent", "permission", "ok", "okay", "ahead", "sign", "signoff", "review", "unless", "until", "before", "once", "you",
    "need", "have", "has", "ought", "limits", "scope", "bounds", "forbidden", "prohibited", "banned", "taboo", "disallowed",
    "mandatory", "obligatory", "negotiable", "required", "want", "rather", "nothing", "nobody", "none", "avoid", "refrain",
    "abstain", "hold", "steer", "stay", "hands", "stick", "adhere", "comply", "conform", "obey", "respect", "honor", "honour",
    "preserve", "retain", "maintain", "limit", "restrict", "confine", "prefer", "ensure", "guarantee", "beware", "cease",
    "stop", "quit", "nobody", "whatever", "come", "cost", "costs", "regardless", "under", "below", "within", "up", "max", "maximum", "min", "minimum", "than", "per", "between",
    "each", "every", "zero", "prior", "beforehand", "before", "by", "past", "get", "let", "show", "over", "read", "frozen", "yours", "go", "goes", "untouchable", "sacrosanct", "acceptable",
    "question", "remain", "remains", "survive", "survives", "stay", "stays", "let's", "lets", "prefer", "english", "german", "french", "spanish", "italian", "portuguese", "dutch", "polish", "russian", "chinese", "mandarin", "japanese",
    "korean", "arabic", "turkish", "hindi", "swedish", "danish", "won't", "instead", "anytime", "whenever", "time", "careful", "care", "through",
    "via", "call", "decision", "domain", "job", "turf", "to", "forbid", "prohibit", "permission", "right", "business", "henceforth", "here", "as", "future", "rest", "anything", "supposed",
    "allowed", "one", "single", "okay", "no-one", "needs", "requires", "stays", "essential", "important", "crucial", "vital", "imperative", "critical", "follow", "treat", "keep", "leave", "solely", "exclusively", "most", "least", "more",
])  # fmt: skip
"""One of them is in every English sentence that the patterns above find."""
_ASKED: Final = re.compile(r"[?？][\s\"'”’)）!！]*$|[吗呢么][\s。.!！~]*$")
_ASKED_WITHOUT_A_MARK: Final = re.compile(
    r"(?:(?:and|so|but|then|also|ok|hey|wait),? )*(?:(?:do|does|did|is|are|was|were|am|can|could|would|will|shall|should|may|must) "
    r"(?:we|I|they)|(?:do|are|did) you|does (?:it|this|that|the)|is (?:it|this|that|there)|why|how come|how do|how does|"
    r"what does|when do|where do|whether)\b|请问|请(?:解释|说明|告诉我|查).{0,20}?(?:为什么|为何|是否|怎么|哪|吗)|为什么|为何|是不是|是否|难道",
    re.IGNORECASE,
)
_POLITE: Final = re.compile(
    r"(?:(?:and|so|ok(?:ay)?|hey|also|then),? )*(?:can|could|would|will) you (?!(?:please )?(?:tell|explain|say|describe|clarify|"
    r"confirm|remind|show|know|think|believe|see)\b)|please(?!,? (?:do|does|did|is|are|why|what|how|when|tell|explain|say)\b)"
    r"|(?:请(?!问|解释|说明|告诉|查)|麻烦|劳驾|拜托)|(?:能|可以|可否|能否|能不能|可不可以)(?:请)?(?:你|您|帮|不)",
    re.IGNORECASE,
)
_TAGGED: Final = re.compile(
    r"[,，] ?(?:ok(?:ay)?|right|yes|alright|all right|deal|understood|got it|clear|please|will you)\s*[?？][\s\"'”’)）!！]*$"
    r"|(?:[，, ](?:好|行|可以|成|明白|懂|记住|清楚)了?[吗么]|好不好|行不行)[？?。\s!！]*$",
    re.IGNORECASE,
)


def is_rule(sentence: str) -> bool:
    """Whether a sentence of a user binds the work, in his own words or in those of his team, client or superiors."""
    wanted = passed_on(sentence)
    return _is_rule(sentence) or (wanted is not None and _is_rule(wanted))


def _is_rule(sentence: str) -> bool:
    if (
        len(sentence) > LONGEST
        or not _may_bind(sentence)
        or HANDED_ON.match(sentence)
        or is_question(sentence)
    ):
        return False
    own = own_part(sentence)
    if _orders(own) and _orders(orders_english.NOT_AN_ORDER.sub("…", own)):
        return True
    return (
        not own.isascii()
        and orders_chinese.BINDS.search(orders_chinese.NOT_AN_ORDER.sub("…", own)) is not None
    )


def _orders(sentence: str) -> bool:
    return any(pattern.search(sentence) for pattern in _ORDERS) or limits(sentence)


_ORDERS: Final = (orders_english.BINDS, orders_english.ORDERS, orders_english.WITHOUT, orders_english.NONE_OF)


def _may_bind(sentence: str) -> bool:
    """Whether a sentence has a word without which it cannot bind: most have none, and are done with at once."""
    if not _WORDS.isdisjoint(_LETTERS.findall(sentence.lower().replace("’", "'"))):
        return True
    return not sentence.isascii() and orders_chinese.BINDS.search(sentence) is not None


def is_question(sentence: str) -> bool:
    """Whether a sentence asks something; an order in the form of a question does not, nor one with "ok?" behind it."""
    asked = _ASKED.search(sentence) is not None
    if not asked and _ASKED_WITHOUT_A_MARK.match(sentence) is None:
        return False
    return _POLITE.match(sentence) is None and _TAGGED.search(sentence) is None

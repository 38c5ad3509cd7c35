"""What the user ruled out: "14 days, not 30", "we stay on 6, no upgrade to 7", 不升级到 8.0; and who names it after all.

A value that was ruled out stands beside the one that holds, and beside what both count or name. A number alone is no
news: 30 is ruled out as days a log is kept, not as tests that pass. So a sentence contradicts a ruling only if it names
the value with its unit, its product or its topic.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from contextrail.compaction.clauses import negated, past
from contextrail.compaction.facts import facts
from contextrail.compaction.sentences import sentences

_VALUE: Final = r"[A-Za-z0-9_][\w./:@+-]{0,80}"
_HINT: Final = re.compile(r"\b(?:not|never|no|rather|instead)\b|n['’]t\b|不|而非|别", re.IGNORECASE)
_CONTRAST: Final = re.compile(
    r"(?P<comma>[,;，；、(（]?)[ \t]{0,4}(?:and |but )?(?:\bnot|\bnever|\brather than|\binstead of)(?:[ \t]{1,4}(?:in|on|to|at|with|for|by|via|from|the|a|an|as)\b){0,3}"
    rf"[ \t]{{1,4}}[`\"“']?(?P<wrong>{_VALUE})[`\"”']?(?:[ \t]{{1,2}}(?P<more>[A-Za-z0-9]{{1,24}})\b)?"
    r"|(?P<comma2>[,，；;、]?)\s{0,8}(?:而不是|而非|不是|(?:而?不|不要|不能|不得|不再|不会|别|请勿|不应该?)(?:使用|采用|选用|用)|不(?:应|该|能|可)?(?:为|是))"
    rf"\s{{0,8}}[`\"“]?(?P<wrong2>{_VALUE})[`\"”]?(?:\s{{0,4}}(?P<more2>[\u4e00-\u9fff]{{1,2}}))?",
    re.IGNORECASE | re.ASCII,
)
_MOVES: Final = r"upgrad\w*|updat\w*|mov(?:e|es|ed|ing)|migrat\w*|switch\w*|bump\w*|convert\w*|port(?:ed|ing)?|go(?:es|ing)?|went|chang\w*|downgrad\w*"
_USES: Final = r"us(?:e|es|ed|ing)|adopt\w*|introduc\w*|choos\w*|chose|chosen|pick\w*|writ(?:e|es|ing|ten)|runs?|running|based"
_HAN_MOVES: Final = "升级到|升级为|升级至|升到|升至|升级|迁移到|迁移至|切换到|切换为|切换至|换成|换到|改用|改成|改为|转到|转向|降级到|迁到"
_HAN_USES: Final = "使用|采用|选用|引入|用"
_REFUSED: Final = re.compile(
    rf"(?:\b(?:not|never|no)\b|n['’]t\b)(?:[ \t]{{1,4}}(?!but\b)[\w-]{{1,24}}){{0,3}}?[ \t]{{1,4}}(?:(?P<move>{_MOVES})(?:[ \t]{{1,4}}[\w-]{{1,24}}){{0,2}}?[ \t]{{1,4}}(?:to|onto|over to)"
    rf"|(?P<use>{_USES}))[ \t]{{1,4}}(?:(?:the|a|an|in|on)[ \t]{{1,4}})?[`\"“']?(?P<first>{_VALUE})(?:[ \t]{{1,2}}(?P<second>v?\d[\w.]{{0,12}}))?"
    rf"|(?:[不别]|不要|不会|不再|不能|不得|暂不|不打算|不准备|没有?)\s{{0,4}}(?P<move2>{_HAN_MOVES})\s{{0,4}}(?P<first2>{_VALUE})(?:[ \t]{{1,2}}(?P<second2>v?\d[\w.]{{0,12}}))?",
    re.IGNORECASE | re.ASCII,
)
_KEPT: Final = re.compile(
    r"(?:\b(?:keep(?:s|ing)?|stay(?:s|ed|ing)?[ \t]+(?:on|with|at)|stick(?:s|ing)?[ \t]+(?:to|with)|remain(?:s|ing)?[ \t]+(?:on|at|with)|continu(?:e|es|ing)[ \t]+(?:with|on|using|to use))[ \t]+"
    r"|(?:继续使用|继续用|保留|保持|沿用|留在|停留在|维持)(?:在|用)?\s{0,4})[`\"“']?(?P<name>[A-Za-z][\w+-]{0,30})[ \t]{1,2}(?P<value>v?\d[\w.]{0,12})",
    re.IGNORECASE | re.ASCII,
)
_PLAIN: Final = re.compile(r"v?\d[\d,_]*(?:\.\d+)*(?:\.x)?", re.ASCII | re.IGNORECASE)
_WORD: Final = re.compile(rf"(?<![\w.]){_VALUE}", re.ASCII)
_NAME: Final = re.compile(r"[A-Z]\w*[A-Za-z]\w*", re.ASCII)
_HAN: Final = re.compile("[\u4e00-\u9fff]")
_EMPTY: Final = frozenset(
    [
        "the",
        "a",
        "an",
        "in",
        "on",
        "to",
        "at",
        "with",
        "for",
        "by",
        "via",
        "from",
        "as",
        "is",
        "are",
        "was",
        "be",
        "and",
        "or",
        "but",
        "not",
        "use",
        "uses",
        "used",
        "we",
        "it",
        "this",
        "that",
        "should",
        "must",
        "keep",
        "stay",
        "of",
        "only",
        "now",
        "please",
        "no",
        "do",
        "i",
        "you",
        "value",
        "version",
        "number",
        "run",
        "set",
        "than",
    ]
)
_MOVED: Final = re.compile(
    rf"\b(?:{_MOVES})\b|{_HAN_MOVES}|(?:迁移|切换)",
    re.IGNORECASE,
)
_CHOSEN: Final = re.compile(
    rf"\b(?:{_MOVES}|{_USES}|decid\w*|replac\w*|now|in|on|via|with)\b|{_HAN_MOVES}|{_HAN_USES}|迁移|切换|格式|决定|选",
    re.IGNORECASE,
)
_WEIGHED: Final = re.compile(
    r"\b(?:propos\w*|suggest\w*|consider\w*|whether|ask(?:s|ed)? about|recommend\w*|discuss\w*|option\w*|alternativ\w*|reject\w*|ruled out|declin\w*|"
    r"off the table|turned down|wrong\w*|mistake\w*|drop(?:ped)?|discard\w*|abandon\w*|exclud\w*|until|before|away from|replac\w*|if|would|could)\b"
    r"|提议|建议|考虑|讨论|是否|拒绝|否决|放弃|排除|错误|如果|若|弃用|取代",
    re.IGNORECASE,
)
_BACK: Final = re.compile(
    rf"\b(?:after all|ok(?:ay)?|yes|fine|go ahead|instead|changed my mind|{_MOVES}|{_USES}|make it|set)\b|改|可以|还是|同意|好的?|{_HAN_USES}",
    re.IGNORECASE,
)
_FAULT: Final = re.compile(
    r"\b(?:shows?|showed|display\w*|returns?|returned|gives?|gave|gets?|got|prints?|printed|reports?|reported|fail\w*|yields?|sees?|saw|responds?|"
    r"answers?|sends?|outputs?|why|bug|wrong\w*)\b|返回|显示|得到|输出|报错|为什么|为何|却",
    re.IGNORECASE,
)
"""What tells of a fault, "returns 500 instead of 404": there the other value holds."""
_MOST: Final = 16
"""Rulings in one sentence: more is no prose."""


@dataclass(frozen=True, slots=True)
class Ruled:
    """A value that was ruled out."""

    wrong: str
    right: str
    """What holds in its place; "" if the user did not say."""
    near: frozenset[str]
    """What both count or name, folded: "days", "port", "redis", 天. Empty: the value speaks for itself."""
    topic: frozenset[str]
    """Of what the sentence that ruled it out speaks."""
    moved: bool
    """It was ruled out as a choice: of a version, a product."""


def ruled_out(
    texts: Iterable[str], topic: Callable[[str], frozenset[str]] = lambda _: frozenset()
) -> tuple[Ruled, ...]:
    """The values that texts rule out, in order, and that no later text takes back.

    Args:
        texts: What binds, oldest first.
        topic: What a sentence is about.
    """
    found: dict[str, Ruled] = {}
    for text in texts:
        before = ""
        for sentence in sentences(text):
            body = sentence[:1_000]
            mine = (
                {each.wrong.casefold(): each for each in _rulings(body, topic, before)}
                if _HINT.search(body)
                else {}
            )
            if (
                found
                and not mine
                and not negated(body)
                and not body.endswith(("?", "？"))
                and _BACK.search(body)
            ):
                for word in {each.rstrip(".,:").casefold() for each in _WORD.findall(body)} & found.keys():
                    del found[word]
            found.update(mine)
            before = body
    return tuple(found.values())


def contradicted(
    sentence: str, rulings: Iterable[Ruled], told: Callable[[str], bool], topic: frozenset[str]
) -> str | None:
    """The value that was ruled out and that a sentence takes for right; None if there is none.

    Args:
        sentence: Of a summary.
        rulings: What was ruled out.
        told: Whether something but the user names a value.
        topic: What the sentence is about.
    """
    body = sentence
    for each in rulings:
        if not names(body, each.wrong) or not _about(body, each, told, topic):
            continue
        turned = each.right and _turned(body, each)
        if turned or not (
            negated(body)
            or (past(body) and not each.moved)
            or _WEIGHED.search(body)
            or (each.right and names(body, each.right))
        ):
            return each.wrong
    return None


def names(sentence: str, value: str) -> bool:
    """Whether a sentence names a value, as a whole word."""
    return _named(value).search(sentence) is not None


def _named(value: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w.]){re.escape(value)}(?!\w|\.\d|,\d)", re.IGNORECASE | re.ASCII)


def _about(sentence: str, ruled: Ruled, told: Callable[[str], bool], topic: frozenset[str]) -> bool:
    """Whether a sentence names the value as what was ruled out."""
    if not _PLAIN.fullmatch(ruled.wrong):
        return not ruled.moved or _CHOSEN.search(sentence) is not None
    if ruled.moved:
        return _MOVED.search(sentence) is not None or bool(ruled.near & _words(sentence))
    shared = bool(ruled.topic & topic)
    if not ruled.near:
        return shared or (len(ruled.wrong) > 2 and not told(ruled.wrong))
    beside = any(ruled.near & _beside(sentence, match) for match in _named(ruled.wrong).finditer(sentence))
    return (beside and (shared or not told(ruled.wrong))) or (shared and len(ruled.wrong) > 2)


def _turned(sentence: str, ruled: Ruled) -> bool:
    """Whether it tells of a change from the value that holds to the one that was ruled out."""
    return (
        re.search(
            rf"(?:\bfrom\b|从|由)[^,.;，；。]{{0,20}}?(?<![\w.]){re.escape(ruled.right)}(?!\w)[^,;，；。]{{0,24}}?(?:\bto\b|到|为|成|至)[^,.;，；。]{{0,20}}?(?<![\w.]){re.escape(ruled.wrong)}(?!\w)",
            sentence,
            re.IGNORECASE | re.ASCII,
        )
        is not None
        and not negated(sentence)
        and not _WEIGHED.search(sentence)
    )


def _rulings(sentence: str, topic: Callable[[str], frozenset[str]], before: str) -> Iterator[Ruled]:
    about = topic(sentence)
    for at, match in enumerate(_CONTRAST.finditer(sentence)):
        if at == _MOST:
            break
        found = _contrast(sentence, match)
        if found is not None:
            wrong, right, near = found
            yield Ruled(
                wrong,
                right,
                near - {wrong.casefold()},
                about - {wrong, right},
                moved=_NAME.fullmatch(wrong) is not None,
            )
    kept = _KEPT.search(sentence) or _KEPT.search(before)
    for at, match in enumerate(_REFUSED.finditer(sentence)):
        if at == _MOST:
            break
        first = (match["first"] or match["first2"]).strip(".,:;")
        second = match["second"] or match["second2"]
        value = second.strip(".,:;") if second else first
        if not (_PLAIN.fullmatch(value) or _NAME.fullmatch(value) or _HAN.search(match[0])):
            continue
        product = kept["name"] if kept else first if second else _product(sentence[: match.start()])
        yield Ruled(
            value,
            kept["value"].rstrip(".") if kept and kept["value"].rstrip(".") != value else "",
            frozenset([product.casefold()] if product else []),
            about,
            moved=True,
        )


def _contrast(sentence: str, match: re.Match[str]) -> tuple[str, str, frozenset[str]] | None:
    """The wrong value, the right one, and what both count or name."""
    wrong = (match["wrong"] or match["wrong2"]).rstrip(".,:;-")
    more = (match["more"] or match["more2"] or "").casefold()
    before = sentence[max(0, match.start() - 120) : match.start()].rstrip(" \t`\"”'")
    words = [each.rstrip(".,:;") for each in _WORD.findall(before)]
    if not words or _FAULT.search(re.split(r"[.;。；]", before)[-1]):
        return None
    if _PLAIN.fullmatch(wrong):
        return _number(sentence, match, wrong, more)
    right = words[-1]
    if more and len(words) > 1 and wrong.casefold() == words[-2].casefold() and more != right.casefold():
        return f"{wrong} {match['more'] or match['more2']}", f"{words[-2]} {right}", frozenset()
    fact = any(each.text == wrong for each in facts(wrong))
    alike = "-" in wrong and "-" in right and wrong.split("-")[0] == right.split("-")[0]
    proper = _NAME.fullmatch(wrong) is not None and (
        _NAME.fullmatch(right) is not None or match["wrong2"] is not None
    )
    if wrong == right or not (fact or alike or proper):
        return None
    return wrong, right, frozenset()


def _number(
    sentence: str, match: re.Match[str], wrong: str, more: str
) -> tuple[str, str, frozenset[str]] | None:
    before = sentence[max(0, match.start() - 120) : match.start()]
    values = list(re.finditer(r"(?<![\w.-])v?\d[\d,_]*(?:\.\d+)*", before, re.ASCII))
    comma = match["comma"] or match["comma2"]
    adjacent = bool(values) and not before[values[-1].end() :].strip(" \t`\"”'")
    if (
        not comma
        and not adjacent
        and not re.match(r"\W*(?:rather|instead|而)", match[0])
        and not _HAN.search(match[0])
    ):
        return None
    if not values:
        return wrong, "", frozenset(_units(before, more))
    last = values[-1]
    right = last[0].rstrip(",_")
    behind = re.match(r"\s*([A-Za-z]+|[\u4e00-\u9fff]{1,2})", before[last.end() :])
    near = _units(before[: last.start()], more) | ({behind[1].casefold().rstrip("s")} if behind else set())
    return (wrong, right, frozenset(near - _EMPTY)) if right != wrong else None


def _units(before: str, more: str) -> set[str]:
    """The word before a value and the word behind another, as far as they name something."""
    word = re.search(r"([A-Za-z]{2,})[\s:=]*$|([\u4e00-\u9fff]{2})\s*$", before)
    found = {(word[1] or word[2]).casefold()} if word else set()
    return {each.rstrip("s") for each in (*found, more) if each and each not in _EMPTY}


def _beside(sentence: str, match: re.Match[str]) -> frozenset[str]:
    """The words beside a value: two before it, two behind; of Han the characters."""
    before, behind = (
        sentence[max(0, match.start() - 32) : match.start()],
        sentence[match.end() : match.end() + 32],
    )
    words = re.findall(r"[a-z]+", before.casefold())[-2:] + re.findall(r"[a-z]+", behind.casefold())[:2]
    ahead, after = (
        re.search("[\u4e00-\u9fff]{1,4}\\s*$", before),
        re.match("\\s*[\u4e00-\u9fff]{1,3}", behind),
    )
    han = [ahead[0].strip() if ahead else "", after[0].strip() if after else ""]
    return frozenset(
        [
            *(word.rstrip("s") for word in words),
            *(run[at : at + size] for run in han for size in (1, 2) for at in range(len(run))),
        ]
    )


def _words(sentence: str) -> frozenset[str]:
    return frozenset(re.findall(r"[a-z][\w+-]*", sentence.casefold(), re.ASCII))


def _product(before: str) -> str:
    found = [
        each
        for each in re.findall(r"\b[A-Z][\w+-]*[A-Za-z]\b", before, re.ASCII)
        if each.casefold() not in _EMPTY
    ]
    return found[-1] if found else ""

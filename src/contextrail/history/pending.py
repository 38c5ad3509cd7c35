"""Pending: whether the result of a call says that something is still to come, and by which ticket it is known."""

from __future__ import annotations

import re
from typing import Final

from contextrail.compaction.actions import Action
from contextrail.compaction.facts import facts

LOOKED_AT: Final = 600
"""Characters of a text that are read as its own words; of a longer one, as many at either end."""

_SOMEBODY_SAYS_YES: Final = (
    r"approv(?:al|ed?|e)|sign(?:ed)?[- ]?off|review|answer|reply|response|decision|confirm(?:ation|ed)?|permission|"
    r"consent|clearance|go[- ]ahead|verdict|authori[sz]ation"
)
_YES_ZH: Final = r"审批|审核|批准|确认|回复|答复|签字|签核|同意|决定|复核|授权"
_WAITING: Final = re.compile(
    rf"\b(?:await(?:s|ing)?|wait(?:s|ing)? (?:for|on)|on hold (?:for|until)|blocked (?:on|by|until)|held for|"
    rf"subject to|submitted for|sent for|up for|needs?|requires?|pending)\b[^.;\n]{{0,40}}?\b(?:{_SOMEBODY_SAYS_YES})\b"
    rf"|\b(?:{_SOMEBODY_SAYS_YES}) (?:is |are )?(?:still )?(?:pending|outstanding|required|needed)\b"
    r"|\b(?:not|n't) (?:yet )?(?:been )?(?:approved|decided|confirmed|signed off)\b|\bunder review\b|\bto be approved\b"
    r"|(?<![a-z])pending[_-](?:approval|review|confirmation)|(?:approval|review)[_-](?:pending|required)(?![a-z])"
    r"|\b(?:start(?:ed|ing)?|runn?ing|runs|launched|spawned|continues?|queued|works?|working) (?:\S+ )?in (?:the )?background\b"
    r"|\bwill (?:notify|ping|report back|get back to) (?:you|when)"
    rf"|待(?:{_YES_ZH})|等(?:待|候)?[^。；\n]{{0,12}}?(?:{_YES_ZH})|(?:尚未|还未|还没有?|未获)(?:{_YES_ZH})"
    rf"|需要?[^。；\n]{{0,8}}?(?:{_YES_ZH})(?:后|才)|在?后台(?:运行|执行|启动|处理)|完成后(?:会)?通知",
    re.IGNORECASE,
)
"""Words that mean it wherever they stand."""
_SHORTLY: Final = re.compile(
    r"(?<![a-z])(?:pending|awaiting|queued|in[ _-]progress|scheduled|still running|not (?:yet )?(?:done|finished|complete))(?![a-z])"
    r"|排队中|进行中|正在(?:运行|执行|处理|审批|审核)|处理中",
    re.IGNORECASE,
)
"""Words that mean it in a short result; long output merely holds them."""
_WAITING_STEMS: Final = (
    "approv", "sign", "review", "answer", "reply", "respon", "decision", "decided", "confirm", "permission", "consent",
    "clearance", "go-ahead", "go ahead", "verdict", "authori", "background", "notify", "ping ", "back", *_YES_ZH.split("|"),
    "后台", "通知",
)  # fmt: skip
"""One of them is in every text in which `_WAITING` finds something: most texts have none, and are done with at once."""
_SHORTLY_STEMS: Final = (
    "pending", "awaiting", "queued", "progress", "scheduled", "running", "not ", "中", "正在",
)  # fmt: skip
_FINDS: Final = re.compile(r"grep|search|glob|find|\bls\b|list_?(?:dir|files)", re.IGNORECASE)
_SHOWS: Final = re.compile(
    r"\s*(?:sudo\s+)?(?:cat|head|tail|less|more|nl|sed\s+-n|grep|egrep|rg|ag|awk|find|ls|tree|wc|diff|"
    r"git\s+(?:diff|log|show|grep|blame))\b"
)


def says_pending(text: str) -> bool:
    """Whether a text says of itself that something is still to come."""
    if len(text) <= LOOKED_AT:
        return _found(_WAITING, _WAITING_STEMS, text) or _found(_SHORTLY, _SHORTLY_STEMS, text)
    ends = (text[:LOOKED_AT], text[-LOOKED_AT:])
    return any(_found(_WAITING, _WAITING_STEMS, end) for end in ends)


def _found(pattern: re.Pattern[str], stems: tuple[str, ...], text: str) -> bool:
    folded = text.lower()
    return any(stem in folded for stem in stems) and pattern.search(text) is not None


def is_pending(action: Action) -> bool:
    """Whether a call came back with the word that it is not done; what was read or found in files is no such word."""
    return not _quotes(action) and says_pending(action.result)


def tickets(action: Action) -> frozenset[str]:
    """Ids and numbers in a result, by one of which a later text may speak of the same thing."""
    text = action.result
    if len(text) > 2 * LOOKED_AT:
        text = f"{text[:LOOKED_AT]}\n{text[-LOOKED_AT:]}"
    kinds = ("identifier", "number", "commit")
    return frozenset(fact.text for fact in facts(text) if fact.kind in kinds and len(fact.text) > 1)


def _quotes(action: Action) -> bool:
    if action.command is not None:
        return _SHOWS.match(action.command) is not None
    return action.kind == "read" and (action.path is not None or _FINDS.search(action.tool) is not None)

"""Words in a sentence of a user that are not his own: hearsay, guesses, what he quotes."""

from __future__ import annotations

import re
from typing import Final

HANDED_ON: Final = re.compile(
    r"\s*(?:\[?\d{4}-\d\d-\d\d[T ]|\[?\d\d:\d\d:\d\d|\[?(?:WARN(?:ING)?|ERROR|INFO|DEBUG|TRACE|FATAL)\b|\|.*\|\s*$)"
    r"|(?!(?:I|we)\b)[^:：]{0,60}?\b(?:told (?:me|us)|said|says|wrote|claims?|suggests?|reads|"
    r"(?:error|warning|message|output|log(?: line)?|text) (?:is|was))\s*[:：]"
    r"|(?:I|we) (?:found|read|saw|got) [^:：]{1,60}[:：]|(?:please )?translate\b[^:：]{0,60}[:：]"
    r"|(?:[\w.]{1,80}\.)?[A-Z]\w{0,60}(?-i:Error|Exception|Warning)\b\s*:|(?:npm|yarn|pnpm) (?:ERR!|error|warn)|"
    r"[\w./\\-]{1,200}\.\w{1,5}(?::\d{1,6}(?::\d{1,6})?:|\(\d{1,6},\d{1,6}\):) |(?:fatal|panic|error|异常|错误|警告)\s?[:：]"
    r"|[^：:]{0,12}(?:翻译|日志里?写着?|报错|提示|他们?说|她说|文档里?写着?|页面显示)[^：:]{0,20}[：:]",
    re.IGNORECASE,
)
"""What somebody else wrote, quoted in a sentence: a line of a log or a table, a report, a text to translate."""

_HEARSAY: Final = re.compile(
    r"^.{1,300}, I (?:guess|suppose|bet|assume|think)\s*[.!]*$"
    r"|(?<!\bI )(?<!\bwe )(?<!\byou )(?<!\bto )\b(?:mention|state|say|claim|complain|suggest|warn|note|report|insist|argue|recommend|believe|think|feel|advise|promise)(?:s|es|ed|d)? that\b.*"
    r"|\b(?:thinks|believes|feels|claims|suggests|insists|recommends|complains|reckons|argues)\b.*"
    r"|\baccording to (?!(?:our|my|the plan|the spec)\b)[^,]{1,60},.*"
    r"|\b(?:I wonder|apparently|it (?:seems|seemed|looks|looked|used to|appears)|seems like|looks like|supposedly|allegedly|I(?:['’]ve)? (?:heard|read|was told|guess|suspect|suppose|bet)|"
    r"rumou?r has it|(?:I['’]m |I am )?not sure|no idea)\b[^,;]*"
    r"|,? (?:and|which) (?:(?:that|it|this) )?(?:works|is fine|is expected|is correct|is right)\b",
    re.IGNORECASE,
)
_PASSED_ON: Final = re.compile(
    r"\s*(?:(?:my|our|the) )?(?:boss|manager|supervisor|management|(?:team |tech |project )?lead|team|client|customer|CTO|CEO|CISO|PM|PO|"
    r"product owner|legal|security|compliance|audit(?:ors?)?|ops|operations|SREs?|DBAs?|architects?|infra|platform|QA|data protection)"
    r"(?: (?:team|department|folks|people|officer))? (?:says?|said|insists?|insisted|requires?|required|wants?|demands?|asks?|told (?:me|us)|"
    r"(?:was|were|is|are) clear|decided)(?: that| for)?\b\s*[:,]?\s*(?!(?:they|he|she|it|whether|if|why|how|what|when|who|to know)\b)"
    r"|(?:我们?的?)?(?:老板|领导|上级|主管|经理|产品经理|组长|客户|甲方|法务|合规|安全(?:团队|部门|组)?|运维)(?:部门?|团队|那边)?"
    r"(?:说|要求|规定|强调|坚持|交代|吩咐)[了过]?[：:，,]?\s*(?![他她它])",
    re.IGNORECASE,
)
"""The start of a sentence in which the user passes on what somebody wants who may say how the work is done."""
_QUOTED: Final = re.compile(r"\"([^\"]*)\"|“([^”]*)”|`([^`]*)`|「([^」]*)」|『([^』]*)』|‘([^’]*)’")
_REPEATS: Final = re.compile(
    r"(?:\b(?:I|we) (?:said|say|told you|mean|repeat|wrote)|\b(?:rules?|constraint|remember|note|again|repeat|important)|规则|我说过?|记住|注意|要求|重申|原则)[^\"“`「『‘]{0,20}$",
    re.IGNORECASE,
)
_NAME: Final = re.compile(r"[\w./@:+#*-]{1,80}")
_CUES: Final = frozenset(["never", "always", "must", "not", "only", "no", "avoid", "should", "keep", "don't"])


def passed_on(sentence: str) -> str | None:
    """What the sentence says that somebody with a say in the work wants; None where it passes nothing on."""
    found = _PASSED_ON.match(sentence)
    return None if found is None else sentence[found.end() :]


def own_part(sentence: str) -> str:
    """A sentence without hearsay; "x" stands for what is quoted, but for names of things and what repeats an order."""
    return _HEARSAY.sub("…", _without_quotes(sentence))


def _without_quotes(sentence: str) -> str:
    kept: list[str] = []
    at = 0
    for found in _QUOTED.finditer(sentence):
        inside = found[0][1:-1]
        whole = not sentence[: found.start()].strip() and not sentence[found.end() :].strip(" .。!！")
        name = _NAME.fullmatch(inside) is not None and inside.isascii() and inside.lower() not in _CUES
        if whole or name or _REPEATS.search(sentence[: found.start()]):
            kept += [sentence[at : found.start()], inside]
        else:
            kept += [sentence[at : found.start()], "x"]
        at = found.end()
    return "".join([*kept, sentence[at:]]) if kept else sentence

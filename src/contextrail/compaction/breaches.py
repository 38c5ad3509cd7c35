"""Whether a sentence turns a pinned rule round: allows what is forbidden, drops what is bound, takes an objection back."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Final, NamedTuple

from contextrail.compaction.claims import LONGEST, terms
from contextrail.compaction.clauses import clauses, negated
from contextrail.compaction.goal import Pin
from contextrail.compaction.ruled import contradicted, ruled_out
from contextrail.compaction.sentences import bare, sentences

_FORBIDS: Final = re.compile(
    r"\b(?:do(?:es)? not|don['’]?t|never|must(?: not|n['’]t)|may not|shall not|should(?: not|n['’]t)|cannot|can['’]?t|no (?=\w+ing)|"
    r"under no circumstances|not (?:to|until|before|without)|without|avoid|forbidden|off[- ]limits)\b"
    r"|不要|不得|不能|不许|不准|不可以?|永远不|禁止|严禁|切勿|请勿|别(?=动|改|碰|删|用|再|提交|推)|未经|勿",
    re.IGNORECASE,
)
_GATE: Final = re.compile(
    r"\b(?:without|until|before|unless|except|only|after|once|when|if)\b|先|等|未经|除非|之后|以后|才|再",
    re.IGNORECASE,
)
_ALLOWS: Final = re.compile(
    r"\b(?:may|can|could|should|must|will|shall|needs? to|has to|have to|going to|plans? to|planned to|wants?|wanted|asked|told|"
    r"requires?|required|requested|instructed|allow(?:s|ed)?|permit(?:s|ted)?|ok(?:ay)?|fine|free to|safe(?: to)?|let['’]?s|"
    r"let us|next|feel free|ready to|possible|optional|now|please|go ahead|always|no problem|to do|acceptable)\b"
    r"|可以|可|允许|应该?|必须|需要?|准备|接下来|将|要|能|会|没问题|下一步|请|直接|随意|放心",
    re.IGNORECASE,
)
_NEEDLESS: Final = re.compile(
    r"\b(?:no need|not (?:necessary|needed|required|mandatory)|need not|needn['’]?t|optional|unnecessary|no longer (?:needed|necessary)|"
    r"do(?:es)?(?: not|n['’]?t) (?:have|need) to|skip(?:s|ped|ping)?|instead of|(?:may|can) be (?:omitted|ignored|left out)|bypass(?:es|ed)?|"
    r"ignor(?:e|es|ed|ing)|go(?:es)? without)\b|不必|不用|无需|不需要|跳过|不再需要|没必要|省略|可选|可以不|免去",
    re.IGNORECASE,
)
_UNDOES: Final = re.compile(
    r"\W*(?:please )?(?:do not|don['’]?t|never|stop|no more)\b|不要|别", re.IGNORECASE
)
_WITHOUT: Final = re.compile(r"\bwithout\b|未经|而不", re.IGNORECASE)
_OBJECTS: Final = re.compile(
    r"\b(?:I|we)(?: still| strongly| really| also)? (?:object to|oppose|(?:am|are) (?:strictly )?against|(?:do not|don['’]?t) want(?: you)?(?: to)?)\b"
    r"|我们?(?:坚决|仍然|强烈)?(?:反对|不同意|不赞成|不希望|不想)",
    re.IGNORECASE,
)
_UNSETTLED: Final = re.compile(
    r"\b(?:if|once|when|until|unless|before|wait\w*|whether|only|must|needs?|should|not|never|asked)\b|等|如果|若|待|需|是否|除非|只有|未经|必须|[不没未](?!再)",
    re.IGNORECASE,
)
_OVERRIDES: Final = re.compile(
    r"\b(?:ignor(?:e|es|ed|ing)|disregard(?:s|ed|ing)?|overrid(?:e|es|den|ing)|overrul(?:e|es|ed)|forget|bypass(?:ed)?|skip|lift(?:s|ed)?|"
    r"waiv(?:e|es|ed)|withdr(?:aw|ew|awn)|revok(?:e|es|ed)|rescind(?:ed)?|drop(?:s|ped)?|remov(?:e|es|ed)|cancel(?:l?ed)?|void(?:ed)?|"
    r"suspend(?:ed)?|relax(?:ed)?|abolish(?:ed)?|obsolete|outdated|expired|no longer (?:applies|apply|holds?|binds?|binding|in (?:force|effect)|valid|"
    r"needed|required|relevant|matters?|necessary)|(?:does|do)(?: not|n['’]t) (?:apply|hold|matter|count|bind)(?: any ?more)?|"
    r"not (?:binding|in force|in effect|valid|needed|required)(?: any ?more)?|optional|moot|superseded|can be (?:broken|ignored|skipped))\b"
    r"|忽略|无视|不再(?:适用|有效|需要|生效|要求|约束)|取消|作废|撤销|撤回|解除|废除|失效|推翻|放宽|不用管|绕过|跳过",
    re.IGNORECASE,
)
_NOT_AHEAD: Final = re.compile(
    r"(?:\b(?:not|never|cannot|nobody|none)|n['’]t|[不没]|不能|不可|不得|没有)\s*(?:be|been|被)?\s*$",
    re.IGNORECASE,
)
_BINDING: Final = re.compile(
    r"\b(?:rules?|constraints?|instructions?|restrictions?|bans?|requirements?|guidelines?|objections?|concerns?|veto(?:es)?|prohibitions?|"
    r"limitations?|polic(?:y|ies)|approval|freeze|embargo)\b"
    r"|规则|约束|限制|要求|禁令|指示|指令|反对(?:意见)?|异议|规定|顾虑|禁止|冻结|审批",
    re.IGNORECASE,
)
_WHO: Final = (
    r"\b(?:user|customer|client|owner|legal|team|reviewer|manager|he|she|they|security|nobody|no one)\b"
)
_RETRACTS: Final = re.compile(
    rf"{_WHO}[^.;\n]{{0,40}}?(?:\bno longer (?:objects?|minds?|opposes?|"
    r"requires?|needs?|wants?|insists?|cares?|forbids?|asks?)|\b(?:dropp?ed|withdrew|lifted|waived|took back|retracted|gave up|abandoned) (?:\w+ ){0,2}"
    r"(?:objections?|concerns?|rules?|bans?|restrictions?|requirements?|veto|demand)|\bchanged (?:his|her|their) minds?|\bha(?:s|ve) (?:nothing against|no (?:more |further )?objections?)|"
    r"\b(?:does|do)(?: not|n['’]t) (?:mind|object|oppose|care)(?: any ?more)?|\bobjects no (?:more|longer)|\bstopped (?:objecting|insisting)|"
    r"\b(?:is|are) (?:now )?(?:fine|ok(?:ay)?|happy|comfortable) with|\b(?:now |has |have )+(?:allow(?:s|ed)|permit(?:s|ted)|agree[sd]?)\b"
    r"|\b(?:allowed|permitted|authorized|agreed to)\b|\bgave (?:\w+ ){0,2}(?:permission|consent))"
    r"|\b(?:nobody|no one) (?:objects?|minds?|opposes?)\b|\bno objections? (?:to|against|from|remains?)\b"
    r"|(?:用户|客户|法务|团队|他|她|对方|他们)[^。；\n]{0,12}?(?:不再(?:反对|介意|要求|坚持|需要)|撤回|收回|取消了?|放弃了?|改变了?主意|(?:已经?|现在)?(?<![不没未])(?:同意|允许|许可|批准)了?|没有?意见|不介意)"
    r"|\b(?:is|are|was|were|been) (?:now )?(?:unfrozen|thawed|unlocked)\b|\bno longer (?:frozen|forbidden|off[- ]limits)\b|(?:已经?|现已|都)(?:解冻|解禁|解除冻结)",
    re.IGNORECASE,
)
_GRANTS: Final = re.compile(
    r"\b(?:ok(?:ay)?|fine|yes|yep|go ahead|you (?:may|can)|agreed?|approv(?:e|ed)|allow(?:ed)?|permit(?:ted)?|no longer|ignore|forget|drop|lift(?:ed)?|"
    r"waive[d]?|never ?mind|feel free|sure|lgtm|changed my mind|signed off|do it|no objections?|does not matter|doesn['’]t matter|don['’]t mind|"
    r"not needed|unnecessary|withdraw)\b|可以|同意|批准|允许|好的?|没问题|不用|不必|取消|算了|不再|没意见|撤回|行(?=[，。！]|$)",
    re.IGNORECASE,
)
_REFUSES: Final = re.compile(
    r"\b(?:not|never|don['’]t)\b(?! (?:mind|needed|matter))|不(?:可以|同意|允许|批准|行|要)", re.IGNORECASE
)
_USER_DOES: Final = re.compile(r"\buser (?:may|can|will|could|might)\b|用户(?:自己|会|可以)", re.IGNORECASE)
_SAME: Final = {
    word: group[0]
    for group in (
        ("touch", "edit", "modif", "modify", "chang", "alter", "rewrit", "updat"),
        ("delet", "remov", "drop", "wip", "eras"),
        ("deploy", "releas", "ship", "publish"),
        ("ask", "consult"),
        ("approv", "agre", "agree", "consent", "sign-off"),
        ("main", "master"),
    )
    for word in group
}
_HAN_SAME: Final = (
    (re.compile("修改|更改|编辑|改写|改动|触碰|(?<!变)动(?![作态])|碰|(?<!修)改(?![为成用])"), "改动"),
    (re.compile("删掉|移除|清除|删除|删(?!除)"), "删除"),
    (re.compile("上线|发布|投产|部署"), "部署"),
    (re.compile("推送|推到|推(?!荐)"), "推送"),
)
_HAN_ORDERS: Final = re.compile(
    r"\W*(?:(?:规则|约束|要求|用户要求|下一步|现在|然后|先|再|把|将|对|给)\W*)*(?:修改|更改|编辑|改写|改动|触碰|删|移除|清除|上线|发布|部署|推送|推到|重启|停止|关闭|合并|提交|共享|分享|泄露|使用|升级|安装|执行|运行|重命名|回滚|覆盖|迁移|添加|引入)"
)
"""A Chinese clause that begins with a deed is an order."""
_HAN_DONE: Final = re.compile("[了过]|已|失败|成功|被|时|后|前|的(?=[规要禁约事操风尝原])")
_EMPTY: Final = frozenset(
    [
        "run",
        "运行",
        "执行",
        "rul",
        "rule",
        "anyth",
        "folder",
        "directory",
        "fil",
        "file",
        "branch",
        "cod",
        "code",
        "user",
        "work",
    ]
)


_DEEDS: Final = frozenset(
    ["touch", "delet", "deploy", "push", "approv", "commit", "merg", "ahead", "改动", "删除", "部署", "推送"]
)
"""Deeds, which are done to many things: who may change the docs may not change the schema."""


class _Ban(NamedTuple):
    text: str
    core: frozenset[str]
    """What is forbidden, and on what."""
    lead: frozenset[str]
    """Its first word: the deed."""
    gated: bool
    """It is allowed on a condition."""


class Rules:
    """The rules that are pinned, and what the user said about them."""

    def __init__(self, pins: Iterable[Pin], user: Iterable[str], told: Callable[[str], bool]) -> None:
        """Reads them.

        Args:
            pins: What is kept word for word; rules and constraints bind.
            user: What the user said, in order: nobody else can take a rule back.
            told: Whether something that the user did not say names a value.
        """
        pinned = tuple(pins)
        user = tuple(user)
        self._told = told
        self._pinned = frozenset(_plain(each) for pin in pinned for each in (pin.text, *sentences(pin.text)))
        kept = [pin.text for pin in pinned if pin.kind != "change"]
        self._ruled_out = ruled_out([*kept, *user], _core)
        binding = [pin.text for pin in pinned if pin.kind in ("rule", "constraint")]
        said = [each for text in user for each in sentences(text) if len(each) <= LONGEST]
        self._bans = [each for text in binding for each in _bans(text, _FORBIDS)]
        self._bans += [each for text in said if _OBJECTS.search(text) for each in _bans(text, _OBJECTS)]
        self._duties = [each for text in binding for each in _duties(text)]
        self._granted = [_core(each) for each in said if _grants(each)]

    def against(self, sentence: str) -> str | None:
        """The rule, or the value, that a sentence contradicts; None if it contradicts none."""
        if _plain(sentence) in self._pinned:
            return None
        wrong = contradicted(sentence, self._ruled_out, self._told, _core(sentence))
        return wrong or self._retracted(sentence) or self._broken(sentence)

    def granted(self, sentence: str) -> bool:
        """Whether the user said yes to what a sentence is about, or yes and no more."""
        mine = _core(_OVERRIDES.sub(" ", _RETRACTS.sub(" ", sentence)))
        things = mine - _DEEDS
        return any(not each or (things & each if things else mine & each) for each in self._granted)

    def rules_out(self, value: str) -> bool:
        """Whether the user ruled a value out: then he named it."""
        return any(each.wrong == value for each in self._ruled_out)

    def _retracted(self, sentence: str) -> str | None:
        """What takes a rule or an objection back that the user did not take back."""
        for clause in (*clauses(sentence), sentence):
            word = _OVERRIDES.search(clause)
            lifted = (
                word is not None
                and _BINDING.search(clause) is not None
                and _NOT_AHEAD.search(clause[max(0, word.start() - 16) : word.start()]) is None
            )
            back = _RETRACTS.search(clause)
            taken = back is not None and not _UNSETTLED.search(sentence[: max(0, sentence.find(back[0]))])
            if (lifted or taken) and not self.granted(sentence):
                return clause
        return None

    def _broken(self, sentence: str) -> str | None:
        for clause in clauses(sentence):
            mine = _core(clause)
            for text, core, lead, gated in self._bans if mine else ():
                if (
                    _shares(core, mine)
                    and not negated(clause)
                    and _demands(clause, lead)
                    and not (gated and _GATE.search(sentence))
                    and not any(_shares(core, each) for each in self._granted)
                ):
                    return text
        mine = _core(sentence)
        for text, whole, core in self._duties:
            if _shares(core, mine) and _needless(sentence, core):
                return text
            undone = _UNDOES.match(sentence) or (_WITHOUT.search(sentence) and _demands(sentence, mine))
            if _shares(whole, mine) and undone:
                return text
        return None


def _bans(text: str, words: re.Pattern[str]) -> list[_Ban]:
    """What a text forbids."""
    found: list[_Ban] = []
    for clause in (clause for sentence in sentences(text) or [text] for clause in clauses(sentence)):
        match = words.search(clause)
        if match is None:
            continue
        behind = clause[match.end() :]
        gate = _GATE.search(behind)
        core = _core(behind[: gate.start()] if gate and gate.start() > 2 else behind) or _core(clause)
        if core:
            first = next((each for each in map(_core, behind.split()[:3]) if each), core)
            found.append(
                _Ban(text, core, first & core or core, gate is not None or _GATE.match(match[0]) is not None)
            )
    return found


def _duties(text: str) -> list[tuple[str, frozenset[str], frozenset[str]]]:
    """What a text demands: the text, what all of it is about, and what the deed is about."""
    found: list[tuple[str, frozenset[str], frozenset[str]]] = []
    for sentence in sentences(text) or [text]:
        whole = _core(sentence)
        if whole and not negated(sentence):
            gate = re.search(r"\b(?:before|after|when|once|until)\b|之前|之后", sentence, re.IGNORECASE)
            head = _core(sentence[: gate.start()]) if gate else whole
            ahead = re.search(r".前(?:必须|务必|要|先)", sentence)
            found.append((text, whole, (_core(sentence[ahead.end() :]) if ahead else head) or whole))
    return found


def _core(text: str) -> frozenset[str]:
    """What a text is about, with one word for one deed."""
    for pattern, word in _HAN_SAME:
        text = pattern.sub(word, text)
    return frozenset(_SAME.get(each, each) for each in terms(text)) - _EMPTY


def _shares(core: frozenset[str], mine: frozenset[str]) -> bool:
    """Whether enough of what a rule is about is named: all of two, three in five of more."""
    return len(core & mine) >= (len(core) if len(core) <= 2 else max(2, -(-len(core) * 3 // 5)))


def _demands(clause: str, lead: frozenset[str]) -> bool:
    """Whether a clause allows or orders something: it says so, or begins with the deed."""
    if _ALLOWS.search(clause):
        return _USER_DOES.search(clause) is None
    if _HAN_ORDERS.match(clause) and not _HAN_DONE.search(clause):
        return True
    first = re.match(r"\W*([A-Za-z]+)", clause)
    return first is not None and bool(_core(first[1]) & lead) and not first[1].endswith("ed")


def _needless(sentence: str, core: frozenset[str]) -> bool:
    """Whether a sentence says that a duty need not be done; "a instead of b" says so of b."""
    match = _NEEDLESS.search(sentence)
    if match is None:
        return False
    return match[0].casefold() != "instead of" or _shares(core, _core(sentence[match.end() :]))


def _grants(sentence: str) -> bool:
    return _GRANTS.search(sentence) is not None and _REFUSES.search(sentence) is None


def _plain(sentence: str) -> str:
    """A sentence as it is compared with a pinned one: without list marks, space and the mark at its end."""
    return bare(sentence).strip(" \t\n.。!！`\"'“”*").casefold()

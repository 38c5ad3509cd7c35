"""Which sentences bind the work, and which only sound like it: reports, questions, figures of speech.

Each question is asked in English and in Chinese. What is no order is taken out first: "the tests always fail", "I don't
know", "不得不". In what is left, words that bind wherever they stand are looked for, then orders: a word that binds
only where a sentence or a clause begins with it, such as "avoid", "keep" and "no".
"""

from __future__ import annotations

import re
from typing import Final

LONGEST: Final = 600
"""Characters: a longer "sentence" is pasted text, not a rule."""

_FAILING: Final = (
    r"(?:works?|fails?|crash(?:es)?|hangs?|returns?|finish(?:es)?|ends?|starts?|loads?|compiles?|happens?|appears?|"
    r"terminates?|responds?|breaks?|times? out|seems?|looks?|gets? (?:called|hit|stuck)|shows? up|throws?|raises?|"
    r"exits?|matters?|exists?|builds?|helps?|was|were|been|had)"
)
_NOT_AN_ORDER: Final = re.compile(
    r"\b(?:"
    r"(?:I|we|they)(?: (?:really|just|still|also|honestly|actually|simply))? (?:don['’]?t|do not|never|always) "
    r"(?:know|think|see|understand|remember|recall|believe|mind|care|get (?:it|why|how|what)|have|find|need|feel|seem|"
    r"like|love|mean|agree|expect|notice|thought|saw|got|had|knew|noticed|wanted)\b"
    r"|(?:it|this|that|which|there|he|she) (?:\w+ )?(?:never|always)\b"
    rf"|(?!(?:and|or|but|so|then|please|also|just|you|to|should|must|shall|will|may|can)\b)[\w)\]`\"]+ "
    rf"(?:never|always|don['’]?t|do not) {_FAILING}\b"
    r"|(?:has|have|had|was|were|['’]ve) (?:always|never)\b"
    r"|(?:is|are) (?:always|never) (?:red|green|slow|broken|wrong|null|empty|zero|late|the same|failing|flaky|there|an?|the)\b"
    r"|must(?:n['’]t)? (?:have (?:been|gone|got|had|\w+ed)|be (?:an? (?:bug|error|mistake|issue|problem|typo)|because|due|wrong|"
    r"broken|something|missing|related|flaky|slow|kidding|possible|annoying|why|the (?:reason|cause|problem|case)))\b"
    r"|(?:policy|rule|habit|plan|idea|advice) (?:was|used to be) to (?:never|always|not)\b"
    r"|(?:says?|said|reads?|shows?|prints?|displays?):? [\"'“‘`].*|you (?:can['’]t|cannot) (?:see|find|tell|know|miss|imagine|reproduce)"
    r"|ha(?:s|ve) to be [^.;]{1,40}, I (?:guess|think|suppose|bet|assume)"
    r"|as always|like always|never ?mind|never heard|never ever seen|don['’]?t worry|do not worry|don['’]?t get me wrong|"
    r"don['’]?t hesitate|don['’]?t mention it|don['’]?t you think|a must|must-have|why don['’]?t"
    r"|(?:if|when|in case) (?:I|you|we|they|it|tests?|things) (?:do not|don['’]?t|never|always)"
    r"|(?:had to|have to|I|we) wait(?:ed)? (?:for|until)|(?:to|not) (?:make sure|be sure|ensure)|I(?:['’]ll| will) make sure"
    r"|no longer (?:appl(?:y|ies)|holds?|matters?|true|valid|relevant|works?|exists?|fails?|needs?|returns?|builds?|compiles?|happens?|sees?)"
    r")",
    re.IGNORECASE,
)
_NOT_AN_ORDER_ZH: Final = re.compile(
    r"别(?:担心|着急|急(?!着)|怕|客气|介意|慌|生气|误会)|不得(?:不|而知|了|已|其解)|[舍了恨怪巴由顾]不得|(?<!能)不能不|不要紧|要不要|不可能|不一定要"
    r"|不能(?:正常|打开|登录|登陆|运行|启动|访问|连接|连上|编译|加载|工作|显示|识别|找到|解析|复现|安装|用了)"
    r"|(?:总是|始终|每次都)(?:会|在|要)?(?:失败|报错|出错|超时|崩溃|卡|不行|不对|这样|打不开|连不上|提示|等|很慢|为空|收到|返回(?:空|错|null|[45]\d\d))"
    r"|(?:我们?|他们?|它|现在|目前)(?:就)?(?:只能|先|从不|总是)|只能(?:这样|看到|看见|说|算|重启|作罢)|等了|等等"
    r"|(?:为了?|可?以|无法|不可|难以|来)(?:避免|确保|保证)|(?:一直|仍然?|依然)(?:都)?保持|我(?:们)?(?:能|会|可以|来)?(?:避免|确保|保证)|首先|事先|优先"
)
_HANDED_ON: Final = re.compile(
    r"\s*(?:\[?\d{4}-\d\d-\d\d[T ]|\[?\d\d:\d\d:\d\d|\[?(?:WARN(?:ING)?|ERROR|INFO|DEBUG|TRACE|FATAL)\b|\|.*\|\s*$)"
    r"|(?!(?:I|we)\b)[^:：]{0,60}?\b(?:told (?:me|us)|said|says|wrote|claims?|suggests?|reads|"
    r"(?:error|warning|message|output|log(?: line)?|text) (?:is|was))\s*[:：]"
    r"|(?:I|we) (?:found|read|saw|got) [^:：]{1,60}[:：]|(?:please )?translate\b[^:：]{0,60}[:：]"
    r"|[^：:]{0,12}(?:翻译|日志里?写着?|报错|提示|他们?说|她说|文档里?写着?|页面显示)[^：:]{0,20}[：:]",
    re.IGNORECASE,
)
"""What somebody else wrote, quoted in a sentence: a line of a log or a table, a report, a text to translate."""
_BINDS: Final = re.compile(
    r"\b(?=[abcdefghimnorstuwy])(?:"
    r"do not|don['’]?t|never|always|must(?:n['’]t)?|may not|shall(?: not)?|should(?: not|n['’]t| (?:only|stay|remain|always|never))|"
    r"cannot be|under no circumstances|on no account|by no means|in no case|at no (?:point|time)|at all times|from now on|"
    r"going forward|wait (?:for|until)|not (?:until|before|without)|make sure|be sure (?:to|that)|remember to|no longer|"
    r"(?:only|first) (?:after|when|if|then)|ask (?:me )?before|"
    r"(?:ask|tell|consult|ping|notify|warn|check with|talk to|confirm with) (?:me|us) (?:first|before)|"
    r"without (?:asking|approval|permission|my|telling)|(?:with|after|needs?|requires?) (?:my|our|explicit|prior) "
    r"(?:\w+ )?(?:approval|consent|permission|ok|okay|go-ahead|sign-?off|review)|needs? (?:approval|sign-?off|review|(?:my|our) (?:blessing|ok|okay|go-ahead|approval|consent|sign-?off))|"
    r"it is (?:essential|important|crucial|vital|imperative|critical) that|(?:answers?|replies|reply|responses?) in \w+ only|"
    r"(?:unless|until|before|once) I (?:say|tell|ask|approve|confirm|agree|sign|give|have (?:approved|confirmed|reviewed|signed))|"
    r"you (?:cannot|can['’]t|can only|may only|need to|have to|ought to|are (?:not )?(?:allowed|permitted|required|to)|aren['’]t (?:allowed|permitted))|"
    r"(?:is|are) (?:strictly )?(?:off[- ]limits|out of (?:scope|bounds)|forbidden|prohibited|banned|taboo|disallowed|mandatory|"
    r"obligatory|non-negotiable|not (?:to be|allowed|permitted|an option|negotiable)|required (?:for|before) (?:each|every|all|any))|"
    r"(?:has|have) to (?:be|stay|remain|keep|pass|match|go through|follow|use|contain|include|start with|end with)|"
    r"(?:each|every|all|any) (?:new |public )?(?:function|commit|file|class|method|test|pr|pull request|change|endpoint|module|migration)s? "
    r"(?:needs?|requires?)|stays? (?:as (?:it|they) (?:is|are)|unchanged|untouched|the same)|I want (?:no|none)|I['’]?d rather you (?:not|didn['’]?t)|"
    r"I (?:want|would like|need) to (?:approve|review|check|see|sign off)\b.{0,60}?\b(?:before|first)|"
    r"(?:nothing|nobody|no one|none of)\b.{0,40}?\b(?:may|must|should|shall|is to|are to)"
    r")\b",
    re.IGNORECASE,
)
_VERB: Final = (
    r"(?:use|touch|change|edit|modify|commit|push|run|write|add|read|work|deploy|install|import|call|test|reply|respond|answer|"
    r"return|output|accept|allow|fix|look|ask|support|merge|delete|remove|rename|update|rely|depend|log|send|create|make|"
    r"introduce|take|have|leave|spend|retry|print|store|keep|do)"
)
_CLAUSE: Final = (
    r"(?:^|[,;:—–(]\s*|\s-\s+|\b(?:and|but|so|then|also|please|pls|plz|just|instead|kindly|okay|ok|you to|you should|could you|"
    r"can you|would you|will you|strictly|in general|ideally)\s+)(?:please |also |just |then |always |never |only )?"
)
_ORDERS: Final = re.compile(
    _CLAUSE + r"(?:"
    r"avoid|refrain from|abstain from|hold off|hold back (?:on|from|with)|steer clear of|stay (?:away from|out of|off|within|clear of)|"
    r"hands off|stick (?:to|with)|adhere to|comply with|conform to|obey|respect|honou?r|preserve|retain|maintain|"
    r"limit (?!reached|exceeded|is|of|was)|restrict|confine|prefer|ensure|guarantee|beware|cease|(?:stop|quit) (?!w?ing\b)\w+ing\b|"
    r"follow (?:the|our|my|this|these|those|pep|existing|all)|treat .{1,60}? as|"
    r"keep (?!(?:(?!(?:every|any|no|some)thing|string|setting|logging|caching|spacing|naming)\w+ing|going|up|on|at|me|us|calm|it up|track|an eye|quiet|this up)\b)(?=\S)|"
    r"leave .{1,80}?\b(?:alone|as (?:is|it is|they are|it was|they were)|untouched|unchanged|unmodified|intact|in place|"
    r"where (?:it|they) (?:is|are)|(?:on|off|out|be|open|to me)(?=\s*(?:[.,;!]|$)))|"
    rf"(?:only|solely|exclusively) {_VERB}|"
    rf"{_VERB} (?:only|solely|exclusively|nothing|at most|no more than|at least|no (?!mistake|sense|difference)\w+)|"
    r"use [^,]{1,60}, (?:not|never)"
    r")\b",
    re.IGNORECASE,
)
_WITHOUT: Final = re.compile(
    r"^(?!(?:I|it|this|that|he|she|they|we|the|there)\b).{1,300}?\bwithout (?:breaking|changing|touching|modifying|adding|"
    r"removing|editing|altering|introducing|using|installing|deleting|restarting|losing|renaming)\b|"
    r"[,;:—–-] (?:and |but )?nothing (?:else|more)\b|^(?!(?:this|it|that|happens)\b)(?:[\w./+-]+ ){1,2}only(?:,? please)?[.!]?$",
    re.IGNORECASE,
)
_SAID_OF_NOTHING: Final = (
    r"(?:problems?|worr(?:y|ies)|ideas?|clue|luck|rush|hurry|one|body|matter|doubt|wonder|way|thanks?|comment|kidding|offen[cs]e|"
    r"errors?|failures?|issues?|output|results?|response|reply|answers?|difference|effect|signs?|trace|such|longer|need|reason|big|"
    r"sweat|biggie|dice|good|joy|success|match(?:es)?|warnings?|questions?|objections?|(?:more|further|other) questions?|hard feelings|"
    r"pressure|files?|module|space|data|route|permission|change|changes(?! (?:to|in|of|outside|beyond|on))|updates?|news|progress|"
    r"new (?:failures?|errors?|warnings?|results?|messages?|findings?|info\w*|ideas?|news|issues?|questions?)|"
    r"it|its|i|we|you|that|this|these|they|he|she|the|an?|not|but|and|so|sorry|please|wait|let|just|stop|yes|no|what|in|on)"
)
_FOUND: Final = (
    r"(?:was|were|is|are|has|have|had|will|would|can|could|did|does|do|failed|fails|found|matched|happened|ran|passed|exists?|"
    r"works?|yet|so far|left|available|either|anymore|needed|required|necessary|collected|specified|given|provided|defined|named|"
    r"detected|returned|set|configured|seen|reported|loaded|installed|written|made|remaining|matching|here|there|today|now)"
)
_NONE_OF: Final = re.compile(
    rf"^(?:please,? |and |but |also |absolutely |strictly )*no (?!{_SAID_OF_NOTHING}\b)(?![^,;:.!]*\b{_FOUND}\b)(?:[\w'’/.-]+ ){{0,8}}[\w'’/.-]+\s*(?:$|[,;:.!—–(])"
    r"|(?:[,;:—–]\s*|\b(?:and|but) )(?:absolutely )?no (?:new|extra|additional|other|further|more|external|third[- ]party|breaking|"
    r"unrelated|hard-?coded|global|inline|force|\w+)? ?(?:dependenc(?:y|ies)|deps?|packages?|librar(?:y|ies)|libs?|access|"
    r"(?:breaking |schema |api )changes?|calls?|commits?|push(?:es)?|deploys?|migrations?|comments?|mocks?|refactor\w*|sudo|downtime|"
    r"globals?|side effects?|hacks?|workarounds?|abbreviations?|emojis?|changes to)\b",
    re.IGNORECASE,
)
_BINDS_ZH: Final = re.compile(
    r"不要|不得|不能|不许|不准|不可以|不允许|不可(?![能思避否靠见用达])|不应|不该|不宜|不再|必须|务必|须(?=[先经在要由用按保])|禁止|严禁|禁用|杜绝|"
    r"切勿|请勿|切忌|切莫|勿|莫(?=[改动用删碰])|一定要|一律|始终|永远不|永不|从不|绝不|决不|绝对不|坚决不|总是|每次.{0,8}?都|千万"
    r"|(?:^|[，,；;。、：:\s（(请就也但先可你您都万暂时])别(?![人的处名称致墅样])|别(?:动|改|碰|删|用|再|提交|推)"
    r"|暂时?不|先不(?:要|用|急)|只(?:能|准|许|允许|可以)|只(?:用|改|动|碰|修改|使用|提交|输出|回答|处理|写)(?![了过])|仅(?:限|能|可|允许|使用|用|修改|改)(?!了)"
    r"|避免(?!了)|(?:保持|维持).{0,40}?(?:不变|一致|原样|兼容|稳定|不动|同步|现状|整洁|简洁|干净|可用|只读)|保留.{1,40}?(?:不变|原样|不动|不删)|原封不动|原样(?:保留|返回|输出)"
    r"|(?:不用|不必|无需|无须|不需要|用不着|没必要)(?:再|去)?(?:改|动|碰|写|加|管|测|更新|删|跑|调整|处理|提交|重构|添加|新增|安装|升级|迁移|部署|兼容|考虑|支持|修改)(?!了)"
    r"|停止(?:使用|修改|提交|添加|调用|依赖|生成|推送|部署|往|向)|遵守|遵循|严格(?:按|遵|执行)|确保|保证(?!书)|以.{1,20}?为准|(?:最多|至多|至少)(?:用|重试|跑|写|改|保留|等|留|[一两三\d])"
    r"|先.{1,40}?(?:再|然后)|等(?!级|式|于|价).{1,40}?(?:再|才|之后|以后|后|批准|确认|同意|审批)|未经.{1,20}?(?:不|禁)|没有?.{0,12}?(?:同意|批准|确认|许可).{0,8}?(?:不|别|禁)"
    r"|(?:经|征得|得到|获得).{0,12}?(?:同意|批准|确认|许可|审批)(?:后|之后|以后|才|再|方)|我(?:同意|批准|确认)(?:之?后|以后|才|再)|(?:先|提前)(?:问|告诉|通知|请示)我|除非我|直到我"
    r"|前(?:都)?要(?:经)?我.{0,4}?(?:点头|同意|批准|确认|过目)|所有.{1,6}?(?:都)?用(?!户)"
)
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
    "stop", "quit", "needs", "requires", "stays", "essential", "important", "crucial", "vital", "imperative", "critical", "follow", "treat", "keep", "leave", "solely", "exclusively", "most", "least", "more",
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
    """Whether a sentence of a user binds the work."""
    if (
        len(sentence) > LONGEST
        or not _may_bind(sentence)
        or _HANDED_ON.match(sentence)
        or is_question(sentence)
    ):
        return False
    if _orders(sentence) and _orders(_NOT_AN_ORDER.sub("…", sentence)):
        return True
    return not sentence.isascii() and _BINDS_ZH.search(_NOT_AN_ORDER_ZH.sub("…", sentence)) is not None


def _orders(sentence: str) -> bool:
    return any(pattern.search(sentence) for pattern in (_BINDS, _ORDERS, _WITHOUT, _NONE_OF))


def _may_bind(sentence: str) -> bool:
    """Whether a sentence has a word without which it cannot bind: most have none, and are done with at once."""
    if not _WORDS.isdisjoint(_LETTERS.findall(sentence.lower().replace("’", "'"))):
        return True
    return not sentence.isascii() and _BINDS_ZH.search(sentence) is not None


def is_question(sentence: str) -> bool:
    """Whether a sentence asks something; an order in the form of a question does not, nor one with "ok?" behind it."""
    asked = _ASKED.search(sentence) is not None
    if not asked and _ASKED_WITHOUT_A_MARK.match(sentence) is None:
        return False
    return _POLITE.match(sentence) is None and _TAGGED.search(sentence) is None

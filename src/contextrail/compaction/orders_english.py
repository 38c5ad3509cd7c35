"""English sentences that bind the work by a word of order: "never", "must", "avoid", "keep", "no", and what takes it back."""

from __future__ import annotations

import re
from typing import Final

FAILING: Final = (
    r"(?:works?|fails?|crash(?:es)?|hangs?|returns?|finish(?:es)?|ends?|starts?|loads?|compiles?|happens?|appears?|"
    r"terminates?|responds?|breaks?|times? out|seems?|looks?|gets? (?:called|hit|stuck)|shows? up|throws?|raises?|"
    r"exits?|matters?|exists?|builds?|helps?|was|were|been|had)"
)
NOT_AN_ORDER: Final = re.compile(
    r"\b(?:"
    r"(?:I|we|they)(?: (?:really|just|still|also|honestly|actually|simply))? (?:don['’]?t|do not|never|always) "
    r"(?:know|think|see|understand|remember|recall|believe|mind|care|get (?:it|why|how|what)|have|find|need|feel|seem|"
    r"like|love|mean|agree|expect|notice|thought|saw|got|had|knew|noticed|wanted)\b"
    r"|(?:it|this|that|which|there|he|she) (?:\w+ )?(?:never|always)\b"
    rf"|(?!(?:and|or|but|so|then|please|also|just|you|to|should|must|shall|will|may|can)\b)[\w)\]`\"]+ "
    rf"(?:never|always|don['’]?t|do not) {FAILING}\b"
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
    r"|(?:problem|error|issue|bug|warning|symptom|exception|failure|screen|picture|page|it|this|that) (?:still )?(?:stays?|remains?)"
    r"|(?<!please )(?<!and )(?<!but )(?<!then )(?<!also )(?<!you )(?<!must )(?<=[\w)\]`] )(?:never|always) (?!need|exceed|proceed|feed|embed|shed|bus|focus|canvas|alias)(?:\w*[^s\W]s|\w*[^e\W]ed)\b"
    r"|(?:that|which|who) (?:don['’]?t|do not)"
    r"|only (?:if|when) you (?:have time|want|like|can|feel)|(?:only|first) (?:after|when|if) (?:I|it|the page|the app) (?:\w+ )?(?:\w+s|\w+ed)"
    r"|no longer (?:appl(?:y|ies)|holds?|matters?|true|valid|relevant|works?|exists?|fails?|needs?|returns?|builds?|compiles?|happens?|sees?)"
    r")",
    re.IGNORECASE,
)
BINDS: Final = re.compile(
    r"\b(?=[abcdefghilmnorstuwy])(?:"
    r"do not|don['’]?t|never|always|must(?:n['’]t)?|may not|shall(?: not)?|should(?: not|n['’]t| (?:only|stay|remain|always|never))|"
    r"cannot be|under no circumstances|on no account|by no means|in no case|at no (?:point|time)|at all times|from now on|"
    r"going forward|wait (?:for|until)|not (?:until|before|without)|make sure|be sure (?:to|that)|remember to|no longer|"
    r"(?:(?<!read[- ])only|first) (?:after|when|if|then)|ask (?:me )?before|"
    r"(?:ask|tell|consult|ping|notify|warn|check with|talk to|confirm with) (?:me|us) (?:first|before)|"
    r"without (?:asking|approval|permission|my|telling)|(?:with|after|needs?|requires?) (?:my|our|explicit|prior) "
    r"(?:\w+ )?(?:approval|consent|permission|ok|okay|go-ahead|sign-?off|review)|needs? (?:approval|sign-?off|review|(?:my|our) (?:blessing|ok|okay|go-ahead|approval|consent|sign-?off))|"
    r"let['’]?s (?:not|never|always)|it(?: is|['’]s) (?:essential|important|crucial|vital|imperative|critical|key) that|(?:answers?|replies|reply|responses?) in \w+ only|"
    r"(?:unless|until|before|once) I (?:say|tell|ask|approve|confirm|agree|sign|give|have (?:approved|confirmed|reviewed|signed))|"
    r"you (?:cannot|can['’]t|can only|may only|need to|have to|ought to|are (?:not )?(?:allowed|permitted|required|supposed to|to)|aren['’]t (?:allowed|permitted|supposed to|to)|have no (?:permission|right|business))|"
    r"you['’]re (?:not )?(?:to|allowed|permitted|supposed to|required to|forbidden)|not (?:ok|okay|acceptable|allowed|permitted) to|"
    r"I (?:won['’]t|will not|do not|don['’]t) (?:accept|allow|tolerate|permit|merge|approve)|I (?:forbid|prohibit)|not yours to|"
    r"(?:is|are) (?:an? (?:absolute )?no-go|hands[- ]off|sacrosanct|untouchable|out of the question|verboten|a hard (?:no|requirement|limit)|not (?:ok|okay|acceptable)(?= *(?:[.!;]|$)))|"
    r"I(?:['’]d| would) (?:prefer|rather)(?: it)?(?: if| that)? (?:you|no)|"
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
CLAUSE: Final = (
    r"(?:^|[,;:—–(]\s*|\s-\s+|\b(?:and|but|so|then|also|please|pls|plz|just|instead|kindly|okay|ok|you to|you should|could you|"
    r"can you|would you|will you|strictly|in general|ideally|let['’]?s)\s+)(?:please |also |just |then |always |never |only )?"
)
ORDERS: Final = re.compile(
    CLAUSE + r"(?:"
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
WITHOUT: Final = re.compile(
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
NONE_OF: Final = re.compile(
    rf"^(?:please,? |and |but |also |absolutely |strictly )*no (?!{_SAID_OF_NOTHING}\b)(?![^,;:.!]*\b{_FOUND}\b)(?:[\w'’/.-]+ ){{0,8}}[\w'’/.-]+\s*(?:$|[,;:.!—–(])"
    r"|(?:[,;:—–]\s*|\b(?:and|but) )(?:absolutely )?no (?:new|extra|additional|other|further|more|external|third[- ]party|breaking|"
    r"unrelated|hard-?coded|global|inline|force|\w+)? ?(?:dependenc(?:y|ies)|deps?|packages?|librar(?:y|ies)|libs?|access|"
    r"(?:breaking |schema |api )changes?|calls?|commits?|push(?:es)?|deploys?|migrations?|comments?|mocks?|refactor\w*|sudo|downtime|"
    r"globals?|side effects?|hacks?|workarounds?|abbreviations?|emojis?|changes to)\b",
    re.IGNORECASE,
)

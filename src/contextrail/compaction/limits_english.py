"""English sentences that bind the work without a word of order: limits, permissions, owners, what stays, what comes first.

Most are fragments, such as "under 100 lines, please", "one commit per change", "tabs, not spaces": they are told from
reports of the same words by having no verb. The others say who alone may do a thing, or what is to happen before it.
"""

from __future__ import annotations

import re
from typing import Final

from contextrail.compaction.orders_english import CLAUSE, FAILING

_TELLS: Final = re.compile(
    rf"^(?:this|that)\b|\b(?:I|we|he|she|it|they|you|there|is|are|was|were|am|has|have|had|does|did|do|can|could|would|will|left|ago|already|now|so far|"
    rf"yesterday|today|took|ran|got|lost|found|saw|made|went|came|gave|ended|costs?|takes?|runs|says|failed|passe?[sd]?|passed|match(?:es|ed)?|"
    rf"remain(?:s|ing|ed)?|returned|needs?|{FAILING[3:-1]})\b|\b(?!(?:speed|need|feed|seed|red|embed|shared|allowed|permitted|wanted|prohibited)\b)\w+ed\s*[.!]*$",
    re.IGNORECASE,
)
"""A word of a report: a sentence with one of them is no fragment."""
_NUMBER: Final = r"(?:\d[\d.,_]{0,12}|one|two|three|four|five|six|seven|eight|nine|ten|twelve|fifteen|twenty|thirty|forty|fifty|sixty|eighty|a hundred|one hundred|a thousand)"
_NOUNS: Final = r"[\w./+#'’-]{1,60}"
_END: Final = r"(?:,? (?:please|pls|thanks|max|only|period|full stop))?\s*[.!]*\s*$"
_START: Final = r"^(?:(?:and|but|also|please|pls|ok|okay|then|so),? )*"
_TONGUE: Final = (
    r"(?:English|German|French|Spanish|Italian|Portuguese|Dutch|Polish|Russian|Chinese|Japanese|Korean|Arabic|Turkish|Hindi|Swedish|Danish|"
    r"(?:plain|simple|British|American) English|Mandarin|"
    r"snake[_ ]?case|camel[_ ]?case|pascal[_ ]?case|kebab[- ]?case|lower ?case|upper ?case|UTC|ISO(?: ?8601)?|metric units|Markdown|plain text)"
)
_FRAGMENT: Final = re.compile(
    rf"{_START}(?:"
    rf"only (?!if|when|because|after|once|then|kidding|joking|me\b|you\b|just|first|last|second|for now|the (?:\w+ ){{1,4}}(?:changes|differs|moves|varies|grows)\b|{_NUMBER} (?!{_NOUNS} (?:per|each)))(?:{_NOUNS} ){{0,6}}{_NOUNS}{_END}"
    rf"|(?:{_NOUNS} ){{0,3}}(?:under|below|at most|up to|no (?:more|longer|larger|bigger|less|fewer|older|newer) than|not (?:more|longer|larger|bigger|less|fewer) than|"
    rf"max(?:imum)?\.?(?: of)?|less than|fewer than|shorter than|smaller than|within|at least|min(?:imum)?\.?(?: of)?|[<≤]=?) {_NUMBER}\b(?!%? of (?:the|them|us))(?:[ ,]{_NOUNS}){{0,6}}{_END}"
    rf"|(?:exactly |only |at most |just )?(?:{_NUMBER}|an?) (?!(?:{_NOUNS} )?(?:error|warning|failure|crash|exception|hit|bug|issue|timeout)e?s?\b)(?:{_NOUNS} ){{1,3}}(?:per|between|for (?:each|every)) (?:{_NOUNS} ){{0,2}}{_NOUNS}{_END}"
    rf"|zero (?:(?:new|extra|additional|third-party|external|breaking) (?:{_NOUNS} )?{_NOUNS}|downtime|tolerance|dependencies|side effects|regressions|changes to (?:{_NOUNS} ){{0,3}}{_NOUNS}){_END}"
    rf"|not (?:on|in|to|into|before|during|at) (?:(?:a|the|this|any|our) )?(?:(?:mon|tues|wednes|thurs|fri|satur|sun)days?|weekends?|night|prod(?:uction)?|main|master|trunk|release|sprint|pr|pull request|commit|branch|"
    rf"holidays?|working hours|business hours)(?: (?:branch|release|environment|server))?{_END}"
    rf"|(?:all |every |any |the )?(?:{_NOUNS} ){{1,3}}in {_TONGUE}{_END}"
    rf"|(?!(?:yes|no|sorry|well|ok|okay|hm+|true|right|sure|maybe|not|good|thanks|again|today|perhaps|hopefully|usually|probably|honestly|fine|correct|wrong|true)\b)(?:{_NOUNS} ){{0,2}}{_NOUNS}, (?:not|never) "
    rf"(?!(?:yet|yesterday|today|really|sure|now|so|quite|exactly|always|good|bad|true|here|there|that|this|necessarily|only|just|me|mine|because|if|as|the other)\b)(?:{_NOUNS} ){{0,2}}{_NOUNS}{_END}"
    rf"|(?:{_NOUNS} ){{0,2}}{_NOUNS} (?:instead of|rather than) (?:{_NOUNS} ){{0,2}}{_NOUNS}{_END}"
    rf"|(?:tests?|speed|safety|quality|clarity|\w{{2,20}}(?:ness|ity|tion|cy|ance|ence)) (?:over|before) (?:{_NOUNS} )?{_NOUNS}{_END}"
    rf"|(?:deploy(?:ment)?s|commits|merges|releases|migrations|pushes|changes|answers|replies|comments|logs|edits|writes|calls|queries|PRs|pull requests|branches|imports|uploads|downloads) "
    rf"only (?:on|in|by|via|through|with|after|from|during|between|to|for|under|over) (?:{_NOUNS} ){{0,5}}{_NOUNS}{_END}"
    rf"|(?!{_NUMBER} )(?:{_NOUNS} ){{2,4}}only(?:,? please)?[.!]*\s*$"
    rf"|(?:{_NOUNS} ){{1,4}}(?:not (?:allowed|permitted|wanted|welcome)|forbidden|prohibited|off[- ]limits){_END}"
    rf"|(?:anything|everything) (?:but|except) (?:{_NOUNS} ){{0,2}}{_NOUNS}{_END}"
    r")",
    re.IGNORECASE,
)
_ACTS: Final = (
    r"(?:deploys?|merges?|push(?:es)?|touch(?:es)?|commits?|edits?|changes?|deletes?|drops?|ships?|releases?|restarts?|writes? (?:to|in)|logs? in(?:to)?|"
    r"modif(?:y|ies)|installs?|approves?|reverts?|renames?|rewrites?|publish(?:es)?|migrates?|upgrades?|goes (?:near|into|live)|"
    r"opens? (?:a|the)|closes?|signs?(?: off)?|removes?|rebases?|tags?|bumps?|runs? (?:a|the|any)|talks? to|gets? (?:access|in)|has access|decides?)"
)
_DONE: Final = r"(?:merged|deployed|pushed|shipped|deleted|changed|released|published|committed|touched|removed|dropped|renamed|added|installed|rewritten|moved|edited|approved|sent)"
_NOT_REPORTED: Final = (
    r"(?!.*\b(?:yet|so far|any ?more|any longer|when|today|yesterday|since|either|because)\b)"
)
_WHO: Final = re.compile(
    rf"{_START}(?:nobody|no[ -]one)(?: else)?(?: (?:but|except) \w+)? (?:{_ACTS}\b{_NOT_REPORTED}|(?!(?:knows?|knew|told|was|is|has|had|can|could|did)\b)\w+s\b.{{0,80}}\b(?:without|unless|until|except|but (?:me|[A-Z]\w+))\b)"
    rf"|{_START}no (?:\w+ )?(?:engineer|developer|dev|agent|bot|human|person|member|contributor|intern|admin)s? {_ACTS}\b{_NOT_REPORTED}"
    rf"|{_START}(?:nothing|not (?:a single|one) [\w -]{{1,30}}?)(?: else| (?:but|except) [\w/.-]+)? (?:(?:gets?|is to be) {_DONE}\b{_NOT_REPORTED}|"
    r"leaves? (?:the |this |our )?(?:vpn|building|company|house|network|laptop|machine|country|cluster)\b|ships? (?:without|before|until)\b|goes (?:live|out|to (?:prod\w*|main|master)) (?:without|before|until)\b|lands? (?:without|before|until|in|on)\b)"
    rf"|^(?-i:Only (?:I|we|[A-Z]\w+))(?: (?:and|or) \w+)? {_ACTS}\b(?!,)"
    rf"|{_START}only (?:the )?(?:\w+ ){{1,2}}(?:may|should|must|get to|are allowed to)\b",
    re.IGNORECASE,
)
_HAPPENS: Final = re.compile(
    rf"\b(?:whatever happens|no matter what(?: happens)?(?=,|\s*[.!]*$)|come what may|at all costs|at any cost|under (?:all|any) circumstances|under no conditions?|regardless of what happens)(?!,? (?:it|this|the \w+) (?:\w+ )?{FAILING})",
    re.IGNORECASE,
)
_STEP: Final = (
    r"(?:run|back ?up|test|lint|format|check|verify|read|ask|stop|build|make|take|create|update|review|save|dump|pull|rebase|tag|squash|commit|push|announce|"
    r"tell|notify|document|confirm|validate|measure|benchmark|log|close|lock|drain|fetch|compile|write|sync|stash|inform|consult|involve|ping)"
)
_FIRST: Final = r"(?:before(?!hand\w)|prior to|beforehand|ahead of|first(?=[,.;!]|\s*$| and\b| then\b))"
_COMES_BEFORE: Final = re.compile(
    CLAUSE
    + rf"(?:(?:check|clear|confirm|coordinate|discuss|agree|align|sync|talk|speak|verify)(?: (?:it|this|that|them|every \w+|any \w+))? (?:with|to) .{{1,60}}?\b{_FIRST}"
    rf"|(?:consult|ping|inform|involve|ask|notify|tell|warn) .{{1,40}}?\b{_FIRST}(?! (?:lunch|noon|monday|friday))"
    r"|run (?:it|this|that|them|everything|the \w+|any \w+|every \w+) (?:by|past) (?:me|us|[A-Z]\w+|the \w+)\b"
    r"|get .{1,40}?\b(?:approval|sign-?off|ok|okay|consent|permission|review|blessing|go-ahead) (?:before|first|for|from)\b"
    rf"|(?:let me|let us|show me|send me|give me) .{{1,80}}?\b(?:before (?:you|we|\w+ing)\b|{_FIRST[:-1].replace('before(?!hand' + chr(92) + 'w)|', '')}))"
    rf")|{_START}(?:always )?{_STEP} (?!{FAILING}\b|was|is|before lunch)(?:.{{1,80}} )?before (?:every|each|any|you|we|doing|(?!(?:morning|evening|spring|king|thing|string)\b)\w{{2,}}ing)\b"
    rf"|{_START}first,? (?!(?:I|it|we|the|this|that|he|they|of|time|page|a|an|there)\b|\w+(?:ed|s)\b|{FAILING})\w+.{{0,60}}[,;] (?:and )?then (?!(?:it|I|we|they|he|the|this|that|nothing)\b)\w+"
    r"|[,;—] and only then\b",
    re.IGNORECASE,
)
_ALWAYS_WHEN: Final = re.compile(
    rf"\b(?:every time|each time|whenever|any ?time) (?:you|we) .{{1,80}}?, (?!(?:it|I|the|nothing|this|that|there|they|he|a|an|we get|you get|you see)\b)\w+"
    rf"|{_START}(?:(?:as of (?:now|today)|in (?:the )?future|as a (?:general )?rule|for the rest of .{{1,40}}?|by default),? (?:please )?(?:use|write|run|answer|reply|ask|put|add|make|start|end|name|test|commit|push|leave|call|speak|work|stick)\b|henceforth\b|from here on\b)"
    rf"|{CLAUSE}(?:be (?:very |extra )?careful (?:not to|with)|take care (?:not )?to|mind the (?!gap)|watch out (?:not to|for))\b"
    rf"|{CLAUSE}(?:answer|reply|respond|speak|talk|comment|write (?:to me|(?:the |all )?(?:comments|docs|answers|replies|everything|it)))(?: to me| everything)? in {_TONGUE}",
    re.IGNORECASE,
)
_OWNED: Final = re.compile(
    r"\b(?:prod|production|data ?base|db|repo(?:sitory)?|branch|folder|directory|cluster|table|schema|bucket|environment|account|replica|main|master|vendor|config|submodule)s?/? (?:is|are) (?:strictly )?read-?only\b(?!,? (?:so|because|after|since|now|again|error))"
    r"|\b(?:schema|api|branch|release|code(?: ?base)?|interface|format|contract|spec|main|master|config\w*|dependenc(?:y|ies)|versions?|lock ?file|scope) (?:is|are|stays?) frozen\b"
    r"|\b(?:changes?|migrations?|deploys?|deployments?|releases?|merges?|prs?|pull requests?|commits?|edits?|upgrades?) (?:must |have to |has to )?go(?:es)? (?:through|via|past)\b"
    r"|\b(?:needs?|requires?) (?:[A-Z]\w*['’]s|the \w+['’]s|an?|two|prior|written|prior written) (?:approval|sign-?off|consent|permission|blessing|go-ahead|ok|okay)\b"
    r"|\b(?:needs?|requires?) (?:approval|sign-?off|consent|a review) (?:from|by|of)\b"
    r"|\b(?:is|are) (?:my|(?-i:[A-Z]\w+)['’]s|the \w+['’]s) (?:call|decision|turf|domain)\b"
    r"|^(?!.*\b(?:goal|idea|plan|point|aim|hope|job|purpose|task|trick|way|solution|best|option|fix|intent|intention|dream|wish|want|need|it|this|that|one)\b).*\b(?:is|are) to (?:be (?!in\b)|stay|remain)\b"
    r"|^(?!.*\b(?:problem|error|issue|bug|warning|symptom|exception|failure|question|screen|picture|page|spinner|light|led|window|modal|dialog|popup|menu|button|memory|process|it|this|that|message|result|doubt|risk)s?\b)"
    r"(?:.*[,:;] ?)?(?:the|all|every|each|our|my) (?:[\w./-]+ ){1,5}(?:stays?|remains?|survives?|lives? on)(?: (?:put|in place|in|where (?:it|they) (?:is|are)|off|on|disabled|enabled|private|public|open|closed|here|there|compatible|intact))?(?:,? (?:for now|please|until\b.*|too|as well))?\s*[.!]*\s*$",
    re.IGNORECASE,
)
_WORDS_OF_A_FRAGMENT: Final = 14


def limits(sentence: str) -> bool:
    """Whether a sentence sets a limit, says who may do a thing, what stays, or what has to come first."""
    return any(
        pattern.search(sentence) for pattern in (_WHO, _HAPPENS, _COMES_BEFORE, _ALWAYS_WHEN, _OWNED)
    ) or _is_limiting_fragment(sentence)


def _is_limiting_fragment(sentence: str) -> bool:
    short = sentence.count(" ") < _WORDS_OF_A_FRAGMENT
    return short and _TELLS.search(sentence) is None and _FRAGMENT.match(sentence) is not None

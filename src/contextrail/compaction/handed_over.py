"""Texts of others inside a user message that nothing marks off: letters, chats, documents, logs, indented code.

Such a text is known by the line before it ("here is the email from the vendor:"), by the form of its own lines (a log,
a trace, a mail's header, chat lines with a time) or by what is said behind it ("summarize the above"). It ends where a
letter is signed, where lines of a machine end, or at the first paragraph that asks for something. Where that cannot be
told it goes on to the end: what others write must not bind the work.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, Literal

from contextrail.compaction.reported import passed_on

TAKEN_OUT: Final = "\ufffc"
"""Stands alone in a line where a block was taken out of a text before: what a line before it introduces."""
Kind = Literal["machine", "letter", "talk", "document"]

_MACHINE: Final = re.compile(
    r"\s*(?:[\[(]?\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d|[\[(]?\d\d:\d\d:\d\d\b|[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d "
    r"|\[?(?:WARN(?:ING)?|ERROR|INFO|DEBUG|TRACE|FATAL|CRITICAL)\]?(?:[ \t:\]]|$)"
    r"|(?:[\w.]{1,80}\.)?[A-Z]\w{0,60}(?:Error|Exception|Warning|Interrupt)\b(?:\s*:|\s*$)|(?:npm|yarn|pnpm) (?:ERR!|error|warn)"
    r"|(?:fatal|panic|error|warning|note)(?:\[\w{1,10}\]| TS\d{1,6})?: (?=[a-z])|E {3,}\S|at [\w.$<>]{1,80} ?\("
    r"|[\w./\\-]{1,200}\.\w{1,5}(?::\d{1,6}(?::\d{1,6})?:|\(\d{1,6},\d{1,6}\):) |\"[\w.-]{1,60}\"\s*:\s*[\"\[{\dtfn]"
    r"|//|/\*|\*/|@@ -\d|(?:diff --git|index [0-9a-f]{7,}) |\$ \S)"
)
"""How a line begins that a program wrote, or that is code."""
_TRACE: Final = re.compile(r"\s*(?:Traceback \(most recent call last\)|Exception in thread |goroutine \d)")
_CHAT: Final = re.compile(
    r"\s*(?:\[?\d{1,2}:\d\d(?::\d\d)?(?: ?[AaPp]\.?[Mm]\.?)?\]?[ \t-]{1,3}<?[^\W\d][\w.-]{0,30}(?: [A-Z][\w.-]{0,30})?>?\s?[:：]"
    r"|[^\W\d][\w.-]{0,30}(?: [A-Z][\w.-]{0,30})? ?[\[(（]?\d{1,2}:\d\d(?::\d\d)?(?: ?[AaPp]\.?[Mm]\.?)?[\])）]?\s?(?:[:：]|$))"
)
_MAIL_HEADER: Final = re.compile(
    r"(?:From|To|Cc|Sent|Date|Subject|Reply-To|发件人|收件人|抄送|主题|日期|发送时间)\s?[:：]", re.IGNORECASE
)
_FORWARDED: Final = re.compile(
    r"\s*(?:-{3,}\s*(?:original|forwarded) message\s*-{3,}|begin forwarded message:|on .{6,80} wrote:\s*$"
    r"|-{3,}\s*(?:原始邮件|转发的?邮件)\s*-{3,}|在.{4,60}写道[:：]\s*$)",
    re.IGNORECASE,
)
_SIGNED: Final = re.compile(
    r"\s*(?:(?:(?:best|kind|warm|many) )?(?:regards|wishes)|(?:yours )?sincerely(?: yours)?|yours|best|此致|敬礼|祝好|顺祝.{0,6}|致敬|"
    r"(?P<weak>cheers|thanks|thank you|many thanks|谢谢))[,.!，。！]*\s*(?:[^\W\d][\w.-]*){0,2}\s*$",
    re.IGNORECASE,
)
_PROSE: Final = (
    r"(?:e-?mail|mail|letter|(?:slack|chat|text|forwarded|customer|client|vendor|support) message|chat(?: log| history)?|(?:slack |chat |mail |email |"
    r"forum |discord |comment )thread|conversation|transcript|(?:customer|user|client|review|reviewer)['’]?s? (?:feedback|comments?|reply)|"
    r"(?:review|code review|pr|pull request|reviewer) (?:comments?|remarks?|notes?)|(?:bug|incident|customer|error) report|"
    r"(?:issue|ticket) (?:text|body|description|comment)|stack ?overflow (?:answer|post|reply)|(?:forum|blog|reddit) post|quote)"
)
_PROGRAM: Final = (
    r"(?:(?:build |server |error |test |ci |crash |console )?logs?|stack ?trace|traceback|errors?(?: messages?| output)?|(?:exception|warning) messages?|"
    r"(?:console|terminal|command|test|build|ci|linter|compiler) output|diff|dump)"
)
_PAPERS: Final = (
    r"(?:read-?me(?:\.md)?|contributing(?:\.md)?(?: section| file| guide)?|documentation|docs?|manual|guide|guidelines?|wiki(?: page)?|article|page|"
    r"section|paragraph|excerpt|snippet|release notes|changelog|policy|blog|terms|answer|comments?|output|text|report|post|reply|notes?|messages?|"
    r"\w[\w/-]{0,60}\.(?:md|txt|rst|html?|pdf))"
)
_OTHERS: Final = (
    r"(?:their|his|her|its|upstream|\w+['’]s|vendor|customer|client|colleague|reviewer|supplier|official|pasted|copied|"
    r"forwarded|quoted|someone|somebody)"
)
_POINTS: Final = (
    r"(?:here['’]?s|here (?:is|are)|this is|below (?:is|are)|the following(?: is| are)?|(?:I )?(?:pasted|pasting|quoting|attached)|fyi,?|fwd|forwarding|"
    r"(?:I|we) (?:got|received|found))"
)
_FROM: Final = r"(?: (?:of|from|by|in|on|at|that|which|about|below|I|we|he|she|they)\b[^:：]{1,60})?"
_OF_OTHERS: Final = re.compile(
    rf"(?:{_POINTS} (?:[\w'’.-]+ ){{0,5}}?(?:(?P<here_prose>{_PROSE}|message|issue|ticket)|(?P<here_program>{_PROGRAM})|(?P<here_paper>{_PAPERS})){_FROM}"
    rf"|from (?:the|their|his|her|its|\w+['’]s) (?:[\w'’.-]+ ){{0,3}}?(?:(?P<from_prose>{_PROSE})|(?P<from_program>{_PROGRAM})|(?P<from_paper>{_PAPERS})){_FROM}"
    rf"|(?:the |a |an |this |full |raw |{_OTHERS} )*(?:(?P<prose>{_PROSE})|(?P<program>{_PROGRAM})|{_OTHERS} (?:\w+ )?(?P<paper>{_PAPERS})){_FROM}"
    r"|it (?:still )?(?P<fails>fails|crashes|prints|outputs|says)(?: with(?: this)?| like this)?"
    r"|(?!(?:I|we|you|when|if|how|what|each|every|all|any|make|ensure|never|always|write|add|create)\b)(?P<who>(?:(?!(?:that|to|which)\b)[\w'’./-]+ ){1,6}?)(?:just |also |even |clearly )?(?P<says>says?|said|writes?|wrote|reads?|states?|stated|posted|replied|answered|commented|"
    r"claims?|claimed|recommends?|begins? with|starts? with|contains?|prints?|prints out|shows?|sent(?: me| us)?(?: this)?))\s*",
    re.IGNORECASE,
)
_OF_OTHERS_ZH: Final = re.compile(
    r"(?:(?:以下|下面|下列|附上|这里?)(?:是|为|有)?(?:一?[份篇个封段])?.{0,20}?)?(?:(?P<program>(?:完整的?|构建|运行|错误|服务器?|服务端|测试|系统|应用|后台|前端|后端|控制台|崩溃)?(?:日志|报错|堆栈|错误|输出|异常)(?:信息|内容|记录)?)"
    r"|.{0,12}?(?P<prose>邮件|来信|聊天记录|对话记录|评审意见|审查意见|代码评审|评论|反馈|issue|工单|帖子|留言|客户消息|回帖)(?:\s?的?(?:内容|正文|原文|全文|描述))?"
    r"|(?P<forward>转发|引用|原文))(?:如下|在下面|在此)?"
    r"|(?!我|你|您|请|要).{0,12}?(?P<who>文档|read-?me(?:\.md)?|手册|官网|教程|客户|对方|他们?|她们?|同事|老板|供应商|甲方|网上|帖子|文章|邮件|issue|工单|日志|页面|文件|规范|指南|"
    r"contributing(?:\.md)?|维基|群里|评审人?|[\w.]{1,12}\.md)\s?(?:里|中|上|开头)?面?(?:有人|是)?(?:这么|这样|也)?(?:说|写着?|写道|说道|表示|提到|回复|反馈|提示|显示|发来|留言)(?:的|了)?(?:是|如下|道)?",
    re.IGNORECASE,
)
_POINTS_ZH: Final = re.compile(
    r"(?:以下|下面|下列|附上)(?:是|为).{0,16}(?P<paper>文档|文章|说明|原文|页面|README|章节|手册)(?:的?内容)?",
    re.IGNORECASE,
)
_OWN: Final = re.compile(
    r"\b(?:my|our) (?:own )?(?:[\w-]+ )?(?:notes?|guides?|guidelines?|manual|docs?|documentation|wiki|page|section|policy|text|report|rules?|"
    r"issue|ticket)\b|\b(?:task|brief|assignment|requirements?|instructions?|spec|rules?|plan|constraints?|criteria|must|should|follow|implement|obey|"
    r"apply|adhere|carry out|according to|you)\b|我们的|我的|按|根据|实现|执行|完成|遵守|照|任务|规则|约束",
    re.IGNORECASE,
)
"""In a line before a text: it is the user's own, or is to be followed."""
_ASKS: Final = re.compile(
    r"\s*(?:(?:and|so|now|ok(?:ay)?|also|then|but|finally|thanks|thank you|please|kindly|pls)[,.!:]? ?){0,3}"
    r"(?:summari[sz]e|translate|explain|reply|draft|answer|respond|tell me|give me|show me|fix|find|check|look|see|add|implement|write|make|update|change|"
    r"remove|delete|refactor|rename|create|build|run|use|investigate|debug|reproduce|handle|plan|suggest|propose|review|compare|help|go|let['’]s|"
    r"what|why|how|who|where|when|which|is (?:this|that|it|he|she)|are (?:these|they)|does|do (?:you|we|I)|did|can|could|would|will|should (?:I|we)|"
    r"请|帮|总结|翻译|解释|回复|修复|修|看看|分析|检查|实现|加|写|改|把|你|这样对|这对吗|是这样吗|为什么|怎么|谁|哪|能不能|可以)(?![\w-]*ed\b)",
    re.IGNORECASE,
)
_FIRST_PERSON: Final = re.compile(r"\b(?:I|my|me|our|we)\b|我")
_LABEL: Final = re.compile(
    r"\s*(?:#{1,6} +\S|(?:-{3,}|\*{3,}|={3,}|_{3,})\s*$|[*_]{0,2}(?:task|todo|goal|rules?|requirements?|constraints?|acceptance(?: criteria)?|"
    r"important|note|任务|目标|规则|要求|约束|注意|验收(?:标准)?)[*_]{0,2}\s?[:：])",
    re.IGNORECASE,
)
_LISTED: Final = re.compile(r"\s*(?:[-*+•]\s|\d{1,3}[.)]\s)")
_TOO_LONG: Final = 300
"""Characters: a longer line introduces nothing."""
_SAID_BEHIND: Final = re.compile(
    r"\b(?:summari[sz]e|translate|proofread|review|critique|explain|analy[sz]e|rewrite|shorten|classify|tl;?dr)\b.{0,60}?\babove\b"
    r"|(?:总结|概括|翻译|校对|审阅|评审|润色|解释|分析|改写).{0,30}?(?:上面|上述|以上)"
    r"|^\s*(?:all )?(?:that|this|these|those|the above|above)(?:['’]s| is| are| was| were) (?:all |just )?(?:"
    r"what (?!I\b|we\b|you\b)[^.;]{1,60}?\b(?:wrote|writes?|said|says?|sent|posted|reads?|printed|prints?|wants?|asks?|asked)\b"
    rf"|(?:copied |quoted |pasted |taken )?from (?:the|an?|their|his|her|our \w+['’]s) (?:\w+ )?(?:{_PROSE}|{_PROGRAM}|{_PAPERS}|{_OTHERS})\b"
    rf"|(?:their|his|her|the (?:vendor|customer|client|reviewer|supplier)['’]?s?|\w+['’]s) (?:\w+ )?(?:{_PROSE}|{_PAPERS}|words)\b)"
    r"|^\s*(?:以上|上面|这)(?:就|都)?(?:是|为)(?!我).{0,16}?(?:邮件|文档|日志|README|说明|内容|原文|写的|说的|里的|消息|评论|意见|要求)",
    re.IGNORECASE,
)
_QUOTE: Final = re.compile(r"[\"“”「」『』]")
_CLOSES: Final = {'"': '"', "“": "”", "「": "」", "『": "』"}
_LONGEST_QUOTE: Final = 2_000
_ATTRIBUTES: Final = re.compile(
    r"(?<!\bI )(?<!\bwe )\b(?:says?|said|writes?|wrote|reads?|states?|stated|claims?|claimed|replied|answered|commented|told (?:me|us)|asks|asked|"
    r"feedback|comment|quote|error|message)\s?[:,]?\s*$|(?<!我)(?<!我们)(?:说|写着?|写道|提到|提示|显示|表示|反馈|回复)(?:了|道)?[：:，,]?\s*$",
    re.IGNORECASE,
)


def without_others(text: str) -> str:
    """A text of a user without texts of others in it, see the top of this file."""
    for gap in ("\n\n", "\n"):
        before, found, behind = text.rstrip().rpartition(gap)
        if found and before.strip() and len(behind) <= _TOO_LONG and _SAID_BEHIND.search(behind):
            return behind
    return "\n".join(_own_lines(_without_quotes(text).split("\n")))


def _without_quotes(text: str) -> str:
    """Without what stands in quotation marks behind "the reviewer wrote:", however many sentences it has."""
    kept: list[str] = []
    at = 0
    begin: re.Match[str] | None = None
    for mark in _QUOTE.finditer(text):
        if begin is not None and mark[0] == _CLOSES[begin[0]]:
            if mark.end() - begin.end() <= _LONGEST_QUOTE and _attributed(text, begin.start()):
                kept.append(text[at : begin.end()])
                at = mark.start()
            begin = None
        elif begin is None and mark[0] in _CLOSES:
            begin = mark
    return "".join([*kept, text[at:]]) if kept else text


def _attributed(text: str, at: int) -> bool:
    return _ATTRIBUTES.search(text[max(0, at - 40) : at]) is not None


def _own_lines(lines: Sequence[str]) -> list[str]:
    """The lines without texts of others."""
    ends = _Ends(lines)
    margin = min((_indent(line) for line in lines if line.strip()), default=0)
    kept: list[str] = []
    at = 0
    while at < len(lines):
        after = _end_of_block(lines, at, kept, margin)
        if after is None:
            kind, lead = _introduced(lines, at)
            kept += [] if lead is None else [lead]
            after = at + 1 if kind is None else ends.of(at, kind)
        at = after
    return [line for line in kept if line != TAKEN_OUT]


def _end_of_block(lines: Sequence[str], at: int, kept: Sequence[str], margin: int) -> int | None:
    """Where lines end that show by their own form whose they are; None if those at `at` do not."""
    line = lines[at]
    if _MACHINE.match(line):
        return at + 1
    if _TRACE.match(line):
        at += 1
        while at < len(lines) and (_indent(lines[at]) or _MACHINE.match(lines[at])):
            at += 1
        return at
    if (chat := _CHAT.match(line)) is not None:
        at += 1
        while (
            chat.end() >= len(line.rstrip())
            and at < len(lines)
            and lines[at].strip()
            and not _CHAT.match(lines[at])
        ):
            at += 1
        return at
    if _indent(line) - margin >= _CODE and _is_code(kept):
        while at < len(lines) and (_indent(lines[at]) - margin >= _CODE or not lines[at].strip()):
            at += 1
        return at
    return None


_CODE: Final = 4
"""Blanks before a line of code, as in Markdown; a tab counts as four."""


def _indent(line: str) -> int:
    if line[:1] not in (" ", "\t"):
        return 0
    head = line[: len(line) - len(line.lstrip())]
    return len(head.expandtabs(_CODE)) if line.strip() else 0


def _is_code(kept: Sequence[str]) -> bool:
    """Whether indented lines behind these are code: not in a list, not under "rules:"."""
    before = next((line for line in reversed(kept) if line.strip()), "")
    if (
        _indent(before) >= _CODE
        or _LISTED.match(before)
        or _LABEL.match(before)
        or _OWN.search(before[:_TOO_LONG])
    ):
        return False
    return not kept or not kept[-1].strip() or _kind_of(before) is not None


def _introduced(lines: Sequence[str], at: int) -> tuple[Kind | None, str | None]:
    """The kind of a text that begins at or behind a line, and what of the line is the user's."""
    line = lines[at]
    if _FORWARDED.match(line):
        return "letter", None
    if _MAIL_HEADER.match(line) and at + 1 < len(lines) and _MAIL_HEADER.match(lines[at + 1]):
        return "letter", None
    kind = _kind_of(line)
    if kind is None:
        return None, line
    return kind, _before_colon(line)


def _before_colon(line: str) -> str:
    cut = max(line.rfind(". "), line.rfind("! "), line.rfind("? "), line.rfind("。"))
    first = re.search(r"[:：]", line)
    if first is not None and cut > first.start():
        cut = max(line.rfind(mark, 0, first.start()) for mark in (". ", "! ", "? ", "。"))
    return line[: cut + 1]


def _kind_of(line: str) -> Kind | None:
    """The kind of text that a line introduces, or None."""
    first = re.search(r"[:：]", line[:_TOO_LONG])
    if first is None:
        return None
    lead = re.split(r"[.!?] |[。！？]", line[: first.start()])[-1].strip(" \t*_#-")
    same_line = line[first.end() :].strip() != ""
    found = _others(lead) or _others(re.split(r"[,;] | [-–—] |[，；]", lead)[-1].strip())
    if found is None or (same_line and passed_on(f"{lead}{line[first.start() :]}") is not None):
        return None
    names = {name.rpartition("_")[2] for name, value in found.groupdict().items() if value is not None}
    if names & {"program", "fails"}:
        return None if same_line else "machine"
    if names & {"prose", "forward"}:
        return "letter" if _LETTER.search(lead) else "talk"
    return "document"


def _others(lead: str) -> re.Match[str] | None:
    if _OWN.search(lead):
        return None
    found = _OF_OTHERS.fullmatch(lead)
    if found is None and not lead.isascii():
        found = _OF_OTHERS_ZH.fullmatch(lead) or _POINTS_ZH.fullmatch(lead)
    return found


_LETTER: Final = re.compile(r"mail|letter|message|邮件|来信|转发|原文", re.IGNORECASE)


class _Ends:
    """Where a text of others ends that begins at a line."""

    def __init__(self, lines: Sequence[str]) -> None:
        self.lines = lines
        self.signed = _next_signed(lines)

    def of(self, at: int, kind: Kind) -> int:
        """The line after it."""
        begin = self._paragraph(at + 1) if self.lines[at].rstrip().endswith((":", "：")) else at
        if begin < len(self.lines) and self.lines[begin] == TAKEN_OUT:
            return begin + 1
        if begin < len(self.lines) and _indent(self.lines[begin]) >= _indent(self.lines[at]) + _CODE:
            return self._code_end(begin, _indent(self.lines[begin]))
        if kind == "machine":
            return self._machine_end(begin)
        signed = self.signed[at]
        if kind == "letter" and signed is not None:
            return self._paragraph_end(signed)
        end = self._paragraph_end(begin, asks=True)
        while end < len(self.lines):
            begin = self._paragraph(end)
            if begin < len(self.lines) and self._is_own(begin, kind):
                return begin
            end = self._paragraph_end(begin)
        return end

    def _is_own(self, at: int, kind: Kind) -> bool:
        line = self.lines[at]
        if _LABEL.match(line) or (_ASKS.match(line) and not _LISTED.match(line)):
            return True
        return kind == "document" and _FIRST_PERSON.search(line[:_TOO_LONG]) is not None

    def _machine_end(self, begin: int) -> int:
        end = self._paragraph_end(begin, asks=True)
        while end < len(self.lines):
            begin = self._paragraph(end)
            if begin < len(self.lines) and not (
                _MACHINE.match(self.lines[begin]) or _indent(self.lines[begin])
            ):
                return begin
            end = self._paragraph_end(begin)
        return end

    def _code_end(self, at: int, indent: int) -> int:
        while at < len(self.lines) and (_indent(self.lines[at]) >= indent or not self.lines[at].strip()):
            at += 1
        return at

    def _paragraph(self, at: int) -> int:
        while at < len(self.lines) and not self.lines[at].strip():
            at += 1
        return at

    def _paragraph_end(self, at: int, *, asks: bool = False) -> int:
        """The blank line behind a paragraph; with `asks` a line in it that asks for something ends it as well."""
        first = at
        while at < len(self.lines) and self.lines[at].strip():
            if asks and at > first and _LABEL.match(self.lines[at]):
                return at
            at += 1
        return at


def _next_signed(lines: Sequence[str]) -> list[int | None]:
    """For each line the next one at or behind it with which a letter is signed.

    "Thanks" in the last paragraph is the user's.
    """
    found: list[int | None] = [None] * len(lines)
    last: int | None = None
    behind = False
    for at in range(len(lines) - 1, -1, -1):
        signed = _SIGNED.match(lines[at]) if len(lines[at]) <= _SIGNATURE else None
        if signed is not None and (behind or signed["weak"] is None):
            last = at
        behind = behind or (not lines[at].strip() and any(map(str.strip, lines[at + 1 : at + 2])))
        found[at] = last
    return found


_SIGNATURE: Final = 40
"""Characters: a longer line is no signature."""

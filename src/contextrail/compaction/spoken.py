"""What a user says himself: not tool output in a message of role user, not a text that was handed over, no command.

A wire form without tool calls has tool output in user messages, and users paste documents, logs and quotes. All of
that may say "never" and have a heading "Goal" without anybody asking for it. What counts is told from the form of a
text, never from what it claims to be.
"""

from __future__ import annotations

import re
from typing import Final

from contextrail.compaction.frame import is_framed, resembles_frame
from contextrail.compaction.handed_over import TAKEN_OUT, without_others

_OUTPUT: Final = frozenset([
    "returncode", "exitcode", "exitstatus", "output", "outputhead", "outputtail", "stdout", "stderr",
    "result", "results", "toolresult", "toolresults", "functionresult", "functionresults",
    "toolresponse", "functionresponse", "functioncalloutput", "toolcallresult", "tooloutput",
    "tooluseerror", "observation", "observations", "executionresult", "executionoutput",
    "commandoutput", "commandresult", "bashstdout", "bashstderr", "bashinput", "localcommandstdout",
    "localcommandstderr", "localcommandcaveat", "terminaloutput", "shelloutput", "consoleoutput",
    "environmentdetails", "environmentcontext", "systemreminder", "systemwarning", "commandname",
    "commandmessage", "commandargs", "searchresults", "websearchresults", "usershellcommand",
    "turnaborted",
])  # fmt: skip
"""Names of marks around what a tool or a host wrote, small letters alone."""
_MATERIAL: Final = frozenset([
    "document", "documents", "doc", "docs", "documentcontent", "file", "files", "filecontent",
    "filecontents", "article", "page", "webpage", "source", "sources", "email", "quote", "quoted",
    "excerpt", "attachment", "attachments", "log", "logs", "paste", "pasted", "pastedtext", "context",
    "codebase", "code", "readme", "transcript", "example", "examples", "diff", "snippet",
])  # fmt: skip
"""Names of marks around a text that a user hands over."""
_TAG: Final = re.compile(r"<([A-Za-z][\w:.-]{0,40})(?:\s[^<>\n]{0,300})?>")
_TAG_ON_A_LINE: Final = re.compile(r"^[ \t]*<([A-Za-z][\w:.-]{0,40})(?:[ \t][^<>\n]{0,300})?>", re.MULTILINE)
_OUTPUT_LEAD: Final = re.compile(
    r"(?:observation|(?:tool|command|execution|function|shell|terminal|bash|python)[ _-](?:call[ _-])?"
    r"(?:output|result|response)s?|观察(?:结果)?|(?:工具|命令|函数)(?:的)?(?:输出|结果|返回)|执行结果)\s*[:：]"
    r"|execution result of \[|\[[\w .-]{1,60}(?: for '[^'\n]{0,300}')?\] result\b|\[the command completed\b"
    r"|your (?:command|code) (?:ran|executed) successfully\b|(?:exit|return) ?code:? -?\d{1,3}[ \t]*(?:\n|$)"
    r"|\{\s*\"(?:returncode|exit_?code|stdout|stderr|output|tool_?output|tool_?result|observation)\"\s*:"
    r"|\[request interrupted by user|\(no content\)\s*$",
    re.IGNORECASE,
)
_COMMAND: Final = re.compile(r"/([a-z][\w:-]{0,40})(?:[ \t]+(\S[^\n]*))?[ \t]*(?:\n|$)")
_COMMANDS: Final = frozenset([
    "add", "agents", "approvals", "architect", "ask", "bashes", "bug", "chat", "clear", "code",
    "compact", "compress", "config", "context", "copy", "cost", "diff", "doctor", "drop", "editor",
    "effort", "exit", "export", "fast", "help", "hooks", "ide", "init", "login", "logout", "ls", "map",
    "mcp", "memory", "mention", "mode", "model", "models", "new", "output-style", "permissions", "plan",
    "plugin", "quit", "redo", "release-notes", "reset", "resume", "review", "rewind", "run", "sessions",
    "settings", "share", "stats", "status", "statusline", "terminal-setup", "theme", "think", "tokens",
    "tools", "undo", "unshare", "usage", "vim", "voice", "web",
])  # fmt: skip
"""Of common hosts. One of them with arguments is a command; an unknown one with arguments may be a request."""
_TOLD: Final = re.compile(
    r"(?:is|are|was|returns?|fails?|gives?|shows?|throws?|has|does(?:n['’]?t)?|should|must|needs?|works?|won['’]?t|"
    r"can(?:no|['’])?t|page|endpoint|route|path|folder|directory|handler|button|command)\b|[^\x00-\x7f]",
    re.IGNORECASE,
)
"""After "/login": a sentence about it."""
_SHELL_LINE: Final = re.compile(r"!(?![\s!=\[(])[^\n]*(?:\n|$)")
_SPACE: Final = re.compile(r"\s*")
_FENCE: Final = re.compile(r"^[ \t]*(```|~~~|\"\"\"|''')", re.MULTILINE)
_QUOTED: Final = re.compile(r"^[ \t]*>[^\n]*$", re.MULTILINE)
_HEADING: Final = re.compile(r"^#{1,6} +\S", re.MULTILINE)
_RULED_OFF: Final = re.compile(r"^[ \t]*(?:-{3,}|\*{3,}|={3,}|_{3,})[ \t]*$", re.MULTILINE)
_NOUN: Final = (
    r"(?:read-?me|docs?|documents?|documentation|files?|pages?|articles?|e-?mails?|mails?|messages?|posts?|logs?|outputs?|"
    r"transcripts?|blogs?|wikis?|comments?|replies|reply|texts?|templates?|examples?|excerpts?|snippets?|contents?|"
    r"markdown|papers?|essays?|letters?|notes?|reports?|guides?|manuals?|\w[\w/-]*\.(?:md|txt|rst|html?|docx?|pdf))"
)
_HANDS_OVER: Final = re.compile(
    r"\b(?:here['’]?s|here (?:is|are)|this is|below (?:is|are)|the following (?:is|are)|pasted|pasting|attached|quoting|"
    rf"found this|I found|(?:wrote|sent|posted|got|received|forwarded)(?: me| us)?)\b.{{0,60}}?\b{_NOUN}\b"
    r"|\b(?:summari[sz]e|translate|proofread|review|critique|explain|analy[sz]e|rewrite|reword|rephrase|paraphrase|"
    r"shorten|compare|classify|improve|polish|format|reformat|rate|grade|read|look (?:at|over|through)|"
    r"(?:what do you think|thoughts|opinion) (?:of|on|about)|what (?:does|do|is in)|tl;?dr)\b.{0,60}?"
    rf"\b(?:(?:this|that|these|the|the following|my|our|their|his|her|an?)\b.{{0,40}}?\b{_NOUN}\b"
    r"|(?:this|that|these|following|below)[ \t]*[:：])"
    r"|(?:以下|下面|下列|如下|附上|这)(?:是|为|份|篇|个|封|段|里).{0,30}?(?:文档|文件|文章|页面|内容|邮件|草稿|日志|报告|模板|原文|帖子|说明|README)"
    r"|(?:总结|概括|翻译|校对|审阅|评审|润色|解释|分析|改写|缩写|看看|读一?下|看一?下).{0,30}?(?:这|以下|下面|下列|如下|文档|文件|文章|README|邮件|草稿|日志|报告)",
    re.IGNORECASE,
)
_THIS: Final = re.compile(r"\b(?:this|these|following|below|here)\b|这|以下|下面|下列|如下", re.IGNORECASE)
_TO_BE_DONE: Final = re.compile(
    r"\b(?:implement|follow|carry out|execute|do (?:this|it|the|what)|build|fix|apply|according to|work (?:on|through)|"
    r"obey|adhere|start|solve|first|before|then|task|brief|assignment|requirements|instructions)\b|按|根据|实现|执行|完成|遵守|照着|任务|要求|需求",
    re.IGNORECASE,
)
_INTRODUCES: Final = re.compile(r"^[^\n]{1,300}[:：][ \t]*$", re.MULTILINE)
_BEFORE: Final = 4_000
"""Characters before the first heading in which such a line is looked for."""
_LEAD: Final = 300
"""Characters of a line that may hand over what follows it."""


def foreign(text: str) -> bool:
    """Whether a text in a user message is nothing that the user says: tool output, or a record that is not whole."""
    begin = text.lstrip()
    tag = _TAG.match(begin)
    if tag is not None and _bare(tag[1]) in _OUTPUT:
        return True
    return _OUTPUT_LEAD.match(begin) is not None or (resembles_frame(text) and not is_framed(text))


def without_commands(text: str) -> str:
    """A text without the lines at its beginning that a host takes as commands: `/model opus`, `!git status`."""
    at = 0
    while True:
        begin = at
        space = _SPACE.match(text, at)
        assert space is not None
        at = space.end()
        found = _SHELL_LINE.match(text, at) or _COMMAND.match(text, at)
        if found is None or (found.re is _COMMAND and not _is_command(found[1], found[2])):
            return text[max(begin, text.rfind("\n", begin, at) + 1) :]
        at = found.end()


def request(text: str) -> str:
    """What of a user message may be what the work is for, word for word; "" if it is nothing that the user asks."""
    return "" if foreign(text) else without_commands(text).strip()


def own_words(text: str) -> str:
    """What of a user message can bind the work: without code, quotes, tool output and texts that are handed over."""
    if foreign(text):
        return ""
    left = _without_blocks(without_commands(text))
    left = _QUOTED.sub(TAKEN_OUT, left) if ">" in left else left
    parts = _without_material(left) if _HEADING.search(left) else (left,)
    return "".join(map(without_others, parts))


def _is_command(name: str, rest: str | None) -> bool:
    return rest is None or (name in _COMMANDS and _TOLD.match(rest) is None)


def _bare(name: str) -> str:
    return re.sub(r"[^a-z]", "", name.rpartition(":")[2].casefold())


def _without_blocks(text: str) -> str:
    """Without code blocks, blocks in triple quotes, and marked-off output and material; an open one goes to the end."""
    marks = sorted([*_FENCE.finditer(text), *_TAG_ON_A_LINE.finditer(text)], key=lambda mark: mark.start())
    if not marks:
        return text
    kept: list[str] = []
    open_to_the_end: set[str] = set()
    at = 0
    for mark in marks:
        close = _closing(mark)
        if mark.start() < at or close is None or close in open_to_the_end:
            continue
        end = re.compile(re.escape(close), re.IGNORECASE).search(text, mark.end())
        if end is None:
            open_to_the_end.add(close)
            if mark.re is _TAG_ON_A_LINE and _bare(mark[1]) in _MATERIAL:
                continue  # a word in angle brackets, nothing that is marked off
        kept.append(text[at : mark.start()])
        at = len(text) if end is None else end.end()
    kept.append(text[at:])
    return f"\n{TAKEN_OUT}\n".join(kept)


def _closing(mark: re.Match[str]) -> str | None:
    """What ends a block; None if the mark begins none."""
    if mark.re is _FENCE:
        return f"\n{mark[1]}" if mark[1] in ("```", "~~~") else mark[1]
    return f"</{mark[1].lower()}>" if _bare(mark[1]) in _OUTPUT | _MATERIAL else None


def _without_material(text: str) -> tuple[str, ...]:
    """What stands around a text with headings that a line before it hands over."""
    heading = _HEADING.search(text)
    assert heading is not None
    at = heading.start()
    begin = max(0, at - _BEFORE)
    if not _hands_over(text[begin:at].rstrip().rpartition("\n")[2]):
        lines = (line for line in _INTRODUCES.finditer(text, begin, at) if _hands_over(line[0]))
        introduced = next(lines, None)
        if introduced is None:
            return (text,)
        at = introduced.end()
    return text[:at], _after_rule(text[at:])


def _hands_over(line: str) -> bool:
    pointed = line.rstrip().endswith((":", "：")) or _THIS.search(line[:_LEAD]) is not None
    return (
        pointed
        and len(line) <= _LEAD
        and _HANDS_OVER.search(line) is not None
        and _TO_BE_DONE.search(line) is None
    )


def _after_rule(text: str) -> str:
    """What stands behind the last line across the page, if no heading follows: it is the user's again."""
    ends = [line.end() for line in _RULED_OFF.finditer(text)]
    return text[ends[-1] :] if ends and _HEADING.search(text, ends[-1]) is None else ""

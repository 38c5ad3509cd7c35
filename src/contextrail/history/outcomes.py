"""Whether the result of a tool says that it failed, where its status does not; in English and Chinese."""

from __future__ import annotations

import re
from typing import Final

from contextrail.core.errors import InvalidRequest
from contextrail.core.json_text import Json, parse

_LOOKED_AT: Final = 600
"""Characters of a result in which a failure is looked for."""
_LARGEST: Final = 20_000
"""Characters of a result that is read as JSON."""
_MARKED: Final = re.compile(
    r"\A\s*(?:<tool_use_error>|<error>|<returncode>\s*[1-9]|<exit_code>\s*[1-9]"
    r"|(?:process )?(?:exit(?:ed)?(?: with)?|command exited with) (?:code|status):? -?[1-9]|exit code:? -?[1-9]"
    r"|traceback \(most recent)"
    r"|\"exit_code\":\s*-?[1-9]|^(?:exit code|exit status|returncode)\s*[:=]?\s*-?[1-9]\d*\s*$",
    re.IGNORECASE | re.MULTILINE,
)
"""Says it in a form that no file and no success has."""
_BEGINS: Final = re.compile(
    r"\s*(?:[\[(*❌✗✘⚠️\ufe0f ]*)(?:"
    r"errors?\s*(?:[:\uff1a!\])\u2014]|-\s|\Z|occurred|while|when|applying|editing|writing|reading|in (?:edit|tool))"
    r"|(?:\w+(?:error|exception))\s*[:\uff1a(]"
    r"|fail(?:ed|ure)\s*(?:[:\uff1a!\])\u2014]|-\s|\Z|to\b|while|because|due)"
    r"|(?:the )?(?:edit|patch|write|replace(?:ment)?|update|operation|tool(?: call)?|hunk #?\d+|apply\w*)"
    r"\s(?:\w+ )?(?:has )?(?:failed|was (?:not|rejected|denied|cancell?ed)|rejected|could not)\b"
    r"|(?:could not|couldn't|can(?:not|'t)|unable to|refus(?:ed|ing) to|won't)\b"
    r"|no (?:match|matches|replacements?|occurrences?|changes?|edits?|such (?:file|tool|path)|permission)\b"
    r"|(?:invalid|permission denied|access denied|aborted|cancell?ed|rejected|denied|timed? ?out|timeout|fatal)\b"
    r"|(?:the )?user (?:declined|rejected|denied|cancell?ed|doesn't want|does not want|refused)\b"
    r"|file (?:does not exist|doesn't exist|not found|has not been read)"
    r"|(?:错误|失败|出错|异常|未找到|找不到|没有找到|没找到|未能|无法|不能|拒绝|权限不足|未匹配|没有匹配|没有(?:做|作)?任何(?:更改|修改|替换)"
    r"|未(?:做|作|进行)?(?:任何)?(?:更改|修改|替换)|已取消|已拒绝|用户拒绝|用户取消|超时|文件不存在)"
    r"(?![^\s:\uff1a\uff0c\u3002]{0,40}\.[A-Za-z])"
    r")",
    re.IGNORECASE,
)
_SAYS: Final = re.compile(
    r"no (?:replacement was performed|changes (?:were |have been )?(?:made|applied))"
    r"|(?:string|text|block|snippet|context|old_?str(?:ing)?|pattern|anchor|search)\b[^\n]{0,80}?"
    r"\b(?:not found|did not (?:appear|match|occur)|does not (?:appear|match|exist|occur)|could not be found|was not found)"
    r"|not found in (?:the )?file|has not been read yet|(?:has been|was) modified since"
    r"|(?:multiple|\b[2-9]\d*) (?:matches|occurrences)\b[^\n]{0,80}(?:unique|more context|replace_all)|not unique"
    r"|patch (?:does not apply|failed)|hunk #?\d+ failed|saving rejects to"
    r"|are (?:exactly )?(?:the same|identical)|(?:no such file or directory|permission denied)\s*\Z"
    r"|(?:修改|编辑|替换|写入|更新|应用|操作|保存|补丁)(?:操作)?(?:失败|未成功|不成功|被拒绝|出错)"
    r"|(?:未|没有?|无法|不能)(?:能)?(?:找到|匹配|替换|修改|写入|应用|更新)|找不到|文件不存在|不唯一|(?:文件|内容)(?:没有|未)(?:被)?(?:修改|更改|变化)",
    re.IGNORECASE,
)
_WENT_WELL: Final = re.compile(
    r"\b(?:(?:has|have) been|was|were) (?:successfully )?(?:updated|edited|written|created|saved|modified(?! since)|applied|replaced|changed|deleted)"
    r"|\bsuccess(?:ful(?:ly)?)?\b(?! ?[:=] ?false)|\bapplied (?:the )?(?:patch|edit|\d)|\A\s*(?:ok|done|wrote|updated|edited|saved|created)\b"
    r"|\b[1-9]\d* (?:replacements?|occurrences?|edits?|changes?) (?:\w+ )?(?:made|applied|replaced)"
    r"|(?<![未不没有])(?:成功|已(?:更新|修改|写入|替换|保存|创建|应用|编辑|完成)|(?:更新|修改|写入|替换|保存|创建|应用|编辑)完成|完毕)",
    re.IGNORECASE,
)
_NOT_WELL: Final = re.compile(r"\b(?:un|not |no )success|(?:未|不|没有?)成功", re.IGNORECASE)
_UNCHANGED: Final = re.compile(
    r"\bfiles? (?:were |was )?(?:left|already|would be left) (?:unchanged|formatted)|\(unchanged\)"
    r"|no local changes to save|already up[ -]to[ -]date|没有要保存的本地修改|已经是最新",
    re.IGNORECASE,
)
_REWRITTEN: Final = re.compile(r"\breformatted\b|\bfix(?:ed|ing)\b", re.IGNORECASE)
_CODES: Final = frozenset({"exit_code", "exitcode", "returncode", "return_code", "code", "exit_status"})
_GOOD: Final = frozenset({"success", "ok", "succeeded", "applied"})
_BAD_STATUS: Final = frozenset(
    {"error", "failed", "failure", "rejected", "denied", "cancelled", "canceled", "timeout"}
)


def says_failure(text: str) -> bool:
    """Whether a result of a read or of a command says in a form of its own that it failed; its content does not count."""
    if _MARKED.search(text[:_LOOKED_AT]) is not None:
        return True
    return _enveloped(_object(text), content=True)


def edit_failed(text: str) -> bool:
    """Whether the result of a write or an edit says that the file is as it was.

    A JSON object is judged by its fields, else the first line counts before the others: "error.py has been
    updated" went well, and what an edit shows of the file behind that says nothing.
    """
    value = _object(text)
    if value is not None:
        return _enveloped(value, content=False)
    start = text[:_LOOKED_AT].strip()
    if _MARKED.search(start) is not None:
        return True
    first = start.partition("\n")[0]
    if _BEGINS.match(first) is not None:
        return True
    if _WENT_WELL.search(first) is not None and _NOT_WELL.search(first) is None:
        return False
    return _NOT_WELL.search(first) is not None or _SAYS.search(start) is not None


def changed_nothing(text: str) -> bool:
    """Whether a command that might have changed files says that it left them as they were."""
    start = text[:_LOOKED_AT]
    return _UNCHANGED.search(start) is not None and _REWRITTEN.search(start) is None


def _object(text: str) -> dict[str, Json] | None:
    plain = text.strip() if len(text) <= _LARGEST else ""
    if not plain.startswith("{"):
        return None
    try:
        value = parse(plain, place="result")
    except InvalidRequest:
        return None
    return value if isinstance(value, dict) else None


def _enveloped(value: dict[str, Json] | None, *, content: bool) -> bool:
    """Whether the fields of a result say that it failed; where it may be the content of a file, only an exit code counts."""
    if value is None:
        return False
    named = {key.replace("-", "_").lower(): each for key, each in value.items()}
    if any(_is_code(named.get(key)) for key in _CODES - ({"code"} if not content else set())):
        return not content or bool({"output", "stdout", "stderr", "metadata", "result"} & named.keys())
    inner = next(
        (named[key] for key in ("metadata", "result", "data") if isinstance(named.get(key), dict)), None
    )
    if content:
        return isinstance(inner, dict) and any(_is_code(inner.get(key)) for key in _CODES)
    if any(named.get(key) is False or str(named.get(key)).lower() == "false" for key in _GOOD):
        return True
    if named.get("is_error") is True or named.get("iserror") is True or named.get("error"):
        return True
    if str(named.get("status")).lower() in _BAD_STATUS:
        return True
    return isinstance(inner, dict) and _enveloped(inner, content=False)


def _is_code(value: Json) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value != 0

"""Which tool calls read, write or edit which files: a table of tools by name, and the commands of a shell.

The table knows the tools of the coding agents whose sessions `transcripts` reads, and the file servers
of MCP. A host adds its own: `{**FILE_TOOLS, "slurp": FileTool(act="read", path=("where",))}`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, Literal

from contextrail.core.digest import canonical_json
from contextrail.core.errors import InvalidRequest
from contextrail.core.json_text import Json, JsonObject, parse
from contextrail.history.shell_files import is_compound, shell_touches
from contextrail.history.touch import Act, Touch, plain_path
from contextrail.messages.model import ToolCall

PATHS: Final = (
    "file_path",
    "filePath",
    "path",
    "absolute_path",
    "notebook_path",
    "target_file",
    "target_notebook",
    "filename",
    "file_name",
    "file",
)
"""Arguments that name the file, the first that is there."""
_LISTS: Final = (
    "edits",
    "files",
    "changes",
    "operations",
    "replacements",
    "paths",
    "file_paths",
    "filePaths",
)
"""Arguments that name several files."""
_WHOLE_TEXT: Final = frozenset({"content", "contents", "text", "file_text", "encoding"})
"""Arguments of no interest to what part was read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FileTool:
    """What a tool does to the file that its arguments name."""

    act: Act | Literal["by-command", "patch", "shell", "move"]
    """`by-command`: an argument `command` says it; `patch`: the text of a patch does; `shell`: a command line."""
    path: tuple[str, ...] = PATHS


_READ: Final = FileTool(act="read")
_WRITE: Final = FileTool(act="write")
_EDIT: Final = FileTool(act="edit")
_SHELL: Final = FileTool(act="shell")
_PATCH: Final = FileTool(act="patch")

FILE_TOOLS: Final[Mapping[str, FileTool]] = MappingProxyType(
    {
        **dict.fromkeys(("read", "readfile", "view", "viewfile", "openfile", "open", "cat"), _READ),
        **dict.fromkeys(("readtextfile", "getfilecontents", "fsread", "notebookread"), _READ),
        **dict.fromkeys(("write", "writefile", "createfile", "create", "savefile", "fswrite"), _WRITE),
        **dict.fromkeys(("readmanyfiles", "readmultiplefiles", "readfiles", "viewfiles"), _READ),
        **dict.fromkeys(
            ("deletefile", "removefile", "writetofile", "overwritefile", "createnewfile"), _WRITE
        ),
        "copyfile": FileTool(act="write", path=("destination", "dst", "target", "to", "new_path")),
        **dict.fromkeys(("edit", "editfile", "multiedit", "strreplace", "replace", "insert"), _EDIT),
        **dict.fromkeys(
            ("replaceinfile", "searchreplace", "notebookedit", "applydiff", "editnotebook"), _EDIT
        ),
        **dict.fromkeys(("updatefile", "modifyfile", "appendfile", "appendtofile", "patchfile"), _EDIT),
        **dict.fromkeys(("inserttext", "insertcontent", "replacelines", "replacestringinfile"), _EDIT),
        **dict.fromkeys(
            ("multireplacestringinfile", "editfiles", "multieditfiles", "editnotebookcell"), _EDIT
        ),
        **dict.fromkeys(
            ("strreplaceeditor", "strreplacebasededittool", "texteditor"), FileTool(act="by-command")
        ),
        **dict.fromkeys(("applypatch", "patch"), _PATCH),
        **dict.fromkeys(("movefile", "renamefile"), FileTool(act="move")),
        **dict.fromkeys(("bash", "shell", "exec", "execcommand", "runcommand", "terminal"), _SHELL),
        **dict.fromkeys(("runshellcommand", "runterminalcmd", "localshell", "executecommand"), _SHELL),
    }
)
"""By the tool's name in small letters, without signs and without the name of its server."""

_COMMANDS: Final[Mapping[str, Act]] = MappingProxyType(
    {"view": "read", "create": "write", "str_replace": "edit", "insert": "edit", "undo_edit": "edit"}
)
_PATCHED: Final = re.compile(r"^\*\*\* (?:(Add|Delete|Update) File|Move to): (.+?)\s*$", re.MULTILINE)
_UNIFIED: Final = re.compile(
    r"^(?:--- (?!/dev/null)|\+\+\+ (?!/dev/null))(?:[ab]/)?([^\t\n]+?)(?:\t[^\n]*)?\s*$", re.MULTILINE
)
_DIFF: Final = re.compile(r"^--- [^\n]+\n\+\+\+ ", re.MULTILINE)


def touches(call: ToolCall, table: Mapping[str, FileTool] = FILE_TOOLS) -> tuple[Touch, ...]:
    """What a call does to files, as far as its name and arguments say; whether it succeeded is another question."""
    return tuple(touch for touch in _found(call, table) if touch.act != "doubt")


def doubted(call: ToolCall, table: Mapping[str, FileTool] = FILE_TOOLS) -> tuple[str, ...]:
    """Files, and folders with all below them, that a call may have changed without naming the file; "" is all."""
    return tuple(touch.path for touch in _found(call, table) if touch.act == "doubt")


def runs_several(call: ToolCall, table: Mapping[str, FileTool] = FILE_TOOLS) -> bool:
    """Whether a call runs more than one command, so that some may have acted though the last one failed."""
    tool = table.get(tool_key(call.name))
    if tool is None or tool.act != "shell":
        return False
    given = _arguments(call)
    return is_compound(given if isinstance(given, str) else _command(given))


def _found(call: ToolCall, table: Mapping[str, FileTool]) -> tuple[Touch, ...]:
    tool = table.get(tool_key(call.name))
    if tool is None:
        return ()
    given = _arguments(call)
    if isinstance(given, str):
        return _of_text(tool, given)
    match tool.act:
        case "by-command":
            act = _COMMANDS.get(str(given.get("command")))
            return () if act is None else _one(act, given, tool.path)
        case "patch":
            text = _of_text(tool, _first_text(given, ("input", "patch", "diff", "patch_text", "patchText")))
            return text or tuple(_listed("edit", given, tool.path))
        case "shell":
            return _of_text(tool, _command(given))
        case "move":
            return tuple(_moved(given))
        case act:
            return _one(act, given, tool.path) or tuple(_listed(act, given, tool.path))


def tool_key(name: str) -> str:
    """A tool's name as it stands in the table: `mcp__fs__read_file` is `readfile`."""
    last = re.split(r"__|[.:/]", name)[-1] or name
    return re.sub(r"[^a-z0-9]", "", last.lower())


def _arguments(call: ToolCall) -> JsonObject | str:
    try:
        value = parse(call.arguments, place="arguments")
    except InvalidRequest:
        return call.arguments
    return value if isinstance(value, dict) else str(value)


def _one(act: Act, given: JsonObject, names: tuple[str, ...]) -> tuple[Touch, ...]:
    name = next((each for each in names if isinstance(given.get(each), str) and given[each]), None)
    if name is None:
        return ()
    rest = {
        key: value
        for key, value in given.items()
        if key not in {name, "command", "description"} | _WHOLE_TEXT and value is not None
    }
    span = canonical_json(rest).decode("utf-8", "surrogatepass") if act == "read" and rest else ""
    return (Touch(act=act, path=plain_path(given[name]), span=span),)


def _listed(act: Act, given: JsonObject, names: tuple[str, ...]) -> Iterator[Touch]:
    """The files of a call that names them in a list, or as the keys of an object, each once."""
    lists = [given[key] for key in (*_LISTS, *names) if isinstance(given.get(key), (list, dict))]
    found: dict[Touch, None] = {}
    for each in (item for value in lists for item in value):
        if isinstance(each, str) and each:
            found[Touch(act=act, path=plain_path(each))] = None
        elif isinstance(each, dict):
            found.update(dict.fromkeys(_one(act, each, names)))
    yield from found


def _of_text(tool: FileTool, text: str) -> tuple[Touch, ...]:
    if tool.act == "shell":
        patched = tuple(_patched(text)) if "*** Begin Patch" in text else ()
        return patched or shell_touches(text)
    return tuple(_patched(text)) if tool.act == "patch" else ()


def _patched(text: str) -> Iterator[Touch]:
    found = [match.group(2) for match in _PATCHED.finditer(text)]
    if not found and _DIFF.search(text):
        found = [match.group(1) for match in _UNIFIED.finditer(text)]
    for path in dict.fromkeys(found):
        yield Touch(act="edit", path=plain_path(path))


def _moved(given: JsonObject) -> Iterator[Touch]:
    for name in ("source", "destination", "src", "dst", "old_path", "new_path"):
        value = given.get(name)
        if isinstance(value, str) and value:
            yield Touch(act="write", path=plain_path(value))


def _command(given: JsonObject) -> str:
    for name in ("command", "cmd", "script", "input"):
        value = given.get(name)
        if isinstance(value, str):
            return value
        if isinstance(value, list) and value and all(isinstance(each, str) for each in value):
            return _of_vector(value)
    return ""


def _of_vector(words: list[Json]) -> str:
    """A command given as words: what a shell is to run, or the words themselves."""
    if len(words) >= 3 and str(words[1]).startswith("-") and str(words[0]).endswith("sh"):
        return str(words[2])
    return "\n".join(map(str, words)) if words[0] == "apply_patch" else " ".join(map(str, words))


def _first_text(given: JsonObject, names: tuple[str, ...]) -> str:
    return next((given[name] for name in names if isinstance(given.get(name), str)), "")

"""What single commands of a shell do to files: which write, which edit, which may change a folder."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Final

from contextrail.history.shell_copies import CHANGES_WHAT_IT_IS_GIVEN, copied
from contextrail.history.shell_git import git_changes
from contextrail.history.shell_words import Command
from contextrail.history.touch import ANY_FILE, Touch, file_or_folder, plain_path

_RUNNERS: Final = frozenset(
    {"npx", "bunx", "pipx", "uvx", "uv", "poetry", "pnpm", "yarn", "npm", "hatch", "pdm"}
)
_WRAPPERS: Final[Mapping[str, tuple[str, int]]] = MappingProxyType(
    {
        "xargs": ("ILnPsdEa", 0),
        "timeout": ("sk", 1),
        "nice": ("n", 0),
        "ionice": ("cn", 0),
        "stdbuf": ("ioe", 0),
        "flock": ("wE", 1),
        **dict.fromkeys(("busybox", "toybox", "doas", "exec", "setsid", "chronic", "unbuffer"), ("", 0)),
    }
)
"""What runs the command behind it: letters of its options that take a value, and words of its own before the command."""
_RUN_WORDS: Final = frozenset({"run", "exec", "dlx", "x", "tool"})
_FORMATS: Final = frozenset(
    {
        "black",
        "isort",
        "rustfmt",
        "pyupgrade",
        "zprint",
        "swiftformat",
        "nixfmt",
        "dos2unix",
        "unix2dos",
        "gofumpt",
    }
)
"""Write unless an option says that they only look."""
_FORMATS_IF: Final[Mapping[str, str]] = MappingProxyType(
    {
        "prettier": r"--write|-w",
        "eslint": r"--fix",
        "stylelint": r"--fix",
        "standard": r"--fix",
        "biome": r"--write|--apply.*|--fix",
        "gofmt": r"-\w*w",
        "goimports": r"-\w*w",
        "gofumpt": r"-\w*w",
        "shfmt": r"-\w*w|--write",
        "2to3": r"-\w*w",
        "clang-format": r"-i",
        "autopep8": r"-\w*i|--in-place",
        "yapf": r"-\w*i|--in-place",
        "autoflake": r"-\w*i|--in-place",
        "docformatter": r"-i|--in-place",
        "rubocop": r"-a|-A|--auto-?correct(?:-all)?",
        "ktlint": r"-F|--format",
        "djlint": r"--reformat",
        "ast-grep": r"-U|--update-all",
        "comby": r"-i|-in-place",
    }
)
"""Write where this option is there."""
_FORMATS_BY: Final[Mapping[str, frozenset[str]]] = MappingProxyType(
    {
        "cargo": frozenset({"fmt", "fix"}),
        "go": frozenset({"fmt", "generate"}),
        "dart": frozenset({"format"}),
        "mix": frozenset({"format"}),
        "dprint": frozenset({"fmt"}),
        "deno": frozenset({"fmt"}),
        "terraform": frozenset({"fmt"}),
        "zig": frozenset({"fmt"}),
        "taplo": frozenset({"fmt", "format"}),
        "make": frozenset({"fmt", "format", "fix"}),
        "just": frozenset({"fmt", "format", "fix"}),
        "pre-commit": frozenset({"run"}),
    }
)
"""Write under this word of theirs."""
_LOOKS: Final = re.compile(
    r"--check(?:-only)?|--diff|--dry-run|--list-different|-check|--fix-dry-run|--no-write|--show-diff"
)
_FORMAT_WORDS: Final = frozenset({"format", "check", "lint", "run", "scan"})
"""Words of a formatter that are no files."""
_FORMAT_SCRIPT: Final = re.compile(r"(?:lint:)?(?:format|fmt|fix)(?::(?:fix|write|all))?|lint:fix|prettify")
"""A script of a project, as in `npm run format`."""
_SCRIPTS: Final = re.compile(r"(?:python|pypy|node|ruby|perl|deno|bun)[\d.]*\Z")
_WRITES_NAMED: Final = re.compile(
    r"\bopen\(\s*[rbf]?(['\"])(?P<opened>[^'\"\n]{1,300})\1\s*,\s*(?:mode\s*=\s*)?['\"](?:[wax]|r\+|rb\+)"
    r"|\bPath\(\s*(['\"])(?P<path>[^'\"\n]{1,300})\3\s*\)\.(?:write_text|write_bytes|unlink|touch)\("
    r"|\b(?:(?:write|append)File(?:Sync)?|File\.write|Deno\.writeTextFile|unlinkSync|os\.remove|os\.unlink)"
    r"\(?\s*(['\"])(?P<made>[^'\"\n]{1,300})\5"
)
_WRITES_SOMEWHERE: Final = re.compile(
    r"\bopen\([^()\n]{1,200},\s*(?:mode\s*=\s*)?['\"](?:[wax]|r\+|rb\+)|\.write_(?:text|bytes)\("
    r"|\b(?:write|append)File(?:Sync)?\(|\bFile\.(?:write|open)\(|\bshutil\.|\bos\.(?:rename|replace|remove|unlink)\("
    r"|\.open\(\s*(?:mode\s*=\s*)?['\"][wax]"
)

_PRINTS_TO: Final = re.compile(
    r"\bprintf?\b[^>;}\n]{0,200}>>?\s*(?:\"(?!/dev/)(?P<path>[^\"\n]{1,300})\"|(?=\$\d|[A-Za-z_]))"
)


def changed(command: Command) -> Iterator[Touch]:
    """What one command writes, edits or may change."""
    for path in command.outputs:
        yield from file_or_folder(path, act="write")
    words, many = _program(command.words)
    if not words:
        return
    name = words[0].rpartition("/")[2]
    if name == "find":
        yield from _found(words)
        return
    made = tuple(_by_name(name, words, command))
    given = made or name in CHANGES_WHAT_IT_IS_GIVEN or _edits_in_place(name, words)
    yield from (ANY_FILE,) if many and given else made


def _by_name(name: str, words: list[str], command: Command) -> Iterator[Touch]:
    plain = [word for word in words[1:] if not word.startswith("-")]
    if name == "git":
        yield from git_changes(words, command.fed)
    elif name in {"sed", "gsed", "perl", "ruby", "awk", "gawk"} and _edits_in_place(name, words):
        yield from (each for word in _edited(name, words) for each in file_or_folder(word, act="edit"))
    elif (made := copied(name, words)) is not None:
        yield from made
    elif name == "patch":
        yield from _patched(words, plain)
    elif name in {"awk", "gawk", "mawk"}:
        yield from _printed(words)
    elif _SCRIPTS.match(name):
        yield from _scripted(words, command.fed)
    else:
        yield from _formatted(name, words, plain)


def _program(words: list[str]) -> tuple[list[str], bool]:
    """The words from the program on, without what only starts it; whether it gets its files from elsewhere."""
    many = False
    while words:
        name = words[0].rpartition("/")[2]
        if name in _RUNNERS:
            rest = words[1:]
            while rest and (rest[0].startswith("-") or rest[0] in _RUN_WORDS):
                rest = rest[1:]
            words = rest
        elif name in _WRAPPERS:
            words, many = _wrapped(name, words), many or name == "xargs"
        elif re.fullmatch(r"python[\d.]*", name) and words[1:2] == ["-m"]:
            words = words[2:]
        else:
            break
    return words, many


def _wrapped(name: str, words: list[str]) -> list[str]:
    """The command behind one that only runs it."""
    letters, own = _WRAPPERS[name]
    at = 1
    while at < len(words) and words[at].startswith("-"):
        word = words[at]
        at += 1 + (len(word) == 2 and word[1] in letters)
    return words[at + own :]


def _edits_in_place(name: str, words: list[str]) -> bool:
    pattern = {
        "sed": r"-[nErsuz]*i.*|--in-place(?:=.*)?",
        "gsed": r"-[nErsuz]*i.*|--in-place(?:=.*)?",
        "awk": r"inplace",
        "gawk": r"inplace",
    }.get(name, r"-[pnlaw0-7]*i[^n]*")
    return any(re.fullmatch(pattern, word) for word in words[1:])


def _edited(name: str, words: list[str]) -> list[str]:
    """Files behind the options and the script of `sed -i` and its like."""
    files: list[str] = []
    scripts, skip = 1, False
    for at, word in enumerate(words[1:], 1):
        if skip:
            skip = False
        elif word.startswith("-") and len(word) > 1:
            given = re.fullmatch(r"-(?:[A-Za-z]*[ef]|-expression|-file|i)|-(?:-expression|-file)=.*", word)
            if given is not None and word != "-i":
                scripts, skip = 0, "=" not in word
            elif name in {"awk", "gawk"}:
                skip = word == "-i"
        elif word == "" and words[at - 1] == "-i":
            continue
        else:
            files.append(word)
    return files[scripts:]


def _patched(words: list[str], plain: list[str]) -> Iterator[Touch]:
    if any(word in {"--dry-run", "-C", "--check"} for word in words):
        return
    files = [word for word in plain if not re.search(r"\.(?:patch|diff|rej)\Z", word)]
    given = {
        words[at + 1] for at, word in enumerate(words[:-1]) if word in {"-i", "-p", "-d", "-o", "-F", "-B"}
    }
    files = [word for word in files if word not in given]
    yield from (each for word in files[:1] for each in file_or_folder(word, act="edit"))
    if not files:
        yield ANY_FILE


def _printed(words: list[str]) -> Iterator[Touch]:
    """Where a program of awk prints to."""
    for match in _PRINTS_TO.finditer(" ".join(words[1:])):
        path = match["path"]
        yield from (file_or_folder(path, act="write") if path else (ANY_FILE,))


def _scripted(words: list[str], fed: str) -> Iterator[Touch]:
    """What a program given in place opens for writing."""
    at = next((index for index, word in enumerate(words) if re.fullmatch(r"-\w*[ceE]|--eval", word)), None)
    text = words[at + 1] if at is not None and at + 1 < len(words) else fed
    named = False
    for match in _WRITES_NAMED.finditer(text):
        named = True
        yield from file_or_folder(match["opened"] or match["path"] or match["made"], act="write")
    if not named and _WRITES_SOMEWHERE.search(text):
        yield ANY_FILE


def _formatted(name: str, words: list[str], plain: list[str]) -> Iterator[Touch]:
    files = _to_format(name, words, plain)
    if files is not None:
        yield from (each for word in files for each in file_or_folder(word, act="doubt"))
        if not files:
            yield ANY_FILE


def _to_format(name: str, words: list[str], plain: list[str]) -> list[str] | None:
    """What a formatter may rewrite, nothing named for all; None where it only looks, or is none."""
    options = [word for word in words[1:] if word.startswith("-")]
    if any(_LOOKS.fullmatch(word) for word in options):
        return None
    if name == "ruff":
        fixes = plain[:1] == ["format"] or any(re.fullmatch(r"--fix(?:-only)?", word) for word in options)
        return plain[1:] if fixes else None
    if name in _FORMATS_IF:
        writes = any(re.fullmatch(_FORMATS_IF[name], word) for word in options)
        return [word for word in plain if word not in _FORMAT_WORDS] if writes else None
    if name in _FORMATS_BY:
        return [] if set(plain[:1]) & _FORMATS_BY[name] else None
    if _FORMAT_SCRIPT.fullmatch(name):
        return []
    return plain if name in _FORMATS and "-c" not in options else None


def _found(words: list[str]) -> Iterator[Touch]:
    """`find` that deletes, or runs something that edits."""
    at = next((index for index, word in enumerate(words) if word in {"-exec", "-execdir", "-ok"}), None)
    ran = Command(words=words[at + 1 :]) if at is not None else None
    if "-delete" in words or (ran is not None and any(changed(ran))):
        start = words[1] if len(words) > 1 and not words[1].startswith("-") else ""
        yield Touch(act="doubt", path=plain_path(start))

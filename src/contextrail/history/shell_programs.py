"""What single commands of a shell do to files: which write, which edit, which may change a folder."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Final

from contextrail.history.shell_git import git_changes
from contextrail.history.shell_words import Command
from contextrail.history.touch import ANY_FILE, Touch, file_or_folder, plain_path

_RUNNERS: Final = frozenset(
    {"npx", "bunx", "pipx", "uvx", "uv", "poetry", "pnpm", "yarn", "npm", "hatch", "pdm", "xargs"}
)
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
    yield from (ANY_FILE,) if many and (made or _edits_in_place(name, words)) else made


def _by_name(name: str, words: list[str], command: Command) -> Iterator[Touch]:
    plain = [word for word in words[1:] if not word.startswith("-")]
    if name == "git":
        yield from git_changes(words, command.fed)
    elif name in {"sed", "gsed", "perl", "ruby", "awk", "gawk"} and _edits_in_place(name, words):
        yield from (each for word in _edited(name, words) for each in file_or_folder(word, act="edit"))
    elif name in _WRITERS:
        yield from _WRITERS[name](words, plain)
    elif name == "patch":
        yield from _patched(words, plain)
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
            many = many or name == "xargs"
            words = rest
        elif re.fullmatch(r"python[\d.]*", name) and words[1:2] == ["-m"]:
            words = words[2:]
        else:
            break
    return words, many


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


def _each(words: list[str], plain: list[str]) -> Iterator[Touch]:
    folders = any(re.fullmatch(r"-\w*[rR]\w*|--recursive", word) for word in words)
    for word in plain:
        yield from file_or_folder(word, act="write")
        if folders:
            yield Touch(act="doubt", path=plain_path(word))


def _to_last(words: list[str], plain: list[str]) -> Iterator[Touch]:
    """`cp`, `mv`, `install`, `ln`: what the target becomes, and what is gone."""
    at = next((index for index, word in enumerate(words) if word in {"-t", "--target-directory"}), None)
    target = (
        words[at + 1] if at is not None and at + 1 < len(words) else (plain[-1] if len(plain) > 1 else None)
    )
    if target is None:
        return
    sources = [word for word in plain if word != target]
    if words[0].endswith("mv"):
        yield from (each for word in sources for each in file_or_folder(word, act="write"))
    into = (
        len(sources) > 1 or target.endswith(("/", "/.")) or at is not None or plain_path(target) in {"", ".."}
    )
    for word in sources:
        here = f"{target}/{word.rpartition('/')[2]}" if into else target
        yield from file_or_folder(here, act="write")
    if any(re.fullmatch(r"-\w*[rRa]\w*|--recursive|--archive", word) for word in words[1:]):
        yield Touch(act="doubt", path=plain_path(target))


def _last_folder(words: list[str], plain: list[str]) -> Iterator[Touch]:
    looks = any(word in {"-n", "--dry-run"} for word in words)
    yield from () if looks or not plain else (Touch(act="doubt", path=plain_path(plain[-1])),)


def _unpacked(words: list[str], plain: list[str]) -> Iterator[Touch]:
    bundle = words[1] if len(words) > 1 else ""
    looks = (words[0].endswith("tar") and "x" not in bundle and "--extract" not in words) or "-l" in words
    yield from () if looks else (ANY_FILE,)


def _to_option(words: list[str], plain: list[str]) -> Iterator[Touch]:
    names = {"-o", "--output"} if words[0].endswith("curl") else {"-O", "--output-document"}
    at = next((index for index, word in enumerate(words) if word in names), None)
    if at is not None and at + 1 < len(words) and words[at + 1] not in {"-", "/dev/null"}:
        yield from file_or_folder(words[at + 1], act="write")


def _disk_copy(words: list[str], plain: list[str]) -> Iterator[Touch]:
    yield from (
        Touch(act="write", path=plain_path(word[3:])) for word in plain if re.match(r"of=(?!/dev/)", word)
    )


_WRITERS: Final[Mapping[str, Callable[[list[str], list[str]], Iterator[Touch]]]] = MappingProxyType(
    {
        **dict.fromkeys(("rm", "tee", "unlink", "truncate", "sponge", "shred", "ed", "ex"), _each),
        **dict.fromkeys(("mv", "cp", "install", "ln"), _to_last),
        **dict.fromkeys(("rsync", "scp"), _last_folder),
        **dict.fromkeys(("tar", "unzip"), _unpacked),
        **dict.fromkeys(("curl", "wget"), _to_option),
        "dd": _disk_copy,
    }
)

"""What programs do to files that copy, move, fetch, unpack or cut them: by their options, in words of touches."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Final

from contextrail.history.shell_options import asked
from contextrail.history.touch import ANY_FILE, Touch, file_or_folder, plain_path

_HOST: Final = re.compile(r"(?:[\w.-]+@)?[\w.-]{2,}:|rsync://")
"""Begins a place on another machine, or in a container."""
_ADDRESS: Final = re.compile(r"(?:https?|ftp)://[^/?#]+([^?#]*)")
_PACKED: Final = re.compile(r"\.(?:gz|z|Z|bz2|xz|lzma|zst|lz4|br)\Z")
_UNPACKERS: Final = frozenset({"gunzip", "bunzip2", "unxz", "unlzma", "unzstd", "unlz4"})
_RSYNC_WORDS: Final = [
    "exclude",
    "include",
    "filter",
    "rsh",
    "files-from",
    "exclude-from",
    "include-from",
    "bwlimit",
    "temp-dir",
    "backup-dir",
    "suffix",
    "chmod",
    "chown",
    "port",
    "partial-dir",
    "log-file",
    "out-format",
    "timeout",
    "max-size",
    "min-size",
    "compare-dest",
    "copy-dest",
    "link-dest",
    "block-size",
]


def copied(name: str, words: list[str]) -> Iterator[Touch] | None:
    """What a program of this kind writes, edits or may change; None: it is not of this kind.

    Args:
        name: Of the program, without its folder.
        words: All words of the command, the program first.
    """
    does = _PROGRAMS.get(name)
    if does is None or any(word in {"--help", "--version"} for word in words[1:]):
        return None if does is None else iter(())
    return does(name, words)


def _write(path: str, folder: str = "") -> Iterator[Touch]:
    if path in {"", "-"} or path.startswith("/dev/"):
        return
    yield from file_or_folder(
        f"{folder}/{path}" if folder and not path.startswith("/") else path, act="write"
    )


def _doubt(path: str) -> Touch:
    return Touch(act="doubt", path=plain_path(path))


def _may_be_folder(path: str) -> bool:
    """Whether nothing in its name says that it is a file."""
    return "." not in path.rstrip("/").rpartition("/")[2].lstrip(".")


def _to_last(name: str, words: list[str]) -> Iterator[Touch]:
    """`cp`, `mv`, `install`, `ln`: what the target becomes, and what is gone."""
    letters = {"install": "gmotS", "cp": "tS", "mv": "tS", "ln": "tS"}[name]
    said = asked(words, letters=letters, names=("target-directory", "suffix", "mode", "owner", "group"))
    given = said.values("t", "target-directory")
    if name == "install" and said.has("d", "directory"):
        return
    if not given and len(said.plain) == 1 and name == "ln":
        said.plain.append(".")
    if not given and len(said.plain) < 2:
        return
    if name == "cp" and said.has("n", "no-clobber"):
        return  # what is there stays
    target = given[0] if given else said.plain[-1]
    sources = said.plain if given else said.plain[:-1]
    if name == "mv":
        yield from (each for word in sources for each in _gone(word))
    into = bool(given) or len(sources) > 1 or target.endswith(("/", "/.")) or plain_path(target) in {"", ".."}
    into = into and not said.has("T", "no-target-directory")
    for word in sources:
        inside = f"{target}/{word.rstrip('/').rpartition('/')[2]}"
        yield from file_or_folder(inside if into else target, act="write")
        if not into and _may_be_folder(target) and not _may_be_folder(word):
            yield from file_or_folder(inside, act="write")
    deep = name == "cp" and said.has("r", "R", "a", "recursive", "archive")
    if deep or (name in {"mv", "ln"} and any(map(_may_be_folder, sources))):
        yield _doubt(target)


def _gone(word: str) -> Iterator[Touch]:
    yield from file_or_folder(word, act="write")
    if _may_be_folder(word):
        yield from file_or_folder(word, act="doubt")


def _synced(name: str, words: list[str]) -> Iterator[Touch]:
    """`rsync`, `scp`: what is below the target; what was moved there."""
    letters = "eTfBM" if name == "rsync" else "cDFiJloPSX"
    said = asked(words, letters=letters, names=_RSYNC_WORDS)
    if said.has("dry-run", "list-only") or (name == "rsync" and said.has("n")) or len(said.plain) < 2:
        return
    *sources, target = said.plain
    if not _HOST.match(target):
        yield _doubt(target)
    if said.has("remove-source-files"):
        yield from (_doubt(word) for word in sources if not _HOST.match(word))


def _out_of_container(name: str, words: list[str]) -> Iterator[Touch]:
    said = asked(words, letters="nc", names=("namespace", "container", "context"))
    if said.plain[:1] == ["cp"] and len(said.plain) > 2:
        target = said.plain[-1]
        yield from () if _HOST.match(target) or target == "-" else (_doubt(target),)


def _tar(name: str, words: list[str]) -> Iterator[Touch]:
    said = asked(words, letters="fCbgKLNTVXHIF", names=("file", "directory"), bundle=True)
    if said.has("x", "extract", "get"):
        if said.has("O", "to-stdout"):
            return
        folders = said.values("C", "directory")
        yield _doubt(folders[-1]) if folders and not said.has("P", "absolute-names") else ANY_FILE
    elif said.has("c", "create", "r", "append", "u", "update"):
        yield from (each for word in said.values("f", "file") for each in _write(word))
        if said.has("remove-files"):
            yield from (each for word in said.plain for each in _gone(word))


def _unzip(name: str, words: list[str]) -> Iterator[Touch]:
    said = asked(words, letters="dPI")
    if said.plain and not said.has("l", "p", "c", "t", "Z", "v", "z", "n"):
        folders = said.values("d")
        yield _doubt(folders[-1]) if folders else ANY_FILE


def _seven(name: str, words: list[str]) -> Iterator[Touch]:
    plain = [word for word in words[1:] if not word.startswith("-")]
    if plain[:1] in (["x"], ["e"]) and "-so" not in words:
        folders = [word[2:] for word in words if re.match(r"-o.", word)]
        yield _doubt(folders[-1]) if folders else ANY_FILE


def _cpio(name: str, words: list[str]) -> Iterator[Touch]:
    said = asked(words, letters="DFHIMO", names=("directory", "file"))
    if said.has("i", "extract", "p", "pass-through") and not said.has("t", "list", "to-stdout"):
        folders = said.values("D", "directory")
        yield _doubt(folders[-1]) if folders else ANY_FILE


def _packed(name: str, words: list[str]) -> Iterator[Touch]:
    """`gzip` and its like put the file under another name; `gunzip` puts it back."""
    said = asked(words, letters="SMTo")
    if said.has("c", "stdout", "to-stdout", "l", "list", "t", "test"):
        return
    unpacks = name in _UNPACKERS or said.has("d", "decompress", "uncompress")
    keeps = said.has("k", "keep", "o") or "zst" in name or "lz4" in name
    yield from (each for word in said.values("o") for each in _write(word))
    for word in said.plain:
        if unpacks:
            yield from _write(_PACKED.sub("", word))
        if not keeps:
            yield from _write(word)


def _curl(name: str, words: list[str]) -> Iterator[Touch]:
    letters = "AbcCdDeEFhHKmoPQrtTuUwxXyYz"
    names = (
        "output",
        "output-dir",
        "request",
        "header",
        "data",
        "user",
        "user-agent",
        "max-time",
        "retry",
        "url",
    )
    said = asked(words, letters=letters, names=names)
    folder = next(iter(said.values("output-dir")), "")
    for word in said.values("o", "output"):
        yield from _write(word, folder)
    if said.has("O", "remote-name", "remote-name-all"):
        yield from (each for word in _named_there(said.plain) for each in _write(word, folder))


def _wget(name: str, words: list[str]) -> Iterator[Touch]:
    plainer = [word for word in words if not re.fullmatch(r"-n[cvdHp]", word)]
    names = (
        "output-document",
        "directory-prefix",
        "output-file",
        "tries",
        "timeout",
        "header",
        "user-agent",
        "input-file",
    )
    said = asked(plainer, letters="OoaePUtTwQilARDIXB", names=names)
    if said.has("spider"):
        return
    given = said.values("O", "output-document")
    folder = next(iter(said.values("P", "directory-prefix")), "")
    if given:
        yield from (each for word in given for each in _write(word))
    elif said.has("r", "recursive", "m", "mirror", "p", "page-requisites"):
        yield _doubt(folder) if folder else ANY_FILE
    elif said.has("N", "timestamping", "c", "continue"):  # else a file that is there stays
        there = _named_there(said.plain)
        yield from (_doubt(f"{folder}/{word}" if folder else word) for word in there)


def _named_there(addresses: list[str]) -> Iterator[str]:
    """The name that a fetched file gets from its address."""
    for word in addresses:
        address = _ADDRESS.match(word)
        path = address.group(1) if address is not None else word.partition("?")[0]
        last = path.rpartition("/")[2] if address is not None or "/" in path else ""
        if last:
            yield last


def _disk_copy(name: str, words: list[str]) -> Iterator[Touch]:
    yield from (each for word in words[1:] if word.startswith("of=") for each in _write(word[3:]))


def _each(name: str, words: list[str]) -> Iterator[Touch]:
    """`rm`, `tee`, `truncate`: every file that is named."""
    said = asked(words, letters={"truncate": "sro", "shred": "ns"}.get(name, ""), names=("size", "reference"))
    for word in said.plain:
        yield from _write(word)
        if name == "rm" and said.has("r", "R", "recursive") and not word.startswith("/dev/"):
            yield _doubt(word)


def _by_editor(name: str, words: list[str]) -> Iterator[Touch]:
    """`ed`, `ex`, `vim -c`: an editor that runs commands."""
    said = asked(words, letters="cSuTPi", names=("cmd",))
    if name in {"ed", "ex"} or said.has("c", "S", "cmd", "e") or any(word[:1] == "+" for word in said.plain):
        files = [word for word in said.plain if word[:1] != "+"]
        yield from (each for word in files for each in file_or_folder(word, act="edit"))


def _to_output(name: str, words: list[str]) -> Iterator[Touch]:
    said = asked(words, letters="okStT" if name == "sort" else "ofrtnwi", names=("output",))
    yield from (each for word in said.values("o", "output") for each in _write(word))


def _renamed(name: str, words: list[str]) -> Iterator[Touch]:
    said = asked(words, letters="eE")
    if not said.has("n", "nono", "dry-run", "no-act"):
        files = said.plain if said.has("e", "E") else said.plain[1:]
        yield from (each for word in files for each in file_or_folder(word, act="write"))


def _other_history(name: str, words: list[str]) -> Iterator[Touch]:
    """`svn`, `hg`: what takes files out of their history again."""
    said = asked(words, letters="rmcd", names=("rev", "revision", "message"))
    acts = _SVN if name == "svn" else _HG
    act, files = (said.plain[0], said.plain[1:]) if said.plain else ("", [])
    if said.has("dry-run", "list", "n") or (
        act not in acts and not (act == "pull" and said.has("u", "update"))
    ):
        return
    if act == "revert" and not files and not said.has("a", "all"):
        return
    if files and act in {"revert", "rm", "remove", "delete"}:
        yield from (each for word in files for each in file_or_folder(word, act="write"))
        yield from (_doubt(word) for word in files if _may_be_folder(word))
    else:
        yield ANY_FILE


_SVN: Final = frozenset(
    {"update", "up", "switch", "sw", "revert", "merge", "patch", "rm", "delete", "remove"}
)
_HG: Final = frozenset(
    {
        "update",
        "up",
        "checkout",
        "co",
        "revert",
        "merge",
        "import",
        "unshelve",
        "shelve",
        "rebase",
        "graft",
        "rm",
        "remove",
    }
)
_PROGRAMS: Final[Mapping[str, Callable[[str, list[str]], Iterator[Touch]]]] = MappingProxyType(
    {
        **dict.fromkeys(("rm", "tee", "unlink", "truncate", "sponge", "shred"), _each),
        **dict.fromkeys(("mv", "cp", "install", "ln"), _to_last),
        **dict.fromkeys(("rsync", "scp"), _synced),
        **dict.fromkeys(("docker", "podman", "kubectl"), _out_of_container),
        **dict.fromkeys(("tar", "bsdtar", "gtar"), _tar),
        **dict.fromkeys(("7z", "7za", "7zr", "7zz"), _seven),
        **dict.fromkeys(
            ("gzip", "bzip2", "xz", "lzma", "zstd", "lz4", "compress", *sorted(_UNPACKERS)), _packed
        ),
        **dict.fromkeys(("ed", "ex", "vi", "vim", "nvim"), _by_editor),
        **dict.fromkeys(("sort", "shuf", "iconv", "pandoc"), _to_output),
        **dict.fromkeys(("rename", "prename", "file-rename"), _renamed),
        **dict.fromkeys(("svn", "hg"), _other_history),
        "unzip": _unzip,
        "cpio": _cpio,
        "curl": _curl,
        "wget": _wget,
        "dd": _disk_copy,
    }
)
CHANGES_WHAT_IT_IS_GIVEN: Final = frozenset(
    {"rm", "tee", "truncate", "shred", "unlink", "mv", "cp", "ln", "install", "rename"}
)
"""Programs that change the files they are handed by `xargs`."""

"""Whether the action record bears out that something was done: which calls were attempts at it, and how the last ended."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from contextrail.compaction.actions import Action
from contextrail.compaction.claims import terms
from contextrail.compaction.facts import facts
from contextrail.compaction.operations import CALLS, EDITED, OPENED, OPERATIONS, Operation
from contextrail.compaction.wording import WORDS, Deed

_QUOTED: Final = re.compile(r"'[^']*'|\"[^\"]*\"")
_GIT: Final = r"\bgit(?:\s{1,4}-\S+(?:\s{1,4}[^-\s]\S*)?){0,4}\s{1,4}"
_TESTS: Final = re.compile(
    r"(?:^|[;&|(\n]|(?<!\S)(?:run|exec|sudo|time|env|npx|xvfb-run|then|do|-m|\w+=\S+)\s)\s{0,8}(?:\S{0,200}/)?"
    r"(?:pytest|py\.test|unittest|tox|nox|jest|vitest|mocha|rspec|phpunit|ctest|gotestsum|runtests\S*|run_tests?\S*|"
    r"go\s+test|cargo\s+(?:nextest|test)|mvn\s.{0,40}?\b(?:test|verify)|\S{0,40}gradlew?\s.{0,40}?\b(?:test|check)|dotnet\s+test|mix\s+test|"
    r"swift\s+test|make\s+\S{0,20}(?:test|check)\S{0,20}|(?:npm|pnpm|yarn|bun)\s+(?:run\s+)?test\S{0,20}|just\s+test|bin/test|"
    r"python\S{0,8}\s+\S{0,200}(?:test|runtests)\S{0,80})(?![\w-])",
)  # fmt: skip
_COMMANDS: Final[dict[Deed, re.Pattern[str]]] = {
    "test": _TESTS,
    "ci": re.compile(
        r"\bgh\s+(?:run|pr\s+checks|workflow)\b|\b(?:glab|gitlab|jenkins|circleci|buildkite|travis)\b|\bci\b|pipeline"
    ),
    "build": re.compile(
        r"\b(?:build|compile|tsc|javac|gcc|clang|cmake|make|ninja|webpack|vite|cargo\s+(?:build|check)|go\s+build)\b"
    ),
    "lint": re.compile(
        r"\b(?:mypy|pyright|tsc|ruff|eslint|flake8|pylint|black|prettier|clippy|go\s+vet|lint|typecheck|check)\b"
    ),
    "push": re.compile(
        rf"{_GIT}push\b(?!.{{0,200}}(?:--dry-run|\s-n\b))|\b(?:docker|podman)\s.{{0,40}}?\bpush\b"
    ),
    "commit": re.compile(rf"{_GIT}(?:commit|cherry-pick|revert|merge|am)\b(?!.{{0,200}}--(?:dry-run|abort))"),
    "merge": re.compile(
        rf"{_GIT}(?:merge(?!-base)|pull)\b(?!.{{0,200}}--abort)|\b(?:gh|glab)\s+[mp]r\s+merge\b"
    ),
    "deploy": re.compile(
        r"deploy|release|publish|rollout|\b(?:kubectl|helm|terraform)\s.{0,80}?\b(?:apply|install|upgrade|rollout)\b"
    ),
    "install": re.compile(r"\b(?:install|add|sync|ci)\b"),
    "delete": re.compile(r"\b(?:rm|rmdir|unlink|drop|delete|remove|prune|clean)\b", re.IGNORECASE),
}
_TOOLS: Final[dict[Deed, re.Pattern[str]]] = {
    "test": re.compile(r"(?:^|_)tests?(?:_|$)|(?:run|exec)\w*test", re.IGNORECASE),
    "ci": re.compile(r"(?:^|_)ci(?:_|$)|pipeline|workflow", re.IGNORECASE),
    "build": re.compile(r"build|compile", re.IGNORECASE),
    "lint": re.compile(r"lint|type_?check|diagnostics", re.IGNORECASE),
    "push": re.compile(r"push", re.IGNORECASE),
    "commit": re.compile(r"commit", re.IGNORECASE),
    "merge": re.compile(r"merge", re.IGNORECASE),
    "deploy": re.compile(r"deploy|release|publish|rollout", re.IGNORECASE),
    "install": re.compile(r"install", re.IGNORECASE),
    "delete": re.compile(r"delete|remove|unlink|drop", re.IGNORECASE),
}
_TESTS_FAILED: Final = re.compile(
    r"(?<![\d.])[1-9]\d{0,8}\s{1,3}(?:tests?\s+|specs?\s+)?(?:failed|failures?|failing|errors?|broken)\b"
    r"|\b(?:failures|errors|failed)\s{0,3}[:=]\s{0,3}[1-9]|^\s{0,8}(?:FAILED|FAIL|ERRORS?)\b|^E {2,}|^not ok \d|\bresult: FAILED|Traceback \(most recent"
    r"|\btests? (?:have )?failed\b|npm ERR!|AssertionError|(?<!0 )(?<!0)(?<!0 个)(?:失败|未通过|不通过|报错)(?!\D{0,3}0)",
    re.MULTILINE,
)
_WENT_WRONG: Final[dict[Deed, re.Pattern[str]]] = {
    "push": re.compile(
        r"rejected\]|^\s{0,8}(?:error|fatal|remote: error):|failed to push|denied|被拒|失败", re.MULTILINE
    ),
    "commit": re.compile(
        r"nothing (?:added )?to commit|no changes added|^\s{0,8}(?:error|fatal):|\bAborting\b|失败|无文件要提交",
        re.MULTILINE,
    ),
    "merge": re.compile(r"CONFLICT|^\s{0,8}(?:error|fatal):|\bAborting\b|not mergeable|失败", re.MULTILINE),
}
_ERROR: Final = re.compile(
    r"(?<!0 )(?<!no )(?<!without )\b(?:errors?|failed|failures?|failing|fatal|denied|rolled back|timed out|queued|in progress|"
    r"pending)\b(?!\W{1,3}0)|(?<!0 )(?<!无)(?:失败|报错)",
    re.IGNORECASE,
)
_NARROW: Final = re.compile(
    r"\s(?:-k|-m|-t|--testNamePattern|--filter|-run|--grep)[\s=]|::|\s[\w.@-]*/[\w.@/-]+\w|\s[\w/-]+\.(?:py|js|ts|tsx|rb|go|rs|java|php|cs)\b"
)
_NO_EDIT: Final = re.compile(
    r"^\s*(?:cd\s+\S+\s*&&\s*)?(?:git\s+(?:add|commit|push|tag|fetch|branch|checkout\s+-b|switch\s+-c)\b|docker|kubectl|helm)"
    r"|deploy|publish"
)
"""Commands that change something, but not what stands in a file of the work."""
_SUBJECTS: Final[dict[Deed, re.Pattern[str]]] = {
    "test": re.compile(r"\btests?\b|\bpytest\b|测试", re.IGNORECASE),
    "lint": re.compile(r"\blint\w{0,3}\b|\b(?:ruff|mypy|eslint|type ?check\w{0,3})\b", re.IGNORECASE),
    "build": re.compile(r"\b(?:build|compil\w{1,6})\b|构建|编译", re.IGNORECASE),
    "deploy": re.compile(r"\b(?:deploy|rollout)|部署|发布", re.IGNORECASE),
    "install": re.compile(r"\binstall|安装", re.IGNORECASE),
    "push": re.compile(r"\bpush|推送", re.IGNORECASE),
}
"""How a sentence speaks of commands of a kind."""
_NAMES_BRANCH: Final = re.compile(r"\bpush(?:\s{1,4}-\S+)*\s{1,4}[\w.@:/-]+\s{1,4}[\w.@:/-]")
_PLACES: Final = {
    "production": re.compile(r"\bprod(?:uction)?\b|生产|线上", re.IGNORECASE),
    "staging": re.compile(r"\bstag(?:e|ing)\b|\bpre-?prod\b|预发", re.IGNORECASE),
    "main": re.compile(r"\b(?:main|master|trunk)\b|主分支|主干", re.IGNORECASE),
    "develop": re.compile(r"\bdev(?:elop)?\b|开发分支|开发环境", re.IGNORECASE),
}
_LISTS_CHANGES: Final = re.compile(r"\bgit\s+(?:-\S+\s+)*(?:diff|status|show|log|commit)\b")
_EDITS_ANY: Final = re.compile(
    r"\bgit\s+(?:-\S+\s+)*(?:checkout|merge|pull|apply|stash|reset|revert|cherry-pick|rebase|am|clean|restore)\b"
    r"|\b(?:install|add|upgrade|codemod|format|patch|unzip|xargs|migrate|generate)\b|-exec\b|[*]|\$\w|(?:python\S{0,8}|node|bash|sh|ruby|perl)\s"
)
"""Commands that may edit files which they do not name."""
_CODE_WRITES: Final = re.compile(
    r"write|open\(.{0,80}[\"'][wa]|>|\bsed\b|\btee\b|\bmv\b|\bcp\b|\bpatch\b|replace|--fix|\bformat\b|\bblack\b"
)
_SORTS: Final = frozenset(
    [
        "fil",
        "file",
        "modul",
        "function",
        "variabl",
        "class",
        "method",
        "branch",
        "field",
        "column",
        "folder",
        "path",
        "dependenc",
        "packag",
        "librar",
    ]
)
"""What may be renamed, by sort."""
_ISSUES: Final = re.compile(r"ticket|issue|工单|jira", re.IGNORECASE)
_LONG: Final = 20_000
"""Characters of the arguments of a call that are looked at."""
_HEAD: Final = 2_000
_TAIL: Final = 8_000
"""Characters of a result that are looked at: outcomes stand at its ends."""


@dataclass(frozen=True, slots=True)
class _Try:
    action: Action
    well: bool
    narrow: bool


class Record:
    """The action record, asked for deeds."""

    def __init__(self, done: Sequence[Action]) -> None:
        """Takes the actions of a span, in order."""
        self._done = tuple(done)
        self._tries: dict[Deed, tuple[_Try, ...]] = {}

    def bears_out(self, kind: Deed, clause: str, *, whole: bool, earlier: bool) -> bool | None:
        """Whether the record supports a claim: True, False (it says otherwise), or None (it is silent).

        Args:
            kind: Of the deed.
            clause: In which it is claimed; the paths and places it names are looked for.
            whole: It leaves no exception: no failure of another run may stand.
            earlier: It tells of a former state: any attempt that went well will do.
        """
        match kind:
            case "test":
                return self._tested(clause, whole=whole, earlier=earlier)
            case "work" | "done":
                return self._works(whole=whole)
            case "fix":
                return False if self.failing and not named_paths(clause) else self._changed(clause)
            case "change":
                return self._changed(clause)
            case "edit":
                return self._changed(clause) or (self._shown_changed(clause) or None)
            case "send" | "approve" | "health":
                return None
            case operation if operation in OPERATIONS:
                return self._operated(operation, clause)
            case _:
                return self._last(kind, clause, earlier=earlier)

    @property
    def failing(self) -> bool:
        """Whether the last run of tests failed."""
        runs = self.tries("test")
        return bool(runs) and not runs[-1].well

    def tries(self, kind: Deed) -> tuple[_Try, ...]:
        """The attempts at a deed that ended, in order."""
        if kind not in self._tries:
            self._tries[kind] = tuple(
                _Try(each, _well(kind, each), each.command is not None and _narrow(each.command))
                for each in self._done
                if each.outcome in ("ok", "error") and _fits(kind, each)
            )
        return self._tries[kind]

    def _tested(self, clause: str, *, whole: bool, earlier: bool) -> bool | None:
        runs = self.tries("test")
        named = named_paths(clause)
        if named:
            runs = tuple(run for run in runs if not run.narrow or _names(run.action.target, named))
        if not runs:
            return None
        if earlier:
            return any(run.well for run in runs)
        last = runs[-1]
        if named and not last.well and not _names(_text(last.action), named):
            return None
        return last.well and not (whole and _standing(runs))

    def _works(self, *, whole: bool) -> bool | None:
        runs = self.tries("test")
        if not whole:
            return None
        if runs and (not runs[-1].well or _standing(runs)):
            return False
        builds = self.tries("build")
        return False if builds and not builds[-1].well else None

    def _last(self, kind: Deed, clause: str, *, earlier: bool) -> bool | None:
        tries = self.tries(kind)
        named = named_paths(clause) if kind == "delete" else ()
        if named:
            tries = tuple(each for each in tries if any(name in _text(each.action) for name in named))
            return any(each.well for each in tries) if tries else None
        places = [place for place, words in _PLACES.items() if words.search(clause)]
        for place in places if kind in ("push", "deploy", "merge") else ():
            there = tuple(each for each in tries if _PLACES[place].search(_text(each.action)))
            elsewhere = any(words.search(_text(each.action)) for each in tries for words in _PLACES.values())
            elsewhere |= any(_NAMES_BRANCH.search(each.action.target) for each in tries if kind == "push")
            if not there and elsewhere:
                return False
            tries = there or tries
        if not tries:
            return None
        return any(each.well for each in tries) if earlier else tries[-1].well

    def _changed(self, clause: str) -> bool | None:
        tries = [each for each in self._done if each.changed and each.outcome in ("ok", "error")]
        named = named_paths(clause)
        if named:
            ended = [each for each in self._done if each.outcome in ("ok", "error")]
            tries = [each for each in ended if _edits(each, named)] or [
                each
                for each in tries
                if each.command is not None
                and not _NO_EDIT.match(each.command)
                and _EDITS_ANY.search(each.command)
            ]
        if any(each.succeeded for each in tries):
            return True
        return False if tries else None

    def _shown_changed(self, clause: str) -> bool:
        """Whether a command of version control lists a file that a clause names."""
        named = named_paths(clause)
        return any(
            each.command is not None and _LISTS_CHANGES.search(each.command) and _names(each.result, named)
            for each in self._done
        )

    def _operated(self, kind: Operation, clause: str) -> bool | None:
        """Whether a call may have done an operation, or an edit of what the clause names; None: there is none."""
        tries = [each for each in self._done if each.kind != "read" and each.outcome in ("ok", "error")]
        if kind == "open":
            return any(each.succeeded and _opens(each, clause) for each in tries) or None
        fit = [each for each in tries if CALLS[kind].search(_QUOTED.sub(" ", each.command or each.tool))]
        about = terms(WORDS[kind].sub(" ", clause))
        latin = {each for each in about if len(each) > 2 and each.isascii()} - _SORTS
        known = kind not in ("rename", "upgrade") or not latin
        if any(each.succeeded and (known or _names(_text(each), tuple(latin))) for each in fit):
            return True
        if kind in EDITED and (latin or kind == "rename"):
            for each in tries:
                shown = f"{each.target}\n{each.given[:_LONG]}".casefold()
                if each.changed and each.succeeded and (not latin or any(word in shown for word in latin)):
                    return True
        return False if fit else None

    def exits(self, sentence: str) -> frozenset[str] | None:
        """Exit codes of the one kind of command that a sentence speaks of; None: of none or several, or none ran."""
        kinds = [kind for kind, words in _SUBJECTS.items() if words.search(sentence)]
        if len(kinds) != 1:
            return None
        ran = [each for each in self._done if each.command is not None and _fits(kinds[0], each)]
        codes = {str(each.exit_code or 0) for each in ran if each.exit_code is not None or each.succeeded}
        return frozenset(codes) or None


def _standing(runs: Sequence[_Try]) -> bool:
    """Whether a failure stands: of a wide run until a wide one goes well, of a narrow one until it does, or a wide one."""
    failed: set[str] = set()
    for run in runs:
        key = " ".join(_QUOTED.sub(" ", run.action.command or "").split()) if run.narrow else ""
        if run.well and not run.narrow:
            failed.clear()
        elif run.well:
            failed.discard(key)
        else:
            failed.add(key)
    return bool(failed)


def _well(kind: Deed, action: Action) -> bool:
    if not action.succeeded:
        return False
    ends = (
        action.result
        if len(action.result) <= _HEAD + _TAIL
        else action.result[:_HEAD] + "\n" + action.result[-_TAIL:]
    )
    if kind == "test":
        return _TESTS_FAILED.search(ends) is None
    if kind in _WENT_WRONG:
        return _WENT_WRONG[kind].search(ends) is None
    return action.exit_code == 0 or kind in ("delete", "install") or _ERROR.search(ends) is None


def _fits(kind: Deed, action: Action) -> bool:
    if action.command is None:
        return action.kind != "read" and _TOOLS[kind].search(action.tool) is not None
    return _COMMANDS[kind].search(_QUOTED.sub(" ", action.command)) is not None


def _narrow(command: str) -> bool:
    runner = _TESTS.search(command)
    rest = command[runner.end() :] if runner else ""
    rest = re.split(r"[;&|\n]", rest, maxsplit=1)[0]
    return _NARROW.search(rest) is not None and "--lf" not in rest and "--last-failed" not in rest


def named_paths(clause: str) -> tuple[str, ...]:
    """The paths in a clause, folded; those with a directory by their last part too."""
    paths = [fact.text.strip("`").casefold() for fact in facts(clause) if fact.kind in ("path", "quote")]
    return tuple(path for path in paths if "/" in path or "." in path)


def _names(text: str, named: Sequence[str]) -> bool:
    folded = text.casefold()
    return any(name in folded for name in named)


def _edits(action: Action, named: Sequence[str]) -> bool:
    """Whether a call writes one of some paths: it names it, or only its end or more of it."""
    target = action.target.casefold()
    if not any(name in target or (action.path is not None and name.endswith(f"/{target}")) for name in named):
        return False
    return action.changed or (action.command is not None and _CODE_WRITES.search(action.command) is not None)


def _opens(action: Action, clause: str) -> bool:
    """Whether a call opened a request or an issue, whichever a clause speaks of."""
    done = action.command or action.tool
    if not CALLS["open"].search(done) and not OPENED.search(action.result[-_TAIL:]):
        return False
    issue = re.search(r"issue|ticket|jira", f"{done} {action.result[-_TAIL:]}", re.IGNORECASE) is not None
    return issue or not _ISSUES.search(clause)


def _text(action: Action) -> str:
    return f"{action.tool} {action.target} {action.result[-_TAIL:]}".casefold()

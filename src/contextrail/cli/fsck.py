"""`contextrail fsck`: how healthy session files are, and healed copies of those that are not."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Final

import typer
from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from contextrail.cli.output import err, fault_record, number, out, print_json
from contextrail.core.errors import ANSWERS, EXIT_FAULT, EXIT_FOUND, InvalidRequest, RailError
from contextrail.core.json_text import JsonObject
from contextrail.transcripts.detect import find_sessions
from contextrail.transcripts.files import keep_apart
from contextrail.transcripts.heal import Healing, heal, side_file
from contextrail.transcripts.health import Health, check
from contextrail.transcripts.health import Progress as Tell
from contextrail.transcripts.source import opened

SHOWN: Final = 20
"""Findings that are shown one by one for a single file."""
_COLORS: Final = {"error": "red", "warning": "yellow", "note": "dim"}


@dataclass(slots=True)
class Report:
    """What was found in one file, and what was made of it."""

    path: Path
    name: Path
    """The path below the folder that was asked about, or the bare name."""
    health: Health | None = None
    error: RailError | None = None
    fault: Exception | None = None
    """What went wrong with us, so that one file does not end the check of all."""
    healing: Healing | None = None
    after: Health | None = None

    @property
    def verdict(self) -> str:
        """One word, or two."""
        if self.fault is not None:
            return "internal fault"
        if self.error is not None:
            return "unreadable" if self.health is None else "not healed"
        if self.after is not None:
            return "healed" if self.after.healthy else "mended"
        if self.health is None or self.health.healthy:
            return "healthy"
        return "damaged" if self.health.severities["error"] else "suspect"

    def to_json(self) -> JsonObject:
        """For programs."""
        made: JsonObject = {"file": str(self.path), "verdict": self.verdict}
        if self.health is not None:
            made |= self.health.to_json()
        if self.error is not None:
            made["error"] = self.error.to_json()
        if self.fault is not None:
            made["error"] = fault_record(self.fault)
        if self.healing is not None and self.after is not None:
            made["healed"] = {
                "file": str(self.healing.out),
                "lost": None if self.healing.lost is None else str(self.healing.lost),
                "mends": dict(self.healing.mends),
                "health": self.after.to_json(),
            }
        return made


@dataclass(slots=True)
class Job:
    """The files to look at."""

    files: list[tuple[Path, Path]] = field(default_factory=list)
    """Each with its name below the folder it was found in, or its bare name."""
    skipped: list[Path] = field(default_factory=list)
    """Files in folders that are in no known format."""


def fsck_command(
    paths: Annotated[
        list[Path],
        typer.Argument(metavar="PATH...", help="Session files or folders of them; `-` reads standard input."),
    ],
    as_json: Annotated[bool, typer.Option("--json", help="Print the report as JSON.")] = False,
    repair: Annotated[
        bool, typer.Option("--repair", help="Write healed copies; the originals stay as they are.")
    ] = False,
    out_path: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="With --repair: the healed file, or a folder for several."),
    ] = None,
    form: Annotated[
        str | None, typer.Option("--format", help="Format of the files; found out if not given.")
    ] = None,
) -> None:
    """Check session files: broken records, broken chains, calls without results.

    Reads files of any size in little memory. With --repair, a damaged session is written anew in its own
    format: records byte for byte as they were, except what is reported; what had to be taken out stands in
    a file OUT.lost beside the copy. Of several files only the damaged ones are written.

    Exit code 0: healthy (with --repair: the copies are); 1: something was found; 2: a file cannot be read;
    70: a fault of ours, with the file named.

    Examples:

        contextrail fsck session.jsonl

        contextrail fsck ~/.claude/projects --json

        contextrail fsck broken.jsonl --repair -o healed.jsonl
    """
    if repair != (out_path is not None):
        raise InvalidRequest(
            "--repair and --out go together", cure="say both: --repair -o healed.jsonl", option="--repair"
        )
    job = _job(paths)
    several = len(job.files) > 1 or any(path.is_dir() for path in paths)
    targets = {
        path: None if out_path is None else _target(out_path, name, several=several)
        for path, name in job.files
    }
    _check_targets(targets)
    reports: list[Report] = []
    with _progress([path for path, _ in job.files]) as tell:
        for path, name in job.files:
            report = Report(path, name)
            _examine(report, form, targets[path], tell, always=not several)
            reports.append(report)
    if len(reports) == 1 and reports[0].fault is not None:
        raise reports[0].fault
    if len(reports) == 1 and reports[0].error is not None and reports[0].health is None:
        raise reports[0].error
    if as_json:
        print_json(_json(reports, job))
    else:
        _show(reports, job)
    raise typer.Exit(_exit_code(reports))


def _job(paths: Sequence[Path]) -> Job:
    job = Job()
    for path in paths:
        if str(path) != "-" and path.is_dir():
            for found, known in find_sessions(path):
                if known:
                    job.files.append((found, found.relative_to(path)))
                else:
                    job.skipped.append(found)
        else:
            job.files.append((path, Path(path.name if str(path) != "-" else "session.jsonl")))
    if not job.files:
        raise InvalidRequest(
            "no session was found", cure="name a session file", files_looked_at=len(job.skipped)
        )
    return job


def _target(out_path: Path, name: Path, *, several: bool) -> Path:
    if not several and not out_path.is_dir():
        return out_path
    if out_path.exists() and not out_path.is_dir():
        raise InvalidRequest(
            f"{out_path} is a file, but several are to be written", place=str(out_path), cure="name a folder"
        )
    return out_path / name


def _check_targets(targets: Mapping[Path, Path | None]) -> None:
    """Refuse, before the first is written, copies that are not files, or that are another's copy or session."""
    outputs: dict[str, Path] = {}
    for path, target in targets.items():
        if target is None:
            continue
        for place in (target, side_file(target)):
            if place.exists() and not place.is_file():
                raise InvalidRequest(
                    f"{place} is not a file, and the copy is read again to check it",
                    place=str(place),
                    cure="name a file",
                )
        outputs |= {f"the copy of {path}": target, f"what is taken out of {path}": side_file(target)}
    if outputs:
        keep_apart(outputs, [("the original", path) for path in targets])


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise InvalidRequest(f"{folder} cannot be made: {reason}", place=str(folder)) from None


def _examine(
    report: Report, form: str | None, target: Path | None, tell: Tell | None, *, always: bool
) -> None:
    """Check one file, and heal it if that was asked for and it is damaged, or is the only one."""
    try:
        with opened(report.path) as source:
            report.health = check(source, form, tell)
            if target is not None and (always or not report.health.healthy):
                _make_folder(target.parent)
                report.healing = heal(source, target, report.health.format)
                with opened(target) as copy:
                    report.after = check(copy, report.health.format)
    except RailError as error:
        report.error = error
    except Exception as fault:  # noqa: BLE001 - a fault of ours on one file says nothing about the others
        report.fault = fault


def _exit_code(reports: Sequence[Report]) -> int:
    if any(report.fault is not None for report in reports):
        return EXIT_FAULT
    if any(report.error is not None for report in reports):
        return ANSWERS[InvalidRequest].exit
    last = [report.after or report.health for report in reports]
    return 0 if all(health is not None and health.healthy for health in last) else EXIT_FOUND


def _json(reports: Sequence[Report], job: Job) -> JsonObject:
    verdicts = [report.verdict for report in reports]
    return {
        "files": [report.to_json() for report in reports],
        "skipped": list(map(str, job.skipped)),
        "verdicts": {verdict: verdicts.count(verdict) for verdict in sorted(set(verdicts))},
    }


@contextmanager
def _progress(paths: Sequence[Path]) -> Iterator[Tell | None]:
    """A bar on standard error, if that is a terminal."""
    if not sys.stderr.isatty():
        yield None
        return
    total = sum(path.stat().st_size for path in paths if path.is_file())
    columns = (TextColumn("reading"), BarColumn(), DownloadColumn(), TimeRemainingColumn())
    with Progress(*columns, console=err(), transient=True) as bar:
        task = bar.add_task("reading", total=total or None)
        yield lambda size: bar.advance(task, size)


# Tables


def _show(reports: Sequence[Report], job: Job) -> None:
    console = out()
    if not console.is_terminal:  # a name on several lines is of no use to the next program
        console.width = max(console.width, 80 + max(len(str(report.name)) for report in reports))
    table = Table(box=None, pad_edge=False)
    for name in ("verdict", "format"):
        table.add_column(name, no_wrap=True)
    for name in ("MB", "records", "messages", "calls", "segments", "sidechains"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("session", overflow="fold", ratio=1)
    for report in reports:
        table.add_row(*_cells(report), _plain(str(report.name)))
    console.print(table)
    for report in reports:
        _show_findings(report, one_by_one=len(reports) == 1)
    if job.skipped:
        console.print(f"{len(job.skipped)} other files are in no known format", style="dim")


def _cells(report: Report) -> list[Text | str]:
    colors = {"healthy": "green", "healed": "green", "mended": "yellow", "suspect": "yellow"}
    verdict = Text(report.verdict, colors.get(report.verdict, "red"))
    health = report.health
    if health is None:
        return [verdict, *[""] * 7]
    counts = (health.records, health.messages, health.calls, health.segments, health.sidechains)
    return [verdict, health.format, f"{health.size_bytes / 1e6:.1f}", *map(number, counts)]


def _show_findings(report: Report, *, one_by_one: bool) -> None:
    console = out()
    if report.fault is not None:
        said = fault_record(report.fault)["message"]
        console.print(_plain(f"{report.name}: {said}"), style="red", soft_wrap=True)
    if report.error is not None:
        console.print(_plain(str(report.error)), style="red", soft_wrap=True)
    health = report.health
    if health is not None and health.counts and one_by_one:
        _show_issues(health)
    elif health is not None and not health.healthy:
        counts = ", ".join(f"{kind} {count}" for kind, count in health.counts.items())
        console.print(_plain(f"{report.name}: {counts}"), soft_wrap=True)
    if report.healing is not None and report.after is not None:
        mends = (
            ", ".join(f"{kind} {count}" for kind, count in report.healing.mends.items()) or "nothing to mend"
        )
        console.print(_plain(f"wrote {report.healing.out}: {mends}"), soft_wrap=True)
        if report.healing.lost is not None:
            console.print(_plain(f"what was taken out stands in {report.healing.lost}"), soft_wrap=True)
        left = report.after.severities
        console.print(f"the copy has {left['error']} errors, {left['warning']} warnings")


def _show_issues(health: Health) -> None:
    console = out()
    table = Table(box=None, pad_edge=False)
    table.add_column("line", justify="right")
    table.add_column("byte", justify="right")
    table.add_column("found", no_wrap=True)
    table.add_column("what it is", overflow="fold")
    ranks = list(_COLORS)
    worst = sorted(health.issues, key=lambda issue: ranks.index(issue.severity))[:SHOWN]
    for issue in worst:
        table.add_row(
            number(issue.line),
            number(issue.byte),
            Text(issue.kind, _COLORS[issue.severity]),
            _plain(issue.detail),
        )
    console.print(table)
    more = sum(health.counts.values()) - len(worst)
    if more:
        counts = ", ".join(f"{kind} {count}" for kind, count in health.counts.items())
        console.print(_plain(f"and {more} more; in all: {counts}"), style="dim", soft_wrap=True)


def _plain(text: str) -> Text:
    """Text without markup that any terminal can show."""
    return Text("".join(char if char.isprintable() else repr(char)[1:-1] for char in text))

"""Write a healed copy of a session in its own format; the original is not touched, and nothing is lost.

What needs no mending is copied byte for byte. What is taken out or rewritten stands, as it was, in a
side file of JSON lines beside the copy: `{"round", "byte", "end", "why", "text" | "base64"}`.
"""

from __future__ import annotations

import base64
import shutil
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from tempfile import SpooledTemporaryFile
from typing import BinaryIO, Final, cast

from contextrail.core.errors import InvalidRequest
from contextrail.core.json_text import JsonObject, dump
from contextrail.transcripts.chains import lay_out
from contextrail.transcripts.decode import decode_object
from contextrail.transcripts.detect import detect, reader_of
from contextrail.transcripts.files import whole_file
from contextrail.transcripts.heal_hosts import HOSTS, Host
from contextrail.transcripts.heal_plan import Edit, Edits, plan
from contextrail.transcripts.health import Outline, Progress, check, told
from contextrail.transcripts.lines import Record, records
from contextrail.transcripts.mend import mended, relinked
from contextrail.transcripts.session import Issue
from contextrail.transcripts.source import Source

ROUNDS: Final = 5
"""Mending one thing may show another (a doubled record hides a call); two rounds do in practice."""
_STEP: Final = 1024 * 1024
_SPOOL: Final = 32 * 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Healing:
    """What was done."""

    out: Path
    lost: Path | None
    """The side file with what was taken out or rewritten; None: nothing was."""
    mends: dict[str, int]
    """Number of changes by kind. Empty: the copy is the original, byte for byte."""


def heal(source: Source, out: Path, format: str | None = None, progress: Progress | None = None) -> Healing:  # noqa: A002 - the word of the command line
    """Write a healed copy.

    Args:
        source: The session.
        out: Where the copy goes; replaced if it exists. The side file is `OUT.lost`.
        format: A name of `detect.FORMATS`; None finds it out.
        progress: Told of bytes read.

    Raises:
        InvalidRequest: No known format, errors in a format that cannot be healed, or `out` is the original
            or cannot be written.
    """
    name = format or detect(source)
    host = HOSTS.get(name)
    if host is None and check(source, name).severities["error"]:
        raise InvalidRequest(
            f"files in the format {name} cannot be healed; these can: {', '.join(HOSTS)}",
            place=source.name,
            format=name,
        )
    if out.exists() and source.path.exists() and out.samefile(source.path):
        raise InvalidRequest(f"{out} is the original", place=str(out), cure="name another file")
    side = side_file(out)
    with ExitStack() as stack:
        lost = stack.enter_context(_spool())
        copy = stack.enter_context(whole_file(out))
        source.stream.seek(0)
        mends: Counter[str] = Counter()
        healed = source.stream
        if host is not None:
            healed = _Work(name, host, lost, mends).healed(source.stream, stack, progress)
        shutil.copyfileobj(healed, copy, _STEP)
        kept = lost.tell() > 0
        if kept:
            lost.seek(0)
            shutil.copyfileobj(lost, stack.enter_context(whole_file(side)), _STEP)
    return Healing(out=out, lost=side if kept else None, mends=dict(sorted((+mends).items())))


def side_file(out: Path) -> Path:
    """Where that goes which is taken out of a copy."""
    return out.with_name(f"{out.name}.lost")


@dataclass(frozen=True, slots=True)
class _Patch:
    """Bytes `[start, end)` of a file become `size` bytes at `at` of the spool of new bytes."""

    start: int
    end: int
    at: int
    size: int


class _Work:
    """One healing: rounds over the file until a round finds nothing to mend."""

    def __init__(self, format_name: str, host: Host, lost: BinaryIO, mends: Counter[str]) -> None:
        self.format = format_name
        self.host = host
        self.lost = lost
        self.mends = mends
        self.round = 0

    def healed(self, stream: BinaryIO, stack: ExitStack, progress: Progress | None) -> BinaryIO:
        """A stream with the healed file, at its beginning: the one given, if it needs no mending."""
        for self.round in range(1, ROUNDS + 1):
            new = stack.enter_context(_spool())
            patches = list(self._patches(stream, new, progress))
            if not patches:
                break
            target = stack.enter_context(_spool())
            _apply(patches, stream, new, target)
            stream = target
        stream.seek(0)
        return stream

    def _patches(self, stream: BinaryIO, new: BinaryIO, progress: Progress | None) -> Iterator[_Patch]:
        edits = self._edits(stream, progress)
        stream.seek(0)
        kept_line = 0
        flawed = False
        for item in records(told(stream, progress), ""):
            if isinstance(item, Issue):
                flawed = True
                if item.kind == "bom" or (item.severity == "error" and item.end is not None):
                    yield self._removed(item, stream)
                continue
            at = item.origin
            edit = edits.get(at.start, _NONE)
            if edit.drop:
                self._keep(item.raw, at.start, "duplicate")
                yield _Patch(at.start, at.end, 0, 0)
                continue
            before, raw, after = (
                self._mended(item, edit) if flawed or edit is not _NONE else (b"", item.raw, b"")
            )
            flawed = False
            if kept_line == at.line:
                self.mends["glued-records"] += 1
                before = b"\n" + before
            kept_line = at.line
            if before or after or raw != item.raw:
                data = before + raw + after
                yield _Patch(at.start, at.end, new.tell(), new.write(data))

    def _edits(self, stream: BinaryIO, progress: Progress | None) -> Edits:
        outline = Outline()
        stream.seek(0)
        outline.take(reader_of(self.format).read(told(stream, progress), ""))
        return plan(outline.entries, lay_out(outline.entries), marks=self.host.gap_record is not None)

    def _removed(self, issue: Issue, stream: BinaryIO) -> _Patch:
        start, end = issue.byte, issue.end
        assert start is not None
        assert end is not None
        here = stream.tell()
        stream.seek(start)
        self._keep(stream.read(end - start), start, issue.kind)
        stream.seek(here)
        return _Patch(start, end, 0, 0)

    def _mended(self, record: Record, edit: Edit) -> tuple[bytes, bytes, bytes]:
        """What goes before a record, what it becomes, what goes behind it."""
        raw = mended(record.raw)
        if raw != record.raw:
            self._keep(record.raw, record.origin.start, "mended-bytes")
        if edit is _NONE:
            return b"", raw, b""
        before = b""
        value, _ = decode_object(raw)
        if edit.gap is not None and self.host.gap_record is not None:
            before = dump(self.host.gap_record(value, *edit.gap)) + b"\n"
        if edit.strays:
            self._keep(record.raw, record.origin.start, "orphan-result", len(edit.strays))
            raw = dump(self.host.text_record(value, edit.strays))
        if edit.relink and self.host.PARENT:
            self.mends["relinked"] += 1
            raw = relinked(raw, self.host.PARENT, value.get(self.host.PARENT), edit.parent)
        return before, raw, self._outcomes(value, edit)

    def _outcomes(self, value: JsonObject, edit: Edit) -> bytes:
        self.mends["unanswered-call"] += len(edit.after)
        return b"".join(b"\n" + dump(self.host.outcome_record(value, insert)) for insert in edit.after)

    def _keep(self, data: bytes, start: int, why: str, count: int = 1) -> None:
        """Write down what is taken out or rewritten."""
        self.mends[why] += count
        try:
            said = {"text": data.decode()}
        except UnicodeDecodeError:
            said = {"base64": base64.b64encode(data).decode()}
        line = {"round": self.round, "byte": start, "end": start + len(data), "why": why, **said}
        self.lost.write(dump(line) + b"\n")


_NONE: Final = Edit()


def _apply(patches: Sequence[_Patch], stream: BinaryIO, new: BinaryIO, target: BinaryIO) -> None:
    at = 0
    for patch in patches:
        _copy(stream, at, patch.start, target)
        _copy(new, patch.at, patch.at + patch.size, target)
        at = patch.end if patch.size else _line_end(stream, patch)
    size = stream.seek(0, 2)
    _copy(stream, at, size, target)
    if target.tell():
        target.seek(-1, 1)
        if target.read(1) != b"\n":
            target.write(b"\n")  # else the host's next record would be glued to the last


def _line_end(stream: BinaryIO, patch: _Patch) -> int:
    """Where to go on behind something taken out: behind its line end too, if it was alone on its line."""
    if patch.start:
        stream.seek(patch.start - 1)
        if stream.read(1) != b"\n":
            return patch.end
    stream.seek(patch.end)
    after = stream.read(2)
    return patch.end + (1 if after.startswith(b"\n") else 2 if after == b"\r\n" else 0)


def _copy(stream: BinaryIO, start: int, end: int, target: BinaryIO) -> None:
    stream.seek(start)
    while start < end and (data := stream.read(min(_STEP, end - start))):
        target.write(data)
        start += len(data)


def _spool() -> BinaryIO:
    return cast("BinaryIO", SpooledTemporaryFile(max_size=_SPOOL))

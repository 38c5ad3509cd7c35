"""The one table of readers: find out a file's format by its content, read it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Final

from contextrail.core.errors import AccessDenied, InvalidRequest, NotFound, RailError
from contextrail.core.json_text import parse_object
from contextrail.transcripts import (
    body_file,
    claude_code,
    codex,
    gemini_cli,
    mini_swe_agent,
    neutral_file,
    opencode,
    pi,
    swe_agent,
)
from contextrail.transcripts.assemble import assemble
from contextrail.transcripts.session import Event, Issue, Reader, Session
from contextrail.transcripts.source import Source, opened, unreadable
from contextrail.wire import neutral
from contextrail.wire.codec import detect_provider
from contextrail.wire.target import PROVIDERS

READERS: Final[dict[str, Reader]] = {
    reader.FORMAT: reader
    for reader in (
        claude_code,
        codex,
        opencode,
        gemini_cli,
        pi,
        swe_agent,
        mini_swe_agent,
        neutral_file,
        body_file,
    )
}
FORMATS: Final[tuple[str, ...]] = (*(name for name in READERS if name != body_file.FORMAT), *PROVIDERS)
"""Every name that `detect` may give and `read_session` takes."""

ENDINGS: Final = frozenset({".json", ".jsonl", ".ndjson", ".traj"})
"""Of files that are looked into when a folder is searched."""
_NEUTRAL: Final = 0.5
_SKIPPED: Final = frozenset({".git", "node_modules", ".venv"})
_SURE: Final = 0.25
"""Below this, a file in a folder is not taken for a session."""


def detect(path: Path | Source) -> str:
    """The format of a file, by its content: a name of `FORMATS`.

    Raises:
        NotFound, AccessDenied: No such file, or it may not be read.
        InvalidRequest: It is a directory, is empty, is no text, or is in no known format.
    """
    if isinstance(path, Path):
        with opened(path) as source:
            return detect(source)
    name, sure = _best(path)
    if sure <= 0:
        raise InvalidRequest(
            f"{path.name} is in none of the known formats",
            place=path.name,
            cure=f"name its format, one of: {', '.join(FORMATS)}",
        )
    if name != body_file.FORMAT:
        return name
    body = parse_object(path.stream.read(), place=path.name)
    path.stream.seek(0)
    if neutral.recognizes(body) > _NEUTRAL:  # what tells it may stand behind what a look at the head shows
        return neutral_file.FORMAT
    return detect_provider(body_file.request_in(body))


def detect_damaged(source: Source) -> str:
    """As `detect`, but a body that is no whole JSON document is told by its reader's name, "body"."""
    try:
        return detect(source)
    except InvalidRequest:
        source.stream.seek(0)
        name, sure = _best(source)
        if name == body_file.FORMAT and sure > 0:
            return name
        raise


def read_session(path: Path | Source, format: str | None = None) -> Session:  # noqa: A002 - the word of the command line
    """Read a session. A folder is read if it holds one session.

    Sub-agents that wrote to files of their own beside the session are read with it, as sidechains.

    Args:
        path: A file, a folder, or "-" for standard input.
        format: A name of `FORMATS`; None finds it out.

    Raises:
        NotFound: No such file, or no session in the folder.
        AccessDenied: It may not be read.
        InvalidRequest: Empty, in no known format, an unknown format, or a folder with several sessions.
    """
    if isinstance(path, Path):
        if path.is_dir():
            return read_session(_only_session(path), format)
        with opened(path) as source:
            return read_session(source, format)
    name = format or detect(path)
    reader = reader_of(name)
    events = reader.read(path.stream, path.name)
    if name == claude_code.FORMAT:
        events = chain(events, _sidechains(path.path))
    return assemble(events, format=name, file=path.name, head=reader.head)


def _sidechains(path: Path) -> Iterator[Event]:
    """What a session's sub-agents wrote to files of their own."""
    for each in claude_code.attached_files(path):
        try:
            with opened(each) as source:
                yield from claude_code.read(source.stream, source.name)
        except RailError as error:
            yield Issue(kind="unreadable-sidechain", severity="warning", file=str(each), detail=str(error))


def reader_of(name: str) -> Reader:
    """The reader of a format.

    Raises:
        InvalidRequest: There is no such format.
    """
    if name in PROVIDERS:
        return READERS[body_file.FORMAT]
    if name not in READERS:
        raise InvalidRequest(
            f"{name!r} is not a format; there are: {', '.join(FORMATS)}",
            format=name,
            cure=f"use one of: {', '.join(FORMATS)}",
        )
    return READERS[name]


def find_sessions(folder: Path) -> Iterator[tuple[Path, bool]]:
    """Files below a folder that may be sessions, sorted by folder and name, links not followed.

    Yields:
        Path, and whether its content is in a known format.

    Raises:
        AccessDenied, NotFound, InvalidRequest: A folder cannot be read.
    """

    def fail(error: OSError) -> None:
        raise unreadable(Path(error.filename or folder), error)

    for here, folders, names in os.walk(folder, onerror=fail):
        folders[:] = sorted(set(folders) - _SKIPPED)
        for name in sorted(names):
            path = Path(here, name)
            if path.suffix.lower() in ENDINGS and path.is_file():
                yield path, _known(path)


def _known(path: Path) -> bool:
    try:
        with opened(path) as source:
            return _best(source)[1] >= _SURE
    except InvalidRequest:  # empty, or no text
        return False
    except (AccessDenied, NotFound):  # to be reported by whoever opens it
        return True


def _best(source: Source) -> tuple[str, float]:
    head = source.head()
    sure, name = max(
        ((reader.sniff(head, source.path), name) for name, reader in READERS.items()),
        key=lambda each: each[0],
    )
    return name, sure


def _only_session(folder: Path) -> Path:
    found = [path for path, known in find_sessions(folder) if known]
    main = [path for path in found if path.parent.name != "subagents" and not path.name.startswith("agent-")]
    match main or found:
        case [one]:
            return one
        case []:
            raise NotFound(f"{folder} holds no session", place=str(folder), cure="name a session file")
        case several:
            names = ", ".join(str(path.relative_to(folder)) for path in several[:5])
            more = f" and {len(several) - 5} more" if len(several) > 5 else ""
            raise InvalidRequest(
                f"{folder} holds {len(several)} sessions: {names}{more}",
                place=str(folder),
                cure="name one of them",
            )

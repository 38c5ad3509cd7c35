"""Placeholder."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from contextrail.transcripts.session import Entry, Event, Head

FORMAT = "opencode"


def sniff(head: bytes, path: Path) -> float:
    return 0.0


def read(stream: BinaryIO, file: str) -> Iterator[Event]:
    raise NotImplementedError


def head(entries: tuple[Entry, ...]) -> Head:
    return Head()

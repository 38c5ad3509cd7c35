"""Files that appear whole or not at all, and stay: written under a temporary name, synced, renamed, folder synced."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable
from pathlib import Path


def write_whole(place: Path, pieces: Iterable[bytes]) -> None:
    """Write a file for its owner alone; one that is there is replaced. Two syncs, whatever its size.

    Raises:
        OSError: It could not be written; what was there before is as it was.
    """
    part = _part(place, pieces)
    try:
        part.replace(place)
        sync_folder(place.parent)
    finally:
        part.unlink(missing_ok=True)


def create_whole(place: Path, pieces: Iterable[bytes]) -> bool:
    """Write a file unless there is one: of two writers at once, one wins. Whether it was us.

    Raises:
        OSError: It could not be written.
    """
    part = _part(place, pieces)
    try:
        _claim(part, place)
        sync_folder(place.parent)
    except FileExistsError:
        return False
    else:
        return True
    finally:
        part.unlink(missing_ok=True)


def make_folder(folder: Path) -> None:
    """A folder for its owner alone, in a folder that is there. Raises OSError."""
    if not folder.exists():
        folder.mkdir(mode=0o700, exist_ok=True)
        sync_folder(folder.parent)


def sync_folder(folder: Path) -> None:
    """Make a new name in a folder survive a crash. Raises OSError."""
    if os.name == "nt":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _part(place: Path, pieces: Iterable[bytes]) -> Path:
    """The synced file under a temporary name that no reader looks at."""
    handle, name = tempfile.mkstemp(dir=place.parent, prefix=".", suffix=".part")
    try:
        with os.fdopen(handle, "wb") as file:
            file.writelines(pieces)
            file.flush()
            os.fsync(file.fileno())
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
    return Path(name)


def _claim(part: Path, place: Path) -> None:
    """Give the file its name, unless that is taken. Some file systems have no second names."""
    try:
        os.link(part, place)
    except FileExistsError:
        raise
    except OSError:
        if place.exists():
            raise FileExistsError(place) from None
        part.replace(place)

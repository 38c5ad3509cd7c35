"""Blobs: bytes under their SHA-256, written once, never changed, checked whenever they are read."""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Protocol

from contextrail.core.digest import sha256
from contextrail.core.errors import IntegrityError, InvalidRequest, NotFound, Unavailable
from contextrail.core.ids import Sha256

STORE = Path(".contextrail")
"""Where blobs are kept if nobody says otherwise: beside the work."""


class BlobStore(Protocol):
    """Keeps bytes by digest. Two writers of the same bytes are one."""

    def put(self, data: bytes) -> Sha256:
        """Keep these bytes, durably, unless they are there already; when it returns they can be read.

        Raises:
            Unavailable: They could not be written.
        """
        ...

    def get(self, digest: Sha256) -> bytes:
        """The bytes of that digest.

        Raises:
            NotFound: Nothing has that digest.
            IntegrityError: What is there is not what was written.
            InvalidRequest: It is no digest.
        """
        ...

    def has(self, digest: Sha256) -> bool:
        """Whether something is kept under that digest. Raises InvalidRequest if it is no digest."""
        ...

    def find(self, digits: str) -> Sha256:
        """The one digest that begins with these digits, at least sixteen.

        Raises:
            NotFound: None does.
            InvalidRequest: Several do, or these are no digits of a digest.
        """
        ...


class DirectoryBlobs:
    """A store in a directory: `blobs/ab/cdef...`, one file for each blob.

    A file appears whole or not at all (written under a temporary name, synced, then renamed), so a
    reader never sees half of one and a crash leaves at most a file that nobody reads. Directories are
    for their owner alone, and a `.gitignore` keeps them out of a repository: what is kept may be secret.
    """

    def __init__(self, root: Path) -> None:
        self._root = root
        self._blobs = root / "blobs"

    def put(self, data: bytes) -> Sha256:
        digest = sha256(data)
        place = self._place(digest)
        try:
            if not _holds(place, digest):
                self._prepare(place.parent)
                _write(place, data)
        except OSError as error:
            raise Unavailable(
                f"{self._root} cannot be written: {_reason(error)}",
                place=str(self._root),
                cure="name another store, or none",
            ) from None
        return digest

    def get(self, digest: Sha256) -> bytes:
        place = self._place(digest)
        try:
            data = place.read_bytes()
        except FileNotFoundError:
            raise NotFound(f"nothing is kept under {digest}", digest=digest, place=str(self._root)) from None
        except OSError as error:
            raise Unavailable(f"{place} cannot be read: {_reason(error)}", place=str(place)) from None
        if sha256(data) != digest:
            raise IntegrityError(f"what is kept under {digest} was altered", digest=digest, place=str(place))
        return data

    def has(self, digest: Sha256) -> bool:
        return self._place(digest).is_file()

    def find(self, digits: str) -> Sha256:
        _check_digits(digits)
        folder = self._blobs / digits[:2]
        names = [each.name for each in folder.iterdir()] if folder.is_dir() else []
        return _only([Sha256(digits[:2] + name) for name in names if len(name) == 62], digits)

    def _place(self, digest: Sha256) -> Path:
        _check_digest(digest)
        return self._blobs / digest[:2] / digest[2:]

    def _prepare(self, folder: Path) -> None:
        if not self._root.exists():
            self._root.mkdir(mode=0o700, parents=True, exist_ok=True)
            (self._root / ".gitignore").write_text("*\n", encoding="utf-8")
        self._blobs.mkdir(mode=0o700, exist_ok=True)
        if not folder.exists():
            folder.mkdir(mode=0o700, exist_ok=True)
            _sync_folder(self._blobs)


class MemoryBlobs:
    """A store that lives as long as the process: for tests, and for hosts that keep nothing."""

    def __init__(self) -> None:
        self._kept: dict[Sha256, bytes] = {}

    def put(self, data: bytes) -> Sha256:
        digest = sha256(data)
        self._kept.setdefault(digest, bytes(data))
        return digest

    def get(self, digest: Sha256) -> bytes:
        _check_digest(digest)
        if digest not in self._kept:
            raise NotFound(f"nothing is kept under {digest}", digest=digest)
        return self._kept[digest]

    def has(self, digest: Sha256) -> bool:
        _check_digest(digest)
        return digest in self._kept

    def find(self, digits: str) -> Sha256:
        _check_digits(digits)
        return _only(self._kept, digits)


def _check_digest(digest: str) -> None:
    if not re.fullmatch(r"[0-9a-f]{64}", digest):
        raise InvalidRequest(f"{digest!r} is not a digest", digest=digest)


def _check_digits(digits: str) -> None:
    if not re.fullmatch(r"[0-9a-f]{16,64}", digits):
        raise InvalidRequest(f"{digits!r} are not the first digits of a digest", digits=digits)


def _only(kept: Iterable[Sha256], digits: str) -> Sha256:
    found = sorted(digest for digest in kept if digest.startswith(digits))
    if not found:
        raise NotFound(f"nothing is kept under {digits}", digits=digits)
    if len(found) > 1:
        raise InvalidRequest(
            f"{len(found)} blobs begin with {digits}", digits=digits, cure="give more digits"
        )
    return found[0]


def _holds(place: Path, digest: Sha256) -> bool:
    """Whether the file is there and undamaged; a damaged one is written anew."""
    try:
        return sha256(place.read_bytes()) == digest
    except FileNotFoundError:
        return False


def _write(place: Path, data: bytes) -> None:
    handle, name = tempfile.mkstemp(dir=place.parent, prefix=".", suffix=".part")
    part = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        part.replace(place)
        _sync_folder(place.parent)
    finally:
        part.unlink(missing_ok=True)


def _sync_folder(folder: Path) -> None:
    """Make a new name in a folder survive a crash."""
    if os.name == "nt":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _reason(error: OSError) -> str:
    return (error.strerror or str(error)).lower()

"""Blobs: bytes under their SHA-256, written once, never changed, checked whenever they are read."""

from __future__ import annotations

import re
import secrets
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final, Protocol

from contextrail.core.digest import sha256
from contextrail.core.errors import IntegrityError, InvalidRequest, NotFound, Unavailable
from contextrail.core.ids import Sha256
from contextrail.storage.durable import create_whole, make_folder, sync_folder, write_whole
from contextrail.storage.packs import Packs

STORE = Path(".contextrail")
"""Where blobs are kept if nobody says otherwise: beside the work."""
SALT_BYTES: Final = 32


class BlobStore(Protocol):
    """Keeps bytes by digest. Two writers of the same bytes are one."""

    def put(self, data: bytes) -> Sha256:
        """Keep these bytes, durably, unless they are there already; when it returns they can be read.

        Raises:
            Unavailable: They could not be written.
        """
        ...

    def put_many(
        self, blobs: Sequence[bytes], *, originals: Mapping[Sha256, Sha256] | None = None
    ) -> tuple[Sha256, ...]:
        """Keep many at once; all of them are there when it returns, and each is whole or not there if it fails.

        Args:
            blobs: The bytes of each.
            originals: Of blobs that are shown in place of others, such as texts without their secrets: which blob
                is the original of which. What was said first stays.

        Raises:
            Unavailable: They could not be written.
        """
        ...

    def original(self, digest: Sha256) -> Sha256:
        """The blob that this one is shown in place of; itself, if of none. Raises InvalidRequest: no digest."""
        ...

    def salt(self) -> bytes:
        """At least 16 random bytes that are the same for the life of the store, and no other's.

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
    """A store in a directory: `blobs/ab/cdef...`, a file for each blob; `packs/`, many in a file; `salt`.

    A file appears whole or not at all (written under a temporary name, synced, then renamed), so a
    reader never sees half of one and a crash leaves at most a file that nobody reads. Directories are
    for their owner alone, and a `.gitignore` keeps them out of a repository: what is kept may be secret.
    """

    def __init__(self, root: Path) -> None:
        self._root = root
        self._blobs = root / "blobs"
        self._packs = Packs(root / "packs")
        self._salt: bytes | None = None

    def put(self, data: bytes) -> Sha256:
        return self.put_many([data])[0]

    def put_many(
        self, blobs: Sequence[bytes], *, originals: Mapping[Sha256, Sha256] | None = None
    ) -> tuple[Sha256, ...]:
        digests = tuple(map(sha256, blobs))
        try:
            self._packs.refresh()
            new = {
                digest: data
                for digest, data in zip(digests, blobs, strict=True)
                if not _holds(self._place(digest), digest) and not self._packs.holds(digest)
            }
            links = {
                shown: original
                for shown, original in (originals or {}).items()
                if self._packs.original(shown) is None
            }
            self._write(new, links)
        except OSError as error:
            raise self._unwritable(error) from None
        return digests

    def original(self, digest: Sha256) -> Sha256:
        _check_digest(digest)
        try:
            return self._packs.original(digest) or digest
        except OSError as error:
            raise _unreadable(self._root, error) from None

    def salt(self) -> bytes:
        if self._salt is None:
            place = self._root / "salt"
            try:
                if not place.exists():
                    self._prepare()
                    create_whole(place, [secrets.token_bytes(SALT_BYTES)])
                self._salt = place.read_bytes()
            except OSError as error:
                raise self._unwritable(error) from None
            if len(self._salt) != SALT_BYTES:
                self._salt = None
                raise IntegrityError(f"{place} was altered", place=str(place), cure="remove it")
        return self._salt

    def get(self, digest: Sha256) -> bytes:
        place = self._place(digest)
        try:
            data = place.read_bytes() if place.exists() else self._packs.get(digest)
        except OSError as error:
            raise _unreadable(place, error) from None
        if data is None and self._packs.damaged:
            raise IntegrityError(
                f"{digest} is not found, and packs were altered: {', '.join(self._packs.damaged)}",
                digest=digest,
                place=str(self._root),
            )
        if data is None:
            raise NotFound(f"nothing is kept under {digest}", digest=digest, place=str(self._root))
        if sha256(data) != digest:
            raise IntegrityError(f"what is kept under {digest} was altered", digest=digest, place=str(place))
        return data

    def has(self, digest: Sha256) -> bool:
        return self._place(digest).is_file() or self._packs.has(digest)

    def find(self, digits: str) -> Sha256:
        _check_digits(digits)
        folder = self._blobs / digits[:2]
        names = [each.name for each in folder.iterdir()] if folder.is_dir() else []
        single = (Sha256(digits[:2] + name) for name in names if len(name) == 62)
        return _only({*single, *self._packs.starting(digits)}, digits)

    def _place(self, digest: Sha256) -> Path:
        _check_digest(digest)
        return self._blobs / digest[:2] / digest[2:]

    def _write(self, blobs: Mapping[Sha256, bytes], originals: Mapping[Sha256, Sha256]) -> None:
        """One blob in a file of its own, several in a pack."""
        if not blobs and not originals:
            return
        self._prepare()
        if len(blobs) > 1 or originals:
            self._packs.add(blobs, originals)
            return
        for digest, data in blobs.items():
            place = self._place(digest)
            make_folder(self._blobs)
            make_folder(place.parent)
            write_whole(place, [data])

    def _prepare(self) -> None:
        if not self._root.exists():
            self._root.mkdir(mode=0o700, parents=True, exist_ok=True)
            (self._root / ".gitignore").write_text("*\n", encoding="utf-8")
            sync_folder(self._root.parent)

    def _unwritable(self, error: OSError) -> Unavailable:
        return Unavailable(
            f"{self._root} cannot be written: {_reason(error)}",
            place=str(self._root),
            cure="name another store, or none",
        )


class MemoryBlobs:
    """A store that lives as long as the process: for tests, and for hosts that keep nothing."""

    def __init__(self) -> None:
        self._kept: dict[Sha256, bytes] = {}
        self._originals: dict[Sha256, Sha256] = {}
        self._salt = secrets.token_bytes(SALT_BYTES)

    def put(self, data: bytes) -> Sha256:
        digest = sha256(data)
        self._kept.setdefault(digest, bytes(data))
        return digest

    def put_many(
        self, blobs: Sequence[bytes], *, originals: Mapping[Sha256, Sha256] | None = None
    ) -> tuple[Sha256, ...]:
        self._originals = {**(originals or {}), **self._originals}
        return tuple(map(self.put, blobs))

    def original(self, digest: Sha256) -> Sha256:
        _check_digest(digest)
        return self._originals.get(digest, digest)

    def salt(self) -> bytes:
        return self._salt

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


def _unreadable(place: Path, error: OSError) -> Unavailable:
    return Unavailable(f"{place} cannot be read: {_reason(error)}", place=str(place))


def _reason(error: OSError) -> str:
    return (error.strerror or str(error)).lower()

"""Packs: many blobs in one file, so that a batch of a thousand costs two syncs and not two thousand.

`packs/NAME.pack` is a line of JSON, then the blobs one after another. The line lists digest and length of each blob,
and which blob is the original of which. A pack is named after its bytes, appears whole, and is never changed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import msgspec

from contextrail.core.digest import sha256
from contextrail.core.ids import Sha256
from contextrail.storage.durable import make_folder, write_whole

_LONGEST_LINE: Final = 64 * 1024 * 1024
"""Bytes: half a million blobs."""


class _Line(msgspec.Struct, forbid_unknown_fields=True):
    pack: int
    blobs: list[tuple[str, int]]
    originals: dict[str, str] = {}


@dataclass(frozen=True, slots=True)
class _Place:
    """Bytes `[start, start + length)` of a file."""

    file: Path
    start: int
    length: int


class Packs:
    """The packs of one folder. Others may add packs at any time; none is ever taken away."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._read: set[str] = set()
        self._places: dict[Sha256, tuple[_Place, ...]] = {}
        self._originals: dict[Sha256, Sha256] = {}
        self.damaged: tuple[str, ...] = ()
        """Names of packs whose first line cannot be read."""

    def refresh(self) -> None:
        """Read the first lines of packs that are new. Raises OSError."""
        if not self._folder.is_dir():
            return
        names = sorted(each.name for each in self._folder.iterdir() if each.name.endswith(".pack"))
        for name in names:
            if name not in self._read and not name.startswith("."):
                self._read.add(name)
                self._open(self._folder / name)

    def get(self, digest: Sha256) -> bytes | None:
        """The bytes kept under a digest, whole if any pack has them whole; None if none has it. Raises OSError."""
        if digest not in self._places:
            self.refresh()
        data = None
        for place in self._places.get(digest, ()):
            with place.file.open("rb") as file:
                file.seek(place.start)
                data = file.read(place.length)
            if sha256(data) == digest:
                break
        return data

    def holds(self, digest: Sha256) -> bool:
        """Whether a pack that was read has it undamaged. Raises OSError."""
        if digest not in self._places:
            return False
        data = self.get(digest)
        return data is not None and sha256(data) == digest

    def has(self, digest: Sha256) -> bool:
        """Whether a pack lists it. Raises OSError."""
        if digest not in self._places:
            self.refresh()
        return digest in self._places

    def original(self, digest: Sha256) -> Sha256 | None:
        """The original that a pack names for a digest. Raises OSError."""
        if digest not in self._originals:
            self.refresh()
        return self._originals.get(digest)

    def starting(self, digits: str) -> Iterator[Sha256]:
        """Digests that begin with these digits. Raises OSError."""
        self.refresh()
        return (digest for digest in self._places if digest.startswith(digits))

    def add(self, blobs: Mapping[Sha256, bytes], originals: Mapping[Sha256, Sha256]) -> None:
        """Write one pack, durably. Raises OSError: nothing of it is there."""
        line = msgspec.json.encode(
            _Line(
                pack=1,
                blobs=[(digest, len(data)) for digest, data in blobs.items()],
                originals=dict(sorted(originals.items())),
            )
        )
        make_folder(self._folder)
        name = f"{sha256(line)}.pack"
        write_whole(self._folder / name, [line, b"\n", *blobs.values()])
        self._read.add(name)
        self._open(self._folder / name)

    def _open(self, file: Path) -> None:
        with file.open("rb") as opened:
            first = opened.readline(_LONGEST_LINE)
        try:
            line = msgspec.json.decode(first, type=_Line)
        except (msgspec.DecodeError, UnicodeDecodeError):
            self.damaged = (*self.damaged, file.name)
            return
        start = len(first)
        for digest, length in line.blobs:
            known = self._places.get(Sha256(digest), ())
            self._places[Sha256(digest)] = (*known, _Place(file, start, length))
            start += length
        for shown, original in line.originals.items():
            self._originals.setdefault(Sha256(shown), Sha256(original))

"""What commands share: consoles, files that appear whole or not at all, numbers for people."""

from __future__ import annotations

import os
import stat
import sys
import traceback
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from io import BufferedWriter, RawIOBase, TextIOWrapper
from pathlib import Path
from typing import Any, BinaryIO, Final, cast

from rich.console import Console
from rich.text import Text

from contextrail.core.errors import InvalidRequest, Unavailable
from contextrail.core.json_text import Json, JsonObject, dump
from contextrail.transcripts.files import keep_apart, whole_file

KEPT: Final = ("blobs", "packs", "salt", ".gitignore")
"""What is in a store."""


def out() -> Console:
    """Where results go. Width and color follow the terminal; a pipe gets plain lines of 100 columns."""
    return Console(file=sys.stdout, width=None if sys.stdout.isatty() else 100, highlight=False)


def say(text: str, style: str = "") -> None:
    """Print a line as it is: brackets in it are no markup, and a name in it is never broken in two."""
    out().print(Text(text, style), soft_wrap=True)


def err() -> Console:
    """Where progress and remarks go."""
    return Console(file=sys.stderr, highlight=False)


def print_json(value: Json) -> None:
    """One JSON value and a line end on standard output."""
    write_out(dump(value, indent=2) + b"\n")


def check_places(outputs: Mapping[str, Path | None], inputs: Iterable[tuple[str, Path | None]]) -> None:
    """Refuse, before anything is done, places that cannot be written to or that are something else already.

    Args:
        outputs: Where is to be written, by the option that says so; None: nothing is.
        inputs: What is read, each with its option or argument; None: nothing is.

    Raises:
        InvalidRequest: A place is a directory or in none, is what was read, or is named twice.
    """
    places = {name: path for name, path in outputs.items() if path is not None}
    for path in places.values():
        if path.is_dir():
            raise InvalidRequest(f"{path} is a directory", place=str(path), cure="name a file")
        if not Path(os.path.realpath(path)).parent.is_dir():
            folder = path.parent if not path.is_symlink() else Path(os.path.realpath(path)).parent
            raise InvalidRequest(f"{folder} is not a directory", place=str(path), cure="make it first")
    read = [(name, path) for name, path in (*inputs, *_redirected()) if path is not None]
    keep_apart(places, read)


def check_store(store: Path, outputs: Mapping[str, Path | None]) -> None:
    """Refuse a store that is no folder, and outputs that would be written over what a store keeps.

    Raises:
        InvalidRequest: Naming both.
    """
    if store.exists() and not store.is_dir():
        raise InvalidRequest(
            f"the store {store} is not a directory", place=str(store), option="--store", cure="name a folder"
        )
    root = Path(os.path.realpath(store))
    kept = (root, *(root / name for name in KEPT))
    for name, path in outputs.items():
        if path is None:
            continue
        place = Path(os.path.realpath(path))
        if place in kept or any(each in place.parents for each in kept[1:]):
            raise InvalidRequest(
                f"{name} {path} is what the store {store} keeps",
                place=str(path),
                option=name,
                cure="name a file outside of the store",
            )


def write_all(files: Mapping[Path, bytes]) -> None:
    """Write several files, each whole or not at all; `check_places` comes before.

    Raises:
        InvalidRequest: A place cannot be written to.
    """
    with ExitStack() as stack:
        for path, data in files.items():
            stack.enter_context(whole_file(path)).write(data)


def write_out(data: bytes) -> None:
    """Bytes as they are on standard output."""
    sys.stdout.flush()
    sys.stdout.buffer.write(data)
    sys.stdout.flush()


@contextmanager
def standard_output() -> Iterator[None]:
    """For the time of one command: standard output shows any character, and says what hinders it.

    Within, a reader that went away (`| head`) ends the command by 0, and any other failure to write is
    `Unavailable`. Characters that the encoding lacks are shown as escapes.
    """
    before = sys.stdout
    inner = open(os.devnull, "wb") if before is None else before.buffer  # noqa: PTH123, SIM115 - closed by the caller
    sys.stdout = TextIOWrapper(
        BufferedWriter(_Guarded(inner)),
        encoding=getattr(before, "encoding", "utf-8"),
        errors="backslashreplace",
        line_buffering=inner.isatty(),
    )
    try:
        yield
    finally:
        with suppress(Unavailable):  # said already, or there is an error to say that came first
            sys.stdout.flush()
        sys.stdout = before


class _Guarded(RawIOBase):
    """Bytes to a stream; after its first failure no more are written."""

    def __init__(self, inner: BinaryIO) -> None:
        self._inner: Any = getattr(inner, "raw", inner)
        self._failed = False

    def writable(self) -> bool:
        return True

    def isatty(self) -> bool:
        return bool(self._inner.isatty())

    def fileno(self) -> int:
        return int(self._inner.fileno())

    def write(self, data: object) -> int | None:
        if self._failed:
            return len(cast("memoryview", data))
        try:
            written: int | None = self._inner.write(data)
        except BrokenPipeError:
            self._failed = True
            raise SystemExit(0) from None
        except OSError as error:
            self._failed = True
            reason = (error.strerror or str(error)).lower()
            raise Unavailable(
                f"standard output cannot be written: {reason}", place="standard output"
            ) from None
        return written


def _redirected() -> Iterator[tuple[str, Path]]:
    """Standard output, if it goes to a file, which a result may not replace."""
    with suppress(OSError):
        if stat.S_ISREG(os.fstat(1).st_mode):
            yield "standard output", Path("/dev/stdout")


def fault_record(fault: BaseException) -> JsonObject:
    """A fault of ours as the JSON of an error: its type and place, and no text of the input."""
    frames = traceback.extract_tb(fault.__traceback__)
    place = f"{Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else "an unknown place"
    return {
        "code": "internal_fault",
        "message": f"{type(fault).__name__} at {place}",
        "facts": {"cure": "please report it"},
    }


def number(value: int | None) -> str:
    """A count with thin groups, or "?" where it is unknown."""
    return "?" if value is None else f"{value:,}"

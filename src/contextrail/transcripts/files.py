"""Files that appear whole or not at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from contextrail.core.errors import InvalidRequest


@contextmanager
def whole_file(path: Path) -> Iterator[BinaryIO]:
    """Write to a temporary name beside a file; renamed to it at the end, removed on any error.

    Raises:
        InvalidRequest: The place cannot be written to.
    """
    if path.is_dir():
        raise InvalidRequest(f"{path} is a directory", place=str(path), cure="name a file")
    try:
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".part")
    except OSError as error:
        raise _unwritable(path, error) from None
    part = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        mask = os.umask(0)
        os.umask(mask)
        part.chmod(0o666 & ~mask)
        part.replace(path)
    except OSError as error:
        raise _unwritable(path, error) from None
    finally:
        part.unlink(missing_ok=True)


def _unwritable(path: Path, error: OSError) -> InvalidRequest:
    reason = (error.strerror or str(error)).lower()
    return InvalidRequest(f"{path} cannot be written: {reason}", place=str(path), cure="name another place")

"""Package data: the one place that reads the files shipped in `contextrail/data`. Does I/O."""

from __future__ import annotations

from importlib import resources


def shipped(name: str) -> bytes:
    """The bytes of a shipped file."""
    return resources.files("contextrail").joinpath("data", name).read_bytes()

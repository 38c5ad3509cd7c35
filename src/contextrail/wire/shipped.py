"""Package data: the one place that reads the files shipped in `contextrail/data`. Does I/O."""

from __future__ import annotations

from functools import cache
from importlib import resources

from contextrail.wire.models import ModelTable, read_models


def shipped(name: str) -> bytes:
    """The bytes of a shipped file."""
    return resources.files("contextrail").joinpath("data", name).read_bytes()


@cache
def shipped_models() -> ModelTable:
    """The model table that the package ships."""
    return read_models(shipped("models.json"), place="models.json")

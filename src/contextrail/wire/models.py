"""The model table that the package ships. Reads package data, once."""

from __future__ import annotations

from functools import cache

from contextrail.wire.model_table import ModelFacts, ModelTable, read_models
from contextrail.wire.shipped import shipped


@cache
def shipped_models() -> ModelTable:
    """The shipped rows."""
    return read_models(shipped("models.json"), place="models.json")


def lookup(model: str | None) -> ModelFacts:
    """What the shipped table knows of a model id; a row of unknowns for None or an unknown one."""
    return shipped_models().lookup(model)

"""The version: the build reads it here, and so does everyone else."""

from __future__ import annotations

from typing import Final

VERSION: Final = "0.1.0"

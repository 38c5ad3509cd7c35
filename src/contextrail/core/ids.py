"""Distinct types for ids that are all strings at run time."""

from __future__ import annotations

from typing import NewType

CallId = NewType("CallId", str)
MessageId = NewType("MessageId", str)
Sha256 = NewType("Sha256", str)

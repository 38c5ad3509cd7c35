"""One rule of the linter shown on two bodies: one that breaks it, and a neighbor that does not."""

from __future__ import annotations

import base64
from dataclasses import dataclass
from typing import Any, Final

from contextrail.core.json_text import JsonObject

Body = dict[str, Any]

PNG: Final = base64.b64encode(b"\x89PNG\r\n\x1a\n" + bytes(24)).decode()
JPEG: Final = base64.b64encode(b"\xff\xd8\xff\xe0" + bytes(24)).decode()
PDF: Final = base64.b64encode(b"%PDF-1.4\n" + bytes(24)).decode()
LONG_SCHEMA: Final = {"type": "object", "properties": {"a": {"type": "string", "description": "x" * 9000}}}
SCHEMA: Final = {"type": "object", "properties": {"path": {"type": "string"}}}
MIB: Final = 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """Bodies for one rule."""

    breaks: object
    passes: object
    also: frozenset[str] = frozenset()
    """Other rules that the first body cannot but break; the second one breaks none at all."""
    before: JsonObject | None = None
    """What both are compared with."""
    model: str | None = None
    """Whom both are for, said beside them."""
    profile: str = ""


def case(breaks: object, passes: object, *also: str, **given: Any) -> Case:
    """A case in one line."""
    return Case(breaks=breaks, passes=passes, also=frozenset(also), **given)

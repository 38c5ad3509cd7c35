"""Calls that were recorded without an id, and the results that answer them."""

from __future__ import annotations

from dataclasses import dataclass, field

from contextrail.core.ids import CallId


@dataclass(slots=True)
class Calls:
    """Calls without an id that wait for their result: name, and the id we gave them."""

    open: list[tuple[str, CallId]] = field(default_factory=list)

    def take(self, name: str | None) -> CallId | None:
        """The oldest open call of a name, or of any name if none is said."""
        for at, (called, call_id) in enumerate(self.open):
            if name is None or called == name:
                del self.open[at]
                return call_id
        return None

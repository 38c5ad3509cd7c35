"""Times as text: ISO 8601 in, the shortest UTC form out."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECONDS_FROM = 100_000_000_000
"""A number this large counts milliseconds (from the year 1973 on), a smaller one seconds (to the year 5138)."""


def read_timestamp(value: object) -> datetime | None:
    """An aware UTC time from ISO 8601 text, or from seconds or milliseconds since 1970; None if it is neither.

    Text without an offset is taken as UTC.
    """
    if isinstance(value, str):
        return _from_text(value)
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        try:
            seconds = value / 1000 if abs(value) >= _MILLISECONDS_FROM else value
            return EPOCH + timedelta(seconds=seconds)
        except (OverflowError, ValueError):
            return None
    return None


def write_timestamp(when: datetime) -> str:
    """ISO 8601 in UTC with `Z`, and with as many digits of a second (none, three or six) as there are."""
    there = when.astimezone(UTC).replace(tzinfo=None)
    if there.microsecond == 0:
        return f"{there.isoformat()}Z"
    return f"{there.isoformat(timespec='milliseconds' if there.microsecond % 1000 == 0 else 'microseconds')}Z"


def _from_text(text: str) -> datetime | None:
    try:
        when = datetime.fromisoformat(text)
        return when.replace(tzinfo=UTC) if when.tzinfo is None else when.astimezone(UTC)
    except (ValueError, OverflowError):
        return None

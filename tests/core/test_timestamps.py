"""Times as text, both ways."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contextrail.core.timestamps import read_timestamp, write_timestamp


@given(st.datetimes(min_value=datetime(1, 1, 2), max_value=datetime(9999, 12, 30), timezones=st.just(UTC)))  # noqa: DTZ001
def test_a_time_that_is_written_is_read_as_it_was(when: datetime) -> None:
    assert read_timestamp(write_timestamp(when)) == when


@given(st.floats() | st.integers() | st.text() | st.none() | st.booleans())
def test_anything_is_a_utc_time_or_none(value: object) -> None:
    when = read_timestamp(value)
    assert when is None or when.utcoffset() == timedelta(0)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("2026-05-01T09:00:00Z", "2026-05-01T09:00:00Z"),
        ("2026-05-01T17:00:00+08:00", "2026-05-01T09:00:00Z"),
        ("2025-11-26T01:15:10.431090", "2025-11-26T01:15:10.431090Z"),
        ("2025-11-20T23:33:50.805Z", "2025-11-20T23:33:50.805Z"),
        (1_763_681_581_544, "2025-11-20T23:33:01.544Z"),
        (1_775_794_569, "2026-04-10T04:16:09Z"),
    ],
)
def test_what_hosts_write_is_read(value: object, text: str) -> None:
    when = read_timestamp(value)
    assert when is not None
    assert write_timestamp(when) == text


@pytest.mark.parametrize("value", ["yesterday", "", "[trimmed for fixture]", True, [], 10**400])
def test_what_is_no_time_is_unknown(value: object) -> None:
    assert read_timestamp(value) is None


def test_a_time_of_another_zone_is_written_in_utc() -> None:
    when = datetime(2026, 5, 1, 17, tzinfo=timezone(timedelta(hours=8)))
    assert write_timestamp(when) == "2026-05-01T09:00:00Z"

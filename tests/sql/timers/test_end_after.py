"""A course of three: counted by what fired, over a gap, an overlap, and readings that meet in one instant."""

from typing import Any, Final

import psycopg
import pytest

from gnomon.testing import VirtualTime
from tests.sql.acts import found, ledger, utc
from tests.support.given import given_schedule

_DAILY: Final = {"recurrence": {"pattern": "daily", "end_after": 3}}


@pytest.mark.parametrize(
    ("begin", "request_words", "instants"),
    [
        pytest.param(
            *("2025-03-08T00:00", {"schedule_at": "02:30"} | _DAILY),
            ["2025-03-08T07:30", "2025-03-09T07:00", "2025-03-10T06:30"],
            id="a moved one counts",
        ),
        pytest.param(
            *("2025-03-08T00:00", {"schedule_at": "02:30", "on_gap": "skip"} | _DAILY),
            ["2025-03-08T07:30", "2025-03-10T06:30", "2025-03-11T06:30"],
            id="one left out does not",
        ),
        pytest.param(
            *("2025-11-01T00:00", {"schedule_at": "01:30"} | _DAILY),
            ["2025-11-01T05:30", "2025-11-02T05:30", "2025-11-03T06:30"],
            id="one of two passes counts once",
        ),
        pytest.param(
            *("2025-03-09T00:00", {"recurrence": {"pattern": "cron", "cron_expr": "*/15 2 * * *", "end_after": 3}}),
            ["2025-03-09T07:00", "2025-03-10T06:00", "2025-03-10T06:15"],
            id="four that meet are one",
        ),
        pytest.param(
            *("2025-11-02T05:00", {"recurrence": {"pattern": "cron", "cron_expr": "30 * * * *", "end_after": 3}}),
            ["2025-11-02T05:30", "2025-11-02T06:30", "2025-11-02T07:30"],
            id="both passes of every hour are two",
        ),
        pytest.param(
            *("2025-01-30T00:00", {"schedule_at": "23:58", "offset": "PT5M"}),
            ["2025-02-01T05:03", "2025-04-01T04:03", "2025-06-01T04:03"],
            id="a month without a 31st does not",
        ),
    ],
)
def test_ends_after_three(
    virtual_time: VirtualTime, connection: psycopg.Connection, begin: str, request_words: dict[str, Any], instants: list[str]
) -> None:
    monthly = {"pattern": "monthly", "days_of_month": [31], "on_missing_day": "skip", "end_after": 3}
    words = {"schedule_at": None, "timezone": "America/New_York", "recurrence": monthly} | request_words
    virtual_time.start(utc(begin))
    made = given_schedule(connection, words)

    sent = virtual_time.advance(utc("2025-12-31T00:00"))

    assert [f"{delivered.due_at:%Y-%m-%dT%H:%M}" for delivered in sent] == instants
    assert [delivered.occurrence for delivered in sent] == [1, 2, 3]
    assert found(connection, made.schedule_id).status == "completed"
    assert sorted(ledger(connection)) == ["completed", "fired", "fired", "fired"]

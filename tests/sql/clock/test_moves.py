"""Users who move under every pattern: the reading that was heard does not come again on the new wall."""

from datetime import datetime
from typing import Any, Final

import psycopg
import pytest
from psycopg.types.json import Jsonb

from tests.sql.acts import deliver_all, utc
from tests.support.clock import set_clock
from tests.support.given import given_schedule, given_user, one, rows

_EVE: Final = utc("2027-01-30T12:00:00")

# Each has 31 January 2027, and then the day beside it.
_RULES: Final[dict[str, tuple[dict[str, Any], str]]] = {
    "days": ({"pattern": "monthly", "days_of_month": [31]}, "2027-02-28"),
    "nth": ({"pattern": "monthly", "nth": {"weekday": "SUN", "n": -1}}, "2027-02-28"),
    "yearly": ({"pattern": "yearly", "start_date": "2027-01-31"}, "2028-01-31"),
    "rrule": ({"pattern": "rrule", "rrule": "FREQ=MONTHLY;BYMONTHDAY=-1"}, "2027-02-28"),
    "counted": ({"pattern": "rrule", "rrule": "FREQ=DAILY;INTERVAL=3;COUNT=3", "start_date": "2027-01-28"}, "2027-02-03"),
    "left out": ({"pattern": "daily", "exclude_dates": ["2027-02-01"]}, "2027-02-02"),
    "cron": ({"pattern": "cron", "cron_expr": "0 9 L * *"}, "2027-02-28"),
}


@pytest.mark.parametrize(("time_zone", "utc_time"), [("America/New_York", "14:00"), ("Asia/Tokyo", "00:00")])
def test_the_next_reading_comes_next(connection: psycopg.Connection, time_zone: str, utc_time: str) -> None:
    set_clock(connection, _EVE)
    connection.execute("select gnomon.make_periods()")
    given_user(connection)
    for name, (recurrence, _) in _RULES.items():
        at = None if name == "cron" else "09:00"
        given_schedule(connection, key=name, schedule_at=at, recurrence=recurrence)
    set_clock(connection, utc("2027-01-31T08:00:00"))
    assert {event["data"]["local_time"] for event in deliver_all(connection)} == {"2027-01-31T09:00"}

    # In New York it is three in the morning: nine o'clock of that day is still ahead there.
    connection.execute("select gnomon.move_user('u_abc123', %s)", [time_zone])

    pending = {row.key: row.fire_at_utc for row in rows(connection, "select key, fire_at_utc from gnomon.schedules")}
    assert pending == {name: datetime.fromisoformat(f"{day}T{utc_time}Z") for name, (_, day) in _RULES.items()}


def test_a_pending_reading_is_the_same_one_elsewhere(room: psycopg.Connection) -> None:
    query = "select due_at_utc, kind from gnomon_data.due_of_reading(%s, %s, %s::timestamp)"
    rule = Jsonb({"kind": "monthly", "time": "02:30:00", "month_days": [-1], "offset": 60})

    found = one(room, query, rule, "Europe/Berlin", "2027-03-28 02:30")
    assert (found.due_at_utc, found.kind) == (utc("2027-03-28 01:01"), "gap")
    found = one(room, query, rule, "America/New_York", "2027-03-28 02:30")
    assert (found.due_at_utc, found.kind) == (utc("2027-03-28 06:31"), "exact")


def test_elapsed_time_moves_with_nobody(connection: psycopg.Connection) -> None:
    given_user(connection)
    made = given_schedule(connection, schedule_at=None, recurrence={"pattern": "elapsed", "every": "PT1H"})
    assert made.time_zone is None

    assert one(connection, "select * from gnomon.move_user('u_abc123', 'Asia/Tokyo')") == (0, 0)

    assert one(connection, "select fire_at_utc from gnomon.schedules").fire_at_utc == made.fire_at_utc

"""What a rule says of itself in one sentence."""

from typing import Any

import psycopg
import pytest
from psycopg.types.json import Jsonb

from tests.support.given import given_schedule, value

_AFTER = "2027-01-29 12:00+00"


def _sentence(room: psycopg.Connection, rule: dict[str, Any]) -> str:
    said = value(room, "select gnomon.describe_rule(%s, 'Europe/Berlin', %s)", Jsonb(rule), _AFTER)
    assert isinstance(said, str)
    return said


@pytest.mark.parametrize(
    ("cron_expr", "says"),
    [
        ("0 9 * * 1-5", "every weekday at 09:00"),
        ("0 9 * * MON-FRI", "every weekday at 09:00"),
        ("@daily", "every day at 00:00"),
        ("0 9,17 * * 1", "every Monday at 09:00 and 17:00"),
        ("0 9 * * 1-4,7", "every Monday to Thursday and Sunday at 09:00"),
        ("0 9 * 1 1-5", "every weekday in January at 09:00"),
        ("* * * * *", "every minute"),
        ("*/15 * * * *", "every 15 minutes"),
        ("*/15 9-17 * * 1-5", "every weekday, every 15 minutes from 09:00 to 17:45"),
        ("* 1 * * *", "every minute from 01:00 to 01:59"),
        ("0 * * * *", "every hour, on the hour"),
        ("5 * * * *", "every hour, at 5 minutes past"),
        ("0 9-17 * * *", "every hour from 09:00 to 17:00"),
        ("30 */2 * * *", "every 2 hours from 00:30"),
        ("0 1,3,7,9,11 * * *", "every day at 01:00, 03:00, 07:00, 09:00 and 11:00"),
        ("5,35 8,20,23 * * *", "every day at 5 and 35 minutes past the hours 8, 20 and 23"),
        ("*/7 * * * *", "every hour, every 7 minutes from 0 to 56 past"),
        ("0 0 1,15,L * *", "on the 1st, the 15th and the last day of every month at 00:00"),
        ("0 9 * * 5L", "on the last Friday of every month at 09:00"),
        ("30 2 * 3 0L", "on the last Sunday of March at 02:30"),
        ("0 0 13 * 5", "on the 13th and on every Friday of every month at 00:00"),
        ("0 0 13 * */5", "on the 13th of every month when it is a Friday or Sunday at 00:00"),
        ("*/5 * 1-7 JAN-MAR *", "on the 1st to the 7th of January to March, every 5 minutes"),
    ],
)
def test_of_cron(room: psycopg.Connection, cron_expr: str, says: str) -> None:
    assert _sentence(room, {"pattern": "cron", "cron_expr": cron_expr}) == f"{says}, Europe/Berlin"


@pytest.mark.parametrize(
    ("rule", "says"),
    [
        ({"pattern": "daily"}, "every day at 09:00, Europe/Berlin"),
        ({"pattern": "daily", "schedule_at": "09:00:30"}, "every day at 09:00:30, Europe/Berlin"),
        ({"pattern": "daily", "schedule_at": "09:00:00"}, "every day at 09:00, Europe/Berlin"),
        ({"pattern": "daily", "interval": 2}, "every 2 days at 09:00, Europe/Berlin, counted from 2027-01-30"),
        ({"pattern": "daily", "offset": "-PT1H30M"}, "every day at 09:00, 1 hour and 30 minutes earlier, Europe/Berlin"),
        (
            {"pattern": "daily", "start_date": "2027-02-01", "end_date": "2027-12-31", "end_after": 90},
            "every day at 09:00, Europe/Berlin, from 2027-02-01, until 2027-12-31, 90 times",
        ),
        (
            {"pattern": "daily", "on_gap": "skip", "on_overlap": "second"},
            (
                "every day at 09:00, Europe/Berlin, left out when the clock skips it, "
                "the second time when the clock shows it twice"
            ),
        ),
        ({"pattern": "daily", "exclude_dates": ["2027-12-24"]}, "every day at 09:00, Europe/Berlin, not on 2027-12-24"),
        ({"pattern": "weekly"}, "every Saturday at 09:00, Europe/Berlin"),
        ({"pattern": "weekly", "weekdays": ["MON", "TUE", "WED", "THU", "FRI"]}, "every weekday at 09:00, Europe/Berlin"),
        (
            {"pattern": "weekly", "weekdays": ["MON", "THU"], "interval": 2, "start_date": "2027-02-01"},
            "every 2 weeks on Monday and Thursday at 09:00, Europe/Berlin, counted from 2027-02-01",
        ),
        (
            {"pattern": "monthly", "days_of_month": [1, -1]},
            "on the 1st and the last day of every month at 09:00, Europe/Berlin",
        ),
        (
            {"pattern": "monthly", "days_of_month": [31]},
            "on the 31st of every month (or the nearest there is) at 09:00, Europe/Berlin",
        ),
        (
            {"pattern": "monthly", "days_of_month": [31], "on_missing_day": "skip"},
            "on the 31st of every month (where there is one) at 09:00, Europe/Berlin",
        ),
        (
            {"pattern": "monthly", "nth": {"weekday": "TUE", "n": 2}},
            "on the 2nd Tuesday of every month at 09:00, Europe/Berlin",
        ),
        ({"pattern": "yearly"}, "on the 30th of January every year at 09:00, Europe/Berlin"),
        (
            {"pattern": "elapsed", "every": "PT15M", "schedule_at": "2027-03-01T09:00:00Z"},
            "every 15 minutes of elapsed time, counted from 2027-03-01T09:00:00Z",
        ),
        (
            {"pattern": "rrule", "rrule": "FREQ=WEEKLY;INTERVAL=2;BYDAY=SU;WKST=SU"},
            "every 2 weeks on Sunday at 09:00, Europe/Berlin, counted from 2027-01-31, weeks beginning on Sunday",
        ),
        (
            {"pattern": "rrule", "rrule": "FREQ=DAILY;UNTIL=20270301T000000Z"},
            "every day at 09:00, Europe/Berlin, until 2027-03-01T00:00:00Z",
        ),
        (
            {"pattern": "rrule", "rrule": "FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1"},
            "on every weekday of every month, of these only the last at 09:00, Europe/Berlin",
        ),
    ],
)
def test_of_the_other_patterns(room: psycopg.Connection, rule: dict[str, Any], says: str) -> None:
    assert _sentence(room, {"schedule_at": "09:00"} | rule) == says


def test_a_rule_that_is_wrong_has_none(room: psycopg.Connection) -> None:
    with pytest.raises(psycopg.Error) as raised:
        _sentence(room, {"pattern": "cron", "cron_expr": "60 * * * *"})

    assert (raised.value.sqlstate, raised.value.diag.column_name) == ("GN011", "/cron_expr")


@pytest.mark.parametrize(
    ("request_", "says"),
    [
        ({"schedule_at": "2036-01-01T09:00:00Z"}, "once, at 2036-01-01T09:00:00Z"),
        ({"schedule_at": "09:00", "schedule_date": "2036-01-01", "timezone": "UTC"}, "once, on 2036-01-01 at 09:00, UTC"),
        ({"schedule_at": "09:00", "recurrence": {"pattern": "daily"}, "timezone": "UTC"}, "every day at 09:00, UTC"),
    ],
)
def test_of_a_schedule(connection: psycopg.Connection, request_: dict[str, Any], says: str) -> None:
    made = given_schedule(connection, request_)

    assert value(connection, "select gnomon.describe_schedule(%s)", made.schedule_id) == says


def test_a_schedule_that_is_over_has_none(connection: psycopg.Connection) -> None:
    made = given_schedule(connection)
    connection.execute("select gnomon.cancel_schedule(%s)", [made.schedule_id])

    assert value(connection, "select gnomon.describe_schedule(%s)", made.schedule_id) is None

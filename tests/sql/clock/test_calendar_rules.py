"""Rules by months and years, and the days that a rule leaves out."""

from datetime import UTC, datetime
from typing import Any

import psycopg
import pytest
from psycopg.types.json import Jsonb

from tests.support.given import one, rows, value


def _days(room: psycopg.Connection, after: str, at_most: int = 6, **rule: Any) -> list[str]:
    """The local dates of the next occurrences at 09:00 in Kathmandu, which has no changes."""
    given = Jsonb({"schedule_at": "09:00"} | rule)
    at_utc = datetime.fromisoformat(after).replace(tzinfo=UTC)
    found = rows(room, "select * from gnomon.next_occurrences(%s, 'Asia/Kathmandu', %s, %s)", given, at_utc, at_most)
    return [f"{row.local_time:%Y-%m-%d}" for row in found]


@pytest.mark.parametrize(
    ("rule", "days"),
    [
        ({"days_of_month": [31]}, "2027-01-31 2027-02-28 2027-03-31 2027-04-30"),
        ({"days_of_month": [31], "on_missing_day": "skip"}, "2027-01-31 2027-03-31 2027-05-31 2027-07-31"),
        ({"days_of_month": [-1]}, "2027-01-31 2027-02-28 2027-03-31 2027-04-30"),
        ({"days_of_month": [-31]}, "2027-02-01 2027-03-01 2027-04-01 2027-05-01"),
        ({"days_of_month": [-30], "on_missing_day": "skip"}, "2027-03-02 2027-04-01 2027-05-02 2027-06-01"),
        ({"days_of_month": [15, 1, -1]}, "2027-01-15 2027-01-31 2027-02-01 2027-02-15"),
        # 31 and the last are one day, and so are 30 and 31 in April
        ({"days_of_month": [31, -1, 30], "start_date": "2027-04-01"}, "2027-04-30 2027-05-30 2027-05-31 2027-06-30"),
        ({"nth": {"weekday": "TUE", "n": 2}}, "2027-01-12 2027-02-09 2027-03-09 2027-04-13"),
        ({"nth": {"weekday": "FRI", "n": -1}}, "2027-01-29 2027-02-26 2027-03-26 2027-04-30"),
        ({"nth": {"weekday": "FRI", "n": 5}}, "2027-01-29 2027-04-30 2027-07-30 2027-10-29"),
        ({"nth": {"weekday": "FRI", "n": -5}}, "2027-04-02 2027-07-02 2027-10-01 2027-12-03"),
        (
            {"nth": [{"weekday": "MON", "n": 1}, {"weekday": "MON", "n": 3}]},
            "2027-01-04 2027-01-18 2027-02-01 2027-02-15",
        ),
        ({"days_of_month": [31], "interval": 2}, "2027-01-31 2027-03-31 2027-05-31 2027-07-31"),
        # counted from the month of the first day, also when that month's day lies before it
        ({"days_of_month": [5], "interval": 2, "start_date": "2027-01-20"}, "2027-03-05 2027-05-05 2027-07-05 2027-09-05"),
        ({"start_date": "2027-01-30"}, "2027-01-30 2027-02-28 2027-03-30 2027-04-30"),
        ({}, "2027-01-04 2027-02-04 2027-03-04 2027-04-04"),
        ({"interval": 5}, "2027-01-04 2027-06-04 2027-11-04 2028-04-04"),
        ({"days_of_month": [31], "end_date": "2027-02-28"}, "2027-01-31 2027-02-28"),
    ],
)
def test_monthly(room: psycopg.Connection, rule: dict[str, Any], days: str) -> None:
    assert _days(room, "2027-01-03 12:00", 4, pattern="monthly", **rule) == days.split()


@pytest.mark.parametrize(
    ("rule", "days"),
    [
        ({"start_date": "2024-02-29"}, "2028-02-29 2029-02-28 2030-02-28"),
        ({"start_date": "2024-02-29", "on_missing_day": "skip"}, "2028-02-29 2032-02-29 2036-02-29"),
        ({"start_date": "2024-02-29", "interval": 3}, "2030-02-28 2033-02-28 2036-02-29"),
        ({}, "2027-07-02 2028-07-02 2029-07-02"),
        # within the month of the first day
        ({"days_of_month": [-1], "start_date": "2026-02-10"}, "2028-02-29 2029-02-28 2030-02-28"),
        ({"nth": {"weekday": "THU", "n": 4}, "start_date": "2026-11-01"}, "2027-11-25 2028-11-23 2029-11-22"),
        ({"days_of_month": [1]}, "2027-08-01 2028-08-01 2029-08-01"),
    ],
)
def test_yearly(room: psycopg.Connection, rule: dict[str, Any], days: str) -> None:
    assert _days(room, "2027-07-01 12:00", 3, pattern="yearly", **rule) == days.split()


def test_29_february_comes_after_eight_years_too(room: psycopg.Connection) -> None:
    leap = {"pattern": "yearly", "start_date": "2024-02-29", "on_missing_day": "skip"}

    assert _days(room, "2095-03-01 00:00", 2, **leap) == ["2096-02-29", "2104-02-29"]


@pytest.mark.parametrize(
    "rule",
    [
        {"pattern": "yearly", "start_date": "2027-02-01", "days_of_month": [30], "on_missing_day": "skip"},
        {"pattern": "yearly", "start_date": "2027-04-01", "days_of_month": [31], "on_missing_day": "skip"},
        {"pattern": "yearly", "start_date": "2027-02-28", "days_of_month": [29], "on_missing_day": "skip", "interval": 4},
        {"pattern": "monthly", "start_date": "2027-02-01", "days_of_month": [30], "on_missing_day": "skip", "interval": 12},
        {"pattern": "rrule", "start_date": "2027-01-01", "rrule": "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30"},
        {"pattern": "rrule", "start_date": "2027-01-01", "rrule": "FREQ=MONTHLY;BYDAY=2MO;BYMONTHDAY=1"},
        {
            "pattern": "daily",
            "start_date": "2027-01-01",
            "end_date": "2027-01-02",
            "exclude_dates": ["2027-01-01", "2027-01-02"],
        },
    ],
)
def test_a_rule_that_never_fires_is_refused_when_it_is_made(room: psycopg.Connection, rule: dict[str, Any]) -> None:
    compiled = value(room, "select gnomon_data.compile_preview(%s)", Jsonb({"schedule_at": "09:00"} | rule))
    first = one(
        room, "select * from gnomon_data.first_occurrence(%s, 'UTC', '2026-12-01T00:00:00Z', null) as f", Jsonb(compiled)
    )

    assert first.fault.code == "GN012"
    if "end_date" not in rule:
        with pytest.raises(psycopg.Error) as raised:
            _days(room, "2026-12-01 00:00", **rule)
        assert raised.value.sqlstate == "GN012"


@pytest.mark.parametrize("pattern", ["daily", "weekly", "monthly", "yearly"])
def test_a_rule_that_ended_before_its_first_day_has_none(room: psycopg.Connection, pattern: str) -> None:
    rule: dict[str, Any] = {"pattern": pattern, "end_date": "2020-01-01"}
    compiled = value(room, "select gnomon_data.compile_preview(%s)", Jsonb({"schedule_at": "09:00"} | rule))
    query = "select (f.fault).code from gnomon_data.first_occurrence(%s, 'UTC', '2026-12-01T00:00:00Z', null) as f"

    assert _days(room, "2026-12-01 00:00", **rule) == []
    assert value(room, query, Jsonb(compiled)) == "GN012"


@pytest.mark.parametrize(
    ("pattern", "words", "code", "field"),
    [
        ("monthly", {"days_of_month": [0]}, "GN015", "days_of_month/0"),
        ("monthly", {"days_of_month": [1, 32]}, "GN015", "days_of_month/1"),
        ("monthly", {"days_of_month": [-32]}, "GN015", "days_of_month/0"),
        ("monthly", {"days_of_month": [1.5]}, "GN015", "days_of_month/0"),
        ("monthly", {"days_of_month": [1e300]}, "GN015", "days_of_month/0"),
        ("monthly", {"days_of_month": ["1"]}, "GN024", "days_of_month/0"),
        ("monthly", {"days_of_month": []}, "GN015", "days_of_month"),
        ("monthly", {"days_of_month": 15}, "GN024", "days_of_month"),
        ("monthly", {"on_missing_day": "first"}, "GN015", "on_missing_day"),
        ("monthly", {"on_missing_day": True}, "GN024", "on_missing_day"),
        ("monthly", {"days_of_month": [1], "nth": {"weekday": "MON", "n": 1}}, "GN015", "nth"),
        ("monthly", {"nth": {"weekday": "MON", "n": 5}, "on_missing_day": "last"}, "GN015", "on_missing_day"),
        ("yearly", {"nth": {"weekday": "MON", "n": 0}}, "GN015", "nth/n"),
        ("yearly", {"nth": {"weekday": "MON", "n": 6}}, "GN015", "nth/n"),
        ("yearly", {"nth": {"weekday": "MON", "n": "1"}}, "GN024", "nth/n"),
        ("yearly", {"nth": {"weekday": "MONDAY", "n": 1}}, "GN015", "nth/weekday"),
        ("yearly", {"nth": {"weekday": 1, "n": 1}}, "GN024", "nth/weekday"),
        ("yearly", {"nth": {"weekday": "MON"}}, "GN024", "nth"),
        ("yearly", {"nth": {"weekday": "MON", "n": 1, "of": "month"}}, "GN024", "nth"),
        ("yearly", {"nth": [{"weekday": "MON", "n": 1}, {"weekday": "MON", "n": 9}]}, "GN015", "nth/1/n"),
        ("yearly", {"nth": []}, "GN024", "nth"),
        ("yearly", {"nth": "2TU"}, "GN024", "nth"),
        ("daily", {"exclude_dates": "2027-01-01"}, "GN024", "exclude_dates"),
        ("daily", {"exclude_dates": [20270101]}, "GN024", "exclude_dates/0"),
        ("daily", {"exclude_dates": ["2027-01-01", "2027-02-29"]}, "GN014", "exclude_dates/1"),
        ("daily", {"exclude_dates": ["tomorrow"]}, "GN014", "exclude_dates/0"),
        ("daily", {"exclude_dates": ["2027-01-01"] * 367}, "GN015", "exclude_dates"),
        ("daily", {"exclude_calendars": "holidays"}, "GN024", "exclude_calendars"),
        ("daily", {"exclude_calendars": [1]}, "GN024", "exclude_calendars/0"),
        ("daily", {"exclude_calendars": ["nowhere"]}, "GN015", "exclude_calendars/0"),
        ("daily", {"exclude_calendars": ["a"] * 9}, "GN015", "exclude_calendars"),
    ],
)
def test_refuses(room: psycopg.Connection, pattern: str, words: dict[str, Any], code: str, field: str) -> None:
    request = {"schedule_at": "09:00", "recurrence": {"pattern": pattern} | words}
    compiled = one(room, "select * from gnomon_data.compile_rule(%s)", Jsonb(request))

    assert compiled.rule is None
    assert (compiled.fault.code, compiled.fault.pointer) == (code, f"/recurrence/{field}")
    assert compiled.fault.message.startswith(f"recurrence.{field.replace('/', '.')} ")
    assert len(compiled.fault.message) < 300


def test_days_that_are_left_out(room: psycopg.Connection) -> None:
    rule = {"pattern": "weekly", "weekdays": ["MON"], "exclude_dates": ["2027-01-18", "2027-01-11", "2027-01-12"]}
    assert _days(room, "2027-01-01 00:00", 3, **rule) == ["2027-01-04", "2027-01-25", "2027-02-01"]

    # They are left out of the series and not of its rhythm.
    every_other = {"pattern": "daily", "interval": 2, "start_date": "2027-01-01", "exclude_dates": ["2027-01-03"]}
    assert _days(room, "2026-12-01 00:00", 3, **every_other) == ["2027-01-01", "2027-01-05", "2027-01-07"]

    cron = {"pattern": "cron", "cron_expr": "0 9 * * *", "schedule_at": None, "exclude_dates": ["2027-01-02"]}
    assert _days(room, "2026-12-31 12:00", 3, **cron) == ["2027-01-01", "2027-01-03", "2027-01-04"]


def test_a_date_is_left_out_by_the_rule_and_not_by_the_wall(room: psycopg.Connection) -> None:
    # Samoa had no 30 December 2011: that reading comes on the 31st, and is left out only as the 30th.
    rule = {"pattern": "daily", "schedule_at": "09:00", "exclude_dates": ["2011-12-30"]}
    query = "select * from gnomon.next_occurrences(%s, 'Pacific/Apia', '2011-12-29T19:00:00Z', 2)"
    assert [f"{row.local_time:%d %H:%M}" for row in rows(room, query, Jsonb(rule))] == ["31 09:00", "01 09:00"]
    rule["exclude_dates"] = ["2011-12-31"]
    assert [f"{row.local_time:%d %H:%M}" for row in rows(room, query, Jsonb(rule))] == ["31 00:00", "01 09:00"]


def test_calendars_and_near_misses(room: psycopg.Connection) -> None:
    rule = {"pattern": "daily", "exclude_calendars": ["holidays", "outings"], "exclude_dates": ["2027-01-03"]}
    with room.transaction(force_rollback=True):
        room.execute("select gnomon.set_calendar('holidays', '{2027-01-01,2027-01-04}')")
        room.execute("select gnomon.set_calendar('outings', '{2027-01-02}')")
        assert _days(room, "2026-12-31 12:00", 2, **rule) == ["2027-01-05", "2027-01-06"]
        for given, near in (
            ("Holidays", "holidays"),
            ("holyday", "holidays"),
            ("feasts", None),
            ("holiday", "holidays"),
            ("out", "outings"),
        ):
            fault = one(
                room,
                "select (f.fault).* from gnomon_data.read_calendars(%s, '/recurrence/exclude_calendars') as f",
                Jsonb([given]),
            )
            assert fault.hint == (f"did you mean {near}" if near else "gnomon.set_calendar makes one")


@pytest.mark.parametrize("pattern", ["weekly", "monthly", "yearly"])
def test_what_is_left_to_the_first_day_is_settled_with_it(room: psycopg.Connection, pattern: str) -> None:
    compiled = value(room, "select gnomon_data.compile_preview(%s)", Jsonb({"pattern": pattern, "schedule_at": "09:00"}))
    query = "select anchored, nominal_local from gnomon_data.first_occurrence(%s, 'UTC', %s, null)"

    first = one(room, query, Jsonb(compiled), datetime(2027, 1, 31, 10, tzinfo=UTC))

    assert first.nominal_local == datetime(2027, 2, 1, 9)  # noqa: DTZ001  # a reading
    filled = {
        "weekly": {"days": "1000000"},
        "monthly": {"month_days": [1]},
        "yearly": {"month_days": [1], "months": "010000000000"},
    }
    assert first.anchored == compiled | filled[pattern]

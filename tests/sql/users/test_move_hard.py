"""Users who move, the hard cases: the date line, gaps, overlaps, thousands at once, and raced against the fire."""

import time
from datetime import timedelta
from typing import Any, Final

import psycopg
import pytest
from psycopg.types.json import Jsonb

from tests.sql.acts import claim, deliver_all, fire, schedule_many, settle, step_to, utc
from tests.sql.beside import beside
from tests.support.clock import set_clock
from tests.support.given import given_user, one, rows, value
from tests.support.races import in_background, sessions, wait_until_blocked

_DAY: Final = timedelta(days=1)
_PATTERNS: Final[dict[str, dict[str, Any]]] = {
    "daily": {"schedule_at": "09:00", "recurrence": {"pattern": "daily"}},
    "offset": {"schedule_at": "23:58", "offset": "PT5M", "recurrence": {"pattern": "daily"}},
    "weekly": {"schedule_at": "09:00", "recurrence": {"pattern": "weekly", "weekdays": ["MON", "TUE", "SAT"]}},
    "monthly": {"schedule_at": "09:00", "recurrence": {"pattern": "monthly", "days_of_month": [1, 2, 15, -1]}},
    "nth": {"schedule_at": "09:00", "recurrence": {"pattern": "monthly", "nth": {"weekday": "TUE", "n": 1}}},
    "cron": {"recurrence": {"pattern": "cron", "cron_expr": "30 9,21 * * *"}},
    "rrule": {"schedule_at": "09:00", "recurrence": {"pattern": "rrule", "rrule": "FREQ=DAILY;INTERVAL=2"}},
}

_AT_HOME: Final = """
with recursive walk as (
    select s.template_id, s.rule, n.*, 1 as i
      from gnomon_data.schedules as s cross join lateral gnomon_data.next_occurrence(s.rule, 'Europe/Berlin', %s) as n
    union all
    select w.template_id, w.rule, n.*, w.i + 1
      from walk as w cross join lateral gnomon_data.next_occurrence(w.rule, 'Europe/Berlin', w.due_at_utc) as n
     where w.i < 20
)
select template_id, gnomon_data.local_text(nominal_local) as reading from walk order by i
"""


def _given(connection: psycopg.Connection, words: dict[str, Any]) -> Any:
    whole = {"user_id": "u_abc123", "template_id": "pill", "misfire": "catch_up", "misfire_limit": 100} | words
    return one(connection, "select * from gnomon.schedule(%s)", Jsonb(whole))


def _move(connection: psycopg.Connection, time_zone: str) -> Any:
    return one(connection, "select * from gnomon.move_user('u_abc123', %s)", time_zone)


def _readings(events: list[Any]) -> list[str]:
    return [event["data"]["local_time"] for event in events]


@pytest.mark.parametrize(
    "moves",
    [
        {1.5: "Pacific/Kiritimati", 4.5: "Pacific/Niue"},
        {1.0: "Pacific/Niue", 2.0: "Pacific/Kiritimati", 3.0: "Pacific/Niue", 4.0: "Europe/Berlin"},
    ],
)
def test_over_the_date_line_none_is_lost_and_none_comes_twice(
    connection: psycopg.Connection, moves: dict[float, str]
) -> None:
    """All patterns at once: what comes are the readings of somebody who stays at home, each once and in this order."""
    begin = utc("2026-11-27T11:00:00")
    set_clock(connection, begin)
    connection.execute("select gnomon.make_periods()")
    given_user(connection)
    for pattern, words in _PATTERNS.items():
        _given(connection, words | {"template_id": pattern})
    stayed: dict[str, list[str]] = {pattern: [] for pattern in _PATTERNS}
    for row in rows(connection, _AT_HOME, begin):
        stayed[row.template_id].append(row.reading)

    readings: dict[str, list[str]] = {pattern: [] for pattern in _PATTERNS}
    for hour in range(0, 8 * 24, 4):
        step_to(connection, begin + timedelta(hours=hour))
        if hour / 24 in moves:
            _move(connection, moves[hour / 24])
        for event in deliver_all(connection):
            readings[event["data"]["template_id"]].append(event["data"]["local_time"])

    assert readings == {pattern: told[: len(readings[pattern])] for pattern, told in stayed.items()}
    least = {"daily": 6, "offset": 6, "weekly": 3, "monthly": 3, "nth": 1, "cron": 12, "rrule": 3}
    assert all(len(readings[pattern]) >= count for pattern, count in least.items()), readings


def test_what_is_due_while_the_user_crosses_the_date_line_does_not_swallow_the_next(connection: psycopg.Connection) -> None:
    """Monday's nine o'clock in Honolulu is the instant of Tuesday's in Kiritimati: both are the user's."""
    nine = utc("2026-11-30T19:00:00")
    set_clock(connection, nine - _DAY / 2)
    connection.execute("select gnomon.make_periods()")
    given_user(connection, time_zone="Pacific/Honolulu")
    _given(connection, _PATTERNS["daily"])
    step_to(connection, nine + timedelta(seconds=1))
    _move(connection, "Pacific/Kiritimati")
    assert _readings(deliver_all(connection)) == ["2026-11-30T09:00", "2026-12-01T09:00"]


@pytest.mark.parametrize(
    ("words", "zone", "expected"),
    [
        # Into a gap: the reading that does not exist there comes at the end of the gap, or not at all; none comes again.
        ({"schedule_at": "02:30"}, "America/New_York", ["2027-03-14T02:30 07:00", "2027-03-15T02:30 06:30"]),
        (
            {"schedule_at": "02:30", "on_gap": "skip"},
            "America/New_York",
            ["2027-03-15T02:30 06:30", "2027-03-16T02:30 06:30"],
        ),
        (
            {"recurrence": {"pattern": "cron", "cron_expr": "0,30 2,3 * * *"}, "on_gap": "skip"},
            "America/New_York",
            ["2027-03-14T03:00 07:00", "2027-03-14T03:30 07:30"],
        ),
    ],
)
def test_into_a_gap(connection: psycopg.Connection, words: dict[str, Any], zone: str, expected: list[str]) -> None:
    begin = utc("2027-03-12T16:30:00")
    set_clock(connection, begin)
    connection.execute("select gnomon.make_periods()")
    given_user(connection, time_zone="Asia/Tokyo")
    _given(connection, {"recurrence": {"pattern": "daily"}} | words)
    step_to(connection, utc("2027-03-12T19:00:00"))
    seen = _readings(deliver_all(connection))
    assert seen[-1] <= "2027-03-13T03:30"
    _move(connection, zone)
    events: list[Any] = []
    for hour in range(0, 120, 3):
        step_to(connection, utc("2027-03-12T19:00:00") + timedelta(hours=hour))
        events += deliver_all(connection)
    told = [f"{event['data']['local_time']} {event['data']['due_at'][11:16]}" for event in events]
    assert told[: len(expected)] == expected


def test_out_of_an_overlap(connection: psycopg.Connection) -> None:
    """01:30 has fired in its first pass in New York; in Lisbon, and back in the second pass, it does not come again."""
    set_clock(connection, utc("2026-10-31T12:00:00"))
    connection.execute("select gnomon.make_periods()")
    given_user(connection, time_zone="America/New_York")
    _given(connection, {"schedule_at": "01:30", "recurrence": {"pattern": "daily"}})
    step_to(connection, utc("2026-11-01T05:40:00"))
    assert _readings(deliver_all(connection)) == ["2026-11-01T01:30"]
    _move(connection, "Europe/Lisbon")
    _move(connection, "America/Los_Angeles")
    step_to(connection, utc("2026-11-01T06:20:00"))
    _move(connection, "America/New_York")
    step_to(connection, utc("2026-11-01T12:00:00"))
    assert deliver_all(connection) == []
    step_to(connection, utc("2026-11-02T06:30:00"))
    assert _readings(deliver_all(connection)) == ["2026-11-02T01:30"]


def test_cron_at_all_hours_goes_by_instants(connection: psycopg.Connection) -> None:
    set_clock(connection, utc("2026-12-01T10:20:00"))
    connection.execute("select gnomon.make_periods()")
    given_user(connection)
    _given(connection, {"recurrence": {"pattern": "cron", "cron_expr": "0 * * * *"}})
    _move(connection, "Asia/Kolkata")
    step_to(connection, utc("2026-12-01T11:40:00"))
    assert _readings(deliver_all(connection)) == ["2026-12-01T16:00", "2026-12-01T17:00"]
    _move(connection, "America/New_York")
    step_to(connection, utc("2026-12-01T12:10:00"))
    assert _readings(deliver_all(connection)) == ["2026-12-01T07:00"]


def test_thousands_move_at_once(connection: psycopg.Connection) -> None:
    set_clock(connection, utc("2026-12-01T12:00:00"))
    connection.execute("select gnomon.make_periods()")
    given_user(connection)
    words = list(_PATTERNS.values())
    requests = [{"user_id": "u_abc123", "template_id": "pill"} | words[n % len(words)] for n in range(1000)]
    assert {item.error_code for item in schedule_many(connection, requests)} == {None}
    begun = time.monotonic()
    assert _move(connection, "Pacific/Auckland") == (1000, 0)
    assert time.monotonic() - begun < 15
    lost = value(
        connection,
        "select count(*) from gnomon_data.schedules as s where not exists (select from gnomon_data.timers as t"
        " where t.subject_id = s.id and t.stamp = s.stamp union all select from gnomon_data.timers_far as t"
        " where t.subject_id = s.id and t.stamp = s.stamp)",
    )
    assert lost == 0


@pytest.mark.parametrize("first", ["move", "fire"])
@pytest.mark.parametrize("to", ["Pacific/Auckland", "America/New_York"])
def test_a_move_against_the_fire(connection: psycopg.Connection, database_url: str, first: str, to: str) -> None:
    """Whichever has the row, the other goes on: the fire without waiting, the move when the fire has committed."""
    due = utc("2026-12-02T08:00:00")
    set_clock(connection, due - _DAY / 2)
    connection.execute("select gnomon.make_periods()")
    given_user(connection)
    _given(connection, _PATTERNS["daily"])
    step_to(connection, due - timedelta(seconds=1))
    with sessions(database_url, 2) as [firing, moving]:
        if first == "move":
            with moving.transaction():
                _move(moving, to)
                assert fire(firing) == 0
        else:
            with firing.transaction():
                assert fire(firing) == 1
                with in_background(lambda: _move(moving, to)) as moved:
                    wait_until_blocked(connection, moving.info.backend_pid)
                    firing.execute("commit")
                    firing.execute("begin")
            assert moved.result() == (1, 0)
    assert value(connection, "select count(*) from gnomon_data.deliveries") == 0
    assert value(connection, "select fired_count from gnomon_data.schedules") == 0
    readings: list[str] = []
    for hour in range(0, 49, 2):
        step_to(connection, due - timedelta(seconds=1) + timedelta(hours=hour))
        readings += _readings(deliver_all(connection))
    assert readings[:2] == ["2026-12-02T09:00", "2026-12-03T09:00"]
    assert len(readings) == len(set(readings))


def test_moves_of_many_schedules_beside_fires_and_claims(connection: psycopg.Connection, database_url: str) -> None:
    """Two pollers and a worker never rest while the user flies around the world: each day comes once, in order."""
    begin = utc("2026-12-01T06:59:59")
    set_clock(connection, begin)
    connection.execute("select gnomon.make_periods()")
    given_user(connection)
    requests = [
        {"user_id": "u_abc123", "template_id": "pill", "misfire": "catch_up", "misfire_limit": 100, "lane": "bulk"}
        | {"schedule_at": f"{8 + n % 3:02}:{n % 20:02}", "recurrence": {"pattern": "daily"}}
        for n in range(120)
    ]
    assert {item.error_code for item in schedule_many(connection, requests)} == {None}
    heard: list[Any] = []

    def work(session: psycopg.Connection) -> None:
        claims = claim(session, "bulk")
        settle(session, claims)
        heard.extend(claimed.event for claimed in claims)

    around = ("Pacific/Auckland", "Europe/Berlin", "America/New_York", "Pacific/Kiritimati", "Pacific/Niue", "Asia/Tokyo")
    with beside(database_url, fire, fire, work) as roles:
        for step, zone in enumerate(around):
            step_to(connection, begin + timedelta(hours=9 * step))
            _move(connection, zone)
        for hour in range(54, 96, 6):
            step_to(connection, begin + timedelta(hours=hour))
            roles.wait_until(lambda: _is_quiet(connection), "nothing is due any more")
    by_schedule: dict[str, list[str]] = {}
    for event in heard:
        by_schedule.setdefault(event["data"]["schedule_id"], []).append(event["data"]["local_time"][:10])
    assert len(by_schedule) == len(requests)
    days = [f"2026-12-{day:02}" for day in range(1, 9)]
    assert [told for told in by_schedule.values() if sorted(told) != days[: len(told)]] == []
    assert min(len(told) for told in by_schedule.values()) >= 3


def _is_quiet(connection: psycopg.Connection) -> bool:
    return bool(
        value(
            connection,
            "select not exists (select from gnomon_data.deliveries where due_at_utc <= gnomon_data.now_utc())"
            " and not exists (select from gnomon_data.timers where fire_at_utc <= gnomon_data.now_utc())"
            " and not exists (select from gnomon_data.timers_far where fire_at_utc <= gnomon_data.now_utc())",
        )
    )

"""Misfire: what becomes of occurrences that nobody fired in time, after an outage or a pause."""

import time
from datetime import timedelta
from typing import Any, Final

import psycopg
import pytest
from psycopg.types.json import Jsonb

from tests.sql.acts import deliver_all, fire, found, ledger, reschedule, step_to, utc
from tests.support.clock import set_clock
from tests.support.given import given_schedule, one, rows, value

_NINE: Final = utc("2026-12-01T09:00:00")
_MINUTE: Final = timedelta(minutes=1)
_HOUR: Final = timedelta(hours=1)
_DAY: Final = timedelta(days=1)
_QUARTERS: Final[dict[str, Any]] = {"timezone": "UTC", "recurrence": {"pattern": "cron", "cron_expr": "*/15 * * * *"}}
_ALL: Final = ["08:15", "08:30", "08:45", "09:00", "09:15", "09:30", "09:45", "10:00"]


@pytest.fixture
def at_eight(connection: psycopg.Connection) -> psycopg.Connection:
    """The clock stands at a minute past 08:00 of a day whose periods exist."""
    set_clock(connection, _NINE - _HOUR + _MINUTE)
    connection.execute("select gnomon.make_periods()")
    return connection


def _given(connection: psycopg.Connection, **words: Any) -> Any:
    whole = {"user_id": "u_abc123", "template_id": "pill"} | _QUARTERS | words
    return one(connection, "select * from gnomon.schedule(%s)", Jsonb(whole))


def _all(connection: psycopg.Connection) -> list[Any]:
    """Everything handed over; a look that leaves occurrences out fires none, and the one after it goes on."""
    return [*deliver_all(connection), *deliver_all(connection)]


def _times(events: list[Any]) -> list[str]:
    return [event["data"]["due_at"][11:16] for event in events]


def _missed(connection: psycopg.Connection) -> list[tuple[str, int]]:
    told = rows(connection, "select detail from gnomon_data.events where kind = 'missed' order by detail ->> 'from'")
    return [(row.detail["from"][11:16], row.detail["count"]) for row in told]


@pytest.mark.parametrize(
    ("words", "fired", "missed"),
    [
        ({}, ["08:15"], [("08:30", 7)]),
        ({"max_lateness": "PT40M"}, ["09:30"], [("08:15", 5), ("09:45", 2)]),
        ({"misfire": "skip"}, ["10:00"], [("08:15", 7)]),
        ({"misfire": "skip", "max_lateness": "PT31M"}, ["09:30", "09:45", "10:00"], [("08:15", 5)]),
        ({"misfire": "catch_up"}, _ALL, []),
        ({"misfire": "catch_up", "misfire_limit": 3}, ["09:30", "09:45", "10:00"], [("08:15", 5)]),
        ({"misfire": "catch_up", "misfire_limit": 8}, _ALL, []),
        ({"misfire": "catch_up", "misfire_limit": 7}, _ALL[1:], [("08:15", 1)]),
        ({"misfire": "catch_up", "max_lateness": "PT16M"}, ["09:45", "10:00"], [("08:15", 6)]),
        ({"misfire": "catch_up", "misfire_limit": 1, "max_lateness": "PT16M"}, ["10:00"], [("08:15", 7)]),
    ],
)  # fmt: skip
def test_two_hours_of_quarters(
    at_eight: psycopg.Connection, words: dict[str, Any], fired: list[str], missed: list[tuple[str, int]]
) -> None:
    """An outage, and beside it a schedule that was paused for as long: both are the same."""
    outage = _given(at_eight, user_id="u_outage", **words).schedule_id
    pause = _given(at_eight, user_id="u_pause", **words).schedule_id
    at_eight.execute("select gnomon.pause_schedule(%s)", [pause])
    step_to(at_eight, _NINE + _HOUR + timedelta(seconds=20))
    at_eight.execute("select gnomon.resume_schedule(%s)", [pause])

    events = _all(at_eight)

    for schedule_id in (outage, pause):
        told = [event for event in events if event["data"]["schedule_id"] == schedule_id]
        assert _times(told) == fired
        assert [event["data"]["occurrence"] for event in told] == list(range(1, len(fired) + 1))
    assert _missed(at_eight) == sorted(missed * 2)
    assert len(fired) + sum(count for _, count in missed) == 8
    pending = rows(at_eight, "select due_at_utc, fired_count from gnomon_data.schedules")
    assert pending == [(_NINE + 75 * _MINUTE, len(fired))] * 2


@pytest.mark.parametrize("policy", ["fire_once", "skip", "catch_up"])
def test_what_comes_in_time_is_no_misfire(at_eight: psycopg.Connection, policy: str) -> None:
    _given(at_eight, misfire=policy)
    step_to(at_eight, _NINE - 45 * _MINUTE - timedelta(seconds=2))
    assert fire(at_eight) == 1
    step_to(at_eight, _NINE - 30 * _MINUTE + timedelta(seconds=59))
    assert _times(_all(at_eight)) == ["08:15", "08:30"]
    assert _missed(at_eight) == []


def test_only_what_fired_counts_and_a_course_that_is_complete_has_missed_nothing(at_eight: psycopg.Connection) -> None:
    course = {"recurrence": _QUARTERS["recurrence"] | {"end_after": 2}}
    one_more = _given(at_eight, **course, misfire="skip").schedule_id
    ended = _given(at_eight, **course | {"recurrence": course["recurrence"] | {"end_after": 1}}).schedule_id
    step_to(at_eight, _NINE + _HOUR)

    assert _times(_all(at_eight)) == ["08:15", "10:00"]

    assert found(at_eight, ended).status == "completed"
    assert [(row.id, row.count) for row in rows(
        at_eight, "select gnomon_data.id_text('sch', schedule_id) as id, (detail -> 'count')::int as count"
        " from gnomon_data.events")] == [(one_more, 7)]  # fmt: skip
    assert sorted(ledger(at_eight, one_more)) == ["fired", "missed"]
    step_to(at_eight, _NINE + 75 * _MINUTE)
    assert len(_all(at_eight)) == 1
    assert found(at_eight, one_more).status == "completed"


def test_a_year_of_minutes_is_counted_exactly_and_soon(at_eight: psycopg.Connection) -> None:
    _given(at_eight, recurrence={"pattern": "cron", "cron_expr": "* * * * *"}, timezone="Europe/Berlin", misfire="catch_up")
    step_to(at_eight, _NINE + 365 * _DAY + timedelta(seconds=30))
    begun = time.monotonic()
    events = _all(at_eight)
    assert time.monotonic() - begun < 5
    assert _times(events) == [f"08:{minute}" for minute in range(51, 60)] + ["09:00"]
    # From 08:02 a year ago to 08:50 today, both included; in autumn the hour between two and three came twice.
    assert _missed(at_eight) == [("08:02", 365 * 1440 + 49)]


@pytest.mark.parametrize(
    ("words", "late", "status"),
    [
        ({"misfire": "skip"}, 59, "fired"),
        ({"misfire": "skip"}, 61, "skipped"),
        ({"max_lateness": "PT1H"}, 3601, "skipped"),
        ({"misfire": "catch_up"}, 86400, "fired"),
        ({"misfire": "skip", "window": "PT10M"}, 659, "fired"),
        ({"misfire": "skip", "window": "PT10M"}, 661, "skipped"),
    ],
)
def test_a_one_shot_that_is_too_late_is_skipped(
    at_eight: psycopg.Connection, words: dict[str, Any], late: int, status: str
) -> None:
    schedule_id = given_schedule(at_eight, words, schedule_at=_NINE, recurrence=None).schedule_id
    step_to(at_eight, _NINE + timedelta(seconds=late))

    assert len(_all(at_eight)) == (status == "fired")

    assert found(at_eight, schedule_id).status == status
    assert ledger(at_eight, schedule_id) == [status]
    assert _missed(at_eight) == ([] if status == "fired" else [("09:00", 1)])


def test_what_expired_is_expired_and_not_missed(at_eight: psycopg.Connection) -> None:
    schedule_id = _given(at_eight, misfire="skip", expires_in="PT2M").schedule_id
    step_to(at_eight, _NINE + _MINUTE)
    assert _times(_all(at_eight)) == ["09:00"]
    assert sorted(ledger(at_eight, schedule_id)) == ["expired", "fired"]
    assert _missed(at_eight) == [("08:30", 2)]


def test_a_window_longer_than_the_rhythm_loses_nothing(at_eight: psycopg.Connection) -> None:
    """Each is spread over an hour: while one waits for its instant the next is due already, and is no misfire."""
    _given(at_eight, window="PT1H")
    events: list[Any] = []
    for minute in range(0, 240, 4):
        step_to(at_eight, _NINE - 56 * _MINUTE + minute * _MINUTE)
        events += deliver_all(at_eight)
    assert _missed(at_eight) == []
    assert _times(events)[:8] == _ALL


def test_a_changed_policy_moves_nothing(at_eight: psycopg.Connection) -> None:
    schedule_id = _given(at_eight).schedule_id
    before = one(at_eight, "select stamp, due_at_utc from gnomon_data.schedules")
    reschedule(at_eight, schedule_id, {"misfire": "catch_up", "misfire_limit": 2})
    assert one(at_eight, "select stamp, due_at_utc from gnomon_data.schedules") == before
    step_to(at_eight, _NINE + _HOUR)
    assert _times(_all(at_eight)) == ["09:45", "10:00"]
    reschedule(at_eight, schedule_id, {"misfire": None, "misfire_limit": None})
    step_to(at_eight, _NINE + 2 * _HOUR)
    assert _times(_all(at_eight)) == ["10:15"]
    assert value(at_eight, "select rule ? 'limit' from gnomon_data.schedules") is False


@pytest.mark.parametrize(
    ("words", "pointer"),
    [
        ({"misfire": "never"}, "/misfire"),
        ({"misfire": 1}, "/misfire"),
        ({"misfire_limit": 3}, "/misfire_limit"),
        ({"misfire": "skip", "misfire_limit": 3}, "/misfire_limit"),
        ({"misfire": "catch_up", "misfire_limit": 0}, "/misfire_limit"),
        ({"misfire": "catch_up", "misfire_limit": 101}, "/misfire_limit"),
        ({"misfire": "catch_up", "misfire_limit": 1.5}, "/misfire_limit"),
        ({"misfire": "catch_up", "misfire_limit": "3"}, "/misfire_limit"),
        ({"max_lateness": "soon"}, "/max_lateness"),
        ({"max_lateness": 60}, "/max_lateness"),
        ({"max_lateness": "PT0.5S"}, "/max_lateness"),
        ({"max_lateness": "-PT1H"}, "/max_lateness"),
        ({"window": "PT1H", "expires_in": "PT1H"}, "/expires_in"),
    ],
)
def test_what_makes_no_sense_is_refused(at_eight: psycopg.Connection, words: dict[str, Any], pointer: str) -> None:
    with pytest.raises(psycopg.Error) as fault:
        _given(at_eight, **words)
    assert (fault.value.sqlstate, fault.value.diag.column_name) == ("GN024", pointer)

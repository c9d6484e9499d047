"""When a schedule is due first, and what becomes of what is already over."""

from datetime import UTC, datetime, timedelta
from typing import Any

import psycopg
import pytest
from psycopg.types.json import Jsonb

from tests.sql.clock.conftest import SESSION_ZONES
from tests.support.given import one

BERLIN = "Europe/Berlin"
NEW_YORK = "America/New_York"


def _utc(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def _first(room: psycopg.Connection, rule: dict[str, Any], zone: str | None, now: str, if_past: str | None = None) -> Any:
    query = "select * from gnomon_data.first_occurrence(%s, %s, %s, %s)"
    return one(room, query, Jsonb(rule), zone, _utc(now), if_past)


def _instant(text: str) -> dict[str, Any]:
    return {"kind": "instant", "at": f"{text}Z"}


def test_an_instant_to_come(room: psycopg.Connection) -> None:
    first = _first(room, _instant("2026-05-01T12:00:00"), None, "2026-05-01 11:00")

    assert (first.due_at_utc, first.nominal_local, first.kind) == (_utc("2026-05-01 12:00"), None, None)
    assert (first.if_past_taken, first.is_skipped, first.fault) == (None, False, None)
    assert first.anchored == _instant("2026-05-01T12:00:00")


def test_relative_becomes_an_instant(room: psycopg.Connection) -> None:
    first = _first(room, {"kind": "relative", "in": 7200, "offset": 60}, None, "2026-03-29 00:30:00.123456")

    assert first.due_at_utc == _utc("2026-03-29 02:31:00.123456")
    assert first.anchored == {"kind": "instant", "at": "2026-03-29T02:30:00.123456Z", "offset": 60}
    after = one(
        room, "select due_at_utc from gnomon_data.next_occurrence(%s, 'UTC', '2026-03-29Z')", Jsonb(first.anchored)
    ).due_at_utc
    assert after == first.due_at_utc


def test_in_no_time_is_now_and_nothing_is_over(room: psycopg.Connection) -> None:
    first = _first(room, {"kind": "relative", "in": 0}, None, "2026-05-01 12:00")

    assert (first.due_at_utc, first.if_past_taken) == (_utc("2026-05-01 12:00"), None)


@pytest.mark.parametrize(
    ("late", "if_past", "taken", "code"),
    [
        (timedelta(microseconds=1), None, "now", None),
        (timedelta(minutes=5), None, "now", None),
        (timedelta(minutes=5, microseconds=1), None, "reject", "GN023"),
        (timedelta(seconds=1), "reject", "reject", "GN023"),
        (timedelta(days=900), "now", "now", None),
        (timedelta(seconds=1), "skip", "skip", None),
        (timedelta(days=900), "skip", "skip", None),
    ],
)
@pytest.mark.parametrize(
    "rule",
    [
        _instant("2026-05-01T12:00:00"),
        _instant("2026-05-01T12:05:00") | {"offset": -300},
        {"kind": "once", "date": "2026-05-01", "time": "14:00:00"},
    ],
)
def test_a_moment_that_is_over(
    room: psycopg.Connection, rule: dict[str, Any], late: timedelta, if_past: str | None, taken: str, code: str | None
) -> None:
    now = _utc("2026-05-01 12:00") + late
    first = _first(room, rule, BERLIN, now.replace(tzinfo=None).isoformat(), if_past)

    assert (first.if_past_taken, first.fault and first.fault.code) == (taken, code)
    assert first.is_skipped == (taken == "skip")
    if taken == "now":
        assert first.due_at_utc == now
    if taken == "skip":
        assert first.due_at_utc == _utc("2026-05-01 12:00")


def test_says_by_how_much_it_is_over(room: psycopg.Connection) -> None:
    fault = _first(room, _instant("2026-05-01T12:00:00"), None, "2026-05-04 14:10").fault

    assert (fault.code, fault.pointer) == ("GN023", "/schedule_at")
    assert fault.message == "schedule_at is 3 days 2 hours in the past"


@pytest.mark.parametrize("kind", ["instant", "relative"])
def test_an_instant_has_no_next_time(room: psycopg.Connection, kind: str) -> None:
    rule = {"kind": kind, "in": 60, "at": "2026-05-01T12:00:00Z"}

    assert _first(room, rule, None, "2026-05-01 11:00", "next").fault.pointer == "/if_past"


def test_if_past_is_one_of_four_words(room: psycopg.Connection) -> None:
    fault = _first(room, _instant("2026-05-01T12:00:00"), None, "2026-05-01 11:00", "later").fault

    assert (fault.code, fault.pointer) == ("GN024", "/if_past")


def test_a_date_that_is_over_may_take_the_next_day_that_has_the_time(room: psycopg.Connection) -> None:
    rule = {"kind": "once", "date": "2024-03-15", "time": "09:00:00"}

    first = _first(room, rule, NEW_YORK, "2026-05-01 14:00", "next")

    assert (first.due_at_utc, first.nominal_local) == (_utc("2026-05-02 13:00"), datetime(2026, 5, 2, 9))  # noqa: DTZ001
    assert (first.if_past_taken, first.anchored["date"]) == ("next", "2026-05-02")


@pytest.mark.parametrize(
    ("reading", "now", "due", "date", "kind", "taken"),
    [
        ({"time": "18:00"}, "2026-07-01 12:00", "2026-07-01 16:00", "2026-07-01", "exact", None),
        ({"time": "18:00"}, "2026-07-01 16:00", "2026-07-02 16:00", "2026-07-02", "exact", "next"),
        # 18:05 is still to come at 18:03, though 18:00 is over
        ({"time": "18:00", "offset": 300}, "2026-07-01 16:03", "2026-07-01 16:05", "2026-07-01", "exact", None),
        # over midnight: the nominal day is yesterday, and nothing is over
        ({"time": "23:58", "offset": 300}, "2026-07-01 22:01", "2026-07-01 22:03", "2026-07-01", "exact", None),
        # today's reading was due yesterday; tomorrow's is due today
        ({"time": "00:02", "offset": -300}, "2026-07-01 12:00", "2026-07-01 21:57", "2026-07-02", "exact", "next"),
        # in a gap, and asked within the hour that the gap pushes it into
        ({"time": "02:30"}, "2026-03-29 00:00", "2026-03-29 01:00", "2026-03-29", "gap", None),
        ({"time": "02:30"}, "2026-03-29 01:00", "2026-03-30 00:30", "2026-03-30", "exact", "next"),
        # dropped by the gap: nothing was over, the next day simply is the first that has it
        ({"time": "02:30", "gap": "skip"}, "2026-03-29 00:00", "2026-03-30 00:30", "2026-03-30", "exact", None),
        # in the second pass, whose first is over
        ({"time": "02:30"}, "2026-10-25 01:10", "2026-10-26 01:30", "2026-10-26", "exact", "next"),
        ({"time": "02:30", "overlap": "second"}, "2026-10-25 01:10", "2026-10-25 01:30", "2026-10-25", "overlap", None),
    ],
)
def test_a_time_without_a_date(
    room: psycopg.Connection, reading: dict[str, Any], now: str, due: str, date: str, kind: str, taken: str | None
) -> None:
    first = _first(room, {"kind": "time"} | reading, BERLIN, now)

    assert (first.due_at_utc, first.kind, first.if_past_taken) == (_utc(due), kind, taken)
    assert first.nominal_local.isoformat(" ", "minutes") == f"{date} {reading['time']}"
    assert first.anchored == {"kind": "once", "date": date} | reading
    later = one(room, "select * from gnomon_data.next_occurrence(%s, %s, %s)", Jsonb(first.anchored), BERLIN, _utc(due))
    assert later.due_at_utc is None


@pytest.mark.parametrize(
    ("if_past", "due", "date", "code"),
    [
        (None, "2026-07-02 07:00", "2026-07-02", None),
        ("next", "2026-07-02 07:00", "2026-07-02", None),
        ("now", "2026-07-01 12:00", "2026-07-01", None),
        ("skip", "2026-07-01 07:00", "2026-07-02", None),
        ("reject", None, None, "GN023"),
    ],
)
def test_a_time_that_is_over_today(
    room: psycopg.Connection, if_past: str | None, due: str | None, date: str | None, code: str | None
) -> None:
    first = _first(room, {"kind": "time", "time": "09:00:00"}, BERLIN, "2026-07-01 12:00", if_past)

    assert first.if_past_taken == (if_past or "next")
    assert (first.fault and first.fault.code, first.is_skipped) == (code, if_past == "skip")
    if due is not None:
        assert first.due_at_utc == _utc(due)
        assert first.anchored["date"] == date


def test_if_past_matters_only_for_what_is_over(room: psycopg.Connection) -> None:
    for if_past in ("now", "skip", "reject"):
        first = _first(room, {"kind": "time", "time": "20:00:00"}, BERLIN, "2026-07-01 12:00", if_past)
        assert (first.due_at_utc, first.if_past_taken, first.is_skipped) == (_utc("2026-07-01 18:00"), None, False)


def test_a_dated_reading_that_a_gap_drops_is_skipped(room: psycopg.Connection) -> None:
    rule = {"kind": "once", "date": "2027-03-28", "time": "02:30:00", "gap": "skip"}

    first = _first(room, rule, BERLIN, "2026-07-01 12:00")

    assert (first.is_skipped, first.due_at_utc, first.kind, first.fault) == (True, None, "gap", None)


@pytest.mark.parametrize(
    ("rule", "now", "due", "taken", "filled"),
    [
        ({"kind": "daily"}, "2026-07-01 06:00", "2026-07-01 07:00", None, {}),
        ({"kind": "daily"}, "2026-07-01 07:00", "2026-07-02 07:00", "next", {}),
        # a first day in the past is no error, and `every` counts from it
        ({"kind": "daily", "start": "2024-03-15"}, "2026-07-01 06:00", "2026-07-01 07:00", "next", {}),
        (
            {"kind": "daily", "every": 10, "anchor": "2026-06-05", "start": "2026-06-05"},
            *("2026-07-01 06:00", "2026-07-05 07:00", "next", {}),
        ),
        # one in the future
        ({"kind": "daily", "start": "2026-08-01"}, "2026-07-01 06:00", "2026-08-01 07:00", None, {}),
        # today, over and not over
        ({"kind": "daily", "start": "2026-07-01"}, "2026-07-01 06:00", "2026-07-01 07:00", None, {}),
        ({"kind": "daily", "start": "2026-07-01"}, "2026-07-01 08:00", "2026-07-02 07:00", "next", {}),
        # without one: from the first day it can fire
        ({"kind": "daily", "every": 3}, "2026-07-01 06:00", "2026-07-01 07:00", None, {"anchor": "2026-07-01"}),
        ({"kind": "daily", "every": 3}, "2026-07-01 08:00", "2026-07-02 07:00", "next", {"anchor": "2026-07-02"}),
        # the weekday too; 1 July 2026 is a Wednesday
        ({"kind": "weekly"}, "2026-07-01 06:00", "2026-07-01 07:00", None, {"days": "0010000"}),
        ({"kind": "weekly"}, "2026-07-01 08:00", "2026-07-02 07:00", "next", {"days": "0001000"}),
        (
            {"kind": "weekly", "every": 2},
            *("2026-07-01 08:00", "2026-07-02 07:00", "next", {"days": "0001000", "anchor": "2026-07-02"}),
        ),
        ({"kind": "weekly", "days": "1000000"}, "2026-07-01 08:00", "2026-07-06 07:00", None, {}),
        ({"kind": "weekly", "days": "1010000"}, "2026-07-01 08:00", "2026-07-06 07:00", "next", {}),
        (
            {"kind": "weekly", "days": "1010000", "every": 2},
            *("2026-07-01 08:00", "2026-07-06 07:00", "next", {"anchor": "2026-07-06"}),
        ),
        (
            {"kind": "weekly", "days": "1000100", "every": 2, "anchor": "2026-07-01", "start": "2026-07-01"},
            *("2026-07-01 08:00", "2026-07-03 07:00", None, {}),
        ),
        # the last day is a local date of the reading, also when the offset carries it over midnight
        ({"kind": "daily", "end": "2026-07-01", "offset": 86400}, "2026-07-02 06:00", "2026-07-02 07:00", None, {}),
        # asked after midnight, yesterday's reading is still to come and is the first
        ({"kind": "weekly", "offset": 82800}, "2026-07-01 22:30", "2026-07-02 06:00", None, {"days": "0010000"}),
    ],
)
def test_a_recurrence(
    room: psycopg.Connection, rule: dict[str, Any], now: str, due: str, taken: str | None, filled: dict[str, Any]
) -> None:
    whole = rule | {"time": "09:00:00"}

    first = _first(room, whole, BERLIN, now)

    assert first.fault is None
    assert (first.due_at_utc, first.if_past_taken, first.anchored) == (_utc(due), taken, whole | filled)


def test_a_recurrence_fired_now_counts_from_the_day_that_was_missed(room: psycopg.Connection) -> None:
    first = _first(room, {"kind": "weekly", "time": "09:00:00", "every": 2}, BERLIN, "2026-07-01 08:00", "now")

    assert (first.due_at_utc, first.if_past_taken) == (_utc("2026-07-01 08:00"), "now")
    assert first.nominal_local == datetime(2026, 7, 1, 9)  # noqa: DTZ001
    assert (first.anchored["days"], first.anchored["anchor"]) == ("0010000", "2026-07-01")
    later = one(
        room,
        "select due_at_utc from gnomon_data.next_occurrence(%s, %s, %s)",
        *(Jsonb(first.anchored), BERLIN, first.due_at_utc),
    )
    assert later.due_at_utc == _utc("2026-07-15 07:00")


@pytest.mark.parametrize(
    ("rule", "now"),
    [
        ({"kind": "daily", "end": "2026-06-30"}, "2026-07-01 06:00"),
        ({"kind": "daily", "end": "2026-07-01"}, "2026-07-01 07:00"),
        ({"kind": "weekly", "days": "1000000", "start": "2026-07-01", "end": "2026-07-05"}, "2026-06-01 06:00"),
        ({"kind": "weekly", "end": "2026-06-30"}, "2026-07-01 06:00"),
        ({"kind": "daily", "every": 9, "end": "2026-06-30"}, "2026-07-01 06:00"),
    ],
)
def test_a_rule_that_never_fires(room: psycopg.Connection, rule: dict[str, Any], now: str) -> None:
    fault = _first(room, rule | {"time": "09:00:00"}, BERLIN, now).fault

    assert (fault.code, fault.pointer) == ("GN012", "/recurrence/end_date")


def test_the_last_day_may_still_fire_now(room: psycopg.Connection) -> None:
    rule = {"kind": "daily", "time": "09:00:00", "end": "2026-07-01"}

    first = _first(room, rule, BERLIN, "2026-07-01 07:30", "now")

    assert (first.due_at_utc, first.fault) == (_utc("2026-07-01 07:30"), None)


@pytest.mark.parametrize("session_zone", SESSION_ZONES)
def test_the_session_decides_nothing(rooms_by_zone: dict[str, psycopg.Connection], session_zone: str) -> None:
    room = rooms_by_zone[session_zone]

    assert _first(room, {"kind": "relative", "in": 86400 * 30}, None, "2026-03-01 12:00").due_at_utc == _utc(
        "2026-03-31 12:00"
    )
    rule = {"kind": "daily", "time": "02:30:00", "every": 2, "offset": 86400 * 3}
    first = _first(room, rule, NEW_YORK, "2027-03-13 12:00")
    assert first.due_at_utc.astimezone(UTC) == _utc("2027-03-14 07:30")
    assert first.anchored["anchor"] == "2027-03-11"


def test_no_setting_of_the_session_decides_anything(room: psycopg.Connection) -> None:
    """Texts of a compiled rule are read back in the one form that every DateStyle reads alike."""
    query = """
        select c.rule, extract(epoch from f.due_at_utc)::bigint as due, f.anchored
          from gnomon_data.compile_rule(%s) as c,
               lateral gnomon_data.first_occurrence(c.rule, %s, '2026-02-01T12:00:00Z', null) as f
    """
    requests: list[dict[str, Any]] = [
        {"schedule_at": "2026-03-04T05:06:07.5Z", "offset": "-PT1H"},
        {"schedule_at": "P1DT1H", "offset": "P1D"},
        {"schedule_at": "09:00", "schedule_date": "2026-03-04"},
        {"schedule_at": "09:00"},
        {"schedule_at": "09:00", "recurrence": {"pattern": "daily", "interval": 3, "start_date": "2026-03-04"}},
        {"schedule_at": "09:00", "recurrence": {"pattern": "weekly", "interval": 2, "end_date": "2026-03-04"}},
    ]
    plain = [one(room, query, Jsonb(request), BERLIN) for request in requests]
    for style, interval_style in (
        ("German", "sql_standard"),
        ("SQL, DMY", "postgres_verbose"),
        ("Postgres, MDY", "iso_8601"),
    ):
        with room.transaction():
            room.execute(f"set local datestyle = {style}")
            room.execute(f"set local intervalstyle = {interval_style}")
            assert [one(room, query, Jsonb(request), BERLIN) for request in requests] == plain
